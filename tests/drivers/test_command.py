"""Commands that break the protocol: each fault has a clear result, and the next case gets a new process."""

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.drivers import Driver, inprocess, resolve
from bridgecheck.drivers.command import Launch, driver_of_launch, running
from bridgecheck.drivers.command import shim as shim_module
from bridgecheck.drivers.foreign_code import Crashed, Refused
from bridgecheck.errors import BadTarget
from bridgecheck.files import cassettes_root, load_scenario, scenarios_root
from bridgecheck.model.evidence import ReportedLoss
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.verdict import CaseResult
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Selection, plan

BROKEN = Path(__file__).parent / "shims" / "misbehaving.py"


def at(start: str = "", start_s: float = 10.0) -> Driver:
    return driver_of_launch("command:broken", Launch([sys.executable, str(BROKEN), start], Path.cwd(), start_s=start_s))


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    found = replace(at(), timeout=5.0)
    yield found
    found.close()


def convert_request(driver: Driver, model: str = "m", body: dict[str, Any] | None = None) -> dict[str, Any]:
    request = Request("openai-chat", "unary", body or {"model": model}, model)
    return inprocess.convert_request(driver, request, "gemini").request.body


def test_the_adapter_description_of_a_command(driver: Driver) -> None:
    info = driver.info
    assert (info.name, info.version, info.claims) == ("broken", "0.1", {"tools"})
    assert {"citations", "thinking"} <= driver.inexpressible_or_unclaimed_features
    assert info.routes == {("openai-chat", "gemini")}
    assert info.pivot(("gemini", "gemini")) == "openai-chat"
    assert driver.connects is None
    assert not driver.judged_on_all


def test_requests_answers_and_streams_go_through(driver: Driver) -> None:
    first, second = convert_request(driver), convert_request(driver)
    assert first["pid"] == second["pid"]
    request = Request("openai-chat", "unary", {"model": "m"}, "m")
    answer = inprocess.convert_response(driver, Response("gemini", "unary", ({"é\ud800": 1},), 429), request).response
    assert (answer.status, answer.documents) == (429, ({"é\ud800": 1},))
    streamed = inprocess.convert_response(
        driver, Response("gemini", "stream", ({"a": 1},)), replace(request, mode="stream")
    )
    assert [document["op"] for document in streamed.response.documents] == ["stream.feed", "stream.close"]  # type: ignore[index]
    assert streamed.arrivals == "ucc"
    assert [loss.reason for loss in streamed.losses] == [
        "no such field in stream.feed",
        "no such field in stream.close",
    ]


def test_losses_come_with_answers(driver: Driver) -> None:
    request = Request("openai-chat", "unary", {}, "losses")
    assert inprocess.convert_request(driver, request, "gemini").losses == (ReportedLoss("seed", "no such field"),)
    assert inprocess.convert_request(driver, replace(request, model="m"), "gemini").losses == ()


