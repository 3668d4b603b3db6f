"""What Gemini alone can say, or says in its own way, generated: requests and whole answers.

Shapes are those of https://ai.google.dev/api/generate-content and of recorded traffic; no two that the API refuses
together stand in one document.
"""

from typing import Final

from hypothesis import strategies as st

from bridgecheck.fuzz.meaning import ARGUMENTS, MODEL, NAMES, PIXEL, SCHEMA, SIGNATURE, TOOLS, WORDS
from bridgecheck.model.jsonvalue import objs
from bridgecheck.wire import JsonObject

_TYPED: Final[JsonObject] = {
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
_SOUND: Final[JsonObject] = {"inlineData": {"mimeType": "audio/wav", "data": "UklGRgAAAABXQVZF"}}
_PAPER: Final[JsonObject] = {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0xLjQK"}}


_BUDGETS: Final[list[JsonObject]] = [{"thinkingBudget": budget} for budget in (0, 2000, 9000, -1)]
_LEVELS: Final[list[JsonObject]] = [{"thinkingLevel": level} for level in ("low", "high")]


@st.composite
def requests(draw: st.DrawFn, model: str) -> JsonObject:
    contents: list[JsonObject] = []
    for number in range(draw(st.integers(0, 2))):
        contents.append({"role": "user", "parts": draw(_asked())})
        called, parts = draw(_step(number))
        contents.append({"role": "model", "parts": parts})
        if called:
            contents.append({"role": "user", "parts": [_result(call, draw(_responses())) for call in called]})
    contents.append({"role": "user", "parts": draw(_asked())})
    body: JsonObject = {"contents": contents}
    config = draw(_configs(model))
    if config:
        body["generationConfig"] = config
    if draw(st.booleans()):
        body["systemInstruction"] = {
            "parts": [{"text": words} for words in draw(st.lists(WORDS, min_size=1, max_size=2))]
        }
    if draw(st.booleans()) or any("functionCall" in part for content in contents for part in objs(content["parts"])):
        body["tools"] = [
            {"functionDeclarations": [_declared(name, draw(st.booleans())) for name in (*TOOLS, "files.read")]}
        ]
        body |= draw(_choices())
    return body


def _asked() -> st.SearchStrategy[list[JsonObject]]:
    texts: st.SearchStrategy[JsonObject] = WORDS.map(lambda words: {"text": words})
    return st.lists(texts | st.sampled_from([_IMAGE, _SOUND, _PAPER]), min_size=1, max_size=3).filter(
        lambda parts: any("text" in part for part in parts)
    )


@st.composite
def _step(draw: st.DrawFn, number: int) -> tuple[list[JsonObject], list[JsonObject]]:
    """The calls of a turn of the model, and all its parts. Ids on all calls, or on none, as older models have it."""
    named = draw(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=3))
    with_ids = draw(st.booleans())
    calls: list[JsonObject] = []
    for index, (name, args) in enumerate(named):
        calls.append({"name": name, "args": args, **({"id": f"call_{number}_{index}"} if with_ids else {})})
    parts: list[JsonObject] = [{"functionCall": call} for call in calls]
    signed, talks = draw(st.booleans()), draw(st.booleans())
    if parts and signed:
        parts[0]["thoughtSignature"] = SIGNATURE
    if not parts or talks:
        parts.insert(0, {"text": draw(WORDS)})
    return calls, parts


def _result(call: JsonObject, response: JsonObject) -> JsonObject:
    named: JsonObject = {key: call[key] for key in ("id", "name") if key in call}
    return {"functionResponse": {**named, "response": response}}


@st.composite
def _responses(draw: st.DrawFn) -> JsonObject:
    """Wrapped in the ways that are common, or an object of one's own."""
    wrap = draw(st.sampled_from(["output", "result", "error", ""]))
    if not wrap:
        return draw(ARGUMENTS)
    return {wrap: draw(WORDS)}


def _declared(name: str, typed: bool) -> JsonObject:
    schema: JsonObject = {"parameters": _TYPED} if typed else {"parametersJsonSchema": SCHEMA}
    return {"name": name, "description": "d", **schema}


@st.composite
def _choices(draw: st.DrawFn) -> JsonObject:
    mode = draw(st.sampled_from(["", "AUTO", "ANY", "NONE", "VALIDATED"]))
    some = draw(st.lists(NAMES, max_size=2, unique=True)) if mode == "ANY" else []
    calling: JsonObject = {"mode": mode, **({"allowedFunctionNames": some} if some else {})}
    return {"toolConfig": {"functionCallingConfig": calling}} if mode else {}


def _configs(model: str) -> st.SearchStrategy[JsonObject]:
    settings: dict[str, st.SearchStrategy[object]] = {
        "temperature": st.sampled_from([0, 0.3, 1]),
        "topP": st.sampled_from([0.1, 1]),
        "topK": st.integers(1, 40),
        "maxOutputTokens": st.integers(1, 8000),
        "seed": st.integers(0, 2**31 - 1),
        "presencePenalty": st.sampled_from([-1, 0, 0.5]),
        "frequencyPenalty": st.sampled_from([0, 1.5]),
        "stopSequences": st.lists(WORDS, min_size=1, max_size=3, unique=True),
        "thinkingConfig": st.sampled_from(_LEVELS if "gemini-3" in model else _BUDGETS),
        "responseMimeType": st.sampled_from(["text/plain", "application/json"]),
    }
    return st.fixed_dictionaries({}, optional=settings)


@st.composite
def answers(draw: st.DrawFn) -> JsonObject:
    parts = draw(_parts())
    calls = any("functionCall" in part for part in parts)
    ends = ["STOP"] if calls else ["STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "PROHIBITED_CONTENT"]
    candidate: JsonObject = {
        "content": {"role": "model", "parts": parts},
        "finishReason": draw(st.sampled_from(ends)),
        "index": 0,
    }
    return {
        "candidates": [candidate],
        "usageMetadata": draw(_usages()),
        "modelVersion": MODEL,
        **({"responseId": "resp-1"} if draw(st.booleans()) else {}),
    }


@st.composite
def _parts(draw: st.DrawFn) -> list[JsonObject]:
    texts = st.lists(WORDS, max_size=2)
    parts: list[JsonObject] = [{"text": words, "thought": True} for words in draw(texts)]
    said: list[JsonObject] = [{"text": words} for words in draw(texts)]
    called: list[JsonObject] = []
    for name, args in draw(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=3)):
        id = {"id": f"call_{len(called)}"} if draw(st.booleans()) else {}
        called.append({"functionCall": {"name": name, "args": args, **id}})
    signed, drawn, talks = (draw(st.booleans()) for _ in range(3))
    if called and signed:
        called[0]["thoughtSignature"] = SIGNATURE
    elif said and signed:
        said.append({"text": "", "thoughtSignature": SIGNATURE})
    if drawn and not called:
        said.append(_IMAGE)
    if called and talks:
        called.append({"text": draw(WORDS)})
    return parts + said + called or [{"text": draw(WORDS)}]


@st.composite
def _usages(draw: st.DrawFn) -> JsonObject:
    """Counts that add up, and say nothing rather than 0, as Gemini's do."""
    prompt, answer = draw(st.integers(1, 10**5)), draw(st.integers(1, 10**5))
    thoughts, fed = (draw(st.just(0) | st.integers(1, 10**4)) for _ in range(2))
    cached = draw(st.just(0) | st.integers(1, prompt))
    counts = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": answer,
        "totalTokenCount": prompt + answer + thoughts + fed,
        "thoughtsTokenCount": thoughts,
        "toolUsePromptTokenCount": fed,
        "cachedContentTokenCount": cached,
    }
    return {name: count for name, count in counts.items() if count}
