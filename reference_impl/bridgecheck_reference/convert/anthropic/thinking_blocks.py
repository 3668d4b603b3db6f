"""Thinking blocks and ``reasoning_details``, both ways, with their signatures and positions.

A block comes back byte by byte or not at all: Anthropic refuses a thinking block that is not its own, or that was
changed. Sources: https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking;
https://openrouter.ai/docs/guides/best-practices/reasoning-tokens (reasoning_details, ``format``).

Position: a Chat message has one text and a list of calls, and nothing between them; Anthropic signs thinking where it
stands, and refuses a turn in which it moved (NousResearch/hermes-agent#41266). Clients that send ``reasoning_details``
back return ``after`` of an entry along with it: ``{"text": characters before it, "calls": calls before it}``, absent
for thinking that comes first.

Gemini's signatures that an Anthropic client sends back as those of thinking, for Google's own Chat endpoint: it puts
them under ``extra_content.google.thought_signature`` of a call or a message and wants them back there
(https://ai.google.dev/gemini-api/docs/openai); towards the client each was the signature of a thinking block
(``convert/signatures``).
"""

from collections.abc import Sequence
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.chat_messages import plain_reasoning_text, reasoning_detail_text
from bridgecheck_reference.convert.json_values import integer, obj, objs, text
from bridgecheck_reference.convert.signatures import split_gemini_signature_prefix
from bridgecheck_reference.loss import Losses

_FORMAT: Final = "anthropic"
"""Start of a detail's ``format``, if it has one, where a host keeps Anthropic's reasoning."""


def block_to_detail(block: JsonObject) -> JsonObject:
    """Convert a thinking or redacted_thinking block to an entry of reasoning_details."""
    if block.get("type") == "redacted_thinking":
        return {"type": "reasoning.encrypted", "data": text(block.get("data"))}
    made: JsonObject = {"type": "reasoning.text", "text": text(block.get("thinking"))}
    if "signature" in block:
        made["signature"] = text(block["signature"])
    return made


def detail_to_block(detail: JsonObject) -> JsonObject:
    """Convert an entry to a block for a client: one without signature has an empty one."""
    if detail.get("type") == "reasoning.encrypted":
        return {"type": "redacted_thinking", "data": text(detail.get("data"))}
    detail_text = reasoning_detail_text(detail)
    return {"type": "thinking", "thinking": detail_text, "signature": text(detail.get("signature"))}


def read_reasoning_details(message: JsonObject) -> list[JsonObject]:
    """Return all entries of a message: reasoning that stands in plain fields alone is one without signature."""
    details = list(objs(message.get("reasoning_details")))
    if details:
        return details
    detail_text = plain_reasoning_text(message)
    return [{"type": "reasoning.text", "text": detail_text}] if detail_text else []


def is_accepted_by_anthropic(detail: JsonObject, path: str, losses: Losses) -> bool:
    """Return whether Anthropic would take the block back; record a loss if not."""
    form = text(detail.get("format"))
    if form and not form.startswith(_FORMAT):
        losses.add(f"{path}.reasoning_details", "signed by another provider", "info")
        return False
    if detail.get("type") == "reasoning.encrypted":
        return bool(text(detail.get("data")))
    signature = text(detail.get("signature"))
    if signature and split_gemini_signature_prefix(signature) is None:
        return True
    reason = "signed by another provider" if signature else "reasoning without a signature is not sent to Anthropic"
    losses.add(f"{path}.reasoning", reason, "info")
    return False


AFTER: Final = "after"


def add_position(detail: JsonObject, length: int, calls: int) -> JsonObject:
    """Return the entry with its position, unless nothing stands before it."""
    return {**detail, AFTER: {"text": length, "calls": calls}} if length or calls else detail


def order_from_positions_if_any(details: Sequence[JsonObject], length: int, calls: int) -> list[JsonObject] | None:
    """Return the order (``convert/chat_messages``) of a message with these entries, this length of text and number of
    calls.

    None where no entry has a position. Text comes before all calls; a position beyond the end is the end.
    """
    if not any(AFTER in detail for detail in details):
        return None
    entries: list[JsonObject] = []
    text_before = calls_before = 0
    for detail in details:
        behind = min(_position_count(detail, "calls"), calls)
        upto = length if behind else min(_position_count(detail, "text"), length)
        entries += [*_text_span_entries(upto - text_before), *_call_entries(behind - calls_before), {"reasoning": True}]
        text_before, calls_before = max(text_before, upto), max(calls_before, behind)
    return [*entries, *_text_span_entries(length - text_before), *_call_entries(calls - calls_before)]


def _position_count(detail: JsonObject, kind: str) -> int:
    return max(integer(obj(detail.get(AFTER)).get(kind)) or 0, 0)


def _text_span_entries(length: int) -> list[JsonObject]:
    return [{"text": length}] if length > 0 else []


def _call_entries(number: int) -> list[JsonObject]:
    return [{"call": True} for _ in range(number)]


def restore_google_signatures(message: JsonObject, blocks: Sequence[JsonObject]) -> None:
    """Put the signatures in these blocks on the message made of them, and on its calls.

    The signature of a call that is no longer there is dropped.
    """
    calls = iter(objs(message.get("tool_calls")))
    waiting = ""
    for block in blocks:
        kind, signature = split_gemini_signature_prefix(text(block.get("signature"))) or ("", "")
        if kind == "call":
            waiting = signature
        elif kind:
            _set_google_signature(message, signature)
        elif block.get("type") == "tool_use":
            call = next(calls, {})
            if waiting:
                _set_google_signature(call, signature=waiting)
            waiting = ""
    _set_reasoning_details(
        message, [detail for detail in objs(message.get("reasoning_details")) if not _is_google_signed(detail)]
    )


def _is_google_signed(detail: JsonObject) -> bool:
    return split_gemini_signature_prefix(text(detail.get("signature"))) is not None


def _set_google_signature(holder: JsonObject, signature: str) -> None:
    holder["extra_content"] = {**obj(holder.get("extra_content")), "google": {"thought_signature": signature}}


def _set_reasoning_details(message: JsonObject, details: list[JsonObject]) -> None:
    if details:
        message["reasoning_details"] = details
    else:
        message.pop("reasoning_details", None)
