"""Turn 2 on: a client's request that holds what it received before.

``{"$received": N}`` stands for the assistant message of turn N as the client received it; with ``"fields": "known"``
beside it, for the part of it that a client keeps which knows documented fields only; where a client model plays, for
what this client remembers of it. ``"$id:N.K"`` stands for the id
of its call K (omitted, with its key, where the response had none: Gemini may omit it), ``"$name:N.K"`` for the name of
the function in that call, which a client puts beside the result.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from bridgecheck import normalise
from bridgecheck.client_models import ClientModel
from bridgecheck.errors import HarnessError
from bridgecheck.model.counts import plural
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

_CALL_PLACEHOLDER: Final = re.compile(r"\$(id|name):(\d+)\.(\d+)")
_ABSENT: Final = object()


class NothingReceived(HarnessError):
    """The turn refers to a response without such a message or call: the conversation cannot continue."""

    code = "nothing-received"


def resolve_placeholders(body: JsonObject, received: Sequence[Response]) -> JsonObject:
    """Return the body with every placeholder replaced. Raises NothingReceived."""
    return obj(_resolve_value(body, received))


def resolve_as_client(body: JsonObject, received: Sequence[Response], model: ClientModel) -> JsonObject:
    """Return the body as this client sends it: with what it remembers of each answer, and what it makes of the history.
    Where it forgets a question, the message before goes too. Raises NothingReceived."""
    key = RECORDS[model.dialect].turns_member
    messages: list[JsonObject] = []
    for stated in objs(body.get(key)):
        if "$received" not in stated:
            messages.append(obj(_resolve_value(stated, received)))
            continue
        turn = integer(stated["$received"]) or 0
        _assistant_message(received, turn)
        remembered = model.remember(received[turn])
        del messages[len(messages) - remembered.forgets_question :]
        messages += remembered.messages
    return obj(_resolve_value({**body, key: []}, received)) | {key: model.resend(messages)}


def _resolve_value(value: object, received: Sequence[Response]) -> object:
    if isinstance(value, dict):
        if "$received" in value:
            return _replay_message(received, value)
        pairs = ((key, _resolve_value(item, received)) for key, item in value.items())
        return {key: item for key, item in pairs if item is not _ABSENT}
    if isinstance(value, list):
        return [_resolve_value(item, received) for item in value]
    match = _CALL_PLACEHOLDER.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    call, dialect = _tool_call(received, int(match[2]), int(match[3]))
    in_function = match[1] == "name" and dialect == "openai-chat"
    return text((obj(call.get("function")) if in_function else call).get(match[1])) or _ABSENT


def _replay_message(received: Sequence[Response], placeholder: JsonObject) -> JsonObject:
    """Return the message of a placeholder. Raises HarnessError for an unknown placeholder."""
    turn = integer(placeholder["$received"]) or 0
    message = _assistant_message(received, turn)
    rest = {key: value for key, value in placeholder.items() if key != "$received"}
    if not rest:
        return message
    if rest != {"fields": "known"}:
        raise HarnessError(f"no placeholder: {placeholder}", "", '{"$received": N} or {..., "fields": "known"}')
    return keep_documented_fields(received[turn].dialect, message)


def _assistant_message(received: Sequence[Response], turn: int) -> JsonObject:
    """Return the assistant message of a turn, as its dialect replays it."""
    if turn >= len(received):
        raise NothingReceived(f"turn {turn} was not played")
    response = received[turn]
    message = _MESSAGE_OF[response.dialect](_unary_document(response))
    if not message:
        raise NothingReceived(f"turn {turn} gave no assistant message to send back")
    return message


def _unary_document(response: Response) -> JsonObject:
    if response.mode == "stream":
        return normalise.fold(response.dialect, response.documents)
    return obj(response.documents[0]) if response.documents else {}


def _outcome_message(document: JsonObject) -> JsonObject:
    """Return the turn that the response becomes: its parts, a refusal's text, and what the library wants back."""
    first = next(objs(document.get("choices")), document)
    refusal = text(first.get("refusal"))
    parts = [*arr(first.get("parts")), *([{"text": refusal}] if refusal else [])]
    keep_member = {"keep": first["keep"]} if first.get("keep") is not None else {}
    return {"role": "assistant", "parts": parts, **keep_member} if parts or keep_member else {}


