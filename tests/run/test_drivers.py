"""Adapters are found or refused by name, and nothing they do ends the run."""

import asyncio
import sys
import threading
import time
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from bridgecheck.drivers import inprocess, resolve, session
from bridgecheck.drivers.driver import IDENTITY, Driver, describe_adapter
from bridgecheck.drivers.environment import scrubbed_environment
from bridgecheck.drivers.foreign_code import AwaitRunner, Crashed, Refused, run_foreign_code
from bridgecheck.errors import BadTarget
from bridgecheck.model.exchange import Request, Response
from bridgecheck.wire import JsonObject

ROUTES = [("openai-chat", "gemini"), ("gemini", "gemini")]


class ConfigurableAdapter:
    """An adapter with every method, correct or faulty by argument."""

    name, version = "whole", "1.2"
    routes = ROUTES
    capabilities = ("tools",)
    pivots: Any = MappingProxyType({("gemini", "gemini"): "openai-chat", ("openai-chat", "gemini"): ""})

    def __init__(self, gives: object = None) -> None:
        self.gives = gives

    def to_upstream(self, body: JsonObject, **rest: object) -> object:
        if isinstance(self.gives, BaseException):
            raise self.gives
        if callable(self.gives):
            return self.gives()
        return {"made": body} if self.gives is None else self.gives

    def from_upstream(self, body: JsonObject, **rest: object) -> object:
        return (rest["status"], body) if self.gives is None else self.gives

    def stream(self, **rest: object) -> "ConfigurableAdapter":
        return self

    def feed(self, event: JsonObject) -> object:
        return [event, event] if self.gives is None else self.gives

    def close(self) -> list[JsonObject]:
        return [{"last": True}]


REQUEST = Request("openai-chat", "unary", {"model": "m"}, "m")


def driver(gives: object = None, seconds: float = 5.0) -> Driver:
    found = describe_adapter("python:x:y", ConfigurableAdapter(gives))
    return Driver("python:x:y", found.info, found.converter, timeout=seconds)


def test_the_description_of_an_adapter() -> None:
    info = describe_adapter("python:x:y", ConfigurableAdapter()).info
    assert (info.name, info.version, info.claims) == ("whole", "1.2", {"tools"})
    assert info.pivot(("gemini", "gemini")) == "openai-chat"
    assert info.pivot(("openai-chat", "gemini")) is None


def test_an_adapter_without_the_attribute_is_judged_on_everything() -> None:
    class Bare:
        routes = ROUTES

        def to_upstream(self) -> None: ...

    found = describe_adapter("python:x:y", Bare())
    assert found.judged_on_all
    assert found.info.name == "python:x:y"
    assert found.connects is None
    assert not describe_adapter("python:x:y", ConfigurableAdapter()).judged_on_all


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nonsense", "no such kind"),
        ("ftp:x", "no such kind"),
        ("command:./shim", "cannot be started: No such file or directory"),
        ("http:localhost:4000", "is no address of a gateway"),
        ("http:http://127.0.0.1:99999", "is no address"),
        ("http:http://127.0.0.1:4000", "the port where the gateway calls its provider is not set"),
        ("python:json", "names no object"),
        ("python:no_such_module_at_all:x", "cannot be imported"),
        ("python:json:nothing", "has no 'nothing'"),
        ("python:json:dumps", "is no adapter"),
        ("python:json:JSONDecoder", "a class, not an object"),
        ("native:x", "takes nothing"),
    ],
)
def test_an_invalid_target_is_refused_with_a_correction(target: str, message: str) -> None:
    with pytest.raises(BadTarget) as refused:
        resolve(target)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("routes", [], "names no routes"),
        ("routes", 3, "names no routes"),
        ("routes", [("gemini", "openai")], "no route is ('gemini', 'openai')"),
        ("capabilities", ["telepathy"], "unknown capability 'telepathy'"),
        ("pivots", {("gemini", "gemini"): "xml"}, "no pivot is"),
        ("pivots", [1], "pivots is no mapping"),
    ],
)
def test_an_adapter_that_contradicts_itself_is_refused(name: str, value: object, message: str) -> None:
    adapter = ConfigurableAdapter()
    setattr(adapter, name, value)
    with pytest.raises(BadTarget) as refused:
        describe_adapter("python:x:y", adapter)
    assert message in str(refused.value)


def test_a_target_may_be_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gateway_of_mine.py").write_text(
        "class A:\n    routes = [('gemini', 'gemini')]\n    def stream(self): ...\nadapter = A()\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert resolve("python:gateway_of_mine:adapter").converter is not None


