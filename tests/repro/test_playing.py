"""Playing a case as a script does: an adapter that breaks before it asks, one that never asks, and one that fails only
now and then."""

import json
import urllib.request
from types import SimpleNamespace
from typing import Any

import pytest

from bridgecheck.repro import runtime
from bridgecheck.repro.proof import NOTHING, DoesNotRepeat, _varying_paths
from bridgecheck.repro.reach import describe_program

ANSWER = b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}]}'


def recorded_answer(body: bytes = ANSWER) -> dict[str, Any]:
    return {"status": 200, "headers": [["content-type", "application/json"]], "chunks": [body], "end": "complete"}


class Library:
    """An adapter with an HTTP client. ``fails``: raises for a request with tools; ``asks``: whether it asks at all."""

    def __init__(self, fails: Exception | None = None, asks: bool = True) -> None:
        self.fails, self.asks, self.url = fails, asks, ""

    def connect(self, *, base_url: str, **rest: str) -> "Library":
        self.url = base_url
        return self

    def generate(self, body: Any, *, model: str) -> Any:
        if "tools" in body and self.fails:
            raise self.fails
        if not self.asks:
            return json.loads(ANSWER)
        with urllib.request.urlopen(f"{self.url}/chat/completions", json.dumps(body).encode()) as answer:
            return json.loads(answer.read())

    def close(self) -> None: ...


def make_case(**oracle: Any) -> dict[str, Any]:
    request = {"body": {"model": "m", "messages": [], "tools": []}, "model": "m", "headers": {}}
    plain = {
        "request": {"body": {"model": "m", "messages": []}, "model": "m", "headers": {}},
        "recorded": recorded_answer(),
    }
    base = {"asks": 0, "raised": "KeyError: 'parameters'", "silent": True, "errors": False, "kind": "raises"}
    return {
        "client": "openai-chat", "upstream": "openai-chat", "mode": "unary", "converts": False, "requests": [request],
        "recorded": [recorded_answer()], "plain": plain, "known_fields": None, "base_path": "/v1", "port": 0, "advice": "look",
        "oracle": {**base, **oracle},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("adapter", "code", "message"),
    [
        (Library(KeyError("parameters")), runtime.SHOWS, "ACTUAL   KeyError: 'parameters'"),
        (Library(), runtime.DOES_NOT_SHOW, "The fault does not show."),
        (Library(KeyError("name")), runtime.UNKNOWN, "raised another exception"),
        (Library(KeyError("parameters"), asks=False), runtime.UNKNOWN, "not even a plain turn reaches the provider"),
        (Library(asks=False), runtime.UNKNOWN, "not even a plain turn reaches the provider: nothing was sent"),
    ],
    ids=["breaks", "repaired", "another exception", "breaks and never asks", "never asks"],
)
def test_an_adapter_that_breaks_first_has_to_reach_the_provider(adapter: Library, code: int, message: str) -> None:
    case = make_case()
    came, lines = runtime.tell(case, runtime.play(case, adapter))
    assert (came, message in "\n".join(lines)) == (code, True), lines


class FailingGateway(Library):
    """A gateway that answers a request with tools with an error of its own."""

    def __init__(self, status: int, message: str, fixed: bool = False) -> None:
        super().__init__()
        self.status, self.message, self.fixed = status, message, fixed

    def exchange(self, body: Any, turn: Any) -> tuple[int, bytes]:
        if "tools" in body and not self.fixed:
            return self.status, json.dumps({"error": {"message": self.message}}).encode()
        return 200, json.dumps(self.generate({"model": "m"}, model="m")).encode()


@pytest.mark.parametrize(
    "found", ['answered 502 without calling the provider: {"error": {"message": "no"}}', 'refused: {"error": {"message": "no"}}']
)  # fmt: skip
def test_an_error_of_a_gateway_s_own_is_the_fault_and_no_response(found: str) -> None:
    case = make_case(raised=found)
    for gateway, expected, message in (
        (FailingGateway(502, "no"), runtime.SHOWS, 'ACTUAL   answered 502 without calling the provider: {"error": {"message": "no"}}'),
        (FailingGateway(502, "another"), runtime.UNKNOWN, "another exception than what was found"),
        (FailingGateway(502, "no", fixed=True), runtime.DOES_NOT_SHOW, "The fault does not show."),
    ):  # fmt: skip
        code, lines = runtime.tell(case, runtime.play(case, gateway))
        assert (code, message in "\n".join(lines)) == (expected, True), lines


@pytest.mark.parametrize(
    ("error", "following"),
    [(ModuleNotFoundError("No module named 'adapter'"), runtime.INSTALL), (KeyError("name"), "look")],
)
def test_the_next_step_fits_the_cause(error: Exception, following: str) -> None:
    case = make_case()
    _, lines = runtime.tell(case, runtime.play(case, Library(error)))
    assert lines[-1].endswith(f"\nNext: {following}") and type(error).__name__ in lines[-1]


def test_another_status_is_another_error() -> None:
    case = make_case(raised='answered 502 without calling the provider: {"error": {"message": "no"}}')
    assert runtime.tell(case, runtime.play(case, FailingGateway(500, "no")))[0] == runtime.UNKNOWN


def test_a_repaired_adapter_that_answers_by_itself_shows_nothing() -> None:
    """The plain turn reaches the provider, and the request of the finding does not: it may be answered by anybody."""
    case = make_case(asks=1, raised="", kind="difference", silent=False, watched=[])
    code, lines = runtime.tell(case, runtime.play(case, Library(asks=False)))
    assert (code, "the provider was never asked" in lines[-1]) == (runtime.UNKNOWN, True)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"raised": "KeyError: 'a'"}, "first a response, then KeyError: 'a'"),
        ({"received": [[{"id": "b", "more": 1}]]}, "other documents"),
    ],
)
def test_a_failure_that_does_not_repeat_is_named(second: dict[str, Any], message: str) -> None:
    replayed: Any = SimpleNamespace(key="case", finding=SimpleNamespace(command_line="bridgecheck run"))
    first = {**NOTHING, "received": [[{"id": "a"}]]}
    assert _varying_paths(first, {**first, "received": [[{"id": "b"}]]}, replayed) == ["received[][].id"]
    with pytest.raises(DoesNotRepeat) as error:
        _varying_paths(first, {**first, **second}, replayed)
    assert str(error.value).startswith("[does-not-repeat] two runs of the same script differ") and message in str(
        error.value
    )


@pytest.mark.parametrize(
    ("command", "needs"),
    [
        (["{python}", "{here}/gateway.py", "--port", "{port}"], "the Python program gateway.py"),
        (["{here}/.venv/bin/python3.11", "-m", "uvicorn", "app:app"], "the Python module uvicorn"),
        (["{here}/.venv/bin/lm-proxy", "--config", "config.toml"], "the program lm-proxy"),
        (["node", "shim.mjs"], "the program node"),
        (["python"], "the program python"),
    ],
)
def test_what_a_script_needs_is_what_python_is_told_to_run(command: list[str], needs: str) -> None:
    assert describe_program(command) == needs
