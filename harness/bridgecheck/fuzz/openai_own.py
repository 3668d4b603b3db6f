"""What OpenAI Chat Completions alone can say, or says in its own way, generated: requests and whole answers.

Shapes are those of https://platform.openai.com/docs/api-reference/chat and of hosts that follow it.
"""

import json
from typing import Final

from hypothesis import strategies as st

from bridgecheck.fuzz.meaning import ARGUMENTS, CALLED, MODEL, NAMES, PIXEL, SCHEMA, TOOLS, WORDS
from bridgecheck.wire import JsonObject

_IMAGE: Final[JsonObject] = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
_LINK: Final[JsonObject] = {"type": "image_url", "image_url": {"url": "https://example.com/pixel.png"}}
_SOUND: Final[JsonObject] = {"type": "input_audio", "input_audio": {"data": "UklGRgAAAABXQVZF", "format": "wav"}}
_PAPER: Final[JsonObject] = {
    "type": "file",
    "file": {"filename": "paper.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjQK"},
}


@st.composite
def requests(draw: st.DrawFn, model: str) -> JsonObject:
    """``model``: says nothing of what may be asked."""
    messages: list[JsonObject] = []
    for words in draw(st.lists(WORDS, max_size=2)):
        messages.append({"role": draw(st.sampled_from(["system", "developer"])), "content": words})
    for number in range(draw(st.integers(0, 2))):
        messages.append({"role": "user", "content": draw(_asked())})
        step = draw(_step(number))
        messages.append(step)
        calls = step.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": draw(_results())})
        if draw(st.integers(0, 3)) == 3:
            messages.append({"role": "system", "content": draw(WORDS)})
    messages.append({"role": "user", "content": draw(_asked())})
    body: JsonObject = {"messages": messages, **draw(_settings())}
    if draw(st.booleans()) or any("tool_calls" in message for message in messages):
        body["tools"] = [
            {"type": "function", "function": {"name": name, "description": "d", "parameters": SCHEMA}} for name in TOOLS
        ]
        body |= draw(_choices())
    return body


def _asked() -> st.SearchStrategy[object]:
    texts = WORDS.map(lambda words: {"type": "text", "text": words})
    several = st.lists(texts | st.sampled_from([_IMAGE, _LINK, _SOUND, _PAPER]), min_size=1, max_size=3).filter(
        lambda parts: any(part["type"] == "text" for part in parts)
    )
    return WORDS | several


@st.composite
def _step(draw: st.DrawFn, number: int) -> JsonObject:
    named = draw(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=3))
    message: JsonObject = {"role": "assistant"}
    if not named or draw(st.booleans()):
        message["content"] = draw(WORDS)
    elif draw(st.booleans()):
        message["content"] = None
    if named:
        message["tool_calls"] = [_call(f"call_{number}_{index}", *call) for index, call in enumerate(named)]
    return message


def _call(id: str, name: str, args: JsonObject) -> JsonObject:
    return _written(id, name, json.dumps(args))


def _written(id: str, name: str, arguments: str) -> JsonObject:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


_WRITTEN: Final = ARGUMENTS.map(json.dumps) | st.sampled_from(["", "{}", "[1, 2]", '{"city": "Ber'])
"""Arguments as models write them: an object, nothing, no object, and what broke off."""


def _results() -> st.SearchStrategy[object]:
    """Text; a JSON document as text; a list of texts."""
    parts = st.lists(WORDS.map(lambda words: {"type": "text", "text": words}), min_size=1, max_size=2)
    return WORDS | ARGUMENTS.map(json.dumps) | parts


def _settings() -> st.SearchStrategy[JsonObject]:
    settings: dict[str, st.SearchStrategy[object]] = {
        "temperature": st.sampled_from([0, 0.3, 2]),
        "top_p": st.sampled_from([0.1, 1]),
        "max_tokens": st.integers(1, 8000),
        "seed": st.integers(0, 2**31 - 1),
        "presence_penalty": st.sampled_from([-1, 0, 0.5]),
        "frequency_penalty": st.sampled_from([0, 1.5]),
        "stop": WORDS | st.lists(WORDS, min_size=1, max_size=3, unique=True),
        "reasoning_effort": st.sampled_from(["none", "low", "medium", "high"]),
        "response_format": st.sampled_from(
            [
                {"type": "text"},
                {"type": "json_object"},
                {"type": "json_schema", "json_schema": {"name": "response", "schema": SCHEMA}},
            ]
        ),
    }
    return st.fixed_dictionaries({}, optional=settings)


def _choices() -> st.SearchStrategy[JsonObject]:
    one: JsonObject = {"type": "function", "function": {"name": TOOLS[0]}}
    settings: dict[str, st.SearchStrategy[object]] = {
        "tool_choice": st.sampled_from(["auto", "none", "required", one]),
        "parallel_tool_calls": st.booleans(),
    }
    return st.fixed_dictionaries({}, optional=settings)


@st.composite
def answers(draw: st.DrawFn) -> JsonObject:
    named = draw(st.lists(st.tuples(CALLED, _WRITTEN), max_size=3))
    message: JsonObject = {"role": "assistant", "content": draw(WORDS) if not named else draw(WORDS | st.none())}
    legacy = len(named) == 1 and draw(st.booleans())
    if legacy:  # as hosts of the deprecated API answer
        message["function_call"] = {"name": named[0][0], "arguments": named[0][1]}
    elif named:
        message["tool_calls"] = [_written(f"call_{index}", *call) for index, call in enumerate(named)]
    elif draw(st.integers(0, 4)) == 4:
        message |= {"content": None, "refusal": draw(WORDS)}
    if draw(st.booleans()):
        message[draw(st.sampled_from(["reasoning_content", "reasoning"]))] = draw(WORDS)
    ends = ["function_call" if legacy else "tool_calls"] if named else ["stop", "stop", "length", "content_filter"]
    choice: JsonObject = {"index": 0, "message": message, "finish_reason": draw(st.sampled_from(ends))}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": MODEL, "choices": [choice],
        "usage": draw(_usages()),
        **draw(st.sampled_from([{}, {"system_fingerprint": "fp_1"}, {"service_tier": "default"}])),
    }  # fmt: skip


@st.composite
def _usages(draw: st.DrawFn) -> JsonObject:
    """Counts that add up, with details or without."""
    prompt, completion = draw(st.integers(1, 10**5)), draw(st.integers(1, 10**5))
    usage: JsonObject = {
        "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
    }  # fmt: skip
    if draw(st.booleans()):
        usage["prompt_tokens_details"] = {"cached_tokens": draw(st.integers(0, prompt))}
    if draw(st.booleans()):
        usage["completion_tokens_details"] = {"reasoning_tokens": draw(st.integers(0, completion))}
    elif draw(st.booleans()):  # as api.x.ai counts: beside the completion
        usage["completion_tokens_details"] = {"reasoning_tokens": 300}
        usage["total_tokens"] = prompt + completion + 300
    return usage
