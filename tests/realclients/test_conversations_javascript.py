"""Conversations of several turns with the JavaScript SDKs, over each other provider, which is strict."""

import json
import subprocess
from typing import Any, Final

import pytest

from bridgecheck.wire import Dialect

from .conftest import KEY, NODE_FOLDER, NODE_S, Gateway
from .conversations import (
    CONVERSATIONS,
    CUT,
    MODELS,
    SYSTEM,
    Conversation,
    assert_signatures,
    expected_requests,
    received_requests,
)

pytestmark = [pytest.mark.realclients, pytest.mark.slow]

CLIENTS: Final[dict[str, tuple[Dialect, bool]]] = {
    "genai": ("gemini", False), "openai": ("openai-chat", True), "anthropic": ("anthropic", True),
}  # fmt: skip
"""Client -> its own dialect, and whether a question whose answer broke off stays in its history."""
ROUTES: Final = [
    pytest.param(name, upstream, id=f"{name} over {upstream}")
    for name, (own, _) in CLIENTS.items()
    for upstream in MODELS
    if upstream != own
]


def play(node: str, name: str, gateway: Gateway, streamed: bool, *conversations: Conversation) -> Any:
    """Return what was shown, a list a conversation."""
    provider = gateway.upstream
    mode: Any = "stream" if streamed else "unary"
    provider.play(*[made for found in conversations for made in found.responses(provider.dialect, mode)])
    settings = {
        "model": MODELS[provider.dialect], "system": SYSTEM, "streamed": streamed,
        "questions": [found.questions for found in conversations],
    }  # fmt: skip
    process = subprocess.run(
        [node, "conversations.mjs", name, gateway.origin, KEY, json.dumps(settings)], cwd=NODE_FOLDER,
        capture_output=True, text=True, timeout=NODE_S, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr[-2000:]
    assert provider.refused == [] and provider.misses == 0, process.stderr[-2000:]
    return json.loads(process.stdout)


def assert_conversations(node: str, name: str, gateway: Gateway, streamed: bool, *conversations: Conversation) -> None:
    shown = play(node, name, gateway, streamed, *conversations)
    for found, texts in zip(conversations, shown, strict=True):
        for turn, text in zip(found.turns, texts, strict=True):
            assert text is None if turn.cut else text.endswith(turn.shown), (found.name, texts)
    provider = gateway.upstream
    keeps = CLIENTS[name][1]
    expected = [sent for found in conversations for sent in expected_requests(found, keeps_cut_question=keeps)]
    assert received_requests(provider.dialect, provider.bodies) == expected
    if provider.dialect == "gemini":
        assert_signatures(provider.bodies)


@pytest.mark.parametrize("streamed", [False, True], ids=["unary", "streamed"])
@pytest.mark.parametrize(("name", "upstream"), ROUTES)
def test_conversations(
    gateways: dict[Dialect, Gateway], node: str, name: str, upstream: Dialect, streamed: bool
) -> None:
    assert_conversations(node, name, gateways[upstream], streamed, *CONVERSATIONS)


@pytest.mark.parametrize(("name", "upstream"), ROUTES)
def test_a_conversation_goes_on_after_a_cut_stream(
    gateways: dict[Dialect, Gateway], node: str, name: str, upstream: Dialect
) -> None:
    assert_conversations(node, name, gateways[upstream], True, CUT)
