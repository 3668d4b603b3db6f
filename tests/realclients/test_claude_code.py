"""Claude Code 2.1.330, headless (``-p``), over OpenAI and over Gemini 3: what it prints, and what its later requests hold.

Its binary comes with npm's package of the machine: ``make claude_code``. Nothing but the gateway is called."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.fuzz.conversation import SIGNATURE
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj, objs
from bridgecheck.wire import Dialect, JsonObject

from ..client_models.test_anthropic import Block, events_of, text, thinking
from ..client_models.test_google_genai import event
from ..scripted_answers import ModelAnswer, ModelCall, answer
from .conftest import KEY, Gateway, require
from .conversations import MODELS, Event, assert_history, assert_signatures, number_ids, stream_of
from .strict_provider import StrictProvider

pytestmark = [pytest.mark.realclients, pytest.mark.slow]

_MODULES: Final = Path(__file__).parent / "claude_code" / "node_modules" / "@anthropic-ai"
_RUN_S: Final = 120


class ClaudeCode:
    """The command with its own home and project folder."""

    def __init__(self, binary: Path, folder: Path) -> None:
        self._binary = binary
        self.project = folder / "project"
        self.project.mkdir()
        self._home = folder / "home"
        self._home.mkdir()

    def run(self, gateway: Gateway, prompt: str, *options: str, requests_thinking: bool = True) -> str:
        """Return what a run over a gateway printed."""
        model = MODELS[gateway.upstream.dialect]
        return self.run_at(gateway.origin, model, prompt, *options, requests_thinking=requests_thinking)

    def run_at(self, origin: str, model: str, prompt: str, *options: str, requests_thinking: bool = True) -> str:
        """Return what a run printed. ``requests_thinking``: as it does by default; MAX_THINKING_TOKENS=0 ends that."""
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self._home), "TMPDIR": str(self._home), "TERM": "dumb", "CI": "1",
            "ANTHROPIC_BASE_URL": origin, "ANTHROPIC_API_KEY": KEY, "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1",
        } | ({} if requests_thinking else {"MAX_THINKING_TOKENS": "0"})  # fmt: skip
        command = [str(self._binary), "-p", prompt, "--model", model, *options]
        process = subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, text=True, timeout=_RUN_S, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return process.stdout.strip() if process.returncode == 0 else f"exit {process.returncode}: {process.stdout}"


@pytest.fixture
def claude(tmp_path: Path) -> ClaudeCode:
    binaries = sorted(_MODULES.glob("claude-code-*/claude*"))
    require(binaries, "Claude Code", "run `make claude_code`")
    return ClaudeCode(binaries[0], tmp_path)


@pytest.fixture(params=["openai-chat", "gemini"])
def other_gateway(request: pytest.FixtureRequest, gateways: dict[Dialect, Gateway]) -> Iterator[Gateway]:
    """A gateway in front of each provider of another dialect. Everything that is sent is taken."""
    gateway = gateways[request.param]
    yield gateway
    assert gateway.upstream.refused == [] and gateway.upstream.misses == 0


def play(gateway: Gateway, *answers: ModelAnswer) -> None:
    gateway.upstream.play(*number_ids(answer(gateway.upstream.dialect, made, "stream") for made in answers))


def assert_histories(gateway: Gateway, lengths: tuple[int, ...], history: list[Event]) -> None:
    """The n-th request holds that many events of the history. Reminders of the client stand in the user's texts, and in
    system messages of their own where the provider has them."""
    provider = gateway.upstream
    for body, length in zip(provider.bodies, lengths, strict=True):
        assert_history(provider.dialect, without_reminders(body), *history[:length])
    if provider.dialect == "gemini":
        assert_signatures(provider.bodies[:2])  # with --continue it leaves them out, and Gemini does not demand them


def without_reminders(body: Any) -> Any:
    """Return the body without system messages behind the first message."""
    messages = body.get("messages")
    if messages is None:
        return body
    return {**body, "messages": messages[:1] + [found for found in messages[1:] if found["role"] != "system"]}


def test_texts_and_continue(claude: ClaudeCode, other_gateway: Gateway) -> None:
    play(other_gateway, ModelAnswer("In Norway."), ModelAnswer("In Switzerland."), ModelAnswer("Welcome."))
    questions = ("Where is Oslo?", "And Bern?", "Thank you.")
    assert claude.run(other_gateway, questions[0]) == "In Norway."
    assert claude.run(other_gateway, questions[1], "--continue") == "In Switzerland."
    assert claude.run(other_gateway, questions[2], "--continue") == "Welcome."
    history = [
        ("user", questions[0]), ("assistant", "In Norway."), ("user", questions[1]), ("assistant", "In Switzerland."),
        ("user", questions[2]),
    ]  # fmt: skip
    assert_histories(other_gateway, (1, 3, 5), history)


def test_a_tool_turn_and_continue(claude: ClaudeCode, other_gateway: Gateway) -> None:
    note = claude.project / "note.txt"
    note.write_text("the word is marmalade")
    read = ModelCall("Read", {"file_path": str(note)}, "toolu_a1")
    play(
        other_gateway, ModelAnswer("Reading.", calls=(read,)), ModelAnswer("It is marmalade."), ModelAnswer("Welcome.")
    )
    questions = ("What is the word in note.txt?", "Thank you.")
    assert claude.run(other_gateway, questions[0]) == "It is marmalade."
    assert claude.run(other_gateway, questions[1], "--continue") == "Welcome."
    history = [
        ("user", questions[0]), ("assistant", "Reading."), ("call", "Read"), ("result", "the word is marmalade"),
        ("assistant", "It is marmalade."), ("user", questions[1]),
    ]  # fmt: skip
    assert_histories(other_gateway, (1, 4, 6), history)


def test_parallel_calls(claude: ClaudeCode, other_gateway: Gateway) -> None:
    calls = []
    for name, line in (("one", "first is alpha"), ("two", "second is beta")):
        (claude.project / f"{name}.txt").write_text(line)
        calls.append(ModelCall("Read", {"file_path": str(claude.project / f"{name}.txt")}, f"toolu_{name}"))
    play(other_gateway, ModelAnswer(calls=tuple(calls)), ModelAnswer("Alpha and beta."), ModelAnswer("Welcome."))
    assert claude.run(other_gateway, "Read both files.") == "Alpha and beta."
    assert claude.run(other_gateway, "Thank you.", "--continue") == "Welcome."
    history = [
        ("user", "Read both files."), ("call", "Read"), ("call", "Read"), ("result", "first is alpha"),
        ("result", "second is beta"), ("assistant", "Alpha and beta."), ("user", "Thank you."),
    ]  # fmt: skip
    assert_histories(other_gateway, (1, 5, 7), history)


def test_thinking_takes_nothing_of_what_is_printed(claude: ClaudeCode, other_gateway: Gateway) -> None:
    play(other_gateway, ModelAnswer("42", reasoning="Six by seven."), ModelAnswer("Yes."))
    assert claude.run(other_gateway, "6*7?") == "42"
    assert claude.run(other_gateway, "Sure?", "--continue") == "Yes."
    assert_histories(other_gateway, (1, 3), [("user", "6*7?"), ("assistant", "42"), ("user", "Sure?")])


def test_a_cut_stream_is_not_taken_for_an_answer(claude: ClaudeCode, other_gateway: Gateway) -> None:
    """It tries again by itself, with another request."""
    dialect = other_gateway.upstream.dialect
    whole = ModelAnswer("In Norway.")
    cut = answer(dialect, ModelAnswer("In Nor"), "stream", cut=True)
    other_gateway.upstream.play(*number_ids([cut, answer(dialect, whole, "stream"), answer(dialect, whole, "unary")]))
    assert claude.run(other_gateway, "Where is Oslo?").endswith("In Norway.")


def signed_part(text: str) -> JsonObject:
    return {"text": text, "thoughtSignature": SIGNATURE}


SIGNED_TEXTS: Final[dict[str, list[JsonObject]]] = {
    "the first text": [signed_part("In "), {"text": "Norway."}],
    "a text in the middle": [{"text": "In "}, signed_part("Nor"), {"text": "way."}],
    "an empty text in the middle": [{"text": "In "}, signed_part(""), {"text": "Norway."}],
    "the last text": [{"text": "In "}, signed_part("Norway.")],
    "an empty text at the end": [{"text": "In "}, {"text": "Norway."}, signed_part("")],
}  # fmt: skip
"""Parts of an answer of Gemini 3, by the one that has the signature. Where thinking blocks carry it, those tear the text
apart or stand last, and this client prints only what stands behind them."""


def play_parts(gateway: Gateway, *answers: list[JsonObject]) -> None:
    """Play streams of Gemini with an event for each part."""
    streams = []
    for number, (*parts, last) in enumerate(answers):
        events = [*(event(part) for part in parts), event(last, finish="STOP")]
        streams.append(stream_of("gemini", [{**made, "responseId": f"resp-{number}"} for made in events]))
    gateway.upstream.play(*streams)


@pytest.mark.parametrize("requests_thinking", [True, False], ids=["thinking", "no thinking"])
@pytest.mark.parametrize("place", SIGNED_TEXTS)
def test_a_signed_text_is_printed_whole(
    claude: ClaudeCode, gateways: dict[Dialect, Gateway], place: str, requests_thinking: bool
) -> None:
    gateway = gateways["gemini"]
    play_parts(gateway, *[SIGNED_TEXTS[place]] * 3)
    questions = ("Where is Oslo?", "Where is Bergen?", "And Molde?")
    options = ((), ("--continue",), ("--continue", "--output-format", "json"))
    *printed, written = (
        claude.run(gateway, question, *chosen, requests_thinking=requests_thinking)
        for question, chosen in zip(questions, options, strict=True)
    )
    assert [*printed, json.loads(written)["result"]] == ["In Norway."] * 3
    history = [
        ("user", questions[0]), ("assistant", "In Norway."), ("user", questions[1]), ("assistant", "In Norway."),
        ("user", questions[2]),
    ]  # fmt: skip
    assert_histories(gateway, (1, 3, 5), history)
    assert gateway.upstream.refused == [] and gateway.upstream.misses == 0


@pytest.mark.parametrize("place", SIGNED_TEXTS)
def test_a_signed_text_before_a_call(claude: ClaudeCode, gateways: dict[Dialect, Gateway], place: str) -> None:
    gateway = gateways["gemini"]
    note = claude.project / "note.txt"
    note.write_text("the word is marmalade")
    call = {"id": "toolu_a1", "name": "Read", "args": {"file_path": str(note)}}
    texts = SIGNED_TEXTS[place]
    play_parts(gateway, [*texts, {"functionCall": call, "thoughtSignature": SIGNATURE}], texts, texts)
    questions = ("What is the word in note.txt?", "Where is Oslo?")
    assert claude.run(gateway, questions[0]) == "In Norway."
    assert claude.run(gateway, questions[1], "--continue") == "In Norway."
    history = [
        ("user", questions[0]), ("assistant", "In Norway."), ("call", "Read"), ("result", "the word is marmalade"),
        ("assistant", "In Norway."), ("user", questions[1]),
    ]  # fmt: skip
    assert_histories(gateway, (1, 4, 6), history)
    assert gateway.upstream.refused == [] and gateway.upstream.misses == 0


def call_block(name: str) -> Block:
    path = json.dumps({"file_path": f"{name}.txt"})
    return {"type": "tool_use", "id": f"toolu_{name}", "name": "Read", "input": {}}, [
        {"type": "input_json_delta", "partial_json": path[:5]}, {"type": "input_json_delta", "partial_json": path[5:]},
    ]  # fmt: skip


ANSWERS_WITH_CALLS: Final[dict[str, list[Block]]] = {
    "a call": [call_block("one")], "two calls": [call_block("one"), call_block("two")],
    "a text before a call": [text("One ", "moment."), call_block("one")],
    "thinking before a call": [thinking("Hm.", "c2ln"), call_block("one")],
    "thinking, text and two calls": [thinking("Hm.", "c2ln"), text("Well."), call_block("one"), call_block("two")],
}  # fmt: skip
FINAL_ANSWERS: Final[dict[str, list[Block]]] = {
    "text": [text("Low ", "water.")], "thinking and text": [thinking("Hm.", "c2ln"), text("Low.")],
    "two texts": [text("Low."), text("Still low.")],
    "empty thinking behind the text": [text("Low."), thinking("", "c2ln")],
    "empty thinking between texts": [text("Low "), thinking("", "c2ln"), text("water.")],
}  # fmt: skip


def events_with_end(blocks: list[Block], number: int, stop: str) -> list[JsonObject]:
    start, *rest = events_of(blocks)
    start = {**start, "message": {**obj(start["message"]), "id": f"msg_{number}"}}
    end = {
        "type": "message_delta",
        "delta": {"stop_reason": stop, "stop_sequence": None},
        "usage": {"output_tokens": 5},
    }
    return [start, *rest, end, {"type": "message_stop"}]


def without_marks(message: JsonObject) -> JsonObject:
    blocks = (
        {key: value for key, value in block.items() if key != "cache_control"} for block in objs(message["content"])
    )
    return {**message, "content": list(blocks)}


@pytest.mark.parametrize("answer_name", ANSWERS_WITH_CALLS)
def test_its_model_says_what_it_sends(claude: ClaudeCode, answer_name: str) -> None:
    for name in ("one", "two"):
        (claude.project / f"{name}.txt").write_text(f"{name} metre")
    documents = events_with_end(ANSWERS_WITH_CALLS[answer_name], 1, "tool_use")
    with StrictProvider("anthropic", takes_all=True) as provider:
        final = stream_of("anthropic", events_with_end([text("Low.")], 2, "end_turn"))
        provider.play(stream_of("anthropic", documents), final)
        claude.run_at(provider.base_url, MODELS["anthropic"], "how high?")
        messages = list(objs(provider.bodies[1]["messages"]))
    remembered = CLIENT_MODELS["claude-code"].remember(Response("anthropic", "stream", tuple(documents)))
    assert [without_marks(found) for found in messages if found["role"] == "assistant"] == list(remembered.messages)


@pytest.mark.parametrize("answer_name", FINAL_ANSWERS)
def test_its_model_says_what_it_prints(claude: ClaudeCode, answer_name: str) -> None:
    documents = events_with_end(FINAL_ANSWERS[answer_name], 1, "end_turn")
    with StrictProvider("anthropic", takes_all=True) as provider:
        provider.play(stream_of("anthropic", documents))
        printed = claude.run_at(provider.base_url, MODELS["anthropic"], "how high?")
    assert printed == CLIENT_MODELS["claude-code"].shows(Response("anthropic", "stream", tuple(documents))).strip()
