"""CHECKS: every requirement with its level and its basis."""

from typing import Final

from bridgecheck.checks import (
    acceptable,
    adapter,
    calls,
    choices,
    errors,
    expect_outcome,
    expect_prompt,
    expect_wire,
    finish,
    media,
    other,
    relay,
    sdk,
    settings,
    stream,
    text,
    tools,
    turns,
    usage,
    wire_shape,
)
from bridgecheck.checks.check import Check
from bridgecheck.model.scenario import Basis

_READ: Final = "2026-11-20"
_GEMINI: Final = Basis("documented", "https://ai.google.dev/api/generate-content", _READ)
_CHAT: Final = Basis("documented", "https://platform.openai.com/docs/api-reference/chat", _READ)
_CHUNK: Final = Basis("documented", "https://platform.openai.com/docs/api-reference/chat-streaming", _READ)
_CALLING: Final = Basis("documented", "https://ai.google.dev/gemini-api/docs/function-calling", _READ)
_SIGNED: Final = Basis("documented", "https://ai.google.dev/gemini-api/docs/thought-signatures", _READ)
_ERRORS: Final = Basis("documented", "https://platform.openai.com/docs/guides/error-codes", _READ)
_BREAKS: Final = Basis("client-breaks", "google-genai 3.4.0, openai 3.52.0", _READ)
_RECORDED: Final = Basis("recorded", "recorded native traffic holds this for every provider", _READ)
_CONVENTION: Final = Basis("convention", "reasoning_content, images: OpenAI-compatible hosts and gateways", _READ)
_HOUSE: Final = Basis("house", "what is added to a request in silence is a choice the client did not make", _READ)
_OWN: Final = Basis("recorded", "the basis of the scenario that expects it", _READ)

