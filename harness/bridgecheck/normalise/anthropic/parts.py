"""Content blocks of an Anthropic request -> parts in order.

Source: https://docs.anthropic.com/en/api/messages#body-messages-content."""

import json
from collections.abc import Callable
from typing import Final

from bridgecheck.model.jsonvalue import canonical, obj, objs, text
from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import CallPart, MediaPart, OtherPart, Part, ReasoningPart, ResultPart, TextPart
from bridgecheck.normalise import media
from bridgecheck.normalise.tree import Fields, decode_arguments


def read_parts(holder: Fields, key: str) -> tuple[list[Part], list[object]]:
    """Return (parts, unread fields) of a field that holds a string or a list of blocks. Empty text is left out."""
    if isinstance(holder.rest.get(key), str):
        content = holder.take_text(key)
        return ([TextPart(content)] if content else []), []
    made: list[Part] = []
    rests: list[object] = []
    for raw in holder.take_list(key):
        block = Fields(raw)
        part = TextPart(raw) if isinstance(raw, str) else _read_block_or_keep_whole(block)
        made += [part] if part and part != TextPart("") else []
        rests += [block.rest] if block.rest else []
    return made, rests


def _read_block_or_keep_whole(block: Fields) -> Part | None:
    """Read one block; one of a kind without a type of its own (server tools, compaction, ...) is kept whole."""
    kind = text(block.rest.get("type"))
    reader = BLOCKS.get(kind)
    made = reader(block) if reader else None
    if made is None:
        whole = block.take_whole()
        return OtherPart(kind, canonical(whole)) if whole else None
    block.take("type")
    return made


def _read_image(block: Fields) -> MediaPart | None:
    found = read_source(block, "image/*")
    return MediaPart(found) if found else None


def _read_document(block: Fields) -> MediaPart | None:
    """Read a document; its title, the name that a file has in Chat and Gemini, and its context are hints beside it, its
    citations switch is left."""
    found = read_source(block, "application/pdf")
    if found is None:
        return None
    hints = {hint: block.take(name) for name, hint in _DOCUMENT_HINTS.items() if block.has(name)}
    return MediaPart(found, canonical(hints) if hints else "")


_DOCUMENT_HINTS: Final = {"title": "filename", "context": "context"}
"""Member of a document -> what it is called in ``MediaPart.detail``."""


def read_source(block: Fields, default_mime: str) -> Media | None:
    """Read a base64, url, text or file source; None, and nothing taken, for any other (source blocks)."""
    source = obj(block.rest.get("source"))
    source_type = text(source.get("type"))
    mime = text(source.get("media_type"))
    made: Media | None = None
    if source_type == "base64":
        made = media.media_from_base64(mime or default_mime, text(source.get("data")))
    elif source_type == "text":
        made = media.media_from_text(mime or "text/plain", text(source.get("data")))
    elif source_type == "url":
        made = Media(default_mime, uri=text(source.get("url")))
    elif source_type == "file":
        made = Media("", uri=text(source.get("file_id")))
    if made is not None:
        rest = {key: value for key, value in source.items() if key not in SOURCE_KEYS}
        block.take("source")
        block.put_back("source", rest)
    return made


SOURCE_KEYS: Final = frozenset({"type", "media_type", "data", "url", "file_id"})


def read_call(block: Fields) -> ToolCall:
    """Read a ``tool_use`` block. ``input`` is an object; text stands there only where a stream broke off in it."""
    name, call_id = block.take_text("name"), block.take_text("id")
    raw = block.take("input")
    if isinstance(raw, dict) or raw is None:
        return ToolCall(name, obj(raw), call_id)
    args, bad = decode_arguments(raw) if isinstance(raw, str) else ({}, canonical(raw))
    return ToolCall(name, args, call_id, bad)


def _read_result(block: Fields) -> ResultPart:
    """Read a result: its text, of a list its texts joined; images, documents and the texts of search results stand
    beside, other blocks and hints beside a document stay unread."""
    call_id = block.take_text("tool_use_id")
    is_error = block.take_flag("is_error") or False
    made, rests = read_parts(block, "content")
    texts = tuple(part.text for part in made if isinstance(part, TextPart))
    media_items = tuple(part.media for part in made if isinstance(part, MediaPart))
    opaque_parts = [part for part in made if isinstance(part, OtherPart)]
    searches = [obj(json.loads(part.value)) for part in opaque_parts if part.kind == "search_result"]
    cited_texts = tuple(text(item.get("text")) for search in searches for item in objs(search.get("content")))
    unread_parts = [{part.kind: part.value} for part in opaque_parts if part.kind != "search_result"]
    hints = [json.loads(part.detail) for part in made if isinstance(part, MediaPart) and part.detail]
    unread_hints = [{name: hint[key] for name, key in _DOCUMENT_HINTS.items() if key in hint} for hint in hints]
    block.put_back("content", [*rests, *unread_parts, *unread_hints])
    separate_texts = texts if len(texts) > 1 else ()
    return ResultPart(call_id, "", "".join(texts), media_items, is_error, cited_texts, separate_texts)


BLOCKS: Final[dict[str, Callable[[Fields], Part | None]]] = {
    "text": lambda block: TextPart(block.take_text("text")),
    "thinking": lambda block: ReasoningPart(block.take_text("thinking"), block.take_text("signature")),
    "redacted_thinking": lambda block: ReasoningPart("", "", block.take_text("data")), "image": _read_image,
    "document": _read_document, "tool_use": lambda block: CallPart(read_call(block)), "tool_result": _read_result,
}  # fmt: skip
