"""report.json while the run is under way: a valid, partial report after every case, whatever ends the process.

It holds what was run and the cases so far, with ``"complete": false``; what is derived from cases (totals, findings)
is not in it. Each case is one write that puts the closing brackets behind it, so no reader finds them missing.
``bridgecheck merge`` makes the whole report of a run that was killed.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from bridgecheck.deviations import Deviation
from bridgecheck.files.jsonfile import write_text
from bridgecheck.model.case_json import case_to_dict
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report.folder import NAMES, encodable
from bridgecheck.report.jsonfile import FORMAT, VERSION, deviation_to_dict, run_to_dict
from bridgecheck.report.model import RunInfo, trimmed

_TAIL: Final = "\n ]\n}\n"


class Journal:
    """Takes the place of what an earlier run left in ``folder``. ``info``: with the number of planned cases.
    ``deviations``: the entries in force. Raises OSError."""

    def __init__(self, folder: Path, info: RunInfo, deviations: Sequence[Deviation] = ()) -> None:
        for name in NAMES:
            (folder / name).unlink(missing_ok=True)
        head = {
            "format": FORMAT,
            "version": VERSION,
            "complete": False,
            "run": run_to_dict(replace(info, partial=True)),
            "deviations": [deviation_to_dict(entry) for entry in deviations],
        }
        text = json.dumps(head, indent=1, ensure_ascii=False)[:-2] + ',\n "cases": ['
        write_text(folder / NAMES[0], encodable(text + _TAIL))
        self._file = os.open(folder / NAMES[0], os.O_WRONLY)
        self._end = len(encodable(text).encode())
        self._first = True

    def add(self, case: CaseResult) -> None:
        """One more case is done."""
        line = json.dumps(case_to_dict(trimmed(case)), ensure_ascii=False)
        said = encodable(f"\n{line}" if self._first else f",\n{line}").encode()
        os.pwrite(self._file, said + _TAIL.encode(), self._end)
        self._end += len(said)
        self._first = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
