"""The shape of a request in each API: which keys there are, of which type, and which have to be there.

Keys and types: the request types of google-genai 3.4.0, openai 3.52.0 and anthropic 2.11.0, and the keys that recorded
requests answered with 200 hold besides (2026-11-23). Gemini's API reads protobuf's JSON, which takes camelCase and
snake_case, null for every field, numbers as texts, and a single message in place of a list."""

import base64
import binascii
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    """An object without unknown keys, whose values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ProtoShape(Shape):
    """A message of protobuf in JSON."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, populate_by_name=True)


def _wrap_single(value: object) -> object:
    return [value] if isinstance(value, dict) else value


def decode_base64(text: str) -> bytes:
    """Return the bytes of a text in either alphabet, with or without padding. Raises ValueError if it is none."""
    standard = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except binascii.Error:
        raise ValueError("Base64 decoding failed") from None


def _check_base64(text: str) -> str:
    decode_base64(text)
    return text


Bytes: TypeAlias = Annotated[str, AfterValidator(_check_base64)]
Number: TypeAlias = int | float | str
Enum: TypeAlias = str | int
Json: TypeAlias = dict[str, Any]


# --- Gemini ---


class Blob(ProtoShape):
    mime_type: str | None = None
    data: Bytes | None = None
    display_name: str | None = None


class FileData(ProtoShape):
    mime_type: str | None = None
    file_uri: str | None = None
    display_name: str | None = None


class FunctionCall(ProtoShape):
    id: str | None = None
    name: str
    args: Json | None = None
    partial_args: list[Json] | None = None
    will_continue: bool | None = None


class FunctionResponsePart(ProtoShape):
    inline_data: Blob | None = None
    file_data: FileData | None = None


class FunctionResponse(ProtoShape):
    id: str | None = None
    name: str
    response: Json
    parts: Annotated[list[FunctionResponsePart], BeforeValidator(_wrap_single)] | None = None
    will_continue: bool | None = None
    scheduling: Enum | None = None


class Part(ProtoShape):
    text: str | None = None
    inline_data: Blob | None = None
    file_data: FileData | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    executable_code: Json | None = None
    code_execution_result: Json | None = None
    tool_call: Json | None = None
    tool_response: Json | None = None
    thought: bool | None = None
    thought_signature: Bytes | None = None
    part_metadata: Json | None = None
    video_metadata: Json | None = None
    media_resolution: Enum | Json | None = None
    audio_transcription: Json | None = None
    media_processing: Json | None = None


PART_DATA: Final = (
    "text", "inline_data", "file_data", "function_call", "function_response", "executable_code",
    "code_execution_result", "tool_call", "tool_response",
)  # fmt: skip
"""The fields of a part of which it holds exactly one."""


class Content(ProtoShape):
    role: str | None = None
    parts: Annotated[list[Part], BeforeValidator(_wrap_single)] | None = None


class Schema(ProtoShape):
    """The subset of OpenAPI that ``parameters`` and ``responseSchema`` take."""

    type: Enum | None = None
    format: str | None = None
    title: str | None = None
    description: str | None = None
    nullable: bool | None = None
    enum: list[str] | None = None
    max_items: Number | None = None
    min_items: Number | None = None
    properties: "dict[str, Schema] | None" = None
    required: list[str] | None = None
    min_properties: Number | None = None
    max_properties: Number | None = None
    min_length: Number | None = None
    max_length: Number | None = None
    pattern: str | None = None
    example: Any = None
    any_of: "list[Schema] | None" = None
    property_ordering: list[str] | None = None
    default: Any = None
    items: "Schema | None" = None
    minimum: Number | None = None
    maximum: Number | None = None


class FunctionDeclaration(ProtoShape):
    name: str
    description: str | None = None
    behavior: Enum | None = None
    parameters: Schema | None = None
    parameters_json_schema: Any = None
    response: Schema | None = None
    response_json_schema: Any = None


