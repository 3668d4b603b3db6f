"""Where a fault shows: the places on which the verdict hangs, and nothing where it hangs on what is not there."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bridgecheck.drivers import DEFAULT_TARGET, resolve
from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.transcript import Transcript
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.repro.fault import Fault
from bridgecheck.repro.focus import complains, focus

ASKED = {"model": "m", "messages": [{"role": "user", "content": "Name the capes."}]}
SENT = {"contents": [{"role": "user", "parts": [{"text": "Name the capes."}]}]}
SAID = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Horn."}]}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9},
}
GOT = {
    "id": "c", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Horn."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
}  # fmt: skip


@pytest.fixture
def fault() -> Callable[..., Fault]:
    """Of these documents: what the check says of them is what the checks make of them."""

    def made(check: str, sent: Any = SENT, got: Any = GOT) -> Fault:
        key = CaseKey("messages/plain", "bridged", "openai-chat", "gemini", "unary", "wire")
        seen = Transcript(
            client=(
                Interaction(Request("openai-chat", "unary", ASKED, "m"), Response("openai-chat", "unary", (got,))),
            ),
            upstream=(Interaction(Request("gemini", "unary", sent, "m"), Response("gemini", "unary", (SAID,))),),
        )
        verdict = Verdict(check, "FAIL")
        return Fault(
            resolve(DEFAULT_TARGET), next(iter(scenarios(scenarios_root()))), None, CaseResult(key, "a", (verdict,)), seen,
            None, (verdict,), 0,
        )  # type: ignore[arg-type]  # fmt: skip

    return made


def _got(**choice: Any) -> Any:
    return {**GOT, "choices": [{**GOT["choices"][0], **choice}]}  # type: ignore[index]


def test_what_is_well_has_no_place(fault: Callable[..., Fault]) -> None:
    for check in ("response.text", "response.usage", "request.turns"):
        assert (complains(fault(check)), focus(fault(check))) == (False, ())


def test_another_value_stands_where_it_stands(fault: Callable[..., Fault]) -> None:
    text = _got(message={"role": "assistant", "content": "Horn"})
    assert focus(fault("response.text", got=text)) == ("received[][].choices[].message",)
    usage = {**GOT, "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 9}}
    assert focus(fault("response.usage", got=usage)) == ("received[][].usage",)
    sent = {"contents": [{"role": "user", "parts": [{"text": "Name the cape."}]}]}
    assert focus(fault("request.turns", sent=sent)) == ("sent[].contents[].parts[]",)


def test_what_was_added_stands_where_it_was_added(fault: Callable[..., Fault]) -> None:
    sent = {**SENT, "generationConfig": {"temperature": 0.5, "seed": 1}}
    assert focus(fault("request.added", sent=sent)) == ("sent[].generationConfig",)


def test_what_is_lost_hangs_on_no_place(fault: Callable[..., Fault]) -> None:
    """So all of it is looked at: whatever a mended adapter adds is then seen."""
    lost = {name: value for name, value in GOT.items() if name != "usage"}
    assert complains(fault("response.usage", got=lost)) is True
    assert focus(fault("response.usage", got=lost)) == ()


def test_a_check_that_sees_more_than_documents_is_not_asked(fault: Callable[..., Fault]) -> None:
    assert complains(fault("sdk.agrees")) is None
    alone = fault("response.text")
    assert complains(replace(alone, seen=replace(alone.seen, upstream=()))) is None
