"""Gateways at http level: their own faults are a FAIL with its reason, limits of the harness are not."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.cassette import traffic as recorded
from bridgecheck.drivers import Driver, http_client, resolve, sdk_result
from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.model.evidence import exception_line
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.relations.choice import NO_RELATIONS, RelationChoice
from bridgecheck.run import traffic
from bridgecheck.run.execute import run_case, run_with_transcript
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case, Selection, plan
from bridgecheck.run.record import document_views
from bridgecheck.upstream.edge import Edge

from ..fakes import Fakes, becomes_true


def load(scenario_id: str) -> Scenario:
    return load_scenario(scenarios_root() / f"{scenario_id}.json")


PLAIN = load("messages/plain-text")


@pytest.fixture
def fakes(tmp_path: Path):
    return Fakes(tmp_path)


@pytest.fixture
def play(fakes, library: Library):
    """``play("dies")``: the results of a plain case and of a second one."""
    drivers: list[Driver] = []

    def play_manner(
        manner: str, *, layer: str = "http", mode: str = "unary", times: int = 1,
        after_each: Callable[[Driver], object] = lambda driver: None, scenario: Scenario = PLAIN,
        relation_choice: RelationChoice = NO_RELATIONS, **options
    ) -> list[CaseResult]:  # fmt: skip
        driver = resolve(str(fakes.recipe(manner, **options)))
        drivers.append(driver)
        key = CaseKey(scenario.id, "bridged", "openai-chat", "openai-chat", mode, layer)
        results = []
        for _ in range(times):
            results.append(run_case(Case(key), scenario, driver, library, relation_choice))
            after_each(driver)
        return results

    yield play_manner
    for driver in drivers:
        driver.close()
    assert fakes.alive == []


def messages_with(result: CaseResult, status: str) -> list[str]:
    """Return the checks and messages of the verdicts with this status."""
    return [f"{verdict.check}: {verdict.message}" for verdict in result.verdicts if verdict.status == status]


@pytest.mark.parametrize("layer", ["http", "sdk"])
@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_a_transparent_gateway_passes(play, layer: str, mode: str) -> None:
    (result,) = play("normal", layer=layer, mode=mode)
    assert result.status == "PASS", messages_with(result, result.status)


@pytest.mark.parametrize(
    ("manner", "message"),
    [
        ("hang", "no answer within 0.7 s"),
        ("dies", "the adapter exited with code 9, its last lines:"),
        ("closes", "it closed the connection without an answer"),
        ("raises", "answered 500 without calling the provider"),
        ("not-found", "answered 404 without calling the provider, with no error of the client's dialect"),
        ("refuses", "refused what it should take"),
        ("unreadable", "answered 200 without calling the provider, with no error of the client's dialect: "),
    ],
)
def test_misbehaviour_fails_with_its_reason(play, manner: str, message: str) -> None:
    (result,) = play(manner, timeout=0.7)
    (failed,) = messages_with(result, "FAIL")
    assert failed.startswith("adapter.completes: ") and message in failed


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_a_body_shorter_than_its_content_length_is_noticed(play, mode: str) -> None:
    (result,) = play("promises-more", mode=mode)
    assert [message.split(":")[0] for message in messages_with(result, "FAIL")] == ["client.framing"]
    assert "bytes of Content-Length" in str(messages_with(result, "FAIL"))


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_a_request_shorter_than_its_content_length_is_noticed(play, mode: str) -> None:
    (result,) = play("sends-less", mode=mode)
    (miss,) = [found for verdict in result.verdicts if verdict.status == "FAIL" for found in verdict.differences]
    assert "sending complete message body (received" in str(miss)


@pytest.mark.parametrize(
    ("manner", "mode", "failed"),
    [
        ("writes-nan", "unary", ["client.wire_shape"]),
        ("writes-nan", "stream", ["client.framing"]),
        ("normal", "unary", []),
        ("normal", "stream", []),
        ("refuses-calls", "unary", []),
    ],
)
def test_a_bare_nan_is_no_json_where_an_error_would_be_right(play, manner: str, mode: str, failed: list[str]) -> None:
    (result,) = play(manner, mode=mode, scenario=replace(load("tools/arguments-not-a-number"), level="MUST"))
    messages = [message for message in messages_with(result, "FAIL") if message.startswith("client.")]
    assert [message.split(":")[0] for message in messages] == failed
    assert all("NaN is no JSON" in message for message in messages)


@pytest.mark.parametrize(("mode", "failed"), [("unary", "response.error"), ("stream", "client.framing")])
def test_a_bare_nan_is_no_json_in_an_answer(play, mode: str, failed: str) -> None:
    (result,) = play("writes-nan", mode=mode)
    failures = {message.split(":")[0]: message for message in messages_with(result, "FAIL")}
    assert "NaN is no JSON" in failures[failed]
    assert "client.wire_shape" not in failures


def test_a_bare_nan_is_no_json_in_a_request(play) -> None:
    (result,) = play("asks-for-nan")
    assert "no JSON object (NaN is no JSON)" in str(messages_with(result, "FAIL"))


def test_a_doubled_version_in_the_path_is_noticed(play) -> None:
    (result,) = play("doubles-version")
    assert any("the API has no such path: POST" in message for message in messages_with(result, "FAIL"))


@pytest.mark.parametrize(("manner", "status"), [("flows", "PASS"), ("normal", "WARN")])
def test_a_buffered_stream_is_noticed(play, manner: str, status: str) -> None:
    (result,) = play(manner, mode="stream", scenario=load("chunks/done-inside-text"))
    (found_,) = [verdict.status for verdict in result.verdicts if verdict.check == "stream.incremental"]
    assert (result.status, found_) == (status, status)


@pytest.mark.parametrize(("manner", "status"), [("flows", "PASS"), ("stays", "WARN")])
def test_a_missing_disconnect_is_noticed(play, manner: str, status: str) -> None:
    (result,) = play(manner, mode="stream", scenario=load("relay/client-goes-away"))
    assert (result.status, [verdict.status for verdict in result.verdicts if verdict.check == "relay.cancel"]) == (
        status,
        [status],
    )


@pytest.mark.parametrize(("layer", "waits"), [("http", False), ("sdk", True)])
def test_a_break_waits_where_no_client_notes_what_it_received(
    play, monkeypatch: pytest.MonkeyPatch, layer: str, waits: bool
) -> None:
    settings = []
    original = Edge.play_cassette

    def play_cassette(*args: object, **options: object) -> object:
        settings.append(options["settings"])
        return original(*args, **options)

    monkeypatch.setattr(Edge, "play_cassette", play_cassette)
    play("flows", mode="stream", layer=layer, scenario=load("broken-streams/no-second-call"))
    assert [(bool(used.before_break_s), used.in_step) for used in settings] == [(waits, not waits)]


@pytest.mark.parametrize("layer", ["http", "sdk"])
def test_relations_run_over_http(play, layer: str) -> None:
    options = {
        "mode": "stream",
        "layer": layer,
        "scenario": load("chunks/done-inside-text"),
        "relation_choice": RelationChoice("all"),
    }
    (result,) = play("flows", **options)
    tried = {verdict.check: verdict.status for verdict in result.verdicts if verdict.check.startswith("relation.")}
    assert set(tried.values()) == {"PASS"}
    assert {"relation.two_streams", "relation.bytes_1"} < tried.keys()


def test_the_last_output_is_reported(play) -> None:
    assert "out of patience\n(during this request: it closed the connection" in play("dies")[0].crash
    assert play("hang", timeout=0.5)[0].crash.endswith("asked for /v1/chat/completions")


def test_an_endless_stream_fails(play) -> None:
    (result,) = play("endless", mode="stream", timeout=1)
    (failed,) = messages_with(result, "FAIL")
    assert "no end of its answer within 1 s, after" in failed


def test_a_traceback_in_the_log_is_not_a_failure() -> None:
    wrote = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n'
    assert exception_line(f"no answer within 1 s\nits last lines:\n{wrote}") == "no answer within 1 s"
    assert exception_line(f"the adapter exited with code 1, its last lines:\n{wrote}").startswith(
        "the adapter exited with code 1"
    )


@pytest.mark.parametrize("layer", ["http", "sdk"])
@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_an_oversized_response_fails(play, monkeypatch: pytest.MonkeyPatch, layer: str, mode: str) -> None:
    defaults = http_client.send_request.__defaults__
    monkeypatch.setattr(http_client.send_request, "__defaults__", (*defaults[:-1], 2_000_000))
    monkeypatch.setattr(sdk_result, "MAX_BYTES", 2_000_000)
    (result,) = play("gigabytes", mode=mode, layer=layer, timeout=30)
    (failed,) = messages_with(result, "FAIL")
    assert "its answer is longer than 2000000 bytes" in failed


@pytest.mark.parametrize("layer", ["http", "sdk"])
@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_a_compressed_response_is_read(play, mode: str, layer: str) -> None:
    assert play("compresses", mode=mode, layer=layer)[0].status in ("PASS", "WARN" if mode == "stream" else "PASS")


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_the_sdk_of_a_client_unpacks_no_more_than_it_may(play, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setattr(sdk_result, "MAX_BYTES", 2_000_000)
    (failed,) = messages_with(play("bomb", mode=mode, layer="sdk")[0], "FAIL")
    assert "its answer is longer than 2000000 bytes" in failed


def test_the_sdk_of_a_client_follows_to_no_other_host(play) -> None:
    (failed,) = messages_with(play("leads-away", layer="sdk")[0], "FAIL")
    assert failed.startswith("adapter.completes: ") and "answered 307 without calling the provider" in failed


def test_an_ended_gateway_is_restarted_for_the_next_case(play) -> None:
    first, second = play("dies-once", times=2)
    assert (first.status, second.status) == ("FAIL", "PASS")


def test_a_request_that_comes_late_changes_no_later_case(fakes, library: Library) -> None:
    """The gateway sends again what was refused. A refusal that says when to try again ends its process; of the others
    each late request gets the answer of its own case."""
    driver = resolve(str(fakes.recipe("retries-late")))
    errors = [load(f"errors/{name}") for name in ("rate-limit", "overloaded", "internal")]
    alone: dict[str, list[Verdict]] = {}
    try:
        for scenario in (*errors, PLAIN, *errors, PLAIN):
            key = CaseKey(scenario.id, "bridged", "openai-chat", "openai-chat", "unary", "http")
            verdicts = [*run_case(Case(key), scenario, driver, library).verdicts]
            assert alone.setdefault(scenario.id, verdicts) == verdicts
            while scenario is PLAIN and not (fakes.folder / "late").exists():
                assert alone[scenario.id] == [*run_case(Case(key), scenario, driver, library).verdicts]
        assert set((fakes.folder / "late").read_text().split()) <= {"500", "503"}
    finally:
        driver.close()
    assert fakes.alive == []


def test_a_gateway_that_ends_after_its_response_is_noticed(play, fakes) -> None:
    def end_gateway(driver: Driver) -> None:
        """Its supervisor reports the end a moment after the process is gone."""
        (fakes.folder / "die").touch()
        processes = driver.gateway._running.values()
        assert becomes_true(lambda: all(process.child.exit_description for process in processes))

    first, second = play("dies-later", times=2, after_each=end_gateway)
    assert (first.status, second.status) == ("PASS", "FAIL")
    assert "the adapter exited with code 9" in "".join(messages_with(second, "FAIL"))
    assert second.crash.endswith("(after an earlier answer, before this request)")


def test_an_unmodelled_endpoint_is_inconclusive(play) -> None:
    (result,) = play("unmodelled")
    assert result.status == "INCONCLUSIVE"
    assert "endpoint not modelled: POST" in messages_with(result, "INCONCLUSIVE")[0]


@pytest.mark.parametrize("manner", ["wrong-port", "crash", "never", "garbage"])
def test_a_gateway_that_does_not_become_ready_is_an_error_without_waiting_again(play, manner: str) -> None:
    started = time.monotonic()
    first, second = play(manner, seconds=1, times=2)
    assert time.monotonic() - started < 6
    assert (first.status, second.status) == ("ERROR", "ERROR")
    assert messages_with(first, "ERROR") == messages_with(second, "ERROR")
    assert "harness.error: [adapter-not-ready]" in messages_with(first, "ERROR")[0]
    assert second.seconds < 0.5


def test_a_response_that_the_client_sdk_cannot_read_fails(fakes, library: Library) -> None:
    """The wire client receives a body that is not JSON; a Chat client of a Gemini provider receives nothing."""
    recipe = fakes.recipe("unreadable")
    recipe.write_text(recipe.read_text().replace('["openai-chat", "openai-chat"]', '["openai-chat", "gemini"]'))
    driver = resolve(str(recipe))
    key = CaseKey(PLAIN.id, "bridged", "openai-chat", "gemini", "unary", "sdk")
    try:
        result = run_case(Case(key), PLAIN, driver, library)
    finally:
        driver.close()
    failed = "".join(messages_with(result, "FAIL"))
    assert "adapter.completes: the adapter failed: the SDK of openai-chat cannot read the answer" in failed


def test_a_gateway_is_planned_at_http_level_and_with_its_clients_sdk(fakes) -> None:
    driver = resolve(str(fakes.recipe("normal")))
    cases = plan(PLAIN, driver, Selection(paths=("bridged",)))
    played = [case.key.route_mode_layer for case in cases if not case.why_not]
    assert played == [
        f"bridged-openai-chat-to-openai-chat-{mode}-{layer}"
        for mode in ("unary", "stream")
        for layer in ("http", "sdk")
    ]
    assert {case.key.layer for case in cases if case.why_not} == {"http"}


def test_recorded_traffic_is_not_played_to_gateways(fakes) -> None:
    """Traffic is played at the wire layer, which no gateway has."""
    driver = resolve(str(fakes.recipe("normal")))
    line = {
        "id": "one", "provider": "openai", "method": "POST", "url_path": "/v1/chat/completions", "status": 200,
        "request_body": {"model": "m", "messages": []}, "response_body": {"id": "c", "choices": []},
    }  # fmt: skip
    path = fakes.folder / "traffic.jsonl"
    path.write_text(json.dumps(line) + "\n")
    (item,) = recorded.read_traffic(path, "*")
    cases = traffic.plan(item, driver, Selection())
    assert [(case.key.path, bool(case.why_not)) for case in cases] == [("native", False), ("bridged", True)]
    assert "gives no documents" in cases[1].why_not


def _command(fakes, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "bridgecheck", "run", "--adapter", str(fakes.folder / "adapter.toml"),
            "--report", str(fakes.folder / "report"), *arguments]  # fmt: skip


def play_three_orders(fakes, *scenarios: str) -> list[dict[str, str]]:
    """Return of each run the status of every case."""
    statuses: list[dict[str, str]] = []
    for seed in range(3):
        command = _command(fakes, "--shuffle", str(seed), "--path", "bridged", "--layer", "http", "--mode", "unary")
        command += [argument for scenario in scenarios for argument in ("--scenario", scenario)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert result.returncode in (0, 1), result.stdout + result.stderr
        report = json.loads((fakes.folder / "report" / "report.json").read_text(encoding="utf-8"))
        statuses.append({case["id"]: case["status"] for case in report["cases"]})
    assert (fakes.folder / "late").exists()
    return statuses


@pytest.mark.slow
def test_three_orders_give_the_same_verdicts_of_a_gateway_that_retries_late(fakes) -> None:
    fakes.recipe("retries-late")
    first, second, third = play_three_orders(fakes, "errors/*", "messages/*")
    assert first == second == third
    assert fakes.alive == []


@pytest.mark.slow
def test_three_orders_give_the_same_verdicts_of_a_running_gateway_that_retries_late(
    fakes, running_gateway: Callable[..., tuple[int, int]]
) -> None:
    port, upstream = running_gateway("retries-late", RETRY_S="3")
    (fakes.folder / "adapter.toml").write_text(
        f'target = "http:http://127.0.0.1:{port}"\nupstream_port = {upstream}\nname = "running"\n'
        'routes = [["openai-chat", "openai-chat"]]\n',
        encoding="utf-8",
    )
    first, second, third = play_three_orders(fakes, "errors/*", "messages/*")
    assert first == second == third


def test_a_run_over_a_broken_recipe_ends_with_3(fakes) -> None:
    fakes.recipe("crash")
    command = _command(fakes, "-n", "0", "--scenario", "messages/plain-text", "--path", "bridged", "--mode", "unary")
    result = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)
    assert result.returncode == 3, result.stdout
    assert "no licence for this machine" in result.stdout and "sk-aaa" not in result.stdout
    assert becomes_true(lambda: fakes.alive == [])


@pytest.fixture
def running_gateway(fakes, free_tcp_port_factory) -> Iterator[Callable[..., tuple[int, int]]]:
    """Start a gateway in one of its manners, with this environment; return its port, and that of its provider."""
    started: list[subprocess.Popen[bytes]] = []

    def start(manner: str, **environment: str) -> tuple[int, int]:
        port, upstream = free_tcp_port_factory(), free_tcp_port_factory()
        script = Path(__file__).parents[1] / "fake_gateway.py"
        command = [sys.executable, str(script), manner, str(port), f"http://127.0.0.1:{upstream}", str(fakes.folder)]
        nowhere, variables = subprocess.DEVNULL, {**os.environ, **environment}
        started.append(subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=variables))
        return port, upstream

    yield start
    ended = [running.poll() for running in started]
    for running in started:
        running.kill()
        running.wait()
    assert ended == [None] * len(started)


def test_a_running_gateway(fakes, running_gateway: Callable[..., tuple[int, int]]) -> None:
    """A running gateway is not stopped, and the provider's address is printed for it."""
    port, upstream = running_gateway("normal")
    case = "messages/plain-text::bridged-openai-chat-to-openai-chat-unary-*"
    result = subprocess.run(
        [sys.executable, "-m", "bridgecheck", "run", "--adapter", f"http:http://127.0.0.1:{port}",
         "--upstream-port", str(upstream), "-n", "2", "--scenario", case, "--report", str(fakes.folder / "report")],
        capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout
    assert f"The recorded provider listens on http://127.0.0.1:{upstream}: point the gateway at it." in result.stderr
    assert "2 PASS" in result.stdout


@pytest.mark.parametrize(
    ("workers", "number"),
    [("0", 9), ("2", 2), *(pytest.param(*point, marks=pytest.mark.slow) for point in (("0", 2), ("2", 9)))],
)
def test_an_interrupted_run_leaves_no_process(fakes, workers: str, number: int) -> None:
    fakes.recipe("hang", timeout=60)
    running = subprocess.Popen(
        _command(fakes, "-n", workers, "--scenario", "messages/plain-text", "--path", "bridged"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        assert becomes_true(lambda: len(fakes.alive) >= 1, 40)
        time.sleep(0.3)
        running.send_signal(number)
        running.wait(30)
    finally:
        running.kill()
    assert becomes_true(lambda: fakes.alive == [], 15)


def test_the_clients_request_is_what_its_sdk_spelt(library: Library) -> None:
    """google-genai sends ``parameters_json_schema``, whatever spelling it is given; a gateway has to read that."""
    driver = resolve(str(scenarios_root().parent / "reports" / "bridgecheck-reference" / "adapter.toml"))
    scenario = load("schema/no-parameters")
    key = CaseKey(scenario.id, "bridged", "gemini", "anthropic", "unary", "sdk")
    try:
        result, transcript, _ = run_with_transcript(Case(key), scenario, driver, library)
    finally:
        driver.close()
    assert result.status == "PASS", messages_with(result, result.status)
    assert transcript is not None and transcript.client[0].request is not None
    (tools,) = transcript.client[0].request.body["tools"]
    assert tools["functionDeclarations"][1]["parameters_json_schema"] == {"type": "object"}
    views = document_views(transcript, (Verdict("a", "FAIL"),))
    assert "parameters_json_schema" in views["client_request"]
