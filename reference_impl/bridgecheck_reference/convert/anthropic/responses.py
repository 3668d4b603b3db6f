"""Unary responses: each is the stream converter with one event, whose output is folded into one document."""

from dataclasses import dataclass, field
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.anthropic.errors import (
    anthropic_error_to_openai,
    create_anthropic_error,
    openai_error_to_anthropic,
)
from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
from bridgecheck_reference.convert.anthropic.stream_to_openai import (
    AnthropicToOpenAIStream,
    message_to_start_event_with_content,
)
from bridgecheck_reference.convert.arguments import parse_arguments
from bridgecheck_reference.convert.chat_messages import failure_with_partial_text, is_usual_order
from bridgecheck_reference.convert.errors import BAD_GATEWAY
from bridgecheck_reference.convert.json_values import anthropic_extra, arr, obj, objs, text
from bridgecheck_reference.types.conversion import ConversionResult


@dataclass(slots=True)
class _FoldedMessage:
    """A message while its deltas come in, and the order of its content (``types/openai_ir``)."""

    content: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    details: list[JsonObject] = field(default_factory=list)
    calls: list[tuple[JsonObject, list[str]]] = field(default_factory=list)
    annotations: list[JsonObject] = field(default_factory=list)
    order: list[JsonObject] = field(default_factory=list)

    def add(self, delta: JsonObject) -> None:
        mark = anthropic_extra(delta)
        if "start" in mark:
            self._add_carried_block_to_order(obj(mark["start"]))
        if content := text(delta.get("content")):
            self.content.append(content)
            self._add_text_to_order(len(content))
        if thought := text(delta.get("reasoning_content")):
            self.reasoning.append(thought)
        for detail in objs(delta.get("reasoning_details")):
            self.details.append(detail)
            self._add_or_confirm_order_entry("reasoning")
        for call in objs(delta.get("tool_calls")):
            self._begin_call_if_id_else_continue_last(call)
        self.annotations += objs(delta.get("annotations"))

    def _add_carried_block_to_order(self, block: JsonObject) -> None:
        """Add a block of a carried document: its position, and its further leaves."""
        kind = _ORDER_KIND_OF_BLOCK.get(text(block.get("type")))
        rest = {key: value for key, value in block.items() if key != "type"}
        entry: JsonObject = {"block": block} if kind is None else {kind: 0 if kind == "text" else False}
        self.order.append({**entry, "rest": rest} if kind and rest else entry)

    def _add_text_to_order(self, length: int) -> None:
        last = self.order[-1] if self.order else {}
        if "text" in last:
            last["text"] = int(str(last["text"])) + length
        else:
            self.order.append({"text": length})

    def _add_or_confirm_order_entry(self, kind: str) -> None:
        """Add a reasoning or call to the order, unless its block already is there."""
        if self.order and self.order[-1].get(kind) is False:
            self.order[-1][kind] = True
        else:
            self.order.append({kind: True})

    def _begin_call_if_id_else_continue_last(self, call: JsonObject) -> None:
        """Begin a call with the fragment that has its id; the other fragments continue the last one."""
        function = obj(call.get("function"))
        if "id" in call:
            made = {key: value for key, value in call.items() if key != "index"}
            self.calls.append((made, []))
            self._add_or_confirm_order_entry("call")
        self.calls[-1][1].append(text(function.get("arguments")))

    def build_message(self, *, ordered: bool) -> JsonObject:
        content = "".join(self.content)
        message: JsonObject = {"role": "assistant", "content": None if self.calls and not content else content}
        if self.reasoning:
            message["reasoning_content"] = "".join(self.reasoning)
        if self.details:
            message["reasoning_details"] = self.details
        if self.calls:
            message["tool_calls"] = [_join_openai_call_arguments(call, pieces) for call, pieces in self.calls]
        if self.annotations:
            message["annotations"] = self.annotations
        if ordered and not is_usual_order(self.order):
            message["extra_content"] = {"order": self.order}
        return message


_ORDER_KIND_OF_BLOCK: Final[dict[str, str]] = {
    "text": "text",
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "tool_use": "call",
}
"""Kind of block -> its key in the order."""


def fold_chunks(chunks: list[JsonObject], *, ordered: bool) -> JsonObject:
    """Fold the chunks into one document. ``ordered``: include the order of the blocks where it is not the usual one."""
    document: JsonObject = {**chunks[0], "object": "chat.completion"}
    message = _FoldedMessage()
    last: JsonObject = {}
    for chunk in chunks:
        for choice in objs(chunk["choices"]):
            message.add(obj(choice["delta"]))
            last = choice
        for key in ("usage", "extra_content"):
            if key in chunk:
                document[key] = chunk[key]
    rest = {key: value for key, value in last.items() if key != "delta"}
    document["choices"] = [{**rest, "message": message.build_message(ordered=ordered)}]
    return document


def _join_openai_call_arguments(call: JsonObject, pieces: list[str]) -> JsonObject:
    return {**call, "function": {"name": obj(call["function"])["name"], "arguments": "".join(pieces)}}


_FIELD_OF_DELTA: Final[dict[str, str]] = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
}
"""Kind of delta -> the field whose text it continues."""