def test_the_environment_is_an_explicit_list(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-children")
    found = convert_request(driver)
    assert set(found["env"]) - {"LC_CTYPE"} == {"PATH", "HOME", "LANG", "TMPDIR"}
    assert Path(found["home"]).is_dir()
    driver.close()
    assert not Path(found["home"]).exists()


LOUD = [
    ("garbage", r"it wrote no JSON: 'DEBUG: converting'"),
    ("nan", r"it wrote no JSON \(NaN is no JSON\): '\{\"id\": \d+, \"body\": \{\"a\": NaN\}\}'"),
    ("list", r"it wrote no JSON object: '\[\]'"),
    ("no-utf-8", r"it wrote no JSON: .*\\\\xff"),
    ("no-id", r"it wrote an answer without the id of its request: "),
    ("wrong-id", r"it wrote an answer with id \d+, which nobody waits for"),
    ("exit", r"it exited with code 7 without being asked to stop\n.*\nout of memory"),
    ("killed", r"it was ended by SIGKILL without being asked to stop"),
    ("long-line", r"it wrote a line of more than 16777216 bytes"),
]


@pytest.mark.parametrize(("model", "message"), LOUD, ids=[model for model, _ in LOUD])
def test_a_broken_protocol_is_the_adapters_crash(driver: Driver, model: str, message: str) -> None:
    before = convert_request(driver)["pid"]
    with pytest.raises(Crashed, match=message):
        convert_request(driver, model)
    assert convert_request(driver)["pid"] != before


MISSHAPEN = [
    ("other-shape", r"no answer to to_upstream: .* expected body or errored or unsupported"),
    ("unknown-member", r"a bad answer to to_upstream: unknown member 'loses'; expected body, losses"),
    ("body-is-text", r'a bad answer to to_upstream: body is "{}"; expected a JSON object'),
    ("errored", r"Traceback \.\.\.\nKeyError: 'parts'"),
]


@pytest.mark.parametrize(("model", "message"), MISSHAPEN, ids=[model for model, _ in MISSHAPEN])
def test_an_invalid_answer_fails_only_its_request(driver: Driver, model: str, message: str) -> None:
    before = convert_request(driver)["pid"]
    with pytest.raises(Crashed, match=message):
        convert_request(driver, model)
    assert convert_request(driver)["pid"] == before


def test_a_refusal_is_no_crash(driver: Driver) -> None:
    with pytest.raises(Refused, match="logprobs: the provider has none"):
        convert_request(driver, "unsupported")


@pytest.mark.parametrize(("model", "message"), [("twice", "which nobody waits for"), ("leaves", "exited with code 0")])
def test_a_failure_between_requests_is_reported_by_the_next(driver: Driver, model: str, message: str) -> None:
    assert convert_request(driver, model) == {}
    with pytest.raises(Crashed, match=message):
        convert_request(driver)
    assert convert_request(driver)["pid"]


@pytest.mark.parametrize("model", ["silence", "closes", "noisy-silence"])
def test_silence_is_a_hang_and_ends_the_process(driver: Driver, model: str, process: Any) -> None:
    before = convert_request(driver)["pid"]
    started = time.monotonic()
    with pytest.raises(Crashed) as crash:
        convert_request(replace(driver, timeout=4.0 if model == "closes" else 1.0), model)
    assert time.monotonic() - started < 6
    assert ("closed its standard output" if model == "closes" else "no answer to to_upstream within") in str(
        crash.value
    )
    assert process.becomes_true(lambda: not process.alive(before))
    if model == "noisy-silence":
        assert "to standard error (3000000 bytes)" in str(crash.value)
    assert convert_request(driver)["pid"] != before


def test_endless_standard_error_is_harmless(driver: Driver) -> None:
    assert convert_request(driver, "noisy") == {"noisy": True}


def test_a_stream_without_end_is_cut_off(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shim_module, "MAX_REQUEST_BYTES", 10_000)
    request = Request("openai-chat", "stream", {}, "m")
    with pytest.raises(Crashed, match=r"more than 10000 bytes for one request"):
        inprocess.convert_response(driver, Response("gemini", "stream", ({"endless": 1},)), request)


def test_the_lines_for_one_request_are_limited(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    convert_request(driver)
    monkeypatch.setattr(shim_module, "MAX_EVENTS", 0)
    with pytest.raises(Crashed, match="more than 0 lines for one request"):
        convert_request(driver)


def test_a_command_that_does_not_read_causes_no_deadlock() -> None:
    found = replace(at(), timeout=1.0)
    with pytest.raises(Crashed, match="no answer to to_upstream"):
        convert_request(found, "silence")
    found.close()
    with pytest.raises(Crashed, match="does not read its standard input: to_upstream could not be written in time"):
        _twice_while_silent(found)
    found.close()


def _twice_while_silent(found: Driver) -> None:
    """Send a second request, larger than a pipe buffer, while the first one sleeps."""
    convert_request(found)
    shim = found.converter._command.running_shim()  # type: ignore[union-attr]
    shim.send_request("to_upstream", {"client": "gemini", "upstream": "gemini", "mode": "unary", "model": "silence", "body": {}},
             lambda chunk: None, time.monotonic() + 1)  # fmt: skip
    convert_request(found, "m", {"model": "m", "text": "x" * 1_000_000})


BEFORE = [
    ("exit", r"exited with code 3 .*\n.*\nno such key: PORT"),
    ("garbage", r"wrote no JSON: 'Listening on port 4000'"),
    ("silence", r"no answer to start within 1 s"),
    ("closes", r"closed its standard output"),
    ("version", r"it speaks version 2 of the protocol"),
    ("unsupported", r"this needs a licence"),
    ("nameless", r"a bad answer to start: name is missing"),
    ("telepathy", r"claims is \[\"telepathy\"\]; expected a list of capabilities among tools"),
    ("routeless", r"it has no routes"),
    ("idle", r"does is \[\]; expected a list with one or more of"),
    ("cancels", r"it does nothing but cancel"),
    ("breaks", r"it does not say what it does: .*KeyError: 'routes'"),
]


@pytest.mark.parametrize(("start", "message"), BEFORE, ids=[start for start, _ in BEFORE])
def test_a_command_that_fails_to_start_is_refused(start: str, message: str) -> None:
    with pytest.raises(BadTarget) as refused:
        at(start, 1.0 if start == "silence" else 10.0)
    assert re.search(message, str(refused.value), re.DOTALL)
    assert "expected" in str(refused.value)
    assert "next" in str(refused.value)


def test_command_output_is_shown_without_terminal_codes() -> None:
    with pytest.raises(BadTarget) as refused:
        at("colours")
    assert "\x1b" not in str(refused.value)
    assert "this needs a licence" in str(refused.value)


def test_the_suggested_command_prints_the_first_answer() -> None:
    with pytest.raises(BadTarget) as refused:
        at("version")
    line = refused.value.next_step
    result = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=30, check=True)
    assert json.loads(result.stdout)["bridgecheck"] == 2


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("command:", "names no program"),
        ("command:'", "is no command line: No closing quotation"),
        ("command:./no-such-shim --flag", "cannot be started: No such file or directory"),
        (f"command:{shlex.quote(str(BROKEN))}", "cannot be started: Permission denied"),
    ],
)
def test_an_invalid_command_line_is_refused(target: str, message: str) -> None:
    with pytest.raises(BadTarget) as refused:
        resolve(target)
    assert message in str(refused.value)


