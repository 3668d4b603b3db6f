"""The stream function over a program that stands in for gemini-cli: what it is given, what comes of what it prints."""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.cli_bridge.event_stream import AssistantMessageEventStream
from bridgecheck_reference.cli_bridge.prompt import COMMAND_NAME, MAX_PROMPT_BYTES
from bridgecheck_reference.cli_bridge.stream_fn import STREAM_FNS, StreamFn, create_gemini_cli_stream_fn

FAKE = Path(__file__).with_name("fake_gemini.py")
LIMIT_S = 60
HI = {"messages": [{"role": "user", "content": "hi"}]}
MODEL = {"id": "gemini-2.5-flash", "api": "gemini-cli", "provider": "gemini-cli"}


def line(**members: object) -> str:
    return json.dumps(members) + "\n"


ANSWER = [
    line(type="init"),
    line(type="message", role="assistant", content="Hi.", delta=True),
    line(type="result", status="success", stats={}),
]


class Fake:
    """A program with a script; ``calls`` is how it was started."""

    def __init__(self, folder: Path) -> None:
        self._log, self._script = folder / "log.jsonl", folder / "script.json"
        self.workspace = folder / "workspace"
        self.workspace.mkdir()

    def stream_fn(self, script: Mapping[str, object] | None = None, **options: Any) -> StreamFn:
        self._script.write_text(json.dumps({"stdout": ANSWER, **(script or {}), "log": str(self._log)}))
        return create_gemini_cli_stream_fn(self.workspace, (sys.executable, str(FAKE), str(self._script)), **options)

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(found) for found in self._log.read_text().splitlines()] if self._log.exists() else []


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path)


async def read(stream: AssistantMessageEventStream) -> list[dict[str, Any]]:
    return [event async for event in stream]


def play(
    stream_fn: StreamFn, context: object = HI, model: object = MODEL, options: object = None
) -> list[dict[str, Any]]:
    async def run_with_limit() -> list[dict[str, Any]]:
        stream = stream_fn(model, context, options)
        assert isinstance(stream, AssistantMessageEventStream), "it comes at once"
        return await asyncio.wait_for(read(stream), LIMIT_S)

    return asyncio.run(run_with_limit())


def failure(events: list[dict[str, Any]]) -> tuple[str, str]:
    assert [event["type"] for event in events[:1]] == ["start"] and events[-1]["type"] == "error"
    return events[-1]["reason"], events[-1]["error"]["errorMessage"]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.row("S5.2", "S5.4", "S5.5")
def test_an_answer(fake: Fake) -> None:
    events = play(fake.stream_fn())
    assert [event["type"] for event in events] == ["start", "text_start", "text_delta", "text_end", "done"]
    assert events[-1]["message"]["content"] == [{"type": "text", "text": "Hi."}]
    (call,) = fake.calls
    assert call["stdin"] == "hi"
    assert call["argv"] == ["--output-format=stream-json", "--skip-trust", "--model=gemini-2.5-flash"]
    assert call["cwd_files"] == [".gemini", ".gemini/.env"], "an empty folder, not the workspace"
    assert not Path(call["folder"]).exists()


@pytest.mark.row("S5.1", "S5.8", "S5.10", "S5.18", "S5.21")
def test_the_history_is_a_session_file_and_the_last_message_the_input(fake: Fake) -> None:
    messages = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": [{"type": "text", "text": "two"}]},
        {"role": "user", "content": "three"},
    ]
    play(fake.stream_fn(), {"messages": messages, "systemPrompt": "be brief"}, None)
    (call,) = fake.calls
    (option,) = [option for option in call["argv"] if option.startswith("--session-file=")]
    assert not any(option.startswith(("--model", "--resume", "-p")) for option in call["argv"])
    mode, text = call["files"][Path(option.partition("=")[2]).name]
    records = [json.loads(found) for found in text.splitlines()][1:]
    assert mode == 0o600 and call["folder_mode"] == 0o700
    assert [(record["type"], record["content"]) for record in records] == [
        ("user", [{"text": "one"}]),
        ("gemini", [{"text": "two"}]),
    ]
    assert call["stdin"] == "three"
    assert call["files"][Path(call["system_prompt"]).name][1] == "be brief"


