"""What smoke plays of a gateway, and what it says of each that is wired wrong."""

from pathlib import Path
from typing import Any

import pytest

from bridgecheck.drivers import resolve
from bridgecheck.drivers.introspect import describe
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.run.library import Library
from bridgecheck.run.smoke import Smoke, Tried

from ..fakes import Fakes, soon
from ..own_types.library import Library as OwnTypes

SECONDS = 1.5


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    return Fakes(tmp_path)


def _smoked(recipe: Path, library: Library) -> tuple[Smoke, list[Tried]]:
    driver = resolve(str(recipe))
    smoke = Smoke(driver, library)
    try:
        return smoke, list(smoke.play(lambda trial: None))
    finally:
        driver.close()


def test_one_that_passes_on_is_wired(fakes: Fakes, library: Library) -> None:
    smoke, tried = _smoked(fakes.recipe("normal"), library)
    assert [one.diagnosis for one in tried if one.diagnosis and one.demanded] == []
    assert {one.result.key.layer for one in tried if one.stage == "plain"} == {"http", "sdk"}
    assert all(one.works for one in tried if one.stage != "capability")
    assert "tools" in {name for one in tried if one.works for name in one.capabilities}
    assert smoke.left == 0
    assert soon(lambda: fakes.alive == [])


@pytest.mark.parametrize(
    ("manner", "name", "whose", "words"),
    [
        ("wrong-port", "not-ready", "configuration", "nothing listens on 127.0.0.1:"),
        ("crash", "not-ready", "configuration", "it exited with code 1"),
        ("never", "not-ready", "configuration", "for 1.5 s"),
        ("garbage", "not-ready", "configuration", "no HTTP"),
        ("unwell", "not-ready", "configuration", "is answered with 503"),
        ("wrong-path", "endpoint", "configuration", "asked its provider at /v1/answers"),
        ("unmodelled", "endpoint", "configuration", "asked its provider at /v1/responses"),
        ("other-dialect", "dialect", "configuration", "which is gemini; the route says openai-chat"),
        ("elsewhere", "provider-not-reached", "configuration", "never called http://127.0.0.1:"),
        ("alone", "not-asked", "configuration", "never called http://127.0.0.1:"),
        ("page", "html", "configuration", "200 text/html: <!doctype html>"),
        ("odd-model", "model", "configuration", "no healthy deployments"),
        ("not-set-up", "request", "configuration", "there is no database in this folder"),
        ("locked", "key", "configuration", "the client's key is refused (401)"),
        ("strange-model", "model", "configuration", "The model `gpt-4.1-mini` does not exist"),
        ("not-found", "path", "configuration", "nothing at /v1/chat/completions"),
        ("refuses", "request", "configuration", "tools are not supported"),
        ("raises", "crash", "adapter", "KeyError: "),
        ("dies", "crash", "adapter", "exited with code 9"),
        ("hang", "waits-elsewhere", "configuration", "no answer within 1.5 s"),
    ],
)
def test_one_that_is_wired_wrong(
    fakes: Fakes, library: Library, manner: str, name: str, whose: str, words: str
) -> None:
    _, tried = _smoked(fakes.recipe(manner, seconds=SECONDS, timeout=SECONDS), library)
    first = next(one for one in tried if one.stage == "plain")
    assert first.diagnosis is not None
    assert (first.diagnosis.name, first.diagnosis.whose) == (name, whose)
    assert words in str(first.diagnosis)
    assert not any(one.works for one in tried if one.stage == "plain")
    assert not any(one.stage == "capability" for one in tried)
    assert soon(lambda: fakes.alive == [])


def test_another_service_at_the_address(fakes: Fakes, library: Library) -> None:
    """A gateway that runs already is asked no question before the first case."""
    _, tried = _smoked(fakes.recipe("garbage", seconds=SECONDS, path=""), library)
    (first,) = [one for one in tried if one.stage == "plain"]
    assert first.diagnosis is not None
    assert first.diagnosis.name == "no-http"


def test_what_hangs_is_not_tried_again(fakes: Fakes, library: Library) -> None:
    smoke, tried = _smoked(fakes.recipe("hang", seconds=SECONDS, timeout=SECONDS), library)
    assert len([one for one in tried if one.stage == "plain"]) == 1
    assert smoke.left == 3


def test_the_time_is_limited(fakes: Fakes, library: Library) -> None:
    driver = resolve(str(fakes.recipe("normal")))
    smoke = Smoke(driver, library, budget=0)
    tried = list(smoke.play(lambda trial: None))
    driver.close()
    assert len([one for one in tried if one.stage == "plain"]) == 1
    assert smoke.left > 3


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


def test_a_gateway_that_is_an_object(library: Library) -> None:
    tried = list(Smoke(describe("python:x:y", InProcess()), library).play(lambda trial: None))
    assert all(one.works for one in tried if one.stage == "plain")
    assert "http" in {one.result.key.layer for one in tried}


@pytest.mark.parametrize(("planted", "name"), [(Elsewhere(), "provider-not-reached"), (Locked(), "key")])
def test_a_gateway_that_is_an_object_and_wired_wrong(library: Library, planted: object, name: str) -> None:
    tried = list(Smoke(describe("python:x:y", planted), library).play(lambda trial: None))
    first = next(one for one in tried if one.stage == "plain")
    assert first.diagnosis is not None
    assert first.diagnosis.name == name
    assert "http://127.0.0.1:" in first.diagnosis.cause


def test_a_library_with_types_of_its_own(library: Library) -> None:
    tried = list(Smoke(describe("python:x:y", OwnTypes()), library).play(lambda trial: None))
    plain = [one for one in tried if one.stage == "plain"]
    assert {one.route[0] for one in plain} == {"outcome"}
    assert all(one.works for one in plain)
