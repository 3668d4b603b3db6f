"""What documents can express and Chat cannot: order, segments, code, refusals. Its loss is found, or declared where the
adapter cannot express it."""

from collections.abc import Callable
from typing import Any

import pytest

from bridgecheck import normalise
from bridgecheck.checks import judge
from bridgecheck.model.exchange import Response
from bridgecheck.model.verdict import Verdict

from .lossless import make_evidence, write_document

GEMINI = Response(
    "gemini", "unary",
    ({
        "candidates": [{"content": {"role": "model", "parts": [
            {"text": "First I add."},
            {"executableCode": {"language": "PYTHON", "code": "print(2 + 2)"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "4"}},
            {"functionCall": {"name": "say", "args": {"what": "four"}}},
            {"text": "It is four."},
        ]}, "finishReason": "STOP", "groundingMetadata": {"groundingChunks": [{"web": {"uri": "u"}}]}}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3},
    },),
)  # fmt: skip
CHAT = Response(
    "openai-chat", "unary",
    ({
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, "refusal": "I will not."}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    },),
)  # fmt: skip

Change = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def judge_damaged(
    response: Response, change: Change, *inexpressible: str, refusal: str | None = None
) -> tuple[Verdict, ...]:
    document = write_document(normalise.response(response), {})
    document["parts"] = change(document["parts"])
    document["refusal"] = document["refusal"] if refusal is None else refusal
    return judge(make_evidence(response, Response("outcome", "unary", (document,)), frozenset(inexpressible)))


def complaints(verdicts: tuple[Verdict, ...]) -> set[str]:
    return {verdict.check for verdict in verdicts if verdict.status in ("FAIL", "WARN", "ERROR")}


def losses(verdicts: tuple[Verdict, ...]) -> set[str]:
    return {loss.rule for verdict in verdicts for loss in verdict.losses if loss.rule.startswith("types.")}


def move_call_first(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(parts, key=lambda part: "tool_call" not in part)


def drop_code(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for part in parts if "code" not in part]


def join_texts(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    text = "".join(part.get("text", "") for part in parts)
    return [{"text": text}, *(part for part in parts if "text" not in part)]


def join_texts_with_dashes(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    text = " - ".join(part["text"] for part in parts if "text" in part)
    return [{"text": text}, *(part for part in parts if "text" not in part)]


def add_refusal_text(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*parts, {"text": "I will not."}]


def change_nothing(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return parts


def test_a_lossless_answer_has_no_complaints() -> None:
    assert complaints(judge_damaged(GEMINI, change_nothing)) == set()
    assert complaints(judge_damaged(CHAT, change_nothing)) == set()


@pytest.mark.parametrize(
    ("change", "found", "inexpressible", "remaining"),
    [
        (move_call_first, {"response.order"}, ("order",), set()),
        (drop_code, {"response.code"}, ("code", "order"), set()),
        (join_texts, set(), ("text.segments", "order"), set()),
        (join_texts_with_dashes, {"response.text"}, ("text.segments", "order"), {"response.text"}),
    ],
)
def test_a_loss_is_found_unless_it_is_inexpressible(
    change: Change, found: set[str], inexpressible: tuple[str, ...], remaining: set[str]
) -> None:
    assert complaints(judge_damaged(GEMINI, change)) == found
    declared = judge_damaged(GEMINI, change, *inexpressible)
    assert complaints(declared) == remaining
    assert losses(declared) >= {f"types.{name}" for name in inexpressible if change in (move_call_first, drop_code)} - {
        "types.order"
    }


@pytest.mark.parametrize(
    ("change", "refusal", "found", "remaining"),
    [
        (add_refusal_text, "", {"response.refusal", "response.text"}, set()),
        (change_nothing, "", {"response.refusal"}, {"response.refusal"}),
    ],
)
def test_a_lost_refusal_is_found_unless_it_stands_in_the_text(
    change: Change, refusal: str, found: set[str], remaining: set[str]
) -> None:
    assert complaints(judge_damaged(CHAT, change, refusal=refusal)) == found
    assert complaints(judge_damaged(CHAT, change, "refusal", refusal=refusal)) == remaining


def test_lost_citations_are_always_a_declared_loss() -> None:
    document = write_document(normalise.response(GEMINI), {})
    del document["citations"]
    verdicts = judge(make_evidence(GEMINI, Response("outcome", "unary", (document,))))
    assert complaints(verdicts) == set()
    assert {loss.rule for verdict in verdicts if verdict.check == "response.citations" for loss in verdict.losses} == {
        "gemini.own_types"
    }
