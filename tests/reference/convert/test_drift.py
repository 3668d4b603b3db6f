"""The fields and enum values of the SDKs' types that the converters know: a release that adds one fails here, by name.

A name that is new gets its place in the converters first, then its line here. Beside the pinned names: every setting,
part and tool that google-genai can express either changes the converted request or is recorded as a loss.
"""

from typing import get_args

import pytest
from google.genai import types as google
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat import chat_completion as answer
from openai.types.chat import chat_completion_chunk as chunk
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import BaseModel

from bridgecheck_reference.convert.gemini import finish
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.convert.json_values import camel_key

from .samples import Json, model, paths, user

FIELDS: list[tuple[type[BaseModel], str]] = [
    (google.Part, ("audio_metadata audio_transcription code_execution_result document_metadata executable_code "
     "file_data function_call function_response inline_data media_processing media_resolution part_metadata "
     "speech_metadata spreadsheet_metadata text thought thought_signature tool_call tool_response video_metadata")),
    (google.FunctionCall, "args id name partial_args will_continue"),
    (google.FunctionResponse, "id name parts response scheduling will_continue"),
    (google.FunctionDeclaration, ("behavior description name parameters parameters_json_schema response "
     "response_json_schema")),
    (google.Tool, ("code_execution computer_use enterprise_web_search exa_ai_search file_search function_declarations "
     "google_maps google_search google_search_retrieval mcp_servers parallel_ai_search retrieval url_context")),
    (google.FunctionCallingConfig, "allowed_function_names mode stream_function_call_arguments"),
    (google.ThinkingConfig, "include_thoughts thinking_budget thinking_level"),
    (google.Candidate, ("avg_logprobs citation_metadata content continuation_token finish_message finish_reason "
     "grounding_metadata index logprobs_result safety_ratings token_count url_context_metadata")),
    (google.GenerateContentResponse, ("automatic_function_calling_history candidates create_time model_status "
     "model_version parsed prompt_feedback response_id sdk_http_response usage_metadata")),
    (google.GenerateContentResponseUsageMetadata, ("cache_tokens_details cached_content_token_count "
     "candidates_token_count candidates_tokens_details prompt_token_count prompt_tokens_details thoughts_token_count "
     "tool_use_prompt_token_count tool_use_prompt_tokens_details total_token_count traffic_type")),
    (ChatCompletion, "choices created id metadata model moderation object service_tier system_fingerprint usage"),
    (ChatCompletionChunk, ("choices created id model moderation obfuscation object service_tier system_fingerprint "
     "usage")),
    (ChatCompletionMessage, "annotations audio content function_call refusal role tool_calls"),
    (chunk.ChoiceDelta, "audio content function_call refusal role tool_calls"),
    (chunk.ChoiceDeltaToolCall, "function id index type"),
    (CompletionUsage, "completion_tokens completion_tokens_details prompt_tokens prompt_tokens_details total_tokens"),
]  # fmt: skip

FINISH = (
    "BLOCKLIST CONTINUATION ESCALATION FINISH_REASON_UNSPECIFIED IMAGE_OTHER IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION "
    "IMAGE_SAFETY LANGUAGE MALFORMED_FUNCTION_CALL MALFORMED_RESPONSE MAX_TOKENS MISSING_THOUGHT_SIGNATURE MODEL_ARMOR "
    "NO_IMAGE OTHER PROHIBITED_CONTENT PUP_LIMITED_DISABLED RECITATION SAFETY SPII STOP TOO_MANY_TOOL_CALLS "
    "UNEXPECTED_TOOL_CALL"
)
ENUM_VALUES: list[tuple[type, str]] = [
    (google.FinishReason, FINISH),
    (google.FunctionCallingConfigMode, "ANY AUTO MODE_UNSPECIFIED NONE VALIDATED"),
    (google.ThinkingLevel, "HIGH LOW MEDIUM MINIMAL THINKING_LEVEL_UNSPECIFIED XHIGH"),
]

FOR_THE_SDK = {"http_options", "should_return_http_response", "automatic_function_calling"}
"""Members of the SDK's config that never reach the wire."""
TESTED_SEPARATELY = {"system_instruction", "tools", "tool_config"}

OF_THE_CALL = {"messages", "model", "tool_choice", "stream_options"}
"""Members of every request, tested elsewhere, or about the answer."""

SAMPLES: Json = {"temperature": 0.5, "top_p": 0.5, "top_k": 3, "candidate_count": 2, "max_output_tokens": 9, "seed": 1,
                 "stop_sequences": ["a"], "presence_penalty": 0.5, "frequency_penalty": 0.5, "response_logprobs": True,
                 "logprobs": 2, "response_mime_type": "application/json", "response_schema": {"type": "OBJECT"},
                 "response_json_schema": {"type": "object"}, "response_modalities": ["IMAGE"],
                 "thinking_config": {"thinking_budget": 100}}  # fmt: skip
