"""gemini-cli as the gateway's upstream, with a program in its place: every dialect of clients, and what can go wrong."""

import asyncio
import json
import sys
from pathlib import Path

import openai
import pytest

from bridgecheck_reference.gateway.config import CLI_MODELS, GatewayConfig, UpstreamCommand
from bridgecheck_reference.gateway.main import _parser, settings

FAKE = Path(__file__).parent.parent / "cli_bridge" / "fake_gemini.py"
GEMINI = "/v1beta/models/m:generateContent"
REQUESTS = {
    "/v1/chat/completions": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
    "/v1/messages": {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]},
    GEMINI: {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
}


def line(**members):
    return json.dumps(members) + "\n"


def message(text):
    return line(type="message", role="assistant", content=text, delta=True)


RESULT = line(type="result", status="success", stats={"input_tokens": 7, "output_tokens": 2, "total_tokens": 9})
ANSWER = [message("Hel"), message("lo."), RESULT]


class Program:
    """A stand-in with a script. ``calls``: how it was started."""

    def __init__(self, folder):
        self._script, self._log = folder / "script.json", folder / "log.jsonl"
        self.command = f"{sys.executable} {FAKE} {self._script}"
        self.play()

    def play(self, **script):
        self._script.write_text(json.dumps({"stdout": ANSWER, **script, "log": str(self._log)}))

    @property
    def calls(self):
        return [json.loads(found) for found in self._log.read_text().splitlines()] if self._log.exists() else []

    def config(self, command=None, read_timeout_s=50, **settings):
        return GatewayConfig((UpstreamCommand(command or self.command, **settings),), read_timeout_s=read_timeout_s)

    async def assert_all_gone(self):
        for call in self.calls:
            for _ in range(1000):
                if not Path(call["folder"]).exists() and not is_running(call["pid"]):
                    break
                await asyncio.sleep(0.01)
            assert not Path(call["folder"]).exists() and not is_running(call["pid"])


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def program(tmp_path):
    return Program(tmp_path)


def sdk(client):
    return openai.AsyncOpenAI(api_key="client-key", base_url=f"{client.base_url}/v1", max_retries=0)


