"""Answers of one dialect converted into the other, as the few fields that tests compare."""

from collections.abc import Iterable
from typing import Any, cast

import pytest

from bridgecheck import normalise
from bridgecheck.model.exchange import Response
from bridgecheck.model.outcome import Outcome, Usage
from bridgecheck.wire import Dialect, Mode
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai, openai_response_to_gemini
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream

from .samples import Json


def case(proposal: str, *values: object) -> Any:
    """Return one row of a table of tests, marked with its proposal."""
    return pytest.param(*values, id=proposal, marks=pytest.mark.proposal(proposal))


def chunks_of(*events: Json, **options: Any) -> list[Json]:
    """The chunks that a stream of these Gemini events becomes."""
    stream = GeminiToOpenAIStream(**options)
    return [chunk for event in events for chunk in stream.feed(event)] + stream.close()


def events_of(*chunks: Json, **options: Any) -> list[Json]:
    """The Gemini events that a stream of these chunks becomes."""
    stream = OpenAIToGeminiStream(**options)
    return [event for chunk in chunks for event in stream.feed(chunk)] + stream.close()


def completion_of(response: Json, **options: Any) -> Json:
    """The chat completion (or error) that a whole Gemini answer becomes."""
    return cast(Json, gemini_response_to_openai(response, **options).value)


def answer_of(completion: Json, **options: Any) -> Json:
    """The Gemini answer (or error) that a whole chat completion becomes."""
    return cast(Json, openai_response_to_gemini(completion, **options).value)


def outcome_of_chunks(*events: Json, **options: Any) -> Json:
    return read_outcome("openai-chat", "stream", chunks_of(*events, **options))


def outcome_of_events(*chunks: Json, **options: Any) -> Json:
    return read_outcome("gemini", "stream", events_of(*chunks, **options))


def outcome_of_completion(response: Json, **options: Any) -> Json:
    return read_outcome("openai-chat", "unary", [completion_of(response, **options)])


def outcome_of_answer(completion: Json, **options: Any) -> Json:
    return read_outcome("gemini", "unary", [answer_of(completion, **options)])


def read_outcome(dialect: Dialect, mode: Mode, documents: Iterable[object]) -> Json:
    """Return the fields of an answer of one choice, as its client reads them. ``finish`` is its class, never promoted."""
    content = normalise.response(Response(dialect, mode, tuple(documents)))
    first = content.first
    return {
        "choices": len(content.choices),
        "text": first.joined_text,
        "reasoning": "".join(first.reasoning),
        "calls": [[call.name, call.args] for call in first.tool_calls],
        "ids_differ": len({call.id for call in first.tool_calls} - {""}) == len(first.tool_calls),
        "finish": first.finish.kind,
        "native": first.finish.native,
        "usage": _counts(content.usage),
        "media": [item.mime for item in first.media],
        "error": content.error.kind if content.error else None,
        "status": content.error.status if content.error else None,
        "other": dict(content.other),
        **_signatures(content),
    }


def select_fields(answer: Json, expected: Json) -> Json:
    """Return the fields of an answer that a test expects something of."""
    return {key: answer[key] for key in expected}


def _counts(usage: Usage | None) -> tuple[int | None, ...] | None:
    """(prompt, completion, total), with (reasoning, cached) behind where either is given."""
    if usage is None:
        return None
    details = (usage.reasoning, usage.cached)
    return (usage.prompt, usage.completion, usage.total, *(details if any(details) else ()))


def _signatures(outcome: Outcome) -> Json:
    return {
        "signatures": dict(outcome.first.signatures),
        "signed_calls": [call.signature for call in outcome.first.tool_calls],
        "call_ids": [call.id for call in outcome.first.tool_calls],
    }
