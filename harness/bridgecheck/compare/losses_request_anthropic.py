"""Losses of requests from Anthropic's clients: what they asked and the provider's dialect has no word for."""

from typing import Final

from bridgecheck.compare.loss_row import LossRow
from bridgecheck.wire import Dialect

_DOC: Final = "https://docs.anthropic.com/en/api/messages (stored copy read 2026-11-21)"


def _row(name: str, paths: tuple[str, ...], reason: str, *targets: Dialect) -> LossRow:
    ends = frozenset(targets or ("gemini", "openai-chat"))
    return LossRow(f"anthropic.{name}", "request", "anthropic", ends, paths, reason, _DOC)


FROM_ANTHROPIC: Final = (
    _row("top_k", ("settings.top_k",), "Chat has no top_k", "openai-chat"),
    _row("is_error", ("turns.results.is_error",), "Chat cannot mark a result as an error", "openai-chat"),
    _row(
        "cache_control",
        (
            "other:cache_control",
            "other:system.cache_control",
            "other:messages.content.cache_control",
            "other:messages.content.content.cache_control",
            "other:tools.cache_control",
        ),
        "cache marks have no counterpart",
    ),
    _row("builtin_tools", ("tools.builtin", "other:mcp_servers"), "tools that Anthropic runs"),
    _row(
        "server_tool_parts",
        (
            "turns.other.server_tool_use",
            "turns.other.web_search_tool_result",
            "turns.other.web_fetch_tool_result",
            "turns.other.code_execution_tool_result",
            "turns.other.bash_code_execution_tool_result",
            "turns.other.text_editor_code_execution_tool_result",
            "turns.other.tool_search_tool_result",
            "turns.other.mcp_tool_use",
            "turns.other.mcp_tool_result",
            "turns.other.advisor_tool_result",
            "turns.other.container_upload",
            "other:messages.content.caller",
        ),
        "replayed calls of tools that Anthropic ran, and files in its containers, have no counterpart",
    ),
    _row(
        "other_parts",
        (
            "turns.other.compaction",
            "turns.other.fallback",
            "turns.other.search_result",
            "turns.other.tool_reference",
            "turns.other.tool_addition",
            "other:messages.content.content.tool_reference",
            "other:messages.content.content.document",
        ),
        "blocks that only Anthropic writes and reads",
    ),
    _row(
        "tool_extras",
        (
            "other:tools.defer_loading",
            "other:tools.allowed_callers",
            "other:tools.eager_input_streaming",
            "other:tools.input_examples",
        ),
        "how Anthropic loads a tool, streams its input and who may call it",
    ),
    _row("strict", ("tools.strict",), "Gemini has no strict flag", "gemini"),
    _row("parallel", ("tool_choice.parallel",), "Gemini cannot be told to call one tool at a time", "gemini"),
    _row(
        "thinking_off",
        ("thinking.off",),
        "most Chat models refuse reasoning_effort none, and absent is the nearest; those known to take it are told",
        "openai-chat",
    ),
    _row("thinking_shown", ("thinking.include",), "Chat cannot ask for thoughts", "openai-chat"),
    _row("turn_order", ("turns.order",), "a Chat message keeps text and calls in separate fields", "openai-chat"),
    _row("user", ("settings.user",), "Gemini has no end-user id", "gemini"),
    _row("reasoning", ("turns.reasoning", "turns.signatures"), "thinking blocks are signed for Anthropic alone"),
    _row(
        "media_detail",
        (
            "turns.media.detail",
            "other:messages.content.citations",
            "other:messages.content.content.title",
            "other:messages.content.content.context",
        ),
        "a document's title, context and switch for citations have no counterpart",
    ),
    _row("held_files", ("turns.media.uri.held",), "files that Anthropic keeps can be read by nobody else"),
    _row("document_address", ("turns.media.uri.document",), "Chat takes documents by value", "openai-chat"),
    _row(
        "service",
        (
            "features",
            "other:service_tier",
            "other:context_management",
            "other:container",
            "other:inference_geo",
            "other:speed",
            "other:diagnostics",
            "other:output_config.task_budget",
            "other:fallbacks",
        ),
        "switches of Anthropic's own service",
    ),
)
"""Row names as in ``losses_request``."""
