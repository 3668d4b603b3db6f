"""OpenAI Chat documents: conversations written in this dialect, and strategies for what it alone can express.

Source: https://platform.openai.com/docs/api-reference/chat, and hosts that follow it.
"""

import json
from typing import Final

from hypothesis import strategies as st

from bridgecheck.fuzz.conversation import (
    ARGUMENTS,
    CALLED_NAMES,
    DRAWN_CALLS,
    MODEL,
    PIXEL,
    SCHEMA,
    TEXTS,
    TOOLS,
    Conversation,
    ModelAnswer,
    drop_none_and_empty,
)
from bridgecheck.wire import JsonObject


def write_request(conversation: Conversation) -> JsonObject:
    """Return the body of the request that has this history."""
    messages: list[JsonObject] = [{"role": "system", "content": conversation.system}] if conversation.system else []
    for exchange in conversation.exchanges:
        with_image = [{"type": "text", "text": exchange.user}, _IMAGE]
        messages.append({"role": "user", "content": with_image if exchange.image else exchange.user})
        messages.append(_assistant_message(exchange.model))
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": result}
            for call, result in zip(exchange.model.calls, exchange.results, strict=True)
        ]
    messages.append({"role": "user", "content": conversation.last})
    tools = [_tool(name) for name in conversation.tools]
    choice = {"any": "required"}.get(conversation.choice, conversation.choice)
    return {
        "messages": messages, "max_tokens": 4000,
        **drop_none_and_empty(
            tools=tools, temperature=conversation.temperature, top_p=conversation.top_p, stop=list(conversation.stop),
            tool_choice=choice,
        ),
    }  # fmt: skip


def _tool(name: str) -> JsonObject:
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": SCHEMA}}


def _assistant_message(answer: ModelAnswer) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": answer.text or None}
    if answer.calls:
        message["tool_calls"] = [_tool_call(call.id, call.name, json.dumps(call.args)) for call in answer.calls]
    return message


def write_answer(answer: ModelAnswer) -> JsonObject:
    """Return the unary document; ``normalise.unfold`` makes a stream of it."""
    message = _assistant_message(answer)
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    choice: JsonObject = {"index": 0, "message": message, "finish_reason": answer.finish_reason, "logprobs": None}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": MODEL, "choices": [choice],
        "usage": _usage_counts(answer),
    }  # fmt: skip


def _usage_counts(answer: ModelAnswer) -> JsonObject:
    return {
        "prompt_tokens": answer.prompt,
        "completion_tokens": answer.completion,
        "total_tokens": answer.prompt + answer.completion,
        **({"completion_tokens_details": {"reasoning_tokens": 3}} if answer.reasoning else {}),
        **({"prompt_tokens_details": {"cached_tokens": answer.cached}} if answer.cached else {}),
    }


_IMAGE: Final[JsonObject] = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
_LINK: Final[JsonObject] = {"type": "image_url", "image_url": {"url": "https://example.com/pixel.png"}}
_AUDIO: Final[JsonObject] = {"type": "input_audio", "input_audio": {"data": "UklGRgAAAABXQVZF", "format": "wav"}}
_PDF: Final[JsonObject] = {
    "type": "file", "file": {"filename": "paper.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjQK"},
}  # fmt: skip


@st.composite
def native_requests(draw: st.DrawFn, model: str) -> JsonObject:
    """Requests with settings and content that this dialect alone can express. ``model`` has no influence."""
    messages: list[JsonObject] = []
    for text in draw(st.lists(TEXTS, max_size=2)):
        messages.append({"role": draw(st.sampled_from(["system", "developer"])), "content": text})
    for number in range(draw(st.integers(0, 2))):
        messages.append({"role": "user", "content": draw(_user_contents())})
        message = draw(_assistant_messages(number))
        messages.append(message)
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": draw(_result_contents())})
        if draw(st.integers(0, 3)) == 3:
            messages.append({"role": "system", "content": draw(TEXTS)})
    messages.append({"role": "user", "content": draw(_user_contents())})
    body: JsonObject = {"messages": messages, **draw(_settings())}
    if draw(st.booleans()) or any("tool_calls" in message for message in messages):
        body["tools"] = [_tool(name) for name in TOOLS]
        body |= draw(_tool_choice_and_parallel_settings())
    return body


