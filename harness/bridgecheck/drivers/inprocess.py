"""Wire level: documents in, documents out, through an object in this process, or in the adapter's own.

What goes in and what comes out is copied through JSON, as a wire would: the adapter cannot change the evidence, and
what is no JSON is nonsense.
"""

import json
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Final, cast

from bridgecheck.drivers.driver import Driver
from bridgecheck.drivers.foreign_code import AwaitRunner, Crashed, NoMethod, run_foreign_code
from bridgecheck.model.adapter import Converter, Stream
from bridgecheck.model.evidence import ReportedLoss, read_reported_losses
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.jsonvalue import parse_json, text
from bridgecheck.wire import Dialect, JsonObject

_RETRY_HEADERS: Final = ("retry-after", "retry-after-ms")


@dataclass(frozen=True, slots=True)
class ConvertedRequest:
    """What the adapter sends upstream, and the losses it declared for it."""

    request: Request
    losses: tuple[ReportedLoss, ...] = ()


@dataclass(frozen=True, slots=True)
class ConvertedResponse:
    """What the client receives. ``arrivals``: "u" and "c" in the order in which events arrived and left."""

    response: Response
    losses: tuple[ReportedLoss, ...] = ()
    arrivals: str = ""


def convert_request(driver: Driver, request: Request, upstream: Dialect) -> ConvertedRequest:
    """Convert the client's request into the one sent upstream. Raises Crashed or Refused."""
    if driver.identity:
        return ConvertedRequest(request)
    if driver.process is not None:
        _require_method(driver, "to_upstream")
        return driver.process.convert_request(request, upstream, driver.timeout)
    adapter = _ready_converter_with_method(driver, "to_upstream")

    def work(runner: AwaitRunner) -> ConvertedRequest:
        result = adapter.to_upstream(
            _copy_json(request.body), client=request.dialect, upstream=upstream, mode=request.mode, model=request.model
        )
        body = document_or_raise_crashed(runner(result), "to_upstream")
        sent = Request(upstream, request.mode, body, text(body.get("model")) or request.model)
        return ConvertedRequest(sent, _declared_losses(adapter))

    return run_foreign_code(work, driver.timeout)


def convert_response(driver: Driver, response: Response, request: Request) -> ConvertedResponse:
    """Convert the provider's response to ``request`` into the client's. Raises Crashed or Refused."""
    if driver.identity:
        return ConvertedResponse(replace(response, chunks=None), arrivals="uc" * len(response.documents))
    is_stream = response.mode == "stream" and response.status < 400
    if driver.process is not None:
        _require_method(driver, "stream" if is_stream else "from_upstream")
        return driver.process.convert_response(response, request, driver.timeout)
    if is_stream:
        return _convert_stream(driver, response, request)
    return _convert_unary(driver, response, request)


def _convert_unary(driver: Driver, response: Response, request: Request) -> ConvertedResponse:
    adapter = _ready_converter_with_method(driver, "from_upstream")
    document = response.documents[0] if response.documents else {}

    def work(runner: AwaitRunner) -> ConvertedResponse:
        result = runner(
            adapter.from_upstream(
                _copy_json(document),
                client=request.dialect,
                upstream=response.dialect,
                status=response.status,
                model=request.model,
                request=_copy_json(request.body),
            )
        )
        status, body = _status_and_body_or_raise_crashed(result)
        # Headers are not converted at wire level, so the retry hints of an error pass the adapter.
        hints = tuple(header for header in response.headers if header[0] in _RETRY_HEADERS and response.status >= 400)
        answer = Response(request.dialect, request.mode, (body,), status, hints)
        return ConvertedResponse(answer, _declared_losses(adapter), "uc")

    return run_foreign_code(work, driver.timeout)


def _convert_stream(driver: Driver, response: Response, request: Request) -> ConvertedResponse:
    adapter = _ready_converter_with_method(driver, "stream")

    def work(runner: AwaitRunner) -> ConvertedResponse:
        running = _open_stream(adapter, response, request, runner)
        for document in response.documents:
            running.feed(document)
        running.close()
        return running.converted_response(request.dialect, _declared_losses(adapter))

    return run_foreign_code(work, driver.timeout)


