"""Every symptom, shown by an adapter with exactly that fault."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.errors import BadTarget, BridgecheckError, HarnessError
from bridgecheck.files import cassettes_root
from bridgecheck.model.evidence import CaseTranscript, HungNotHttpOrEmpty
from bridgecheck.model.exchange import Interaction, Response
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.run.execute import judge_case
from bridgecheck.run.library import Library
from bridgecheck.smoke import trials
from bridgecheck.smoke.diagnosis import (
    Diagnosis,
    diagnose,
    diagnose_exit,
    diagnose_harness_fault,
    diagnose_refusal,
    diagnose_silence,
)
from bridgecheck.smoke.observation import MOST_CHARACTERS, Observation
from bridgecheck.smoke.symptoms import SYMPTOMS
from bridgecheck_reference import adapter as reference

ROUTE = ("openai-chat", "gemini")
GEMINI = "https://generativelanguage.googleapis.com"
KEY = "sk-abcdefghijklmnopqrstuvwxyz0123456789"


class ErrorResponse(Exception):
    """An error response, as sessions report it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": "error"}}


class ConvertingAdapter:
    """The reference's converters for one route."""

    name, version, routes, capabilities = "planted", "1", [ROUTE], ["tools"]

    def to_upstream(self, body: Any, **rest: Any) -> Any:
        return reference.to_upstream(body, **rest)

    def from_upstream(self, body: Any, **rest: Any) -> Any:
        return reference.from_upstream(body, **rest)

    def stream(self, **rest: Any) -> Any:
        return reference.stream(**rest)


class RaisingAdapter(ConvertingAdapter):
    def to_upstream(self, body: Any, **rest: Any) -> Any:
        return body["nothing"]


class HangingAdapter(ConvertingAdapter):
    def to_upstream(self, body: Any, **rest: Any) -> Any:
        time.sleep(5)


class RefusingAdapter(ConvertingAdapter):
    def to_upstream(self, body: Any, **rest: Any) -> Any:
        raise NotImplementedError("no such client here")


class ToolRefusingAdapter(ConvertingAdapter):
    def to_upstream(self, body: Any, **rest: Any) -> Any:
        if "tools" in body:
            raise NotImplementedError("tools")
        return super().to_upstream(body, **rest)


class GarblingAdapter(ConvertingAdapter):
    def from_upstream(self, body: Any, **rest: Any) -> Any:
        status, answer = super().from_upstream(body, **rest)
        answer["choices"][0]["message"]["content"] = "Helsinki."
        return status, answer


class CallingAdapter:
    """An adapter with its own HTTP client. ``does``: the coroutine that answers a request with that client."""

    name, version, routes, capabilities = "planted", "1", [ROUTE], ["tools"]

    def __init__(self, does: Any) -> None:
        self.does = does

    def connect(self, **rest: Any) -> "Session":
        return Session(self.does)


class Session:
    def __init__(self, does: Any) -> None:
        self.does = does

    async def generate(self, body: Any, *, model: str) -> Any:
        async with httpx.AsyncClient() as client:
            return await self.does(client)

    async def stream(self, body: Any, *, model: str) -> Any:
        yield await self.generate(body, model=model)

    async def close(self) -> None:
        pass


def reply_error(status: int, message: str) -> Any:
    async def does(client: httpx.AsyncClient) -> Any:
        raise ErrorResponse(status, message)

    return does


def post_to(url: str, then: Any = None) -> Any:
    async def does(client: httpx.AsyncClient) -> Any:
        answer = await client.post(url, json={"contents": [], "messages": [], "model": "gemini-2.5-flash"})
        raise then or ErrorResponse(answer.status_code, answer.text)

    return does


async def call_nothing(client: httpx.AsyncClient) -> Any:
    raise ConnectionRefusedError(111, "Connection refused")


async def alone(client: httpx.AsyncClient) -> Any:
    await asyncio.sleep(0)
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": []}


REQUEST_URL = f"{GEMINI}/v1beta/models/gemini-2.5-flash:generateContent"

