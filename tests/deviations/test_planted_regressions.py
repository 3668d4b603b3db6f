"""The gate of a real adapter with many accepted failures: every regression that is planted in one of its accepted cases
is red, and without one the same run is green.

LiteLLM's proxy, as reports/litellm-proxy runs it, is the adapter. It runs once; a proxy in front of it
(``faulty_front``) plants one fault after the other in what it answers or is asked, so what is judged is a whole run of
the command over real traffic of the adapter, and the faults are ours. Its environment: ``make adapters``.
"""

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from socket import socket
from typing import Any, Final
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from .faulty_front import NO_FAULT, Answer, Fault, FaultyFront

ROOT: Final = Path(__file__).resolve().parents[2]
ADAPTER: Final = ROOT / "reports/litellm-proxy"
START_S: Final = 300

CACHED: Final = "usage/cached-input::bridged-gemini-to-openai-chat-unary-http"
STREAMED: Final = "usage/cached-input::bridged-gemini-to-openai-chat-stream-http"
REFUSED: Final = "errors/invalid-request::bridged-gemini-to-openai-chat-unary-http"
CRASHED: Final = "tools/arguments-empty-string::bridged-openai-chat-to-gemini-unary-http"
LIMITED: Final = "errors/rate-limit::bridged-gemini-to-openai-chat-unary-http"
ACCEPTED: Final = {
    CACHED: "response.usage", STREAMED: "response.usage", REFUSED: "client.wire_shape", CRASHED: "response.error", LIMITED: "response.error",
}  # fmt: skip
"""Case -> the check that fails in it, and that is accepted. In the counts it is the front's fault (OLD_FAULT)."""


@dataclass(frozen=True)
class Regression:
    name: str
    case: str
    fault: Fault


def _count(name: str, change: Callable[[int], int]) -> Fault:
    """Change one of the counts that a Gemini or an Anthropic client reads."""

    def change_usage(document: dict[str, Any]) -> None:
        for usage in (document.get("usageMetadata"), document.get("usage")):
            if usage is not None:
                usage[name] = change(usage.get(name, 0))

    return Fault(lambda answer: answer.change_documents(change_usage))


def _document(change: Callable[[dict[str, Any]], object]) -> Fault:
    return Fault(lambda answer: answer.change_documents(change))


def _answer(**changes: Any) -> Fault:
    def change(answer: Answer) -> Answer:
        return replace(answer, **changes)

    return Fault(change)


def _swap_counts(document: dict[str, Any]) -> None:
    usage = document["usageMetadata"]
    usage["promptTokenCount"], usage["candidatesTokenCount"] = usage["candidatesTokenCount"], usage["promptTokenCount"]


OLD_FAULT: Final = _count("thoughtsTokenCount", lambda count: count + 3)

HTML: Final = {"headers": {"content-type": "text/html"}, "body": b"<html>upstream connect error</html>"}
OTHER_ERROR: Final = b'{"error": {"message": "the route is not configured", "type": "None", "code": "500"}}'

