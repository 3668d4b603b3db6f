"""What a Gemini client sends back of another provider's reasoning, put where it was (mapping row R-46).

Gemini's clients drop thoughts, so the text and the call behind a thought carry it (convert/signatures). An entry that
carries says with ``ahead`` how many characters of text had been said between the thought and that part, 0 if it does
not.
"""

from collections.abc import Sequence

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert import order
from bridgecheck_reference.convert.read import integer, text
from bridgecheck_reference.convert.signatures import AHEAD


def recall(layout: list[JsonObject], blocks: Sequence[JsonObject]) -> None:
    """Puts reasoning into a list of ``{"text": n}``, ``{"reasoning": detail}`` and other entries, as if the part that
    carries the blocks came next. A block that the text before a call carried too is there already."""
    for block in blocks:
        entry: JsonObject = {"reasoning": {key: value for key, value in block.items() if key != AHEAD}}
        if entry not in layout:
            layout.insert(_place(layout, integer(block.get(AHEAD)) or 0), entry)


def _place(layout: list[JsonObject], ahead: int) -> int:
    """The place in front of the last ``ahead`` characters of text; a text in the middle of which it lies is split."""
    at = len(layout)
    while ahead > 0 and at > 0:
        at -= 1
        length = integer(layout[at].get("text")) or 0
        if length > ahead:
            layout[at : at + 1] = [{"text": length - ahead}, {"text": ahead}]
            return at + 1
        ahead -= length
    return at


def sign_last(layout: list[JsonObject], signature: str) -> None:
    """Signs the reasoning that ends a list, or an empty one where the last is none or is signed."""
    last = layout[-1].get("reasoning") if layout else None
    if isinstance(last, dict) and "signature" not in last and "data" not in last:
        last["signature"] = signature
    else:
        layout.append({"reasoning": {"type": "reasoning.text", "text": "", "signature": signature}})


def ordered_fields(layout: Sequence[JsonObject]) -> JsonObject:
    """reasoning_content, reasoning_details and extra_content.order of a message that says these; {} for none."""
    details = [entry["reasoning"] for entry in layout if "reasoning" in entry]
    kept = [_entry(entry) for entry in layout]
    fields: JsonObject = {}
    words = "".join(text(detail.get("text")) for detail in details if isinstance(detail, dict))
    if words:
        fields["reasoning_content"] = words
    if details:
        fields["reasoning_details"] = details
    if not order.usual(kept):
        fields["extra_content"] = {"order": kept}
    return fields


def _entry(entry: JsonObject) -> JsonObject:
    kind = next(iter(entry))
    return {kind: entry[kind] if kind == "text" else True}
