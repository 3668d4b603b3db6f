"""Reading a report back, for every command that takes one. What is not a complete report is refused with a message.

A run that was killed leaves a report that is valid and says so itself (``partial``). A file that was cut off (a full
disk, a copy that broke) is no JSON any more and is refused, as is one that a newer bridgecheck wrote.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from packaging.version import InvalidVersion, Version

from bridgecheck import __version__
from bridgecheck.errors import BadReport
from bridgecheck.files.jsonfile import GZIP, read_json
from bridgecheck.model.counts import plural
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.report.jsonfile import FORMAT, VERSION, from_json
from bridgecheck.report.model import Report
from bridgecheck.report.schema import compile_predicate, report_schema
from bridgecheck.report.side_by_side import clip

REPORT_FILE: Final = "report.json"
PACKED_REPORT_FILE: Final = f"{REPORT_FILE}.gz"
"""What ``gzip --no-name`` makes of a report.json that is to be kept: a whole run is megabytes of the same words."""

DEFAULT_FOLDER: Final = Path("reports/local")
"""Where ``run`` writes, and what a command reads that is not told which report."""

_RERUN_ADVICE: Final = "bridgecheck run, with the options it was made with"

_UPGRADE_COMMAND: Final = "pip install --upgrade bridgecheck"

_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)
_CASE: Final = re.compile(rb'^\{"key": .*\},?$', re.MULTILINE)
_PLANNED: Final = re.compile(rb'^  "planned": (\d+)', re.MULTILINE)


class StoredReport(NamedTuple):
    """A report and the file it was read from."""

    path: Path
    report: Report


def report_or_gz_path(folder: Path) -> Path:
    """Return the path of a folder's report, packed or not: the plain one where there are both, or neither."""
    packed = folder / PACKED_REPORT_FILE
    return packed if packed.is_file() and not (folder / REPORT_FILE).is_file() else folder / REPORT_FILE


def subfolder_report_paths(folder: Path) -> list[Path]:
    return [path for path in map(report_or_gz_path, sorted(folder.glob("*/"))) if path.is_file()]


def read_report(location: Path = DEFAULT_FOLDER) -> StoredReport:
    """Read the report in this file, or in this folder's report.json (or report.json.gz), valid as reports/schema.json
    says. Raises BadReport."""
    path = report_or_gz_path(location) if location.is_dir() else location
    if not path.is_file():
        raise BadReport("there is no report", str(path), "a report.json or a folder with one", "bridgecheck run")
    document = _read_document(path)
    _refuse_other_format_or_newer_version(document, path)
    for broken in find_violations(document):
        raise BadReport(f"the report breaks its schema: {broken}", str(path), *_expected_and_next_command(document))
    try:
        report = from_json(document)
        is_partial = report.info.partial or len(report.cases) < report.info.planned
        return StoredReport(path, replace(report, info=replace(report.info, partial=is_partial)))
    except ValueError as wrong:
        raise BadReport(str(wrong), str(path), "a report of bridgecheck run") from wrong


def _expected_and_next_command(document: object) -> tuple[str, str]:
    made_by = text(obj(obj(obj(document).get("run")).get("versions")).get("bridgecheck"))
    if _is_newer_release(made_by):
        return f"one of bridgecheck {__version__} or older; this one was made by {made_by}", _UPGRADE_COMMAND
    return "as reports/schema.json says", _RERUN_ADVICE


def _is_newer_release(version: str) -> bool:
    try:
        return Version(version) > Version(__version__)
    except InvalidVersion:
        return False


def _read_document(path: Path) -> object:
    try:
        return read_json(path, BadReport)[0]
    except BadReport as wrong:
        data = path.read_bytes()
        if path.suffix == GZIP or not _is_cut_off(data):
            raise
        what = f"the report is cut off: {_describe_cases_before_cut(data)}"
        raise BadReport(what, wrong.where, "a whole file", _RERUN_ADVICE) from wrong


def _is_cut_off(data: bytes) -> bool:
    """Return whether more is opened than closed, as where the end of a JSON text is missing."""
    bare = _STRING.sub(b"", data)
    return not data.strip(b"\0 \r\n") or sum(map(bare.count, (b"{", b"["))) > sum(map(bare.count, (b"}", b"]")))


def _describe_cases_before_cut(data: bytes) -> str:
    if not data.strip(b"\0 \r\n"):
        return "the file is empty"
    if not (planned := _PLANNED.search(data)):
        return "the file ends before its first case"
    return f"the file ends in the middle, behind {len(_CASE.findall(data))} of {plural(int(planned[1]), 'case')}"


def _refuse_other_format_or_newer_version(document: object, path: Path) -> None:
    data = document if isinstance(document, dict) else {}
    if data.get("format") != FORMAT:
        raise BadReport(f'not a report: expected "format": "{FORMAT}"', str(path), "a report of bridgecheck run")
    version = data.get("version")
    if isinstance(version, int) and version > VERSION:
        what = f"the report is of version {version}, written by a newer bridgecheck"
        raise BadReport(what, str(path), f"version {VERSION}", _UPGRADE_COMMAND)


_MAX_VIOLATION: Final = 200
"""Characters of one violation; it may quote a whole document."""


def find_violations(document: object) -> Iterator[str]:
    """Yield what the schema does not allow, with its path: ``$.run.planned: -1 is less than the minimum of 0``. What is
    derived from the cases may be missing, as in reports of older releases. A valid report takes a tenth of the time of
    the library, which is asked only to describe what is wrong."""
    schema = {name: part for name, part in report_schema().items() if name not in ("if", "then")}
    if compile_predicate(schema, obj(schema["$defs"]))(document):
        return
    from jsonschema import Draft202012Validator

    for error in Draft202012Validator(schema).iter_errors(document):
        yield clip(f"{error.json_path}: {error.message}", _MAX_VIOLATION)
