"""What can go wrong with an answer on its way, one function a fault: the answer as it should have been -> as it is.

A fault replaces the answer it befalls; whoever asks again gets the next one of the cassette.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from bridgecheck.codec import sse
from bridgecheck.model.exchange import End, Headers
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.normalise import ERROR_STATUSES, error_document
from bridgecheck.upstream.script import JSON_TYPE, Answer
from bridgecheck.wire import Dialect

FaultName: TypeAlias = Literal[
    "reset", "cut", "stall", "error-status", "error-event", "html", "content-type", "slow-headers"
]

PAGE: Final = b"<!doctype html>\n<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>\n"
WORDS: Final = "The service is not available at the moment."


@dataclass(frozen=True, slots=True)
class Fault:
    """``at``: where it strikes: a byte of the body (reset, cut, stall), a write (error-event), milliseconds between
    status line and headers (slow-headers). ``status``: of error-status (one of normalise.ERROR_STATUSES) and
    html. ``retry_after``: seconds, None for none. ``only``: which answer it befalls, from 0; None: every one."""

    name: FaultName
    at: int = 0
    status: int = 503
    retry_after: int | None = None
    only: int | None = None

    def __post_init__(self) -> None:
        if self.name not in FAULTS:
            raise ValueError(f"no fault: {self.name}; one of {', '.join(FAULTS)}")
        if self.name == "error-status" and self.status not in ERROR_STATUSES:
            raise ValueError(f"no words for status {self.status}; one of {', '.join(map(str, ERROR_STATUSES))}")

    def strikes(self, number: int) -> bool:
        """Whether it befalls answer ``number``, from 0."""
        return self.only is None or self.only == number


def befall(answer: Answer, fault: Fault, dialect: Dialect) -> Answer:
    """The answer with this fault."""
    return FAULTS[fault.name](answer, fault, dialect)


def _breaking(end: End) -> Callable[[Answer, Fault, Dialect], Answer]:
    """What comes of a body before it breaks off."""

    def broken(answer: Answer, fault: Fault, dialect: Dialect) -> Answer:
        return replace(answer, writes=tuple(_first(answer.writes, fault.at)), end=end)

    return broken


def _first(writes: tuple[bytes, ...], size: int) -> Iterator[bytes]:
    for write in writes:
        if size > 0:
            yield write[:size]
        size -= len(write)


def _error_status(answer: Answer, fault: Fault, dialect: Dialect) -> Answer:
    document = error_document(dialect, fault.status, WORDS, fault.retry_after)
    return Answer(fault.status, (("content-type", JSON_TYPE), *_wait(fault)), (canonical(document).encode(),))


def _wait(fault: Fault) -> Headers:
    return () if fault.retry_after is None else (("retry-after", str(fault.retry_after)),)


def _error_event(answer: Answer, fault: Fault, dialect: Dialect) -> Answer:
    """In the middle of a stream; nothing follows, no terminator either."""
    event = sse.frame(dialect, error_document(dialect, fault.status, WORDS))
    return replace(answer, writes=(*answer.writes[: fault.at], event))


def _html(answer: Answer, fault: Fault, dialect: Dialect) -> Answer:
    """What a proxy in between says."""
    return Answer(fault.status, (("content-type", "text/html"), *_wait(fault)), (PAGE,))


def _content_type(answer: Answer, fault: Fault, dialect: Dialect) -> Answer:
    """A stream that calls itself a document, a document that calls itself text."""
    streamed = any(name == "content-type" and value.startswith(sse.MEDIA_TYPE) for name, value in answer.headers)
    others = tuple((name, value) for name, value in answer.headers if name != "content-type")
    return replace(answer, headers=(("content-type", JSON_TYPE if streamed else "text/plain"), *others))


def _slow_headers(answer: Answer, fault: Fault, dialect: Dialect) -> Answer:
    return replace(answer, head_ms=fault.at)


FAULTS: Final[dict[FaultName, Callable[[Answer, Fault, Dialect], Answer]]] = {
    "reset": _breaking("reset"),
    "cut": _breaking("cut"),
    "stall": _breaking("timeout"),
    "error-status": _error_status,
    "error-event": _error_event,
    "html": _html,
    "content-type": _content_type,
    "slow-headers": _slow_headers,
}
