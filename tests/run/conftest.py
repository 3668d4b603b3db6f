"""A small corpus for these tests, as documents and on disk."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest

GEMINI_ANSWER = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Four."}]}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9},
    "modelVersion": "gemini-2.5-flash",
    "responseId": "r-1",
}

SCENARIO = {
    "id": "messages/plain",
    "title": "A question and its answer",
    "description": "The text of the answer arrives byte for byte.",
    "why": "Everything else rests on it.",
    "level": "MUST",
    "basis": {
        "kind": "documented", "ref": "https://ai.google.dev/api/generate-content#v1beta.Candidate", "date": "2026-11-20",
        "duty": "The content is what the model generated.",
    },
    "since": "0.1.0",
    "tags": ["plain"],
    "modes": ["unary", "stream"],
    "client": {
        "gemini": {
            "model": "gemini-2.5-flash",
            "body": {"contents": [{"role": "user", "parts": [{"text": "2 + 2?"}]}]},
        },
        "openai-chat": {
            "body": {"model": "gemini-2.5-flash", "messages": [{"role": "user", "content": "2 + 2?"}]},
        },
    },
    "upstream": {"gemini": {"unary": [{"body": GEMINI_ANSWER}], "stream": [{"events": [GEMINI_ANSWER]}]}},
    "expect": {
        "outcome": {"text": "Four."},
        "wire": [{"on": "client_response", "dialect": "gemini", "mode": "unary",
                  "path": "candidates[0].content.parts[0].text", "equals": "Four."}],
    },
}  # fmt: skip


@pytest.fixture
def document() -> dict[str, object]:
    """A writable copy of the scenario's document."""
    return deepcopy(SCENARIO)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty corpus folder, in use."""
    for name in ("scenarios", "cassettes"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("BRIDGECHECK_CORPUS", str(tmp_path))
    return tmp_path


@pytest.fixture
def put(corpus: Path) -> Callable[[dict[str, object]], Path]:
    """Write a scenario document to the path of its id."""

    def write(document: dict[str, object]) -> Path:
        path = corpus / "scenarios" / f"{document['id']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        return path

    return write
