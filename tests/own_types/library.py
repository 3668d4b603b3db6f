"""An adapter whose client side are types of its own: it asks through Chat Completions, and the reference takes it from
there. What bridgecheck sees of it are the documents of docs/outcome.md."""

from contextlib import aclosing
from types import MappingProxyType
from typing import Any

from bridgecheck_reference.default_adapter import ReferenceAdapter

from . import chat, documents
from .shapes import CallPiece, Picture, Question, Replies

UPSTREAMS = ("gemini", "openai-chat", "anthropic")


class Library:
    name, version = "own-types", "1"
    routes = tuple(("outcome", upstream) for upstream in UPSTREAMS)
    sessions = (("outcome", "gemini"), ("outcome", "anthropic"))
    pivots = MappingProxyType({("outcome", upstream): "openai-chat" for upstream in ("gemini", "anthropic")})
    capabilities = ReferenceAdapter.capabilities
    cannot_say = ("turns.results.is_error", "turns.media.uri", "turns.media.detail", "tool_choice.validated")
    """What Chat, through which it asks, has no place for."""

    def __init__(self) -> None:
        self.under = ReferenceAdapter()

    def to_upstream(self, body: dict[str, Any], *, client: str, upstream: str, mode: str, model: str) -> dict[str, Any]:
        asked = self.asked(body, stream=mode == "stream")
        if upstream == "openai-chat":
            return chat.for_openai(asked)
        return self.under.to_upstream(asked, client="openai-chat", upstream=upstream, mode=mode, model=model)

    def asked(self, body: dict[str, Any], *, stream: bool) -> dict[str, Any]:
        return chat.request(self.question(body), stream=stream)

    def question(self, body: dict[str, Any]) -> Question:
        return documents.question(body)

    def answer(self, given: Replies) -> dict[str, Any]:
        return documents.answer(given)

    def events(self, given: Replies) -> list[dict[str, Any]]:
        return documents.events(given)

    def last_events(self, kept: dict[str, Any]) -> list[dict[str, Any]]:
        """What the library adds when a stream ends."""
        return [{"keep": kept}] if kept else []

    def from_upstream(
        self, body: dict[str, Any], *, client: str, upstream: str, status: int, model: str, request: dict[str, Any]
    ) -> tuple[int, dict[str, Any]]:
        if upstream != "openai-chat":
            asked = self.asked(request, stream=False)
            status, body = self.under.from_upstream(
                body, client="openai-chat", upstream=upstream, status=status, model=model, request=asked
            )
        return status, self.answer(self.replies(body, status))

    def replies(self, body: dict[str, Any], status: int, *, piecewise: bool = False) -> Replies:
        return chat.replies(body, status, piecewise=piecewise)

    def stream(self, *, client: str, upstream: str, model: str, request: dict[str, Any]) -> "LibraryStream":
        if upstream == "openai-chat":
            return LibraryStream(self, None)
        asked = self.asked(request, stream=True)
        return LibraryStream(
            self, self.under.stream(client="openai-chat", upstream=upstream, model=model, request=asked)
        )

    def connect(self, *, client: str, upstream: str, base_url: str, api_key: str) -> "LibrarySession":
        live = self.under.connect(client="openai-chat", upstream=upstream, base_url=base_url, api_key=api_key)
        return LibrarySession(self, live)


class LibraryStream:
    """Chunks in, events out; what the library keeps of the provider's details comes with the last one."""

    def __init__(self, library: Library, under: Any) -> None:
        self._library = library
        self._under = under
        self._kept: dict[str, Any] = {}
        self._ended: set[int] = set()
        self._sound: list[str] = []
        self._calls: dict[int, str] = {}

    def feed(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        chunks = [event] if self._under is None else self._under.feed(event)
        return [made for chunk in chunks for made in self.events(chunk)]

    def close(self) -> list[dict[str, Any]]:
        chunks = [] if self._under is None else self._under.close()
        last = [made for chunk in chunks for made in self.events(chunk)]
        return [*last, *self._library.last_events(self._kept)]

    def events(self, chunk: dict[str, Any]) -> list[dict[str, Any]]:
        given = self._library.replies(chunk, 200, piecewise=True)
        for one in given.replies:
            for key, value in (one.details or {}).items():
                self._kept[key] = [*self._kept.get(key, []), *value] if isinstance(value, list) else value
            one.details = None
            one.why = "" if one.number in self._ended else one.why
            self._ended |= {one.number} if one.why else set()
            one.pieces = [piece for piece in one.pieces if not self._heard(piece)]
            if one.why and self._sound:
                one.pieces.append(Picture("audio/*", "".join(self._sound)))
            for piece in one.pieces:
                self._numbered(piece)
        return self._library.events(given)

    def _heard(self, piece: Any) -> bool:
        """Sound comes in pieces, which are one when the answer ends."""
        if not isinstance(piece, Picture) or piece.mime != "audio/*":
            return False
        self._sound.append(piece.data)
        return True

    def _numbered(self, piece: Any) -> None:
        """Some hosts number no calls: one with an id of its own is a new one."""
        if isinstance(piece, CallPiece):
            if piece.number < 0:
                known = [number for number, given in self._calls.items() if given == piece.id or not piece.id]
                piece.number = known[-1] if known else len(self._calls)
            self._calls.setdefault(piece.number, piece.id)


class LibrarySession:
    def __init__(self, library: Library, live: Any) -> None:
        self._library = library
        self._live = live

    async def generate(self, body: dict[str, Any], *, model: str) -> dict[str, Any]:
        asked = self._library.asked(body, stream=False)
        try:
            given = await self._live.generate(asked, model=model)
        except Exception as error:
            raise told(self._library, error) from error
        return self._library.answer(self._library.replies(given, 200))

    async def stream(self, body: dict[str, Any], *, model: str) -> Any:
        asked = self._library.asked(body, stream=True)
        running = LibraryStream(self._library, None)
        try:
            async with aclosing(await self._live.stream(asked, model=model)) as chunks:
                async for chunk in chunks:
                    for event in running.events(chunk):
                        yield event
        except Exception as error:
            raise told(self._library, error) from error
        for event in running.close():
            yield event

    async def close(self) -> None:
        await self._live.close()


class LibraryError(Exception):
    """A failed call, as the library's caller sees it."""

    def __init__(self, body: dict[str, Any], status: int | None, retry_after: float | None) -> None:
        super().__init__(str(body))
        self.body, self.status, self.retry_after = body, status, retry_after


def told(library: Library, error: Exception) -> Exception:
    body = getattr(error, "body", None)
    if not isinstance(body, dict):
        return error
    status = getattr(error, "status", None)
    given = library.answer(library.replies(body, status or 500))
    return LibraryError(given, status, getattr(error, "retry_after", None))


adapter = Library()