def convert_interleaved(
    driver: Driver, second_response: Response, response: Response, request: Request
) -> ConvertedResponse:
    """Convert a stream while a second stream of the same upstream runs through the same adapter.

    The second one is opened first and advances event by event in turn; its result is dropped. Raises Crashed or
    Refused.
    """
    if driver.identity or response.mode != "stream" or response.status >= 400:
        return convert_response(driver, response, request)
    if driver.process is not None:
        _require_method(driver, "stream")
        return driver.process.convert_response(response, request, driver.timeout, second_response)
    adapter = _ready_converter_with_method(driver, "stream")

    def work(runner: AwaitRunner) -> ConvertedResponse:
        second = _open_stream(adapter, second_response, request, runner)
        first = _open_stream(adapter, response, request, runner)
        for second_event, own_event in zip_longest(second_response.documents, response.documents):
            if second_event is not None:
                second.feed(second_event)
            if own_event is not None:
                first.feed(own_event)
        first.close()
        second.close()
        return first.converted_response(request.dialect, _declared_losses(adapter))

    return run_foreign_code(work, driver.timeout)


@dataclass(slots=True)
class _OpenStream:
    """One stream under way: its events so far, and their order of arrival."""

    stream: Stream
    runner: AwaitRunner
    events: list[JsonObject] = field(default_factory=list)
    arrivals: list[str] = field(default_factory=list)

    def feed(self, document: object) -> None:
        events = _documents_or_raise_crashed(self.runner(self.stream.feed(_copy_json(document))), "feed")
        self.events += events
        self.arrivals.append("u" + "c" * len(events))

    def close(self) -> None:
        last = _documents_or_raise_crashed(self.runner(self.stream.close()), "close")
        self.events += last
        self.arrivals.append("c" * len(last))

    def converted_response(self, client: Dialect, losses: tuple[ReportedLoss, ...]) -> ConvertedResponse:
        answer = Response(client, "stream", tuple(self.events))
        all_losses = tuple(dict.fromkeys((*losses, *_declared_losses(self.stream))))
        return ConvertedResponse(answer, all_losses, "".join(self.arrivals))


def _open_stream(adapter: Converter, response: Response, request: Request, runner: AwaitRunner) -> _OpenStream:
    stream = adapter.stream(
        client=request.dialect, upstream=response.dialect, model=request.model, request=_copy_json(request.body)
    )
    return _OpenStream(stream, runner)


def _ready_converter_with_method(driver: Driver, method: str) -> Converter:
    converter = _require_method(driver, method)
    driver.ready()
    return converter


def _require_method(driver: Driver, method: str) -> Converter:
    """Return the converter if it has the method. Raises NoMethod."""
    if driver.converter is None or not callable(getattr(driver.converter, method, None)):
        raise NoMethod(f"the adapter has no {method}()")
    return driver.converter


def _copy_json(value: object) -> JsonObject:
    return cast(JsonObject, json.loads(json.dumps(value)))


def document_or_raise_crashed(value: object, method: str) -> JsonObject:
    if not isinstance(value, dict):
        raise Crashed(f"{method}() returned {type(value).__name__}, expected a JSON object")
    try:
        return cast(JsonObject, parse_json(json.dumps(value)))
    except (TypeError, ValueError, RecursionError) as wrong:
        raise Crashed(f"{method}() returned something that is no JSON: {wrong}") from wrong


def _documents_or_raise_crashed(value: object, method: str) -> list[JsonObject]:
    if not isinstance(value, list | tuple):
        raise Crashed(f"{method}() returned {type(value).__name__}, expected a list of events")
    return [document_or_raise_crashed(item, method) for item in value]


def _status_and_body_or_raise_crashed(value: object) -> tuple[int, JsonObject]:
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], int):
        return value[0], document_or_raise_crashed(value[1], "from_upstream")
    raise Crashed(f"from_upstream() returned {type(value).__name__}, expected (status, JSON object)")


def _declared_losses(holder: object) -> tuple[ReportedLoss, ...]:
    """Return the losses of the last result, if the adapter records them."""
    take = getattr(holder, "take_losses", None)
    losses = take() if callable(take) else getattr(holder, "losses", None)
    if not isinstance(losses, list | tuple):
        return ()
    members = ("path", "reason", "severity")
    return tuple(read_reported_losses([str(getattr(loss, member, "")) for member in members] for loss in losses))
