"""Adapters in this process with any HTTP client: ``transport = "socket"``, over the edge server."""

import http.client
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from bridgecheck.drivers.driver import Driver, describe_adapter
from bridgecheck.errors import BadTarget
from bridgecheck.files import cassettes_root, load_scenario
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.regenerate import regenerate
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case

Put = Callable[[dict[str, Any]], Path]
PATH = "/v1beta/models/gemini-2.5-flash"


class HttpClientSession:
    """A session that uses the standard library's HTTP client, without async."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.client = http.client.HTTPConnection(urlsplit(base_url).netloc)

    def send_request(self, method: str, body: Any) -> http.client.HTTPResponse:
        self.client.request("POST", f"{PATH}:{method}", json.dumps(body), {"content-type": "application/json"})
        return self.client.getresponse()

    def generate(self, body: Any, *, model: str) -> Any:
        return json.loads(self.send_request("generateContent", body).read())

    def stream(self, body: Any, *, model: str) -> Iterator[Any]:
        for line in self.send_request("streamGenerateContent?alt=sse", body):
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))

    def close(self) -> None:
        self.client.close()


class Adapter:
    name, version = "plain", "1"
    routes = (("gemini", "gemini"),)
    transport: Any = "socket"

    def __init__(self, session: Callable[[str], Any] = HttpClientSession) -> None:
        self.session = session

    def connect(self, *, base_url: str, **rest: object) -> Any:
        return self.session(base_url)


def driver(session: Callable[[str], Any] = HttpClientSession) -> Driver:
    return replace(describe_adapter("python:x:y", Adapter(session)), timeout=20.0)


@pytest.fixture
def play(put: Put, document: dict[str, Any]) -> Iterator[Callable[..., CaseResult]]:
    scenario = load_scenario(put(document))
    regenerate([scenario], cassettes_root())
    library = Library(cassettes_root())

    def play_session(driver: Driver, mode: Any = "unary") -> CaseResult:
        key = CaseKey("messages/plain", "bridged", "gemini", "gemini", mode, "sdk")
        return run_case(Case(key), scenario, driver, library)

    yield play_session
    library.stop_edge()


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_any_http_client_can_be_used(play: Callable[..., CaseResult], mode: str) -> None:
    result = play(driver(), mode)
    found = {verdict.check: verdict.status for verdict in result.verdicts}
    assert result.status == "PASS", result.verdicts
    assert found["relay.expected_calls"] == found["sdk.native_equals_bridged"] == found["expect.outcome"] == "PASS"


def test_without_the_socket_transport_the_call_would_leave_the_process(play: Callable[..., CaseResult]) -> None:
    """The player in process intercepts httpx only: no other client may call the provider's own address."""

    class CallsElsewhere(Adapter):
        transport = None

    found = replace(
        describe_adapter("python:x:y", CallsElsewhere(lambda base_url: WarningsSession(base_url))), timeout=20.0
    )
    assert not found.over_socket
    play(found)
    assert WarningsSession.warnings == ["https://generativelanguage.googleapis.com"]


class WarningsSession(HttpClientSession):
    warnings: list[str] = []  # noqa: RUF012 - of one test

    def __init__(self, base_url: str) -> None:
        self.warnings.append(base_url)
        super().__init__("http://127.0.0.1:1")


class ChangesText(HttpClientSession):
    def generate(self, body: Any, *, model: str) -> Any:
        answer = super().generate(body, model=model)
        answer["candidates"][0]["content"]["parts"][0]["text"] = "Five."
        return answer


class CallsTwice(HttpClientSession):
    def generate(self, body: Any, *, model: str) -> Any:
        super().generate(body, model=model)
        return super().generate(body, model=model)


@pytest.mark.parametrize(("session", "check"), [(ChangesText, "response.text"), (CallsTwice, "relay.expected_calls")])
def test_a_planted_fault_is_noticed(play: Callable[..., CaseResult], session: Any, check: str) -> None:
    found = {verdict.check: verdict.status for verdict in play(driver(session)).verdicts}
    assert found[check] == "FAIL"


def test_an_unknown_transport_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Adapter, "transport", "carrier pigeon")
    with pytest.raises(BadTarget, match="no transport is 'carrier pigeon'"):
        describe_adapter("python:x:y", Adapter())
