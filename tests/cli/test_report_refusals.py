"""Every command that reads a report refuses the same reports with the same message and exit code 2."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

COMMANDS = (
    ("merge", "REPORT"),
    ("repro", "1", "--report", "REPORT"),
    ("badge", "REPORT"),
    ("compare", "REPORT", "REPORT"),
)


def test_an_incomplete_or_invalid_report_is_refused(
    cli: Callable[..., subprocess.CompletedProcess[str]], refusal_of: Callable[..., str], project: Path
) -> None:
    assert cli("run", "--path", "native", "-n", "0", "--report", "real").returncode == 0
    text = (project / "real" / "report.json").read_text(encoding="utf-8")
    bad = {
        "there is no report": None,
        "the report is cut off: the file ends in the middle": text[: len(text) * 9 // 10],
        "the report is cut off: the file is empty": "",
        "not a report": "{}",
        "written by a newer bridgecheck": json.dumps(json.loads(text) | {"version": 2}),
        "the report breaks its schema: $.run.planned": text.replace('"planned": ', '"planned": -'),
    }
    path = project / "report.json"
    for message, written in bad.items():
        if written is not None:
            path.write_text(written, encoding="utf-8")
        for command in COMMANDS:
            actual = refusal_of(*(str(path) if word == "REPORT" else word for word in command))
            assert actual.startswith("[bad-report] "), command
            assert message in actual and str(path) in actual, command