def test_the_identity_passes_any_document_on() -> None:
    answer = Response("gemini", "stream", ("no object", {"a": 1}), chunks=(b"x",))
    assert inprocess.convert_request(IDENTITY, REQUEST, "openai-chat").request is REQUEST
    passed = inprocess.convert_response(IDENTITY, answer, REQUEST).response
    assert passed.documents == answer.documents
    assert passed.chunks is None


def test_requests_answers_and_streams_go_through() -> None:
    sent = inprocess.convert_request(driver(), REQUEST, "gemini").request
    assert (sent.dialect, sent.body, sent.model) == ("gemini", {"made": {"model": "m"}}, "m")
    answer = inprocess.convert_response(driver(), Response("gemini", "unary", ({"a": 1},), 429), REQUEST).response
    assert (answer.dialect, answer.status, answer.documents) == ("openai-chat", 429, ({"a": 1},))
    streamed = Response("gemini", "stream", ({"a": 1}, {"b": 2}))
    collect_response = inprocess.convert_response(driver(), streamed, Request("openai-chat", "stream", {}))
    assert collect_response.response.documents == ({"a": 1}, {"a": 1}, {"b": 2}, {"b": 2}, {"last": True})
    assert collect_response.arrivals == "uccuccc"


def test_an_error_answer_to_a_stream_is_a_document_not_an_event() -> None:
    refused = Response("gemini", "stream", ({"error": {}},), 400)
    answer = inprocess.convert_response(driver(), refused, Request("openai-chat", "stream", {})).response
    assert (answer.status, answer.documents) == (400, ({"error": {}},))


def test_an_async_adapter_is_awaited() -> None:
    async def later() -> JsonObject:
        await asyncio.sleep(0)
        return {"late": True}

    assert inprocess.convert_request(driver(later), REQUEST, "gemini").request.body == {"late": True}


def test_an_adapter_cannot_change_the_evidence() -> None:
    class MutatesInput(ConfigurableAdapter):
        def to_upstream(self, body: JsonObject, **rest: object) -> object:
            body.clear()
            return body

    body: JsonObject = {"messages": [1]}
    found = describe_adapter("python:x:y", MutatesInput())
    inprocess.convert_request(found, Request("openai-chat", "unary", body), "gemini")
    assert body == {"messages": [1]}


@pytest.mark.parametrize(
    ("gives", "message"),
    [
        (["no", "object"], "returned list, expected a JSON object"),
        ({"a": {1, 2}}, "no JSON"),
        ({"a": float("nan")}, "no JSON"),
        (KeyError("parts"), "KeyError: 'parts'"),
        (SystemExit(3), "SystemExit: 3"),
    ],
)
def test_invalid_results_and_exceptions_are_crashes_with_their_message(gives: object, message: str) -> None:
    with pytest.raises(Crashed) as crash:
        inprocess.convert_request(driver(gives), REQUEST, "gemini")
    assert message in str(crash.value)


def test_a_crash_shows_the_adapters_frames_and_not_the_harnesss() -> None:
    with pytest.raises(Crashed) as crash:
        inprocess.convert_request(driver(ValueError("x")), REQUEST, "gemini")
    assert "test_drivers.py" in str(crash.value)
    assert "supervise.py" not in str(crash.value)


@pytest.mark.parametrize("gives", [3, {"status": 200}, ("200", {})])
def test_an_invalid_answer_is_a_crash(gives: object) -> None:
    with pytest.raises(Crashed, match="expected"):
        inprocess.convert_response(driver(gives), Response("gemini", "unary", ({},)), REQUEST)


@pytest.mark.parametrize("gives", [{"one": "event"}, "text", [3]])
def test_an_invalid_stream_is_a_crash(gives: object) -> None:
    with pytest.raises(Crashed, match=r"feed\(\) returned"):
        inprocess.convert_response(driver(gives), Response("gemini", "stream", ({},)), Request("gemini", "stream", {}))


def test_a_refusal_is_no_crash() -> None:
    with pytest.raises(Refused, match="logprobs"):
        inprocess.convert_request(driver(NotImplementedError("logprobs")), REQUEST, "gemini")


def test_a_missing_method_is_a_refusal() -> None:
    class StreamOnlyAdapter:
        routes = ROUTES

        def stream(self) -> None: ...

    with pytest.raises(Refused, match="to_upstream"):
        inprocess.convert_request(describe_adapter("python:x:y", StreamOnlyAdapter()), REQUEST, "gemini")


