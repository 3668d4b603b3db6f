"""What documents can say and Chat cannot: order, segments, code, refusals. Lost, it is found; not sayable, declared."""

from collections.abc import Callable
from typing import Any

import pytest

from bridgecheck import normalise
from bridgecheck.checks import judge
from bridgecheck.model.exchange import Response
from bridgecheck.model.verdict import Verdict

from .ideal import document, evidence

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

Damage = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def judged(said: Response, damage: Damage, *unsaid: str, refusal: str | None = None) -> tuple[Verdict, ...]:
    made = document(normalise.response(said), {})
    made["parts"] = damage(made["parts"])
    made["refusal"] = made["refusal"] if refusal is None else refusal
    return judge(evidence(said, Response("outcome", "unary", (made,)), frozenset(unsaid)))


def complaints(verdicts: tuple[Verdict, ...]) -> set[str]:
    return {one.check for one in verdicts if one.status in ("FAIL", "WARN", "ERROR")}


def losses(verdicts: tuple[Verdict, ...]) -> set[str]:
    return {loss.rule for one in verdicts for loss in one.losses if loss.rule.startswith("types.")}


def call_first(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(parts, key=lambda part: "tool_call" not in part)


def code_lost(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for part in parts if "code" not in part]


def one_text(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    words = "".join(part.get("text", "") for part in parts)
    return [{"text": words}, *(part for part in parts if "text" not in part)]


def glued(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    words = " - ".join(part["text"] for part in parts if "text" in part)
    return [{"text": words}, *(part for part in parts if "text" not in part)]


def with_refusal(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*parts, {"text": "I will not."}]


def as_it_is(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return parts


def test_nothing_lost_nothing_said() -> None:
    assert complaints(judged(GEMINI, as_it_is)) == set()
    assert complaints(judged(CHAT, as_it_is)) == set()


@pytest.mark.parametrize(
    ("damage", "found", "unsaid", "left"),
    [
        (call_first, {"response.order"}, ("order",), set()),
        (code_lost, {"response.code"}, ("code", "order"), set()),
        (one_text, set(), ("text.segments", "order"), set()),
        (glued, {"response.text"}, ("text.segments", "order"), {"response.text"}),
    ],
)
def test_what_is_lost(damage: Damage, found: set[str], unsaid: tuple[str, ...], left: set[str]) -> None:
    assert complaints(judged(GEMINI, damage)) == found
    declared = judged(GEMINI, damage, *unsaid)
    assert complaints(declared) == left
    assert losses(declared) >= {f"types.{name}" for name in unsaid if damage in (call_first, code_lost)} - {
        "types.order"
    }


@pytest.mark.parametrize(
    ("damage", "refusal", "found", "left"),
    [
        (with_refusal, "", {"response.refusal", "response.text"}, set()),
        (as_it_is, "", {"response.refusal"}, {"response.refusal"}),
    ],
)
def test_a_refusal(damage: Damage, refusal: str, found: set[str], left: set[str]) -> None:
    assert complaints(judged(CHAT, damage, refusal=refusal)) == found
    assert complaints(judged(CHAT, damage, "refusal", refusal=refusal)) == left


def test_citations_are_a_declared_loss_always() -> None:
    made = document(normalise.response(GEMINI), {})
    del made["citations"]
    verdicts = judge(evidence(GEMINI, Response("outcome", "unary", (made,))))
    assert complaints(verdicts) == set()
    assert {loss.rule for one in verdicts if one.check == "response.citations" for loss in one.losses} == {
        "gemini.own_types"
    }
