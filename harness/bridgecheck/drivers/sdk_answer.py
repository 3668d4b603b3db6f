"""What an official SDK gave for one call, and how that reads as a response of its dialect."""

from dataclasses import dataclass

from bridgecheck.model.exchange import End, Headers, Response
from bridgecheck.wire import Dialect, JsonObject, Mode


@dataclass(frozen=True, slots=True)
class SdkError:
    """``kind``: the exception's class name. ``status``: the HTTP status, or the code the SDK read from an error
    event; None for a broken connection and for an answer the SDK could not read. ``body``: the error document in its
    dialect, None if there was none. ``retry_after``: the header as sent, "" if none. ``end``: how the connection
    ended, as the SDK saw it."""

    kind: str
    message: str
    status: int | None = None
    body: object | None = None
    retry_after: str = ""
    end: End = "complete"


@dataclass(frozen=True, slots=True)
class SdkAnswer:
    """``documents``: the answer, or the events until the error. They went through the SDK's own types: keys it does
    not know are gone (google-genai) or kept (openai, anthropic)."""

    documents: tuple[JsonObject, ...]
    error: SdkError | None = None

    @property
    def unreadable(self) -> str:
        """What the SDK said of an answer that arrived and made no sense to it; "" otherwise."""
        error = self.error
        if error is None or error.status is not None or error.body is not None or error.end != "complete":
            return ""
        return f"{error.kind}: {error.message}"

    def response(self, dialect: Dialect, mode: Mode) -> Response:
        """As a response of the dialect: an error before the first event has its status, one after it is the last
        event. What the SDK could not read is ``text``."""
        error = self.error
        if error is None:
            return Response(dialect, mode, self.documents)
        body = () if error.body is None else (error.body,)
        headers: Headers = (("retry-after", error.retry_after),) if error.retry_after else ()
        opened = bool(self.documents) or error.status is None
        return Response(
            dialect,
            mode,
            (*self.documents, *body),
            status=200 if opened else error.status or 200,
            headers=headers,
            end=error.end,
            text="" if body or error.end != "complete" else f"{error.kind}: {error.message}",
        )