@pytest.mark.row("S5.10", "S5.24")
@pytest.mark.parametrize("prompt", ["/quit", "read @secret.txt", "-v", "--help\n", "!ls"])
def test_a_prompt_is_no_option_and_no_command(fake: Fake, prompt: str) -> None:
    play(fake.stream_fn(), {"messages": [{"role": "user", "content": prompt}]})
    (call,) = fake.calls
    assert not any(prompt.strip() in option for option in call["argv"])
    command = call["files"].get(f"home/.gemini/commands/{COMMAND_NAME}.toml")
    carried = command[1] if command else call["stdin"]
    assert prompt in carried.replace("\\n", "\n")
    assert (command is None) == (call["stdin"] == prompt)


@pytest.mark.row("S5.16")
def test_it_is_found_by_the_name_of_its_api() -> None:
    assert STREAM_FNS[MODEL["api"]] is create_gemini_cli_stream_fn


@pytest.mark.row("S5.19", "S5.24")
def test_tools_are_off_unless_named(fake: Fake) -> None:
    play(fake.stream_fn())
    play(fake.stream_fn(tools=("read_file",), settings={"mcpServers": {"x": {"command": "y"}}}))
    off, on = [json.loads(call["files"]["home/.gemini/settings.json"][1]) for call in fake.calls]
    assert off["tools"] == {"core": []} and off["hooksConfig"] == {"enabled": False}
    assert on["tools"] == {"core": ["read_file"], "allowed": ["read_file"]}
    assert on["mcpServers"] == {"x": {"command": "y"}} and "mcpServers" not in off
    assert [call["cwd"] == str(fake.workspace) for call in fake.calls] == [False, True]


