"""Gemini documents: conversations written in this dialect, and strategies for what it alone can express.

No two settings that the API refuses together stand in one document. Source: https://ai.google.dev/api/generate-content
and recorded traffic.
"""

from typing import Final

from hypothesis import strategies as st

from bridgecheck.fuzz.conversation import (
    ARGUMENTS,
    DRAWN_CALLS,
    MODEL,
    PIXEL,
    SCHEMA,
    SIGNATURE,
    TEXTS,
    TOOL_NAMES,
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
    contents: list[JsonObject] = []
    for exchange in conversation.exchanges:
        contents.append({"role": "user", "parts": [{"text": exchange.user}, *([_IMAGE] if exchange.image else [])]})
        contents.append({"role": "model", "parts": _text_and_function_call_parts(exchange.model)})
        if exchange.results:
            contents.append({"role": "user", "parts": _result_parts(exchange)})
    contents.append({"role": "user", "parts": [{"text": conversation.last}]})
    config = drop_none_and_empty(
        temperature=conversation.temperature, topP=conversation.top_p, maxOutputTokens=4000,
        stopSequences=list(conversation.stop),
    )  # fmt: skip
    body: JsonObject = {"contents": contents, "generationConfig": config}
    if conversation.system:
        body["systemInstruction"] = {"parts": [{"text": conversation.system}]}
    if conversation.tools:
        declared = [{"name": name, "description": "d", "parametersJsonSchema": SCHEMA} for name in conversation.tools]
        body["tools"] = [{"functionDeclarations": declared}]
    if conversation.choice:
        body["toolConfig"] = {"functionCallingConfig": {"mode": conversation.choice.upper()}}
    return body


def _text_and_function_call_parts(answer: ModelAnswer) -> list[JsonObject]:
    parts: list[JsonObject] = [{"text": answer.text}] if answer.text else []
    return parts + [{"functionCall": {"id": call.id, "name": call.name, "args": call.args}} for call in answer.calls]


def _result_parts(exchange: Exchange) -> list[JsonObject]:
    results = zip(exchange.model.calls, exchange.results, strict=True)
    return [_function_response({"id": call.id, "name": call.name}, {"output": result}) for call, result in results]


_FINISH_REASONS: Final = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}


def write_answer(answer: ModelAnswer) -> JsonObject:
    """Return the unary document; ``normalise.unfold`` makes a stream of it."""
    reasoning: list[JsonObject] = [{"text": answer.reasoning, "thought": True}] if answer.reasoning else []
    parts = _text_and_function_call_parts(answer)
    if answer.calls:
        parts[-len(answer.calls)]["thoughtSignature"] = SIGNATURE
    return {
        "candidates": [_candidate(reasoning + parts, _FINISH_REASONS[answer.finish_reason])],
        "usageMetadata": _usage_metadata(answer), "modelVersion": MODEL, "responseId": "resp-1",
    }  # fmt: skip


def _candidate(parts: list[JsonObject], finish_reason: str) -> JsonObject:
    return {"content": {"role": "model", "parts": parts}, "finishReason": finish_reason, "index": 0}


def _usage_metadata(answer: ModelAnswer) -> JsonObject:
    thoughts = 3 if answer.reasoning else 0
    further = {"thoughtsTokenCount": thoughts, "cachedContentTokenCount": answer.cached}
    return {
        "promptTokenCount": answer.prompt, "candidatesTokenCount": answer.completion - thoughts,
        "totalTokenCount": answer.prompt + answer.completion,
        **{name: count for name, count in further.items() if count},
    }  # fmt: skip


