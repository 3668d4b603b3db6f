"""What smoke plays with a gateway, and its diagnosis of each misconfigured one."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.drivers import resolve
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.drivers.resolve import DEFAULT_TARGET, load_python_object
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.run.library import Library
from bridgecheck.run.longer_limits import LONGER_LIMITS
from bridgecheck.smoke import trials
from bridgecheck.smoke.result import SmokeResult, group_faults
from bridgecheck.smoke.trials import DiagnosedTrial, TrialRunner

from ..fakes import Fakes, becomes_true
from ..machine import measure
from ..own_types.library import Library as OwnTypes

REFERENCE = load_python_object(DEFAULT_TARGET.partition(":")[2])
SHORT_S = 0.5
"""A timeout in seconds for events that never happen."""

NEVER_READY = ("wrong-port", "never", "garbage", "unwell")


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    return Fakes(tmp_path)


@pytest.fixture(autouse=True)
def quick_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """The logs of these gateways are available with their response."""
    monkeypatch.setattr(trials, "LOG_DELAY_S", 0.05)


def _play(recipe: Path, library: Library) -> tuple[TrialRunner, list[DiagnosedTrial]]:
    driver = resolve(str(recipe))
    runner = TrialRunner(driver, library, measure_load=measure())
    try:
        return runner, list(runner.play(lambda trial: None))
    finally:
        driver.close()


def test_a_transparent_gateway_is_configured_correctly(fakes: Fakes, library: Library) -> None:
    runner, results = _play(fakes.recipe("normal"), library)
    assert [result.diagnosis for result in results if result.diagnosis and result.is_claimed] == []
    assert {result.result.key.layer for result in results if result.step == "plain"} == {"http", "sdk"}
    assert all(result.works for result in results if result.step != "capability")
    assert "tools" in {name for result in results if result.works for name in result.capabilities}
    assert runner.skipped == 0
    assert becomes_true(lambda: fakes.alive == [])


def test_models_that_a_gateway_does_not_route_are_one_fault(fakes: Fakes, library: Library) -> None:
    _, results = _play(fakes.recipe("knows-one-model"), library)
    played = {result.model for result in results if result.step == "model"}
    assert {"gpt-5-mini", "gpt-4"} <= played and "gpt-4.1-mini" not in played
    faults = group_faults(SmokeResult("", trials=results))
    (fault,) = [fault for fault in faults if fault.diagnosis.name == "models"]
    assert fault.diagnosis.culprit == "configuration"
    assert all(model in fault.diagnosis.cause for model in played)


def test_a_recipe_may_map_single_models(fakes: Fakes, library: Library) -> None:
    more = '[client.openai-chat.models]\n"gpt-5-mini" = "gpt-4.1-mini"\n'
    _, results = _play(fakes.recipe("knows-one-model", more=more), library)
    played = {result.model for result in results if result.step == "model"}
    assert "gpt-4" in played and "gpt-5-mini" not in played


def test_clients_may_tell_a_gateway_where_its_provider_is(fakes: Fakes, library: Library) -> None:
    recipe = fakes.recipe("told-by-clients", more='[client.openai-chat.headers]\nx-provider = "{upstream_url}/v1"\n')
    recipe.write_text(recipe.read_text().replace('"{upstream_url}", ', '"nowhere", '), encoding="utf-8")
    _, results = _play(recipe, library)
    plain = [result for result in results if result.step == "plain"]
    assert {result.result.key.layer for result in plain} == {"http", "sdk"} and all(result.works for result in plain)


@pytest.mark.parametrize(
    ("manner", "name", "culprit", "text"),
    [
        ("wrong-port", "not-ready", "configuration", "nothing listens on 127.0.0.1:"),
        ("crash", "not-ready", "configuration", "it exited with code 1"),
        ("never", "not-ready", "configuration", "for 0.5 s"),
        ("garbage", "not-ready", "configuration", "no HTTP"),
        ("unwell", "not-ready", "configuration", "is answered with 503"),
        ("wrong-path", "endpoint", "configuration", "called its provider at /v1/answers"),
        ("unmodelled", "endpoint", "configuration", "called its provider at /v1/responses"),
        ("other-dialect", "dialect", "configuration", "which is gemini; the route says openai-chat"),
        ("elsewhere", "provider-not-reached", "configuration", "never called http://127.0.0.1:"),
        ("alone", "not-asked", "configuration", "never called http://127.0.0.1:"),
        ("page", "html", "configuration", "200 text/html: <!doctype html>"),
        ("odd-model", "model", "configuration", "no healthy deployments"),
        ("not-set-up", "request", "configuration", "there is no database in this folder"),
        ("locked", "key", "configuration", "the client's key is refused (401)"),
        ("strange-model", "model", "configuration", "The model `gpt-4.1-mini` does not exist"),
        ("not-found", "path", "configuration", "no endpoint at /v1/chat/completions"),
        ("refuses", "request", "configuration", "tools are not supported"),
        ("raises", "crash", "adapter", "KeyError: "),
        ("dies", "crash", "adapter", "exited with code 9"),
        ("hang", "waits-elsewhere", "configuration", "no answer within 0.5 s"),
    ],
)
def test_a_misconfigured_gateway_is_diagnosed(
    fakes: Fakes, library: Library, manner: str, name: str, culprit: str, text: str
) -> None:
    seconds = SHORT_S if manner in NEVER_READY else 10
    _, results = _play(fakes.recipe(manner, seconds, SHORT_S if manner == "hang" else 5), library)
    first = next(result for result in results if result.step == "plain")
    assert first.diagnosis is not None
    assert (first.diagnosis.name, first.diagnosis.culprit) == (name, culprit)
    assert text in str(first.diagnosis)
    assert not any(result.works for result in results if result.step == "plain")
    assert not any(result.step == "capability" for result in results)
    assert becomes_true(lambda: fakes.alive == [])


def test_another_service_at_the_address_is_diagnosed(fakes: Fakes, library: Library) -> None:
    """A running gateway receives no request before the first case."""
    _, results = _play(fakes.recipe("garbage", path=""), library)
    (first,) = [result for result in results if result.step == "plain"]
    assert first.diagnosis is not None
    assert first.diagnosis.name == "no-http"


def test_a_hanging_gateway_is_not_tried_again(fakes: Fakes, library: Library) -> None:
    runner, results = _play(fakes.recipe("hang", timeout=SHORT_S), library)
    assert len([result for result in results if result.step == "plain"]) == 1
    assert runner.skipped == 3


class SlowOnce:
    """The reference, whose first calls do not come back; ``calls`` counts them all."""

    name, version, routes = "slow", "1", [("openai-chat", "gemini")]
    from_upstream, stream = REFERENCE.converter.from_upstream, REFERENCE.converter.stream

    def __init__(self, hangs: int) -> None:
        self.calls, self._hangs = 0, hangs

    def to_upstream(self, body, **arguments):
        self.calls += 1
        while self.calls <= self._hangs:
            time.sleep(0.01)
        return REFERENCE.converter.to_upstream(body, **arguments)


@pytest.mark.parametrize(
    ("hangs", "is_stalled", "tries", "diagnosis"),
    [(1, False, 2, None), (9, False, 2, "hangs"), (9, True, 1 + len(LONGER_LIMITS), "stalled")],
)
def test_a_limit_that_is_hit_is_tried_again(
    library: Library, hangs: int, is_stalled: bool, tries: int, diagnosis: str | None
) -> None:
    adapter, played = SlowOnce(hangs), []
    driver = replace(describe_adapter("slow", adapter), timeout=0.1)
    runner = TrialRunner(driver, library, measure_load=measure(is_stalled=is_stalled))
    results = list(runner.play(played.append))
    first = next(result for result in results if result.step == "plain")
    assert (first.diagnosis.name if first.diagnosis else None) == diagnosis
    assert [trial.case.key for trial in played].count(first.result.key) == tries
    assert first.diagnosis is None or first.diagnosis.culprit == ("harness" if is_stalled else "adapter")


def test_the_time_is_limited(fakes: Fakes, library: Library) -> None:
    driver = resolve(str(fakes.recipe("normal")))
    runner = TrialRunner(driver, library, budget=0)
    results = list(runner.play(lambda trial: None))
    driver.close()
    assert len([result for result in results if result.step == "plain"]) == 1
    assert runner.skipped > 3


class InProcess:
    """A gateway that is an object in this process."""

    name, version, routes = "object", "1", [("openai-chat", "openai-chat")]

    async def handle(self, request: HttpRequest, upstream: Any) -> Any:
        return await upstream.send(request)


class Elsewhere(InProcess):
    async def handle(self, request: HttpRequest, upstream: Any) -> Any:
        raise ConnectionRefusedError(111, "Connection refused")


class Locked(InProcess):
    async def handle(self, request: HttpRequest, upstream: Any) -> Any:
        return 403, {"content-type": "application/json"}, [b'{"error": {"message": "no", "type": "auth"}}']


def test_a_gateway_object_is_configured_correctly(library: Library) -> None:
    results = list(TrialRunner(describe_adapter("python:x:y", InProcess()), library).play(lambda trial: None))
    assert all(result.works for result in results if result.step == "plain")
    assert "http" in {result.result.key.layer for result in results}


@pytest.mark.parametrize(("planted", "name"), [(Elsewhere(), "provider-not-reached"), (Locked(), "key")])
def test_a_misconfigured_gateway_object_is_diagnosed(library: Library, planted: object, name: str) -> None:
    results = list(TrialRunner(describe_adapter("python:x:y", planted), library).play(lambda trial: None))
    first = next(result for result in results if result.step == "plain")
    assert first.diagnosis is not None
    assert first.diagnosis.name == name
    assert "http://127.0.0.1:" in first.diagnosis.cause


def test_a_library_with_its_own_types(library: Library) -> None:
    results = list(TrialRunner(describe_adapter("python:x:y", OwnTypes()), library).play(lambda trial: None))
    plain = [result for result in results if result.step == "plain"]
    assert {result.route[0] for result in plain} == {"outcome"}
    assert all(result.works for result in plain)