@pytest.mark.row("S5.2", "S5.24")
@pytest.mark.parametrize(
    ("context", "message"),
    [
        (None, "MessagesError: context: expected an object, got NoneType"),
        ({}, "MessagesError: messages: expected a list, got NoneType"),
        ({"messages": []}, "MessagesError: messages: expected one of role user, got none"),
        ({"messages": [{"role": "user", "content": ""}]}, "PromptError: prompt: expected text, got an empty one"),
        ({"messages": [{"role": "user", "content": "x" * (MAX_PROMPT_BYTES + 1)}]}, "PromptError: prompt: expected at most 8388608 bytes"),
        ({"messages": [{"role": "assistant", "content": [{"type": "toolCall", "id": "a", "name": "b", "arguments": {"x": float("inf")}}]}, {"role": "user", "content": "x"}]}, "ValueError"),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_an_event_and_starts_nothing(fake: Fake, context: object, message: str) -> None:
    reason, text = failure(play(fake.stream_fn(), context))
    assert reason == "error" and text.startswith(message)
    assert fake.calls == []


@pytest.mark.row("S5.2")
def test_it_never_raises(fake: Fake) -> None:
    stream_fn = fake.stream_fn()
    assert failure([{"type": "start"}, *asyncio.run(read(stream_fn(MODEL, HI)))])[1] == "no running event loop"
    assert failure(play(stream_fn, HI, 7, {"signal": "x"}))[1].startswith("ConversionError: options.signal")
    missing = create_gemini_cli_stream_fn(fake.workspace, ("/no/such/program",))
    assert failure(play(missing))[1].startswith("FileNotFoundError")


@pytest.mark.row("S5.13", "S5.24")
def test_a_failure_tells_of_exit_code_and_stderr_without_credentials(fake: Fake) -> None:
    env = {"GEMINI_API_KEY": "not-a-key-but-long", "PATH": "/usr/bin:/bin"}
    script = {"stdout": ANSWER[:2], "exit": 41, "stderr": "bad key not-a-key-but-long\n"}
    events = play(fake.stream_fn(script, env=env))
    assert failure(events) == (
        "error",
        "gemini-cli ended without a result; exit code 41: authentication failed; bad key [redacted]",
    )
    assert events[-1]["error"]["content"] == [{"type": "text", "text": "Hi."}]


def test_pieces_cut_inside_a_character(fake: Fake) -> None:
    data = "".join(ANSWER).replace("Hi.", "北京").encode().decode("latin-1")
    events = play(fake.stream_fn({"stdout": [piece for char in data for piece in (char,)]}))
    assert events[-1]["message"]["content"][0]["text"] == "北京"


def test_events_come_while_it_still_runs(fake: Fake) -> None:
    async def first_delta() -> None:
        stream = fake.stream_fn({"stdout": [*ANSWER[:2], 600]})(MODEL, HI, {"signal": (token := CancelToken())})
        async for event in stream:
            if event["type"] == "text_delta":
                token.cancel()
        await stream.result()

    asyncio.run(asyncio.wait_for(first_delta(), LIMIT_S))


@pytest.mark.row("S5.24")
@pytest.mark.parametrize("ignores_term", [False, True])
def test_an_abort_ends_the_process_and_removes_its_files(fake: Fake, ignores_term: bool) -> None:
    async def abort() -> list[dict[str, Any]]:
        token = CancelToken()
        script = {"stdout": [*ANSWER[:2], 600], "ignores_term": ignores_term}
        events = []
        async for event in fake.stream_fn(script)(MODEL, HI, {"signal": token}):
            events.append(event)
            if event["type"] == "text_delta":
                token.cancel("enough")
        return events

    events = asyncio.run(asyncio.wait_for(abort(), LIMIT_S))
    assert failure(events) == ("aborted", "enough")
    assert events[-1]["error"]["content"] == [{"type": "text", "text": "Hi."}]
    (call,) = fake.calls
    assert not is_running(call["pid"]) and not Path(call["folder"]).exists()


def test_an_abort_before_the_start_starts_nothing(fake: Fake) -> None:
    token = CancelToken()
    token.cancel("too late")
    assert failure(play(fake.stream_fn(), options={"signal": token})) == ("aborted", "too late")
    assert fake.calls == []


@pytest.mark.row("S5.24")
def test_a_time_limit_ends_it(fake: Fake) -> None:
    events = play(fake.stream_fn({"stdout": [600]}, timeout_s=3))
    assert failure(events) == ("error", "gemini-cli did not end within 3 s")
    assert not any(is_running(call["pid"]) for call in fake.calls)


@pytest.mark.row("S5.15")
def test_a_stream_that_nobody_holds_goes_on(fake: Fake) -> None:
    async def forget() -> None:
        import gc

        fake.stream_fn()(MODEL, HI)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        gc.collect()
        await asyncio.wait(tasks, timeout=LIMIT_S)

    asyncio.run(forget())
    assert len(fake.calls) == 1


def test_a_program_that_came_too_late_for_its_input_is_started_again(fake: Fake) -> None:
    script = {"stdout": [], "exit": 42, "stderr": "No input provided via stdin. Input can be provided by piping"}
    assert "exit code 42" in failure(play(fake.stream_fn(script)))[1]
    assert len(fake.calls) == 3
    script["stderr"] = "Invalid session identifier"
    play(fake.stream_fn(script))
    assert len(fake.calls) == 4, "no other refusal is tried again"


def test_calls_at_once_do_not_mix(fake: Fake) -> None:
    async def both() -> list[list[dict[str, Any]]]:
        stream_fn: Callable[..., AssistantMessageEventStream] = fake.stream_fn()
        contexts = [{"messages": [{"role": "user", "content": text}]} for text in ("first", "second")]
        return await asyncio.gather(*(read(stream_fn(MODEL, context)) for context in contexts))

    assert [events[-1]["type"] for events in asyncio.run(asyncio.wait_for(both(), LIMIT_S))] == ["done", "done"]
    assert {call["stdin"] for call in fake.calls} == {"first", "second"}
    assert len({call["folder"] for call in fake.calls}) == 2
