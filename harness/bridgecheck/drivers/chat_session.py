"""Chat level: a client with a history of its own, driven as a session, so that every player of sessions plays it.

A session takes whole requests; of each only what is new since the last answer is sent to the chat, and the events that
come are put down as the Gemini answer that a person sees: text, thoughts, calls by the ids that the chat gave them, the
finish reason. What a retry makes void is left out."""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import cast

from bridgecheck.drivers.foreign_code import Crashed, iterate_async
from bridgecheck.drivers.inprocess import document_or_raise_crashed
from bridgecheck.model.adapter import Conversation, Converses
from bridgecheck.model.jsonvalue import integer, obj, objs, text
from bridgecheck.wire import Dialect, JsonObject

_UNKNOWN_STATUS = 500


async def pass_at_once(seconds: float) -> None:
    """Wait in place of a chat: a recording has nothing to wait for."""


@dataclass(slots=True)
class _OpenCall:
    """A call that waits for its result. ``id``: as the chat gave it."""

    name: str
    id: str


@dataclass(slots=True)
class ChatSession:
    """A session whose client is a chat. It begins with the first request; only streams are played."""

    adapter: Converses
    upstream: Dialect
    base_url: str
    api_key: str
    bridged: bool
    _conversation: Conversation | None = None
    _open_calls: list[_OpenCall] = field(default_factory=list)

    async def generate(self, body: JsonObject, *, model: str) -> JsonObject:
        raise NotImplementedError("a chat streams")

    async def stream(self, body: JsonObject, *, model: str) -> AsyncIterator[JsonObject]:
        """Return the answer to the last message of the request, once it is whole."""
        earlier, message = split_off_message(body)
        if self._conversation is None:
            members = {name: value for name, value in body.items() if name != "contents"}
            self._conversation = self.adapter.converse(
                upstream=self.upstream, base_url=self.base_url, api_key=self.api_key, model=model, request=members,
                history=earlier, bridged=self.bridged, sleep=pass_at_once,
            )  # fmt: skip
        self._name_results(message)
        answer: list[JsonObject] = []
        async for event in _events_of(self._conversation.send(message)):
            document = document_or_raise_crashed(event, "send")
            if document.get("type") == "retry":
                answer.clear()
                self._open_calls.clear()
            if document.get("type") == "tool_call_request":
                call = obj(document.get("value"))
                self._open_calls.append(_OpenCall(text(call.get("name")), text(call.get("callId"))))
            answer += answer_event(document)
        return iterate_async(answer)

    async def close(self) -> None:
        if self._conversation is not None:
            result: object = self._conversation.close()
            if isawaitable(result):
                await result

    def _name_results(self, message: Sequence[JsonObject]) -> None:
        """Put the chat's ids on results: by the id that the provider gave, else those of one name in order."""
        for part in message:
            result = obj(part.get("functionResponse"))
            if not result:
                continue
            name, identifier = text(result.get("name")), text(result.get("id"))
            by_id = [call for call in self._open_calls if identifier and call.id.endswith(identifier)]
            found = by_id or [call for call in self._open_calls if call.name == name]
            if found:
                result["id"] = found[0].id
                self._open_calls.remove(found[0])


async def _events_of(events: object) -> AsyncIterator[object]:
    found = await events if isawaitable(events) else events
    if not hasattr(found, "__aiter__"):
        if not isinstance(found, Iterable) or isinstance(found, str | bytes | dict):
            raise Crashed(f"send() gave {type(found).__name__}, expected an iterator, async or not")
        found = iterate_async(found)
    async for event in cast("AsyncIterator[object]", found):
        yield event


def split_off_message(body: JsonObject) -> tuple[list[JsonObject], list[JsonObject]]:
    """Return the contents of a request before the user's last message, each with its role, and copies of the parts of
    that message: of all contents behind the model's last."""
    contents = [{**content, "role": content.get("role") or "user"} for content in objs(body.get("contents"))]
    start = len(contents)
    while start and contents[start - 1]["role"] != "model":
        start -= 1
    if all(content["role"] == "user" for content in contents):
        start = max(0, len(contents) - 1)
    parts = [_copy_part(part) for content in contents[start:] for part in objs(content.get("parts"))]
    return contents[:start], parts


def _copy_part(part: JsonObject) -> JsonObject:
    result = part.get("functionResponse")
    return {**part, "functionResponse": dict(result)} if isinstance(result, dict) else dict(part)


def answer_event(event: JsonObject) -> list[JsonObject]:
    """Return an event of a chat as that of an answer; [] for one that is no part of an answer."""
    value, found = event.get("value"), obj(event.get("value"))
    match event.get("type"):
        case "content":
            return [_candidate({"text": text(value)})]
        case "thought":
            return [_candidate({"text": write_thought(found), "thought": True})]
        case "tool_call_request":
            call = {"id": found.get("callId"), "name": found.get("name"), "args": found.get("args")}
            return [_candidate({"functionCall": call})]
        case "finished":
            usage = {"usageMetadata": found["usageMetadata"]} if found.get("usageMetadata") else {}
            return [{"candidates": [{"finishReason": found.get("reason"), "index": 0}], **usage}]
        case "error":
            error = obj(found.get("error"))
            status = integer(error.get("status"))
            return [_error(text(error.get("message")), _UNKNOWN_STATUS if status is None else status)]
        case "invalid_stream":
            return [_error(text(found.get("message")), _UNKNOWN_STATUS)]
        case _:
            return []


def write_thought(thought: JsonObject) -> str:
    """Return a thought as the model writes it: its subject bold, its description behind it."""
    subject, description = text(thought.get("subject")), text(thought.get("description"))
    return f"**{subject}** {description}".rstrip() if subject else description


def _candidate(part: JsonObject) -> JsonObject:
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}


def _error(message: str, status: int) -> JsonObject:
    return {"error": {"code": status, "message": message}}
