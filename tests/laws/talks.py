"""Generated conversations, and how each dialect asks for their next turn.

Only what all three dialects can say is generated: the laws are about meaning that has a place on the other side.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

from bridgecheck.wire import Dialect, JsonObject

from ..says import Call, Cut, Says

PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

WORDS: Final = st.text(
    st.characters(exclude_categories=["Cs", "Cn", "Co"], exclude_characters="\x00"), min_size=1, max_size=20
).map(lambda words: f"{words}.")
"""Never blank and never ending in white space: what providers refuse is no matter of conversion."""
NAMES: Final = st.sampled_from(["get_weather", "search", "f", "read-file"])
_LEAVES = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | WORDS | st.floats(-1e9, 1e9).map(lambda x: x or 0.0)
)
_VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=6
)
ARGUMENTS: Final = st.dictionaries(st.sampled_from(["city", "größe", "n", "list"]), _VALUES, max_size=3)


@st.composite
def calls(draw: st.DrawFn, stem: int = 0) -> tuple[Call, ...]:
    """``stem``: what sets the ids of one turn apart from those of another."""
    wanted = draw(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=3))
    return tuple(Call(name, args, f"call_{stem}_{index}") for index, (name, args) in enumerate(wanted))


@st.composite
def answers(draw: st.DrawFn, stem: int = 0) -> Says:
    """One whole answer: it says or calls something, and its counts add up."""
    called = draw(calls(stem))
    text = draw(WORDS if not called else WORDS | st.just(""))
    stop = draw(st.sampled_from(["", "length"] if not called else [""]))
    return Says(text, draw(st.just("") | WORDS), called, stop, draw(st.integers(0, 10**6)), draw(st.integers(3, 10**5)))


@dataclass(frozen=True)
class Round:
    """What the user said, and what the model answered; its calls, if any, were all answered with ``results``."""

    user: str
    image: bool
    model: Says
    results: tuple[str, ...]


@dataclass(frozen=True)
class Talk:
    """``choice``: auto, any, none or "" for nothing said."""

    system: str
    rounds: tuple[Round, ...]
    last: str
    temperature: float | None
    top_p: float | None
    stop: tuple[str, ...]
    choice: str


@st.composite
def talks(draw: st.DrawFn) -> Talk:
    rounds = []
    for number in range(draw(st.integers(0, 3))):
        said = draw(answers(number))
        # History says no thoughts: unsigned ones may not be replayed, and signed ones are the relay's matter.
        model = Says(said.text, "", said.calls)
        rounds.append(Round(draw(WORDS), draw(st.booleans()), model, tuple(draw(WORDS) for _ in model.calls)))
    return Talk(
        draw(st.just("") | WORDS),
        tuple(rounds),
        draw(WORDS),
        draw(st.none() | st.sampled_from([0, 0.5, 1])),
        draw(st.none() | st.sampled_from([0.1, 0.95])),
        tuple(draw(st.lists(st.sampled_from(["END", "\n\nHuman:"]), unique=True, max_size=2))),
        draw(st.sampled_from(["", "auto", "any", "none"])),
    )


_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "of the world"}, "n": {"type": "integer"}},
}
_TOOLS: Final = ("get_weather", "search", "f", "read-file")


def request(dialect: Dialect, talk: Talk) -> JsonObject:
    """The request for the next turn; models and modes are said elsewhere or by the caller."""
    return _REQUESTS[dialect](talk)


def _set(**settings: object) -> JsonObject:
    return {key: value for key, value in settings.items() if value not in (None, [], "", {})}


# Gemini


def _gemini(talk: Talk) -> JsonObject:
    contents: list[JsonObject] = []
    for each in talk.rounds:
        contents.append({"role": "user", "parts": _gemini_user(each)})
        contents.append({"role": "model", "parts": _gemini_model(each.model)})
        if each.results:
            contents.append({"role": "user", "parts": _gemini_results(each)})
    contents.append({"role": "user", "parts": [{"text": talk.last}]})
    config = _set(temperature=talk.temperature, topP=talk.top_p, maxOutputTokens=4000, stopSequences=list(talk.stop))
    asked: JsonObject = {"contents": contents, "generationConfig": config}
    if talk.system:
        asked["systemInstruction"] = {"parts": [{"text": talk.system}]}
    asked["tools"] = [
        {
            "functionDeclarations": [
                {"name": name, "description": "d", "parametersJsonSchema": _SCHEMA} for name in _TOOLS
            ]
        }
    ]
    if talk.choice:
        asked["toolConfig"] = {"functionCallingConfig": {"mode": talk.choice.upper()}}
    return asked


def _gemini_user(each: Round) -> list[JsonObject]:
    image: JsonObject = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    return [{"text": each.user}, *([image] if each.image else [])]


def _gemini_model(said: Says) -> list[JsonObject]:
    parts: list[JsonObject] = [{"text": said.text}] if said.text else []
    return parts + [{"functionCall": {"id": call.id, "name": call.name, "args": call.args}} for call in said.calls]


def _gemini_results(each: Round) -> list[JsonObject]:
    return [
        {"functionResponse": {"id": call.id, "name": call.name, "response": {"output": result}}}
        for call, result in zip(each.model.calls, each.results, strict=True)
    ]


# OpenAI Chat


def _openai(talk: Talk) -> JsonObject:
    messages: list[JsonObject] = [{"role": "system", "content": talk.system}] if talk.system else []
    for each in talk.rounds:
        messages.append({"role": "user", "content": _openai_user(each)})
        messages.append(_openai_model(each.model))
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": result}
            for call, result in zip(each.model.calls, each.results, strict=True)
        ]
    messages.append({"role": "user", "content": talk.last})
    tools = [
        {"type": "function", "function": {"name": name, "description": "d", "parameters": _SCHEMA}} for name in _TOOLS
    ]
    choice = {"any": "required"}.get(talk.choice, talk.choice)
    return {
        "messages": messages, "tools": tools, "max_tokens": 4000,
        **_set(temperature=talk.temperature, top_p=talk.top_p, stop=list(talk.stop), tool_choice=choice),
    }  # fmt: skip


def _openai_user(each: Round) -> object:
    if not each.image:
        return each.user
    url = f"data:image/png;base64,{PIXEL}"
    return [{"type": "text", "text": each.user}, {"type": "image_url", "image_url": {"url": url}}]


def _openai_model(said: Says) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": said.text or None}
    if said.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.args)}}
            for call in said.calls
        ]
    return message


# Anthropic


def _anthropic(talk: Talk) -> JsonObject:
    messages: list[JsonObject] = []
    pending: list[JsonObject] = []
    for each in talk.rounds:
        messages.append({"role": "user", "content": [*pending, *_anthropic_user(each)]})
        messages.append({"role": "assistant", "content": _anthropic_model(each.model)})
        pending = _anthropic_results(each)
    messages.append({"role": "user", "content": [*pending, {"type": "text", "text": talk.last}]})
    tools = [{"name": name, "description": "d", "input_schema": _SCHEMA} for name in _TOOLS]
    choice = {"type": talk.choice} if talk.choice else None
    return {
        "messages": messages, "tools": tools, "max_tokens": 4000,
        **_set(
            system=talk.system, temperature=talk.temperature, top_p=talk.top_p, stop_sequences=list(talk.stop),
            tool_choice=choice,
        ),
    }  # fmt: skip


def _anthropic_user(each: Round) -> list[JsonObject]:
    source: JsonObject = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    return [{"type": "text", "text": each.user}, *([{"type": "image", "source": source}] if each.image else [])]


def _anthropic_model(said: Says) -> list[JsonObject]:
    blocks: list[JsonObject] = [{"type": "text", "text": said.text}] if said.text else []
    return blocks + [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.args} for call in said.calls]


def _anthropic_results(each: Round) -> list[JsonObject]:
    return [
        {"type": "tool_result", "tool_use_id": call.id, "content": result}
        for call, result in zip(each.model.calls, each.results, strict=True)
    ]


_REQUESTS: Final = {"gemini": _gemini, "openai-chat": _openai, "anthropic": _anthropic}


@st.composite
def cuts(draw: st.DrawFn) -> list[int]:
    """Where texts are cut: distances from their start, used for every text of a stream."""
    return sorted(set(draw(st.lists(st.integers(1, 40), max_size=5))))


def cutting(places: Sequence[int]) -> Cut:
    def cut(text: str) -> list[str]:
        ends = [place for place in places if place < len(text)] + [len(text)]
        return [text[start:end] for start, end in zip([0, *ends], ends, strict=False) if start < end]

    return cut