class Tool(ProtoShape):
    function_declarations: Annotated[list[FunctionDeclaration], BeforeValidator(_wrap_single)] | None = None
    google_search: Json | None = None
    google_search_retrieval: Json | None = None
    code_execution: Json | None = None
    url_context: Json | None = None
    file_search: Json | None = None
    computer_use: Json | None = None
    google_maps: Json | None = None
    enterprise_web_search: Json | None = None
    retrieval: Json | None = None
    mcp_servers: list[Json] | None = None


class FunctionCallingConfig(ProtoShape):
    mode: Enum | None = None
    allowed_function_names: list[str] | None = None
    stream_function_call_arguments: bool | None = None


class ToolConfig(ProtoShape):
    function_calling_config: FunctionCallingConfig | None = None
    retrieval_config: Json | None = None
    include_server_side_tool_invocations: bool | None = None


class ThinkingConfig(ProtoShape):
    include_thoughts: bool | None = None
    thinking_budget: Number | None = None
    thinking_level: Enum | None = None


class GenerationConfig(ProtoShape):
    stop_sequences: list[str] | None = None
    response_mime_type: str | None = None
    response_schema: Schema | None = None
    response_json_schema: Any = None
    response_format: Json | None = None
    response_modalities: list[Enum] | None = None
    candidate_count: Number | None = None
    max_output_tokens: Number | None = None
    temperature: Number | None = None
    top_p: Number | None = None
    top_k: Number | None = None
    seed: Number | None = None
    presence_penalty: Number | None = None
    frequency_penalty: Number | None = None
    response_logprobs: bool | None = None
    logprobs: Number | None = None
    enable_enhanced_civic_answers: bool | None = None
    speech_config: Json | None = None
    thinking_config: ThinkingConfig | None = None
    image_config: Json | None = None
    media_resolution: Enum | None = None
    audio_timestamp: bool | None = None
    routing_config: Json | None = None
    model_selection_config: Json | None = None


class GenerateContentRequest(ProtoShape):
    model: str | None = None
    contents: Annotated[list[Content], BeforeValidator(_wrap_single)]
    system_instruction: Content | None = None
    tools: Annotated[list[Tool], BeforeValidator(_wrap_single)] | None = None
    tool_config: ToolConfig | None = None
    safety_settings: list[Json] | None = None
    generation_config: GenerationConfig | None = None
    cached_content: str | None = None
    labels: dict[str, str] | None = None
    service_tier: Enum | None = None
    store: bool | None = None


# --- OpenAI Chat ---


class TextPart(Shape):
    type: Literal["text"]
    text: str


class ImageUrl(Shape):
    url: str
    detail: Literal["auto", "low", "high"] | None = None


class ImagePart(Shape):
    type: Literal["image_url"]
    image_url: ImageUrl


class AudioPart(Shape):
    type: Literal["input_audio"]
    input_audio: Json


class FilePart(Shape):
    type: Literal["file"]
    file: Json


class RefusalPart(Shape):
    type: Literal["refusal"]
    refusal: str


UserPart: TypeAlias = Annotated[TextPart | ImagePart | AudioPart | FilePart, Field(discriminator="type")]
AssistantPart: TypeAlias = Annotated[TextPart | RefusalPart, Field(discriminator="type")]


class CalledFunction(Shape):
    name: str
    arguments: str


class ToolCall(BaseModel):
    """What a host adds to a call, such as ``extra_content``, is not refused: nobody reports that it is."""

    model_config = ConfigDict(extra="allow", strict=True)
    id: str
    type: Literal["function"]
    function: CalledFunction


class CustomToolCall(Shape):
    id: str
    type: Literal["custom"]
    custom: Json


class Message(BaseModel):
    """OpenAI takes keys in a message that its reference does not name: recorded with ``annotations``."""

    model_config = ConfigDict(extra="allow", strict=True)
    name: str | None = None


class InstructionMessage(Message):
    role: Literal["system", "developer"]
    content: str | list[TextPart]


class UserMessage(Message):
    role: Literal["user"]
    content: str | list[UserPart]