@pytest.mark.row("S5.17", "S5.18")
async def test_the_openai_sdk_streams_with_history(lab, program):
    messages = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three"},
    ]
    async with lab.gateway(program.config()) as client, sdk(client) as api:
        stream = await api.chat.completions.create(
            model="m", messages=messages, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
    assert [chunk.choices[0].delta.content for chunk in chunks if chunk.choices] == ["", "Hel", "lo.", None]
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert (chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens) == (7, 2)
    (call,) = program.calls
    assert call["stdin"] == "three" and "--model=m" in call["argv"]
    files = {name.partition("-")[0]: text for name, (_, text) in call["files"].items()}
    records = [json.loads(found) for found in files["session"].splitlines()][1:]
    assert [(record["type"], record["content"]) for record in records] == [
        ("user", [{"text": "one"}]), ("gemini", [{"text": "two"}]),
    ]  # fmt: skip
    assert files["system.md"] == "be brief"
    await program.assert_all_gone()


@pytest.mark.row("S5.17")
async def test_each_dialect_is_answered(lab, program):
    async with lab.gateway(program.config()) as client:
        chat, claude, gemini = [(await client.post(path, json=body)).json() for path, body in REQUESTS.items()]
    assert chat["choices"][0]["message"]["content"] == "Hello." and chat["usage"]["total_tokens"] == 9
    assert claude["content"][0]["text"] == "Hello." and claude["stop_reason"] == "end_turn"
    assert gemini["candidates"][0]["content"]["parts"][0]["text"] == "Hello."
    assert gemini["candidates"][0]["finishReason"] == "STOP"


@pytest.mark.row("S5.17")
async def test_models_are_listed(lab, program):
    async with lab.gateway(program.config()) as client:
        listed = (await client.get("/v1/models")).json()["data"]
        known = await client.get(f"/v1beta/models/{CLI_MODELS[0]}")
        unknown = await client.get("/v1/models/nothing")
    assert [model["id"] for model in listed] == list(CLI_MODELS)
    assert known.json()["name"] == f"models/{CLI_MODELS[0]}" and unknown.status_code == 404
    assert program.calls == []


def error_of(path, answer):
    """Return the error's message; the document is one of the client's dialect."""
    document = answer.json()
    if path == "/v1/messages":
        assert document["type"] == "error"
    elif path == GEMINI:
        assert document["error"]["code"] == answer.status_code
    else:
        assert document["error"]["type"]
    return document["error"]["message"]


@pytest.mark.parametrize("path", REQUESTS)
@pytest.mark.parametrize(
    ("script", "status", "expected"),
    [
        ({"stdout": [], "exit": 3, "stderr": "x" * 3_000_000 + "the end"}, 502, "without a result; exit code 3"),
        ({"stdout": ["garbage {\n\x00\xff"]}, 502, "ended without a result"),
        ({"stdout": [], "exit": 1, "stderr": "Unknown arguments: session-file"}, 502, "too old"),
        ({"stdout": [line(type="result", status="error", error={"message": "slow down"})], "exit": 173}, 429, "slow"),
    ],
)
async def test_a_program_that_fails_is_an_error_of_the_client_dialect(lab, program, path, script, status, expected):
    program.play(**script)
    async with lab.gateway(program.config()) as client:
        answer = await client.post(path, json=REQUESTS[path])
    assert answer.status_code == status, answer.text[:500]
    assert expected in error_of(path, answer)
    await program.assert_all_gone()


@pytest.mark.parametrize("path", REQUESTS)
async def test_a_program_that_is_missing_or_hangs(lab, program, path):
    async with lab.gateway(program.config("no-such-program-here")) as client:
        answer = await client.post(path, json=REQUESTS[path])
    assert answer.status_code in (503, 529) and "FileNotFoundError" in error_of(path, answer)
    program.play(stdout=[600])
    async with lab.gateway(program.config(read_timeout_s=2)) as client:
        answer = await client.post(path, json=REQUESTS[path])
    assert answer.status_code == 504 and "did not end within 2 s" in error_of(path, answer)
    await program.assert_all_gone()


async def test_a_failure_behind_half_an_answer_ends_the_stream_with_an_error(lab, program):
    program.play(stdout=ANSWER[:1], exit=1)
    async with lab.gateway(program.config()) as client, sdk(client) as api:
        stream = await api.chat.completions.create(
            model="m", messages=REQUESTS["/v1/chat/completions"]["messages"], stream=True
        )
        with pytest.raises(openai.APIError, match="ended without a result"):
            [chunk async for chunk in stream]


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools"),
        ({"n": 2}, "n"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"stop": ["x"]}, "stop"),
        ({"functions": [{"name": "f"}]}, "functions"),
        ({"web_search_options": {}}, "web_search_options"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://h/i"}}]}]},
            "messages[0].content[0].image_url",
        ),
        ({"messages": [{"role": "other", "content": "hi"}]}, "messages[0].role"),
    ],
)
async def test_what_has_no_place_is_refused_and_starts_nothing(lab, program, members, field):
    path = "/v1/chat/completions"
    async with lab.gateway(program.config()) as client:
        answer = await client.post(path, json=REQUESTS[path] | members)
    assert answer.status_code == 400 and answer.json()["error"]["param"] == field
    assert program.calls == []


_IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "high"}}
LOSSES = {
    "nothing": ({"n": 1, "stop": [], "tools": [], "tool_choice": "auto", "response_format": {"type": "text"}}, 0),
    "null and off": ({"temperature": None, "logprobs": False, "store": False, "modalities": ["text"]}, 0),
    "sampling": ({"temperature": 0.1, "top_p": 0.5, "seed": 0, "presence_penalty": 1, "logit_bias": {"1": 1}}, 5),
    "length": ({"max_tokens": 5, "max_completion_tokens": 5}, 2),
    "effort": ({"reasoning_effort": "low", "verbosity": "low"}, 2),
    "tools that may not be used": ({"tools": [{"type": "function"}], "tool_choice": "none"}, 1),
    "unknown": ({"x_new": 1}, 1),
    "reasoning, a name and a detail": (
        {"messages": [
            {"role": "user", "name": "ida", "content": "a"},
            {"role": "assistant", "content": "b", "reasoning_content": "c"},
            {"role": "user", "name": "ida", "content": [_IMAGE]},
        ]}, 3,
    ),
    "instructions behind a turn, with empty lines": (
        {"messages": [{"role": "user", "content": "a"}, {"role": "system", "content": "b\n\n\nc"},
                      {"role": "user", "content": "d"}]}, 2,
    ),
}  # fmt: skip
"""What a request has -> it, and how much of it has no effect."""


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", LOSSES)
async def test_what_has_no_effect_is_counted(lab, program, name, stream):
    members, count = LOSSES[name]
    path = "/v1/chat/completions"
    async with lab.gateway(program.config()) as client:
        answer = await client.post(path, json={**REQUESTS[path], **members, "stream": stream})
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-bridgecheck-losses"] == str(count)


