"""An adapter whose client side has types of its own. It sends Chat Completions requests, which the reference converts
for the other providers. bridgecheck sees only its documents of docs/outcome.md."""

from contextlib import aclosing
from types import MappingProxyType
from typing import Any

from bridgecheck_reference.default_adapter import ReferenceAdapter

from . import chat, documents
from .library_types import CallDelta, Media, Prompt, Replies

UPSTREAMS = ("gemini", "openai-chat", "anthropic")


class Library:
    name, version = "own-types", "1"
    routes = tuple(("outcome", upstream) for upstream in UPSTREAMS)
    sessions = (("outcome", "gemini"), ("outcome", "anthropic"))
    pivots = MappingProxyType({("outcome", upstream): "openai-chat" for upstream in ("gemini", "anthropic")})
    capabilities = ReferenceAdapter.capabilities
    cannot_say = ("turns.results.is_error", "turns.media.uri", "turns.media.detail", "tool_choice.validated")
    """The features that Chat Completions, through which it sends, has no field for."""

    def __init__(self) -> None:
        self.reference = ReferenceAdapter()

    def to_upstream(self, body: dict[str, Any], *, client: str, upstream: str, mode: str, model: str) -> dict[str, Any]:
        chat_body = self.chat_request(body, stream=mode == "stream")
        if upstream == "openai-chat":
            return chat.for_openai(chat_body)
        return self.reference.to_upstream(chat_body, client="openai-chat", upstream=upstream, mode=mode, model=model)

    def chat_request(self, body: dict[str, Any], *, stream: bool) -> dict[str, Any]:
        return chat.write_request(self.read_prompt(body), stream=stream)

    def read_prompt(self, body: dict[str, Any]) -> Prompt:
        return documents.read_prompt(body)

    def write_answer(self, replies: Replies) -> dict[str, Any]:
        return documents.write_answer(replies)

    def write_events(self, replies: Replies) -> list[dict[str, Any]]:
        return documents.write_events(replies)

    def last_events(self, details: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events that the library adds when a stream ends."""
        return [{"keep": details}] if details else []

    def from_upstream(
        self, body: dict[str, Any], *, client: str, upstream: str, status: int, model: str, request: dict[str, Any]
    ) -> tuple[int, dict[str, Any]]:
        if upstream != "openai-chat":
            chat_body = self.chat_request(request, stream=False)
            status, body = self.reference.from_upstream(
                body, client="openai-chat", upstream=upstream, status=status, model=model, request=chat_body
            )
        return status, self.write_answer(self.read_replies(body, status))

    def read_replies(self, body: dict[str, Any], status: int, *, partial: bool = False) -> Replies:
        return chat.read_replies(body, status, partial=partial)

    def stream(self, *, client: str, upstream: str, model: str, request: dict[str, Any]) -> "LibraryStream":
        if upstream == "openai-chat":
            return LibraryStream(self, None)
        chat_body = self.chat_request(request, stream=True)
        return LibraryStream(
            self, self.reference.stream(client="openai-chat", upstream=upstream, model=model, request=chat_body)
        )

    def connect(self, *, client: str, upstream: str, base_url: str, api_key: str) -> "LibrarySession":
        live = self.reference.connect(client="openai-chat", upstream=upstream, base_url=base_url, api_key=api_key)
        return LibrarySession(self, live)


class LibraryStream:
    """Converts chunks into events. The provider's details that the library stores come with the last event."""

    def __init__(self, library: Library, converter: Any) -> None:
        self._library = library
        self._converter = converter
        self._details: dict[str, Any] = {}
        self._finished: set[int] = set()
        self._sound_pieces: list[str] = []
        self._calls: dict[int, str] = {}

    def feed(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        chunks = [event] if self._converter is None else self._converter.feed(event)
        return [made for chunk in chunks for made in self.write_events(chunk)]

    def close(self) -> list[dict[str, Any]]:
        chunks = [] if self._converter is None else self._converter.close()
        last = [made for chunk in chunks for made in self.write_events(chunk)]
        return [*last, *self._library.last_events(self._details)]

    def write_events(self, chunk: dict[str, Any]) -> list[dict[str, Any]]:
        replies = self._library.read_replies(chunk, 200, partial=True)
        for reply in replies.replies:
            for key, value in (reply.details or {}).items():
                self._details[key] = [*self._details.get(key, []), *value] if isinstance(value, list) else value
            reply.details = None
            reply.stop_reason = "" if reply.index in self._finished else reply.stop_reason
            self._finished |= {reply.index} if reply.stop_reason else set()
            reply.pieces = [piece for piece in reply.pieces if not self._collect_sound(piece)]
            if reply.stop_reason and self._sound_pieces:
                reply.pieces.append(Media("audio/*", "".join(self._sound_pieces)))
            for piece in reply.pieces:
                self._assign_index(piece)
        return self._library.write_events(replies)

    def _collect_sound(self, piece: Any) -> bool:
        """Collect a piece of sound, to send all as one when the answer ends; return whether it was one."""
        if not isinstance(piece, Media) or piece.mime != "audio/*":
            return False
        self._sound_pieces.append(piece.data)
        return True

    def _assign_index(self, piece: Any) -> None:
        """Give a call delta without an index that of the call with its id, or the next; some hosts send no index."""
        if isinstance(piece, CallDelta):
            if piece.index < 0:
                known = [number for number, call_id in self._calls.items() if call_id == piece.id or not piece.id]
                piece.index = known[-1] if known else len(self._calls)
            self._calls.setdefault(piece.index, piece.id)


class LibrarySession:
    def __init__(self, library: Library, live: Any) -> None:
        self._library = library
        self._live = live

    async def generate(self, body: dict[str, Any], *, model: str) -> dict[str, Any]:
        chat_body = self._library.chat_request(body, stream=False)
        try:
            answer = await self._live.generate(chat_body, model=model)
        except Exception as error:
            raise library_error(self._library, error) from error
        return self._library.write_answer(self._library.read_replies(answer, 200))

    async def stream(self, body: dict[str, Any], *, model: str) -> Any:
        chat_body = self._library.chat_request(body, stream=True)
        running = LibraryStream(self._library, None)
        try:
            async with aclosing(await self._live.stream(chat_body, model=model)) as chunks:
                async for chunk in chunks:
                    for event in running.write_events(chunk):
                        yield event
        except Exception as error:
            raise library_error(self._library, error) from error
        for event in running.close():
            yield event

    async def close(self) -> None:
        await self._live.close()


class LibraryError(Exception):
    """A failed call, as the library's caller sees it."""

    def __init__(self, body: dict[str, Any], status: int | None, retry_after: float | None) -> None:
        super().__init__(str(body))
        self.body, self.status, self.retry_after = body, status, retry_after


def library_error(library: Library, error: Exception) -> Exception:
    body = getattr(error, "body", None)
    if not isinstance(body, dict):
        return error
    status = getattr(error, "status", None)
    answer = library.write_answer(library.read_replies(body, status or 500))
    return LibraryError(answer, status, getattr(error, "retry_after", None))


adapter = Library()
