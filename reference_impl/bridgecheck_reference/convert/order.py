"""The order of what an assistant message says, where it is not the usual one: reasoning, text, images, calls.

Chat Completions has one text, and calls beside it; Gemini and Anthropic have a list. ``extra_content.order`` keeps the
list in a document that no wire sees (types/ir). The message stays the source of every value: an order that does not fit
it is ignored.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import NOTHING, obj, objs

_RANK: Final[tuple[str, ...]] = ("reasoning", "text", "image", "call")


def usual(order: Sequence[JsonObject]) -> bool:
    """Whether a message without an order would be read in this one."""
    ranks = []
    for entry in order:
        kind = next((kind for kind in _RANK if kind in entry), "")
        if not kind or "rest" in entry or (kind == "text" and not entry["text"]):
            return False
        ranks.append(_RANK.index(kind))
    return ranks == sorted(ranks) and ranks.count(1) <= 1


def restore(
    order: object, said: str, things: Mapping[str, Sequence[JsonObject]]
) -> list[tuple[str, JsonObject, JsonObject]] | None:
    """(kind, thing, further leaves) in their old order; None where order and message do not fit.

    Kind is ``text`` (thing: ``{"text": ...}``), ``block`` (the block) or a key of ``things``: reasoning, image, call.
    """
    left = {kind: list(reversed(those)) for kind, those in things.items()}
    made: list[tuple[str, JsonObject, JsonObject]] = []
    for entry in objs(order):
        kind = next((kind for kind in ("block", *_RANK) if kind in entry), "")
        if kind == "block":
            thing: JsonObject | None = obj(entry["block"])
        elif kind == "text":
            length = entry["text"]
            fits = isinstance(length, int) and 0 <= length <= len(said)
            thing = {"text": said[:length]} if fits and isinstance(length, int) else None
            said = said[length:] if fits and isinstance(length, int) else said
        else:
            thing = left[kind].pop() if left.get(kind) else None
        if thing is None:
            return None
        made.append((kind, thing, obj(entry.get("rest"))))
    return made if not said and not any(left.values()) else None


def of_message(message: JsonObject) -> object:
    """``extra_content.order``, None if there is none."""
    extra = message.get("extra_content")
    return obj(extra or NOTHING).get("order")
