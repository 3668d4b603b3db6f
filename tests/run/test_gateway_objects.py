"""Gateways that are objects in this process, called with the HTTP bytes of their clients."""

import asyncio
import http.client
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest

from bridgecheck.drivers import gateway_object
from bridgecheck.drivers.driver import Driver, describe_adapter
from bridgecheck.errors import BadTarget
from bridgecheck.files import load_scenario, scenario_files, scenarios_root
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.verdict import CaseResult
from bridgecheck.relations.choice import NO_RELATIONS, RelationChoice
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case, Selection, plan

Play = Callable[..., dict[str, CaseResult]]
CHAT = (("openai-chat", "openai-chat"),)


class TransparentGateway:
    """Forwards the client's request and the response unchanged."""

    name, version, routes = "passing", "1", CHAT

    async def handle(self, request: HttpRequest, upstream: Any) -> Any:
        return await upstream.send(request)


class SynchronousGateway:
    """The same without async, with its own HTTP client."""

    name, version, routes = "plain", "1", CHAT

    def handle(self, request: HttpRequest, upstream: Any) -> Any:
        client = http.client.HTTPConnection(urlsplit(upstream.base_url).netloc)
        path = f"{urlsplit(upstream.base_url).path}/chat/completions"
        headers = {"content-type": "application/json", "authorization": f"Bearer {upstream.api_key}"}
        client.request("POST", path, request.body, headers)
        answer = client.getresponse()
        passed_headers = {
            name: value for name, value in answer.getheaders() if name.lower() in ("content-type", "retry-after")
        }
        return answer.status, passed_headers, self.body(client, answer)

    def body(self, client: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> Iterator[bytes]:
        try:
            while data := answer.read1(65536):
                yield data
        except http.client.IncompleteRead as broken:
            raise ConnectionError(str(broken)) from broken
        finally:
            client.close()


@pytest.fixture
def play(library: Library, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Return the results of a scenario's bridged cases by variant."""

    def play_scenario(
        adapter: object, scenario: str, relation_choice: RelationChoice = NO_RELATIONS, seconds: float = 20.0
    ) -> dict[str, CaseResult]:
        driver = replace(describe_adapter("python:x:y", adapter), timeout=seconds)
        found = load_scenario(scenarios_root() / f"{scenario}.json")
        cases = [case for case in plan(found, driver, Selection(paths=("bridged",))) if not case.why_not]
        return {case.key.mode: run_case(case, found, driver, library, relation_choice) for case in cases}

    return play_scenario


def status(result: CaseResult, check: str) -> str:
    return next((verdict.status for verdict in result.verdicts if verdict.check == check), "")


@pytest.mark.parametrize("adapter", [TransparentGateway(), SynchronousGateway()], ids=["async", "sync"])
@pytest.mark.parametrize("scenario", ["tools/single-call", "errors/rate-limit", "broken-streams/reset"])
def test_a_transparent_gateway_passes(play: Play, adapter: object, scenario: str) -> None:
    found = play(adapter, scenario)
    assert found
    for result in found.values():
        assert result.key.layer == "http"
        assert result.status in ("PASS", "INHERITED"), result.verdicts
        assert status(result, "adapter.completes") == "PASS"


def test_a_gateway_receives_the_requests_of_its_clients(play: Play) -> None:
    class KeepsRequests(TransparentGateway):
        requests: ClassVar[list[Any]] = []

        async def handle(self, request: HttpRequest, upstream: Any) -> Any:
            self.requests.append((request, upstream.dialect, upstream.base_url))
            return await super().handle(request, upstream)

    play(KeepsRequests(), "tools/single-call")
    request, dialect, base_url = KeepsRequests.requests[0]
    assert (request.method, request.path, dialect) == ("POST", "/v1/chat/completions", "openai-chat")
    assert json.loads(request.body)["messages"]
    assert dict(request.headers)["authorization"].startswith("Bearer ")
    assert base_url.startswith("http://127.0.0.1:") and base_url.endswith("/v1")


class BufferingGateway(TransparentGateway):
    """Returns a stream only when it has ended."""

    async def handle(self, request: HttpRequest, upstream: Any) -> Any:
        answer = await upstream.send(request)
        whole = b"".join([chunk async for chunk in answer.body])
        return answer.status, answer.headers, whole


class IgnoresDisconnect(TransparentGateway):
    """Continues reading after its client disconnected."""

    async def handle(self, request: HttpRequest, upstream: Any) -> Any:
        answer = await upstream.send(request)
        return answer.status, answer.headers, self.body(answer.body)

    async def body(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        try:
            async for chunk in chunks:
                yield chunk
        finally:
            async for _ in chunks:
                pass


class ChangesText(TransparentGateway):
    async def handle(self, request: HttpRequest, upstream: Any) -> Any:
        answer = await upstream.send(request)
        return answer.status, answer.headers, self.body(answer.body)

    async def body(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for chunk in chunks:
            yield chunk.replace(b"get_tide", b"get_time")


class CallsTwice(TransparentGateway):
    async def handle(self, request: HttpRequest, upstream: Any) -> Any:
        answer = await upstream.send(request)
        async for _ in answer.body:
            pass
        return await upstream.send(request)


@pytest.mark.parametrize(
    ("adapter", "scenario", "check", "expected"),
    [
        (TransparentGateway(), "chunks/done-inside-text", "stream.incremental", "PASS"),
        (BufferingGateway(), "chunks/done-inside-text", "stream.incremental", "WARN"),
        (TransparentGateway(), "relay/client-goes-away", "relay.cancel", "PASS"),
        (IgnoresDisconnect(), "relay/client-goes-away", "relay.cancel", "WARN"),
        (CallsTwice(), "tools/single-call", "relay.expected_calls", "FAIL"),
        (ChangesText(), "tools/single-call", "response.tool_calls", "FAIL"),
    ],
)
def test_a_planted_fault_is_noticed(play: Play, adapter: object, scenario: str, check: str, expected: str) -> None:
    assert expected in {status(result, check) for result in play(adapter, scenario).values()}


class StubGateway:
    """Calls the given function instead of answering."""

    name, version, routes = "doing", "1", CHAT

    def __init__(self, does: Callable[[], Any]) -> None:
        self.does = does

    def handle(self, request: HttpRequest, upstream: Any) -> Any:
        return self.does()


def raises(error: Exception) -> Callable[[], Any]:
    def does() -> Any:
        raise error

    return does


def endless() -> Iterator[bytes]:
    while True:
        yield b"x" * 1_000_000


HEADERS = (("content-type", "application/json"),)


@pytest.mark.parametrize(
    ("does", "reason"),
    [
        (raises(KeyError("parts")), "KeyError: 'parts'"),
        (raises(ConnectionError("nobody there")), "ConnectionError: nobody there"),
        (raises(NotImplementedError("logprobs")), "refused what it should take: logprobs"),
        (lambda: None, "handle() gave NoneType, expected (status, headers, body)"),
        (lambda: ("200", (), b""), "handle() gave the status '200'"),
        (lambda: (200, "json", b""), "handle() gave the headers 'json'"),
        (lambda: (200, {"a": 1}, b""), "expected pairs of texts"),
        (lambda: (200, HEADERS, "{}"), "handle() gave str for a body"),
        (lambda: (200, HEADERS, ["{}"]), "the body of handle() gave str, expected bytes"),
        (
            lambda: SimpleNamespace(status=200, headers=HEADERS, body=endless()),
            "its answer is longer than 3000000 bytes",
        ),
        (lambda: time.sleep(5), "no answer within 1 s"),
        (lambda: asyncio.sleep(5), "no answer within 1 s"),
        (
            lambda: (500, HEADERS, b'{"error": {"message": "oh", "type": "server_error"}}'),
            "answered 500 without calling",
        ),
    ],
)
def test_misbehaviour_fails_with_its_reason(
    play: Play, does: Callable[[], Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway_object, "MAX_BODY_BYTES", 3_000_000)
    result = play(StubGateway(does), "tools/single-call", seconds=1.0)["unary"]
    assert status(result, "adapter.completes") == "FAIL"
    (message,) = (verdict.message for verdict in result.verdicts if verdict.check == "adapter.completes")
    assert reason in f"{message}\n{result.crash}"


def test_a_truncated_body_is_a_broken_connection(play: Play) -> None:
    class BreaksOffGateway(TransparentGateway):
        async def handle(self, request: HttpRequest, upstream: Any) -> Any:
            answer = await upstream.send(request)
            return answer.status, answer.headers, self.body(answer.body)

        async def body(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
            yield await anext(chunks)
            raise ConnectionError("gone")

    result = play(BreaksOffGateway(), "chunks/done-inside-text")["stream"]
    assert result.status == "FAIL"
    assert status(result, "adapter.completes") == "PASS"


@pytest.mark.slow
def test_varied_and_parallel_streams(play: Play) -> None:
    class SharesBuffer(TransparentGateway):
        """Parallel streams share one read buffer."""

        held: ClassVar[list[bytes]] = []

        async def handle(self, request: HttpRequest, upstream: Any) -> Any:
            answer = await upstream.send(request)
            return answer.status, answer.headers, self.body(answer.body)

        async def body(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
            async for chunk in chunks:
                self.held.append(chunk)
                await asyncio.sleep(0.05 if len(chunk) > 40 else 0)
                while self.held:
                    yield self.held.pop()

    right, wrong = (
        play(adapter, "chunks/done-inside-text", RelationChoice("all"))["stream"]
        for adapter in (TransparentGateway(), SharesBuffer())
    )
    found = {verdict.check: verdict.status for verdict in right.verdicts if verdict.check.startswith("relation.")}
    assert set(found.values()) <= {"PASS", "INHERITED"} and len(found) > 5
    assert found["relation.two_streams"] == "PASS"
    assert status(wrong, "relation.two_streams") == "FAIL"


def test_an_object_may_have_every_layer() -> None:
    class EveryLayerAdapter(TransparentGateway):
        def to_upstream(self) -> None: ...

        def connect(self) -> None: ...

    driver = describe_adapter("python:x:y", EveryLayerAdapter())
    scenario = load_scenario(scenarios_root() / "tools/single-call.json")
    cases = plan(scenario, driver, Selection(paths=("bridged",), modes=("unary",)))
    assert [case.key.layer for case in cases if not case.why_not] == ["wire", "http", "sdk"]


def test_an_object_without_methods_is_no_adapter() -> None:
    with pytest.raises(BadTarget, match="it has none of to_upstream, from_upstream, stream, connect, handle"):
        describe_adapter("python:x:y", object())


class ReferenceGateway:
    """The reference gateway as an ASGI application, without a server."""

    name, version = "reference", "1"
    routes = tuple(
        (client, upstream)
        for client in ("gemini", "openai-chat", "anthropic")
        for upstream in ("gemini", "openai-chat", "anthropic")
    )

    async def handle(self, request: HttpRequest, upstream: Any) -> Any:
        from bridgecheck_reference.gateway.app import create_app
        from bridgecheck_reference.gateway.config import GatewayConfig, UpstreamUrlAndKey

        config = GatewayConfig((UpstreamUrlAndKey(upstream.dialect, upstream.base_url, upstream.api_key),))
        answer = AsgiExchange(create_app(config), request)
        return await answer.wait_for_start(), answer.headers, answer.body()


class AsgiExchange:
    """One request to an ASGI application, with its response chunk by chunk."""

    def __init__(self, app: Any, request: HttpRequest) -> None:
        path, _, query = request.path.partition("?")
        self.scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": request.method, "path": path,
            "raw_path": path.encode(), "query_string": query.encode(), "root_path": "", "scheme": "http",
            "headers": [(name.encode(), value.encode()) for name, value in request.headers],
            "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "app": app,
        }  # fmt: skip
        self.messages = [{"type": "http.request", "body": request.body, "more_body": False}]
        self.sent: asyncio.Queue[Any] = asyncio.Queue()
        self.left = asyncio.Event()
        self.task = asyncio.create_task(self.run(app))
        self.headers: tuple[tuple[str, str], ...] = ()

    async def run(self, app: Any) -> None:
        try:
            async with app.router.lifespan_context(app):
                await app(self.scope, self.receive, self.sent.put)
        except Exception as error:
            await self.sent.put({"type": "error", "error": error})

    async def receive(self) -> Any:
        if self.messages:
            return self.messages.pop()
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def wait_for_start(self) -> int:
        head = await self.sent.get()
        if head["type"] == "error":
            raise head["error"]
        self.headers = tuple((name.decode(), value.decode()) for name, value in head["headers"])
        return int(head["status"])

    async def body(self) -> AsyncIterator[bytes]:
        try:
            more = True
            while more:
                piece = await self.sent.get()
                if piece["type"] == "error":
                    raise ConnectionError(piece["error"])
                yield piece.get("body", b"")
                more = piece.get("more_body", False)
        finally:
            self.left.set()
            await asyncio.wait([self.task], timeout=5)


@pytest.mark.slow
def test_the_reference_gateway_passes_without_a_server(library: Library) -> None:
    driver: Driver = replace(describe_adapter("python:x:y", ReferenceGateway()), timeout=20.0)
    files = scenario_files(scenarios_root())
    wrong, played = {}, 0
    for number in range(30):
        scenario = load_scenario(files[number * len(files) // 30])
        for case in plan(scenario, driver, Selection(paths=("bridged",))):
            assert isinstance(case, Case) and not case.why_not
            result = run_case(case, scenario, driver, library)
            played += 1
            if result.status in ("FAIL", "WARN", "ERROR"):
                wrong[str(case.key)] = [
                    (verdict.check, verdict.message, verdict.differences[:1])
                    for verdict in result.verdicts
                    if verdict.status == result.status
                ]
    assert wrong == {}
    assert played > 150
