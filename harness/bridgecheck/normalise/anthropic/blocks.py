"""Content blocks of an Anthropic request -> parts in order.

Source: https://docs.anthropic.com/en/api/messages#body-messages-content.
"""

import json
from collections.abc import Callable
from typing import Final

from bridgecheck.model.jsonvalue import canonical, obj, objs, text
from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import CallPart, MediaPart, OtherPart, Part, ReasoningPart, ResultPart, TextPart
from bridgecheck.normalise import media
from bridgecheck.normalise.tree import Fields, decode_arguments


def parts(holder: Fields, key: str) -> tuple[list[Part], list[object]]:
    """(the parts, what they left) of a field that holds a string or a list of blocks. Empty text says nothing."""
    if isinstance(holder.rest.get(key), str):
        said = holder.take_text(key)
        return ([TextPart(said)] if said else []), []
    made: list[Part] = []
    rests: list[object] = []
    for raw in holder.take_items(key):
        block = Fields(raw)
        part = TextPart(raw) if isinstance(raw, str) else _block(block)
        made += [part] if part and part != TextPart("") else []
        rests += [block.rest] if block.rest else []
    return made, rests


def _block(block: Fields) -> Part | None:
    """One block; a block of a kind without a type of its own (server tools, compaction, ...) is kept whole."""
    kind = text(block.rest.get("type"))
    reader = BLOCKS.get(kind)
    made = reader(block) if reader else None
    if made is None:
        whole = dict(block.rest)
        block.rest.clear()
        return OtherPart(kind, canonical(whole)) if whole else None
    block.take("type")
    return made


def _text(block: Fields) -> Part | None:
    return TextPart(block.take_text("text"))


def _thinking(block: Fields) -> Part | None:
    return ReasoningPart(block.take_text("thinking"), block.take_text("signature"))


def _redacted(block: Fields) -> Part | None:
    return ReasoningPart("", "", block.take_text("data"))


def _image(block: Fields) -> Part | None:
    found = source(block, "image/*")
    return MediaPart(found) if found else None


def _document(block: Fields) -> Part | None:
    """A document; its title and context are hints beside it, its citations switch is left."""
    found = source(block, "application/pdf")
    if found is None:
        return None
    hints = {name: block.take(name) for name in ("title", "context") if block.has(name)}
    return MediaPart(found, canonical(hints) if hints else "")


def source(block: Fields, kind: str) -> Media | None:
    """base64, url, text or file source; None, and nothing taken, for any other (content blocks)."""
    said = obj(block.rest.get("source"))
    how = text(said.get("type"))
    mime = text(said.get("media_type"))
    made: Media | None = None
    if how == "base64":
        made = media.media_from_base64(mime or kind, text(said.get("data")))
    elif how == "text":
        made = media.media_from_text(mime or "text/plain", text(said.get("data")))
    elif how == "url":
        made = Media(kind, uri=text(said.get("url")))
    elif how == "file":
        made = Media("", uri=text(said.get("file_id")))
    if made is not None:
        rest = {key: value for key, value in said.items() if key not in SOURCE_KEYS}
        block.take("source")
        block.put_back("source", rest)
    return made


SOURCE_KEYS: Final = frozenset({"type", "media_type", "data", "url", "file_id"})


def _call(block: Fields) -> Part | None:
    name, call_id = block.take_text("name"), block.take_text("id")
    raw = block.take("input")
    if isinstance(raw, dict) or raw is None:
        return CallPart(ToolCall(name, obj(raw), call_id))
    args, bad = decode_arguments(raw) if isinstance(raw, str) else ({}, canonical(raw))
    return CallPart(ToolCall(name, args, call_id, bad))


def _result(block: Fields) -> Part | None:
    """The value is the text, of a list its texts joined; images, documents and the texts of search results stand
    beside, other blocks and what is said of a document are left."""
    call_id = block.take_text("tool_use_id")
    is_error = block.take_flag("is_error") or False
    made, rests = parts(block, "content")
    said = "".join(part.text for part in made if isinstance(part, TextPart))
    shown = tuple(part.media for part in made if isinstance(part, MediaPart))
    others = [part for part in made if isinstance(part, OtherPart)]
    cited = tuple(words for part in others if part.kind == "search_result" for words in _cited(part))
    kept = [{part.kind: part.value} for part in others if part.kind != "search_result"]
    hints = [json.loads(part.detail) for part in made if isinstance(part, MediaPart) and part.detail]
    block.put_back("content", [*rests, *kept, *hints])
    return ResultPart(call_id, "", said, shown, is_error, cited)


def _cited(part: OtherPart) -> list[str]:
    return [text(block.get("text")) for block in objs(obj(json.loads(part.value)).get("content"))]


BLOCKS: Final[dict[str, Callable[[Fields], Part | None]]] = {
    "text": _text,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "image": _image,
    "document": _document,
    "tool_use": _call,
    "tool_result": _result,
}
