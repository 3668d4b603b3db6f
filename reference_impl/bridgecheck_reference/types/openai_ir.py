"""The intermediate representation: OpenAI Chat Completions documents, with three extensions.

``reasoning_content`` (str) on messages and deltas is the model's visible reasoning, as DeepSeek, xAI and others spell
it. ``extra_content.google`` (object) on tool calls, messages, deltas, choices and documents holds what only Gemini can
express, as Google's own OpenAI endpoint spells it: ``thought_signature`` on a tool call or, for signed text, on the
message. ``reasoning_details`` (list) on messages and deltas is signed reasoning, as OpenRouter spells it:
``{"type": "reasoning.text", "text", "signature"}`` or ``{"type": "reasoning.encrypted", "data"}``, one a thinking
block, in order and unmodified; ``reasoning_content`` holds the same text beside it. ``extra_content.anthropic`` holds
what only Anthropic can express, in the same places as ``extra_content.google``.

Keys under ``extra_content.google`` that the converters write and read:

* tool call: ``thought_signature``; ``synthetic_id`` true where the provider gave no id (carried documents only)
* message or delta: ``thought_signature`` and, unless it signs the text, ``thought_signature_part`` ("reasoning", or
  "tail" for an empty last part); ``parts``: the order of Gemini's parts (carried documents only)
* choice: ``finish_reason``, Gemini's own reason where OpenAI has none; ``candidate``: further leaves (carried only)
* content part: ``part``, the whole Gemini part, or ``rest``, its further leaves, ``mime`` and ``name`` (carried only)
* document: ``response`` / ``request`` / ``usage``: further leaves (carried only)

Keys under ``extra_content.anthropic``, all of them in carried documents only but ``rest``, which is always read:

* content part, tool, tool call, tool message: ``rest``, further leaves of the block (cache_control, citations, title);
  ``block``, the whole block where OpenAI has no part for it
* message: ``joined`` true where it belongs to the Anthropic message before it; ``content``: "blocks" or "text", the
  form of a content that could be either
* document: ``request`` / ``response``: further leaves; ``tools``: [{"at", "tool"}], tools of the server's own

Keys directly under ``extra_content``, in documents that carry Anthropic's or stand between Gemini and Anthropic
(``Profile.extended``):

* message: ``order``, the order of its content where that is not reasoning, text, images, calls, one each of the first
  two: ``{"text": n}`` is the next n characters of content, ``{"reasoning": true}`` the next of reasoning_details,
  ``{"image": true}`` and ``{"call": true}`` the next image and call; carried documents also have
  ``{"block": {...}}`` and ``rest`` beside any
* tool message: ``is_error`` true; its content may hold image_url and file parts
* in reasoning_details: signatures of Gemini in the form of convert/signatures; a text without signature is unsigned

A document that stands between the two also holds ``top_k``, ``reasoning`` (``effort``, ``max_tokens``: the budget,
``exclude``: thoughts are not wanted), and file parts whose ``file_data`` is a URL.

Source: https://platform.openai.com/docs/api-reference/chat (stored copy read 2026-11-21).
"""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from bridgecheck.wire import JsonObject

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool", "function"]
FinishReason: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter", "function_call"]


class FunctionCall(TypedDict):
    """``arguments`` is JSON text, always a string."""

    name: str
    arguments: str


class ToolCall(TypedDict):
    id: str
    type: Literal["function"]
    function: FunctionCall
    extra_content: NotRequired[JsonObject]


class ToolCallDelta(TypedDict):
    """A piece of a call. ``index`` counts the calls of one choice over the whole stream."""

    index: int
    id: NotRequired[str]
    type: NotRequired[Literal["function"]]
    function: NotRequired[JsonObject]
    extra_content: NotRequired[JsonObject]


class ContentPart(TypedDict):
    """``type``: text, image_url, input_audio, file or refusal; the member of that name holds the rest."""

    type: str
    text: NotRequired[str]
    image_url: NotRequired[JsonObject]
    input_audio: NotRequired[JsonObject]
    file: NotRequired[JsonObject]


class ChatMessage(TypedDict):
    """``content`` null is allowed beside tool_calls. ``tool_call_id`` is required where role is tool."""

    role: Role
    content: NotRequired[str | list[ContentPart] | None]
    reasoning_content: NotRequired[str | None]
    reasoning_details: NotRequired[list[JsonObject]]
    tool_calls: NotRequired[list[ToolCall]]
    tool_call_id: NotRequired[str]
    refusal: NotRequired[str | None]
    images: NotRequired[list[ContentPart]]
    extra_content: NotRequired[JsonObject]


class Delta(TypedDict, total=False):
    """``role`` stands in the first delta of a choice only."""

    role: Role
    content: str | None
    reasoning_content: str | None
    reasoning_details: list[JsonObject]
    tool_calls: list[ToolCallDelta]
    refusal: str | None
    images: list[ContentPart]
    extra_content: JsonObject


class ToolDefinition(TypedDict):
    """``function``: name, description, parameters (JSON Schema) and strict."""

    type: Literal["function"]
    function: JsonObject


class GenerateParams(TypedDict, total=False):
    """A request. Keys that are not listed are kept by whoever understands them and recorded as losses otherwise."""

    model: str
    messages: list[ChatMessage]
    stream: bool
    stream_options: JsonObject
    tools: list[ToolDefinition]
    tool_choice: str | JsonObject
    parallel_tool_calls: bool
    temperature: float | None
    top_p: float | None
    top_k: int | None
    max_tokens: int | None
    max_completion_tokens: int | None
    stop: str | list[str] | None
    n: int | None
    seed: int | None
    presence_penalty: float | None
    frequency_penalty: float | None
    logprobs: bool | None
    top_logprobs: int | None
    response_format: JsonObject
    reasoning_effort: str | None
    reasoning: JsonObject
    modalities: list[str] | None
    extra_content: JsonObject


class Usage(TypedDict):
    """Tokens. ``prompt_tokens`` includes cached ones, ``completion_tokens`` includes reasoning."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: NotRequired[JsonObject]
    completion_tokens_details: NotRequired[JsonObject]


class Choice(TypedDict):
    index: int
    message: ChatMessage
    finish_reason: str | None
    logprobs: NotRequired[JsonObject | None]
    extra_content: NotRequired[JsonObject]


class ChatCompletion(TypedDict):
    """``created``: seconds since 1970, 0 where the provider gave no time."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: NotRequired[Usage]
    extra_content: NotRequired[JsonObject]


class ChunkChoice(TypedDict):
    """``finish_reason`` is null in every chunk of a choice but its last."""

    index: int
    delta: Delta
    finish_reason: str | None
    logprobs: NotRequired[JsonObject | None]
    extra_content: NotRequired[JsonObject]


class ChatCompletionChunk(TypedDict):
    """``choices`` is empty in the usage chunk that ends a stream."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: NotRequired[Usage | None]
    extra_content: NotRequired[JsonObject]


class ErrorDocument(TypedDict):
    """``error``: message, type, code and param."""

    error: JsonObject
