"""The stream function over @google/gemini-cli 0.61.0 itself: what its model is sent, and what comes back."""

import asyncio
import os
from pathlib import Path
from typing import Any, Final

import pytest

from bridgecheck.codec.camel_case import respell_request
from bridgecheck.model.jsonvalue import objs
from bridgecheck.wire import JsonObject
from bridgecheck_reference.cli_bridge.prompt import MAX_PROMPT_BYTES
from bridgecheck_reference.cli_bridge.stream_fn import create_gemini_cli_stream_fn

from ..scripted_answers import ModelAnswer, ProviderError, answer
from .conftest import GEMINI_CLI, KEY, require
from .strict_provider import StrictProvider

pytestmark = [pytest.mark.realclients, pytest.mark.slow]

_RUN_S: Final = 120
_SECRET: Final = "the word is marmalade"
_SETTINGS: Final = {"general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 1}}
MODEL: Final = {"id": "gemini-2.5-flash", "api": "gemini-cli"}


class Bridge:
    """Runs the command in front of a provider that refuses what Google's API refuses."""

    def __init__(self, node: str, workspace: Path, provider: StrictProvider) -> None:
        self._command = (node, str(GEMINI_CLI))
        self._workspace = workspace
        self.provider = provider

    def run(self, messages: list[object], *responses: object, **context: object) -> list[dict[str, Any]]:
        """Return the events of one call."""
        self.provider.play(*(responses or (answer("gemini", ModelAnswer("Hi there."), "stream"),)))
        environment = {
            "PATH": os.environ["PATH"], "GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": self.provider.base_url,
            "NO_BROWSER": "true", "CI": "1", "TERM": "dumb",
        }  # fmt: skip

        async def play() -> list[dict[str, Any]]:
            stream_fn = create_gemini_cli_stream_fn(
                self._workspace, self._command, env=environment, settings=_SETTINGS, timeout_s=_RUN_S
            )
            return [event async for event in stream_fn(MODEL, {"messages": messages, **context})]

        return asyncio.run(play())

    def turns(self) -> list[tuple[object, list[JsonObject]]]:
        """What the model was sent, without the program's own words in front of it."""
        contents = objs(respell_request(self.provider.bodies[-1])["contents"])
        found = [(content["role"], list(objs(content["parts"]))) for content in contents]
        assert str(found[0][1][0]["text"]).startswith("<session_context>")
        return [(found[0][0], found[0][1][1:]), *found[1:]]


@pytest.fixture
def bridge(node: str, tmp_path: Path) -> Any:
    require(GEMINI_CLI.is_file(), "@google/gemini-cli", "run `make node_modules`")
    (tmp_path / "secret.txt").write_text(_SECRET)
    (tmp_path / ".gemini").mkdir()
    (tmp_path / "GEMINI.md").write_text(_SECRET)
    with StrictProvider("gemini") as provider:
        yield Bridge(node, tmp_path, provider)


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def assistant(*blocks: object) -> dict[str, object]:
    return {"role": "assistant", "content": list(blocks)}


def text(value: str) -> dict[str, object]:
    return {"type": "text", "text": value}


CALL: Final = {"type": "toolCall", "id": "c1", "name": "gauge", "arguments": {"at": "Kökar"}}
RESULT: Final = {
    "role": "toolResult",
    "toolCallId": "c1",
    "toolName": "gauge",
    "content": [text("3 m")],
    "isError": False,
}
PNG: Final = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}


