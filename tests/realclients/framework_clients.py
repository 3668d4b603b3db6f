"""Agent frameworks in processes of their own, and the conversations that each is measured with.

``make frameworks`` installs them; the agents are in ``frameworks/clients.py`` and ``frameworks/vercel.mjs``.
"""

import json
import re
import subprocess
import threading
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from bridgecheck import normalise
from bridgecheck.codec import sse
from bridgecheck.upstream.wire_response import WireResponse
from bridgecheck.wire import Dialect, JsonObject, Mode

from ..scripted_answers import ModelAnswer, ModelCall, cut_in_halves, unary
from .conftest import KEY
from .strict_provider import StrictProvider

FOLDER: Final = Path(__file__).parent / "frameworks"
_VENV: Final = FOLDER.parents[2] / ".venv-frameworks"
_BIN: Final = _VENV / "bin"
_START_AND_PLAY_S: Final = 300
"""The imports of a framework take five seconds, and minutes on a machine that has much else to do."""


@dataclass(frozen=True)
class Framework:
    """An agent framework with its package for one dialect. ``packages``: those whose versions say what was measured.
    ``drops``, ``keeps``, ``adds`` and ``prints``: what was measured, in words, as a ``ClientModel`` has them."""

    name: str
    dialect: Dialect
    program: str
    packages: tuple[str, ...]
    drops: str
    keeps: str
    adds: str = ""
    prints: str = "the text of the last answer; streamed, the texts beside calls too"

    @property
    def versions(self) -> str:
        return ", ".join(f"{package} {_pinned_versions()[package]}" for package in self.packages)


_CUT: Final = "the answer of a stream that breaks"
_BOTH_CUT: Final = "question and answer of a stream that breaks"
FRAMEWORKS: Final = (
    Framework(
        "openai-agents", "openai-chat", "openai-agents", ("openai-agents", "openai"),
        drops=f"reasoning; an answer of it alone; {_CUT}",
        keeps="text; calls as written, with Google's signature where the model is called gemini",
        adds="a hand-off as a call with a result that names the agent",
    ),
    Framework(
        "langgraph-openai", "openai-chat", "langgraph", ("langgraph", "langchain-openai"),
        drops=f"reasoning; every extra_content; {_CUT}",
        keeps="text; calls, their arguments written anew; an empty message for an answer of reasoning alone",
    ),
    Framework(
        "langgraph-anthropic", "anthropic", "langgraph", ("langgraph", "langchain-anthropic"),
        drops=f"empty texts; {_CUT}", keeps="all other blocks, thinking with its signature, also where it stands alone",
        adds="is_error to results",
    ),
    Framework(
        "langgraph-google", "gemini", "langgraph", ("langgraph", "langchain-google-genai"),
        drops=f"ids of calls and results; empty texts; {_CUT}", keeps="text, thoughts, calls, their signatures",
        adds="the placeholder on the first unsigned call of a turn, for models called gemini-3; once the turn is over "
        "it is sent without",
    ),
    Framework(
        "pydantic-ai-openai", "openai-chat", "pydantic-ai", ("pydantic-ai-slim", "openai"),
        drops=f"an answer of reasoning alone; {_BOTH_CUT}",
        keeps="text; reasoning_content; calls with extra_content, their arguments written anew",
        adds="after reasoning alone a system message that asks for text or a call",
    ),
    Framework(
        "pydantic-ai-anthropic", "anthropic", "pydantic-ai", ("pydantic-ai-slim", "anthropic"),
        drops=f"empty texts; {_BOTH_CUT}", keeps="all other blocks, thinking that is signed",
        adds="thinking without a signature as the user's text, in assistant_thinking tags; after thinking alone a user "
        "turn that asks for text or a call; is_error to results",
    ),
    Framework(
        "pydantic-ai-google", "gemini", "pydantic-ai", ("pydantic-ai-slim", "google-genai"),
        drops=f"empty texts; {_BOTH_CUT}", keeps="text, thoughts, calls with their ids, signatures",
        adds="the placeholder, in base64, on the first unsigned call of an answer, whatever the model; ids for calls "
        "without one; results under return_value; after thoughts alone a turn that asks for text or a call",
    ),
    Framework(
        "ai-sdk-openai", "openai-chat", "vercel", ("ai", "@ai-sdk/openai"),
        drops=f"reasoning; an answer of it alone; every extra_content; {_CUT}",
        keeps="text; calls, their arguments written anew", adds="the role developer for models that reason",
    ),
    Framework(
        "ai-sdk-compatible", "openai-chat", "vercel", ("ai", "@ai-sdk/openai-compatible"),
        drops=_CUT, keeps="text; reasoning_content; calls with Google's signature, their arguments written anew; the "
        "text before an error event",
    ),
    Framework(
        "ai-sdk-anthropic", "anthropic", "vercel", ("ai", "@ai-sdk/anthropic"),
        drops=f"empty texts; {_CUT}", keeps="all other blocks, thinking with its signature; the text before an error event",
    ),
    Framework(
        "ai-sdk-google", "gemini", "vercel", ("ai", "@ai-sdk/google"),
        drops=f"empty texts; {_CUT}",
        keeps="text, thoughts, calls with their ids, signatures; the text before an error event",
        adds="the placeholder on every unsigned call, for models called gemini-3; ids for calls without one; results "
        "under name and content",
    ),
)  # fmt: skip