def test_resolving_leaves_no_process_behind(monkeypatch: pytest.MonkeyPatch, process: Any) -> None:
    started: list[int] = []

    class Watched(running.ChildProcess):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            started.append(self.pid)

    monkeypatch.setattr(running, "ChildProcess", Watched)
    assert resolve(f"command:{sys.executable} {BROKEN} stays").info.name == "broken"
    assert len(started) == 1 and not process.alive(started[0])


SCENARIO = load_scenario(scenarios_root() / "tools/single-call.json")


def cases(driver: Driver) -> list[CaseResult]:
    """Play and judge the adapter's cases of a scenario."""
    library = Library(cassettes_root())
    planned = [case for case in plan(SCENARIO, driver, Selection(paths=("bridged",))) if not case.why_not]
    return [run_case(case, SCENARIO, driver, library) for case in planned]


@pytest.mark.parametrize(
    ("always", "message"),
    [("garbage", "it wrote no JSON"), ("exit", "out of memory"), ("errored", "KeyError: 'parts'")],
)
def test_protocol_errors_fail_each_case(always: str, message: str) -> None:
    launch = Launch([sys.executable, str(BROKEN)], Path.cwd(), {"ALWAYS": always})
    driver = driver_of_launch("command:broken", launch)
    try:
        results = cases(driver)
    finally:
        driver.close()
    assert [result.status for result in results] == ["FAIL", "FAIL"]
    for result in results:
        assert message in result.crash
        failed = {verdict.check for verdict in result.verdicts if verdict.status == "FAIL"}
        assert "adapter.completes" in failed
        assert not any(check.startswith("request.") for check in failed), "no request was made"


def test_a_refusal_is_not_a_failure() -> None:
    launch = Launch([sys.executable, str(BROKEN)], Path.cwd(), {"ALWAYS": "unsupported"})
    driver = driver_of_launch("command:broken", launch)
    try:
        messages = {verdict.message for result in cases(driver) for verdict in result.verdicts}
    finally:
        driver.close()
    assert "refused what it should take: logprobs: the provider has none" in messages


def test_a_command_that_does_not_restart_is_a_harness_error(tmp_path: Path) -> None:
    """The restart is waited for once, not in every case."""
    there = tmp_path / "there"
    there.touch()
    command = [sys.executable, str(BROKEN), f"while:{there}"]
    driver = driver_of_launch("command:broken", Launch(command, Path.cwd(), {"THEN": "silence"}, start_s=3.0))
    there.unlink()
    started = time.monotonic()
    results = cases(driver)
    assert time.monotonic() - started < 6
    assert [result.status for result in results] == ["ERROR", "ERROR"]
    for result in results:
        assert "did not start to answer: no answer to start within 3 s" in result.verdicts[0].message
