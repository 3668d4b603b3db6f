"""Annotations of GitHub: the workflow commands that show a finding beside the adapter's file and in the summary of a
run. Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands (2026-11-24)."""

from collections.abc import Iterator
from typing import Final

from bridgecheck.model.verdict import Status
from bridgecheck.report.findings import Finding
from bridgecheck.report.junit import escape_for_xml
from bridgecheck.report.model import Report
from bridgecheck.report.sentences import remainder_note, verdict_line

MOST_OF_A_LEVEL: Final = 10
"""GitHub shows ten errors and ten warnings of a step, and drops the others without a word."""

_LEVELS: Final[dict[Status, str]] = {"FAIL": "error", "ERROR": "error", "WARN": "warning"}


def to_annotations(report: Report, adapter_file: str) -> str:
    """Return one command a line; "" if there is no finding. ``adapter_file``: of the adapter, relative to the folder of
    the run."""
    return "".join(f"{line}\n" for line in _command_lines(report, adapter_file))


def _command_lines(report: Report, adapter_file: str) -> Iterator[str]:
    for level in ("error", "warning"):
        found = [finding for finding in report.findings if _LEVELS.get(finding.status) == level]
        is_cut = len(found) > MOST_OF_A_LEVEL
        shown = found[: MOST_OF_A_LEVEL - 1] if is_cut else found
        yield from (_command(level, adapter_file, finding.check, _message(finding)) for finding in shown)
        if is_cut:
            more = remainder_note(len(found), len(shown), "finding")
            yield _command(level, adapter_file, "bridgecheck", f"{more} in report.html. {verdict_line(report)}")


def _message(finding: Finding) -> str:
    return f"{finding.one_line_summary or finding.check}\nin {finding.example}\nRepeat: {finding.command_line}"


def _command(level: str, file: str, title: str, message: str) -> str:
    return f"::{level} file={_escape_property(file)},line=1,title={_escape_property(title)}::{_escape_data(message)}"


def _escape_data(text: str) -> str:
    escaped = escape_for_xml(text.replace("\r\n", "\n"))
    return escaped.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
