"""The bytes that bridgecheck makes up are spelt as recorded providers spell theirs.

The spellings below are those of recordings in public repositories, read 2026-11-23, with other content:
* Gemini, an array: https://github.com/simonw/llm-gemini/blob/64e34f1b/tests/cassettes/test_gemini/test_tools_with_gemini_3_thought_signatures.yaml
* Gemini, Anthropic, OpenAI: https://github.com/maruel/genai, files of providers/{gemini,anthropic,openaichat}/testdata/TestClient:
  ErrorResponse.yaml (a Gemini error), Scoreboard/claude-haiku-4-5-20251001/GenStream-JSON.yaml (an Anthropic error),
  Scoreboard/gpt-4.1-nano/GenSync-Tools-SquareRoot-1.yaml (a whole OpenAI answer), and the GenStream files beside them.

Line ends and terminators are compared with the recorded traffic too, where it is present.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridgecheck.cassette import derive
from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.codec import sse
from bridgecheck.codec.body import encode_array_stream, encode_document
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.relations import RELATIONS, Relation
from bridgecheck.run.relations import vary_recorded
from bridgecheck.wire import DIALECTS, Dialect
from bridgecheck.wire.facts import RECORDS
from bridgecheck_reference.gateway.reply import GeminiArray

ARRAY = (
    b'[{\n  "candidates": [\n    {\n      "index": 0\n    }\n  ]\n}\n,\r\n'
    b'{\n  "candidates": [\n    {\n      "finishReason": "STOP",\n      "index": 0\n    }\n  ]\n}\n]'
)
MEMBERS = ({"candidates": [{"index": 0}]}, {"candidates": [{"finishReason": "STOP", "index": 0}]})

DOCUMENTS: dict[Dialect, bytes] = {
    "gemini": b'{\n  "error": {\n    "code": 404,\n    "status": "NOT_FOUND"\n  }\n}\n',
    "openai-chat": b'{\n  "id": "chatcmpl-1",\n  "choices": [\n    {\n      "index": 0\n    }\n  ]\n}\n',
    "anthropic": b'{"type":"error","error":{"type":"invalid_request_error","message":"\xc3\xa4"},"request_id":"req_1"}',
}
EVENTS: dict[Dialect, bytes] = {
    "gemini": b'data: {"candidates": [{"content": {"role": "model"},"index": 0}],"modelVersion": "m"}\r\n\r\n',
    "openai-chat": b'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{}}],"usage":null}\n\n',
    "anthropic": b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
}


def test_an_array_is_spelt_as_google_spells_it() -> None:
    chunks = encode_array_stream("gemini", MEMBERS, is_whole=True)
    assert b"".join(chunks) == ARRAY
    assert b"".join(encode_array_stream("gemini", MEMBERS, is_whole=False)) == ARRAY.removesuffix(b"]")
    # A client that reads line by line has a member as soon as its write arrives.
    assert all(chunk.endswith(b"}\n") for chunk in chunks[:-1])


def array_recording() -> RecordedInteraction:
    events = tuple(sse.frame_event("gemini", member) for member in MEMBERS)
    request = HttpRequest("POST", "/v1beta/models/m:streamGenerateContent", (), b"{}")
    recorded = RecordedInteraction(request, 200, (("content-type", sse.MEDIA_TYPE),), events)
    return derive.to_json_array(recorded, "gemini")


def test_a_stream_requested_without_sse_is_such_an_array() -> None:
    assert array_recording().body == ARRAY


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.id)
def test_relations_leave_an_array_an_array(relation: Relation) -> None:
    varied = vary_recorded(relation, array_recording(), "gemini")
    assert isinstance(json.loads(varied.body), list)
    assert varied.body.count(b"}\n,\r\n{") == len(json.loads(varied.body)) - 1


def test_the_gateway_of_the_reference_parts_members_as_google_does() -> None:
    framing = GeminiArray()
    written = b"".join(map(framing.frame, MEMBERS)) + framing.end(failed=False)
    assert written.startswith(b"[{")
    assert written.endswith(b"}\n]")
    assert b"}\n,\r\n{" in written


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_document_is_spelt_as_its_provider_spells_it(dialect: Dialect) -> None:
    assert encode_document(dialect, json.loads(DOCUMENTS[dialect])) == DOCUMENTS[dialect]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_event_is_spelt_as_its_provider_spells_it(dialect: Dialect) -> None:
    data = EVENTS[dialect].partition(b"data: ")[2]
    assert sse.frame_event(dialect, json.loads(data)) == EVENTS[dialect]


def _native_streams(folder: Path) -> Iterator[tuple[Dialect, dict[str, object]]]:
    """Yield what was noted of each stream that came from a dialect's own host as bytes."""
    hosts = {record.host: record.name for record in RECORDS.values() if record.host}
    for row in (json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.open(encoding="utf-8")):
        meta, dialect = obj(row.get("sse_meta")), hosts.get(text(row.get("host")))
        if dialect is not None and "crlf" in meta and row.get("status") == 200:
            yield dialect, meta


@pytest.mark.parametrize("dialect", DIALECTS)
def test_line_ends_and_terminator_are_those_of_recorded_streams(dialect: Dialect, traffic_folder: Path) -> None:
    facts = Counter(
        (meta["crlf"], meta["done_sentinel"]) for name, meta in _native_streams(traffic_folder) if name == dialect
    )
    (crlf, has_marker), count = facts.most_common(1)[0]
    assert count >= 0.95 * facts.total(), facts
    assert sse.frame_event(dialect, {}).endswith(b"\r\n\r\n" if crlf else b"\n\n")
    assert bool(sse.terminator(dialect)) == has_marker