@cache
def _pinned_versions() -> dict[str, str]:
    lines = (FOLDER / "requirements.txt").read_text("utf-8").splitlines()
    python = re.findall(r"^([\w.-]+)(?:\[[^\]]*\])?==(\S+)", "\n".join(lines), re.MULTILINE)
    javascript = json.loads((FOLDER / "package.json").read_text("utf-8"))["dependencies"]
    return dict(python) | javascript


def is_installed() -> bool:
    return (_VENV / ".ready").exists() and (FOLDER / "node_modules" / ".ready").exists()


class FrameworkProcesses:
    """A process for each program, started when it is first needed, that plays one conversation after another."""

    def __init__(self) -> None:
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self._stderr: dict[str, list[str]] = {}

    def __enter__(self) -> "FrameworkProcesses":
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._processes.values():
            assert process.stdin is not None
            process.stdin.close()
            process.wait(20)

    def play(self, framework: Framework, origin: str, model: str, users: tuple[str, ...], **options: Any) -> Any:
        """Return what came of each turn: ``shown``, the text that it printed, and ``error``, the one that ended it."""
        process = self._processes.get(framework.program) or self._start(framework.program)
        assert process.stdin is not None and process.stdout is not None
        whole = {"client": framework.name, "dialect": framework.dialect, "origin": origin, "key": KEY, "model": model}
        process.stdin.write(
            json.dumps({"thinking": False, "streamed": False, **whole, "users": users, **options}) + "\n"
        )
        process.stdin.flush()
        timer = threading.Timer(_START_AND_PLAY_S, process.kill)
        timer.start()
        line = process.stdout.readline()
        timer.cancel()
        assert line, "".join(self._stderr[framework.program])[-3000:]
        return json.loads(line)["turns"]

    def _start(self, program: str) -> subprocess.Popen[str]:
        command = [_BIN / "node", "vercel.mjs"] if program == "vercel" else [_BIN / "python", "clients.py", program]
        process = subprocess.Popen(
            command, cwd=FOLDER, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        lines = self._stderr[program] = []
        assert process.stderr is not None
        threading.Thread(target=lines.extend, args=[process.stderr], daemon=True).start()
        self._processes[program] = process
        return process


SIGNATURE: Final = "c2lnbmF0dXJlLW9uZQ=="
"""The one that scripted answers carry."""
OSLO: Final = ModelCall("get_weather", {"city": "Oslo"}, "call_a1")
BERGEN: Final = ModelCall("get_weather", {"city": "Bergen"}, "call_b2")


MODELS: Final[dict[Dialect, str]] = {
    "gemini": "gemini-3.5-flash", "openai-chat": "gpt-5.1", "anthropic": "claude-sonnet-4-5"
}  # fmt: skip
GEMINI_3: Final = MODELS["gemini"]
ALIAS: Final = "our-model"


@dataclass(frozen=True)
class Turn:
    """A provider's answer. ``text``: "" is an empty text, None is none. ``is_cut``: the stream breaks behind its text.
    ``is_finish_apart``: a Gemini stream ends with an event that has no content. ``signature_at``: where a part stands
    that has nothing but a signature, as recorded of Gemini, or of a gateway that sends Gemini's to a client of Anthropic:
    0 before all others, -1 behind them; None where there is none. ``has_signed_thoughts``: false for thinking of
    Anthropic without a signature, as gateways send what other providers thought."""

    text: str | None = None
    thoughts: str = ""
    calls: tuple[ModelCall, ...] = ()
    is_signed: bool = False
    is_cut: bool = False
    id: str = ""
    has_call_ids: bool = True
    is_finish_apart: bool = False
    signature_at: int | None = None
    has_signed_thoughts: bool = True


def document(dialect: Dialect, turn: Turn, number: int = 0, model: str = "") -> JsonObject:
    """Return the unary document of an answer, with an id of its own."""
    made: Any = unary(dialect, ModelAnswer(turn.text or "", turn.thoughts, turn.calls))
    made["modelVersion" if dialect == "gemini" else "model"] = model or MODELS[dialect]
    _EDITS[dialect](made, turn, turn.id or f"answer_{number}")
    return made  # type: ignore[no-any-return]


def _edit_gemini(made: Any, turn: Turn, identifier: str) -> None:
    made["responseId"] = identifier
    parts = made["candidates"][0]["content"]["parts"]
    for part in parts:
        part.pop("thoughtSignature", None)
        if not turn.has_call_ids:
            part.get("functionCall", {}).pop("id", None)
    if turn.text == "":
        parts.insert(0, {"text": ""})
    if turn.is_signed:
        next(part for part in parts if not part.get("thought"))["thoughtSignature"] = SIGNATURE
    _insert_signature(parts, turn, {"text": "", "thoughtSignature": SIGNATURE})


def _edit_chat(made: Any, turn: Turn, identifier: str) -> None:
    made["id"] = f"chatcmpl-{identifier}"
    message = made["choices"][0]["message"]
    if turn.text == "":
        message["content"] = ""
    if turn.is_signed:
        signed = message["tool_calls"][0] if turn.calls else message
        signed["extra_content"] = {"google": {"thought_signature": SIGNATURE}}


def _edit_anthropic(made: Any, turn: Turn, identifier: str) -> None:
    made["id"] = f"msg_{identifier}"
    if turn.text == "":
        made["content"].insert(0, {"type": "text", "text": ""})
    for block in made["content"]:
        if block["type"] == "thinking" and not turn.has_signed_thoughts:
            block["signature"] = ""
    _insert_signature(made["content"], turn, {"type": "thinking", "thinking": "", "signature": SIGNATURE})


def _insert_signature(parts: list[Any], turn: Turn, part: JsonObject) -> None:
    if turn.signature_at is not None:
        parts.insert(turn.signature_at % (len(parts) + 1), part)


_EDITS: Final = {"gemini": _edit_gemini, "openai-chat": _edit_chat, "anthropic": _edit_anthropic}
_TAIL: Final[dict[Dialect, int]] = {"gemini": 1, "openai-chat": 2, "anthropic": 3}
"""How many events are missing at the end of a text that is cut."""


def events(dialect: Dialect, turn: Turn, number: int = 0, model: str = "") -> list[JsonObject]:
    """Return the events of a streamed answer, whole."""
    made: list[Any] = normalise.unfold(dialect, document(dialect, turn, number, model), cut_in_halves)
    if dialect == "gemini" and not (turn.is_finish_apart or turn.is_cut):
        # As recorded: the event with the last part says why the answer ends.
        last = made.pop()
        made[-1] |= {"usageMetadata": last["usageMetadata"]}
        made[-1]["candidates"][0] |= last["candidates"][0]
    return made


def response(dialect: Dialect, turn: Turn, mode: Mode, number: int = 0, model: str = "") -> WireResponse:
    """Return the HTTP response of an answer."""
    if mode == "unary":
        whole = json.dumps(document(dialect, turn, number, model)).encode()
        return WireResponse(200, (("content-type", "application/json"),), (whole,))
    writes = [sse.frame_event(dialect, event) for event in events(dialect, turn, number, model)]
    headers = (("content-type", "text/event-stream"),)
    if turn.is_cut:
        return WireResponse(200, headers, tuple(writes[: -_TAIL[dialect]]), "cut")
    terminator = sse.terminator(dialect)
    return WireResponse(200, headers, (*writes, terminator) if terminator else tuple(writes))


@dataclass(frozen=True)
class Kind:
    """A conversation to measure: the provider's answers to ``users``. ``dialects`` in which there is such a thing."""

    turns: tuple[Turn, ...]
    users: tuple[str, ...] = ("How is the weather?", "And tomorrow?")
    modes: tuple[Mode, ...] = ("unary", "stream")
    dialects: tuple[Dialect, ...] = ("gemini", "openai-chat", "anthropic")
    model: str = ""
    handoff: bool = False

    @property
    def thinking(self) -> bool:
        return any(turn.thoughts for turn in self.turns)

    def includes(self, framework: Framework) -> bool:
        return framework.dialect in self.dialects and (framework.name == "openai-agents" or not self.handoff)


MILD: Final = Turn("Mild.")
COLDER: Final = Turn("Colder.")
CALL: Final = Turn(calls=(OSLO,))
SIGNED: Final = replace(CALL, thoughts="Hm.", is_signed=True)
TRANSFER: Final = ModelCall("transfer_to_expert", {}, "call_h1")

KINDS: Final[dict[str, Kind]] = {
    "text": Kind((MILD, COLDER)),
    "thoughts and a text": Kind((replace(MILD, thoughts="Hm.", is_signed=True), COLDER)),
    "one call": Kind((CALL, MILD, COLDER)),
    "two calls": Kind((Turn(calls=(OSLO, BERGEN)), MILD, COLDER)),
    "a call in each of two steps": Kind((CALL, Turn(calls=(BERGEN,)), MILD, COLDER)),
    "text and a call": Kind((Turn("Looking.", calls=(OSLO,)), MILD, COLDER)),
    "empty text and a call": Kind((Turn("", calls=(OSLO,)), MILD, COLDER)),
    "calls without ids": Kind((Turn(calls=(OSLO, BERGEN), has_call_ids=False), MILD, COLDER), dialects=("gemini",)),
    "thoughts and a signed call": Kind((SIGNED, MILD, COLDER), model=GEMINI_3),
    "a signed call of a model under another name": Kind((SIGNED, MILD, COLDER), model=ALIAS),
    "an unsigned call of a model under another name": Kind((CALL, MILD, COLDER), model=ALIAS, dialects=("gemini",)),
    "thoughts without a signature": Kind(
        (replace(MILD, thoughts="Hm.", has_signed_thoughts=False), COLDER), dialects=("anthropic",)
    ),
    "a signature before the text": Kind((replace(MILD, signature_at=0), COLDER), dialects=("anthropic",)),
    "a signature behind the text": Kind((replace(MILD, signature_at=-1), COLDER), dialects=("gemini", "anthropic")),
    "white space and a call": Kind((Turn("\n\n", calls=(OSLO,)), MILD, COLDER)),
    "white space behind the text": Kind((Turn("Mild.\n\n"), COLDER)),
    "thoughts alone": Kind((Turn(thoughts="Hm."), MILD, COLDER)),
    "a last event without content": Kind(
        (replace(MILD, is_finish_apart=True), COLDER), modes=("stream",), dialects=("gemini",)
    ),
    "one id for all answers": Kind(
        (replace(MILD, id="same"), replace(COLDER, id="same"), Turn("Fog.", id="same")),
        users=("How is the weather?", "And tomorrow?", "And then?"),
    ),
    "cut stream": Kind((Turn("Mild, then colder.", is_cut=True), COLDER), modes=("stream",)),
    "hand-off": Kind((Turn(calls=(TRANSFER,)), MILD, COLDER), handoff=True),
    "text and a hand-off": Kind((Turn("I ask.", calls=(TRANSFER,)), MILD, COLDER), handoff=True),
}


def messages(body: JsonObject) -> list[Any]:
    """Return the history of a request; of a Chat request without its system message."""
    listed: Any = body.get("contents") or body["messages"]
    return [message for message in listed[:1] if message["role"] not in ("system", "developer")] + listed[1:]


def new_messages(bodies: list[JsonObject]) -> list[JsonObject]:
    """Return for each request after the first what it holds behind the messages of the one before: ``new``. ``drops``:
    those of its messages that are no longer there."""
    found = []
    for before, after in zip(map(messages, bodies), map(messages, bodies[1:]), strict=False):
        same = next((i for i, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), len(before))
        found.append(({"drops": before[same:]} if before[same:] else {}) | {"new": after[same:]})
    return found


_GIVEN_IDS: Final = {OSLO.id, BERGEN.id, TRANSFER.id}
_ID_KEYS: Final = {"id", "tool_call_id", "tool_use_id"}


def name_invented_ids(value: Any, names: dict[str, str]) -> Any:
    """Return the value with ``invented 1`` and so on in place of ids that no provider gave."""
    if isinstance(value, list):
        return [name_invented_ids(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: names.setdefault(inner, f"invented {len(names) + 1}")
        if key in _ID_KEYS and inner not in _GIVEN_IDS
        else name_invented_ids(inner, names)
        for key, inner in value.items()
    }


def measure(
    processes: FrameworkProcesses, provider: StrictProvider, framework: Framework, name: str, mode: Mode
) -> JsonObject:
    """Return what a framework showed and sent, with the provider right behind it, which takes all. ``refused``: by which
    rules its API would not have."""
    kind, dialect = KINDS[name], framework.dialect
    # The name of a Gemini model behind Chat matters as well: some clients keep signatures for it alone.
    model = kind.model if dialect != "anthropic" and kind.model else MODELS[dialect]
    # A client that sends one more request, where it takes an answer for none, gets one.
    turns = (*kind.turns, *kind.turns[-1:])
    provider.play(*(response(dialect, turn, mode, number, model) for number, turn in enumerate(turns)))
    played = processes.play(
        framework, provider.base_url.removesuffix("/v1"), model, kind.users, thinking=kind.thinking,
        streamed=mode == "stream", handoff=kind.handoff,
    )  # fmt: skip
    result: JsonObject = {
        "shown": [turn["shown"] for turn in played],
        "requests": name_invented_ids(new_messages(provider.bodies), {}),
        "errors": [turn["error"].partition(":")[0] for turn in played if "error" in turn],
        "refused": [refusal.problem.rule for refusal in provider.refused],
    }
    return {key: value for key, value in result.items() if value}
