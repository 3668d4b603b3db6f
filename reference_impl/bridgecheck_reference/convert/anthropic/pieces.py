"""What an OpenAI message or delta says, piece by piece, in the order that Anthropic's blocks are to have."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert import order
from bridgecheck_reference.convert.anthropic.media import TEXTS
from bridgecheck_reference.convert.read import arr, dumps, obj, objs, text
from bridgecheck_reference.convert.reasoning import plain_reasoning, words_of
from bridgecheck_reference.loss import Losses

Piece: TypeAlias = tuple[str, JsonObject]
"""(kind, what it says): ``text`` and ``thought`` {"text"}, ``reasoning`` an entry of reasoning_details."""

_PATH: Final = "choices[].delta"


def pieces_of(message: JsonObject, losses: Losses) -> Iterator[Piece]:
    """Reasoning, then text. Reasoning said twice (``reasoning_content`` and ``reasoning_details``) counts once."""
    details = [*objs(message.get("reasoning_details"))]
    thought = plain_reasoning(message)
    words = "".join(map(words_of, details))
    apart = bool(thought) and not (details and "".join(thought.split()) == "".join(words.split()))
    if apart:
        yield "thought", {"text": thought}
    for detail in details:
        yield "reasoning", _signed(detail) if apart else detail
    yield from _content(message.get("content"), losses)
    if refusal := text(message.get("refusal")):
        losses.add(f"{_PATH}.refusal", "a refusal is said as text", "info")
        yield "text", {"text": refusal}


def ordered(message: JsonObject) -> list[tuple[str, JsonObject, JsonObject]] | None:
    """(kind, what it says, further leaves) in the order that the message carries; None where it carries none that
    fits. Kind is ``text``, ``reasoning``, ``call``, ``image`` or ``block``."""
    kept = order.of_message(message)
    if kept is None:
        return None
    things = {
        "reasoning": [*objs(message.get("reasoning_details"))],
        "call": [*objs(message.get("tool_calls"))],
        "image": [*objs(message.get("images"))],
    }
    return order.restore(kept, text(message.get("content")), things)


def _signed(detail: JsonObject) -> JsonObject:
    """A detail whose words stand beside it already."""
    return {key: value for key, value in detail.items() if key not in ("text", "summary")}


def _content(content: object, losses: Losses) -> Iterator[Piece]:
    if isinstance(content, str):
        if content:
            yield "text", {"text": content}
    elif isinstance(content, list):
        for part in objs(content):
            yield from _part(part, losses)
    elif isinstance(content, dict):
        losses.add(f"{_PATH}.content", "an object in place of text, told as its JSON text")
        yield "text", {"text": dumps(content)}


def _part(part: JsonObject, losses: Losses) -> Iterator[Piece]:
    """One part of a content list; thoughts stand there in Mistral's answers."""
    kind = part.get("type")
    words = text(part.get("refusal")) if kind == "refusal" else text(part.get("text"))
    if kind in TEXTS or kind == "refusal":
        if words:
            yield "text", {"text": words}
    elif kind == "thinking":
        thought = "".join(text(obj(item).get("text")) for item in arr(part.get("thinking")))
        if thought:
            yield "thought", {"text": thought}
    else:
        losses.add(f"{_PATH}.content[].{text(kind) or 'type'}", "Anthropic's models answer in text only")
