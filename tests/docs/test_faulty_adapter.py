"""The faulty adapter behind the pictures of the README has each of its faults, and the page of its run shows them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
FAULTS = {
    "settings/temperature-zero": "request.settings",
    "usage/only-thoughts-counted": "expect.wire",
    "tools/parallel-one-chunk": "stream.calls_contiguous",
    "finish/length": "response.finish",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faulty")
    chosen = [part for name in FAULTS for part in ("--scenario", f"{name}::*-wire")]
    command = [sys.executable, "-m", "bridgecheck", "run", "-n", "0", "--adapter", "python:faulty_adapter:adapter"]
    paths = os.pathsep.join(filter(None, (str(DOCS), os.environ.get("PYTHONPATH"))))
    process = subprocess.run(
        [*command, *chosen, "--report", str(folder)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1, process.stdout + process.stderr
    assert "report.html" in process.stdout
    return folder


@pytest.mark.parametrize("scenario", FAULTS)
def test_each_fault_is_found_and_the_control_passes(report: Path, scenario: str) -> None:
    document = json.loads((report / "report.json").read_text(encoding="utf-8"))
    found = [item for item in document["findings"] if any(case.startswith(f"{scenario}::") for case in item["cases"])]
    assert FAULTS[scenario] in {item["check"] for item in found}
    assert scenario in document["scenarios"]
    control = [case for case in document["cases"] if case["key"]["path"] == "native"]
    assert control and {case["status"] for case in control} == {"PASS"}


def test_the_page_of_the_run_shows_both_sides(report: Path) -> None:
    text = (report / "report.html").read_text(encoding="utf-8")
    assert '"thoughtsTokenCount"' in text
    assert re.search(r'differs: </span> *"completion_tokens": 0', text)
