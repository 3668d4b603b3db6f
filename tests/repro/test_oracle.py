"""How scripts tell: each planted difference is found by its own oracle, and nothing else passes for it."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bridgecheck.checks import CHECKS
from bridgecheck.drivers import DEFAULT_TARGET, resolve
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.exchange import Interaction, Response
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.repro import oracle, runtime
from bridgecheck.repro.case import ScriptCase
from bridgecheck.repro.comparison import judged_again
from bridgecheck.repro.oracle import NotProven, choose_oracle, to_traffic
from bridgecheck.repro.proof import NOTHING, try_oracle
from bridgecheck.repro.reach import Reach
from bridgecheck.repro.replay import ReplayedCase
from bridgecheck.run import plan
from bridgecheck.run.execute import run_with_transcript
from bridgecheck.run.library import Library
from bridgecheck.run.record import Record, build_evidence

Change = Callable[[Any], None]

SCENARIO = "tools/parallel-one-body"
KEY = CaseKey(SCENARIO, "bridged", "openai-chat", "gemini", "unary", "wire")


@pytest.fixture(scope="module")
def healthy() -> CaseTranscript:
    """The case as the reference plays it."""
    (scenario,) = scenarios(scenarios_root(), [SCENARIO])
    (case,) = plan.plan(scenario, resolve(DEFAULT_TARGET), plan.Selection(addresses=(str(KEY),)))
    _, transcript, _ = run_with_transcript(case, scenario, resolve(DEFAULT_TARGET), Library(cassettes_root()))
    assert transcript is not None
    return transcript


def break_case(
    healthy: CaseTranscript, check_id: str, sent: Change | None = None, received: Change | None = None
) -> ReplayedCase:
    """Return the case with its request or its response changed in place, and judged by one check."""
    from copy import deepcopy

    (scenario,) = scenarios(scenarios_root(), [SCENARIO])
    driver = resolve(DEFAULT_TARGET)
    (turn,), (call,) = healthy.client, healthy.upstream
    assert call.request is not None
    document, body = deepcopy(turn.response.documents[0]), deepcopy(call.request.body)
    if received:
        received(document)
    if sent:
        sent(body)
    transcript = replace(
        healthy,
        client=(replace(turn, response=replace(turn.response, documents=(document,))),),
        upstream=(replace(call, request=replace(call.request, body=body)),),
    )
    record = Record(client=list(transcript.client), upstream=list(transcript.upstream), answered_by=[0])
    check = next(check for check in CHECKS if check.id == check_id)
    failed = [
        item for item in check.judge(build_evidence(KEY, record, scenario, driver)) if item.status in ("FAIL", "WARN")
    ]
    cassette = Library(cassettes_root()).load_recorded_cassette(SCENARIO, "gemini", "unary")
    finding: Any = SimpleNamespace(check=check_id, command_line="bridgecheck run", one_line_summary="")
    return ReplayedCase(
        driver, scenario, cassette, CaseResult(KEY, "a", tuple(failed)), transcript, finding, tuple(failed[:1])
    )


def script_of(replayed: ReplayedCase) -> dict[str, Any]:
    """Return the data of a script whose oracle was tried."""
    found = to_traffic(replayed.transcript)
    chosen = choose_oracle(replayed, found)
    case = ScriptCase(replayed, Reach({"kind": "python"}, "nothing"), chosen.oracle)
    try_oracle(case, chosen, found)
    return case.data()


def lose_second_call(document: Any) -> None:
    document["choices"][0]["message"]["tool_calls"].pop()


def rename_calls(document: Any) -> None:
    for call in document["choices"][0]["message"]["tool_calls"]:
        call["function"]["name"] += "_2"


def lose_all_calls(document: Any) -> None:
    del document["choices"][0]["message"]["tool_calls"]


def say_another_finish(document: Any) -> None:
    document["choices"][0]["finish_reason"] = "length"


def lose_a_description(body: Any) -> None:
    del body["tools"][0]["functionDeclarations"][0]["description"]


def state(data: dict[str, Any], transcript: CaseTranscript) -> int:
    return runtime.tell(data, to_traffic(transcript))[0]


@pytest.mark.parametrize(
    ("check", "end", "change", "path"),
    [
        (
            "response.tool_calls",
            "received",
            lose_second_call,
            "received[][].choices[].message.tool_calls[].function.name",
        ),
        ("response.finish", "received", say_another_finish, "received[][].choices[].finish_reason"),
        ("request.tools", "sent", lose_a_description, "sent[].tools[].functionDeclarations[].description"),
    ],
)
def test_a_script_watches_the_place_of_its_finding(
    healthy: CaseTranscript, check: str, end: str, change: Change, path: str
) -> None:
    replayed = break_case(healthy, check, **{end: change})  # type: ignore[arg-type]
    data = script_of(replayed)
    assert path in [row["path"] for row in data["oracle"]["watched"]]
    assert not any(
        row["path"].rpartition(".")[2] == "id" and row["how"] == "values" for row in data["oracle"]["watched"]
    )
    assert state(data, replayed.transcript) == runtime.SHOWS
    assert state(data, healthy) == runtime.DOES_NOT_SHOW


@pytest.mark.parametrize("change", [rename_calls, lose_all_calls])
def test_another_fault_in_the_same_place_is_not_the_finding(healthy: CaseTranscript, change: Change) -> None:
    data = script_of(break_case(healthy, "response.tool_calls", received=lose_second_call))
    code, lines = runtime.tell(data, to_traffic(break_case(healthy, "response.tool_calls", received=change).transcript))
    assert (code, lines[-1].partition(": ")[0]) == (runtime.UNKNOWN, "Nothing can be said")


def repeat_first_call(document: Any) -> None:
    calls = document["choices"][0]["message"]["tool_calls"]
    calls[1:] = [{**calls[0], "id": "call_of_its_own"}]


def empty_arguments(document: Any) -> None:
    for call in document["choices"][0]["message"]["tool_calls"]:
        call["function"]["arguments"] = "{}"


def give_one_id_to_both(document: Any) -> None:
    for call in document["choices"][0]["message"]["tool_calls"]:
        call["id"] = "call_1"


def write_in_another_form(document: Any) -> None:
    for number, call in enumerate(document["choices"][0]["message"]["tool_calls"]):
        call["id"] = f"another_{number}"
        call["function"]["arguments"] = call["function"]["arguments"].replace(":", " :  ")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (repeat_first_call, runtime.UNKNOWN),
        (empty_arguments, runtime.UNKNOWN),
        (give_one_id_to_both, runtime.UNKNOWN),
        (write_in_another_form, runtime.DOES_NOT_SHOW),
    ],
)
def test_a_lost_item_comes_back_whole_or_not_at_all(healthy: CaseTranscript, change: Change, code: int) -> None:
    """Both calls are of one name: the name alone does not tell the lost one from the first one again."""
    data = script_of(break_case(healthy, "response.tool_calls", received=lose_second_call))
    assert state(data, break_case(healthy, "response.tool_calls", received=change).transcript) == code


def test_a_fault_elsewhere_is_not_the_finding(healthy: CaseTranscript) -> None:
    data = script_of(break_case(healthy, "response.tool_calls", received=lose_second_call))
    assert (
        state(data, break_case(healthy, "response.finish", received=say_another_finish).transcript)
        == runtime.DOES_NOT_SHOW
    )


def test_what_is_lost_may_come_back_in_a_form_that_is_not_watched(healthy: CaseTranscript) -> None:
    replayed = break_case(healthy, "request.tools", sent=lose_a_description)
    data = script_of(replayed)

    def write_it_elsewhere(body: Any) -> None:
        lose_a_description(body)
        body["tools"][0]["functionDeclarations"][0]["summary"] = "Tie a knot."

    code, lines = runtime.tell(
        data, to_traffic(break_case(healthy, "request.tools", sent=write_it_elsewhere).transcript)
    )
    assert code == runtime.UNKNOWN
    assert "NEW      sent[].tools[].functionDeclarations[].summary" in lines


def test_nothing_can_be_said_where_the_provider_was_never_asked(healthy: CaseTranscript) -> None:
    data = script_of(break_case(healthy, "response.tool_calls", received=lose_second_call))
    code, lines = runtime.tell(
        data, {**NOTHING, "raised": "Traceback\n  File \"a.py\", line 1, in b\nKeyError: 'parameters'\n"}
    )
    assert code == runtime.UNKNOWN
    assert "the provider was never asked; the adapter raised KeyError: 'parameters'" in lines[-1]


def break_off(healthy: CaseTranscript, crash: str) -> ReplayedCase:
    """Return the case in which the adapter raises before it asks the provider."""
    replayed = break_case(healthy, "response.tool_calls", received=lose_second_call)
    turn = Interaction(healthy.client[0].request, Response("openai-chat", "unary", end="reset"))
    transcript = CaseTranscript((turn,), (), crash=crash, unanswered=frozenset({0}))
    verdict = replace(replayed.verdicts[0], check="adapter.completes", differences=())
    return replace(replayed, transcript=transcript, verdicts=(verdict,))


CRASH = "Traceback (most recent call last):\n  File \"/home/x/a.py\", line 3, in b\n    c[d]\nKeyError: 'parameters' in /home/x/a.py at 0x7f01\n"


def test_an_exception_is_told_by_type_and_message(healthy: CaseTranscript) -> None:
    data = script_of(break_off(healthy, CRASH))
    assert data["oracle"]["raised"] == "KeyError: 'parameters' in a.py at *"
    assert data["plain"]["request"]["body"]["messages"][0]["role"] == "user", "a plain turn comes first"
    again = {**NOTHING, "plain": "reached", "raised": CRASH.replace("/home/x", "/srv").replace("7f01", "8a02")}
    assert runtime.tell(data, again)[0] == runtime.SHOWS
    for raised in (
        "ModuleNotFoundError: No module named 'adapter'",
        CRASH.replace("parameters", "name"),
        CRASH.replace("KeyError", "IndexError"),
    ):
        code, lines = runtime.tell(data, {**again, "raised": raised})
        assert (code, "another exception than what was found" in lines[-1]) == (runtime.UNKNOWN, True)
    code, lines = runtime.tell(data, {**again, "plain": "ConnectionRefusedError: 61"})
    assert (code, "not even a plain turn reaches the provider: ConnectionRefused" in lines[-1]) == (
        runtime.UNKNOWN,
        True,
    )
    answered = {**again, "raised": "", "sent": [{"a": 1}], "received": [[{"b": 1}]]}
    assert runtime.tell(data, answered)[0] == runtime.DOES_NOT_SHOW
    assert runtime.tell(data, {**answered, "received": [[{"error": {"message": "no"}}]]})[0] == runtime.UNKNOWN


def test_an_own_error_that_was_cut_elsewhere_is_the_same() -> None:
    """Where it is cut depends on the paths in it, which are longer on another machine."""
    before = "answered 500 without calling the provider: "
    body = "KeyError: 'name' " + "in convert " * 120
    assert runtime.is_same_exception(before + body, before + body[:1100])
    assert not runtime.is_same_exception(before + body, before + body[:900])
    assert not runtime.is_same_exception(before + body, before + body[:1100].replace("name", "args"))


def test_a_literal_oracle_is_for_a_finding_of_expectations_alone(healthy: CaseTranscript) -> None:
    """The case fails an expectation too; the finding is of another check, so its script watches its own difference."""
    replayed = break_case(healthy, "response.tool_calls", received=lose_second_call)
    assert break_case(healthy, "expect.wire", received=lose_second_call).verdicts
    assert script_of(replayed)["oracle"]["kind"] == "difference"
    literal = script_of(break_case(healthy, "expect.wire", received=lose_second_call))
    assert literal["oracle"]["kind"] == "literal"
    assert all(row["on"] == "client_response" for row in literal["oracle"]["literals"])
    assert state(literal, healthy) == runtime.DOES_NOT_SHOW
    assert state(literal, break_case(healthy, "expect.wire", received=lose_all_calls).transcript) == runtime.UNKNOWN


def test_an_oracle_that_says_the_wrong_thing_is_not_handed_out(healthy: CaseTranscript) -> None:
    replayed = break_case(healthy, "response.finish", received=say_another_finish)
    found = to_traffic(replayed.transcript)
    chosen = choose_oracle(replayed, found)
    for wrong, message in (
        (chosen._replace(right=found), "over a right transcript the script's oracle says that the fault shows"),
        (
            chosen._replace(oracle={**chosen.oracle, "kind": "raises"}),
            "over the transcript with the finding the script's oracle says that the fault does not show",
        ),
    ):
        with pytest.raises(NotProven, match=message):
            try_oracle(ScriptCase(replayed, Reach({"kind": "python"}, ""), wrong.oracle), wrong, found)


def test_an_oracle_that_is_content_with_nothing_is_not_handed_out(
    healthy: CaseTranscript, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed = break_case(healthy, "response.finish", received=say_another_finish)
    found = to_traffic(replayed.transcript)
    chosen = choose_oracle(replayed, found)
    monkeypatch.setattr(runtime, "_why_nothing_can_be_said", lambda *_: "")
    watched = [{**row, "right": [] if row["found"] else row["right"]} for row in chosen.oracle["watched"]]  # type: ignore[attr-defined]
    lax = chosen._replace(oracle={**chosen.oracle, "watched": watched}, right={**found, "received": [[{"b": 1}]]})
    with pytest.raises(
        NotProven, match="over an empty transcript the script's oracle says that the fault does not show"
    ):
        try_oracle(ScriptCase(replayed, Reach({"kind": "python"}, ""), lax.oracle), lax, found)


def test_a_transcript_without_the_finding_has_no_oracle(healthy: CaseTranscript) -> None:
    replayed = break_case(healthy, "response.finish", received=say_another_finish)
    check = next(check for check in CHECKS if check.id == "response.finish")
    assert judged_again(check, replayed, replayed.transcript) and not judged_again(check, replayed, healthy)
    with pytest.raises(NotProven, match=r"judged again, the transcript does not show what response\.finish found"):
        choose_oracle(replace(replayed, transcript=healthy), to_traffic(healthy))


def test_without_a_right_transcript_there_is_no_oracle(
    healthy: CaseTranscript, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed = break_case(healthy, "response.finish", received=say_another_finish)
    monkeypatch.setattr(oracle, "right_transcripts", lambda _: iter(()))
    with pytest.raises(NotProven, match=r"no transcript of this case is known that passes response\.finish"):
        choose_oracle(replayed, to_traffic(replayed.transcript))
