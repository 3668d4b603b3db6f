"""What counts as a difference between the script's play and bridgecheck's own."""

import json
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest

from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.repro.oracle import NotProven, to_traffic
from bridgecheck.repro.proof import _require_same_traffic

CALL = {"id": "call_1", "type": "function", "function": {"name": "tie", "arguments": "{}"}}
COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-1", "created": 1764000000, "system_fingerprint": "fp_1", "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Four", "tool_calls": [CALL]}}],
}  # fmt: skip
BODY = {"contents": [{"parts": [{"functionCall": {"id": "a", "name": "tie", "args": {"id": "knot"}}}]}]}


def _replay_case() -> Any:
    turn = Interaction(Request("openai-chat", "unary", {"model": "m"}), Response("openai-chat", "unary", (COMPLETION,)))
    call = Interaction(Request("gemini", "unary", BODY), Response("gemini", "unary", ()))
    finding = SimpleNamespace(check="response.text", command_line="bridgecheck run --scenario a::b")
    transcript = CaseTranscript((turn,), (call,))
    return SimpleNamespace(transcript=transcript, finding=finding, key="a::b")


def _traffic() -> Any:
    return deepcopy(to_traffic(_replay_case().transcript))


def test_ids_and_times_of_another_second_are_no_difference() -> None:
    traffic = _traffic()
    document = traffic["received"][0][0]
    document |= {"id": "chatcmpl-2", "created": 1764000001, "system_fingerprint": "fp_2"}
    document["choices"][0]["message"]["tool_calls"][0]["id"] = "call_2"
    traffic["sent"][0]["contents"][0]["parts"][0]["functionCall"]["id"] = "b"
    _require_same_traffic(traffic, _replay_case(), [])


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ('"Four"', '"Five"', 'message.content is "Four" with bridgecheck, received[][].choices[].message.content is "Five" in'),
        ('"knot"', '"rope"', 'args.id is "knot" with bridgecheck, sent[].contents[].parts[].functionCall.args.id is "rope" in'),
        (', "system_fingerprint": "fp_1"', "", 'system_fingerprint is "(varies)" with bridgecheck, nothing more in the script'),
    ],
)  # fmt: skip
def test_a_difference_is_named_by_its_place_and_both_values(before: str, after: str, place: str) -> None:
    text = json.dumps(_traffic())
    assert before in text
    with pytest.raises(NotProven) as raised:
        _require_same_traffic(json.loads(text.replace(before, after)), _replay_case(), [])
    assert place in str(raised.value)
    assert "next: bridgecheck run --scenario a::b" in str(raised.value)


def test_a_body_that_is_no_json_is_compared_by_nobody_and_a_missing_document_is() -> None:
    """bridgecheck keeps such a body as text with a remark of its own: ``(not read: NaN is no JSON) {...``."""
    case = _replay_case()
    unread = Response("openai-chat", "unary", (), text='(not read: NaN is no JSON) {"created": NaN}')
    case.transcript = CaseTranscript((Interaction(Request("openai-chat", "unary", {"model": "m"}), unread),), ())
    traffic = {"requested": [{"model": "m"}], "sent": [], "received": [['{"created": NaN}']], "raised": ""}
    _require_same_traffic(traffic, case, [])
    with pytest.raises(NotProven):
        _require_same_traffic({**traffic, "received": [[{"created": 1}]]}, case, [])
