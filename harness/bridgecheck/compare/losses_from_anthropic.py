"""Losses of what Anthropic expresses: in a response of its providers, and in a request of its clients."""

from typing import Final

from bridgecheck.compare.loss_row import LossRow, RowMaker

_DOC: Final = "https://docs.anthropic.com/en/api/messages (stored copy read 2026-11-21)"

_response = RowMaker("response", "anthropic", _DOC)
_request = RowMaker("request", "anthropic", _DOC)

RESPONSE_LOSSES: Final[tuple[LossRow, ...]] = (
    _response("anthropic.segments", "text.segments order", "Chat has one content string"),
    _response("anthropic.cache_write", "usage.cache_write", "Gemini does not count what is written to a cache"),
    _response("anthropic.web_citations", "citations.web", "a citation of a web page, its address and title, is an "
        "annotation of Chat", "openai-chat", source="https://platform.openai.com/docs/api-reference/chat/object, "
        "https://docs.anthropic.com/en/api/messages (2026-11-23)", location="choices.message.annotations"),
    _response("anthropic.citations", "citations", "citations by document and block have no counterpart"),
    _response("anthropic.server_tools", "other:content", "server tools and their results are Anthropic's own blocks"),
    _response("anthropic.usage_details", "other:usage", "cache lifetimes and server tool counts have no counterpart"),
    _response("anthropic.stop_sequence", "other:stop_sequence other:stop_details",
        "no other dialect says which one hit"),
    _response("anthropic.container", "other:container other:context_management", "state that Anthropic keeps"),
    _response("anthropic.error_details", "other:error other:request_id", "request ids have no place in the document"),
    _response("anthropic.signatures", "signatures", "Chat has no field for signatures"),
)  # fmt: skip

REQUEST_LOSSES: Final[tuple[LossRow, ...]] = (
    _request("anthropic.top_k", "settings.top_k", "Chat has no top_k"),
    _request("anthropic.is_error", "turns.results.is_error", "Chat cannot mark a result as an error"),
    _request("anthropic.cache_control",
        "other:cache_control other:system.cache_control other:messages.content.cache_control "
        "other:messages.content.content.cache_control other:tools.cache_control", "cache marks have no counterpart"),
    _request("anthropic.builtin_tools", "tools.builtin other:mcp_servers", "tools that Anthropic runs"),
    _request("anthropic.server_tool_parts", "turns.other.server_tool_use turns.other.web_search_tool_result "
        "turns.other.web_fetch_tool_result turns.other.code_execution_tool_result "
        "turns.other.bash_code_execution_tool_result turns.other.text_editor_code_execution_tool_result "
        "turns.other.tool_search_tool_result turns.other.mcp_tool_use turns.other.mcp_tool_result "
        "turns.other.advisor_tool_result turns.other.container_upload other:messages.content.caller",
        "replayed calls of tools that Anthropic ran, and files in its containers, have no counterpart"),
    _request("anthropic.other_parts", "turns.other.compaction turns.other.fallback turns.other.search_result "
        "turns.other.tool_reference turns.other.tool_addition other:messages.content.content.tool_reference "
        "other:messages.content.content.document", "blocks that only Anthropic writes and reads"),
    _request("anthropic.tool_extras",
        "other:tools.defer_loading other:tools.allowed_callers other:tools.eager_input_streaming "
        "other:tools.input_examples", "how Anthropic loads a tool, streams its input and who may call it"),
    _request("anthropic.strict", "tools.strict", "Gemini has no strict flag"),
    _request("anthropic.parallel", "tool_choice.parallel", "Gemini cannot be limited to one tool call at a time"),
    _request("anthropic.thinking_off", "thinking.off", "most Chat models refuse reasoning_effort none, and absent is "
        "the nearest; models that accept it receive it", "openai-chat"),
    _request("anthropic.thinking_shown", "thinking.include", "Chat cannot ask for thoughts"),
    _request("anthropic.turn_order", "turns.order", "a Chat message keeps text and calls in separate fields",
        "openai-chat"),
    _request("anthropic.user", "settings.user", "Gemini has no end-user id"),
    _request("anthropic.reasoning", "turns.reasoning turns.signatures",
        "thinking blocks are signed for Anthropic alone"),
    _request("anthropic.file_name", "turns.media.detail.name", "a file of Chat has a filename", "openai-chat",
        source="https://platform.openai.com/docs/api-reference/chat/create (2026-11-23)", location="file.filename"),
    _request("anthropic.media_detail", "turns.media.detail other:messages.content.citations "
        "other:messages.content.content.citations other:messages.content.content.title "
        "other:messages.content.content.context",
        "a document's context and switch for citations have no counterpart; of results, its title has none either"),
    _request("anthropic.held_files", "turns.media.uri.held", "files that Anthropic keeps can be read by nobody else"),
    _request("anthropic.document_address", "turns.media.uri.document turns.media.uri.text",
        "Chat takes documents by value", "openai-chat"),
    _request("anthropic.service",
        "features other:service_tier other:context_management other:container other:inference_geo other:speed "
        "other:diagnostics other:output_config.task_budget other:fallbacks "
        "other:thinking.block_binding.prefix_mismatch_behavior", "switches of Anthropic's own service"),
)  # fmt: skip