IN_ONE_CHECK: Final = (
    Regression("one prompt token more", CACHED, _count("promptTokenCount", lambda count: count + 1)),
    Regression("no prompt tokens", CACHED, _count("promptTokenCount", lambda count: 0)),
    Regression("one output token less", CACHED, _count("candidatesTokenCount", lambda count: count - 1)),
    Regression("no output tokens", CACHED, _count("candidatesTokenCount", lambda count: 0)),
    Regression("prompt and output swapped", CACHED, _document(_swap_counts)),
    Regression("another count of cached tokens", CACHED, _count("cachedContentTokenCount", lambda count: 1)),
    Regression("tokens of thoughts from nowhere", CACHED, _count("thoughtsTokenCount", lambda count: 7)),
    Regression("no usage at all", CACHED, _document(lambda document: document.pop("usageMetadata"))),
    Regression("input tokens halved", STREAMED, _count("promptTokenCount", lambda count: count // 2)),
    Regression("no tokens of a streamed answer", STREAMED, _count("candidatesTokenCount", lambda count: 0)),
)
"""All in response.usage, of which another failure is accepted in the same cases."""

ANYWHERE: Final = (
    Regression("an outage", CACHED, _answer(status=500, body=OTHER_ERROR)),
    Regression("an outage with a page for people", STREAMED, _answer(status=503, **HTML)),
    Regression("another message where an outage is accepted", CRASHED, _answer(body=OTHER_ERROR)),
    Regression("502 where another outage is accepted", CRASHED, _answer(status=502)),
    Regression("no answer where an outage is accepted", CRASHED, Fault(None)),
    Regression("another status of a refusal", REFUSED, _answer(status=500)),
    Regression("a limit that became an outage", LIMITED, _answer(status=500)),
    Regression("the text lost", CACHED, _document(lambda d: d["candidates"][0]["content"].update(parts=[]))),
    Regression(
        "an end that was none", CACHED, _document(lambda d: d["candidates"][0].update(finishReason="MAX_TOKENS"))
    ),
    Regression(
        "a question that does not arrive",
        CACHED,
        Fault(change_request=lambda document: document.update(contents=[{"role": "user", "parts": [{"text": "?"}]}])),
    ),
)
REGRESSIONS: Final = (*IN_ONE_CHECK, *ANYWHERE)


def _free_port() -> int:
    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@dataclass(frozen=True)
class Bench:
    """``run(*options)``: the command over the accepted cases, or over those that are named."""

    folder: Path
    front: FaultyFront

    def run(self, *options: str, cases: tuple[str, ...] = tuple(ACCEPTED)) -> subprocess.CompletedProcess[str]:
        chosen = [part for case in cases for part in ("--scenario", case)]
        command = ("run", "--adapter", "adapter.toml", "--report", "report", "-n", "0", *chosen, *options)
        return subprocess.run(
            [sys.executable, "-m", "bridgecheck", *command],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def report(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.folder / "report/report.json").read_text(encoding="utf-8"))
        return document


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The proxy, started, with a front, and a folder with a recipe that reaches it through that."""
    if not (ADAPTER / ".venv/bin/litellm").exists():
        pytest.skip("reports/litellm-proxy has no environment: make adapters")
    folder = tmp_path_factory.mktemp("gate")
    recipe = tomllib.loads((ADAPTER / "adapter.toml").read_text(encoding="utf-8"))
    port, upstream = _free_port(), _free_port()
    values = {"{here}": str(ADAPTER), "{port}": str(port), "{upstream_url}": f"http://127.0.0.1:{upstream}"}
    values["{upstream_key}"] = "sk-recorded"

    def fill(text: str) -> str:
        for name, value in values.items():
            text = text.replace(name, value)
        return text

    for name, text in recipe["files"].items():
        (folder / name).write_text(fill(text), encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **recipe["env"]}
    with (folder / "litellm.log").open("w") as log:
        process = subprocess.Popen(
            list(map(fill, recipe["command"])), cwd=folder, env=environment, stdout=log, stderr=log
        )
    try:
        _wait_until_ready(f"http://127.0.0.1:{port}{recipe['ready']['path']}", process)
        with FaultyFront(port, OLD_FAULT.change_answer) as front:
            _write_recipe(folder / "adapter.toml", recipe, front.port, upstream)
            yield Bench(folder, front)
    finally:
        process.terminate()
        process.wait(30)


def _write_recipe(path: Path, recipe: dict[str, Any], port: int, upstream: int) -> None:
    lines = [f"{key} = {json.dumps(recipe[key])}" for key in ("name", "timeout", "routes")]
    lines += [f'target = "http:http://127.0.0.1:{port}"', f"upstream_port = {upstream}"]
    lines += [f"[client.{name}]\nmodel = {json.dumps(values['model'])}" for name, values in recipe["client"].items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(url, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.5)
    pytest.fail(f"the proxy did not start: exit code {process.poll()}")


@pytest.fixture(scope="module")
def accepting_bench(bench: Bench) -> Bench:
    """The same, with all failures of the cases accepted."""
    assert bench.run().returncode == 1
    assert bench.run("--update-deviations").returncode == 0
    return bench


@pytest.mark.slow
def test_what_is_accepted_stays_green(accepting_bench: Bench) -> None:
    for _ in range(2):
        again = accepting_bench.run("--stale", "fail")
        assert again.returncode == 0, again.stdout
        assert "\nKNOWN FAILURES: " in again.stdout
    failing = {
        case["id"]: {verdict["check"] for verdict in case["verdicts"] if "excuse" in verdict}
        for case in accepting_bench.report["cases"]
    }
    assert {case: check for case, check in ACCEPTED.items() if check not in failing[case]} == {}


@pytest.mark.slow
@pytest.mark.parametrize("regression", REGRESSIONS, ids=lambda regression: regression.name)
def test_a_regression_in_an_accepted_case_is_red(accepting_bench: Bench, regression: Regression) -> None:
    accepting_bench.front.fault = regression.fault
    try:
        run = accepting_bench.run(cases=(regression.case,))
    finally:
        accepting_bench.front.fault = NO_FAULT
    assert run.returncode == 1, run.stdout
    (case,) = accepting_bench.report["cases"]
    still_accepted = {verdict["check"] for verdict in case["verdicts"] if "excuse" in verdict}
    new = {verdict["check"] for verdict in case["verdicts"] if verdict["status"] == "FAIL" and "excuse" not in verdict}
    print(f"{regression.name}: red in {', '.join(sorted(new))}; still accepted {', '.join(sorted(still_accepted))}")
    if regression in IN_ONE_CHECK:
        assert "response.usage" in new
