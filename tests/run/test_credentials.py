"""Credentials in traffic and in adapters' exceptions reach neither a report nor the terminal."""

import json
import tempfile
from pathlib import Path

import pytest

from bridgecheck.cassette import traffic as recorded
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.errors import BadTraffic
from bridgecheck.model.case_json import case_to_dict
from bridgecheck.model.evidence import cut_middle_of_traceback, exception_line
from bridgecheck.run import traffic
from bridgecheck.run.mask import strip_paths
from bridgecheck.run.plan import Selection

KEY = "sk-" + "Zq7" * 12  # never written whole, so that no scanner of sources takes it for one
INTERACTION = {
    "id": "own/1",
    "provider": "gemini",
    "model": "gemini-2.5-flash",
    "stream": False,
    "method": "POST",
    "url_path": "/v1beta/models/gemini-2.5-flash:generateContent",
    "request_body": {"contents": [{"role": "user", "parts": [{"text": f"my key is {KEY}"}]}]},
    "status": 200,
    "response_body": {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": f"It is {KEY}."}]}, "finishReason": "STOP", "index": 0}
        ]
    },
}


class LeakyAdapter:
    """An adapter that loses the response's text and raises with the request in its message."""

    name, version = "leaky", "1"
    routes = (("gemini", "openai-chat"), ("openai-chat", "gemini"))
    capabilities: tuple[str, ...] = ()

    def to_upstream(self, body: object, **_: object) -> object:
        return {"contents": [{"role": "user", "parts": [{"text": "else"}]}], "model": "m", "messages": []}

    def from_upstream(self, body: object, **_: object) -> object:
        raise RuntimeError(f"cannot convert {body} with Authorization: Bearer {KEY}")


def test_no_credential_leaves_a_case(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(INTERACTION) + "\n", encoding="utf-8")
    driver = describe_adapter("python:leaky", LeakyAdapter())
    results = [
        traffic.run_case(case, item, driver)
        for item in recorded.read_traffic(path)
        if not isinstance(item, BadTraffic)
        for case in traffic.plan(item, driver, Selection())
    ]
    text = json.dumps([case_to_dict(result) for result in results])
    assert any(result.crash for result in results)
    assert "REDACTED" in text
    assert KEY not in text


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("{here}/reports/mine/shim.py", "reports/mine/shim.py"),
        ("{here}/reports/mine/.venv/lib/python3.11/site-packages/lib/main.py", "site-packages/lib/main.py"),
        ("{home}/.pyenv/versions/3.11.7/lib/python3.11/contextlib.py", "lib/python3.11/contextlib.py"),
        ("/opt/gateway/node_modules/ai/index.mjs", "node_modules/ai/index.mjs"),
        ("{home}/elsewhere/shim.py", "~/elsewhere/shim.py"),
        ("file://{here}/reports/mine/shim.mjs:46:22", "reports/mine/shim.mjs:46:22"),
        ("{tmp}/bridgecheck-ab_12x/config.yaml", "{tmp}/config.yaml"),
        ("{here}-other/shim.py", None),
        ("/usr/bin/node", None),
        ("https://example.org{home}/page", None),
        ("no path at all", None),
    ],
)
def test_no_local_path_leaves_a_case(
    message: str, expected: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, home = tmp_path / "project", tmp_path / "somebody"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(home))
    places = {"here": str(here), "home": str(home), "tmp": tempfile.gettempdir()}
    text = message.format(**places)
    expected_text = text if expected is None else expected
    assert strip_paths(f'File "{text}", line 3') == f'File "{expected_text}", line 3'


def test_the_end_of_a_long_traceback_is_kept() -> None:
    frames = "".join(f'  File "deep.py", line {number}, in f{number}\n    call()\n' for number in range(40))
    crash = f"Traceback (most recent call last):\n{frames}KeyError: 'text'\nand its last lines:\nbye\n"
    short = cut_middle_of_traceback(crash)
    assert short.startswith("Traceback (most recent call last):\n  ... 58 lines left out\n")
    assert short.endswith("in f39\n    call()\nKeyError: 'text'\nand its last lines:\nbye\n")
    assert exception_line(short) == exception_line(crash) == "KeyError: 'text'"
    assert cut_middle_of_traceback(short) == short
    assert cut_middle_of_traceback("word\n" * 100) == "word\n" * 100
