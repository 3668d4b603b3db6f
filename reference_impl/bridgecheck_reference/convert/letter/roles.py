"""Roles that nobody knows, taken for one that is known (mapping row R-41, ``unknown_role``)."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import arr
from bridgecheck_reference.loss import Losses

_IN_GEMINI: Final = frozenset({"", "user", "model", "function", "tool"})
_IN_CHAT: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def speaks_as_model(request: JsonObject, losses: Losses) -> JsonObject:
    """``unknown_role="assistant"`` in a Gemini request."""
    return _replaced(request, "contents", _IN_GEMINI, "model", losses)


def speaks_as_user(request: JsonObject, losses: Losses) -> JsonObject:
    """``unknown_role="user"`` in a Gemini request."""
    return _replaced(request, "contents", _IN_GEMINI, "user", losses)


def known_in_chat(request: JsonObject, losses: Losses) -> JsonObject:
    """In an OpenAI request whoever is unknown is a user."""
    return _replaced(request, "messages", _IN_CHAT, "user", losses)


def _replaced(request: JsonObject, key: str, known: frozenset[str], role: str, losses: Losses) -> JsonObject:
    turns = arr(request.get(key))
    if all(_known(turn, known) for turn in turns):
        return request
    losses.add(f"{key}[].role", f"an unknown role, taken for {role}")
    return {
        **request,
        key: [turn if _known(turn, known) or not isinstance(turn, dict) else {**turn, "role": role} for turn in turns],
    }


def _known(turn: object, known: frozenset[str]) -> bool:
    if not isinstance(turn, dict):
        return True
    role = turn.get("role") or ""
    return isinstance(role, str) and role in known
