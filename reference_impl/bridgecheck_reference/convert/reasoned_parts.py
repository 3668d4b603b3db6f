"""An OpenAI message with signed reasoning -> Gemini parts, in the order it carries (mapping row R-46).

A Gemini signature that travelled as that of reasoning goes back to the part behind it, if it is of the kind that it
stood on. The reasoning of another provider is shown as thoughts; its signature is nothing to Gemini.
"""

from collections.abc import Sequence

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert import order
from bridgecheck_reference.convert.read import objs, text
from bridgecheck_reference.convert.said import Said
from bridgecheck_reference.convert.signatures import to_gemini
from bridgecheck_reference.loss import Losses

_KINDS = {"text": "text", "functionCall": "call", "inlineData": "image"}


def reasoned_parts(
    message: JsonObject, said: Said, calls: Sequence[JsonObject], path: str, losses: Losses
) -> list[JsonObject]:
    """``calls``: the calls of the message, as parts."""
    words, images = said.text + said.refusal, said.media
    details = list(objs(message.get("reasoning_details")))
    if not details and said.reasoning:
        details = [{"text": said.reasoning}]
    placed = order.restore(order.of_message(message), words, {"reasoning": details, "image": images, "call": calls})
    things: list[tuple[str, JsonObject]] = [(kind, thing) for kind, thing, _ in placed or ()]
    if placed is None:
        things = [("reasoning", detail) for detail in details]
        things += [("text", {"text": words})] if words else []
        things += [("part", part) for part in (*images, *calls)]
    writer = _Writer(path, losses)
    for kind, thing in things:
        if kind == "reasoning":
            writer.think(thing)
        else:
            writer.say(thing)
    return writer.close()


class _Writer:
    """The parts, and the signature that waits for the next one: (kind of part, signature)."""

    __slots__ = ("_losses", "_parts", "_path", "_waiting")

    def __init__(self, path: str, losses: Losses) -> None:
        self._path = path
        self._losses = losses
        self._parts: list[JsonObject] = []
        self._waiting: tuple[str, str] | None = None

    def think(self, detail: JsonObject) -> None:
        words, signature = text(detail.get("text")), text(detail.get("signature"))
        kind, own = to_gemini(signature) or ("", "")
        if words or kind == "thought":
            part: JsonObject = {"text": words, "thought": True}
            self._parts.append({**part, "thoughtSignature": own} if kind == "thought" else part)
        if kind == "tail":
            self._parts.append({"text": "", "thoughtSignature": own})
        elif kind and kind != "thought":
            self._drop()
            self._waiting = kind, own
        elif (signature or "data" in detail) and not kind:
            self._losses.add(f"{self._path}.reasoning_details", "signed by another provider", "info")

    def say(self, part: JsonObject) -> None:
        kind = next((kind for key, kind in _KINDS.items() if key in part), "other")
        if self._waiting is not None and self._waiting[0] == kind:
            part = {**part, "thoughtSignature": self._waiting[1]}
            self._waiting = None
        self._drop()
        self._parts.append(part)

    def close(self) -> list[JsonObject]:
        self._drop()
        return self._parts

    def _drop(self) -> None:
        """A signature never moves to another part: Gemini refuses that."""
        if self._waiting is not None:
            self._losses.add(f"{self._path}.reasoning_details", "the part that it signed is gone")
            self._waiting = None
