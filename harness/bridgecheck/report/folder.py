"""The report folder: a file for each kind of reader, each written whole or not at all."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from bridgecheck.deviations import Deviation
from bridgecheck.errors import ReportNotWritten
from bridgecheck.files.output import write_masked
from bridgecheck.model.case_json import case_to_dict
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report.adapter_file import find_adapter_file
from bridgecheck.report.annotations import to_annotations
from bridgecheck.report.jsonfile import FORMAT, VERSION, deviation_to_dict, run_to_dict, to_text
from bridgecheck.report.junit import to_xml
from bridgecheck.report.markdown import to_markdown
from bridgecheck.report.model import Report, RunInfo, drop_views_if_nothing_reported
from bridgecheck.report.read import REPORT_FILE
from bridgecheck.report.sarif import to_sarif
from bridgecheck.secrets import mask_strings

PAGE_NAME: Final = "report.html"
FILE_NAMES: Final = (REPORT_FILE, "junit.xml", "summary.md", PAGE_NAME, "findings.sarif", "annotations.txt")


def write_report(report: Report, folder: Path) -> list[Path]:
    """Write the files, creating the folder if needed, and return their paths. Raises ReportNotWritten."""
    return write_masked_report(mask_strings(report), folder)


def write_masked_report(report: Report, folder: Path) -> list[Path]:
    """As ``write_report``, for a report whose strings are masked already."""
    from bridgecheck.report.html.report_page import to_html  # jinja2 takes time to import

    adapter_file = find_adapter_file(report.info.target, Path.cwd())
    made = (
        to_text(report), to_xml(report), to_markdown(report), to_html(report, report.info.start_date),
        to_sarif(report, adapter_file), to_annotations(report, adapter_file),
    )  # fmt: skip
    with _refuse_full_disk(folder):
        for name, text in zip(FILE_NAMES, made, strict=True):
            write_masked(folder / name, escape_surrogates(text))
    return [folder / name for name in FILE_NAMES]


@contextmanager
def _refuse_full_disk(folder: Path) -> Iterator[None]:
    """Raises ReportNotWritten in place of OSError."""
    try:
        yield
    except OSError as error:
        what = f"the report cannot be written: {error.strerror or error}"
        next_step = "bridgecheck run --report A-FOLDER-WITH-ROOM"
        raise ReportNotWritten(what, str(folder), f"room for {', '.join(FILE_NAMES)}", next_step) from error


def escape_surrogates(text: str) -> str:
    r"""Replace lone surrogates by their escape ``\ud800``, which inside a JSON string means the same."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


_TAIL: Final = "\n ]\n}\n"


class PartialReportJson:
    """report.json while the run is under way: a valid, partial report after every case, whatever ends the process. It
    holds the run and the cases so far with ``"complete": false``, nothing derived from them; ``bridgecheck merge``
    makes a complete report of it. Each case is one write, closing brackets included; one that is not written whole is
    taken back. Replaces what an earlier run left in ``folder``. ``info``: with the number of planned cases.
    ``deviations``: the entries in force. Raises ReportNotWritten."""

    def __init__(self, folder: Path, info: RunInfo, deviations: Sequence[Deviation] = ()) -> None:
        info, deviations = mask_strings(replace(info, partial=True)), mask_strings(tuple(deviations))
        head = {
            "format": FORMAT, "version": VERSION, "complete": False, "run": run_to_dict(info),
            "deviations": [deviation_to_dict(entry) for entry in deviations],
        }  # fmt: skip
        text = json.dumps(head, indent=1, ensure_ascii=False)[:-2] + ',\n "cases": ['
        self._folder = folder
        with _refuse_full_disk(folder):
            for name in FILE_NAMES:
                (folder / name).unlink(missing_ok=True)
            write_masked(folder / FILE_NAMES[0], escape_surrogates(text + _TAIL))
            self._file = os.open(folder / FILE_NAMES[0], os.O_WRONLY)
        self._end = len(escape_surrogates(text).encode())
        self._first = True

    def append_case_and_close_json(self, case: CaseResult) -> None:
        """Raises ReportNotWritten."""
        line = json.dumps(case_to_dict(mask_strings(drop_views_if_nothing_reported(case))), ensure_ascii=False)
        data = escape_surrogates(f"\n{line}" if self._first else f",\n{line}").encode()
        with _refuse_full_disk(self._folder):
            self._write_whole_or_not_at_all(data + _TAIL.encode())
        self._end += len(data)
        self._first = False

    def _write_whole_or_not_at_all(self, data: bytes) -> None:
        """Raises OSError."""
        written = 0
        try:
            while written < len(data):
                written += os.pwrite(self._file, data[written:], self._end + written)
        except OSError:
            # Over what stood there before, which has its place on the disk.
            os.pwrite(self._file, _TAIL.encode(), self._end)
            os.ftruncate(self._file, self._end + len(_TAIL))
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
