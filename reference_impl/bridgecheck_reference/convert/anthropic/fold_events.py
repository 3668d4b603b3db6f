"""The events of one whole Anthropic answer as one message."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.arguments import parse_arguments
from bridgecheck_reference.convert.read import obj, text

_FIELD: Final[dict[str, str]] = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
"""Kind of delta -> the field whose text it goes on with."""


def fold(events: list[JsonObject], *, carried: bool = False) -> JsonObject:
    """The message; {} for no events. A call whose arguments were cut off is left out: half of one must not be run.
    ``carried``: it is told as Anthropic told it, with the text of its arguments.
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
            _add(blocks[event["index"]], pieces.setdefault(event["index"], {}), obj(event["delta"]))
        elif kind == "message_delta":
            rest = {key: value for key, value in event.items() if key not in ("type", "delta", "usage")}
            usage = {**obj(message.get("usage")), **obj(event["usage"])}
            message = {**message, **obj(event["delta"]), **rest, "usage": usage}
    if message:
        whole = (_joined(block, pieces.get(index, {}), carried) for index, block in blocks.items())
        message["content"] = [block for block in whole if block is not None]
    return message


def _add(block: JsonObject, pieces: dict[str, list[str]], delta: JsonObject) -> None:
    kind = text(delta.get("type"))
    if kind == "input_json_delta":
        pieces.setdefault("input", []).append(text(delta.get("partial_json")))
    elif kind in _FIELD:
        pieces.setdefault(_FIELD[kind], []).append(text(delta.get(_FIELD[kind])))
    else:
        block.update((key, value) for key, value in delta.items() if key != "type")


def _joined(block: JsonObject, pieces: dict[str, list[str]], carried: bool) -> JsonObject | None:
    """A block with its pieces; None for a call that was cut off."""
    for name, said in pieces.items():
        if name != "input":
            block[name] = text(block.get(name)) + "".join(said)
    if block.get("type") == "thinking" and not block.get("signature"):
        block["signature"] = ""
    if "input" in pieces:
        raw = "".join(pieces["input"])
        parsed = parse_arguments(raw)
        if parsed is None and not carried:
            return None
        block["input"] = raw if parsed is None else parsed
    return block
