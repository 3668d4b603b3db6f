"""Anthropic answers as the tests write them, and what an official client makes of a stream of events."""

from collections.abc import Iterable
from typing import Any, cast

from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import RawMessageStreamEvent
from pydantic import TypeAdapter

from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream

Json = dict[str, Any]

EVENT: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)


def start(**extra: object) -> Json:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": []}
    usage = {"input_tokens": 10, "output_tokens": 1}
    return {
        "type": "message_start",
        "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage, **extra},
    }


def block(index: int, block_start: Json, *deltas: Json) -> list[Json]:
    """One block from its start to its stop."""
    return [
        {"type": "content_block_start", "index": index, "content_block": block_start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(index: int, *pieces: str) -> list[Json]:
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def thinking(index: int, thought: str, signature: str) -> list[Json]:
    return block(
        index,
        {"type": "thinking", "thinking": "", "signature": ""},
        *([{"type": "thinking_delta", "thinking": thought}] if thought else []),
        *([{"type": "signature_delta", "signature": signature}] if signature else []),
    )


def tool_use(index: int, id: str, name: str, *fragments: str) -> list[Json]:
    return block(
        index,
        {"type": "tool_use", "id": id, "name": name, "input": {}},
        *({"type": "input_json_delta", "partial_json": fragment} for fragment in ("", *fragments)),
    )


def stop(reason: str | None = "end_turn", sequence: str | None = None, **usage: object) -> list[Json]:
    delta = {"stop_reason": reason, "stop_sequence": sequence}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7, **usage}},
        {"type": "message_stop"},
    ]


def message(*content: Json, reason: str | None = "end_turn", **extra: object) -> Json:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": list(content)}
    usage = {"input_tokens": 10, "output_tokens": 7}
    return {**head, "stop_reason": reason, "stop_sequence": None, "usage": usage, **extra}


def to_openai(*events: Json | list[Json], **options: Any) -> list[Json]:
    """The chunks that these events become."""
    return run_stream(AnthropicToOpenAIStream(**options), flatten(events))


def from_openai(*chunks: Json | list[Json], **options: Any) -> list[Json]:
    """The events that these chunks become."""
    return run_stream(OpenAIToAnthropicStream(**options), flatten(chunks))


def flatten(items: Iterable[Json | list[Json]]) -> list[Json]:
    return [entry for item in items for entry in (item if isinstance(item, list) else [item])]


def run_stream(machine: Any, items: Iterable[Json]) -> list[Json]:
    return [event for item in items for event in machine.feed(item)] + cast(list[Json], machine.close())


def accumulate_message(events: Iterable[Json]) -> Json:
    """The message that the anthropic SDK makes of these events; it refuses events out of order."""
    snapshot: Any = None
    buffers: dict[int, bytes] = {}
    for event in events:
        snapshot = accumulate_event(event=EVENT.validate_python(event), current_snapshot=snapshot, json_bufs=buffers)
    return cast(Json, snapshot.to_dict())


def deltas(chunks: Iterable[Json]) -> list[Json]:
    """What the chunks say of the first choice, without those that say nothing."""
    found = (choice["delta"] for chunk in chunks for choice in chunk.get("choices", ()))
    return [delta for delta in found if delta]


def finish(chunks: Iterable[Json]) -> list[str]:
    found = (choice["finish_reason"] for chunk in chunks for choice in chunk.get("choices", ()))
    return [value for value in found if value]
