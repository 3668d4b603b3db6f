"""Messages of a conversation as pi-ai has them, and as the records of a session file of gemini-cli (R-33, R-37).

Messages: ``user`` (content: text, or a list of ``text`` and ``image``), ``assistant`` (content: a list of ``text``,
``thinking``, ``toolCall``), ``toolResult`` (``toolCallId``, ``toolName``, ``content``, ``isError``). Source: pi-ai
0.73.1, types (2026-11-20). Records: {id, timestamp, type: user | gemini, content: parts of a Gemini content}. Source:
@google/gemini-cli 0.61.0, read and observed (2026-11-23): a model's turn with an empty text is dropped whole, so is a
user's that is blank or starts like a command, unless a part says whether it is a thought; neighbours of one role become
one turn; thoughts are not sent again.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bridgecheck_reference.context.text import trim

Json: TypeAlias = dict[str, object]
Message: TypeAlias = Mapping[str, object]

_DROPPED_PREFIXES: Final = ("/", "?", "<session_context>", "<hook_context>")
_NO_RESULT: Final = "The conversation went on without a result of this call."


class MessagesError(ValueError):
    """A message has another form than expected. The text names its position and field."""


@dataclass(frozen=True, slots=True)
class SplitConversation:
    """``history``: parts and role of each turn before the last message. ``prompt``: text of the last one."""

    history: tuple[Json, ...]
    prompt: str


def split_conversation(conversation: object) -> SplitConversation:
    """Return the history, without the last user's message, and the text of that message.

    What follows the last user's message (calls, their results) is told in the prompt, which has to be the last turn.
    Images of the last message are the history's end: the program joins them with the prompt to one turn. Blank for a
    message of images alone: one space, since a prompt cannot be empty. ``MessagesError``.
    """
    messages = _require_messages(conversation)
    last = max((at for at, message in enumerate(messages) if message["role"] == "user"), default=-1)
    if last < 0:
        raise MessagesError("messages: expected one of role user, got none")
    contents = [*_contents(messages[:last])]
    blocks = _blocks(messages[last])
    if images := [_image_part(block) for block in blocks if block["type"] == "image"]:
        contents.append({"role": "user", "parts": images})
    texts = [str(block["text"]) for block in blocks if block["type"] == "text"]
    prompt = "\n\n".join(filter(None, ["".join(texts), *_tell(messages[last + 1 :])]))
    return SplitConversation(tuple(contents), prompt or (" " if images else ""))


def to_records(history: Sequence[Json], timestamp: str) -> list[Json]:
    """Return the records of these turns, each with an id of its own."""
    return [
        {"id": f"message-{number}", "timestamp": timestamp, **_to_record(content)}
        for number, content in enumerate(history)
    ]


def _to_record(content: Json) -> Json:
    parts = content["parts"]
    assert isinstance(parts, list)
    if content["role"] == "model":
        return {"type": "gemini", "content": parts}
    first, *rest = parts
    text = trim("".join(str(part.get("text", "")) for part in parts))
    if "text" in first and (not text or text.startswith(_DROPPED_PREFIXES)):
        first = {**first, "thought": False}
    return {"type": "user", "content": [first, *rest]}


def _contents(messages: Sequence[Message]) -> Iterator[Json]:
    """Yield the turns of these messages. A call without a result gets one that says so, a result without a call is told
    as text: the API refuses both."""
    used: set[int] = set()
    for at, message in enumerate(messages):
        if message["role"] == "assistant":
            parts, calls = _model_parts(message)
            if parts:
                yield {"role": "model", "parts": parts}
            if calls:
                yield {
                    "role": "user",
                    "parts": [part for call in calls for part in _take_result(messages, at, call, used)],
                }
        elif message["role"] == "toolResult":
            if at not in used:
                yield {"role": "user", "parts": [{"text": _tell_result(message)}, *_images(message)]}
        elif parts := [*_user_parts(message)]:
            yield {"role": "user", "parts": parts}


def _user_parts(message: Message) -> Iterator[Json]:
    for block in _blocks(message):
        if block["type"] == "image":
            yield _image_part(block)
        elif block["text"]:
            yield {"text": block["text"]}


def _model_parts(message: Message) -> tuple[list[Json], list[Json]]:
    """Return the parts of an assistant's message, and its calls."""
    parts: list[Json] = []
    calls = []
    for block in _blocks(message):
        if block["type"] == "text" and block["text"]:
            parts.append({"text": block["text"]})
        elif block["type"] == "thinking" and block["thinking"]:
            parts.append({"text": block["thinking"], "thought": True})
        elif block["type"] == "toolCall":
            call: Json = {"functionCall": {"id": block["id"], "name": block["name"], "args": block["arguments"]}}
            if signature := block.get("thoughtSignature"):
                call["thoughtSignature"] = signature
            parts.append(call)
            calls.append(block)
    return parts, calls


