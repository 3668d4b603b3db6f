"""The order of Gemini's parts, carried beside an OpenAI message, and the reasoning that other providers' parts carry.

Layout, only for documents that are converted back (profile.carry "gemini"): an entry stands for one part.
``{"text": n}`` and ``{"thought": n}`` are the next n characters of content and reasoning_content, ``{"call": true}``
and ``{"image": true}`` the next tool call and image, ``{"part": {...}}`` a part that OpenAI cannot express. ``rest``
holds the further leaves of a text part or an image, ``name`` an image's display name. The message stays the source of
every value it can express: a layout that does not fit it is ignored.

Reasoning of another provider (mapping row R-46): Gemini's clients drop thoughts, so the text and the call behind a
thought carry it (convert/signatures). An entry that carries holds in ``ahead`` how many characters of text came between
the thought and that part, 0 without it.
"""

from collections.abc import Sequence
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.chat_messages import is_usual_order
from bridgecheck_reference.convert.json_values import integer, obj, objs, text
from bridgecheck_reference.convert.signatures import AHEAD

_RANK: Final[tuple[str, ...]] = ("thought", "text", "image", "call", "part")


def needs_part_order(layout: Sequence[JsonObject]) -> bool:
    """Return whether the usual order (thought, text, images, calls; one each of the first two) would come out
    differently."""
    ranks = []
    for entry in layout:
        kind = next(kind for kind in _RANK if kind in entry)
        if kind == "part" or "rest" in entry or "name" in entry or (kind in ("thought", "text") and not entry[kind]):
            return True
        ranks.append(_RANK.index(kind))
    texts = [rank for rank in ranks if rank < 2]
    return ranks != sorted(ranks) or len(texts) != len(set(texts))


def restore_parts(
    layout: object, content: str, reasoning: str, images: Sequence[JsonObject], calls: Sequence[JsonObject]
) -> list[JsonObject] | None:
    """Return the parts in their old order; None where layout and message do not fit. ``images`` and ``calls`` are
    parts."""
    parts: list[JsonObject] = []
    remaining = {"text": content, "thought": reasoning}
    images_left, calls_left = iter(images), iter(calls)
    for entry in objs(layout):
        if "part" in entry:
            part: JsonObject | None = obj(entry["part"])
        elif "call" in entry:
            part = next(calls_left, None)
        elif "image" in entry:
            image = next(images_left, None)
            part = {**_restore_display_name(image, entry), **obj(entry.get("rest"))} if image else None
        else:
            part = _restore_text_part(entry, remaining)
        if part is None:
            return None
        parts.append(part)
    exhausted = next(images_left, None) is None and next(calls_left, None) is None
    return parts if exhausted and not remaining["text"] and not remaining["thought"] else None


def _restore_display_name(image: JsonObject, entry: JsonObject) -> JsonObject:
    """Return the image with the display name that it had."""
    if "name" not in entry:
        return image
    return {**image, "inlineData": {**obj(image.get("inlineData")), "displayName": entry["name"]}}


def _restore_text_part(entry: JsonObject, remaining: dict[str, str]) -> JsonObject | None:
    kind = "thought" if "thought" in entry else "text"
    length = entry.get(kind)
    if not isinstance(length, int) or length > len(remaining[kind]):
        return None
    part: JsonObject = {"text": remaining[kind][:length]}
    remaining[kind] = remaining[kind][length:]
    if kind == "thought":
        part["thought"] = True
    part.update(obj(entry.get("rest")))
    return part


def insert_carried_reasoning(layout: list[JsonObject], blocks: Sequence[JsonObject]) -> None:
    """Insert reasoning into a list of ``{"text": n}``, ``{"reasoning": detail}`` and other entries, as if the part that
    carries the blocks came next.

    A block that the text before a call carried too is there already.
    """
    for block in blocks:
        entry: JsonObject = {"reasoning": {key: value for key, value in block.items() if key != AHEAD}}
        if entry not in layout:
            layout.insert(_split_layout_before_last_characters(layout, integer(block.get(AHEAD)) or 0), entry)


def _split_layout_before_last_characters(layout: list[JsonObject], count: int) -> int:
    """Return the position before the last ``count`` characters of text; a text in the middle of which it lies is
    split."""
    position = len(layout)
    while count > 0 and position > 0:
        position -= 1
        length = integer(layout[position].get("text")) or 0
        if length > count:
            layout[position : position + 1] = [{"text": length - count}, {"text": count}]
            return position + 1
        count -= length
    return position


def sign_last_reasoning_or_add_empty(layout: list[JsonObject], signature: str) -> None:
    """Sign the reasoning that ends a list, or an empty one where the last is none or is signed."""
    last = layout[-1].get("reasoning") if layout else None
    if isinstance(last, dict) and "signature" not in last and "data" not in last:
        last["signature"] = signature
    else:
        layout.append({"reasoning": {"type": "reasoning.text", "text": "", "signature": signature}})


def reasoning_and_order_fields(layout: Sequence[JsonObject]) -> JsonObject:
    """Return reasoning_content, reasoning_details and extra_content.order of a message with this layout; {} for
    none."""
    details = [entry["reasoning"] for entry in layout if "reasoning" in entry]
    order = [_layout_to_order_entry(entry) for entry in layout]
    fields: JsonObject = {}
    content = "".join(text(detail.get("text")) for detail in details if isinstance(detail, dict))
    if content:
        fields["reasoning_content"] = content
    if details:
        fields["reasoning_details"] = details
    if not is_usual_order(order):
        fields["extra_content"] = {"order": order}
    return fields


def _layout_to_order_entry(entry: JsonObject) -> JsonObject:
    kind = next(iter(entry))
    return {kind: entry[kind] if kind == "text" else True}


class MessageFields:
    """The fields of an OpenAI message or delta, filled part by part. A plain class: one is made for every event.

    ``layout``: the order of the parts. ``signature``: of the text or the reasoning; ``signed_field``: which of them, as
    ``thought_signature_part`` names it.
    """

    __slots__ = ("audio", "calls", "content", "images", "layout", "reasoning", "signature", "signed_field")

    def __init__(self) -> None:
        self.content: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[JsonObject] = []
        self.images: list[JsonObject] = []
        self.layout: list[JsonObject] = []
        self.audio: JsonObject | None = None
        self.signature = ""
        self.signed_field = ""

    def build_message(self, carries: bool, orders: bool) -> JsonObject:
        """Return the fields, {} for none.

        ``carries``: with the order of Gemini's parts; ``orders``: with the order that Gemini and Anthropic share.
        """
        message: JsonObject = reasoning_and_order_fields(self.layout) if orders and self.layout else {}
        content = "".join(self.content)
        if content:
            message["content"] = content
        if self.reasoning and (reasoning := "".join(self.reasoning)):
            message["reasoning_content"] = reasoning
        if self.calls:
            message["tool_calls"] = self.calls
        if self.images:
            message["images"] = self.images
        if self.audio:
            message["audio"] = self.audio
        if self.signature or carries:
            google = self._google_extra(carries)
            if google:
                message["extra_content"] = {**obj(message.get("extra_content")), "google": google}
        return message

    def _google_extra(self, carries: bool) -> JsonObject:
        """Return what stands beside a message: the signature of its text or reasoning, and the order of its parts."""
        google: JsonObject = {}
        if self.signature:
            google["thought_signature"] = self.signature
            if self.signed_field != "text":
                google["thought_signature_part"] = self.signed_field
        if carries and needs_part_order(self.layout):
            google["parts"] = self.layout
        return google