async def test_losses_before_the_program_are_counted_too(lab, program):
    """Of the first the answer's ``created``, and ``max_tokens``, which Anthropic demands; ``top_k`` is lost on its way
    to the program, ``temperature`` in front of it."""
    path = "/v1/messages"
    async with lab.gateway(program.config()) as client:
        first = await client.post(path, json=REQUESTS[path])
        second = await client.post(path, json=REQUESTS[path] | {"top_k": 5, "temperature": 0.5})
    assert (first.headers["x-bridgecheck-losses"], second.headers["x-bridgecheck-losses"]) == ("2", "4")


@pytest.mark.parametrize("text", ["Use ${AvailableTools}.", "a\ud800", "${read_file_ToolName}", "${SubAgents}"])
async def test_instructions_that_the_program_would_change_are_refused(lab, program, text):
    messages = [{"role": "system", "content": text}, {"role": "user", "content": "hi"}]
    async with lab.gateway(program.config()) as client:
        body = json.dumps({"model": "m", "messages": messages})
        answer = await client.post("/v1/chat/completions", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400 and "system prompt" in answer.json()["error"]["message"]
    assert program.calls == []


@pytest.mark.parametrize("path", REQUESTS)
async def test_a_full_queue_is_429_with_a_time_to_wait(lab, program, path):
    program.play(stdout=[*ANSWER[:1], 600])
    async with lab.gateway(program.config(processes=1, queue=0)) as client:
        first = asyncio.create_task(client.post(path, json=REQUESTS[path]))
        while not program.calls:
            await asyncio.sleep(0.01)
        answer = await client.post(path, json=REQUESTS[path])
        assert answer.status_code == 429 and answer.headers["retry-after"] == "2"
        assert "gemini-cli is busy" in error_of(path, answer)
        assert len(program.calls) == 1
        first.cancel()
        await program.assert_all_gone()
        program.play()
        assert (await client.post(path, json=REQUESTS[path])).status_code == 200, "the slot is free again"


async def test_eight_at_once_have_folders_of_their_own(lab, program):
    async with lab.gateway(program.config(read_timeout_s=300, processes=2, queue=6)) as client:
        client.timeout = 300  # on a busy machine eight starts take longer than the twenty seconds of others
        body = REQUESTS["/v1/chat/completions"]
        answers = await asyncio.gather(
            *(
                client.post("/v1/chat/completions", json=body | {"messages": [{"role": "user", "content": f"q{at}"}]})
                for at in range(8)
            )
        )
    assert [answer.status_code for answer in answers] == [200] * 8
    assert {call["stdin"] for call in program.calls} == {f"q{at}" for at in range(8)}
    assert len({call["folder"] for call in program.calls}) == 8
    await program.assert_all_gone()


@pytest.mark.parametrize("ignores_term", [False, True])
async def test_a_client_that_leaves_in_the_middle_ends_the_program(lab, program, ignores_term):
    program.play(stdout=[*ANSWER[:1], 600], ignores_term=ignores_term)
    async with lab.gateway(program.config()) as client, sdk(client) as api:
        stream = await api.chat.completions.create(
            model="m", messages=REQUESTS["/v1/chat/completions"]["messages"], stream=True
        )
        async for chunk in stream:
            if chunk.choices[0].delta.content:
                break
        await stream.close()
        await program.assert_all_gone()
    assert len(program.calls) == 1


def read(*arguments, env=None):
    return settings(_parser().parse_args(["serve", *arguments]), env or {})


@pytest.mark.row("S5.17")
def test_the_command_line(program):
    config, where = read(
        "--upstream", "gemini-cli=node 'a b.js'", "--key-env", "gemini-cli=K", "--queue", "3", env={"K": "k"}
    )
    assert config.upstreams == (UpstreamCommand("node 'a b.js'", "k", queue=3),)
    assert where == ("127.0.0.1", 3999)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--upstream", "gemini-cli="], "expected a program"),
        (["--upstream", "gemini-cli='x"], "the command of gemini-cli"),
        (["--upstream", "gemini-cli=x", "--processes", "0"], "--processes"),
        (["--upstream", "gemini-cli=x", "--upstream", "gemini-cli=y"], "given twice"),
        (["--upstream", "gemini-cli=x", "--upstream", "openai-chat=http://h:1"], "one kind of upstream"),
    ],
)
def test_a_command_line_that_cannot_be_used(arguments, message):
    with pytest.raises(ValueError, match=message):
        read(*arguments)
