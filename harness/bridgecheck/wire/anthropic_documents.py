"""Anthropic Messages, requests and answers, as JSON objects.

Objects are open; blocks and events whose ``type`` is not named here (server tools, new deltas) are allowed.
Sources: https://docs.anthropic.com/en/api/messages,
https://docs.anthropic.com/en/api/messages-streaming, anthropic 2.11.0 ``anthropic.types``."""

import re
from typing import Final, Literal, Required, TypeAlias

from typing_extensions import TypedDict

from bridgecheck.wire import JsonObject
from bridgecheck.wire.dialect import DialectRecord, Framing, OperationPattern, SdkPackage

RECORD: Final = DialectRecord(
    name="anthropic", title="Anthropic", letter="A", host="api.anthropic.com", domain="anthropic.com",
    paths={"unary": "/v1/messages", "stream": "/v1/messages"},
    endpoints=(
        OperationPattern(re.compile(r"/v1/messages$"), "generate"),
        OperationPattern(re.compile(r"/v1/messages/count_tokens$"), "count_tokens"),
        OperationPattern(re.compile(r"/v1/messages/batches$"), "other"),
    ),
    served_paths=re.compile(r"/v1/messages"), key_header="x-api-key", headers=(("anthropic-version", "2023-06-01"),),
    stream_members=("stream",),
    smallest_request={"max_tokens": 1024, "messages": [{"role": "user", "content": "Hello"}]},
    function_name=re.compile(r"[A-Za-z0-9_-]{1,128}"), example_model="claude-sonnet-4-5",
    framing=Framing(indent=None, event_member="type", last_type="message_stop"), token_count_member="input_tokens",
    sdk=SdkPackage("anthropic", "anthropic", extra="anthropic"), recording_labels=("anthropic",),
)  # fmt: skip
"""The SDK needs the ``event:`` line (anthropic 2.11, measured). The events of a stream name id and model once.
Source: https://docs.anthropic.com/en/api/messages."""


class TextBlock(TypedDict, total=False):
    type: Required[Literal["text"]]
    text: Required[str]
    citations: list[JsonObject] | None


class RequestTextBlock(TextBlock, total=False):
    cache_control: JsonObject | None


class ThinkingBlock(TypedDict, total=False):
    """``signature`` must come back unchanged with the block."""

    type: Required[Literal["thinking"]]
    thinking: Required[str]
    signature: str


class RedactedThinkingBlock(TypedDict, total=False):
    type: Required[Literal["redacted_thinking"]]
    data: Required[str]


class ToolUseBlock(TypedDict, total=False):
    """``input``: an object, never text."""

    type: Required[Literal["tool_use"]]
    id: Required[str]
    name: Required[str]
    input: Required[JsonObject]


class RequestToolUseBlock(ToolUseBlock, total=False):
    cache_control: JsonObject | None


ServerBlockType: TypeAlias = Literal[
    "server_tool_use", "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result",
    "bash_code_execution_tool_result", "text_editor_code_execution_tool_result", "tool_search_tool_result",
    "mcp_tool_use", "mcp_tool_result", "advisor_tool_result", "container_upload", "compaction", "fallback",
    "search_result", "tool_reference", "tool_addition",
]  # fmt: skip

ServerBlock = TypedDict(
    "ServerBlock",
    {
        "type": Required[ServerBlockType], "tool_use_id": str, "caller": JsonObject,
        "content": JsonObject | list[JsonObject] | str | None, "is_error": bool, "server_name": str, "file_id": str,
        "encrypted_content": str, "tool": JsonObject, "from": JsonObject, "to": JsonObject, "trigger": JsonObject,
    },
    total=False,
)  # fmt: skip
"""What blocks that only Anthropic writes have beside the members of a ``ToolUseBlock``."""


class Source(TypedDict, total=False):
    """``type``: base64, url, text, file or content."""

    type: Required[str]
    media_type: str
    data: str
    url: str
    file_id: str


class ImageBlock(TypedDict, total=False):
    type: Required[Literal["image"]]
    source: Required[Source]
    cache_control: JsonObject | None


class DocumentBlock(TypedDict, total=False):
    type: Required[Literal["document"]]
    source: Required[Source]
    title: str | None
    context: str | None
    citations: JsonObject | None
    cache_control: JsonObject | None


class ToolResultBlock(TypedDict, total=False):
    type: Required[Literal["tool_result"]]
    tool_use_id: Required[str]
    content: str | list[JsonObject]
    is_error: bool
    cache_control: JsonObject | None


