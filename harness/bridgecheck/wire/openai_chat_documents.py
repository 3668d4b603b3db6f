"""OpenAI Chat Completions, requests and answers, as JSON objects.

Required keys are those the official clients rely on; hosts of the dialect leave some of them out, and that is worth
telling. Objects are open. Keys that only hosts add are named where they are widespread.
Sources: https://platform.openai.com/docs/api-reference/chat/object,
https://platform.openai.com/docs/api-reference/chat-streaming, openai 3.52.0 ``openai.types.chat``."""

import re
from typing import Final, Literal, Required

from typing_extensions import TypedDict

from bridgecheck.wire import JsonObject
from bridgecheck.wire.dialect import DialectRecord, Framing, OperationPattern, SdkPackage

RECORD: Final = DialectRecord(
    name="openai-chat", title="OpenAI Chat", letter="O", host="api.openai.com", domain="openai.com", base_path="/v1",
    paths={"unary": "/chat/completions", "stream": "/chat/completions"},
    endpoints=(
        OperationPattern(re.compile(r"/chat/completions$"), "generate"),
        OperationPattern(re.compile(r"/embeddings$"), "embed"),
        OperationPattern(re.compile(r"/responses$"), "other"),
        OperationPattern(re.compile(r"/completions$"), "other"),
    ),
    served_paths=re.compile(
        r"(?:/v1|/openai/deployments/[^/]+|/v1beta/openai|/v1(?:beta1)?/projects/[^/]+/locations/[^/]+/endpoints/[^/]+)"
        r"/chat/completions"),
    key_header="authorization", key_prefix="Bearer ", arguments_are_text=True,
    stream_members=("stream", "stream_options"), usage_members={"stream_options": {"include_usage": True}},
    smallest_request={"messages": [{"role": "user", "content": "Hello"}]},
    function_name=re.compile(r"[A-Za-z0-9_-]{1,64}"), example_model="gpt-4o", framing=Framing(done_marker="[DONE]"),
    shared_members=("id", "model", "created"), sdk=SdkPackage("openai", "openai"),
    recording_labels=("openai", "openai-compatible"),
)  # fmt: skip
"""``stream_options`` is refused without ``stream``. No client reads what follows [DONE] (openai 3.52.0 stops there).
The Responses API is another dialect, which is not judged yet.
Source: https://platform.openai.com/docs/api-reference/chat/create."""


class Function(TypedDict, total=False):
    """``arguments``: JSON as text, never an object."""

    name: Required[str]
    arguments: Required[str]


class ToolCall(TypedDict, total=False):
    id: Required[str]
    type: Required[Literal["function"]]
    function: Required[Function]
    extra_content: JsonObject


class Custom(TypedDict, total=False):
    name: Required[str]
    input: Required[str]


class CustomToolCall(TypedDict, total=False):
    id: Required[str]
    type: Required[Literal["custom"]]
    custom: Required[Custom]


class Audio(TypedDict, total=False):
    """Spoken output; ``data`` is base64."""

    id: str
    data: str
    transcript: str
    expires_at: int


class Message(TypedDict, total=False):
    """An assistant's answer. ``content`` null or absent: it only calls tools, refuses or speaks. ``tool_calls`` are
    checked one by one, by their type."""

    role: Required[Literal["assistant"]]
    content: str | None
    refusal: str | None
    tool_calls: list[JsonObject] | None
    function_call: Function | None
    audio: Audio | None
    annotations: list[JsonObject] | None
    reasoning_content: str | None
    reasoning: str | None
    reasoning_details: list[JsonObject] | None


class TokenDetails(TypedDict, total=False):
    cached_tokens: int | None
    cache_write_tokens: int | None
    reasoning_tokens: int | None
    audio_tokens: int | None
    text_tokens: int | None
    image_tokens: int | None
    accepted_prediction_tokens: int | None
    rejected_prediction_tokens: int | None


class Usage(TypedDict, total=False):
    """``completion_tokens`` includes reasoning, ``prompt_tokens`` what was cached."""

    prompt_tokens: Required[int]
    completion_tokens: Required[int]
    total_tokens: Required[int]
    prompt_tokens_details: TokenDetails | None
    completion_tokens_details: TokenDetails | None


class Choice(TypedDict, total=False):
    index: Required[int]
    message: Required[Message]
    finish_reason: Required[str | None]
    logprobs: JsonObject | None


class ChatCompletion(TypedDict, total=False):
    """``created``: seconds since 1970."""

    id: Required[str]
    object: Required[Literal["chat.completion"]]
    created: Required[int]
    model: Required[str]
    choices: Required[list[Choice]]
    usage: Usage | None
    system_fingerprint: str | None
    service_tier: str | None
    metadata: JsonObject | None
    moderation: JsonObject | None


class FunctionDelta(TypedDict, total=False):
    name: str | None
    arguments: str | None


