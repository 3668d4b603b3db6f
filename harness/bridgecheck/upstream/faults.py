"""What can go wrong with an answer on its way, one function a fault: the answer as it should have been -> as it is.

A fault replaces the answer it befalls; whoever asks again gets the next one of the cassette.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from bridgecheck.codec import sse
from bridgecheck.codec.body import encode_document
from bridgecheck.model.exchange import End, Headers
from bridgecheck.normalise import ERROR_STATUSES, error_document
from bridgecheck.upstream.wire_response import JSON_TYPE, WireResponse
from bridgecheck.wire import Dialect

FaultName: TypeAlias = Literal[
    "reset", "cut", "stall", "error-status", "error-event", "html", "content-type", "slow-headers"
]

_HTML_HEAD: Final = b"<!doctype html>\n<html><head><title>502 Bad Gateway</title></head>"
HTML_PAGE: Final = _HTML_HEAD + b"<body>Bad Gateway</body></html>\n"
MESSAGE: Final = "The service is not available at the moment."


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a response. ``at``: where it occurs: a byte of the body (reset, cut, stall), a write (error-event),
    milliseconds between status line and headers (slow-headers). ``status``: of error-status (one of
    normalise.ERROR_STATUSES) and html. ``retry_after``: seconds, None for none. ``only``: which response it affects,
    from 0; None: every one."""

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

    def applies_to(self, number: int) -> bool:
        """Return whether it affects response ``number``, from 0."""
        return self.only is None or self.only == number


def apply_fault(response: WireResponse, fault: Fault, dialect: Dialect) -> WireResponse:
    return FAULTS[fault.name](response, fault, dialect)


def _body_breaker(end: End) -> Callable[[WireResponse, Fault, Dialect], WireResponse]:
    """Return the function that keeps the first bytes of a body and ends it with ``end``."""

    def break_body(response: WireResponse, fault: Fault, dialect: Dialect) -> WireResponse:
        return replace(response, writes=tuple(_first_bytes(response.writes, fault.at)), end=end)

    return break_body


def _first_bytes(writes: tuple[bytes, ...], size: int) -> Iterator[bytes]:
    for write in writes:
        if size > 0:
            yield write[:size]
        size -= len(write)


def _replace_with_error(response: WireResponse, fault: Fault, dialect: Dialect) -> WireResponse:
    document = error_document(dialect, fault.status, MESSAGE, fault.retry_after)
    headers = (("content-type", JSON_TYPE), *_retry_after_header(fault))
    return WireResponse(fault.status, headers, (encode_document(dialect, document),))


def _retry_after_header(fault: Fault) -> Headers:
    return () if fault.retry_after is None else (("retry-after", str(fault.retry_after)),)


def _end_with_error_event(response: WireResponse, fault: Fault, dialect: Dialect) -> WireResponse:
    """Replace the rest of a stream by an error event; nothing follows, no terminator either."""
    event = sse.frame_event(dialect, error_document(dialect, fault.status, MESSAGE))
    return replace(response, writes=(*response.writes[: fault.at], event))


def _replace_with_html(response: WireResponse, fault: Fault, dialect: Dialect) -> WireResponse:
    """Replace the response by the page of a proxy in between."""
    return WireResponse(fault.status, (("content-type", "text/html"), *_retry_after_header(fault)), (HTML_PAGE,))


def _swap_content_type(response: WireResponse, fault: Fault, dialect: Dialect) -> WireResponse:
    """Label a stream as a document, and a document as text."""
    streamed = any(name == "content-type" and value.startswith(sse.MEDIA_TYPE) for name, value in response.headers)
    headers = tuple((name, value) for name, value in response.headers if name != "content-type")
    return replace(response, headers=(("content-type", JSON_TYPE if streamed else "text/plain"), *headers))


FAULTS: Final[dict[FaultName, Callable[[WireResponse, Fault, Dialect], WireResponse]]] = {
    "reset": _body_breaker("reset"), "cut": _body_breaker("cut"), "stall": _body_breaker("timeout"),
    "error-status": _replace_with_error, "error-event": _end_with_error_event, "html": _replace_with_html,
    "content-type": _swap_content_type,
    "slow-headers": lambda response, fault, dialect: replace(response, head_ms=fault.at),
}  # fmt: skip
