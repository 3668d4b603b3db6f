"""Frameworks that speak Anthropic Messages: LangGraph, pydantic-ai and the Vercel AI SDK.

Measured against a scripted provider and read, 2026-11-23: langchain-anthropic 1.7.7 (``_format_messages``),
pydantic-ai 2.68.0 (``_map_model_response``), @ai-sdk/anthropic 4.0.105 (``convert-to-anthropic-prompt.ts``)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bridgecheck.client_models.anthropic import ClientRaises, blocks_or_none, read_blocks
from bridgecheck.client_models.model import Remembered
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import text
from bridgecheck.wire import JsonObject

_SENT: Final = {
    "text": ("type", "text", "citations"), "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"), "tool_use": ("type", "id", "name", "input"),
}  # fmt: skip
"""What the frameworks send again of a block, by its type; blocks of other types go back as they came."""


def remember_in_langchain(response: Response) -> Remembered:
    """Keep all blocks but texts of white space; a unary answer that is one text becomes a string."""
    blocks = blocks_or_none(response)
    if response.mode == "unary" and len(blocks) == 1 and _is_text(blocks[0]) and not blocks[0].get("citations"):
        return Remembered(({"role": "assistant", "content": blocks[0].get("text")},))
    return _remember(response, lambda block: not _is_text(block) or bool(text(block.get("text")).strip()))


def remember_in_pydantic_ai(response: Response) -> Remembered:
    """Keep all blocks but empty texts and thinking without a signature; what was thought so goes into a message of the
    user before the answer."""
    remembered = _remember(response, lambda block: bool(block.get("signature")) or not _is_thinking(block))
    unsigned = [block for block in blocks_or_none(response) if _is_thinking(block) and not block.get("signature")]
    content = [_render_thinking(thought) for block in unsigned if (thought := text(block.get("thinking")))]
    user: list[JsonObject] = [{"role": "user", "content": content}] if content else []
    return replace(remembered, messages=(*user, *remembered.messages))


def _render_thinking(thought: str) -> JsonObject:
    return {"type": "text", "text": f"<assistant_thinking>\n{thought}\n</assistant_thinking>"}


def remember_in_vercel(response: Response) -> Remembered:
    """Keep all blocks but empty texts and thinking that has no member for a signature."""
    return _remember(response, lambda block: "signature" in block or not _is_thinking(block))


def _remember(response: Response, is_kept: Callable[[JsonObject], bool]) -> Remembered:
    """Keep the blocks for which ``is_kept`` is true; no framework keeps a text that is empty."""
    try:
        blocks = read_blocks(response)
    except ClientRaises as error:
        return Remembered(reason=f"the client raises: {error}")
    preserved = [_sent_fields(block) for block in blocks if is_kept(block) and not _is_empty_text(block)]
    if not preserved:
        return Remembered(reason="it has no block that the client keeps")
    return Remembered(({"role": "assistant", "content": preserved},))


def _sent_fields(block: JsonObject) -> JsonObject:
    names = _SENT.get(text(block.get("type")), tuple(block))
    return {name: block[name] for name in names if name in block}


def _is_text(block: JsonObject) -> bool:
    return block.get("type") == "text"


def _is_empty_text(block: JsonObject) -> bool:
    return _is_text(block) and not block.get("text")


def _is_thinking(block: JsonObject) -> bool:
    return block.get("type") == "thinking"
