"""Leaves that a dialect's reference documents and its TypedDict leaves open, because nothing reads them by type.

Sources, stored copies read 2026-11-21: https://ai.google.dev/api/generate-content,
https://platform.openai.com/docs/api-reference/chat/create, https://docs.anthropic.com/en/api/messages.
"""

from typing import Final

from bridgecheck.ledger.kinds import Kind, Side, Steps
from bridgecheck.wire import Dialect

FURTHER: Final[dict[tuple[Dialect, Side], dict[Steps, Kind]]] = {
    ("gemini", "request"): {
        ("tools", "[]", "googleSearch"): "object",
        ("tools", "[]", "codeExecution"): "object",
        ("tools", "[]", "urlContext"): "object",
        ("generationConfig", "imageConfig"): "object",
        ("generationConfig", "audioTimestamp"): "flag",
        ("serviceTier",): "text",
    },
    ("openai-chat", "request"): {
        ("functions",): "objects",
        ("metadata",): "object",
        ("store",): "flag",
        ("service_tier",): "text",
        ("verbosity",): "text",
        ("logit_bias",): "object",
        ("prediction",): "object",
        ("modalities",): "texts",
        ("audio",): "object",
        ("safety_identifier",): "text",
        ("prompt_cache_key",): "text",
        ("web_search_options",): "object",
    },
    ("openai-chat", "response"): {
        ("usage", "completion_tokens_details", "accepted_prediction_tokens"): "integer",
        ("usage", "completion_tokens_details", "rejected_prediction_tokens"): "integer",
    },
    ("anthropic", "request"): {
        ("system", "[text]", "cache_control"): "object",
        ("messages", "[]", "content", "[text]", "cache_control"): "object",
        ("messages", "[]", "content", "[tool_result]", "cache_control"): "object",
        ("messages", "[]", "content", "[document]", "citations"): "object",
        ("tools", "[]", "cache_control"): "object",
        ("output_config", "effort"): "text",
        ("output_config", "format"): "object",
        ("service_tier",): "text",
        ("container",): "text",
        ("mcp_servers",): "objects",
    },
    ("anthropic", "response"): {
        ("container",): "object",
        ("usage", "server_tool_use"): "object",
        ("usage", "service_tier"): "text",
    },
}
"""(dialect, side) -> steps of a leaf (``shapes``) -> its kind."""