_MESSAGE_OF: Final[Mapping[Dialect, Callable[[JsonObject], JsonObject]]] = {
    "gemini": lambda document: obj(next(objs(document.get("candidates")), {}).get("content")),
    "openai-chat": lambda document: obj(next(objs(document.get("choices")), {}).get("message")),
    "anthropic": lambda document: (
        {"role": "assistant", "content": document["content"]} if document.get("content") else {}
    ),
    "outcome": _outcome_message,
}


def _tool_call(received: Sequence[Response], turn: int, index: int) -> tuple[JsonObject, Dialect]:
    """Return call ``index`` of a turn, as its dialect writes it."""
    message = _assistant_message(received, turn)
    dialect = received[turn].dialect
    calls = _tool_calls(dialect, message)
    if index >= len(calls):
        raise NothingReceived(f"turn {turn} gave {plural(len(calls), 'tool call')}, call {index} was wanted")
    return calls[index], dialect


def _tool_calls(dialect: Dialect, message: JsonObject) -> list[JsonObject]:
    if dialect == "gemini":
        return [obj(part["functionCall"]) for part in objs(message.get("parts")) if "functionCall" in part]
    if dialect == "outcome":
        return [obj(part["tool_call"]) for part in objs(message.get("parts")) if "tool_call" in part]
    if dialect == "anthropic":
        return [block for block in objs(message.get("content")) if block.get("type") == "tool_use"]
    return list(objs(arr(message.get("tool_calls"))))


Fields: TypeAlias = Mapping[str, "Fields | None"]
"""Key -> the keys below it that are kept, None: all. A list keeps its members, each with these keys."""

_FUNCTION: Final[Fields] = {"name": None, "arguments": None}
_BLOCK: Final = (
    "type", "text", "citations", "cache_control", "thinking", "signature", "data", "id", "name", "input",
    "tool_use_id", "content", "is_error", "source",
)  # fmt: skip
_PART: Final = (
    "text", "thought", "thoughtSignature", "inlineData", "fileData", "functionResponse", "executableCode",
    "codeExecutionResult", "videoMetadata", "mediaResolution", "toolCall", "toolResponse",
)  # fmt: skip

DOCUMENTED_FIELDS: Final[Mapping[Dialect, Fields]] = {
    "openai-chat": {
        **dict.fromkeys(("role", "content", "refusal", "name")),
        "audio": {"id": None},
        "function_call": _FUNCTION,
        "tool_calls": {"id": None, "type": None, "function": _FUNCTION, "custom": {"name": None, "input": None}},
    },
    "anthropic": {"role": None, "content": dict.fromkeys(_BLOCK)},
    "gemini": {"role": None, "parts": {**dict.fromkeys(_PART), "functionCall": dict.fromkeys(("id", "name", "args"))}},
}
"""Dialect -> what a client that knows only documented fields sends again of an assistant message. Typed clients do so:
what their types do not name is lost when the history is sent back. Sources: the request types of openai 3.52.0
(``ChatCompletionAssistantMessageParam``), anthropic 2.11.0 (``MessageParam``, its blocks), google-genai 3.4.0
(``Content``, ``Part``); and gemini-cli 0.61.0, which sends no thought parts back (measured)."""


def keep_documented_fields(dialect: Dialect, message: JsonObject) -> JsonObject:
    """Return the message with its documented fields only; a Gemini content without its thoughts."""
    documented = obj(_keep_fields(message, DOCUMENTED_FIELDS[dialect]))
    if dialect != "gemini":
        return documented
    parts = [part for part in arr(documented.get("parts")) if obj(part).get("thought") is not True]
    return documented | {"parts": parts}


def _keep_fields(value: object, fields: Fields | None) -> object:
    if fields is None:
        return value
    if isinstance(value, list):
        return [_keep_fields(item, fields) for item in value]
    if isinstance(value, dict):
        return {key: _keep_fields(item, fields[key]) for key, item in value.items() if key in fields}
    return value
