"""The last line of smoke: what to do next."""

import sys
from dataclasses import replace

import pytest
from rich.console import Console

from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.smoke.diagnosis import Diagnosis
from bridgecheck.smoke.json_format import result_to_json
from bridgecheck.smoke.result import AdapterRoutesAndClaims, SmokeResult
from bridgecheck.smoke.terminal_report import print_result
from bridgecheck.smoke.trials import DiagnosedTrial

KEY = CaseKey("messages/plain-text", "bridged", "openai-chat", "gemini", "unary", "wire")
ADVICE = "Next: mend it, or accept today's failures: bridgecheck init --adapter python:a:b"


@pytest.mark.parametrize(
    ("name", "claims", "is_advised"), [("meaning", (), True), ("crash", (), False), ("meaning", ("tools",), False)]
)
def test_failures_of_an_adapter_that_answers_can_be_accepted(
    capsys: pytest.CaptureFixture[str], name: str, claims: tuple[str, ...], is_advised: bool
) -> None:
    case = CaseResult(KEY, "mine", (Verdict("response.text", "FAIL", "it differs"),))
    adapter = AdapterRoutesAndClaims("mine", "1", (("openai-chat", "gemini"),), claims)
    trial = DiagnosedTrial("plain", case, Diagnosis("adapter", name, "it differs"))
    print_result(SmokeResult("python:a:b", adapter, [trial]))
    assert (ADVICE in capsys.readouterr().out) is is_advised


def test_what_init_claims_beyond_what_works_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The claims that smoke prints are not those that init writes: a wrong answer has to be judged."""
    adapter = AdapterRoutesAndClaims("mine", "1", (("openai-chat", "gemini"),), ())
    failed = CaseResult(KEY, "mine", (Verdict("response.text", "FAIL", "it differs"),))
    names = [("thinking/thought-text-kept", "meaning"), ("tools/single-call", "crash")]
    trials = [
        DiagnosedTrial(
            "capability", replace(failed, key=replace(KEY, scenario=scenario)), Diagnosis("adapter", name, "x")
        )
        for scenario, name in names
    ]
    result = SmokeResult("python:a:b", adapter, trials)
    assert result.wrong_capabilities == ("thinking",)
    print_result(result)
    assert "init claims what is answered wrongly, too: thinking\n" in capsys.readouterr().out


def test_what_is_not_played_has_its_reason_below_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    why = "the SDK of Anthropic is not installed: pip install 'bridgecheck[anthropic]'"
    plain = CaseResult(KEY, "mine", (Verdict("response.text", "PASS"),))
    unplayed = CaseResult(
        replace(KEY, layer="sdk"), "mine", (Verdict("case.applies", "NOT_APPLICABLE", why),)
    )  # fmt: skip
    adapter = AdapterRoutesAndClaims("mine", "1", (("openai-chat", "gemini"),), ())
    trials = [DiagnosedTrial("plain", result) for result in (plain, unplayed, unplayed)]
    trials.append(DiagnosedTrial("capability", replace(unplayed, key=replace(KEY, scenario="tools/single-call"))))
    result = SmokeResult("python:a:b", adapter, trials)
    print_result(result, Console(file=sys.stdout, width=200))
    printed = capsys.readouterr().out
    assert printed.count(f"\nnot played: {why}\n") == 1
    assert result.why_not("tools") == why
    assert result.why_not("thinking") == "no scenario shows it between these APIs"
    assert result_to_json(result)["capabilities"][0]["why_not"] == why  # type: ignore[index, call-overload]
