"""reports/README.md: what is published of all adapters, as it is read where the repository is.

No date of today stands in it, so that it changes only with the reports: how long each says something is a date, too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from bridgecheck.model.counts import plural
from bridgecheck.model.published_finding import FINDING_MEANS, Published
from bridgecheck.report.markdown import escape_markdown
from bridgecheck.report.model import VALID_FOR
from bridgecheck.report.publication import FindingsAndRecipe, published_facts, read_findings_and_recipe
from bridgecheck.report.read import read_report, subfolder_report_paths

README_FILE: Final = "README.md"

_HEAD: Final = """\
# Adapters, as observed

What bridgecheck saw in one run of each adapter, on the day that is named, with recorded and scripted traffic. Observed,
not certified. The order is the alphabet's: adapters serve different directions and claim different things, so no number
here compares two of them. A report is valid for 90 days. [docs/publishing.md](../docs/publishing.md) tells what
has to hold before a finding stands here, and how a maintainer disputes one.

Written by `make docs` from the folders beside this page. `bridgecheck html reports/` makes pages of them, with every
document.
"""
_TABLE: Final = """
| adapter | version | run on | valid until | published findings |
|---|---|---|---|---|
"""
_ADDRESS: Final = re.compile(r"(https?://[^\s<>()\"'`]+[^\s<>()\"'`.,;:])")


@dataclass(frozen=True, slots=True)
class PublishedAdapter:
    """One report, as far as this page tells of it. ``started``: a date, "" if the report does not say."""

    folder: str
    name: str
    version: str
    started: str
    made_with: str
    published_files: FindingsAndRecipe
    files: tuple[str, ...]

    @property
    def until(self) -> str:
        return (date.fromisoformat(self.started) + VALID_FOR).isoformat() if self.started else ""


def read_published_adapters(root: Path) -> list[PublishedAdapter]:
    """Of all reports in the folders of ``root``, by the alphabet. Raises BadReport and BadFindings."""
    found = [_read_published_adapter(path) for path in subfolder_report_paths(root) if path.parent.name != "local"]
    return sorted(found, key=lambda adapter: (adapter.name.casefold(), adapter.version, adapter.folder))


def to_readme(found: Sequence[PublishedAdapter]) -> str:
    rows = "".join(f"| {' | '.join(_adapter_table_cells(adapter))} |\n" for adapter in found)
    glossary = "".join(f"* **{word.upper()}**: {meaning}\n" for word, meaning in FINDING_MEANS.items())
    sections = "".join("\n".join(_adapter_section(adapter)) for adapter in found)
    return f"{_HEAD}{_TABLE}{rows}{sections}\n## Words\n\n{glossary}"


def _read_published_adapter(report_path: Path) -> PublishedAdapter:
    report = read_report(report_path).report
    run = report.info
    folder = report_path.parent
    names = (
        "adapter.toml", "requirements.txt", "package.json", "deviations.toml", "findings.toml", "summary.md",
        report_path.name,
    )  # fmt: skip
    return PublishedAdapter(
        folder=folder.name, name=run.adapter or folder.name, version=run.version,
        started=run.started[:10], made_with=dict(run.versions).get("bridgecheck", ""),
        published_files=read_findings_and_recipe(folder, report),
        files=tuple(name for name in names if (folder / name).is_file()),
    )  # fmt: skip


def _adapter_table_cells(adapter: PublishedAdapter) -> Iterator[str]:
    yield f"[{escape_markdown(adapter.name)}](#report-{adapter.folder})"
    yield escape_markdown(adapter.version) or "-"
    yield adapter.started or "-"
    yield adapter.until or "-"
    yield _finding_counts_or_not_gone_through(adapter.published_files)


def _finding_counts_or_not_gone_through(files: FindingsAndRecipe) -> str:
    found = files.findings
    if not found:
        return "none" if found is not None else "not gone through"
    counts = ((status.upper(), sum(adapter.status == status for adapter in found)) for status in FINDING_MEANS)
    warnings = f", of them {plural(len(files.warnings), 'warning')}" if files.warnings else ""
    return ", ".join(f"{count} {word}" for word, count in counts if count) + warnings


def _adapter_section(adapter: PublishedAdapter) -> Iterator[str]:
    yield f'\n<a id="report-{adapter.folder}"></a>\n'
    yield f"## {escape_markdown(' '.join(filter(None, (adapter.name, adapter.version))))}\n"
    links = ", ".join(f"[{name}]({adapter.folder}/{name})" for name in adapter.files)
    day, judge = adapter.started or "an unknown day", adapter.made_with or "of an unknown version"
    yield f"Run on {day} with bridgecheck {judge}: {links}.\n"
    for finding in adapter.published_files.findings or ():
        yield from _finding_section(adapter, finding)
    if not adapter.published_files.findings:
        yield "Nothing is published.\n"


def _finding_section(adapter: PublishedAdapter, finding: Published) -> Iterator[str]:
    yield f"### {escape_markdown(finding.title)}\n"
    yield f"**{finding.status.upper()}**: {FINDING_MEANS[finding.status]}.\n"
    if finding.answer:
        yield f"> The maintainers' answer: {_escape_and_link_addresses(finding.answer)}\n"
    script, facts = f"{finding.id}.py", published_facts(finding, adapter.published_files.warnings)
    command = f"bridgecheck html reports/{adapter.folder}"
    yield f"* Reproduction, without bridgecheck: `{command}` writes the script `{script}`"
    yield f"* The simplest case: `{finding.case}`"
    yield from (f"* {name}: {_escape_and_link_addresses(text_value)}" for name, text_value in facts)
    yield ""


def _escape_and_link_addresses(text_value: str) -> str:
    """Escape text so that it turns into no markup but links."""
    pieces = _ADDRESS.split(" ".join(text_value.split()))
    return "".join(f"<{piece}>" if _ADDRESS.fullmatch(piece) else escape_markdown(piece) for piece in pieces)
