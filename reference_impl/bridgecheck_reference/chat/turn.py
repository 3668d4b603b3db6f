"""One answer as events: thoughts, then text, then calls of each event, sources and the finish at the end.

Source: core/turn.js of @google/gemini-cli-core 0.61.0 (2026-11-24)."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.answer import InvalidStreamError
from bridgecheck_reference.chat.chat import Chat, ChatStream, TextOrParts
from bridgecheck_reference.chat.documents import calls, candidate, child, parts, text_of, tool_name, visible_text
from bridgecheck_reference.chat.events import (
    Citation,
    Content,
    Error,
    Event,
    Finished,
    InvalidStream,
    Retry,
    ThoughtEvent,
    ToolCallRequest,
    UsageMetadata,
    UserCancelled,
)
from bridgecheck_reference.chat.quota import classify_failure
from bridgecheck_reference.chat.thoughts import parse_thought
from bridgecheck_reference.errors import CallCancelled, ConversionError, ProviderError, ReferenceFailure


class Unauthorized(ReferenceFailure):
    """The provider does not take the credentials."""


class Turn:
    """``pending_tool_calls``: what the program is to run, all requests of the turn. ``finish_reason``: "" before."""

    def __init__(self, chat: Chat, prompt_id: str) -> None:
        self._chat = chat
        self._prompt_id = prompt_id
        self._citations: set[str] = set()
        self._usage: JsonObject | None = None
        self.pending_tool_calls: list[ToolCallRequest] = []
        self.finish_reason = ""

    async def run(self, message: TextOrParts, token: CancelToken | None = None) -> AsyncGenerator[Event, None]:
        """Failures are events, ``Unauthorized`` aside (``ChatSettings.raise_unauthorized``)."""
        started = self._chat.around.now_ms()
        try:
            stream = await self._chat.stream(message, token, prompt_id=self._prompt_id)
            async with aclosing(stream), aclosing(self._read(stream, token)) as events:
                async for event in events:
                    yield event
        except CallCancelled:
            yield UserCancelled()
        except InvalidStreamError as error:
            yield InvalidStream(error.reason, str(error))
        except ConversionError as error:
            yield Error(str(error))
        except ProviderError as error:
            failure = classify_failure(error)
            if error.status == 401 and self._chat.settings.raise_unauthorized:
                raise Unauthorized(failure.message) from error
            yield Error(failure.message, failure.status)
        else:
            if self._usage is not None and self._chat.settings.usage_event:
                yield UsageMetadata(self._usage, self._chat.around.now_ms() - started)

    async def _read(self, stream: ChatStream, token: CancelToken | None) -> AsyncGenerator[Event, None]:
        async for item in stream:
            if token is not None and token.cancelled:
                raise CallCancelled(token.reason)
            if isinstance(item, Retry):
                yield item
                continue
            for event in self._events_of(item):
                yield event

    def _events_of(self, response: JsonObject) -> Iterator[Event]:
        trace_id = str(response.get("responseId") or "")
        for part in parts(candidate(response).get("content")):
            if part.get("thought"):
                yield ThoughtEvent(parse_thought(text_of(part)), trace_id)
        if text := visible_text(response):
            yield Content(text, trace_id)
        for call in calls(response):
            request = ToolCallRequest(
                str(call.get("id")), tool_name(call), child(call, "args"), self._prompt_id, trace_id
            )
            self.pending_tool_calls.append(request)
            yield request
        self._citations.update(_citations(candidate(response)))
        usage = response.get("usageMetadata")
        self._usage = usage if isinstance(usage, dict) else self._usage
        if reason := candidate(response).get("finishReason"):
            if self._citations:
                yield Citation("\n".join(["Citations:", *sorted(self._citations)]))
                self._citations.clear()
            self.finish_reason = str(reason)
            yield Finished(self.finish_reason, usage if isinstance(usage, dict) else None)


def _citations(found: JsonObject) -> Iterator[str]:
    metadata = child(found, "citationMetadata")
    citations = metadata.get("citationSources", metadata.get("citations"))  # the latter at Vertex AI
    for citation in citations if isinstance(citations, list) else []:
        if isinstance(citation, dict) and citation.get("uri") is not None:
            title = citation.get("title")
            yield f"({title}) {citation['uri']}" if title else str(citation["uri"])
