"""Texts, images and documents of a turn: Anthropic's content blocks and OpenAI's content parts, both ways.

A URL is never fetched. Sources: https://docs.anthropic.com/en/docs/build-with-claude/vision (JPEG, PNG, GIF and WebP),
https://docs.anthropic.com/en/docs/build-with-claude/pdf-support, anthropic 2.11.0 ``types.document_block_param``.
"""

import base64
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.json_values import anthropic_extra, obj, objs, text, unknown_keys
from bridgecheck_reference.convert.media import (
    MIME_OF_ENDING,
    decode_base64_or_empty,
    mime_of_audio_format,
    parse_data_url,
    standard_base64,
    stored_file_text,
)
from bridgecheck_reference.loss import Losses

PDF: Final = "application/pdf"
PLAIN: Final = "text/plain"
IMAGES: Final[frozenset[str]] = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
UNTITLED: Final[dict[str, str]] = {PDF: "file.pdf", PLAIN: "file.txt"}
"""MIME type -> file name of a document without a title."""

_NO_TITLE: Final = "file"
"""Start of the names of files without one, here and in gemini/media; no title on the way back."""

_WEB: Final = ("http://", "https://")
TEXTS: Final = ("text", "input_text", "output_text")
"""Types of a content part that is text, as OpenAI's APIs name it."""

_CONVERTED_BLOCK_KEYS: Final[dict[str, frozenset[str]]] = {
    "text": frozenset({"type", "text"}),
    "image": frozenset({"type", "source"}),
    "document": frozenset({"type", "source", "title"}),
}


def text_or_media_block_to_parts(block: JsonObject, profile: Profile, path: str, losses: Losses) -> list[JsonObject]:
    """Convert a block of a user turn, of the system prompt or of a tool result to content parts.

    [] and a loss for what OpenAI has none for. A carried document keeps such a block whole.
    """
    kind = text(block.get("type"))
    parts = _convert_block(block, kind, profile, path, losses)
    if profile.carries_anthropic:
        return [_part_carrying_block_or_its_rest(block, kind, parts)]
    for key in unknown_keys(block, _CONVERTED_BLOCK_KEYS[kind]) if kind in _CONVERTED_BLOCK_KEYS else ():
        if block[key] is not None:
            losses.add(f"{path}.{kind}.{key}", "a content part has no place for it", "info")
    return parts


def _part_carrying_block_or_its_rest(block: JsonObject, kind: str, parts: list[JsonObject]) -> JsonObject:
    """Return one part that carries the block's further leaves, or the whole block where it would come back
    otherwise."""
    if len(parts) == 1 and kind in _CONVERTED_BLOCK_KEYS:
        rest = {key: value for key, value in block.items() if key not in _CONVERTED_BLOCK_KEYS[kind]}
        made = {**parts[0], "extra_content": {"anthropic": {"rest": rest}}} if rest else parts[0]
        if part_to_block(made, "", Losses()) == block:
            return made
    return {"type": "text", "text": "", "extra_content": {"anthropic": {"block": block}}}


def _convert_block(block: JsonObject, kind: str, profile: Profile, path: str, losses: Losses) -> list[JsonObject]:
    if kind == "text":
        return [{"type": "text", "text": text(block.get("text"))}]
    if kind == "image":
        return _image_to_parts(obj(block.get("source")), path, losses)
    if kind == "document":
        return _document_to_parts(block, obj(block.get("source")), profile, path, losses)
    if kind == "search_result":
        losses.add(f"{path}.search_result", "a search result becomes text", "info")
        texts = [text(block.get("title")), text(block.get("source")), *_document_or_search_texts(block.get("content"))]
        return [{"type": "text", "text": "\n".join(part_text for part_text in texts if part_text)}]
    losses.add(f"{path}.{kind or 'type'}", "Chat Completions has no such content part")
    return []


def _image_to_parts(source: JsonObject, path: str, losses: Losses) -> list[JsonObject]:
    if source.get("type") == "base64":
        url = f"data:{text(source.get('media_type'))};base64,{text(source.get('data'))}"
    else:
        url = text(source.get("url"))
    if not url:
        return _stored_file_to_text_parts("image", source, path, losses)
    return [{"type": "image_url", "image_url": {"url": url}}]


def _document_to_parts(
    block: JsonObject, source: JsonObject, profile: Profile, path: str, losses: Losses
) -> list[JsonObject]:
    kind, title = text(source.get("type")), text(block.get("title"))
    mime = text(source.get("media_type")) or (PLAIN if kind == "text" else PDF)
    data = text(source.get("data"))
    if kind == "text":
        data = base64.b64encode(data.encode("utf-8", "surrogatepass")).decode("ascii")
    if kind in ("base64", "text"):
        return [_create_file_part(title or UNTITLED.get(mime, f"{_NO_TITLE}.bin"), f"data:{mime};base64,{data}")]
    if kind == "url" and (profile.extended or profile.carries_anthropic):
        return [_create_file_part(title or UNTITLED[PDF], text(source.get("url")))]
    if kind == "url":
        losses.add(f"{path}.document.source.url", "Chat Completions takes no document by URL; named in text")
        return [{"type": "text", "text": f"[document: {title}, url={text(source.get('url'))}]"}]
    if kind == "content":
        losses.add(f"{path}.document.source.content", "a document of blocks becomes its texts")
        return [{"type": "text", "text": part_text} for part_text in _document_or_search_texts(source.get("content"))]
    return _stored_file_to_text_parts("document", source, path, losses)


