"""Turn 2 on: a client's request that holds what it received before.

``{"$received": N}`` stands for the assistant message of turn N as the client received it, with ``"fields": "known"``
beside it for what is left of it at a client that keeps documented fields only; ``"$id:N.K"`` for the id of
call K in it (left out, with its key, where the answer gave none: Gemini need not), ``"$name:N.K"`` for the function's
name in that call, which is what a client puts beside its result.
"""

import re
from collections.abc import Sequence
from typing import Final

from bridgecheck import normalise
from bridgecheck.errors import HarnessError
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.upstream.known_fields import known
from bridgecheck.wire import Dialect, JsonObject

_OF_A_CALL: Final = re.compile(r"\$(id|name):(\d+)\.(\d+)")
_GONE: Final = object()


class NothingReceived(HarnessError):
    """The turn refers to an answer that held no such message or call: the conversation cannot go on."""

    code = "nothing-received"


def resolve(body: JsonObject, received: Sequence[Response]) -> JsonObject:
    """The body with every placeholder replaced. Raises NothingReceived."""
    return obj(_resolved(body, received))


def _resolved(value: object, received: Sequence[Response]) -> object:
    if isinstance(value, dict):
        if "$received" in value:
            return _said_again(received, value)
        pairs = ((key, _resolved(item, received)) for key, item in value.items())
        return {key: item for key, item in pairs if item is not _GONE}
    if isinstance(value, list):
        return [_resolved(item, received) for item in value]
    match = _OF_A_CALL.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    call, dialect = _call(received, int(match[2]), int(match[3]))
    return text((_function(call, dialect) if match[1] == "name" else call).get(match[1])) or _GONE


def _said_again(received: Sequence[Response], placeholder: JsonObject) -> JsonObject:
    """Raises HarnessError for a placeholder that says anything else."""
    turn = integer(placeholder["$received"]) or 0
    message = _message(received, turn)
    rest = {key: value for key, value in placeholder.items() if key != "$received"}
    if not rest:
        return message
    if rest != {"fields": "known"}:
        raise HarnessError(f"no placeholder: {placeholder}", "", '{"$received": N} or {..., "fields": "known"}')
    return known(received[turn].dialect, message)


def _message(received: Sequence[Response], turn: int) -> JsonObject:
    """The assistant message of a turn, as its dialect replays it."""
    if turn >= len(received):
        raise NothingReceived(f"turn {turn} was not played")
    response = received[turn]
    message = _MESSAGE_OF[response.dialect](_unary(response))
    if not message:
        raise NothingReceived(f"turn {turn} gave no assistant message to send back")
    return message


def _unary(response: Response) -> JsonObject:
    if response.mode == "stream":
        return normalise.fold(response.dialect, response.documents)
    return obj(response.documents[0]) if response.documents else {}


def _gemini(document: JsonObject) -> JsonObject:
    return obj(next(objs(document.get("candidates")), {}).get("content"))


def _openai_chat(document: JsonObject) -> JsonObject:
    return obj(next(objs(document.get("choices")), {}).get("message"))


def _anthropic(document: JsonObject) -> JsonObject:
    content = document.get("content")
    return {"role": "assistant", "content": content} if content else {}


def _outcome(document: JsonObject) -> JsonObject:
    """The turn that the answer becomes: its parts as they came, the words of a refusal among them, and what the
    library wants back."""
    first = next(objs(document.get("choices")), document)
    refusal = text(first.get("refusal"))
    parts = [*arr(first.get("parts")), *([{"text": refusal}] if refusal else [])]
    kept = {"keep": first["keep"]} if first.get("keep") is not None else {}
    return {"role": "assistant", "parts": parts, **kept} if parts or kept else {}


_MESSAGE_OF: Final = {"gemini": _gemini, "openai-chat": _openai_chat, "anthropic": _anthropic, "outcome": _outcome}


def _call(received: Sequence[Response], turn: int, index: int) -> tuple[JsonObject, Dialect]:
    """Call ``index`` of a turn, as its dialect writes it."""
    message = _message(received, turn)
    dialect = received[turn].dialect
    calls = _calls(dialect, message)
    if index >= len(calls):
        raise NothingReceived(f"turn {turn} gave {len(calls)} tool calls, call {index} was wanted")
    return calls[index], dialect


def _function(call: JsonObject, dialect: Dialect) -> JsonObject:
    """Where the name stands."""
    return obj(call.get("function")) if dialect == "openai-chat" else call


def _calls(dialect: Dialect, message: JsonObject) -> list[JsonObject]:
    if dialect == "gemini":
        return [obj(part["functionCall"]) for part in objs(message.get("parts")) if "functionCall" in part]
    if dialect == "outcome":
        return [obj(part["tool_call"]) for part in objs(message.get("parts")) if "tool_call" in part]
    if dialect == "anthropic":
        return [block for block in objs(message.get("content")) if block.get("type") == "tool_use"]
    return list(objs(arr(message.get("tool_calls"))))