PLANTED: dict[str, tuple[Any, str, str, str]] = {
    "hangs": (HangingAdapter(), "adapter", "gives no response in time", "bridgecheck run --adapter planted --scenario"),
    "provider-not-reached": (CallingAdapter(call_nothing), "configuration", f"never called {GEMINI}", "set the base URL"),
    "crash": (RaisingAdapter(), "adapter", "KeyError: 'nothing'", "--scenario 'messages/plain-text::bridged-openai-chat-to"),
    "refuses": (RefusingAdapter(), "adapter", "no such client here", "take (openai-chat, gemini) out of its routes"),
    "key": (CallingAdapter(reply_error(401, f"bad key {KEY}")), "configuration", "the client's key is refused (401)", "[client.openai-chat]"),
    "model": (CallingAdapter(reply_error(404, "The model `x` does not exist")), "configuration", "the requested model", "as the adapter spells"),
    "path": (CallingAdapter(reply_error(404, "Not Found")), "configuration", "no endpoint at /v1/chat/completions", "base_path"),
    "request": (
        CallingAdapter(reply_error(422, "messages: missing")), "configuration", "plain openai-chat request (422)", "smoke planted",
    ),
    "not-asked": (CallingAdapter(alone), "configuration", f"never called {GEMINI}: is its base URL set?", "caches off"),
    "wrong-path": (
        CallingAdapter(post_to(f"{GEMINI}/v1beta/v1beta/models/gemini-2.5-flash:generateContent")),
        "configuration", "at /v1beta/v1beta/models/gemini-2.5-flash:generateContent, a path that the API does not have",
        "the call must go to /v1beta/models/{model}:generateContent",
    ),
    "endpoint": (CallingAdapter(post_to(f"{GEMINI}/v1/responses")), "configuration", "at /v1/responses", ":generateContent"),
    "dialect": (
        CallingAdapter(post_to("http://there/v1/chat/completions")), "configuration", "which is openai-chat", "or correct routes",
    ),
    "error": (CallingAdapter(post_to(REQUEST_URL, ErrorResponse(500, "oh"))), "adapter", "the adapter made an error of the response", "--scenario"),
    "meaning": (GarblingAdapter(), "adapter", 'expected "Mariehamn.", got "Helsinki."', "--scenario"),
}  # fmt: skip
"""Symptom -> the adapter that has it, the culprit, and parts of the texts for cause and next step."""


def _driver(planted: object) -> Driver:
    driver = replace(describe_adapter("planted", planted), judged_on_all=True)
    return replace(driver, timeout=0.3) if isinstance(planted, HangingAdapter) else replace(driver, timeout=60)


def _play(driver: Driver, planned: Iterator[trials.Trial]) -> trials.DiagnosedTrial:
    trial = next(trial for trial in planned if trial.case.key.mode == "unary")
    library = Library(cassettes_root())
    return trials.diagnose_trial(trial, judge_case(trial.case, trial.scenario, driver, library), driver, library)


@pytest.mark.parametrize("name", PLANTED)
def test_a_symptom_is_diagnosed(name: str) -> None:
    planted, owner, cause, next_step = PLANTED[name]
    driver = _driver(planted)
    found = _play(driver, trials.plan_plain(driver)).diagnosis
    assert found is not None
    assert (found.name, found.culprit) == (name, owner)
    assert cause in found.cause
    assert next_step in found.next_step
    assert KEY not in str(found)


def test_a_web_page_is_diagnosed() -> None:
    page = Response("openai-chat", "unary", status=200, headers=(("content-type", "text/html; x"),), text="<html>Hi")
    found = diagnose_symptom(Interaction(None, page))
    assert (found.name, found.culprit) == ("html", "configuration")
    assert ("response", "200 text/html: <html>Hi") in found.evidence
    assert ("called", "nothing at its provider") in found.evidence


def test_a_fault_of_the_harness_is_diagnosed() -> None:
    found = diagnose_symptom(status="ERROR", message="it\nbroke")
    assert (found.name, found.culprit) == ("harness", "harness")
    assert found.cause == "bridgecheck itself failed here: it broke"


class NotReady(HarnessError):
    code = "adapter-not-ready"


NOT_READY = NotReady(
    "the adapter is not ready: it exited with code 1",
    "reports/mine/adapter.toml",
    "a listener at http://127.0.0.1:4000 within 15 s",
    "mine --port 4000",
    "no licence\nfor this machine",
)


def test_an_adapter_that_does_not_become_ready_is_diagnosed() -> None:
    found = diagnose_symptom(status="ERROR", message=str(NOT_READY), error=NOT_READY)
    assert (found.name, found.culprit) == ("not-ready", "configuration")
    assert found.cause == "the adapter is not ready: it exited with code 1"
    assert found.evidence == (
        ("output", "no licence"),
        ("output", "for this machine"),
        ("at", "reports/mine/adapter.toml"),
        ("expected", "a listener at http://127.0.0.1:4000 within 15 s"),
    )
    assert found.next_step == "mine --port 4000"


def test_another_service_at_the_adapters_address_is_diagnosed() -> None:
    message = "it answered with what is no HTTP: b'SSH-2.0-OpenSSH_9.9' (illegal status line)"
    found = diagnose_symptom(crash=message, crash_kind="not-http")
    assert (found.name, found.culprit, found.skips) == ("no-http", "configuration", "all")
    assert ("raised", message) in found.evidence


