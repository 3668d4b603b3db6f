"""Credentials in traffic and in adapters' exceptions reach neither a report nor the terminal."""

import json
from pathlib import Path

from bridgecheck.cassette import traffic as recorded
from bridgecheck.drivers.introspect import describe
from bridgecheck.errors import BadTraffic
from bridgecheck.model.case_json import case_to_dict
from bridgecheck.run import traffic
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


class Leaky:
    """Loses the answer's text and raises with the request in its message."""

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
    driver = describe("python:leaky", Leaky())
    results = [
        traffic.run_case(case, item, driver)
        for item in recorded.read(path)
        if not isinstance(item, BadTraffic)
        for case in traffic.plan(item, driver, Selection())
    ]
    text = json.dumps([case_to_dict(result) for result in results])
    assert any(result.crash for result in results)
    assert "REDACTED" in text
    assert KEY not in text
