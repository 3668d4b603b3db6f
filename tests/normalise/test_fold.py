"""A folded stream is a unary document of its dialect that can be sent back as history."""

from copy import deepcopy
from typing import Any

import pytest
from openai.lib.streaming._deltas import accumulate_delta

from bridgecheck import normalise, validate
from bridgecheck.wire import JsonObject


def test_gemini_merges_plain_text_and_keeps_signed_parts_separate() -> None:
    def event(*parts: JsonObject, **more: object) -> JsonObject:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}]}

    made = normalise.fold(
        "gemini",
        [
            event({"text": "t1", "thought": True}),
            event({"text": "t2", "thought": True}),
            event({"text": "a"}),
            event({"text": "b"}),
            event({"function_call": {"name": "f", "args": {}}, "thoughtSignature": "S"}),
            event({"text": "", "thoughtSignature": "T"}, finishReason="STOP"),
            {"usageMetadata": {"promptTokenCount": 3}, "modelVersion": "m"},
        ],
    )
    assert made == {
        "candidates": [
            {
                "content": {
                    "parts": [
                        {"text": "t1t2", "thought": True},
                        {"text": "ab"},
                        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "S"},
                        {"text": "", "thoughtSignature": "T"},
                    ],
                    "role": "model",
                },
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {"promptTokenCount": 3},
        "modelVersion": "m",
    }
    assert validate.response("gemini", "unary", made) == []


def test_a_chat_stream_folds_to_a_completion() -> None:
    def chunk(finish: object = None, **delta: object) -> JsonObject:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return {"id": "i", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}

    call = {"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": ""}}
    made = normalise.fold(
        "openai-chat",
        [
            chunk(role="assistant", content=None),
            chunk(tool_calls=[call]),
            chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"a": '}}]),
            chunk("tool_calls", tool_calls=[{"index": 0, "function": {"arguments": "1}"}}]),
            {
                **chunk(),
                "id": "later",
                "choices": [],
                "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
            },
        ],
    )
    assert made["id"] == "i"
    assert made["choices"] == [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
            },
            "finish_reason": "tool_calls",
        }
    ]
    assert validate.response("openai-chat", "unary", made) == []


def test_an_anthropic_stream_folds_to_a_message() -> None:
    message = {
        "id": "i", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 1},
    }  # fmt: skip
    made = normalise.fold(
        "anthropic",
        [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
            {"type": "message_stop"},
        ],
    )
    assert made == {
        **message,
        "content": [{"type": "text", "text": "Hi"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    assert message["content"] == [], "the events are not touched"
    assert validate.response("anthropic", "unary", made) == []


def test_an_empty_stream_folds() -> None:
    assert normalise.fold("gemini", []) == normalise.fold("openai-chat", []) == normalise.fold("anthropic", []) == {}


def test_lists_of_hosts_grow_from_delta_to_delta_and_may_be_repeated() -> None:
    """A list that begins with the one before it is that list again; any other is what comes next."""
    pieces = ([{"thinking": "a"}], [{"thinking": "b"}], [{"thinking": "a"}, {"thinking": "b"}, {"thinking": "c"}])
    events = [
        {"choices": [{"index": 0, "delta": {"host": {"blocks": blocks}}, "finish_reason": None}]} for blocks in pieces
    ]
    (choice,) = normalise.fold("openai-chat", events)["choices"]
    assert choice["message"]["host"] == {"blocks": [{"thinking": "a"}, {"thinking": "b"}, {"thinking": "c"}]}


def fold_chat_deltas(*lists: list[JsonObject]) -> Any:
    """Return the message that these lists in the deltas give, which is that of the SDK."""
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": {"blocks": blocks}}]} for blocks in lists]
    folded: Any = normalise.fold("openai-chat", chunks)
    message = folded["choices"][0]["message"]
    accumulated: dict[Any, Any] = {}
    for chunk in deepcopy(chunks):
        accumulated = accumulate_delta(accumulated, chunk["choices"][0]["delta"])
    assert message["blocks"] == accumulated["blocks"]
    return message


@pytest.mark.parametrize("together", [True, False])
def test_entries_of_unknown_lists_are_merged_by_their_index_as_the_sdk_does(together: bool) -> None:
    texts = (("The ", 0), ("spire.", 0), ("Mill.", 1))
    pieces: list[JsonObject] = [{"type": "thinking", "text": text, "index": index} for text, index in texts]
    pieces.insert(2, {"type": "thinking", "text": "", "signature": "U0lH", "index": 0})
    message = fold_chat_deltas(pieces) if together else fold_chat_deltas(*([piece] for piece in pieces))
    first = {"type": "thinking", "text": "The spire.", "index": 0, "signature": "U0lH"}
    assert message["blocks"] == [first, {"type": "thinking", "text": "Mill.", "index": 1}]


def test_entries_under_a_wrong_index_or_none_are_not_put_right() -> None:
    wrong = fold_chat_deltas([{"text": "The spire.", "index": 0}], [{"text": "Mill.", "index": 0}])
    assert wrong["blocks"] == [{"text": "The spire.Mill.", "index": 0}]
    chunks: list[Any] = [
        {"choices": [{"index": 0, "delta": {"blocks": [{"text": text}]}}]} for text in ("The ", "spire.")
    ]
    folded: Any = normalise.fold("openai-chat", chunks)
    assert folded["choices"][0]["message"]["blocks"] == [{"text": "The "}, {"text": "spire."}]