def test_a_hang_is_reported_with_its_location() -> None:
    started = time.monotonic()
    with pytest.raises(Crashed, match=r"no answer within 0\.1 s") as crash:
        inprocess.convert_request(driver(lambda: time.sleep(3), 0.1), REQUEST, "gemini")
    assert time.monotonic() - started < 2
    assert "test_drivers.py" in str(crash.value)


def test_repeated_hangs_leave_the_limit_as_it_is() -> None:
    for _ in range(4):
        with pytest.raises(Crashed, match=r"within 0\.02 s"):
            run_foreign_code(lambda settle: time.sleep(1), 0.02)


def test_the_loop_of_one_call_is_closed_after_it() -> None:
    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    def work(settle: AwaitRunner) -> tuple[object, object]:
        return settle(loop()), settle(loop())

    first, second = run_foreign_code(work, 5)
    assert first is second
    assert isinstance(first, asyncio.AbstractEventLoop)
    assert first.is_closed()


class Failure(Exception):
    def __init__(self, **fields: object) -> None:
        super().__init__("failed")
        vars(self).update(fields)


class SessionAdapter:
    def __init__(self, *events: object) -> None:
        self.events = events

    async def generate(self, body: JsonObject, *, model: str) -> object:
        if isinstance(self.events[0], Exception):
            raise self.events[0]
        return self.events[0]

    async def stream(self, body: JsonObject, *, model: str) -> object:
        async def events() -> object:
            for event in self.events:
                if isinstance(event, Exception):
                    raise event
                yield event

        if not self.events:
            return None
        return events()


def collect_response(live: SessionAdapter, mode: str) -> Response:
    request = Request("gemini", "stream" if mode == "stream" else "unary", {}, "m")
    return asyncio.run(session.call_session(live, request, lambda letter: None))  # type: ignore[arg-type]


def test_a_session_returns_responses() -> None:
    assert collect_response(SessionAdapter({"a": 1}), "unary").documents == ({"a": 1},)
    assert collect_response(SessionAdapter({"a": 1}, {"b": 2}), "stream").documents == ({"a": 1}, {"b": 2})


def test_a_failed_call_is_an_error_response() -> None:
    failure = Failure(status=429, body={"error": {}}, retry_after=1.5)
    answer = collect_response(SessionAdapter(failure), "unary")
    assert (answer.status, answer.documents, answer.headers) == (429, ({"error": {}},), (("retry-after", "1.5"),))
    assert answer.end == "complete"


def test_a_mid_stream_error_is_the_last_event() -> None:
    answer = collect_response(SessionAdapter({"a": 1}, Failure(status=503, body={"error": {}})), "stream")
    assert (answer.status, answer.documents, answer.end) == (200, ({"a": 1}, {"error": {}}), "complete")


def test_a_broken_connection_is_a_reset() -> None:
    answer = collect_response(SessionAdapter({"a": 1}, Failure(status=None)), "stream")
    assert (answer.status, answer.documents, answer.end) == (200, ({"a": 1},), "reset")


@pytest.mark.parametrize("error", [KeyError("x"), NotImplementedError("audio")])
def test_any_other_exception_passes_through(error: Exception) -> None:
    with pytest.raises(type(error)):
        collect_response(SessionAdapter(error), "unary")
    with pytest.raises(type(error)):
        collect_response(SessionAdapter(error), "stream")


def test_an_invalid_session_result_is_a_crash() -> None:
    with pytest.raises(Crashed, match="returned list"):
        collect_response(SessionAdapter([1]), "unary")
    with pytest.raises(Crashed, match="expected an iterator, async or not"):
        collect_response(SessionAdapter(), "stream")


def test_the_environment_is_scrubbed_and_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere")
    with scrubbed_environment():
        assert "OPENAI_BASE_URL" not in os.environ
    assert os.environ["OPENAI_BASE_URL"] == "http://elsewhere"


def test_an_endless_loop_is_interrupted() -> None:
    threads: list[threading.Thread] = []

    def spin(settle: AwaitRunner) -> None:
        threads.append(threading.current_thread())
        while True:
            pass

    with pytest.raises(Crashed, match="in spin"):
        run_foreign_code(spin, 0.05)
    threads[0].join(5)
    assert not threads[0].is_alive()


def test_an_endless_message_is_clipped() -> None:
    with pytest.raises(Crashed) as crash:
        inprocess.convert_request(driver(ValueError("x" * 1_000_000)), REQUEST, "gemini")
    assert len(str(crash.value)) < 30_000