class UsageDetails(TypedDict, total=False):
    cache_read_input_tokens: int | None
    cache_creation_input_tokens: int | None
    cache_creation: JsonObject | None
    server_tool_use: JsonObject | None
    output_tokens_details: JsonObject | None
    iterations: list[JsonObject] | None
    service_tier: str | None
    inference_geo: str | None
    speed: str | None


class Usage(UsageDetails, total=False):
    """Of ``message_delta``. ``input_tokens`` excludes what was read from or written to the cache."""

    input_tokens: int | None
    output_tokens: Required[int]


class MessageUsage(UsageDetails, total=False):
    """Of a whole message, and of ``message_start``."""

    input_tokens: Required[int]
    output_tokens: Required[int]


class Message(TypedDict, total=False):
    """``stop_reason`` null only in ``message_start``."""

    id: Required[str]
    type: Required[Literal["message"]]
    role: Required[Literal["assistant"]]
    model: Required[str]
    content: Required[list[JsonObject]]
    stop_reason: Required[str | None]
    stop_sequence: str | None
    stop_details: JsonObject | None
    container: JsonObject | None
    context_management: JsonObject | None
    usage: Required[MessageUsage]


class ErrorBody(TypedDict, total=False):
    type: Required[str]
    message: Required[str]


class ErrorDocument(TypedDict, total=False):
    type: Required[Literal["error"]]
    error: Required[ErrorBody]
    request_id: str | None


class MessageStart(TypedDict, total=False):
    type: Required[Literal["message_start"]]
    message: Required[Message]


class ContentBlockStart(TypedDict, total=False):
    type: Required[Literal["content_block_start"]]
    index: Required[int]
    content_block: Required[JsonObject]


class ContentBlockDelta(TypedDict, total=False):
    type: Required[Literal["content_block_delta"]]
    index: Required[int]
    delta: Required[JsonObject]


class ContentBlockStop(TypedDict, total=False):
    type: Required[Literal["content_block_stop"]]
    index: Required[int]


class StopDelta(TypedDict, total=False):
    stop_reason: str | None
    stop_sequence: str | None
    stop_details: JsonObject | None
    container: JsonObject | None


class MessageDelta(TypedDict, total=False):
    """``usage`` is cumulative."""

    type: Required[Literal["message_delta"]]
    delta: Required[StopDelta]
    usage: Required[Usage]


class MessageStop(TypedDict, total=False):
    type: Required[Literal["message_stop"]]


class Ping(TypedDict, total=False):
    type: Required[Literal["ping"]]


class TextDelta(TypedDict, total=False):
    type: Required[Literal["text_delta"]]
    text: Required[str]


class InputJsonDelta(TypedDict, total=False):
    type: Required[Literal["input_json_delta"]]
    partial_json: Required[str]


class ThinkingDelta(TypedDict, total=False):
    type: Required[Literal["thinking_delta"]]
    thinking: Required[str]


class SignatureDelta(TypedDict, total=False):
    type: Required[Literal["signature_delta"]]
    signature: Required[str]


class CitationsDelta(TypedDict, total=False):
    type: Required[Literal["citations_delta"]]
    citation: Required[JsonObject]


class RequestMessage(TypedDict, total=False):
    role: Required[Literal["user", "assistant", "system"]]
    content: Required[str | list[JsonObject]]


class Tool(TypedDict, total=False):
    """A client tool has ``input_schema``; a server tool a ``type`` of its own."""

    name: str
    type: str | None
    description: str
    input_schema: JsonObject
    strict: bool
    cache_control: JsonObject | None
    defer_loading: bool
    allowed_callers: list[str]
    eager_input_streaming: bool | None
    input_examples: list[JsonObject]


class OutputConfig(TypedDict, total=False):
    effort: str | None
    format: JsonObject | None
    task_budget: JsonObject | None


class MessagesRequest(TypedDict, total=False):
    """A generating request; blocks are checked one by one, by their type."""

    model: Required[str]
    max_tokens: Required[int]
    messages: Required[list[RequestMessage]]
    system: str | list[JsonObject]
    tools: list[Tool]
    tool_choice: JsonObject
    temperature: float
    top_p: float
    top_k: int
    stop_sequences: list[str]
    stream: bool
    thinking: JsonObject
    metadata: JsonObject
    output_config: OutputConfig | None
    service_tier: str | None
    container: str | JsonObject | None
    mcp_servers: list[JsonObject]
    cache_control: JsonObject | None
    context_management: JsonObject | None
    inference_geo: str | None
    speed: str | None
    diagnostics: JsonObject | None
    fallbacks: list[JsonObject] | None
