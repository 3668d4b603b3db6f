"""Wire level: documents in, documents out, through an object in this process.

What goes in and what comes out is copied through JSON, as a wire would: the adapter cannot change the evidence, and
what is no JSON is nonsense.
"""

import json
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Final, cast

from bridgecheck.drivers.driver import Driver
from bridgecheck.drivers.supervise import Crashed, Refused, Settler, supervised
from bridgecheck.model.adapter import Converter, Stream
from bridgecheck.model.evidence import DeclaredLoss
from bridgecheck.model.exchange import Headers, Request, Response
from bridgecheck.wire import Dialect, JsonObject

_RETRY: Final = ("retry-after", "retry-after-ms")


@dataclass(frozen=True, slots=True)
class Sent:
    """What the adapter sends upstream, and the losses it declared on the way."""

    request: Request
    losses: tuple[DeclaredLoss, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """What the client receives. ``arrivals``: "u" and "c" in the order in which events came and left."""

    response: Response
    losses: tuple[DeclaredLoss, ...] = ()
    arrivals: str = ""


def to_upstream(driver: Driver, request: Request, upstream: Dialect) -> Sent:
    """Raises Crashed or Refused."""
    if driver.identity:
        return Sent(request)
    adapter = _part(driver, "to_upstream")

    def work(settle: Settler) -> Sent:
        result = adapter.to_upstream(
            _copied(request.body), client=request.dialect, upstream=upstream, mode=request.mode, model=request.model
        )
        body = _document(settle(result), "to_upstream")
        sent = Request(upstream, request.mode, body, _model(body, request.model))
        return Sent(sent, _losses(adapter))

    return supervised(work, driver.timeout)


def from_upstream(driver: Driver, response: Response, request: Request) -> Answered:
    """The client's answer to ``request``, from the provider's. Raises Crashed or Refused."""
    if driver.identity:
        return Answered(_passed(response), arrivals="uc" * len(response.documents))
    if response.mode == "stream" and response.status < 400:
        return _streamed(driver, response, request)
    return _unary(driver, response, request)


def _unary(driver: Driver, response: Response, request: Request) -> Answered:
    adapter = _part(driver, "from_upstream")
    document = response.documents[0] if response.documents else {}

    def work(settle: Settler) -> Answered:
        result = settle(
            adapter.from_upstream(
                _copied(document),
                client=request.dialect,
                upstream=response.dialect,
                status=response.status,
                model=request.model,
                request=_copied(request.body),
            )
        )
        status, body = _status_and_body(result)
        answer = Response(request.dialect, request.mode, (body,), status, _hints(response))
        return Answered(answer, _losses(adapter), "uc")

    return supervised(work, driver.timeout)


def _hints(response: Response) -> Headers:
    """Headers are no matter of conversion: a retry hint is carried past the adapter. On the sdk layer it has to do that
    itself."""
    return tuple((name, value) for name, value in response.headers if name in _RETRY) if response.status >= 400 else ()


def _streamed(driver: Driver, response: Response, request: Request) -> Answered:
    adapter = _part(driver, "stream")

    def work(settle: Settler) -> Answered:
        running = _open(adapter, response, request, settle)
        for document in response.documents:
            running.feed(document)
        running.close()
        return running.answered(request.dialect, _losses(adapter))

    return supervised(work, driver.timeout)


def beside(driver: Driver, other: Response, response: Response, request: Request) -> Answered:
    """As ``from_upstream``, while another stream of the same upstream runs through the same adapter: opened first, and
    event by event in turn. Its own answer is nobody's. Raises Crashed or Refused."""
    if driver.identity or response.mode != "stream" or response.status >= 400:
        return from_upstream(driver, response, request)
    adapter = _part(driver, "stream")

    def work(settle: Settler) -> Answered:
        theirs = _open(adapter, other, request, settle)
        ours = _open(adapter, response, request, settle)
        for foreign, own in zip_longest(other.documents, response.documents):
            if foreign is not None:
                theirs.feed(foreign)
            if own is not None:
                ours.feed(own)
        ours.close()
        theirs.close()
        return ours.answered(request.dialect, _losses(adapter))

    return supervised(work, driver.timeout)


@dataclass(slots=True)
class _Running:
    """One stream under way: what it gave so far, and when."""

    stream: Stream
    settle: Settler
    events: list[JsonObject] = field(default_factory=list)
    arrivals: list[str] = field(default_factory=list)

    def feed(self, document: object) -> None:
        made = _documents(self.settle(self.stream.feed(_copied(document))), "feed")
        self.events += made
        self.arrivals.append("u" + "c" * len(made))

    def close(self) -> None:
        last = _documents(self.settle(self.stream.close()), "close")
        self.events += last
        self.arrivals.append("c" * len(last))

    def answered(self, client: Dialect, losses: tuple[DeclaredLoss, ...]) -> Answered:
        answer = Response(client, "stream", tuple(self.events))
        return Answered(answer, tuple(dict.fromkeys((*losses, *_losses(self.stream)))), "".join(self.arrivals))


def _open(adapter: Converter, response: Response, request: Request, settle: Settler) -> _Running:
    stream = adapter.stream(
        client=request.dialect, upstream=response.dialect, model=request.model, request=_copied(request.body)
    )
    return _Running(stream, settle)


def _passed(response: Response) -> Response:
    """The same documents, as the client of the same dialect receives them."""
    return replace(response, chunks=None)


def _part(driver: Driver, method: str) -> Converter:
    if driver.converter is None or not callable(getattr(driver.converter, method, None)):
        raise Refused(f"the adapter has no {method}()")
    driver.ready()
    return driver.converter


def _model(body: JsonObject, asked: str) -> str:
    named = body.get("model")
    return named if isinstance(named, str) and named else asked


def _copied(value: object) -> JsonObject:
    return cast(JsonObject, json.loads(json.dumps(value)))


def _document(value: object, method: str) -> JsonObject:
    if not isinstance(value, dict):
        raise Crashed(f"{method}() returned {type(value).__name__}, expected a JSON object")
    try:
        return cast(JsonObject, json.loads(json.dumps(value, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as wrong:
        raise Crashed(f"{method}() returned something that is no JSON: {wrong}") from wrong


def _documents(value: object, method: str) -> list[JsonObject]:
    if not isinstance(value, list | tuple):
        raise Crashed(f"{method}() returned {type(value).__name__}, expected a list of events")
    return [_document(item, method) for item in value]


def _status_and_body(value: object) -> tuple[int, JsonObject]:
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], int):
        return value[0], _document(value[1], "from_upstream")
    raise Crashed(f"from_upstream() returned {type(value).__name__}, expected (status, JSON object)")


def _losses(holder: object) -> tuple[DeclaredLoss, ...]:
    """Of the last result, if the adapter keeps them."""
    take = getattr(holder, "take_losses", None)
    found = take() if callable(take) else getattr(holder, "losses", None)
    return tuple(map(_loss, found)) if isinstance(found, list | tuple) else ()


def _loss(record: object) -> DeclaredLoss:
    return DeclaredLoss(
        str(getattr(record, "path", "")), str(getattr(record, "reason", "")), str(getattr(record, "severity", ""))
    )