def test_a_call_that_waits_for_another_address_is_diagnosed() -> None:
    found = diagnose_symptom(crash="no answer within 5 s\nits last lines:\nretrying in 8 s", crash_kind="hung")
    assert (found.name, found.culprit, found.skips) == ("waits-elsewhere", "configuration", "route")
    assert dict(found.evidence)["output"] == "retrying in 8 s"


def test_an_ended_process_is_diagnosed_with_its_last_output() -> None:
    found = diagnose_symptom(
        crash="the adapter was ended by SIGSEGV, its last lines:\none\ntwo\n(during this request: x)"
    )
    assert (found.name, found.cause) == ("crash", "the adapter failed: was ended by SIGSEGV")
    assert ("output", "two") in found.evidence


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("litellm.InternalServerError: Connection error.", "provider-not-reached"),
        ("fetch failed: ECONNREFUSED 127.0.0.1:1", "provider-not-reached"),
        ("KeyError: 'x'", "crash"),
        ("TypeError: Cannot read properties of undefined", "crash"),
        ("no provider is set up", "not-asked"),
    ],
)
def test_an_error_before_any_upstream_call_is_diagnosed(message: str, name: str) -> None:
    answer = Response("openai-chat", "unary", ({"error": {"message": message, "type": "server_error"}},), 500)
    found = diagnose_symptom(Interaction(None, answer), crash=f"answered 500 without asking the provider: {message}")
    assert found.name == name
    assert message in str(found)


def test_a_failing_control_is_no_fault_of_the_adapter() -> None:
    found = diagnose_symptom(path="native")
    assert (found.name, found.culprit, found.skips) == ("control", "harness", "all")
    assert "--scenario 'messages/plain-text::native-gemini-to-gemini-unary-sdk'" in found.next_step


def test_every_symptom_is_tested() -> None:
    assert {*PLANTED, "html", "harness", "control", "not-ready", "no-http", "waits-elsewhere", "stalled"} == {
        symptom.name for symptom in SYMPTOMS
    }


def test_a_passing_case_has_no_symptom() -> None:
    driver = _driver(ConvertingAdapter())
    assert _play(driver, trials.plan_plain(driver)).diagnosis is None


def test_a_refused_capability_should_not_be_claimed() -> None:
    driver = _driver(ToolRefusingAdapter())
    planned = trials.plan_capabilities(driver, frozenset({(ROUTE, "wire")}))
    found = _play(driver, planned)
    assert found.is_claimed
    assert found.capabilities == ("tools",)
    assert found.diagnosis is not None
    assert found.diagnosis.next_step == "respond to it, or take tools out of its capabilities"


def test_adapter_output_is_clipped() -> None:
    answer = Response("openai-chat", "unary", status=400, text="no " * 1000)
    found = diagnose_symptom(Interaction(None, answer))
    assert len(dict(found.evidence)["response"]) < MOST_CHARACTERS + 20


def test_crashes_and_hangs_are_recognised() -> None:
    assert diagnose_exit("the import of the adapter", "exited with code 4", "").culprit == "configuration"
    died = diagnose_exit("messages/plain-text::x", "was ended by SIGSEGV", "one\n\ntwo\n")
    assert (died.culprit, died.evidence) == ("adapter", (("output", "one"), ("output", "two")))
    assert "was ended by SIGSEGV during messages/plain-text::x" in died.cause
    assert "30 s" in diagnose_silence("x", 30.0, "").cause
    refused = diagnose_refusal(BadTarget("no", expected="yes", next_step="go"))
    assert refused == Diagnosis("configuration", "bad-target", "no", (("expected", "yes"),), "go", "all")
    assert diagnose_refusal(HarnessError("no")).culprit == "harness"
    assert diagnose_harness_fault("Traceback\n  File\nKeyError: 1\n").cause == "bridgecheck itself failed: KeyError: 1"


def diagnose_symptom(
    *client: Interaction,
    status: Any = "FAIL",
    message: str = "wrong",
    path: Any = "bridged",
    crash: str = "",
    crash_kind: HungNotHttpOrEmpty = "",
    error: BridgecheckError | None = None,
) -> Diagnosis:
    asking = "openai-chat" if path == "bridged" else "gemini"
    key = CaseKey("messages/plain-text", path, asking, "gemini", "unary", "sdk")
    result = CaseResult(key, "planted", (Verdict("relay.expected_calls", status, message),))
    found = diagnose(Observation(result, CaseTranscript(client, (), crash, crash_kind), GEMINI, error=error), "planted")
    assert found is not None
    return found


def test_every_symptom_is_documented() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "wiring.md").read_text(encoding="utf-8")
    rows = {
        line.split("|")[1].strip(): line.split("|")[2].strip() for line in page.splitlines() if line.startswith("| `")
    }
    documented = {f"`{symptom.name}`": symptom.culprit for symptom in SYMPTOMS}
    assert {name: owner for name, owner in rows.items() if name in documented} == documented
