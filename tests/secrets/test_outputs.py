"""A real run of an adapter that shows every planted secret: none is in anything that was written or printed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from .planted_secrets import ENVIRONMENT, KINDS, RECIPE_ENVIRONMENT, TEXTS, find_planted

ADAPTER: Final = Path(__file__).with_name("planted_adapter.py")
KEY: Final = KINDS["sk-proj"][0]
SCENARIO: Final = "messages/plain-text"
REASON: Final = " ".join(text for _, placement, text in TEXTS if placement in ("plain", "base64", "unicode escapes"))


def run(folder: Path, *arguments: str) -> str:
    """Return what the command printed."""
    process = subprocess.run(
        [sys.executable, "-m", "bridgecheck", *arguments],
        cwd=folder, env=os.environ | ENVIRONMENT | RECIPE_ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert process.returncode in (0, 1, 2), process.stderr[:2000]
    return process.stdout + process.stderr


def collect_outputs(folder: Path) -> dict[str, str]:
    """Return what a run, a reproduction, a comparison and refusals wrote and printed: by file or command."""
    environment = ", ".join(f"{name} = {json.dumps(value)}" for name, value in RECIPE_ENVIRONMENT.items())
    target = f"command:{sys.executable} {ADAPTER} --api-key {KEY}"
    recipe = f"target = {json.dumps(target)}\nenv = {{ {environment} }}\n"
    (folder / "adapter.toml").write_text(recipe, encoding="utf-8")
    entry = f'[[deviation]]\nscenario = "{SCENARIO}"\ncheck = "response.text"\nreason = {json.dumps(REASON)}\n'
    (folder / "deviations.toml").write_text(entry, encoding="utf-8")
    (folder / "own.jsonl").write_text(json.dumps(interaction()) + "\n", encoding="utf-8")
    printed = {
        "run": run(folder, "run", "--adapter", "adapter.toml", "--scenario", SCENARIO, "--traffic", "own.jsonl",
                   "--deviations", "deviations.toml", "-n", "0", "--report", "report"),
        "run by target": run(folder, "run", "--adapter", target, "--scenario", SCENARIO, "--mode", "unary", "-n", "0",
                             "--report", "second"),
        "wrong option": run(folder, "run", "--adapter", "adapter.toml", KEY),
        "wrong target": run(folder, "run", "--adapter", f"python:{KEY}", "--report", "third"),
        "compare": run(folder, "compare", "second", "report", "--json", "comparison.json"),
        "repro": run_repro(folder),
    }  # fmt: skip
    paths = [path for name in ("report", "second", "repro") for path in (folder / name).glob("*.*")]
    texts = {f"{path.parent.name}/{path.name}": path.read_text(encoding="utf-8") for path in paths}
    return printed | texts | {"comparison.json": (folder / "comparison.json").read_text(encoding="utf-8")}


def run_repro(folder: Path) -> str:
    """Return what the reproduction of the first finding of a plain answer printed."""
    report = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))
    case = next(item["example"] for item in report["findings"] if "openai-chat-to-gemini-unary" in item["example"])
    (folder / "repro").mkdir()
    return run(folder, "repro", case, "--adapter", "adapter.toml", "--report", "report", "--output", "repro/found.md")


def interaction() -> dict[str, object]:
    """Recorded traffic whose name and address hold a key and a project id."""
    parts = [{"text": "four"}]
    return {
        "id": f"own/{KEY}", "provider": "gemini", "model": "gemini-2.5-flash", "stream": False, "method": "POST",
        "url_path": f"/v1/projects/{KINDS['project id'][0]}/models/gemini-2.5-flash:generateContent",
        "request_body": {"contents": [{"role": "user", "parts": [{"text": "two and two?"}]}]}, "status": 200,
        "response_body": {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]},
    }  # fmt: skip


MASKED: Final = (
    "run", "run by target", "wrong option", "repro", "report/report.json", "report/junit.xml", "report/summary.md",
    "report/report.html", "report/findings.sarif", "report/annotations.txt",
)  # fmt: skip
"""The outputs that show something of the adapter's, so that something in them has to be masked."""


def test_no_output_holds_a_planted_secret(tmp_path: Path) -> None:
    """One test, since collecting takes all the time, and tests of one file run in several processes."""
    outputs = collect_outputs(tmp_path)
    assert {name: found for name, text in outputs.items() if (found := find_planted(text))} == {}
    assert [name for name in MASKED if "REDACTED" not in outputs[name]] == []
    assert {"compare", "wrong target", "comparison.json"} <= outputs.keys()
    report = json.loads(outputs["report/report.json"])  # masked, it is still one that can be read
    assert report["complete"]
    assert report["totals"]["FAIL"] > 0