def fold_events(events: list[JsonObject], *, keep_cut_calls: bool = False) -> JsonObject:
    """Fold the events into one message; {} for no events.

    A call whose arguments were cut off is dropped: half of one must not be run. ``keep_cut_calls``: it is kept, with
    the text of its arguments.
    """
    message: JsonObject = {}
    blocks: dict[object, JsonObject] = {}
    pieces: dict[object, dict[str, list[str]]] = {}
    for event in events:
        kind = event["type"]
        if kind == "message_start":
            message = dict(obj(event["message"]))
        elif kind == "content_block_start":
            blocks[event["index"]] = dict(obj(event["content_block"]))
        elif kind == "content_block_delta":
            _add_block_delta(blocks[event["index"]], pieces.setdefault(event["index"], {}), obj(event["delta"]))
        elif kind == "message_delta":
            rest = {key: value for key, value in event.items() if key not in ("type", "delta", "usage")}
            usage = {**obj(message.get("usage")), **obj(event["usage"])}
            message = {**message, **obj(event["delta"]), **rest, "usage": usage}
    if message:
        joined = (_join_block(block, pieces.get(index, {}), keep_cut_calls) for index, block in blocks.items())
        message["content"] = [block for block in joined if block is not None]
    return message


def _add_block_delta(block: JsonObject, pieces: dict[str, list[str]], delta: JsonObject) -> None:
    kind = text(delta.get("type"))
    if kind == "input_json_delta":
        pieces.setdefault("input", []).append(text(delta.get("partial_json")))
    elif kind in _FIELD_OF_DELTA:
        pieces.setdefault(_FIELD_OF_DELTA[kind], []).append(text(delta.get(_FIELD_OF_DELTA[kind])))
    else:
        block.update((key, value) for key, value in delta.items() if key != "type")


def _join_block(block: JsonObject, pieces: dict[str, list[str]], keep_cut: bool) -> JsonObject | None:
    """Return a block with its pieces; None for a call that was cut off."""
    for name, strings in pieces.items():
        if name != "input":
            block[name] = text(block.get(name)) + "".join(strings)
    if block.get("type") == "thinking" and not block.get("signature"):
        block["signature"] = ""
    if "input" in pieces:
        raw = "".join(pieces["input"])
        parsed = parse_arguments(raw)
        if parsed is None and not keep_cut:
            return None
        block["input"] = raw if parsed is None else parsed
    return block


def anthropic_response_to_openai(
    response: JsonObject,
    *,
    model: str | None = None,
    request: JsonObject | None = None,
    profile: Profile = NATIVE,
) -> ConversionResult:
    """Convert a unary response.

    ``model``: used where the response names none. ``request``: the client's OpenAI request, if at hand.
    ``meta["status"]`` is 200, or that of the error document which the value then is: an error response, a response
    without a stop reason, none at all (502).
    """
    if response.get("type") == "error" or response.get("error"):
        status, document = anthropic_error_to_openai(response, 200)
        return ConversionResult(document, (), {"status": status})
    stream = AnthropicToOpenAIStream(model=model, profile=profile, request=request, whole=True)
    events = stream.feed(message_to_start_event_with_content(response)) + stream.close()
    losses = tuple(stream.losses)
    if stream.failed:
        return ConversionResult(failure_with_partial_text(events), losses, {"status": BAD_GATEWAY})
    return ConversionResult(
        fold_chunks(events, ordered=profile.extended or profile.carries_anthropic), losses, {"status": 200}
    )


def openai_response_to_anthropic(
    response: JsonObject,
    *,
    model: str | None = None,
    request: JsonObject | None = None,
    profile: Profile = NATIVE,
) -> ConversionResult:
    """Convert a unary response.

    ``model``: used where the response names none. ``request``: the client's Anthropic request, if at hand.
    ``meta["status"]`` is 200, or that of the error document which the value then is: an error response, a response
    without any choice or without a finish reason, a call whose arguments are no JSON object (502).
    """
    if response.get("error"):
        status, document = openai_error_to_anthropic(response, 200)
        return ConversionResult(document, (), {"status": status})
    if not arr(response.get("choices")):
        return ConversionResult(
            create_anthropic_error("upstream answered without choices"), (), {"status": BAD_GATEWAY}
        )
    stream = OpenAIToAnthropicStream(model=model, profile=profile, request=request, whole=True)
    events = stream.feed(response) + stream.close()
    if stream.failed:
        return ConversionResult(_failure_with_partial_text(events), tuple(stream.losses), {"status": BAD_GATEWAY})
    value = fold_events(events, keep_cut_calls=profile.carries_anthropic)
    return ConversionResult(value, tuple(stream.losses), {"status": 200})


def _failure_with_partial_text(events: list[JsonObject]) -> JsonObject:
    """Return the error event, with the text that came before it."""
    error = events[-1]
    partial_text = "".join(
        text(block.get("text")) for block in arr(fold_events(events[:-1]).get("content")) if isinstance(block, dict)
    )
    if partial_text and isinstance(error["error"], dict):
        error["error"]["partial_text"] = partial_text
    return error
