"""Thinking blocks against ``reasoning_details``. A block comes back byte by byte or not at all: Anthropic refuses a
thinking block that is not its own, or that was changed.

Sources: https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking;
https://openrouter.ai/docs/guides/best-practices/reasoning-tokens (reasoning_details, ``format``).
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import objs, text
from bridgecheck_reference.convert.reasoning import plain_reasoning, words_of
from bridgecheck_reference.convert.signatures import to_gemini
from bridgecheck_reference.loss import Losses

_FORMAT: Final = "anthropic"
"""What the ``format`` of a detail begins with, if it says one, where a host keeps Anthropic's reasoning."""


def detail_of(block: JsonObject) -> JsonObject:
    """A thinking or redacted_thinking block as an entry of reasoning_details."""
    if block.get("type") == "redacted_thinking":
        return {"type": "reasoning.encrypted", "data": text(block.get("data"))}
    made: JsonObject = {"type": "reasoning.text", "text": text(block.get("thinking"))}
    if "signature" in block:
        made["signature"] = text(block["signature"])
    return made


def block_of(detail: JsonObject) -> JsonObject:
    """The block of an entry, for a client: one without signature has an empty one."""
    if detail.get("type") == "reasoning.encrypted":
        return {"type": "redacted_thinking", "data": text(detail.get("data"))}
    words = words_of(detail)
    return {"type": "thinking", "thinking": words, "signature": text(detail.get("signature"))}


def details_of(message: JsonObject) -> list[JsonObject]:
    """All entries of a message: reasoning that stands in plain fields alone is one without signature."""
    details = list(objs(message.get("reasoning_details")))
    if details:
        return details
    words = plain_reasoning(message)
    return [{"type": "reasoning.text", "text": words}] if words else []


def sendable(detail: JsonObject, path: str, losses: Losses) -> bool:
    """Whether Anthropic would take the block back; records a loss if not."""
    form = text(detail.get("format"))
    if form and not form.startswith(_FORMAT):
        losses.add(f"{path}.reasoning_details", "signed by another provider", "info")
        return False
    if detail.get("type") == "reasoning.encrypted":
        return bool(text(detail.get("data")))
    signature = text(detail.get("signature"))
    if signature and to_gemini(signature) is None:
        return True
    reason = "signed by another provider" if signature else "reasoning without a signature is not sent to Anthropic"
    losses.add(f"{path}.reasoning", reason, "info")
    return False
