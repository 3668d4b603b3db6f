"""A request and an answer as the document of a scenario, as it would stand in a file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from hypothesis import strategies as st

from bridgecheck.fuzz import (
    anthropic,
    anthropic_own,
    gemini,
    gemini_own,
    meaning,
    openai_chat,
    openai_own,
)
from bridgecheck.fuzz.meaning import MODEL, Cut, Says, Talk
from bridgecheck.model.jsonvalue import obj
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
STREAMED: Final[dict[Dialect, Callable[[JsonObject, Cut], list[JsonObject]]]] = {
    "gemini": gemini.streamed,
    "openai-chat": openai_chat.streamed,
    "anthropic": anthropic.streamed,
}
_OWN_REQUESTS: Final = {
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


@dataclass(frozen=True)
class Answered:
    """The whole answer, in each dialect that can say it, and what must arrive of it: ``expect.outcome``."""

    documents: dict[Dialect, JsonObject]
    outcome: JsonObject


def document(asked: Asked, answered: Answered, mode: Mode, cut: Cut) -> JsonObject:
    """The scenario; ``search`` gives it its name."""
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
        "client": {dialect: _client(dialect, body) for dialect, body in asked.items()},
        "upstream": {
            dialect: {mode: [_script(dialect, whole, mode, cut)]} for dialect, whole in answered.documents.items()
        },
        "expect": {"outcome": answered.outcome},
    }


def _script(dialect: Dialect, whole: JsonObject, mode: Mode, cut: Cut) -> JsonObject:
    return {"body": whole} if mode == "unary" else {"events": STREAMED[dialect](whole, cut)}


def named(document: JsonObject, mark: str, ref: str) -> JsonObject:
    """With the id ``found/<mark>``. ``ref``: the command that found it."""
    return {**document, "id": f"found/{mark}", "sources": [{"ref": ref}]}


def narrowed(document: JsonObject, address: str) -> JsonObject:
    """With no other dialects than those of this case."""
    client, _, upstream = address.partition("::")[2].split("-", 1)[1].rsplit("-", 2)[0].partition("-to-")
    kept = {"client": obj(document["client"]).get(client), "upstream": obj(document["upstream"]).get(upstream)}
    return {**document, "client": {client: kept["client"]}, "upstream": {upstream: kept["upstream"]}}


def _client(dialect: Dialect, body: JsonObject) -> JsonObject:
    if dialect == "gemini":
        return {"model": MODEL, "body": body}
    streamed = {"stream_options": {"include_usage": True}} if dialect == "openai-chat" else {}
    return {"body": {"model": MODEL, **body, **streamed}}


def asked_by_all(talk: Talk) -> Asked:
    return {dialect: REQUEST[dialect](talk) for dialect in DIALECTS}


def answered_by_all(said: Says) -> Answered:
    outcome: JsonObject = {
        "text": said.text,
        "tool_calls": [[call.name, call.args] for call in said.calls],
        "usage": {"prompt": said.prompt, "completion": said.completion, "total": said.prompt + said.completion},
    }
    return Answered({dialect: ANSWER[dialect](said) for dialect in DIALECTS}, outcome)


@st.composite
def documents(
    draw: st.DrawFn, clients: tuple[Dialect, ...] = DIALECTS, upstreams: tuple[Dialect, ...] = DIALECTS
) -> JsonObject:
    """One scenario: a request that all dialects say, or one in its own words; and an answer likewise."""
    ours, theirs = draw(st.booleans()), draw(st.booleans())
    asked = draw(_own_request(clients)) if ours else asked_by_all(draw(meaning.talks()))
    answered = draw(_own_answer(upstreams)) if theirs else answered_by_all(draw(meaning.answers()))
    mode: Mode = draw(st.sampled_from(MODES))
    return document(asked, answered, mode, meaning.cutting(draw(meaning.cuts()) if mode == "stream" else []))


@st.composite
def _own_request(draw: st.DrawFn, dialects: tuple[Dialect, ...]) -> Asked:
    dialect = draw(st.sampled_from(dialects))
    return {dialect: draw(_OWN_REQUESTS[dialect]())}


@st.composite
def _own_answer(draw: st.DrawFn, dialects: tuple[Dialect, ...]) -> Answered:
    dialect = draw(st.sampled_from(dialects))
    return Answered({dialect: draw(_OWN_ANSWERS[dialect]())}, {})
