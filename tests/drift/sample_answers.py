"""Answers of the three providers as they are, and changes to them."""

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.codec import sse
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.wire import Dialect, Mode
from bridgecheck.wire.facts import RECORDS

Document = Any
Documents = list[Any]

_CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}
_USAGE = {
    "prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21,
    "prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": 4},
}  # fmt: skip


def _chunk(choices: Documents, **more: Document) -> Document:
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "gpt-4o-2024-08-06"}
    return {**base, "system_fingerprint": "fp_1", "choices": choices, **more}


def _delta(**delta: Document) -> Documents:
    return [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]


ANSWERS: dict[str, Documents] = {
    "openai-chat.unary": [{
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "logprobs": None, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": "Let me look.", "refusal": None, "annotations": [], "tool_calls": [_CALL]}}],
        "usage": _USAGE, "service_tier": "default", "system_fingerprint": "fp_1",
    }],
    "openai-chat.stream": [
        _chunk(_delta(role="assistant", content="", refusal=None), usage=None), _chunk(_delta(content="Hi"), usage=None),
        _chunk(_delta(content=" there"), usage=None),
        _chunk([{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}], usage=None),
        _chunk([], usage=_USAGE),
    ],
    "anthropic.unary": [{
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
        "stop_sequence": None, "content": [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                                           {"type": "text", "text": "Hi."}],
        "usage": {"input_tokens": 9, "output_tokens": 3, "service_tier": "standard"},
    }],
    "anthropic.stream": [
        {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": " there"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
         "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ],
    "gemini.unary": [{
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5,
                          "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 3}]},
        "modelVersion": "gemini-2.5-flash", "responseId": "abc",
    }],
    "gemini.stream": [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0, **end}],
         "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 5}, "modelVersion": "gemini-2.5-flash",
         "responseId": "abc"}
        for text, end in (("Hi", {}), (" there", {"finishReason": "STOP"}))
    ],
}  # fmt: skip
ERRORS: dict[str, Document] = {
    "openai-chat": {"error": {"message": "Bad.", "type": "invalid_request_error", "param": None, "code": "bad_value"}},
    "anthropic": {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "Bad."},
        "request_id": "req_1",
    },
    "gemini": {"error": {"code": 400, "message": "Bad.", "status": "INVALID_ARGUMENT"}},
}


def record(
    case: str, documents: Documents | None = None, *, status: int = 200, change: Callable[[bytes], bytes] | None = None,
    headers: tuple[tuple[str, str], ...] = (), prompt: str = "Hello",
) -> RecordedInteraction:  # fmt: skip
    """Return an interaction of ``DIALECT.MODE``. ``change``: of the bytes of its body."""
    name, _, mode_name = case.partition(".")
    dialect: Dialect = name  # type: ignore[assignment]
    mode: Mode = mode_name  # type: ignore[assignment]
    facts = RECORDS[dialect]
    held = ANSWERS[case] if documents is None else documents
    is_stream = mode == "stream" and status < 400
    body = b"".join(sse.frame_event(dialect, document) for document in held) + sse.terminator(dialect)
    if not is_stream:
        body = json.dumps(held[0]).encode()
    sent = facts.body_in_mode(facts.body_with_model({**facts.smallest_request, "note": prompt}, "m"), mode)
    request = HttpRequest(
        "POST", facts.full_path_template(mode).format(model="m"), (("content-type", "application/json"),),
        json.dumps({**sent, **facts.usage_members} if mode == "stream" and dialect == "openai-chat" else sent).encode(),
    )  # fmt: skip
    media = "text/event-stream" if is_stream else "application/json"
    body = change(body) if change else body
    return RecordedInteraction(request, status, headers or (("content-type", media),), (body,), origin=facts.base_url)


def edit_answer(case: str, edit: Callable[[Documents], object]) -> RecordedInteraction:
    """Return an interaction whose documents ``edit`` has changed in place, or replaced by what it returns."""
    documents = copy.deepcopy(ANSWERS[case])
    result = edit(documents)
    return record(case, result if isinstance(result, list) and result and isinstance(result[0], dict) else documents)


def rename(old: str, new: str) -> Callable[[Documents], Documents]:
    """Rename a member wherever it stands."""
    return lambda documents: json.loads(json.dumps(documents).replace(f'"{old}":', f'"{new}":'))


def without(*names: str) -> Callable[[Documents], Documents]:
    """Take members out wherever they stand."""

    def strip(value: Document) -> Document:
        if isinstance(value, dict):
            return {key: strip(member) for key, member in value.items() if key not in names}
        return [strip(item) for item in value] if isinstance(value, list) else value

    return lambda documents: strip(documents)


def repeat(case: str, count: int, edit: Callable[[Documents], object] | None = None) -> Sequence[RecordedInteraction]:
    """Return several answers to different prompts."""
    changed = [edit_answer(case, edit) if edit else record(case) for _ in range(count)]
    return [
        replace(item, request=record(case, prompt=f"prompt {number}").request) for number, item in enumerate(changed)
    ]
