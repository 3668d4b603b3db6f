"""The order of Gemini's parts, carried beside an OpenAI message that has no place for it.

Only for documents that are converted back (profile.carry "native"). An entry stands for one part: ``{"text": n}`` and
``{"thought": n}`` are the next n characters of content and reasoning_content, ``{"call": true}`` and ``{"image":
true}`` the next tool call and image, ``{"part": {...}}`` a part OpenAI cannot say. ``rest`` holds the further leaves
of a text part or an image, ``name`` an image's display name. The message stays the source of every value it can say:
a layout that does not fit it is ignored.
"""

from collections.abc import Sequence
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import obj, objs

_RANK: Final[tuple[str, ...]] = ("thought", "text", "image", "call", "part")


def needed(layout: Sequence[JsonObject]) -> bool:
    """Whether the usual order (thought, text, images, calls; one each of the first two) would come out differently."""
    ranks = []
    for entry in layout:
        kind = next(kind for kind in _RANK if kind in entry)
        if kind == "part" or "rest" in entry or "name" in entry or (kind in ("thought", "text") and not entry[kind]):
            return True
        ranks.append(_RANK.index(kind))
    texts = [rank for rank in ranks if rank < 2]
    return ranks != sorted(ranks) or len(texts) != len(set(texts))


def restore(
    layout: object, content: str, reasoning: str, images: Sequence[JsonObject], calls: Sequence[JsonObject]
) -> list[JsonObject] | None:
    """The parts in their old order; None where layout and message do not fit. ``images`` and ``calls`` are parts."""
    parts: list[JsonObject] = []
    left = {"text": content, "thought": reasoning}
    images_left, calls_left = iter(images), iter(calls)
    for entry in objs(layout):
        if "part" in entry:
            part: JsonObject | None = obj(entry["part"])
        elif "call" in entry:
            part = next(calls_left, None)
        elif "image" in entry:
            image = next(images_left, None)
            part = {**_named(image, entry), **obj(entry.get("rest"))} if image else None
        else:
            part = _text_part(entry, left)
        if part is None:
            return None
        parts.append(part)
    exhausted = next(images_left, None) is None and next(calls_left, None) is None
    return parts if exhausted and not left["text"] and not left["thought"] else None


def _named(image: JsonObject, entry: JsonObject) -> JsonObject:
    """The image under the name it had."""
    if "name" not in entry:
        return image
    return {**image, "inlineData": {**obj(image.get("inlineData")), "displayName": entry["name"]}}


def _text_part(entry: JsonObject, left: dict[str, str]) -> JsonObject | None:
    kind = "thought" if "thought" in entry else "text"
    length = entry.get(kind)
    if not isinstance(length, int) or length > len(left[kind]):
        return None
    part: JsonObject = {"text": left[kind][:length]}
    left[kind] = left[kind][length:]
    if kind == "thought":
        part["thought"] = True
    part.update(obj(entry.get("rest")))
    return part