@pytest.mark.row("S5.1", "S5.20")
def test_the_model_is_sent_the_history_and_the_last_message_once(bridge: Bridge) -> None:
    messages = [user("My name is Ida."), assistant(text("Hello Ida.")), user("How high?"), assistant(text("I look."), CALL), RESULT, assistant(text("3 m.")), {"role": "user", "content": [text("And this?"), PNG]}]  # fmt: skip
    events = bridge.run(messages)
    assert [event["type"] for event in events][-2:] == ["text_end", "done"], events[-1]
    assert events[-1]["message"]["content"] == [{"type": "text", "text": "Hi there."}]
    assert events[-1]["message"]["usage"]["input"] == 11
    call = {"functionCall": {"id": "c1", "name": "gauge", "args": {"at": "Kökar"}}}
    result = {"functionResponse": {"id": "c1", "name": "gauge", "response": {"output": "3 m"}}}
    assert bridge.turns() == [
        ("user", [{"text": "My name is Ida."}]), ("model", [{"text": "Hello Ida."}]), ("user", [{"text": "How high?"}]),
        ("model", [{"text": "I look."}, call]), ("user", [result]), ("model", [{"text": "3 m."}]),
        ("user", [{"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}, {"text": "And this?"}]),
    ]  # fmt: skip
    assert bridge.provider.refused == [] and len(bridge.provider.log) == 1


@pytest.mark.row("S5.21", "S5.23")
def test_a_pruned_history_stays_short_and_is_accepted(bridge: Bridge) -> None:
    messages = [RESULT, assistant(text("3 m.")), user("And now?"), assistant(CALL), user("Stop.")]
    events = bridge.run(messages)
    assert events[-1]["type"] == "done", events[-1]
    assert bridge.provider.refused == []
    turns = bridge.turns()
    assert [role for role, _ in turns] == ["user", "model", "user", "model", "user", "model", "user"]
    # The program's own words, between a result and a message that follows it.
    assert turns[5][1] == [{"text": "[The previous response was interrupted before it completed.]"}]
    assert turns[6][1] == [{"text": "Stop."}]


PROMPTS: Final = [
    "-v", "--help", "/help me", "/quit", "//x", "read @secret.txt and @./ and @/etc/passwd", "mail me@example.com",
    "@codebase_investigator look", "!ls", " \ufeff/init @secret.txt \x00\x1b[31m\x7f\u2028 \"q\" \\ 𝒜 $& ${x} end \n ",
    "/run !{touch pwned} now", "/read @{secret.txt} now", "/say {{args}} now", "?",
]  # fmt: skip


@pytest.mark.row("S5.10")
@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_prompt_reaches_the_model_unchanged(bridge: Bridge, prompt: str) -> None:
    """As the last message and as one of the history; no file is read, and nothing is run."""
    events = bridge.run([user(prompt), assistant(text("yes")), user(prompt)])
    assert events[-1]["type"] == "done", events[-1]
    bare = [
        (role, [{key: part[key] for key in part if key != "thought"} for part in parts])
        for role, parts in bridge.turns()
    ]
    assert bare == [("user", [{"text": prompt}]), ("model", [{"text": "yes"}]), ("user", [{"text": prompt}])]
    assert _SECRET not in str(bridge.provider.bodies[-1])
    assert bridge.provider.bodies[-1].get("tools", []) in ([], [{"functionDeclarations": []}])


def test_eight_mebibytes_reach_the_model(bridge: Bridge) -> None:
    for prompt in ("€" * (MAX_PROMPT_BYTES // 3), "@" + "€" * (MAX_PROMPT_BYTES // 3 - 1)):
        events = bridge.run([user(prompt)])
        assert events[-1]["type"] == "done", str(events[-1])[-500:]
        assert bridge.turns()[-1] == ("user", [{"text": prompt}])


@pytest.mark.row("S5.24")
def test_a_system_prompt(bridge: Bridge) -> None:
    assert bridge.run([user("hi")], systemPrompt="Be brief @secret.txt")[-1]["type"] == "done"
    (part,) = bridge.provider.bodies[-1]["systemInstruction"]["parts"]
    assert part["text"] == "Be brief @secret.txt"


def test_line_ends_in_a_row_are_two_in_a_system_prompt(bridge: Bridge) -> None:
    """Which the gateway counts as a loss. Everything else that might be replaced stays."""
    prompt = "a\n\n\n\nb\n\nc $& ${x} ${HOME} {{args}} !{ls} @{secret.txt} \x00\u2028 /quit"
    assert bridge.run([user("hi")], systemPrompt=prompt)[-1]["type"] == "done"
    (part,) = bridge.provider.bodies[-1]["systemInstruction"]["parts"]
    assert part["text"] == prompt.replace("\n\n\n\n", "\n\n")


@pytest.mark.row("S5.13")
@pytest.mark.parametrize("status", [400, 429, 503])
def test_the_status_of_a_refusal(bridge: Bridge, status: int) -> None:
    refusal = answer("gemini", ProviderError(status, "not today"), "unary")
    event = bridge.run([user("hi")], *[refusal] * 4)[-1]
    assert (event["type"], event["reason"], event["error"]["errorStatus"]) == ("error", "error", status)
    assert "not today" in event["error"]["errorMessage"]


def test_a_prompt_beyond_the_models_window_is_an_error(bridge: Bridge) -> None:
    """The program then reports success, without an answer."""
    event = bridge.run([user("x" * (5 * 2**20))])[-1]
    assert "it did not call its model" in event["error"]["errorMessage"]
    assert len(bridge.provider.log) == 0