def _user_contents() -> st.SearchStrategy[object]:
    texts = TEXTS.map(lambda text: {"type": "text", "text": text})
    contents = st.lists(texts | st.sampled_from([_IMAGE, _LINK, _AUDIO, _PDF]), min_size=1, max_size=3).filter(
        lambda parts: any(part["type"] == "text" for part in parts)
    )
    return TEXTS | contents


@st.composite
def _assistant_messages(draw: st.DrawFn, number: int) -> JsonObject:
    drawn_calls = draw(DRAWN_CALLS)
    message: JsonObject = {"role": "assistant"}
    if not drawn_calls or draw(st.booleans()):
        message["content"] = draw(TEXTS)
    elif draw(st.booleans()):
        message["content"] = None
    if drawn_calls:
        calls = enumerate(drawn_calls)
        message["tool_calls"] = [_tool_call(f"call_{number}_{i}", name, json.dumps(args)) for i, (name, args) in calls]
    return message


def _tool_call(id: str, name: str, arguments: str) -> JsonObject:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


_RAW_ARGUMENTS: Final = ARGUMENTS.map(json.dumps) | st.sampled_from(["", "{}", "[1, 2]", '{"city": "Ber'])
"""Arguments as models write them: an object, nothing, no object, and a truncated object."""


def _result_contents() -> st.SearchStrategy[object]:
    """A text, a JSON document as text, or a list of texts."""
    parts = st.lists(TEXTS.map(lambda text: {"type": "text", "text": text}), min_size=1, max_size=2)
    return TEXTS | ARGUMENTS.map(json.dumps) | parts


_JSON_SCHEMA: Final[JsonObject] = {"type": "json_schema", "json_schema": {"name": "response", "schema": SCHEMA}}


def _settings() -> st.SearchStrategy[JsonObject]:
    settings: dict[str, st.SearchStrategy[object]] = {
        "temperature": st.sampled_from([0, 0.3, 2]), "top_p": st.sampled_from([0.1, 1]),
        "max_tokens": st.integers(1, 8000), "seed": st.integers(0, 2**31 - 1),
        "presence_penalty": st.sampled_from([-1, 0, 0.5]), "frequency_penalty": st.sampled_from([0, 1.5]),
        "stop": TEXTS | st.lists(TEXTS, min_size=1, max_size=3, unique=True),
        "reasoning_effort": st.sampled_from(["none", "low", "medium", "high"]),
        "response_format": st.sampled_from([{"type": "text"}, {"type": "json_object"}, _JSON_SCHEMA]),
    }  # fmt: skip
    return st.fixed_dictionaries({}, optional=settings)


def _tool_choice_and_parallel_settings() -> st.SearchStrategy[JsonObject]:
    named: JsonObject = {"type": "function", "function": {"name": TOOLS[0]}}
    settings: dict[str, st.SearchStrategy[object]] = {
        "tool_choice": st.sampled_from(["auto", "none", "required", named]),
        "parallel_tool_calls": st.booleans(),
    }
    return st.fixed_dictionaries({}, optional=settings)


@st.composite
def native_answers(draw: st.DrawFn) -> JsonObject:
    """Unary documents with content that this dialect alone can express."""
    drawn_calls = draw(st.lists(st.tuples(CALLED_NAMES, _RAW_ARGUMENTS), max_size=3))
    message: JsonObject = {"role": "assistant", "content": draw(TEXTS) if not drawn_calls else draw(TEXTS | st.none())}
    legacy = len(drawn_calls) == 1 and draw(st.booleans())
    if legacy:  # as hosts of the deprecated API answer
        message["function_call"] = {"name": drawn_calls[0][0], "arguments": drawn_calls[0][1]}
    elif drawn_calls:
        message["tool_calls"] = [_tool_call(f"call_{index}", *call) for index, call in enumerate(drawn_calls)]
    elif draw(st.integers(0, 4)) == 4:
        message |= {"content": None, "refusal": draw(TEXTS)}
    if draw(st.booleans()):
        message[draw(st.sampled_from(["reasoning_content", "reasoning"]))] = draw(TEXTS)
    called = "function_call" if legacy else "tool_calls"
    ends = [called] if drawn_calls else ["stop", "stop", "length", "content_filter"]
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
    elif draw(st.booleans()):  # api.x.ai does not count reasoning as completion
        usage["completion_tokens_details"] = {"reasoning_tokens": 300}
        usage["total_tokens"] = prompt + completion + 300
    return usage