def _stored_file_to_text_parts(kind: str, source: JsonObject, path: str, losses: Losses) -> list[JsonObject]:
    """Name a file that Anthropic stores in text; nothing where it has no id."""
    id = text(source.get("file_id"))
    losses.add(f"{path}.{kind}.source.{text(source.get('type')) or 'type'}", "a file that Anthropic keeps")
    return [{"type": "text", "text": stored_file_text(kind, id)}] if id else []


def _create_file_part(name: str, data: str) -> JsonObject:
    return {"type": "file", "file": {"filename": name, "file_data": data}}


def _document_or_search_texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [text(block.get("text")) for block in objs(content) if block.get("type") == "text"]


def part_to_block(part: JsonObject, path: str, losses: Losses) -> JsonObject | None:
    """Convert one content part to a block, with what it carries; None and a loss where Anthropic has none."""
    carried = anthropic_extra(part)
    if "block" in carried:
        return obj(carried["block"])
    kind = text(part.get("type"))
    made = _convert_part(part, kind, path, losses)
    if made is None:
        return None
    made.update(obj(carried.get("rest")))
    if isinstance(part.get("cache_control"), dict):
        made["cache_control"] = part["cache_control"]
    return made


def _convert_part(part: JsonObject, kind: str, path: str, losses: Losses) -> JsonObject | None:
    if kind in TEXTS:
        return {"type": "text", "text": text(part.get("text"))}
    if kind == "refusal":
        return {"type": "text", "text": text(part.get("refusal"))}
    if kind == "image_url":
        return _image_to_block(part.get("image_url"), path, losses)
    if kind == "file":
        return _file_to_block(obj(part.get("file")), path, losses)
    if kind == "document_url":
        return _file_to_block({"file_data": part.get("document_url")}, path, losses)
    if kind == "input_audio":
        mime = mime_of_audio_format(text(obj(part.get(kind)).get("format")))
        return _named_in_text("", mime, f"{path}.{kind}", losses)
    losses.add(f"{path}.{kind or 'type'}", "Anthropic has no such content block")
    return None


def _image_to_block(image: object, path: str, losses: Losses) -> JsonObject | None:
    url = image if isinstance(image, str) else text(obj(image).get("url"))
    if text(obj(image).get("detail")) not in ("", "auto"):
        losses.add(f"{path}.image_url.detail", "an image has no detail level", "info")
    if url.startswith(_WEB):
        return {"type": "image", "source": {"type": "url", "url": url}}
    inline = parse_data_url(url, "image/jpeg")
    if inline is None:
        losses.add(f"{path}.image_url.url", "neither data nor a URL on the web")
        return None
    return _data_to_block(*inline, "", f"{path}.image_url", losses)


def _file_to_block(file: JsonObject, path: str, losses: Losses) -> JsonObject | None:
    content, name = text(file.get("file_data")), text(file.get("filename"))
    title = "" if name.rpartition(".")[0] == _NO_TITLE else name
    if content.startswith(_WEB):
        made: JsonObject = {"type": "document", "source": {"type": "url", "url": content}}
        return {**made, "title": title} if title else made
    mime = MIME_OF_ENDING.get(name.rpartition(".")[2].lower(), PDF)
    inline = parse_data_url(content, mime) or (mime, standard_base64(content))
    if not content:
        losses.add(f"{path}.file.file_id", "a file that OpenAI keeps; named in text")
        return {"type": "text", "text": stored_file_text("file", text(file.get("file_id")))}
    return _data_to_block(*inline, title, f"{path}.file", losses)


def _named_in_text(name: str, mime: str, path: str, losses: Losses) -> JsonObject:
    """Return a text in place of media that Anthropic refuses: a model asked about it would answer as if it had it."""
    losses.add(path, f"Anthropic takes no {mime}; named in text")
    return {"type": "text", "text": f"[file: {f'name={name}, ' if name else ''}mimeType={mime}]"}


def _data_to_block(mime: str, data: str, title: str, path: str, losses: Losses) -> JsonObject:
    """Convert data to an image or a document; to a text and a loss for types that Anthropic refuses."""
    mime = "image/jpeg" if mime == "image/jpg" else mime
    if mime in IMAGES:
        return {"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}}
    made: JsonObject = {"type": "document"}
    if mime == PDF:
        made["source"] = {"type": "base64", "media_type": mime, "data": data}
    elif mime.startswith("text/"):
        decoded_text = decode_base64_or_empty(data).decode("utf-8", "replace")
        made["source"] = {"type": "text", "media_type": PLAIN, "data": decoded_text}
        if mime != PLAIN:
            losses.add(path, f"{mime} becomes plain text", "info")
    else:
        return _named_in_text(title, mime, path, losses)
    return {**made, "title": title} if title else made
