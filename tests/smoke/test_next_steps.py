"""The last line of smoke: what to do next."""

import pytest

from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.smoke.diagnosis import Diagnosis
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