class AssistantMessage(Message):
    role: Literal["assistant"]
    content: str | list[AssistantPart] | None = None
    tool_calls: list[Annotated[ToolCall | CustomToolCall, Field(discriminator="type")]] | None = None
    function_call: CalledFunction | None = None


class ToolMessage(Message):
    role: Literal["tool"]
    content: str | list[TextPart]
    tool_call_id: str


class FunctionMessage(Message):
    role: Literal["function"]
    name: str
    content: str | None


class Function(Shape):
    name: str
    description: str | None = None
    parameters: Json | None = None
    strict: bool | None = None


class FunctionTool(Shape):
    type: Literal["function"]
    function: Function


class CustomTool(Shape):
    type: Literal["custom"]
    custom: Json


class NamedFunction(Shape):
    name: str


class FunctionChoice(Shape):
    type: Literal["function"]
    function: NamedFunction


class CustomChoice(Shape):
    type: Literal["custom"]
    custom: NamedFunction


class AllowedTools(Shape):
    mode: Literal["auto", "required"]
    tools: list[Json]


class AllowedChoice(Shape):
    type: Literal["allowed_tools"]
    allowed_tools: AllowedTools


class JsonSchemaFormat(Shape):
    name: str
    description: str | None = None
    schema_: Json | None = Field(None, alias="schema")
    strict: bool | None = None


class ResponseFormat(Shape):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchemaFormat | None = None


class StreamOptions(Shape):
    include_usage: bool | None = None
    include_obfuscation: bool | None = None


class ChatRequest(Shape):
    model: str
    messages: list[
        Annotated[
            InstructionMessage | UserMessage | AssistantMessage | ToolMessage | FunctionMessage,
            Field(discriminator="role"),
        ]
    ]
    audio: Json | None = None
    frequency_penalty: float | None = None
    function_call: str | Json | None = None
    functions: list[Json] | None = None
    logit_bias: Json | None = None
    logprobs: bool | None = None
    max_completion_tokens: int | None = None
    max_tokens: int | None = None
    metadata: dict[str, str] | None = None
    modalities: list[str] | None = None
    moderation: Json | None = None
    n: int | None = None
    parallel_tool_calls: bool | None = None
    prediction: Json | None = None
    presence_penalty: float | None = None
    prompt_cache_key: str | None = None
    prompt_cache_options: Json | None = None
    prompt_cache_retention: str | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    response_format: ResponseFormat | None = None
    safety_identifier: str | None = None
    seed: int | None = None
    service_tier: str | None = None
    stop: str | list[str] | None = None
    store: bool | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    tool_choice: (
        Literal["none", "auto", "required"]
        | Annotated[FunctionChoice | CustomChoice | AllowedChoice, Field(discriminator="type")]
        | None
    ) = None
    tools: list[Annotated[FunctionTool | CustomTool, Field(discriminator="type")]] | None = None
    top_logprobs: int | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    user: str | None = None
    verbosity: str | None = None
    web_search_options: Json | None = None


# --- Anthropic ---


class CacheControl(Shape):
    type: Literal["ephemeral"]
    ttl: str | None = None
    scope: str | None = None


class MarkedShape(Shape):
    cache_control: CacheControl | None = None


class TextBlock(MarkedShape):
    type: Literal["text"]
    text: str
    citations: list[Json] | None = None


class ImageBlock(MarkedShape):
    type: Literal["image"]
    source: Json


class DocumentBlock(MarkedShape):
    type: Literal["document"]
    source: Json
    title: str | None = None
    context: str | None = None
    citations: Json | None = None


class ThinkingBlock(Shape):
    type: Literal["thinking"]
    thinking: str
    signature: str


class RedactedThinkingBlock(Shape):
    type: Literal["redacted_thinking"]
    data: str


class ToolUseBlock(MarkedShape):
    type: Literal["tool_use"]
    id: str
    name: Annotated[str, Field(min_length=1)]
    input: Json
    caller: Json | None = None


