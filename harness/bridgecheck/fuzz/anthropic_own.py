"""What Anthropic Messages alone can say, or says in its own way, generated: requests and whole answers.

Shapes are those of https://docs.anthropic.com/en/api/messages.
"""

from typing import Final

from hypothesis import strategies as st

from bridgecheck.fuzz.meaning import ARGUMENTS, CALLED, MODEL, NAMES, PIXEL, SCHEMA, SIGNATURE, TOOLS, WORDS
from bridgecheck.model.jsonvalue import objs
from bridgecheck.wire import JsonObject

_IMAGE: Final[JsonObject] = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
}
_PAPER: Final[JsonObject] = {
    "type": "document",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"},
}


@st.composite
def requests(draw: st.DrawFn, model: str) -> JsonObject:
    """``model``: says nothing of what may be asked."""
    messages: list[JsonObject] = []
    results: list[JsonObject] = []
    thinking = draw(st.booleans())
    for number in range(draw(st.integers(0, 2))):
        messages.append({"role": "user", "content": [*results, *draw(_asked())]})
        blocks = draw(_step(number, thinking))
        messages.append({"role": "assistant", "content": blocks})
        results = [_result(block, draw(_outcomes())) for block in blocks if block["type"] == "tool_use"]
    messages.append({"role": "user", "content": [*results, *draw(_asked())]})
    body: JsonObject = {"messages": messages, "max_tokens": 4000, **draw(_settings())}
    if draw(st.booleans()):
        body["system"] = draw(WORDS | st.lists(WORDS.map(_text), min_size=1, max_size=2))
    if thinking:
        body["thinking"] = {"type": "enabled", "budget_tokens": draw(st.sampled_from([1024, 3000]))}
    else:
        body |= draw(_unthinking())
    if draw(st.booleans()) or any(_calls(message) for message in messages):
        body["tools"] = [{"name": name, "description": "d", "input_schema": SCHEMA} for name in TOOLS]
        body |= {} if thinking else draw(_choices())
    return body


def _calls(message: JsonObject) -> bool:
    return any(block["type"] == "tool_use" for block in objs(message["content"]))


def _text(words: str) -> JsonObject:
    return {"type": "text", "text": words}


def _asked() -> st.SearchStrategy[list[JsonObject]]:
    return st.lists(WORDS.map(_text) | st.sampled_from([_IMAGE, _PAPER]), min_size=1, max_size=3).filter(
        lambda blocks: any(block["type"] == "text" for block in blocks)
    )


@st.composite
def _step(draw: st.DrawFn, number: int, thinking: bool) -> list[JsonObject]:
    blocks: list[JsonObject] = []
    if thinking:
        blocks.append({"type": "thinking", "thinking": draw(WORDS), "signature": SIGNATURE})
    named = draw(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=3))
    if not named or draw(st.booleans()):
        blocks.append(_text(draw(WORDS)))
    return blocks + [_use(f"toolu_{number}_{index}", *call) for index, call in enumerate(named)]


def _use(id: str, name: str, args: JsonObject) -> JsonObject:
    return {"type": "tool_use", "id": id, "name": name, "input": args}


def _result(use: JsonObject, outcome: JsonObject) -> JsonObject:
    return {"type": "tool_result", "tool_use_id": use["id"], **outcome}


def _outcomes() -> st.SearchStrategy[JsonObject]:
    texts: st.SearchStrategy[JsonObject] = WORDS.map(lambda words: {"content": words})
    blocks: st.SearchStrategy[JsonObject] = st.lists(WORDS.map(_text), min_size=1, max_size=2).map(
        lambda several: {"content": several}
    )
    failed: st.SearchStrategy[JsonObject] = WORDS.map(lambda words: {"content": words, "is_error": True})
    shown: st.SearchStrategy[JsonObject] = WORDS.map(lambda words: {"content": [_text(words), _IMAGE]})
    return texts | blocks | failed | shown


def _settings() -> st.SearchStrategy[JsonObject]:
    settings: dict[str, st.SearchStrategy[object]] = {
        "stop_sequences": st.lists(WORDS, min_size=1, max_size=3, unique=True),
        "metadata": st.just({"user_id": "user-1"}),
    }
    return st.fixed_dictionaries({}, optional=settings)


def _unthinking() -> st.SearchStrategy[JsonObject]:
    """What is refused beside thinking."""
    settings: dict[str, st.SearchStrategy[object]] = {
        "temperature": st.sampled_from([0, 0.3, 1]),
        "top_k": st.integers(1, 40),
    }
    return st.fixed_dictionaries({}, optional=settings)


def _choices() -> st.SearchStrategy[JsonObject]:
    choices: list[JsonObject] = [
        {},
        {"type": "auto"},
        {"type": "auto", "disable_parallel_tool_use": True},
        {"type": "any"},
        {"type": "none"},
        {"type": "tool", "name": TOOLS[0]},
    ]
    return st.sampled_from(choices).map(lambda choice: {"tool_choice": choice} if choice else {})


@st.composite
def answers(draw: st.DrawFn) -> JsonObject:
    blocks: list[JsonObject] = []
    thinks, redacted = draw(st.booleans()), draw(st.booleans())
    if thinks:
        blocks.append({"type": "thinking", "thinking": draw(WORDS), "signature": SIGNATURE})
    if redacted:
        blocks.append({"type": "redacted_thinking", "data": SIGNATURE})
    named = draw(st.lists(st.tuples(CALLED, ARGUMENTS), max_size=3))
    if not named or draw(st.booleans()):
        blocks += [_text(words) for words in draw(st.lists(WORDS, min_size=1, max_size=2))]
    blocks += [_use(f"toolu_{index}", *call) for index, call in enumerate(named)]
    ends = ["tool_use"] if named else ["end_turn", "max_tokens", "refusal", "stop_sequence"]
    end = draw(st.sampled_from(ends))
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": blocks, "stop_reason": end,
        "stop_sequence": "END" if end == "stop_sequence" else None, "usage": draw(_usages()),
    }  # fmt: skip


def _usages() -> st.SearchStrategy[JsonObject]:
    counts = st.integers(0, 10**5)
    return st.fixed_dictionaries(
        {"input_tokens": st.integers(1, 10**5), "output_tokens": st.integers(1, 10**5)},
        optional={"cache_read_input_tokens": counts, "cache_creation_input_tokens": counts},
    )
