"""A library whose types have room for little more than text and calls, and which says so."""

from typing import Any

from bridgecheck.model.express import OPTIONAL_FEATURES

from .library import Library
from .shapes import Call, CallPiece, Picture, Piece, Question, Ran, Replies, Reply, Returned, Sealed, Text, Thought


class Narrow(Library):
    """Everything that it may say it cannot say is lost in it."""

    capabilities = ("tools", "parallel_tools", "relay")
    cannot_say = tuple(sorted(OPTIONAL_FEATURES))

    def question(self, body: dict[str, Any]) -> Question:
        asked = super().question(body)
        asked.knobs, asked.think, asked.shape, asked.at_once = {}, {}, None, None
        asked.must = "" if asked.must == "validated" else asked.must
        for function in asked.functions or []:
            function.strict = None
        for message in asked.messages:
            message.nick, message.details = "", None
            message.pieces = [narrowed(piece) for piece in message.pieces if not isinstance(piece, GONE)]
        return asked

    def replies(self, body: dict[str, Any], status: int, *, piecewise: bool = False) -> Replies:
        given = super().replies(body, status, piecewise=piecewise)
        given.replies = [one for one in given.replies if one.number == 0]
        for one in given.replies:
            one.sources, one.details = [], None
            one.pieces = told(one)
            one.refused = ""
        if given.cost is not None:
            given.cost.whole = given.cost.from_cache = given.cost.to_cache = given.cost.thinking = None
        if given.trouble is not None:
            given.trouble.wait = None
        return given


GONE = (Thought, Sealed, Picture, Ran)


def narrowed(piece: Piece) -> Piece:
    if isinstance(piece, Call | Text):
        piece.seal = ""
    if isinstance(piece, Returned):
        piece.pictures, piece.failed = [], None
    return piece


def told(reply: Reply) -> list[Piece]:
    """One text, the words of a refusal in it, then the calls."""
    pieces = [narrowed(piece) for piece in reply.pieces if not isinstance(piece, GONE)]
    words = "".join(piece.words for piece in pieces if isinstance(piece, Text)) + reply.refused
    return [*([Text(words)] if words else []), *(piece for piece in pieces if isinstance(piece, Call | CallPiece))]