_OPENAPI_SCHEMA: Final[JsonObject] = {
    "type": "OBJECT",
    "properties": {
        "city": {"type": "STRING", "description": "of the world", "nullable": True},
        "n": {"type": "INTEGER", "minimum": 1},
        "kind": {"type": "STRING", "enum": ["big", "small"]},
        "list": {"type": "ARRAY", "items": {"type": "STRING"}},
    },
    "required": ["city"],
}
_IMAGE: Final[JsonObject] = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
_AUDIO: Final[JsonObject] = {"inlineData": {"mimeType": "audio/wav", "data": "UklGRgAAAABXQVZF"}}
_PDF: Final[JsonObject] = {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0xLjQK"}}
_BUDGETS: Final[list[JsonObject]] = [{"thinkingBudget": budget} for budget in (0, 2000, 9000, -1)]
_LEVELS: Final[list[JsonObject]] = [{"thinkingLevel": level} for level in ("low", "high")]


@st.composite
def native_requests(draw: st.DrawFn, model: str) -> JsonObject:
    """Requests with settings and content that this dialect alone can express; ``model`` decides how thinking is set."""
    contents: list[JsonObject] = []
    for number in range(draw(st.integers(0, 2))):
        contents.append({"role": "user", "parts": draw(_user_part_lists())})
        called, parts = draw(_calls_and_model_parts(number))
        contents.append({"role": "model", "parts": parts})
        if called:
            results = [_function_response(call, draw(_response_objects())) for call in called]
            contents.append({"role": "user", "parts": results})
    contents.append({"role": "user", "parts": draw(_user_part_lists())})
    body: JsonObject = {"contents": contents}
    config = draw(_generation_configs(model))
    if config:
        body["generationConfig"] = config
    if draw(st.booleans()):
        texts = draw(st.lists(TEXTS, min_size=1, max_size=2))
        body["systemInstruction"] = {"parts": [{"text": text} for text in texts]}
    if draw(st.booleans()) or any("functionCall" in part for content in contents for part in objs(content["parts"])):
        names = (*TOOLS, "files.read")
        body["tools"] = [{"functionDeclarations": [_function_declaration(name, draw(st.booleans())) for name in names]}]
        body |= draw(_tool_config_settings())
    return body


def _user_part_lists() -> st.SearchStrategy[list[JsonObject]]:
    texts: st.SearchStrategy[JsonObject] = TEXTS.map(lambda text: {"text": text})
    return st.lists(texts | st.sampled_from([_IMAGE, _AUDIO, _PDF]), min_size=1, max_size=3).filter(
        lambda parts: any("text" in part for part in parts)
    )


@st.composite
def _calls_and_model_parts(draw: st.DrawFn, number: int) -> tuple[list[JsonObject], list[JsonObject]]:
    """The calls of a turn of the model, and all its parts. All calls have an id, or none has, as in older models."""
    drawn_calls = draw(DRAWN_CALLS)
    with_ids = draw(st.booleans())
    calls: list[JsonObject] = []
    for index, (name, args) in enumerate(drawn_calls):
        calls.append({"name": name, "args": args, **({"id": f"call_{number}_{index}"} if with_ids else {})})
    parts: list[JsonObject] = [{"functionCall": call} for call in calls]
    signed, has_text = draw(st.booleans()), draw(st.booleans())
    if parts and signed:
        parts[0]["thoughtSignature"] = SIGNATURE
    if not parts or has_text:
        parts.insert(0, {"text": draw(TEXTS)})
    return calls, parts


def _function_response(call: JsonObject, response: JsonObject) -> JsonObject:
    identity: JsonObject = {key: call[key] for key in ("id", "name") if key in call}
    return {"functionResponse": {**identity, "response": response}}


@st.composite
def _response_objects(draw: st.DrawFn) -> JsonObject:
    """Results under one of the usual keys, or any object."""
    wrap = draw(st.sampled_from(["output", "result", "error", ""]))
    return {wrap: draw(TEXTS)} if wrap else draw(ARGUMENTS)


def _function_declaration(name: str, has_openapi_schema: bool) -> JsonObject:
    schema: JsonObject = {"parameters": _OPENAPI_SCHEMA} if has_openapi_schema else {"parametersJsonSchema": SCHEMA}
    return {"name": name, "description": "d", **schema}


@st.composite
def _tool_config_settings(draw: st.DrawFn) -> JsonObject:
    mode = draw(st.sampled_from(["", "AUTO", "ANY", "NONE", "VALIDATED"]))
    allowed = draw(st.lists(TOOL_NAMES, max_size=2, unique=True)) if mode == "ANY" else []
    calling: JsonObject = {"mode": mode, **({"allowedFunctionNames": allowed} if allowed else {})}
    return {"toolConfig": {"functionCallingConfig": calling}} if mode else {}


def _generation_configs(model: str) -> st.SearchStrategy[JsonObject]:
    settings: dict[str, st.SearchStrategy[object]] = {
        "temperature": st.sampled_from([0, 0.3, 1]), "topP": st.sampled_from([0.1, 1]), "topK": st.integers(1, 40),
        "maxOutputTokens": st.integers(1, 8000), "seed": st.integers(0, 2**31 - 1),
        "presencePenalty": st.sampled_from([-1, 0, 0.5]), "frequencyPenalty": st.sampled_from([0, 1.5]),
        "stopSequences": st.lists(TEXTS, min_size=1, max_size=3, unique=True),
        "thinkingConfig": st.sampled_from(_LEVELS if "gemini-3" in model else _BUDGETS),
        "responseMimeType": st.sampled_from(["text/plain", "application/json"]),
    }  # fmt: skip
    return st.fixed_dictionaries({}, optional=settings)


@st.composite
def native_answers(draw: st.DrawFn) -> JsonObject:
    """Unary documents with content that this dialect alone can express."""
    parts = draw(_answer_parts())
    calls = any("functionCall" in part for part in parts)
    ends = ["STOP"] if calls else ["STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "PROHIBITED_CONTENT"]
    return {
        "candidates": [_candidate(parts, draw(st.sampled_from(ends)))],
        "usageMetadata": draw(_usages()), "modelVersion": MODEL,
        **({"responseId": "resp-1"} if draw(st.booleans()) else {}),
    }  # fmt: skip


@st.composite
def _answer_parts(draw: st.DrawFn) -> list[JsonObject]:
    texts = st.lists(TEXTS, max_size=2)
    parts: list[JsonObject] = [{"text": text, "thought": True} for text in draw(texts)]
    visible: list[JsonObject] = [{"text": text} for text in draw(texts)]
    called: list[JsonObject] = []
    for name, args in draw(DRAWN_CALLS):
        call_id = {"id": f"call_{len(called)}"} if draw(st.booleans()) else {}
        called.append({"functionCall": {"name": name, "args": args, **call_id}})
    signed, has_image, has_text = (draw(st.booleans()) for _ in range(3))
    if called and signed:
        called[0]["thoughtSignature"] = SIGNATURE
    elif visible and signed:
        visible.append({"text": "", "thoughtSignature": SIGNATURE})
    if has_image and not called:
        visible.append(_IMAGE)
    if called and has_text:
        called.append({"text": draw(TEXTS)})
    return parts + visible + called or [{"text": draw(TEXTS)}]


@st.composite
def _usages(draw: st.DrawFn) -> JsonObject:
    """Counts that add up; a count of 0 is omitted, as Gemini does."""
    prompt, answer = draw(st.integers(1, 10**5)), draw(st.integers(1, 10**5))
    thoughts, tool_use = (draw(st.just(0) | st.integers(1, 10**4)) for _ in range(2))
    cached = draw(st.just(0) | st.integers(1, prompt))
    counts = {
        "promptTokenCount": prompt, "candidatesTokenCount": answer,
        "totalTokenCount": prompt + answer + thoughts + tool_use, "thoughtsTokenCount": thoughts,
        "toolUsePromptTokenCount": tool_use, "cachedContentTokenCount": cached,
    }  # fmt: skip
    return {name: count for name, count in counts.items() if count}
