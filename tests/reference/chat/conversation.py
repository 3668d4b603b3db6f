"""A chat over scripted answers: time and chance are the test's, and every request is kept."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.client import ChatClient
from bridgecheck_reference.chat.events import Event
from bridgecheck_reference.chat.retry import Surroundings
from bridgecheck_reference.errors import ProviderError

Json = dict[str, object]
MODEL = "gemini-2.5-flash"


def event(*parts: Json, finish: str = "", **more: object) -> Json:
    """One event of a stream; ``finish``: "" for none."""
    reason = {"finishReason": finish} if finish else {}
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **reason}], **more}


def text(content: str, finish: str = "STOP", **more: object) -> list[Json]:
    """The events of an answer of one text."""
    return [event({"text": content}, finish=finish, **more)]


def call(name: str = "f", identifier: str = "1", **args: object) -> list[Json]:
    """The events of an answer of one call."""
    return [event({"functionCall": {"name": name, "args": args, "id": identifier}}, finish="STOP")]


def result(name: str = "f", identifier: str = "f__1", output: str = "ok") -> list[Json]:
    return [{"functionResponse": {"name": name, "id": identifier, "response": {"output": output}}}]


def refusal(
    status: int, message: str = "no", *details: Json, code: str = "", retry_after: float | None = None
) -> ProviderError:
    body: Json = {"error": {"code": status, "message": message, "details": list(details)}}
    return ProviderError(message, body=body, dialect="gemini", status=status, code=code, retry_after=retry_after)


class Script:
    """``ContentGenerator`` that plays answers in order: events, a whole answer, or a failure; a failure among events
    breaks the stream. ``requests``: each with its method."""

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)
        self.requests: list[tuple[str, Json]] = []

    async def generate_content(self, request: Json, user_prompt_id: str, role: str = "main") -> Json:
        found = self._take("unary", request)
        assert isinstance(found, dict), f"a stream was scripted, a whole answer asked for: {found}"
        return found

    async def generate_content_stream(self, request: Json, user_prompt_id: str, role: str = "main") -> "Stream":
        found = self._take("stream", request)
        assert isinstance(found, list), f"a whole answer was scripted, a stream asked for: {found}"
        return Stream(found)

    async def count_tokens(self, request: Json) -> Json:
        found = self._take("count", request)
        assert isinstance(found, dict)
        return found

    async def embed_content(self, request: Json) -> Json:
        raise NotImplementedError

    async def close(self) -> None:
        pass

    def contents(self, index: int = -1) -> object:
        return self.requests[index][1]["contents"]

    def _take(self, method: str, request: Json) -> object:
        self.requests.append((method, deepcopy({key: request[key] for key in request if key != "config"})))
        found = self._answers.pop(0)
        if isinstance(found, BaseException):
            raise found
        items = found if isinstance(found, list) else [found]
        copies = [deepcopy(item) if isinstance(item, dict) else item for item in items]
        return copies if isinstance(found, list) else copies[0]


class Stream:
    def __init__(self, items: list[object]) -> None:
        self._items = iter(items)
        self.closed = False

    def __aiter__(self) -> AsyncIterator[Json]:
        return self

    async def __anext__(self) -> Json:
        found = next(self._items, None)
        if found is None or self.closed:
            raise StopAsyncIteration
        if isinstance(found, BaseException):
            raise found
        assert isinstance(found, dict)
        return found

    async def aclose(self) -> None:
        self.closed = True


@dataclass
class Time:
    """A clock that only waits move. ``waits``: seconds."""

    waits: list[float] = field(default_factory=list)
    now_ms: float = 1000.0

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now_ms += seconds * 1000
        await asyncio.sleep(0)

    def surroundings(self, chance: float = 0.5) -> Surroundings:
        return Surroundings(self.sleep, lambda: self.now_ms, lambda: chance)


def play(
    script: Script, *messages: object, time: Time | None = None, token: CancelToken | None = None, **options: object
) -> tuple[list[list[Event]], ChatClient]:
    """The events of each message, and the client. Results of tools belong to the prompt before them."""
    client = ChatClient(script, MODEL, around=(time or Time()).surroundings(), **options)

    async def main() -> list[list[Event]]:
        found, prompt = [], 0
        for message in messages:
            prompt += not isinstance(message, list)
            found.append([item async for item in client.send(message, token, prompt_id=f"p{prompt}")])
        return found

    return asyncio.run(asyncio.wait_for(main(), 60)), client


def kinds(events: Sequence[Event]) -> list[str]:
    """The type of each event."""
    return [str(item.type) for item in events]


def contents_as_texts(contents: object) -> list[object]:
    """Each content as its text, or its parts where it has others."""
    assert isinstance(contents, list)
    return [
        "".join(part["text"] for part in content["parts"])
        if all(part.keys() == {"text"} for part in content["parts"])
        else content["parts"]
        for content in contents
    ]
