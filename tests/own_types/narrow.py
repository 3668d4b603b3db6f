"""A library whose types hold little more than text and calls, and which declares that."""

from typing import Any

from bridgecheck.model.express import OPTIONAL_FEATURES

from .library import Library
from .library_types import (
    Call,
    CallDelta,
    CodePart,
    EncryptedThought,
    Media,
    Piece,
    Prompt,
    Replies,
    Reply,
    Text,
    Thought,
    ToolResult,
)


class Narrow(Library):
    """Loses every optional feature, and declares each as one that it cannot express."""

    capabilities = ("tools", "parallel_tools", "relay")
    cannot_say = tuple(sorted(OPTIONAL_FEATURES))

    def read_prompt(self, body: dict[str, Any]) -> Prompt:
        prompt = super().read_prompt(body)
        prompt.settings, prompt.thinking, prompt.response_format, prompt.parallel = {}, {}, None, None
        prompt.choice_mode = "" if prompt.choice_mode == "validated" else prompt.choice_mode
        for function in prompt.functions or []:
            function.strict = None
        for message in prompt.messages:
            message.name, message.details = "", None
            message.pieces = [drop_details(piece) for piece in message.pieces if not isinstance(piece, DROPPED)]
        return prompt

    def read_replies(self, body: dict[str, Any], status: int, *, partial: bool = False) -> Replies:
        replies = super().read_replies(body, status, partial=partial)
        replies.replies = [reply for reply in replies.replies if reply.index == 0]
        for reply in replies.replies:
            reply.citations, reply.details = [], None
            reply.pieces = narrow_pieces(reply)
            reply.refusal = ""
        if replies.usage is not None:
            replies.usage.total = replies.usage.from_cache = replies.usage.to_cache = replies.usage.reasoning = None
        if replies.error is not None:
            replies.error.retry_after = None
        return replies


DROPPED = (Thought, EncryptedThought, Media, CodePart)


def drop_details(piece: Piece) -> Piece:
    if isinstance(piece, Call | CallDelta | Text):
        piece.signature = ""
    if isinstance(piece, ToolResult):
        piece.media, piece.is_error = [], None
    return piece


def narrow_pieces(reply: Reply) -> list[Piece]:
    """Return one text, with that of a refusal at its end, then the calls."""
    pieces = [drop_details(piece) for piece in reply.pieces if not isinstance(piece, DROPPED)]
    text = "".join(piece.text for piece in pieces if isinstance(piece, Text)) + reply.refusal
    return [*([Text(text)] if text else []), *(piece for piece in pieces if isinstance(piece, Call | CallDelta))]