class ServerBlock(BaseModel):
    """Blocks of server tools and betas are let through as they are."""

    model_config = ConfigDict(extra="allow")
    type: Literal[
        "search_result", "server_tool_use", "web_search_tool_result", "web_fetch_tool_result",
        "advisor_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result", "tool_search_tool_result", "mcp_tool_use", "mcp_tool_result",
        "mcp_tool_listing", "container_upload", "compaction", "tool_addition", "tool_removal", "tool_reference",
        "fallback",
    ]  # fmt: skip


def _by_type(*own: str) -> Discriminator:
    """Return what tells blocks of these types from those of server tools."""

    def tag(block: object) -> str:
        found = block.get("type") if isinstance(block, dict) else getattr(block, "type", None)
        return found if found in own else "server"

    return Discriminator(tag)


ResultContent: TypeAlias = Annotated[
    Annotated[TextBlock, Tag("text")]
    | Annotated[ImageBlock, Tag("image")]
    | Annotated[DocumentBlock, Tag("document")]
    | Annotated[ServerBlock, Tag("server")],
    _by_type("text", "image", "document"),
]


class ToolResultBlock(MarkedShape):
    type: Literal["tool_result"]
    tool_use_id: str
    content: str | list[ResultContent] | None = None
    is_error: bool | None = None


Block: TypeAlias = Annotated[
    Annotated[TextBlock, Tag("text")]
    | Annotated[ImageBlock, Tag("image")]
    | Annotated[DocumentBlock, Tag("document")]
    | Annotated[ThinkingBlock, Tag("thinking")]
    | Annotated[RedactedThinkingBlock, Tag("redacted_thinking")]
    | Annotated[ToolUseBlock, Tag("tool_use")]
    | Annotated[ToolResultBlock, Tag("tool_result")]
    | Annotated[ServerBlock, Tag("server")],
    _by_type("text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"),
]


class AnthropicMessage(Shape):
    role: Literal["user", "assistant", "system"]
    content: str | list[Block]


class AnthropicTool(MarkedShape):
    type: Literal["custom"] | None = None
    name: str
    description: str | None = None
    input_schema: Json
    strict: bool | None = None
    defer_loading: bool | None = None
    eager_input_streaming: bool | None = None
    allowed_callers: list[str] | None = None
    input_examples: list[Json] | None = None


class ServerTool(BaseModel):
    model_config = ConfigDict(extra="allow")
    type: str
    name: str


def _tag_tool(tool: object) -> str:
    found = tool.get("type") if isinstance(tool, dict) else getattr(tool, "type", None)
    return "custom" if found in (None, "custom") else "server"


class Thinking(Shape):
    type: Literal["enabled", "disabled", "adaptive"]
    budget_tokens: int | None = None
    display: str | None = None


class ToolChoice(Shape):
    type: Literal["auto", "any", "tool", "none"]
    name: str | None = None
    disable_parallel_tool_use: bool | None = None


class MessagesRequest(Shape):
    model: str
    messages: list[AnthropicMessage]
    max_tokens: int | None = None  # the rule of bridgecheck.accept demands it, save of count_tokens
    system: str | list[TextBlock] | None = None
    stream: bool | None = None
    stop_sequences: list[str] | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    metadata: Json | None = None
    thinking: Thinking | None = None
    tool_choice: ToolChoice | None = None
    tools: (
        list[
            Annotated[
                Annotated[AnthropicTool, Tag("custom")] | Annotated[ServerTool, Tag("server")],
                Discriminator(_tag_tool),
            ]
        ]
        | None
    ) = None
    betas: list[str] | None = None
    cache_control: CacheControl | None = None
    container: str | Json | None = None
    context_management: Json | None = None
    compaction: Json | None = None
    diagnostics: Json | None = None
    fallbacks: list[Json] | None = None
    inference_geo: str | None = None
    mcp_servers: list[Json] | None = None
    output_config: Json | None = None
    output_format: Json | None = None
    service_tier: str | None = None
    speed: str | None = None
    thread: Json | None = None
    user_profile_id: str | None = None
