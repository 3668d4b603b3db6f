"""The sdk level: real HTTP clients over a recorded cassette, inside an adapter and natively."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from bridgecheck.drivers import sdk_clients, sdk_openai_anthropic
from bridgecheck.drivers.driver import Driver, describe_adapter
from bridgecheck.files import cassettes_root, load_scenario
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.regenerate import regenerate
from bridgecheck.run import execute
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case
from bridgecheck.run.record import Record
from bridgecheck.wire import JsonObject

Document = dict[str, Any]
Put = Callable[[Document], Path]

PATH = "/v1beta/models/gemini-2.5-flash"


class TransparentSession:
    """A session that sends the Gemini body on as it is."""

    def __init__(self, base_url: str) -> None:
        self.client = httpx2.AsyncClient(base_url=base_url)

    async def generate(self, body: JsonObject, *, model: str) -> Any:
        return (await self.client.post(f"{PATH}:generateContent", json=body)).json()

    async def stream(self, body: JsonObject, *, model: str) -> AsyncIterator[JsonObject]:
        return self._events(body)

    async def _events(self, body: JsonObject) -> AsyncIterator[JsonObject]:
        import json

        answer = await self.client.post(f"{PATH}:streamGenerateContent?alt=sse", json=body)
        for line in answer.text.splitlines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))

    async def close(self) -> None:
        await self.client.aclose()


class Adapter:
    name, version = "passing", "1"
    routes = (("gemini", "gemini"),)

    def __init__(self, session: Callable[[str], Any] = TransparentSession) -> None:
        self.session = session

    def connect(self, *, base_url: str, **rest: object) -> Any:
        return self.session(base_url)


def driver(session: Callable[[str], Any] = TransparentSession, seconds: float = 20.0) -> Driver:
    return replace(describe_adapter("python:x:y", Adapter(session)), timeout=seconds)


@pytest.fixture
def scenario(put: Put, document: Document) -> Scenario:
    return load_scenario(put(document))


@pytest.fixture
def library(scenario: Scenario) -> Library:
    regenerate([scenario], cassettes_root())
    return Library(cassettes_root())


def key(path: str = "bridged", mode: str = "unary") -> CaseKey:
    return CaseKey("messages/plain", path, "gemini", "gemini", mode, "sdk")  # type: ignore[arg-type]


def statuses_of(result: CaseResult) -> dict[str, str]:
    return {verdict.check: verdict.status for verdict in result.verdicts}


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_a_session_and_the_native_sdk_are_judged(scenario: Scenario, library: Library, mode: str) -> None:
    result = run_case(Case(key(mode=mode)), scenario, driver(), library)
    assert result.status == "PASS", result.verdicts
    assert statuses_of(result)["relay.expected_calls"] == "PASS"
    assert statuses_of(result)["sdk.native_equals_bridged"] == "PASS"
    assert statuses_of(result)["expect.outcome"] == "PASS"
    assert result.source == "scripted"
    assert result.views == {}


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_the_native_sdk_is_driven_twice_and_agrees(scenario: Scenario, library: Library, mode: str) -> None:
    result = run_case(Case(key("native", mode)), scenario, driver(), library)
    assert result.status == "PASS", result.verdicts
    assert statuses_of(result)["sdk.agrees"] == "PASS"


class ChangesText(TransparentSession):
    async def generate(self, body: JsonObject, *, model: str) -> Any:
        answer: Any = await super().generate(body, model=model)
        answer["candidates"][0]["content"]["parts"][0]["text"] = "Five."
        return answer


def test_a_wrong_answer_fails_and_shows_its_documents(scenario: Scenario, library: Library) -> None:
    result = run_case(Case(key()), scenario, driver(ChangesText), library)
    assert result.status == "FAIL"
    assert statuses_of(result)["response.text"] == "FAIL"
    assert "Five." in result.views["client_response"]
    assert "Four." in result.views["upstream_response"]
    assert "2 + 2?" in result.views["upstream_request"]


class CallsTwice(TransparentSession):
    async def generate(self, body: JsonObject, *, model: str) -> Any:
        await super().generate(body, model=model)
        return await super().generate(body, model=model)


def test_a_second_call_is_a_miss(scenario: Scenario, library: Library) -> None:
    result = run_case(Case(key()), scenario, driver(CallsTwice), library)
    assert statuses_of(result)["relay.expected_calls"] == "FAIL"


class AnswersWithoutCall(TransparentSession):
    async def generate(self, body: JsonObject, *, model: str) -> Any:
        return {"candidates": [{"content": {"role": "model", "parts": [{"text": "Four."}]}, "finishReason": "STOP"}]}


def test_an_answer_without_an_upstream_call_fails(scenario: Scenario, library: Library) -> None:
    result = run_case(Case(key()), scenario, driver(AnswersWithoutCall), library)
    assert statuses_of(result)["relay.expected_calls"] == "FAIL"


class ErrorOfItsOwn(Exception):
    """What a library raises before it sends anything. ``status``: None where it has none."""

    def __init__(self, status: int | None, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"code": status or 400, "message": message, "status": "INVALID_ARGUMENT"}}


class AnswersErrorOfItsOwn(TransparentSession):
    error = ErrorOfItsOwn(400, "an answer of its own")

    async def generate(self, body: JsonObject, *, model: str) -> Any:
        raise self.error


class AnswersErrorWithoutStatus(AnswersErrorOfItsOwn):
    error = ErrorOfItsOwn(None, "an answer of its own")


class AnswersServerErrorOfItsOwn(AnswersErrorOfItsOwn):
    error = ErrorOfItsOwn(500, "an answer of its own")


@pytest.mark.parametrize(
    ("session", "message"),
    [
        (AnswersErrorOfItsOwn, "refused what it should take"),
        (AnswersErrorWithoutStatus, "refused what it should take"),
        (AnswersServerErrorOfItsOwn, "answered 500 without calling the provider"),
    ],
)
def test_an_error_without_an_upstream_call_is_one_failure(
    scenario: Scenario, library: Library, session: Callable[[str], Any], message: str
) -> None:
    result = run_case(Case(key()), scenario, driver(session), library)
    (failed,) = [verdict for verdict in result.verdicts if verdict.status == "FAIL"]
    assert failed.check == "adapter.completes"
    assert message in failed.message
    assert "an answer of its own" in failed.message


def test_an_error_of_own_types_without_an_upstream_call_is_one_refusal() -> None:
    """Its document is no wire format, and may have no status."""
    request = Request("outcome", "unary", {"version": 1}, "m")
    response = Response("outcome", "unary", ({"error": {"message": "complete() has no top_k"}},))
    record = Record()
    record.add_client_answer(request, response, -1)
    record.add_own_error(response)
    assert not record.crash
    assert "has no top_k" in record.refused
    assert record.unanswered == {0}


def test_a_long_error_of_its_own_is_cut_alike_on_every_machine() -> None:
    def own_error(folder: str) -> str:
        lines = "".join(f'  File "{folder}/gateway/part.py", line {number}, in convert\n' for number in range(60))
        response = Response("openai-chat", "unary", ({"error": {"message": lines, "type": "x"}},), status=500)
        record = Record()
        record.add_client_answer(Request("openai-chat", "unary", {}, "m"), response, -1)
        record.add_own_error(response)
        return record.crash

    installed = own_error("/home/somebody/gateway/.venv/lib/python3.11/site-packages")
    assert installed == own_error("/srv/site-packages")
    assert "line 30, in convert" in installed and "line 59, in convert" not in installed


class RaisingSession(TransparentSession):
    async def generate(self, body: JsonObject, *, model: str) -> Any:
        raise LookupError("no candidates here")


class HangingSession(TransparentSession):
    async def generate(self, body: JsonObject, *, model: str) -> Any:
        await asyncio.sleep(60)


@pytest.mark.parametrize(
    ("session", "seconds", "message"),
    [(RaisingSession, 20.0, "LookupError: no candidates here"), (HangingSession, 0.5, "no answer")],
)
def test_a_crash_or_a_hang_is_the_adapters_failure(
    scenario: Scenario, library: Library, session: Callable[[str], Any], seconds: float, message: str
) -> None:
    result = run_case(Case(key()), scenario, driver(session, seconds), library)
    assert statuses_of(result)["adapter.completes"] == "FAIL"
    assert message in result.crash


def test_importing_an_sdk_does_not_count_as_adapter_time(
    scenario: Scenario, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported: list[str] = []

    def import_slowly(dialect: Any) -> Any:
        if dialect not in imported:
            time.sleep(1.0)
            imported.append(dialect)
        return import_sdk(dialect)

    class ImportsSlowly(TransparentSession):
        def __init__(self, base_url: str) -> None:
            sdk_clients.import_sdk("gemini")
            super().__init__(base_url)

    import_sdk = sdk_clients.import_sdk
    monkeypatch.setattr(sdk_clients, "import_sdk", import_slowly)
    result = run_case(Case(key()), scenario, driver(ImportsSlowly, 0.7), library)
    assert (result.status, imported) == ("PASS", ["gemini"]), result.crash


def refuses(base_url: str) -> Any:
    raise NotImplementedError("gemini to gemini is not connected")


def test_no_session_for_a_pair_is_not_applicable(scenario: Scenario, library: Library) -> None:
    result = run_case(Case(key()), scenario, driver(refuses), library)
    assert result.status == "NOT_APPLICABLE"
    assert "gemini to gemini is not connected" in result.verdicts[0].message


def test_later_turns_of_a_conversation(put: Put, document: Document) -> None:
    again = {"contents": [{"role": "user", "parts": [{"text": "2 + 2?"}]}, {"$received": 0},
                          {"role": "user", "parts": [{"text": "Sure?"}]}]}  # fmt: skip
    client = {"gemini": {"model": "gemini-2.5-flash", "body": again}}
    document["turns"] = [{"client": client, "upstream": document["upstream"]}]
    scenario = load_scenario(put(document))
    regenerate([scenario], cassettes_root())
    library = Library(cassettes_root())
    for path in ("native", "bridged"):
        for mode in ("unary", "stream"):
            result = run_case(Case(key(path, mode)), scenario, driver(), library)
            assert result.status == "PASS", result.verdicts
            assert {verdict.turn for verdict in result.verdicts if verdict.check == "response.text"} == {0, 1}


def test_a_missing_recording_is_an_error_of_the_case(scenario: Scenario) -> None:
    result = run_case(Case(key()), scenario, driver(), Library(cassettes_root()))
    assert result.status == "ERROR"
    assert "bridgecheck regenerate messages/plain" in result.verdicts[0].message


def test_a_harness_fault_is_an_error_of_the_case(
    scenario: Scenario, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trips(*arguments: object) -> object:
        raise RuntimeError("tripped")

    monkeypatch.setattr("bridgecheck.run.execute.build_evidence", trips)
    result = run_case(Case(key()), scenario, driver(), library)
    assert result.status == "ERROR"
    assert "RuntimeError: tripped" in result.verdicts[0].message


def test_a_skipped_case_states_its_reason(scenario: Scenario, library: Library) -> None:
    result = run_case(Case(key(), "it is Tuesday"), scenario, driver(), library)
    assert (result.status, result.verdicts[0].message) == ("NOT_APPLICABLE", "it is Tuesday")


def test_without_the_sdk_of_an_extra_its_cases_are_not_applicable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    sdk_openai_anthropic.anthropic_sdk.cache_clear()

    def play() -> execute.PlayedCase:
        sdk_clients.call_sdk_sync("anthropic", "unary", "http://provider.invalid", "k", {})
        return execute.harness_error("the SDK was there")

    played = execute.catch_harness_errors(play)
    assert [(verdict.status, "bridgecheck[anthropic]" in verdict.message) for verdict in played.verdicts] == [
        ("NOT_APPLICABLE", True)
    ]


class HeaderSession(TransparentSession):
    """Takes the client's headers and forwards those in ``forwarded``."""

    forwarded: tuple[str, ...] = ("openai-beta",)

    async def generate(self, body: JsonObject, *, model: str, headers: dict[str, str] | None = None) -> Any:
        passed = {name: value for name, value in (headers or {}).items() if name in self.forwarded}
        return (await self.client.post(f"{PATH}:generateContent", json=body, headers=passed)).json()

    async def stream(
        self, body: JsonObject, *, model: str, headers: dict[str, str] | None = None
    ) -> AsyncIterator[JsonObject]:
        return self._events(body)


class DropsHeaders(HeaderSession):
    forwarded = ()


@pytest.mark.parametrize(
    ("session", "expected"), [(HeaderSession, "PASS"), (DropsHeaders, "WARN"), (TransparentSession, "")]
)
def test_headers_are_passed_to_sessions_that_accept_them(
    put: Put, document: Document, session: Any, expected: str
) -> None:
    document["client"]["gemini"]["headers"] = {"OpenAI-Beta": "assistants=v2"}
    stated = load_scenario(put(document))
    regenerate([stated], cassettes_root())
    result = run_case(Case(key()), stated, driver(session), Library(cassettes_root()))
    assert statuses_of(result).get("request.features", "") == expected
    native = run_case(Case(key("native")), stated, driver(session), Library(cassettes_root()))
    assert statuses_of(native)["request.features"] == "PASS"