class ToolCallDelta(TypedDict, total=False):
    """``index`` says which call goes on; without it the official stream helpers raise."""

    index: Required[int]
    id: str | None
    type: str | None
    function: FunctionDelta


class Delta(TypedDict, total=False):
    role: str | None
    content: str | None
    refusal: str | None
    tool_calls: list[ToolCallDelta] | None
    function_call: FunctionDelta | None
    audio: Audio | None
    reasoning_content: str | None
    reasoning: str | None
    reasoning_details: list[JsonObject] | None


class ChunkChoice(TypedDict, total=False):
    index: Required[int]
    delta: Required[Delta]
    finish_reason: str | None
    logprobs: JsonObject | None


class ChatCompletionChunk(TypedDict, total=False):
    """``choices`` [] in the chunk that carries the usage."""

    id: Required[str]
    object: Required[Literal["chat.completion.chunk"]]
    created: Required[int]
    model: Required[str]
    choices: Required[list[ChunkChoice]]
    usage: Usage | None
    system_fingerprint: str | None
    service_tier: str | None
    obfuscation: str
    moderation: JsonObject | None


class ErrorBody(TypedDict, total=False):
    """``code``: a word or null; hosts also write the HTTP status here."""

    message: Required[str]
    type: str | None
    param: str | None
    code: str | int | None


class ErrorDocument(TypedDict):
    error: ErrorBody


class TextContent(TypedDict, total=False):
    type: Required[Literal["text"]]
    text: Required[str]


class ImageUrl(TypedDict, total=False):
    url: Required[str]
    detail: str


class ImageContent(TypedDict, total=False):
    type: Required[Literal["image_url"]]
    image_url: Required[ImageUrl]


class InputAudio(TypedDict):
    data: str
    format: str


class AudioContent(TypedDict, total=False):
    type: Required[Literal["input_audio"]]
    input_audio: Required[InputAudio]


class FileReference(TypedDict, total=False):
    file_data: str
    file_id: str
    filename: str


class FileContent(TypedDict, total=False):
    type: Required[Literal["file"]]
    file: Required[FileReference]


class RefusalContent(TypedDict, total=False):
    type: Required[Literal["refusal"]]
    refusal: Required[str]


class SystemMessage(TypedDict, total=False):
    """``content``: text, or text parts."""

    role: Required[Literal["system", "developer"]]
    content: Required[str | list[JsonObject]]
    name: str | None


class UserMessage(TypedDict, total=False):
    role: Required[Literal["user"]]
    content: Required[str | list[JsonObject]]
    name: str | None


class AssistantMessage(TypedDict, total=False):
    role: Required[Literal["assistant"]]
    content: str | list[JsonObject] | None
    refusal: str | None
    tool_calls: list[JsonObject] | None
    function_call: Function | None
    audio: JsonObject | None
    name: str | None


class ToolMessage(TypedDict, total=False):
    """``tool_call_id``: the call this is the result of."""

    role: Required[Literal["tool"]]
    content: Required[str | list[JsonObject]]
    tool_call_id: Required[str]


class FunctionMessage(TypedDict, total=False):
    """Deprecated."""

    role: Required[Literal["function"]]
    content: Required[str | None]
    name: Required[str]


class FunctionDefinition(TypedDict, total=False):
    name: Required[str]
    description: str
    parameters: JsonObject | None
    strict: bool | None


class Tool(TypedDict, total=False):
    """``function`` is there for type ``function``; other types have keys of their own."""

    type: Required[str]
    function: FunctionDefinition
    custom: JsonObject


class StreamOptions(TypedDict, total=False):
    include_usage: bool
    include_obfuscation: bool


class ChatRequest(TypedDict, total=False):
    """``messages`` and their parts are checked one by one, by role and type."""

    model: Required[str]
    messages: Required[list[JsonObject]]
    tools: list[Tool] | None
    tool_choice: str | JsonObject | None
    parallel_tool_calls: bool | None
    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    max_completion_tokens: int | None
    stop: str | list[str] | None
    seed: int | None
    n: int | None
    presence_penalty: float | None
    frequency_penalty: float | None
    logprobs: bool | None
    top_logprobs: int | None
    response_format: JsonObject | None
    reasoning_effort: str | None
    stream: bool | None
    stream_options: StreamOptions | None
    user: str | None
    functions: list[JsonObject] | None
    metadata: JsonObject | None
    store: bool | None
    service_tier: str | None
    verbosity: str | None
    logit_bias: JsonObject | None
    prediction: JsonObject | None
    modalities: list[str] | None
    audio: JsonObject | None
    safety_identifier: str | None
    prompt_cache_key: str | None
    prompt_cache_retention: str | None
    prompt_cache_options: JsonObject | None
    moderation: JsonObject | None
    web_search_options: JsonObject | None
