"""Anthropic Messages documents: conversations written in this dialect, and strategies for what it alone can express.

Source: https://docs.anthropic.com/en/api/messages
"""

from typing import Final

from hypothesis import strategies as st

from bridgecheck.fuzz.conversation import (
    ARGUMENTS,
    CALLED_NAMES,
    DRAWN_CALLS,
    MODEL,
    PIXEL,
    SCHEMA,
    SIGNATURE,
    TEXTS,
    TOOLS,
    Conversation,
    Exchange,
    ModelAnswer,
    drop_none_and_empty,
)
from bridgecheck.model.jsonvalue import objs
from bridgecheck.wire import JsonObject


def write_request(conversation: Conversation) -> JsonObject:
    """Return the body of the request that has this history."""
    messages: list[JsonObject] = []
    pending: list[JsonObject] = []
    for exchange in conversation.exchanges:
        image = [_IMAGE] if exchange.image else []
        messages.append({"role": "user", "content": [*pending, _text_block(exchange.user), *image]})
        messages.append({"role": "assistant", "content": _text_and_tool_use_blocks(exchange.model)})
        pending = _result_blocks(exchange)
    messages.append({"role": "user", "content": [*pending, _text_block(conversation.last)]})
    tools = [{"name": name, "description": "d", "input_schema": SCHEMA} for name in conversation.tools]
    choice = {"type": conversation.choice} if conversation.choice else None
    return {
        "messages": messages, "max_tokens": 4000,
        **drop_none_and_empty(
            system=conversation.system, temperature=conversation.temperature, top_p=conversation.top_p,
            stop_sequences=list(conversation.stop), tools=tools, tool_choice=choice,
        ),
    }  # fmt: skip


def _text_and_tool_use_blocks(answer: ModelAnswer) -> list[JsonObject]:
    blocks: list[JsonObject] = [_text_block(answer.text)] if answer.text else []
    return blocks + [_tool_use(call.id, call.name, call.args) for call in answer.calls]


def _result_blocks(exchange: Exchange) -> list[JsonObject]:
    results = zip(exchange.model.calls, exchange.results, strict=True)
    return [{"type": "tool_result", "tool_use_id": call.id, "content": result} for call, result in results]


_STOP_REASONS: Final = {
    "stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal",
}  # fmt: skip


def write_answer(answer: ModelAnswer) -> JsonObject:
    """Return the unary document; ``normalise.unfold`` makes a stream of it."""
    blocks: list[JsonObject] = []
    if answer.reasoning:
        blocks.append({"type": "thinking", "thinking": answer.reasoning, "signature": SIGNATURE})
    usage: JsonObject = {"input_tokens": answer.prompt - answer.cached, "output_tokens": answer.completion}
    if answer.cached:
        usage["cache_read_input_tokens"] = answer.cached
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL,
        "content": blocks + _text_and_tool_use_blocks(answer), "stop_reason": _STOP_REASONS[answer.finish_reason],
        "stop_sequence": None, "usage": usage,
    }  # fmt: skip


_IMAGE: Final[JsonObject] = {
    "type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
}  # fmt: skip
_PDF: Final[JsonObject] = {
    "type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"},
}  # fmt: skip


