"""One conversation of the chat in documents: what a program outside this package drives it by.

A message is a list of parts; its events are the documents that gemini-cli's core gives (``ServerGeminiStreamEvent``):
``{"type": "content", "value": "Hi."}``. A citation, a retry and the rest have their type and their members."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict
from time import time

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.chat.client import ChatClient
from bridgecheck_reference.chat.documents import has_result
from bridgecheck_reference.chat.events import Content, Error, Event, Finished, ThoughtEvent, ToolCallRequest
from bridgecheck_reference.chat.retry import Surroundings
from bridgecheck_reference.config import FLAG, Config
from bridgecheck_reference.errors import NotSupportedError, refuse_conversion_errors
from bridgecheck_reference.generator.factory import create_content_generator
from bridgecheck_reference.generator.protocol import ContentGenerator
from bridgecheck_reference.session import PROVIDER_OF

_MIDDLE: float = 0.5
"""The chance by which waits are shortened or lengthened: neither."""


def open_conversation(
    *,
    upstream: Dialect,
    base_url: str,
    api_key: str,
    model: str,
    request: JsonObject,
    history: Sequence[JsonObject],
    bridged: bool,
    sleep: Callable[[float], Awaitable[None]],
) -> "Conversation":
    """Return a conversation with a provider. ``bridged``: over the provider layer, as with the flag on; off, Gemini is
    called without conversion, and ``NotSupportedError`` says so of any other provider. ``request``: members that every
    request has beside its contents. ``sleep``: waits so many seconds between attempts."""
    if not bridged and upstream != "gemini":
        raise NotSupportedError(f"a chat with {upstream} without the provider layer", "this adapter")
    name = PROVIDER_OF[upstream]
    config = Config(provider=name, api_keys={name: api_key}, base_urls={name: base_url})
    generator = create_content_generator(config, {FLAG: "1"} if bridged else {})
    around = Surroundings(sleep, lambda: time() * 1000, lambda: _MIDDLE)
    return Conversation(generator, ChatClient(generator, model, request=request, history=history, around=around))


class Conversation:
    """``generator`` is closed with it. Results of tools belong to the prompt before them."""

    def __init__(self, generator: ContentGenerator, client: ChatClient) -> None:
        self._generator = generator
        self._client = client
        self._prompts = 0

    async def send(self, message: list[JsonObject]) -> AsyncIterator[JsonObject]:
        """Yield the events of one message, a list of parts, until somebody else has to act."""
        self._prompts += not has_result({"role": "user", "parts": message})
        with refuse_conversion_errors():
            async with aclosing(self._client.send(message, prompt_id=f"prompt-{self._prompts}")) as events:
                async for event in events:
                    yield event_document(event)

    async def close(self) -> None:
        """Let go of the provider."""
        await self._generator.close()


def event_document(event: Event) -> JsonObject:
    """Return an event as gemini-cli's core writes it."""
    return {"type": str(event.type), "value": _value(event)}


def _value(event: Event) -> object:
    match event:
        case Content(text):
            return text
        case ThoughtEvent(thought):
            return asdict(thought)
        case ToolCallRequest(call_id, name, args):
            return {"callId": call_id, "name": name, "args": args}
        case Finished(reason, usage):
            return {"reason": reason, "usageMetadata": usage}
        case Error(message, status):
            return {"error": {"message": message, "status": status}}
        case _:
            return asdict(event)
