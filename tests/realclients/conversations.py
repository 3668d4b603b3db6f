"""Conversations of several turns, and what the provider has to receive in each request of them.

A client plays a conversation by asking its questions one after the other. Whatever the client, the gateway and the
provider's dialect are, each request then holds the history up to there: ``expected_requests`` against
``received_requests``, both as plain events."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from bridgecheck import normalise
from bridgecheck.codec import sse
from bridgecheck.fuzz.conversation import SIGNATURE
from bridgecheck.model.exchange import Request
from bridgecheck.model.prompt import CallPart, ResultPart, TextPart
from bridgecheck.upstream.wire_response import WireResponse
from bridgecheck.wire import Dialect, JsonObject, Mode

from ..scripted_answers import ModelAnswer, ModelCall, answer

SYSTEM: Final = "Be brief."
MODELS: Final[dict[Dialect, str]] = {
    "gemini": "gemini-3.5-flash", "openai-chat": "gpt-5.1-mini", "anthropic": "claude-sonnet-4-5",
}  # fmt: skip
"""The model to request of each provider; Gemini 3 demands the signatures of its calls."""

Event: TypeAlias = tuple[Any, ...]
"""("user", text), ("assistant", text), ("call", name, arguments) or ("result", text)."""


@dataclass(frozen=True)
class Turn:
    """A question and the model's answers to it: those before the last call tools. ``cut``: the stream of the only
    answer breaks off."""

    question: str
    answers: tuple[ModelAnswer, ...]
    cut: bool = False

    @property
    def shown(self) -> str:
        return self.answers[-1].text


@dataclass(frozen=True)
class Conversation:
    name: str
    turns: tuple[Turn, ...]

    @property
    def questions(self) -> list[str]:
        return [turn.question for turn in self.turns]

    def responses(self, dialect: Dialect, mode: Mode) -> list[WireResponse]:
        """Return what the provider plays."""
        answers = [(made, turn.cut) for turn in self.turns for made in turn.answers]
        return number_ids(answer(dialect, made, mode, cut=cut) for made, cut in answers)


def number_ids(responses: Iterable[WireResponse]) -> list[WireResponse]:
    """Return the answers with an id each: Claude Code joins those that share one into one message of its history."""
    return [
        replace(response, writes=tuple(_ID.sub(rb"\g<0>%d" % number, write) for write in response.writes))
        for number, response in enumerate(responses, 2)
    ]


_ID: Final = re.compile(rb'"(?:resp-|chatcmpl-|msg_)1')
"""How the ids of ``bridgecheck.fuzz`` begin, which are the same for each answer."""


@dataclass(frozen=True)
class CliSessions:
    """Sessions of a command that speaks ``dialect``, played over each of ``upstreams``. ``sizes``: (turns, requests) of
    each session."""

    dialect: Dialect
    upstreams: tuple[Dialect, ...]
    sizes: tuple[tuple[int, int], ...]


CLI_SESSIONS: Final = {
    "gemini-cli": CliSessions("gemini", ("openai-chat", "anthropic"), ((3, 4), (2, 3))),
    "Claude Code": CliSessions("anthropic", ("gemini", "openai-chat"), ((3, 3), (2, 3), (2, 3), (2, 2), (1, 2))),
    "Claude Code, signed texts": CliSessions("anthropic", ("gemini",), ((3, 3),) * 10 + ((2, 3),) * 5),
}
"""What test_gemini_cli and test_claude_code play."""


def stream_of(dialect: Dialect, documents: Sequence[JsonObject]) -> WireResponse:
    """Return the stream with these events."""
    writes = [sse.frame_event(dialect, document) for document in documents]
    if sse.terminator(dialect):
        writes.append(sse.terminator(dialect))
    return WireResponse(200, (("content-type", sse.MEDIA_TYPE),), tuple(writes))


def weather(city: str) -> str:
    """Return what the tool of every client returns."""
    return f"mild in {city}"


def _call(city: str, call_id: str) -> ModelCall:
    return ModelCall("get_weather", {"city": city}, call_id)


_THANKS: Final = Turn("Thank you.", (ModelAnswer("Welcome."),))

CONVERSATIONS: Final = (
    Conversation("texts", (
        Turn("Where is Oslo?", (ModelAnswer("In Norway."),)),
        Turn("And Bern?", (ModelAnswer("In Switzerland."),)),
        _THANKS,
    )),
    Conversation("one call", (
        Turn("Weather in Oslo?", (ModelAnswer(calls=(_call("Oslo", "toolu_a1"),)), ModelAnswer("Mild."))),
        _THANKS,
    )),
    Conversation("a text beside two parallel calls", (
        Turn("Weather in Köln and 東京?", (
            ModelAnswer("Looking.", calls=(_call("Köln", "toolu_a1"), _call("東京", "toolu_b2"))),
            ModelAnswer("Both mild."),
        )),
        Turn("And in Oslo?", (ModelAnswer(calls=(_call("Oslo", "toolu_c3"),)), ModelAnswer("Mild too."))),
        _THANKS,
    )),
    Conversation("calls one after the other", (
        Turn("Weather in Oslo, then in Bern?", (
            ModelAnswer(calls=(_call("Oslo", "toolu_a1"),)),
            ModelAnswer(calls=(_call("Bern", "toolu_b2"),)),
            ModelAnswer("Mild, both."),
        )),
        _THANKS,
    )),
    Conversation("thoughts", (
        Turn("6*7?", (ModelAnswer("42", reasoning="Six by seven."),)),
        Turn("Weather in Oslo?", (
            ModelAnswer(reasoning="The tool knows.", calls=(_call("Oslo", "toolu_a1"),)), ModelAnswer("Mild."),
        )),
        _THANKS,
    )),
)  # fmt: skip
CUT: Final = Conversation("a stream cut in between", (
    Turn("Where is Oslo?", (ModelAnswer("In Norway."),)),
    Turn("And Bern?", (ModelAnswer("In Switz"),), cut=True),
    Turn("And Bern, please?", (ModelAnswer("In Switzerland."),)),
    _THANKS,
))  # fmt: skip
"""For streams. A client that raises has nothing of the second answer in its history."""


def expected_requests(conversation: Conversation, *, keeps_cut_question: bool = False) -> list[list[Event]]:
    """Return the events of each request. ``keeps_cut_question``: of a turn whose stream broke, the client sends the
    question again with the next one, as one turn of the user; else it forgot that turn."""
    requests: list[list[Event]] = []
    history: list[Event] = []
    for turn in conversation.turns:
        start = list(history)
        history.append(("user", turn.question))
        for made in turn.answers:
            requests.append(_with_joined_texts(history))
            history += [("assistant", made.text)] if made.text else []
            history += [("call", call.name, call.args) for call in made.calls]
            history += [("result", weather(str(call.args["city"]))) for call in made.calls]
        if turn.cut:
            history = [*start, ("user", turn.question)] if keeps_cut_question else start
    return requests


def received_requests(dialect: Dialect, bodies: list[JsonObject]) -> list[list[Event]]:
    """Return the events of each request that the provider took, without the texts of instructions and thoughts."""
    for body in bodies:
        assert SYSTEM in "\n".join(normalise.request(Request(dialect, "unary", body)).system)
    return [events(dialect, body) for body in bodies]


def assert_history(dialect: Dialect, body: JsonObject, *expected: Event) -> None:
    """The request holds these events and no more. Of a call the name is compared; the text of a user or a result is in
    the actual one, which may hold reminders and line numbers of the client; results of one round come in any order."""
    actual = events(dialect, body)
    assert len(actual) == len(expected), actual
    received: list[str] = []
    for (kind, value, *_), (expected_kind, expected_value, *_) in zip(actual, expected, strict=True):
        assert kind == expected_kind, actual
        if kind == "result":
            received.append(value)
        elif kind == "user":
            assert expected_value in value, actual
        else:
            assert expected_value == value, actual
    for kind, value, *_ in expected:
        assert kind != "result" or any(value in result for result in received), actual


def events(dialect: Dialect, body: JsonObject) -> list[Event]:
    """Return the events of a request."""
    prompt = normalise.request(Request(dialect, "unary", body))
    found: list[Event] = []
    for turn in prompt.turns:
        for part in turn.parts:
            match part:
                case TextPart(text=text) if text:
                    found.append((turn.role, text))
                case CallPart(call=call):
                    found.append(("call", call.name, call.args))
                case ResultPart(value=value):
                    found.append(("result", _result_text(value)))
                case _:
                    pass
    return _with_joined_texts(found)


def _with_joined_texts(events: list[Event]) -> list[Event]:
    """Return the events with neighbouring texts of one role as one: the chats of google-genai send each event of a
    stream by itself."""
    joined: list[Event] = []
    for kind, *values in events:
        if joined and joined[-1][0] == kind and kind in ("user", "assistant"):
            joined[-1] = (kind, joined[-1][1] + values[0].strip("\n"))
        else:
            joined.append((kind, *values))
    return joined


def _result_text(value: object) -> str:
    """Return the text of a result, which may stand under a key, and be JSON."""
    while isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, str) and value[:1] in ("{", '"'):
        return _result_text(json.loads(value))
    return str(value)


def assert_signatures(bodies: list[JsonObject]) -> None:
    """Each step of calls is led by the signature that Gemini gave, though runTools of openai's JavaScript sends back id,
    name and arguments of a call alone: the gateway remembers."""
    for body in bodies:
        prompt = normalise.request(Request("gemini", "unary", body))
        for turn in prompt.turns:
            calls = [part.call for part in turn.parts if isinstance(part, CallPart)]
            assert not calls or calls[0].signature == SIGNATURE, calls