CHECKS: Final[tuple[Check, ...]] = (
    Check(
        "adapter.completes", "adapter", "MUST", _BREAKS,
        "The adapter answers every request that it should take.", adapter.completes, "case",
    ),
    Check(
        "relay.expected_calls", "relay", "MUST", _RECORDED,
        "The adapter asks the provider for what is recorded, all of it, and nothing else.", relay.expected_calls, "case",
    ),
    Check(
        "response.error", "errors", "MUST", _ERRORS,
        "A failure arrives as a failure of its class, with its retry hint; an answer never does.", errors.error, "response",
    ),
    Check(
        "response.choices", "messages", "MUST", _GEMINI,
        "Every candidate arrives under its index.", choices.choices, "response",
    ),
    Check("response.text", "messages", "MUST", _RECORDED, "Visible text arrives byte for byte, once.", text.text, "response"),
    Check(
        "response.reasoning", "thinking", "SHOULD", _CONVENTION,
        "Reasoning arrives in the channel of reasoning.", text.reasoning, "response",
    ),
    Check(
        "response.order", "messages", "MUST", _GEMINI,
        "Channels arrive in the provider's order where both ends have one.", text.order, "response",
    ),
    Check(
        "response.refusal", "safety", "MUST", _CHAT,
        "A refusal never becomes silence.", text.refusal, "response",
    ),
    Check(
        "response.tool_calls", "tools", "MUST", _CALLING,
        "Every call arrives once, with its name, its arguments as values and an id of its own.", calls.tool_calls, "response",
    ),
    Check(
        "response.number_text", "tools", "SHOULD", _RECORDED,
        "Numbers in arguments keep their text.", calls.number_text, "response",
    ),
    Check("response.media", "multimodal", "MUST", _GEMINI, "Media arrive byte for byte.", media.media, "response"),
    Check(
        "response.code", "messages", "MUST", _GEMINI,
        "Executed code arrives as such or as text.", media.code, "response",
    ),
    Check(
        "response.citations", "messages", "MUST", _GEMINI,
        "Citations arrive in their own dialect.", media.citations, "response",
    ),
    Check(
        "response.finish", "finish", "MUST", _CHAT,
        "The client learns why the answer ended, in a class that is right for it.",
        lambda evidence: [*finish.finish(evidence), *finish.clean_end(evidence)], "response",
    ),
    Check(
        "response.usage", "usage", "MUST", _CHAT,
        "Token counts arrive in the client's way of counting.", usage.usage, "response",
    ),
    Check(
        "response.other", "losses", "MUST", _GEMINI,
        "What has no place in the client's dialect is a declared loss.", other.response_other, "response",
    ),
    Check(
        "client.wire_shape", "wire", "MUST", _BREAKS,
        "What the client receives is a document of its dialect.", wire_shape.client_shape, "response",
    ),
    Check(
        "stream.terminates_once", "streams", "MUST", _CHUNK,
        "Each choice of a stream ends once, and nothing follows.", stream.terminates_once, "stream",
    ),
    Check("request.system", "messages", "MUST", _GEMINI, "All of the system instruction is sent.", turns.system, "request"),
    Check("request.turns", "messages", "MUST", _GEMINI, "Every turn is sent, in order and paired.", turns.turns, "request"),
    Check(
        "request.tools", "tools", "MUST", _CALLING,
        "Every function is declared with a schema that allows what the client's allows.", tools.tools, "request",
    ),
    Check(
        "request.tool_choice", "tools", "MUST", _CALLING,
        "What the client said about calling tools holds.", tools.tool_choice, "request",
    ),
    Check("request.settings", "settings", "MUST", _CHAT, "Settings arrive with their values.", settings.settings, "request"),
    Check(
        "request.thinking", "thinking", "MUST", Basis("documented", "https://ai.google.dev/gemini-api/docs/thinking", _READ),
        "Thinking turned off stays off; effort keeps its rung.", settings.thinking, "request",
    ),
    Check(
        "request.response_format", "schema", "MUST", _CHAT,
        "The form asked for is asked of the provider.", settings.response_format, "request",
    ),
    Check(
        "request.other", "losses", "MUST", _CHAT,
        "What has no place in the provider's dialect is a declared loss.", other.request_other, "request",
    ),
    Check(
        "request.added", "settings", "SHOULD", _HOUSE,
        "Nothing that changes the model's behaviour is added.", settings.added, "request",
    ),
    Check(
        "request.acceptable", "requests", "MUST", _GEMINI,
        "The request holds nothing that the provider is known to refuse.", acceptable.acceptable, "request",
    ),
    Check(
        "upstream.wire_shape", "wire", "MUST", _GEMINI,
        "What the provider is sent is a document of its dialect.", wire_shape.upstream_shape, "request",
    ),
    Check(
        "relay.signatures", "signatures", "MUST", _SIGNED,
        "Signatures come back on the part that carried them.", relay.signatures, "request",
    ),
    Check("relay.ids", "correlation", "MUST", _CHAT, "Ids are unique, paired and given back.", relay.ids, "request"),
    Check(
        "expect.outcome", "expectations", "MUST", _OWN,
        "What the scenario expects of the answer is so.", expect_outcome.outcome, "expectation",
    ),
    Check(
        "expect.prompt", "expectations", "MUST", _OWN,
        "What the scenario expects of the request is so.", expect_prompt.prompt, "expectation",
    ),
    Check(
        "expect.wire", "expectations", "MUST", _OWN,
        "Literal expectations on the wire hold.", expect_wire.wire, "expectation",
    ),
    Check(
        "sdk.agrees", "sdk", "MUST", _BREAKS,
        "The official SDK reads the answer as the judge does.", sdk.agrees, "sdk",
    ),
    Check(
        "sdk.native_equals_bridged", "sdk", "MUST", _BREAKS,
        "With the flag on the client learns what it learns with the flag off.", sdk.native_equals_bridged, "sdk",
    ),
)  # fmt: skip
"""Every check. The basis of an expectation is its scenario's."""