@st.composite
def native_requests(draw: st.DrawFn, model: str) -> JsonObject:
    """Requests with settings and content that this dialect alone can express. ``model`` has no influence."""
    messages: list[JsonObject] = []
    results: list[JsonObject] = []
    thinking = draw(st.booleans())
    for number in range(draw(st.integers(0, 2))):
        messages.append({"role": "user", "content": [*results, *draw(_user_contents())]})
        blocks = draw(_model_content_blocks(number, thinking))
        messages.append({"role": "assistant", "content": blocks})
        used = [block["id"] for block in blocks if block["type"] == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": id, **draw(_result_contents())} for id in used]
    messages.append({"role": "user", "content": [*results, *draw(_user_contents())]})
    body: JsonObject = {"messages": messages, "max_tokens": 4000, **draw(_settings_allowed_with_thinking())}
    if draw(st.booleans()):
        body["system"] = draw(TEXTS | st.lists(TEXTS.map(_text_block), min_size=1, max_size=2))
    if thinking:
        body["thinking"] = {"type": "enabled", "budget_tokens": draw(st.sampled_from([1024, 3000]))}
    else:
        body |= draw(_sampling_settings_refused_with_thinking())
    blocks = [block for message in messages for block in objs(message["content"])]
    if draw(st.booleans()) or any(block["type"] == "tool_use" for block in blocks):
        body["tools"] = [{"name": name, "description": "d", "input_schema": SCHEMA} for name in TOOLS]
        body |= {} if thinking else draw(_tool_choice_settings())
    return body


def _text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _user_contents() -> st.SearchStrategy[list[JsonObject]]:
    return st.lists(TEXTS.map(_text_block) | st.sampled_from([_IMAGE, _PDF]), min_size=1, max_size=3).filter(
        lambda blocks: any(block["type"] == "text" for block in blocks)
    )


@st.composite
def _model_content_blocks(draw: st.DrawFn, number: int, thinking: bool) -> list[JsonObject]:
    blocks: list[JsonObject] = []
    if thinking:
        blocks.append({"type": "thinking", "thinking": draw(TEXTS), "signature": SIGNATURE})
    drawn_calls = draw(DRAWN_CALLS)
    if not drawn_calls or draw(st.booleans()):
        blocks.append(_text_block(draw(TEXTS)))
    return blocks + [_tool_use(f"toolu_{number}_{index}", *call) for index, call in enumerate(drawn_calls)]


def _tool_use(id: str, name: str, args: JsonObject) -> JsonObject:
    return {"type": "tool_use", "id": id, "name": name, "input": args}


def _result_contents() -> st.SearchStrategy[JsonObject]:
    texts: st.SearchStrategy[JsonObject] = TEXTS.map(lambda text: {"content": text})
    failed: st.SearchStrategy[JsonObject] = TEXTS.map(lambda text: {"content": text, "is_error": True})
    with_image: st.SearchStrategy[JsonObject] = TEXTS.map(lambda text: {"content": [_text_block(text), _IMAGE]})
    lists = st.lists(TEXTS.map(_text_block), min_size=1, max_size=2)
    blocks: st.SearchStrategy[JsonObject] = lists.map(lambda contents: {"content": contents})
    return texts | blocks | failed | with_image


def _settings_allowed_with_thinking() -> st.SearchStrategy[JsonObject]:
    settings: dict[str, st.SearchStrategy[object]] = {
        "stop_sequences": st.lists(TEXTS, min_size=1, max_size=3, unique=True),
        "metadata": st.just({"user_id": "user-1"}),
    }
    return st.fixed_dictionaries({}, optional=settings)


def _sampling_settings_refused_with_thinking() -> st.SearchStrategy[JsonObject]:
    """Settings that the API refuses together with thinking."""
    settings = {"temperature": st.sampled_from([0, 0.3, 1]), "top_k": st.integers(1, 40)}
    return st.fixed_dictionaries({}, optional=settings)


def _tool_choice_settings() -> st.SearchStrategy[JsonObject]:
    choices: list[JsonObject] = [
        {}, {"type": "auto"}, {"type": "auto", "disable_parallel_tool_use": True}, {"type": "any"}, {"type": "none"},
        {"type": "tool", "name": TOOLS[0]},
    ]  # fmt: skip
    return st.sampled_from(choices).map(lambda choice: {"tool_choice": choice} if choice else {})


@st.composite
def native_answers(draw: st.DrawFn) -> JsonObject:
    """Unary documents with content that this dialect alone can express."""
    blocks: list[JsonObject] = []
    thinks, redacted = draw(st.booleans()), draw(st.booleans())
    if thinks:
        blocks.append({"type": "thinking", "thinking": draw(TEXTS), "signature": SIGNATURE})
    if redacted:
        blocks.append({"type": "redacted_thinking", "data": SIGNATURE})
    drawn_calls = draw(st.lists(st.tuples(CALLED_NAMES, ARGUMENTS), max_size=3))
    if not drawn_calls or draw(st.booleans()):
        blocks += [_text_block(text) for text in draw(st.lists(TEXTS, min_size=1, max_size=2))]
    blocks += [_tool_use(f"toolu_{index}", *call) for index, call in enumerate(drawn_calls)]
    ends = ["tool_use"] if drawn_calls else ["end_turn", "max_tokens", "refusal", "stop_sequence"]
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
