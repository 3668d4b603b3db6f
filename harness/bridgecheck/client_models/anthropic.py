"""Clients that speak Anthropic Messages: the SDK with its tool runner, its quick start, and Claude Code.

Read in anthropic 2.11.0 (``lib/streaming/_messages.py``, ``lib/tools/_beta_runner.py``), 2026-11-23; Claude Code 2.1
measured, 2026-11-22, with https://github.com/anthropics/claude-code/issues/40326 for the cause."""

from bridgecheck.client_models.model import Remembered, events_of
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import arr, integer, obj, objs, parse_json, text
from bridgecheck.wire import JsonObject


class ClientRaises(Exception):
    """The client raises while it reads the stream."""


def read_blocks(response: Response) -> list[JsonObject]:
    """Return the content of the answer, as the SDK puts it together. Raises ClientRaises where the SDK raises."""
    if response.mode != "stream":
        return list(objs(next(iter(events_of(response)), {}).get("content")))
    blocks: list[JsonObject] = []
    inputs: dict[int, str] = {}
    for event in events_of(response):
        if event.get("type") == "content_block_start":
            blocks.append(dict(obj(event.get("content_block"))))
        if event.get("type") != "content_block_delta":
            continue
        index = integer(event.get("index"))
        if index is None or not 0 <= index < len(blocks):
            raise ClientRaises(f"there is no block {event.get('index')}")
        _add_delta(blocks[index], obj(event.get("delta")), inputs, index)
    for index, written in inputs.items():
        try:
            blocks[index]["input"] = parse_json(written)
        except ValueError:
            raise ClientRaises(f"the input of block {index} is no JSON") from None
    return blocks


def _add_delta(block: JsonObject, delta: JsonObject, inputs: dict[int, str], index: int) -> None:
    kind = (block.get("type"), delta.get("type"))
    if kind == ("text", "text_delta"):
        block["text"] = text(block.get("text")) + text(delta.get("text"))
    elif kind == ("thinking", "thinking_delta"):
        block["thinking"] = text(block.get("thinking")) + text(delta.get("thinking"))
    elif kind == ("thinking", "signature_delta"):
        block["signature"] = delta.get("signature")
    elif kind == ("text", "citations_delta"):
        block["citations"] = [*arr(block.get("citations")), delta.get("citation")]
    elif kind in (("tool_use", "input_json_delta"), ("server_tool_use", "input_json_delta")):
        piece = text(delta.get("partial_json"))
        if piece or index in inputs:
            inputs[index] = inputs.get(index, "") + piece


def remember_blocks(response: Response) -> Remembered:
    """Keep the content as it was received."""
    try:
        blocks = read_blocks(response)
    except ClientRaises as error:
        return Remembered(reason=f"the client raises: {error}")
    if not blocks:
        return Remembered(reason="it has no content")
    return Remembered(({"role": "assistant", "content": blocks},))


def blocks_or_none(response: Response) -> list[JsonObject]:
    """Return the content of the answer, [] where the SDK raises."""
    try:
        return read_blocks(response)
    except ClientRaises:
        return []


def show_text_blocks(response: Response) -> str:
    """Return the texts of all blocks, as ``stream.text_stream`` gives them."""
    return "".join(text(block.get("text")) for block in blocks_or_none(response) if block.get("type") == "text")


def show_first_block(response: Response) -> str:
    """Return ``message.content[0].text``."""
    first = next(iter(blocks_or_none(response)), {})
    return text(first.get("text")) if first.get("type") == "text" else ""


def show_last_block(response: Response) -> str:
    """Return the text of the last block: every block is a message of its own, and the last one is printed."""
    last = next(iter(blocks_or_none(response)[::-1]), {})
    return text(last.get("text")) if last.get("type") == "text" else ""
