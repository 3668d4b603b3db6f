"""Properties of any input: where a stream is cut makes no difference, and no document makes a converter crash."""

import json
from collections.abc import Callable
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream
from bridgecheck_reference.convert.pairs import PAIRS
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.types.conversion import Machine

from .samples import Json, chunk, event
from .with_habits import ALL_PROFILES, convert_request, convert_response, open_stream

TEXTS = st.text(max_size=12)
VALUES = st.none() | st.booleans() | st.integers() | TEXTS
ARGUMENTS = st.dictionaries(TEXTS, VALUES | st.lists(VALUES, max_size=3), max_size=4)


def pieces(data: st.DataObject, whole: str) -> list[str]:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    return [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


@given(st.data(), ARGUMENTS, TEXTS)
def test_how_an_openai_stream_is_cut_makes_no_difference(data: st.DataObject, arguments: Json, text_value: str) -> None:
    stream = OpenAIToGeminiStream()
    head = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}
    chunks = [chunk({"tool_calls": [head]})]
    chunks += [
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        for piece in pieces(data, json.dumps(arguments))
    ]
    chunks += [chunk({"content": piece}) for piece in pieces(data, text_value)]
    events = [made for item in chunks for made in stream.feed(item)]
    events += stream.feed(chunk({}, "tool_calls")) + stream.close()
    parts = [part for item in events for c in item["candidates"] for part in c.get("content", {}).get("parts", [])]
    assert "".join(part.get("text", "") for part in parts) == text_value
    assert [part["functionCall"]["args"] for part in parts if "functionCall" in part] == [arguments]


@given(st.data(), st.lists(ARGUMENTS, max_size=3), TEXTS)
def test_how_a_gemini_stream_is_cut_makes_no_difference(
    data: st.DataObject, calls: list[Json], text_value: str
) -> None:
    stream = GeminiToOpenAIStream()
    parts: list[Json] = [{"text": piece} for piece in pieces(data, text_value)]
    parts += [{"functionCall": {"name": "f", "args": arguments}} for arguments in calls]
    chunks: list[Json] = []
    while parts:
        size = data.draw(st.integers(1, len(parts)))
        chunks += stream.feed(event(*parts[:size]))
        parts = parts[size:]
    chunks += stream.feed(event(finish="STOP")) + stream.close()
    deltas = [choice["delta"] for item in chunks for choice in item["choices"]]
    made = [call for delta in deltas for call in delta.get("tool_calls", [])]
    assert "".join(delta.get("content", "") for delta in deltas) == text_value
    assert [json.loads(call["function"]["arguments"]) for call in made] == calls
    assert [call["index"] for call in made] == list(range(len(calls)))


KEYS = st.sampled_from([
    "candidates", "content", "parts", "text", "thought", "functionCall", "functionResponse", "name", "args", "id", "role",
    "inlineData", "mimeType", "data", "finishReason", "usageMetadata", "promptTokenCount", "index", "promptFeedback",
    "contents", "systemInstruction", "tools", "functionDeclarations", "parameters", "type", "properties", "toolConfig",
    "generationConfig", "thinkingConfig", "choices", "delta", "message", "tool_calls", "function", "arguments", "messages",
    "tool_call_id", "usage", "prompt_tokens", "finish_reason", "error", "code", "extra_content", "google", "response",
    "response_format", "json_schema", "schema", "logprobs", "images", "audio", "reasoning_details", "image_url", "url",
    "function_call", "thoughtSignature", "partialArgs", "willContinue", "jsonPath", "stringValue", "content_filter", "top_logprobs",
    "logprobsResult", "chosenCandidates", "token", "completion_tokens_details", "reasoning_tokens", "tool_choice", "stop", "items",
])  # fmt: skip
SCALARS = VALUES | st.sampled_from(
    ["user", "model", "assistant", "tool", "function", "STOP", "OBJECT", "text", "data:,x"]
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)
OBJECTS = st.dictionaries(KEYS, ANYTHING, max_size=5)


def short_lists(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[list[Json]]:
    return st.lists(inner, min_size=1, max_size=3)


def objects_with(key: str, inner: st.SearchStrategy[object]) -> st.SearchStrategy[Json]:
    """Any object with a valid member of this name."""
    return st.tuples(OBJECTS, inner).map(lambda pair: {**pair[0], key: pair[1]})


PART = (OBJECTS | objects_with("functionCall", OBJECTS) | objects_with("functionResponse", OBJECTS) | objects_with("inlineData", OBJECTS)
        | objects_with("text", TEXTS))  # fmt: skip
CONTENT = objects_with("parts", short_lists(PART))
CALLS = short_lists(objects_with("function", OBJECTS | objects_with("name", TEXTS)))
MESSAGE = (OBJECTS | objects_with("tool_calls", CALLS) | objects_with("content", short_lists(OBJECTS))).flatmap(
    lambda message: st.sampled_from(["user", "assistant", "system", "tool"]).map(lambda role: {**message, "role": role})
)
DOCUMENTS = (
    OBJECTS
    | objects_with("contents", short_lists(CONTENT))
    | objects_with("tools", short_lists(objects_with("functionDeclarations", short_lists(objects_with("name", TEXTS)))))
    | objects_with("messages", short_lists(MESSAGE))
    | objects_with("candidates", short_lists(objects_with("content", CONTENT)))
    | objects_with("choices", short_lists(objects_with("delta", MESSAGE) | objects_with("message", MESSAGE)))
)


def refuses_without_a_field(convert: Callable[[], object]) -> bool:
    """Run a conversion, and return whether it was refused without naming a field. Other exceptions pass."""
    try:
        convert()
    except ConversionError as refusal:
        return not refusal.field
    return False


def run(stream: Machine, document: Json) -> list[Json]:
    return stream.feed(document) + stream.close()


@settings(max_examples=max(60, settings.default.max_examples), deadline=None)
@given(DOCUMENTS, st.sampled_from(sorted(ALL_PROFILES)))
def test_no_document_makes_a_converter_crash(document: Json, name: str) -> None:
    profile = ALL_PROFILES[name]
    conversions: list[Callable[[], object]] = []
    for client, upstream in PAIRS:
        conversions += [
            partial(convert_request, client, upstream, document, profile, "m"),
            partial(convert_response, client, upstream, document, profile),
            partial(run, open_stream(client, upstream, profile), document),
        ]
    assert not any(refuses_without_a_field(convert) for convert in conversions)