PART_SAMPLES: Json = {"text": "x", "thought": True, "thought_signature": "c2ln",
                      "inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="},
                      "file_data": {"mime_type": "image/png", "file_uri": "https://example.com/a.png"},
                      "function_call": {"name": "f", "args": {}}, "function_response": {"name": "f", "response": {}},
                      "executable_code": {"code": "1", "language": "PYTHON"},
                      "code_execution_result": {"outcome": "OUTCOME_OK", "output": "1"}}  # fmt: skip


@pytest.mark.row("S1.56")
@pytest.mark.parametrize(("kind", "names"), FIELDS, ids=[kind.__name__ for kind, _ in FIELDS])
def test_fields_of_types(kind: type[BaseModel], names: str) -> None:
    assert set(kind.model_fields) == set(names.split())


@pytest.mark.row("S1.56")
@pytest.mark.parametrize(("kind", "values"), ENUM_VALUES, ids=[kind.__name__ for kind, _ in ENUM_VALUES])
def test_enum_values(kind: type, values: str) -> None:
    assert {item.value for item in kind} == set(values.split())


@pytest.mark.row("S1.56", "S1.17")
def test_every_finish_reason_is_mapped() -> None:
    assert set(FINISH.split()) <= set(finish.FROM_GEMINI)
    known = get_args(answer.Choice.model_fields["finish_reason"].annotation)
    assert set(known) == {"stop", "length", "tool_calls", "content_filter", "function_call"}
    assert {finish.to_openai(value, calls) for value in FINISH.split() for calls in (True, False)} <= {*known, "error"}


@pytest.mark.row("S1.13", "S1.56")
@pytest.mark.parametrize(
    "name", sorted(set(google.GenerateContentConfig.model_fields) - FOR_THE_SDK - TESTED_SEPARATELY)
)
def test_every_setting_of_gemini_is_converted_or_a_loss(name: str) -> None:
    plain = gemini_request_to_openai({"contents": [user("x")]}, model="m")
    body = {"contents": [user("x")], "generationConfig": {camel_key(name): SAMPLES.get(name, {"a": 1})}}
    converted = gemini_request_to_openai(body, model="m")
    assert converted.value != plain.value or camel_key(name) in str(paths(converted.losses))


@pytest.mark.row("S1.13", "S1.56")
@pytest.mark.parametrize("name", sorted(set(CompletionCreateParamsNonStreaming.__annotations__) - OF_THE_CALL))
def test_every_parameter_of_openai_is_converted_or_a_loss(name: str) -> None:
    messages = [{"role": "user", "content": "x"}]
    plain = openai_request_to_gemini({"model": "m", "messages": messages})
    sample: Json = {
        "stream": True,
        "function_call": {"name": "f"},
        "functions": [{"name": "f"}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "reasoning_effort": "high",
        "response_format": {"type": "json_object"},
        "modalities": ["image"],
        "stop": "a",
        "parallel_tool_calls": False,
    }
    request: Json = {"model": "gemini-3", "messages": messages, name: sample.get(name, 1)}
    if name == "function_call":
        request["functions"] = sample["functions"]
    converted = openai_request_to_gemini(request)
    assert converted.value != plain.value or converted.meta["stream"] or name in str(paths(converted.losses))


@pytest.mark.row("S1.56")
@pytest.mark.parametrize("name", sorted(google.Part.model_fields))
def test_every_part_of_gemini_is_converted_or_a_loss(name: str) -> None:
    sample = {camel_key(name): PART_SAMPLES.get(name, {"a": 1})}
    part = sample if name not in ("thought", "thought_signature") else {"text": "y", **sample}
    before = [{"functionCall": {"name": "f", "args": {}}}] if name == "function_response" else []
    bare = gemini_request_to_openai(
        {"contents": [user("x"), model(*before, {"text": "y"} if part is not sample else {})]}, model="m"
    )
    converted = gemini_request_to_openai({"contents": [user("x"), model(*before, part)]}, model="m")
    assert converted.value != bare.value or converted.losses


@pytest.mark.row("S1.56")
@pytest.mark.parametrize("name", sorted(set(google.Tool.model_fields) - {"function_declarations"}))
def test_every_tool_of_gemini_is_converted_or_a_loss(name: str) -> None:
    converted = gemini_request_to_openai({"contents": [user("x")], "tools": [{camel_key(name): {}}]}, model="m")
    assert converted.value.get("tools") or camel_key(name) in str(paths(converted.losses))
