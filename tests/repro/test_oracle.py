"""Where a fault shows: the places on which the verdict hangs, and nothing where it hangs on what is not there."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bridgecheck.drivers import DEFAULT_TARGET, resolve
from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.evidence import Transcript
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.repro.oracle import still_fails, watched_paths
from bridgecheck.repro.proof import to_transcript
from bridgecheck.repro.replay import ReplayedCase

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
def replayed() -> Callable[..., ReplayedCase]:
    """Of these documents: what the check says of them is what the checks make of them."""

    def made(check: str, sent: Any = SENT, got: Any = GOT) -> ReplayedCase:
        key = CaseKey("messages/plain", "bridged", "openai-chat", "gemini", "unary", "wire")
        transcript = Transcript(
            client=(
                Interaction(Request("openai-chat", "unary", ASKED, "m"), Response("openai-chat", "unary", (got,))),
            ),
            upstream=(Interaction(Request("gemini", "unary", sent, "m"), Response("gemini", "unary", (SAID,))),),
        )
        verdict = Verdict(check, "FAIL")
        return ReplayedCase(
            resolve(DEFAULT_TARGET), next(iter(scenarios(scenarios_root(), ["messages/plain-text"]))), None, CaseResult(key, "a", (verdict,)), transcript,
            None, (verdict,), 0,
        )  # type: ignore[arg-type]  # fmt: skip

    return made


def _got(**choice: Any) -> Any:
    return {**GOT, "choices": [{**GOT["choices"][0], **choice}]}  # type: ignore[index]


def test_what_is_well_has_no_place(replayed: Callable[..., ReplayedCase]) -> None:
    for check in ("response.text", "response.usage", "request.turns"):
        assert (still_fails(replayed(check)), watched_paths(replayed(check))) == (False, ())


def test_another_value_stands_where_it_stands(replayed: Callable[..., ReplayedCase]) -> None:
    text = _got(message={"role": "assistant", "content": "Horn"})
    assert watched_paths(replayed("response.text", got=text)) == ("received[][].choices[].message",)
    usage = {**GOT, "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 9}}
    assert watched_paths(replayed("response.usage", got=usage)) == ("received[][].usage",)
    sent = {"contents": [{"role": "user", "parts": [{"text": "Name the cape."}]}]}
    assert watched_paths(replayed("request.turns", sent=sent)) == ("sent[].contents[].parts[]",)


def test_what_was_added_stands_where_it_was_added(replayed: Callable[..., ReplayedCase]) -> None:
    sent = {**SENT, "generationConfig": {"temperature": 0.5, "seed": 1}}
    assert watched_paths(replayed("request.added", sent=sent)) == ("sent[].generationConfig",)


def test_what_is_lost_hangs_on_no_place(replayed: Callable[..., ReplayedCase]) -> None:
    """So all of it is looked at: whatever a mended adapter adds is then seen."""
    lost = {name: value for name, value in GOT.items() if name != "usage"}
    assert still_fails(replayed("response.usage", got=lost)) is True
    assert watched_paths(replayed("response.usage", got=lost)) == ()


def test_a_check_that_sees_more_than_documents_is_not_asked(replayed: Callable[..., ReplayedCase]) -> None:
    assert still_fails(replayed("sdk.agrees")) is None
    alone = replayed("response.text")
    assert still_fails(replace(alone, transcript=replace(alone.transcript, upstream=()))) is None


def test_the_request_is_kept_where_the_adapter_broke() -> None:
    key = SimpleNamespace(client="outcome", upstream="gemini", mode="unary")
    replayed = cast(ReplayedCase, SimpleNamespace(key=key, cassette=SimpleNamespace(decode_interactions=lambda *_: [])))
    traffic = {
        "requested": [{"model": "m"}],
        "sent": [],
        "received": [],
        "status": [],
        "raised": "KeyError: 'parameters'",
    }
    transcript = to_transcript(replayed, traffic)
    assert [turn.request.body for turn in transcript.client if turn.request] == [{"model": "m"}]
    assert transcript.crash == "KeyError: 'parameters'"
