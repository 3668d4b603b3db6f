"""What a scripted model says, once, and how each provider would put it on the wire.

Nothing of the gateway is used here: these documents are written by hand from the API references.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from bridgecheck.codec import sse
from bridgecheck.upstream.script import Answer
from bridgecheck.wire import Dialect, JsonObject, Mode

MODEL: Final = "scripted-model"
THOUGHT_SIGNATURE: Final = "c2lnbmF0dXJlLW9uZQ=="


@dataclass(frozen=True)
class Call:
    """``id`` is used by every dialect, Gemini's too."""

    name: str
    args: JsonObject
    id: str


@dataclass(frozen=True)
class Says:
    """One turn of the model. ``stop``: OpenAI's word for the end, "" for a stream that breaks off before one."""

    text: str = ""
    thinks: str = ""
    calls: tuple[Call, ...] = ()
    stop: str = ""
    prompt: int = 11
    completion: int = 7

    @property
    def finish(self) -> str:
        return self.stop or ("tool_calls" if self.calls else "stop")


@dataclass(frozen=True)
class Fails:
    """A refusal in the provider's own envelope. ``wait``: seconds of its Retry-After header, None for no header."""

    status: int
    message: str
    wait: int | None = None


Cut: TypeAlias = Callable[[str], list[str]]
"""How a text is cut for a stream: pieces, none of them empty, that join to it."""


def unary(dialect: Dialect, said: Says) -> JsonObject:
    """The one document of a unary answer."""
    return _UNARY[dialect](said)


def events(dialect: Dialect, said: Says, cut: "Cut | None" = None) -> list[JsonObject]:
    """The events of a stream, its texts and arguments cut in halves or as told."""
    return _EVENTS[dialect](said, cut or halves)


def answer(dialect: Dialect, said: "Says | Fails", mode: Mode, *, cut: bool = False) -> Answer:
    """``cut``: the connection closes before the last event, where finish and usage stand."""
    if isinstance(said, Fails):
        waits = () if said.wait is None else (("retry-after", str(said.wait)),)
        return Answer(said.status, (("content-type", "application/json"), *waits), (_json(_ERRORS[dialect](said)),))
    if mode == "unary":
        return Answer(200, (("content-type", "application/json"),), (_json(unary(dialect, said)),))
    writes = [sse.frame(dialect, event) for event in events(dialect, said)]
    if cut:
        return Answer(200, (("content-type", "text/event-stream"),), tuple(writes[: -_TAIL[dialect]]), "cut")
    if sse.terminator(dialect):
        writes.append(sse.terminator(dialect))
    return Answer(200, (("content-type", "text/event-stream"),), tuple(writes))


def _json(document: JsonObject) -> bytes:
    return json.dumps(document).encode()


_TAIL: Final[dict[Dialect, int]] = {"gemini": 1, "openai-chat": 2, "anthropic": 2}
"""How many events at the end say finish and usage."""


def halves(text: str) -> list[str]:
    """In two, so that a client has something to join."""
    middle = (len(text) + 1) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


# Gemini. Source: https://ai.google.dev/api/generate-content

_GEMINI_FINISH: Final = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}


def _gemini_calls(said: Says) -> list[JsonObject]:
    parts: list[JsonObject] = [
        {"functionCall": {"name": call.name, "args": call.args, "id": call.id}} for call in said.calls
    ]
    if parts:
        parts[0]["thoughtSignature"] = THOUGHT_SIGNATURE
    return parts


def _gemini_document(parts: list[JsonObject], said: Says, *, last: bool) -> JsonObject:
    candidate: JsonObject = {"content": {"role": "model", "parts": parts}, "index": 0}
    document: JsonObject = {"candidates": [candidate], "modelVersion": MODEL, "responseId": "resp-1"}
    if last:
        candidate["finishReason"] = _GEMINI_FINISH[said.finish]
        thoughts = 3 if said.thinks else 0
        document["usageMetadata"] = {
            "promptTokenCount": said.prompt,
            "candidatesTokenCount": said.completion - thoughts,
            "totalTokenCount": said.prompt + said.completion,
            **({"thoughtsTokenCount": thoughts} if thoughts else {}),
        }
    return document


def _gemini_unary(said: Says) -> JsonObject:
    parts: list[JsonObject] = [{"text": said.thinks, "thought": True}] if said.thinks else []
    parts += [{"text": said.text}] if said.text else []
    return _gemini_document(parts + _gemini_calls(said), said, last=True)


def _gemini_events(said: Says, cut: Cut) -> list[JsonObject]:
    events = [_gemini_document([{"text": said.thinks, "thought": True}], said, last=False)] if said.thinks else []
    events += [_gemini_document([{"text": piece}], said, last=False) for piece in cut(said.text)]
    return [*events, _gemini_document(_gemini_calls(said) or [{"text": ""}], said, last=True)]


