"""Where a fault shows: the paths on which a verdict depends, none where it depends on a missing value."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bridgecheck.drivers import DEFAULT_TARGET, resolve
from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.repro.proof import to_transcript
from bridgecheck.repro.replay import ReplayedCase
from bridgecheck.repro.script_check_choice import still_fails, watched_paths

CLIENT_REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Name the capes."}]}
SENT = {"contents": [{"role": "user", "parts": [{"text": "Name the capes."}]}]}
PROVIDER_RESPONSE = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Horn."}]}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9},
}
CLIENT_RESPONSE = {
    "id": "c", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Horn."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
}  # fmt: skip


@pytest.fixture
def make_replay() -> Callable[..., ReplayedCase]:
    """Replayed cases of these documents, whose verdict is the one of the check."""

    def replay(check: str, sent: Any = SENT, actual: Any = CLIENT_RESPONSE) -> ReplayedCase:
        key = CaseKey("messages/plain", "bridged", "openai-chat", "gemini", "unary", "wire")
        transcript = CaseTranscript(
            client=(
                Interaction(
                    Request("openai-chat", "unary", CLIENT_REQUEST, "m"), Response("openai-chat", "unary", (actual,))
                ),
            ),
            upstream=(
                Interaction(Request("gemini", "unary", sent, "m"), Response("gemini", "unary", (PROVIDER_RESPONSE,))),
            ),
        )
        verdict = Verdict(check, "FAIL")
        return ReplayedCase(
            resolve(DEFAULT_TARGET), next(iter(scenarios(scenarios_root(), ["messages/plain-text"]))), None, CaseResult(key, "a", (verdict,)), transcript,
            None, (verdict,), 0,
        )  # type: ignore[arg-type]  # fmt: skip

    return replay


def make_response(**choice: Any) -> Any:
    return {**CLIENT_RESPONSE, "choices": [{**CLIENT_RESPONSE["choices"][0], **choice}]}  # type: ignore[index]


def test_a_passing_check_has_no_path(make_replay: Callable[..., ReplayedCase]) -> None:
    for check in ("response.text", "response.usage", "request.turns"):
        assert (still_fails(make_replay(check)), watched_paths(make_replay(check))) == (False, ())


def test_a_changed_value_has_its_path(make_replay: Callable[..., ReplayedCase]) -> None:
    text = make_response(message={"role": "assistant", "content": "Horn"})
    assert watched_paths(make_replay("response.text", actual=text)) == ("received[][].choices[].message",)
    usage = {**CLIENT_RESPONSE, "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 9}}
    assert watched_paths(make_replay("response.usage", actual=usage)) == ("received[][].usage",)
    sent = {"contents": [{"role": "user", "parts": [{"text": "Name the cape."}]}]}
    assert watched_paths(make_replay("request.turns", sent=sent)) == ("sent[].contents[].parts[]",)


def test_an_added_value_has_its_path(make_replay: Callable[..., ReplayedCase]) -> None:
    sent = {**SENT, "generationConfig": {"temperature": 0.5, "seed": 1}}
    assert watched_paths(make_replay("request.added", sent=sent)) == ("sent[].generationConfig",)


def test_a_lost_value_has_no_path(make_replay: Callable[..., ReplayedCase]) -> None:
    """Without a path the whole document is watched, so that a value added by a fixed adapter is noticed."""
    lost = {name: value for name, value in CLIENT_RESPONSE.items() if name != "usage"}
    assert still_fails(make_replay("response.usage", actual=lost)) is True
    assert watched_paths(make_replay("response.usage", actual=lost)) == ()


def test_a_check_that_needs_more_than_documents_is_not_run(make_replay: Callable[..., ReplayedCase]) -> None:
    assert still_fails(make_replay("sdk.agrees")) is None
    alone = make_replay("response.text")
    assert still_fails(replace(alone, transcript=replace(alone.transcript, upstream=()))) is None


def test_the_request_is_preserved_where_the_adapter_raised() -> None:
    key = SimpleNamespace(client="outcome", upstream="gemini", mode="unary")
    replayed_case = cast(
        ReplayedCase, SimpleNamespace(key=key, cassette=SimpleNamespace(decode_interactions=lambda *_: []))
    )
    traffic = {
        "requested": [{"model": "m"}],
        "sent": [],
        "received": [],
        "status": [],
        "raised": "KeyError: 'parameters'",
    }
    transcript = to_transcript(replayed_case, traffic)
    assert [turn.request.body for turn in transcript.client if turn.request] == [{"model": "m"}]
    assert transcript.crash == "KeyError: 'parameters'"