def _take_result(messages: Sequence[Message], start: int, call: Json, used: set[int]) -> list[Json]:
    """Return the parts of the next unused result with the call's id, wherever it stands."""
    for at in range(start + 1, len(messages)):
        result = messages[at]
        if result["role"] == "toolResult" and result["toolCallId"] == call["id"] and at not in used:
            used.add(at)
            response: Json = {"error" if result.get("isError") else "output": _text(result)}
            return [_response_part(call, response), *_images(result)]
    return [_response_part(call, {"error": _NO_RESULT})]


def _response_part(call: Json, response: Json) -> Json:
    return {"functionResponse": {"id": call["id"], "name": call["name"], "response": response}}


def _tell(messages: Sequence[Message]) -> Iterator[str]:
    """Yield what happened behind the last user's message, as text."""
    for message in messages:
        if message["role"] == "toolResult":
            yield _tell_result(message)
            continue
        for block in _blocks(message):
            if block["type"] == "text" and block["text"]:
                yield f"Your answer so far:\n{block['text']}"
            elif block["type"] == "toolCall":
                yield f"You called {block['name']} with {json.dumps(block['arguments'], ensure_ascii=False)}."


def _tell_result(message: Message) -> str:
    kind = "Error" if message.get("isError") else "Result"
    return f"{kind} of {message['toolName']}:\n{_text(message)}"


def _text(message: Message) -> str:
    return "\n".join(str(block["text"]) for block in _blocks(message) if block["type"] == "text")


def _images(message: Message) -> list[Json]:
    return [_image_part(block) for block in _blocks(message) if block["type"] == "image"]


def _image_part(block: Json) -> Json:
    return {"inlineData": {"mimeType": block["mimeType"], "data": block["data"]}}


def _blocks(message: Message) -> list[Json]:
    content = message["content"]
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    assert isinstance(content, list)  # checked before
    return content


_BLOCKS: Final[dict[str, Mapping[str, type]]] = {
    "text": {"text": str},
    "image": {"data": str, "mimeType": str},
    "thinking": {"thinking": str},
    "toolCall": {"id": str, "name": str, "arguments": dict},
}
"""Type of a block -> its required fields."""
_ROLES: Final[dict[object, tuple[frozenset[str], Mapping[str, type]]]] = {
    "user": (frozenset({"text", "image"}), {}),
    "assistant": (frozenset({"text", "thinking", "toolCall"}), {}),
    "toolResult": (frozenset({"text", "image"}), {"toolCallId": str, "toolName": str}),
}
"""Role -> (types of its blocks, further required fields)."""


def _require_messages(messages: object) -> Sequence[Message]:
    if not isinstance(messages, list | tuple):
        raise MessagesError(f"messages: expected a list, got {type(messages).__name__}")
    for at, message in enumerate(messages):
        path = f"messages[{at}]"
        if not isinstance(message, Mapping):
            raise MessagesError(f"{path}: expected an object, got {type(message).__name__}")
        role = message.get("role")
        if not isinstance(role, str) or role not in _ROLES:
            raise MessagesError(f"{path}.role: expected one of {', '.join(map(str, _ROLES))}, got {role!r}")
        types, fields = _ROLES[role]
        _check_fields(path, message, fields)
        _check_content(f"{path}.content", message.get("content"), types)
    return messages


def _check_content(path: str, content: object, types: frozenset[str]) -> None:
    if isinstance(content, str):
        return
    if not isinstance(content, list | tuple):
        raise MessagesError(f"{path}: expected text or a list, got {type(content).__name__}")
    for at, block in enumerate(content):
        kind = block.get("type") if isinstance(block, Mapping) else None
        if not isinstance(kind, str) or kind not in types:
            raise MessagesError(f"{path}[{at}].type: expected one of {', '.join(sorted(types))}, got {kind!r}")
        _check_fields(f"{path}[{at}]", block, _BLOCKS[kind])


def _check_fields(path: str, value: Mapping[str, object], fields: Mapping[str, type]) -> None:
    for name, kind in fields.items():
        if not isinstance(value.get(name), kind):
            raise MessagesError(f"{path}.{name}: expected {kind.__name__}, got {type(value.get(name)).__name__}")
