"""Which case of a finding is reproduced, and what a refusal proposes instead."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.errors import RefusedAtStart, UnknownScenario
from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.report import Report, write_report
from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.gate import Gate
from bridgecheck.repro.replay import SelectedCase, replay_case
from bridgecheck.repro.selection import select_case

from ..deviation_entries import accept
from ..report.sample_reports import TODAY, case, info

LOST = Verdict(
    "response.tool_calls", "FAIL", "tool_calls[1] is lost",
    (Difference("tool_calls[1]", '{"args":{},"name":"get_weather"}', "(absent)"),),
)  # fmt: skip
UNARY = "messages/plain-text::bridged-openai-chat-to-gemini-unary"


@pytest.fixture
def gateway(tmp_path: Path) -> str:
    """The recipe of a gateway that is never started."""
    path = tmp_path / "adapter.toml"
    lines = (
        'name = "mini"',
        'version = "1"',
        'target = "http:http://127.0.0.1:{port}"',
        'command = ["{python}", "{port}"]',
        'env = { PROVIDER = "{upstream_url}" }',
    )
    path.write_text("\n".join((*lines, 'routes = [["openai-chat", "gemini"]]\n')), encoding="utf-8")
    return str(path)


def failing(scenario: str, layer: str, verdict: Verdict = LOST, **fields: Any) -> CaseResult:
    result: CaseResult = case(scenario, verdict, layer=layer, **fields)
    return result


def select(folder: Path, target: str, name: str, *cases: CaseResult, adapter: str = "") -> SelectedCase:
    write_report(Report.from_results(info(target=target, planned=len(cases)), cases), folder)
    return select_case(name, adapter, folder)


def refusal(selected: SelectedCase) -> RefusedAtStart:
    with pytest.raises(RefusedAtStart) as error:
        replay_case(selected)
    return error.value


MARK = fingerprint(failing("a/b", "sdk"), LOST)


@pytest.mark.parametrize("name", ["1", MARK])
def test_a_case_of_the_finding_is_chosen_that_a_script_can_play(gateway: str, tmp_path: Path, name: str) -> None:
    """In front of a gateway none of the sdk layer, whose example may be one; one that passed there is none either."""
    cases = [failing("a/clear", "sdk"), case("a/clear", layer="http"), failing("a/long", "http", mode="stream")]
    selected = select(tmp_path, gateway, name, *cases)
    assert selected.address == "a/long::bridged-openai-chat-to-gemini-stream-http"
    assert selected.fingerprints == (MARK,)


def test_a_library_is_played_through_its_sdk(tmp_path: Path) -> None:
    selected = select(tmp_path, "python:mine:adapter", "1", failing("a/clear", "sdk"))
    assert selected.address == "a/clear::bridged-openai-chat-to-gemini-unary-sdk"


def test_the_example_comes_first(gateway: str, tmp_path: Path) -> None:
    cases = [failing("a/streamed", "http", mode="stream"), failing("a/plain", "http"), failing("a/plain", "sdk")]
    assert select(tmp_path, gateway, "1", *cases).address == "a/plain::bridged-openai-chat-to-gemini-unary-http"


def test_a_conversation_of_a_chat_and_recorded_traffic_are_left_out(tmp_path: Path) -> None:
    traffic = failing("0001", "wire", source="traffic", where="traffic.jsonl:1")
    cases = [failing("a/b", "chat"), traffic, failing("a/c", "wire", mode="stream")]
    assert select(tmp_path, "", "1", *cases).address == "a/c::bridged-openai-chat-to-gemini-stream-wire"
    with pytest.raises(UnknownScenario, match="the finding is of recorded traffic"):
        select(tmp_path, "", "1", traffic)


def test_an_accepted_finding_is_chosen_likewise(gateway: str, tmp_path: Path) -> None:
    cases = [failing("a/clear", "sdk"), failing("a/long", "http", mode="stream")]
    gate = Gate(accept(cases, LOST.check, reason="later"), None, "1.4.0", TODAY)
    excused = tuple(map(gate.excuse_failures, cases))
    with pytest.raises(UnknownScenario, match="there is no finding 1"):
        select(tmp_path, gateway, "1", *excused)
    selected = select(tmp_path, gateway, MARK, *excused)
    assert selected.address == "a/long::bridged-openai-chat-to-gemini-stream-http"


def test_a_finding_of_the_sdk_layer_alone_is_refused_with_the_run_that_shows_it(gateway: str, tmp_path: Path) -> None:
    """The same case in the http layer passed: it is not proposed."""
    name, passed = "messages/plain-text", case("messages/plain-text", layer="http")
    error = refusal(select(tmp_path, gateway, "1", failing(name, "sdk"), passed))
    assert "the sdk layer has the code of an SDK in it" in error.what
    assert error.next_step == shlex.join(("bridgecheck", "run", "--adapter", gateway, "--scenario", f"{UNARY}-sdk"))
    assert f"{UNARY}-http" not in str(error)


def test_a_case_of_the_sdk_layer_leads_to_one_of_its_finding_that_failed(gateway: str, tmp_path: Path) -> None:
    address = f"{UNARY}-sdk"
    own, twin = failing("messages/plain-text", "sdk"), failing("messages/plain-text", "http")
    passed, similar = case("messages/plain-text", layer="http"), failing("a/b", "http")
    for cases, expected in (((own, similar, twin), f"{UNARY}-http"), ((own, similar, passed), str(similar.key))):
        for adapter in ("", gateway):
            error = refusal(select(tmp_path, gateway, address, *cases, adapter=adapter))
            assert error.next_step == shlex.join(("bridgecheck", "repro", expected, "--adapter", gateway))
    run = shlex.join(("bridgecheck", "run", "--adapter", gateway, "--scenario", address))
    assert refusal(select(tmp_path, gateway, address, own, passed)).next_step == run
    assert refusal(select(tmp_path, "python:another:one", address, own, twin, adapter=gateway)).next_step == run


def test_refusals_name_the_adapter(gateway: str, tmp_path: Path) -> None:
    unclear = refusal(SelectedCase("messages/plain-text", "", gateway))
    assert unclear.next_step == shlex.join(("bridgecheck", "plan", "--adapter", gateway, "--cases"))
    folders = (("--corpus", "own"), ("--recordings", "live"))
    selected = SelectedCase(f"{UNARY}-wire", "", "native:", folders=folders)
    again = ("bridgecheck", "run", "--adapter", "native:", "--corpus", "own", "--recordings", "live", "--scenario")
    assert refusal(selected).next_step == shlex.join((*again, f"{UNARY}-wire"))


def test_a_broken_report_does_not_matter_where_the_adapter_is_named(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("{", encoding="utf-8")
    assert select_case(f"{UNARY}-wire", "native:", tmp_path) == SelectedCase(f"{UNARY}-wire", "", "native:")