def _gemini_error(said: Fails) -> JsonObject:
    words = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
    return {"error": {"code": said.status, "message": said.message, "status": words[said.status]}}


# OpenAI Chat. Source: https://platform.openai.com/docs/api-reference/chat


def _openai_usage(said: Says) -> JsonObject:
    usage: JsonObject = {
        "prompt_tokens": said.prompt,
        "completion_tokens": said.completion,
        "total_tokens": said.prompt + said.completion,
    }
    if said.thinks:
        usage["completion_tokens_details"] = {"reasoning_tokens": 3}
    return usage


def _openai_unary(said: Says) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": said.text or None}
    if said.thinks:
        message["reasoning_content"] = said.thinks
    if said.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.args)}}
            for call in said.calls
        ]
    choice: JsonObject = {"index": 0, "message": message, "finish_reason": said.finish, "logprobs": None}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": MODEL, "choices": [choice],
        "usage": _openai_usage(said),
    }  # fmt: skip


def _openai_chunk(delta: JsonObject, finish: str | None = None) -> JsonObject:
    choice: JsonObject = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": MODEL,
        "choices": [choice],
    }  # fmt: skip


def _openai_events(said: Says, cut: Cut) -> list[JsonObject]:
    deltas: list[JsonObject] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": said.thinks}] if said.thinks else []
    deltas += [{"content": piece} for piece in cut(said.text)]
    for index, call in enumerate(said.calls):
        opening = {"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        deltas.append({"tool_calls": [opening]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in cut(json.dumps(call.args))
        ]
    usage = {**_openai_chunk({}), "choices": [], "usage": _openai_usage(said)}
    return [*map(_openai_chunk, deltas), _openai_chunk({}, said.finish), usage]


def _openai_error(said: Fails) -> JsonObject:
    kinds = {400: "invalid_request_error", 404: "invalid_request_error", 429: "requests", 503: "server_error"}
    return {"error": {"message": said.message, "type": kinds[said.status], "param": None, "code": None}}


# Anthropic. Source: https://docs.anthropic.com/en/api/messages

_ANTHROPIC_STOP: Final = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}


def _anthropic_blocks(said: Says) -> list[JsonObject]:
    blocks: list[JsonObject] = []
    if said.thinks:
        blocks.append({"type": "thinking", "thinking": said.thinks, "signature": THOUGHT_SIGNATURE})
    if said.text:
        blocks.append({"type": "text", "text": said.text})
    blocks += [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.args} for call in said.calls]
    return blocks


def _anthropic_message(blocks: list[JsonObject], stop: str | None, usage: JsonObject) -> JsonObject:
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": blocks, "stop_reason": stop,
        "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _anthropic_unary(said: Says) -> JsonObject:
    usage: JsonObject = {"input_tokens": said.prompt, "output_tokens": said.completion}
    return _anthropic_message(_anthropic_blocks(said), _ANTHROPIC_STOP[said.finish], usage)


def _anthropic_deltas(block: JsonObject, cut: Cut) -> tuple[JsonObject, list[JsonObject]]:
    """A block as it starts, and what is then added to it."""
    if block["type"] == "text":
        return {"type": "text", "text": ""}, [
            {"type": "text_delta", "text": piece} for piece in cut(str(block["text"]))
        ]
    if block["type"] == "thinking":
        thinking: JsonObject = {"type": "thinking_delta", "thinking": block["thinking"]}
        return {**block, "thinking": "", "signature": ""}, [
            thinking, {"type": "signature_delta", "signature": block["signature"]},
        ]  # fmt: skip
    written = json.dumps(block["input"])
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in cut(written)]


def _anthropic_events(said: Says, cut: Cut) -> list[JsonObject]:
    usage: JsonObject = {"input_tokens": said.prompt, "output_tokens": 1}
    events: list[JsonObject] = [
        {"type": "message_start", "message": _anthropic_message([], None, usage)},
        {"type": "ping"},
    ]
    for index, block in enumerate(_anthropic_blocks(said)):
        start, deltas = _anthropic_deltas(block, cut)
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    ended: JsonObject = {"stop_reason": _ANTHROPIC_STOP[said.finish], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": said.completion}})
    return [*events, {"type": "message_stop"}]


def _anthropic_error(said: Fails) -> JsonObject:
    kinds = {400: "invalid_request_error", 404: "not_found_error", 429: "rate_limit_error", 503: "overloaded_error"}
    return {"type": "error", "error": {"type": kinds[said.status], "message": said.message}}


_UNARY: Final = {"gemini": _gemini_unary, "openai-chat": _openai_unary, "anthropic": _anthropic_unary}
_EVENTS: Final = {"gemini": _gemini_events, "openai-chat": _openai_events, "anthropic": _anthropic_events}
_ERRORS: Final = {"gemini": _gemini_error, "openai-chat": _openai_error, "anthropic": _anthropic_error}
