"""A request and an answer as the document of a scenario, as it would stand in a file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from hypothesis import strategies as st

from bridgecheck import normalise
from bridgecheck.fuzz import (
    anthropic,
    anthropic_own,
    gemini,
    gemini_own,
    meaning,
    openai_chat,
    openai_own,
    troubles,
)
from bridgecheck.fuzz.meaning import Says, Talk
from bridgecheck.fuzz.next_turn import following
from bridgecheck.model.jsonvalue import obj, objs
from bridgecheck.normalise.cut import Cut, cutting
from bridgecheck.wire import DIALECTS, MODES, Dialect, JsonObject, Mode

SAYS_ALL: Final = "the same meaning in every dialect, by construction"

REQUEST: Final[dict[Dialect, Callable[[Talk], JsonObject]]] = {
    "gemini": gemini.request,
    "openai-chat": openai_chat.request,
    "anthropic": anthropic.request,
}
ANSWER: Final[dict[Dialect, Callable[[Says], JsonObject]]] = {
    "gemini": gemini.answer,
    "openai-chat": openai_chat.answer,
    "anthropic": anthropic.answer,
}
_OWN_REQUESTS: Final[dict[Dialect, Callable[[str], st.SearchStrategy[JsonObject]]]] = {
    "gemini": gemini_own.requests,
    "openai-chat": openai_own.requests,
    "anthropic": anthropic_own.requests,
}
_OWN_ANSWERS: Final = {
    "gemini": gemini_own.answers,
    "openai-chat": openai_own.answers,
    "anthropic": anthropic_own.answers,
}

Asked: TypeAlias = dict[Dialect, JsonObject]
"""The request, in each dialect that can say it."""

Scripts: TypeAlias = dict[Dialect, JsonObject]
"""The scripted answer, in each dialect that can say it."""


@dataclass(frozen=True)
class Way:
    """How answers come: in which mode, and where the texts of a stream are cut."""

    mode: Mode
    cut: Cut

    def script(self, dialect: Dialect, whole: JsonObject) -> JsonObject:
        return {"body": whole} if self.mode == "unary" else {"events": normalise.unfold(dialect, whole, self.cut)}


@dataclass(frozen=True)
class Turn:
    asked: Asked
    scripts: Scripts


def document(mode: Mode, model: str, turns: Sequence[Turn], outcome: JsonObject) -> JsonObject:
    """The scenario; ``search`` gives it its name. ``model``: who is asked. ``outcome``: what must arrive of the last
    answer, {} if the checks alone are to say."""
    first, *rest = (
        {
            "client": {dialect: _client(dialect, body, model) for dialect, body in turn.asked.items()},
            "upstream": {dialect: {mode: [script]} for dialect, script in turn.scripts.items()},
        }
        for turn in turns
    )
    return {
        "id": "found/unnamed",
        "title": "Found by generating scenarios",
        "description": "What was asked arrives at the provider, and what it answered at the client.",
        "why": "Found by bridgecheck fuzz; say what breaks when you keep it.",
        "level": "SHOULD",
        "basis": {"kind": "convention", "ref": SAYS_ALL},
        "sources": [{"ref": "bridgecheck fuzz"}],
        "evidence": [],
        "tags": ["found"],
        "requires": [],
        "since": "0.2.0",
        "modes": [mode],
        **first,
        **({"turns": rest} if rest else {}),
        "expect": {"outcome": outcome},
    }


def named(document: JsonObject, mark: str, ref: str) -> JsonObject:
    """With the id ``found/<mark>``. ``ref``: the command that found it."""
    return {**document, "id": f"found/{mark}", "sources": [{"ref": ref}]}


def narrowed(document: JsonObject, address: str) -> JsonObject:
    """With no other dialects than those of this case."""
    client, _, upstream = address.partition("::")[2].split("-", 1)[1].rsplit("-", 2)[0].partition("-to-")
    kept = _kept(document, client, upstream)
    later = [_kept(turn, client, upstream) for turn in objs(kept.get("turns"))]
    return {**kept, "turns": later} if later else kept


def _kept(turn: JsonObject, client: str, upstream: str) -> JsonObject:
    asked, scripts = obj(turn["client"])[client], obj(turn["upstream"])[upstream]
    return {**turn, "client": {client: asked}, "upstream": {upstream: scripts}}


def _client(dialect: Dialect, body: JsonObject, model: str) -> JsonObject:
    if dialect == "gemini":
        return {"model": model, "body": body}
    streamed = {"stream_options": {"include_usage": True}} if dialect == "openai-chat" else {}
    return {"body": {"model": model, **body, **streamed}}


def _outcome(said: Says) -> JsonObject:
    return {
        "text": said.text,
        "tool_calls": [[call.name, call.args] for call in said.calls],
        "usage": {"prompt": said.prompt, "completion": said.completion, "total": said.prompt + said.completion},
    }


@st.composite
def documents(
    draw: st.DrawFn, clients: tuple[Dialect, ...] = DIALECTS, upstreams: tuple[Dialect, ...] = DIALECTS
) -> JsonObject:
    """One scenario: one answer to a request, or two turns, or what goes wrong at the provider. Requests and answers are
    such as all dialects can say, or in the words of one."""
    mode: Mode = draw(st.sampled_from(MODES))
    way = Way(mode, cutting(draw(meaning.cuts()) if mode == "stream" else []))
    ours, kind = draw(st.booleans()), draw(st.sampled_from(["said", "own", "own", "turns", "trouble"]))
    model = draw(st.sampled_from(meaning.MODELS))
    asked = draw(_own_request(clients, model)) if ours else _all_ask(draw(meaning.talks()))
    if kind == "own":
        dialect = draw(st.sampled_from(upstreams))
        return document(mode, model, [Turn(asked, {dialect: way.script(dialect, draw(_OWN_ANSWERS[dialect]()))})], {})
    if kind == "trouble":
        return document(mode, model, [Turn(asked, draw(_troubles(way)))], {})
    said = draw(meaning.answers(8))
    turns = [Turn(asked, _all_say(said, way))]
    if kind == "turns":
        said, turns = draw(_second(asked, said, turns[0], way))
    return document(mode, model, turns, _outcome(said))


@st.composite
def _second(draw: st.DrawFn, asked: Asked, said: Says, first: Turn, way: Way) -> tuple[Says, list[Turn]]:
    """The next turn: the answer given back with results or words behind it, and what is said then."""
    results, words = [draw(meaning.WORDS) for _ in said.calls], draw(meaning.WORDS)
    again = {dialect: following(dialect, body, results, words) for dialect, body in asked.items()}
    then = draw(meaning.answers(9))
    return then, [first, Turn(again, _all_say(then, way))]


@st.composite
def _troubles(draw: st.DrawFn, way: Way) -> Scripts:
    """A refusal; a stream that fails or breaks off."""
    refusal, kept = draw(troubles.refusals()), draw(st.integers(0, 8))
    kind = draw(st.sampled_from(["refused", "fails", "broken"])) if way.mode == "stream" else "refused"
    said = draw(meaning.answers())
    scripts: Scripts = {}
    for dialect in DIALECTS:
        events = normalise.unfold(dialect, ANSWER[dialect](said), way.cut)
        if kind == "refused":
            scripts[dialect] = troubles.refused(dialect, refusal)
        elif kind == "fails":
            scripts[dialect] = {"events": [*events[:1], troubles.told(dialect, refusal)], "done": False}
        else:
            scripts[dialect] = troubles.broken(dialect, events, kept)
    return scripts


def _all_ask(talk: Talk) -> Asked:
    return {dialect: REQUEST[dialect](talk) for dialect in DIALECTS}


def _all_say(said: Says, way: Way) -> Scripts:
    return {dialect: way.script(dialect, ANSWER[dialect](said)) for dialect in DIALECTS}


@st.composite
def _own_request(draw: st.DrawFn, dialects: tuple[Dialect, ...], model: str) -> Asked:
    dialect = draw(st.sampled_from(dialects))
    return {dialect: draw(_OWN_REQUESTS[dialect](model))}
