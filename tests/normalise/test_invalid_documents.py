"""No document makes a normaliser raise, change its input or lose a leaf."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgecheck import normalise, validate
from bridgecheck.model.exchange import Request, Response
from bridgecheck.wire import DIALECTS, Dialect

KEYS = {
    "gemini": (
        "candidates content parts role text thought thoughtSignature functionCall functionResponse name args id response "
        "partialArgs willContinue jsonPath stringValue inlineData fileData mimeType data fileUri executableCode code "
        "finishReason index usageMetadata promptTokenCount promptFeedback blockReason error status details retryDelay "
        "contents systemInstruction tools functionDeclarations parameters generationConfig thinkingConfig toolConfig "
        "functionCallingConfig mode allowedFunctionNames groundingMetadata groundingChunks stopSequences"
    ),
    "openai-chat": (
        "choices index delta message role content tool_calls function name arguments id type custom input function_call "
        "finish_reason reasoning reasoning_content reasoning_details text summary data signature refusal audio images "
        "image_url url annotations citations usage prompt_tokens completion_tokens total_tokens prompt_tokens_details "
        "cached_tokens x_groq error code messages tool_call_id tools parameters tool_choice response_format json_schema "
        "reasoning_effort thinking stop extra_content google thought_signature"
    ),
    "anthropic": (
        "type index message content_block delta usage content role text thinking signature data id name input citations "
        "citation partial_json stop_reason stop_sequence error messages system source media_type url tool_use_id is_error "
        "tools input_schema tool_choice output_config format schema effort budget_tokens input_tokens output_tokens"
    ),
}
STRINGS = (
    "text tool_use thinking redacted_thinking message_start content_block_start content_block_delta message_delta error "
    "text_delta input_json_delta function image_url file user model assistant tool system STOP stop $.a[0] {} [1] AA=="
)
SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.floats(allow_nan=False) | st.sampled_from(STRINGS.split())


def documents(dialect: Dialect) -> st.SearchStrategy[object]:
    keys = st.sampled_from(KEYS[dialect].split())
    return st.recursive(
        SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=6), max_leaves=20
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data(), status=st.sampled_from([200, 400, 503]))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_no_response_document_breaks_a_normaliser(dialect: Dialect, data: st.DataObject, status: int) -> None:
    events = tuple(data.draw(st.lists(documents(dialect), max_size=3)))
    before = json.dumps(events)
    for mode in ("unary", "stream"):
        made = normalise.response(Response(dialect, mode, events, status))
        assert made.dialect == dialect
        assert (made.error is not None) or status < 400
        for event in events:
            validate.response(dialect, mode, event)
    assert json.dumps(events) == before


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
@settings(max_examples=40, deadline=None, derandomize=True)
def test_a_stream_and_its_fold_have_the_same_outcome(dialect: Dialect, data: st.DataObject) -> None:
    keys = st.sampled_from(KEYS[dialect].split())
    events = tuple(data.draw(st.lists(st.dictionaries(keys, documents(dialect), min_size=1), min_size=1, max_size=3)))
    streamed = normalise.response(Response(dialect, "stream", events))
    folded = normalise.response(Response(dialect, "unary", (normalise.fold(dialect, events),)))
    assert replace(streamed, notes=()) == replace(folded, notes=())


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
@settings(max_examples=40, deadline=None, derandomize=True)
def test_no_request_document_breaks_a_normaliser(dialect: Dialect, data: st.DataObject) -> None:
    keys = st.sampled_from(KEYS[dialect].split())
    body = data.draw(st.dictionaries(keys, documents(dialect), max_size=6))
    before = json.dumps(body)
    assert normalise.request(Request(dialect, "unary", body)).dialect == dialect
    validate.request(dialect, body)
    assert json.dumps(body) == before


def test_invalid_candidates_do_not_hide_valid_ones() -> None:
    events = ({"candidates": False}, {"candidates": [{"finishReason": "STOP"}]})
    folded = normalise.fold("gemini", events)
    assert folded["candidates"] == [{"index": 0, "finishReason": "STOP"}]
    assert folded["unread"] == [False]
