"""Losses of responses: what the provider said and the client's dialect has no word for."""

from typing import Final

from bridgecheck.compare.loss_row import LossRow
from bridgecheck.wire import Dialect

_GEMINI_DOC: Final = "https://ai.google.dev/api/generate-content (stored copy read 2026-11-21)"
_CHAT_DOC: Final = "https://platform.openai.com/docs/api-reference/chat/object (stored copy read 2026-11-21)"
_CHUNK_DOC: Final = "https://platform.openai.com/docs/api-reference/chat-streaming (stored copy read 2026-11-21)"
_ANTHROPIC_DOC: Final = "https://docs.anthropic.com/en/api/messages (stored copy read 2026-11-21)"
_AZURE_DOC: Final = "https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter"
_ORIGINS: Final[tuple[tuple[str, Dialect], ...]] = (
    ("gemini", "gemini"),
    ("chat", "openai-chat"),
    ("anthropic", "anthropic"),
)


def _gemini(name: str, paths: tuple[str, ...], reason: str, *targets: Dialect, source: str = _GEMINI_DOC) -> LossRow:
    return LossRow(
        name, "response", "gemini", frozenset(targets or ("openai-chat", "anthropic")), paths, reason, source
    )


def _chat(name: str, paths: tuple[str, ...], reason: str, *targets: Dialect, source: str = _CHAT_DOC) -> LossRow:
    return LossRow(
        name, "response", "openai-chat", frozenset(targets or ("gemini", "anthropic")), paths, reason, source
    )


def _anthropic(
    name: str, paths: tuple[str, ...], reason: str, *targets: Dialect, source: str = _ANTHROPIC_DOC
) -> LossRow:
    ends = frozenset(targets or ("gemini", "openai-chat"))
    return LossRow(name, "response", "anthropic", ends, paths, reason, source)


_FROM_GEMINI: Final = (
    _gemini("gemini.segments", ("text.segments",), "Chat has one content string", "openai-chat"),
    _gemini("gemini.order", ("order",), "Chat keeps text, reasoning and calls in separate fields", "openai-chat"),
    _gemini("gemini.choices", ("choices",), "Anthropic answers with one message", "anthropic"),
    _gemini(
        "gemini.code",
        ("code", "other:candidates.content.parts.executableCode", "other:candidates.content.parts.codeExecutionResult"),
        "only Gemini has parts for executed code and its output",
    ),
    _gemini("gemini.tool_prompt", ("usage.tool_prompt",), "no other dialect counts the prompt of built-in tools apart"),
    _gemini("gemini.total", ("usage.total",), "Anthropic gives no total", "anthropic"),
    _gemini("gemini.media", ("media",), "Anthropic's models answer in text only", "anthropic"),
    _gemini(
        "gemini.raw_audio",
        ("media.audio.l16", "media.audio.pcm", "media.video"),
        "Chat answers with wav, mp3, flac, opus or pcm16 behind an id and a transcript, and never with video",
        "openai-chat",
    ),
    _gemini(
        "gemini.grounding",
        ("citations", "other:candidates.groundingMetadata", "other:candidates.citationMetadata"),
        "others cite by character span and URL; grounding chunks, supports and search entry point have no place",
    ),
    _gemini(
        "gemini.safety_ratings",
        ("other:candidates.safetyRatings", "other:promptFeedback.safetyRatings"),
        "no other dialect rates an answer by harm category",
    ),
    _gemini(
        "gemini.prompt_feedback",
        ("other:promptFeedback",),
        "the words of a block have no place beside the finish reason",
    ),
    _gemini("gemini.avg_logprobs", ("other:candidates.avgLogprobs",), "no other dialect gives a mean log probability"),
    _gemini(
        "gemini.logprobs",
        ("other:candidates.logprobsResult",),
        "Gemini gives token ids and no bytes; Chat gives bytes and no ids; Anthropic gives none",
    ),
    _gemini("gemini.url_context", ("other:candidates.urlContextMetadata",), "no other dialect reports fetched URLs"),
    _gemini("gemini.finish_message", ("other:candidates.finishMessage",), "a finish reason is one word elsewhere"),
    _gemini(
        "gemini.score",
        ("other:candidates.score", "other:candidates.tokenCount"),
        "figures about one candidate have no place",
        source="vertex answers of Gemini 1.x, recorded",
    ),
    _gemini(
        "gemini.token_details",
        (
            "other:usageMetadata.promptTokensDetails",
            "other:usageMetadata.candidatesTokensDetails",
            "other:usageMetadata.cacheTokensDetails",
            "other:usageMetadata.toolUsePromptTokensDetails",
            "other:usageMetadata.billablePromptUsage",
        ),
        "Gemini counts by modality; Chat splits off audio only, Anthropic nothing",
    ),
    _gemini(
        "gemini.service_tier",
        ("other:usageMetadata.serviceTier", "other:usageMetadata.trafficType"),
        "which capacity served the request has no common word",
    ),
    _gemini("gemini.model_status", ("other:modelStatus",), "no other dialect reports the life cycle of a model"),
    _gemini("gemini.create_time", ("other:createTime",), "Chat has whole seconds of its own answer, Anthropic no time"),
    _gemini(
        "gemini.server_tools",
        (
            "other:candidates.content.parts.toolCall",
            "other:candidates.content.parts.toolResponse",
            "other:candidates.content.parts.functionResponse",
        ),
        "calls that the provider ran by itself have no place in Chat; Anthropic's are of other kinds",
    ),
    _gemini(
        "gemini.part_metadata",
        (
            "other:candidates.content.parts.videoMetadata",
            "other:candidates.content.parts.mediaResolution",
            "other:candidates.content.parts.partMetadata",
            "other:candidates.content.parts.inlineData.displayName",
        ),
        "no other dialect lets a part carry metadata",
    ),
    _gemini(
        "gemini.error_details",
        ("other:error",),
        "typed error details have no place; kind, status and retry hint are kept",
    ),
    _gemini(
        "gemini.turn_token",
        ("other:turnToken",),
        "a session token of the Live API",
        source="recorded in gemini traffic",
    ),
    _gemini(
        "gemini.server_tool_signatures",
        ("other:candidates.content.parts.thoughtSignature",),
        "signatures of calls that Google ran go with the calls",
        "anthropic",
    ),
    _gemini(
        "gemini.signatures",
        ("signatures", "other:candidates.content.parts.thoughtSignature"),
        "Chat has no field for signatures of text; carriers are judged in turn 2",
        "openai-chat",
    ),
)

_FROM_CHAT: Final = (
    _chat("chat.refusal", ("refusal",), "only Chat has a refusal text beside the content"),
    _chat("chat.choices", ("choices",), "Anthropic answers with one message", "anthropic"),
    _chat("chat.total", ("usage.total",), "Anthropic gives no total", "anthropic"),
    _chat("chat.cache_write", ("usage.cache_write",), "Gemini does not count what is written to a cache", "gemini"),
    _chat("chat.media", ("media",), "Anthropic's models answer in text only", "anthropic"),
    _chat(
        "chat.audio",
        ("media.audio",),
        "the container of Chat's audio stands in the request; Gemini wants it in the answer",
        "gemini",
    ),
    _chat(
        "chat.citations", ("citations",), "a URL citation with a span is no grounding chunk of Gemini, nor the reverse"
    ),
    _chat("chat.logprobs", ("other:choices.logprobs",), "Chat gives bytes and no token ids, Gemini the reverse"),
    _chat("chat.fingerprint", ("other:system_fingerprint",), "no other dialect names the backend configuration"),
    _chat(
        "chat.service_tier",
        ("other:service_tier", "other:usage.service_tier"),
        "which capacity served has no common word",
    ),
    _chat(
        "chat.obfuscation",
        ("other:obfuscation", "other:p"),
        "padding against traffic analysis, no content",
        source=_CHUNK_DOC,
    ),
    _chat("chat.created", ("other:created",), "Gemini's createTime is optional, Anthropic has none"),
    _chat("chat.object", ("other:object",), "the name of the document's type"),
    _chat(
        "chat.usage_details",
        ("other:usage.prompt_tokens_details", "other:usage.completion_tokens_details"),
        "audio and prediction tokens are not counted apart elsewhere",
    ),
    _chat(
        "chat.audio_extras",
        ("other:choices.message.audio", "other:choices.delta.audio"),
        "id, expiry and transcript of an audio answer have no place",
    ),
    _chat(
        "chat.custom_tool",
        ("other:choices.message.tool_calls.custom", "other:choices.message.tool_calls.type"),
        "no other dialect tells a call of free-form text from a call of a function",
    ),
    _chat(
        "chat.error_details",
        ("other:error", "other:choices.error"),
        "param, type and provider's own text have no place",
    ),
    _chat(
        "azure.filters",
        (
            "other:choices.content_filter_results",
            "other:choices.content_filter_result",
            "other:prompt_filter_results",
            "other:choices.content_filter_offsets",
        ),
        "Azure's ratings by category have scales of their own",
        source=_AZURE_DOC,
    ),
)

_HOSTS: Final = (
    _chat(
        "openrouter.extras",
        (
            "other:provider",
            "other:choices.native_finish_reason",
            "other:choices.delta.reasoning_details",
            "other:choices.message.reasoning_details",
            "other:usage.cost",
            "other:usage.cost_details",
            "other:usage.is_byok",
            "other:usage.server_tool_use_details",
            "other:usage.pydantic_ai_gateway",
        ),
        "routing and billing of one host",
        source="https://openrouter.ai/docs/api-reference/overview",
    ),
    _chat(
        "groq.extras",
        (
            "other:x_groq",
            "other:usage.queue_time",
            "other:usage.prompt_time",
            "other:usage.completion_time",
            "other:usage.total_time",
            "other:usage_breakdown",
            "other:choices.delta.executed_tools",
            "other:choices.message.executed_tools",
            "other:choices.delta.channel",
            "other:choices.message.channel",
        ),
        "timings and server-side tools of one host",
        source="https://console.groq.com/docs/api-reference",
    ),
    _chat(
        "perplexity.extras",
        (
            "other:citations",
            "other:search_results",
            "other:images",
            "other:usage.search_context_size",
            "other:usage.citation_tokens",
            "other:usage.num_search_queries",
        ),
        "search results of one host",
        source="https://docs.perplexity.ai/api-reference/chat-completions-post",
    ),
    _chat(
        "deepseek.extras",
        ("other:usage.prompt_cache_hit_tokens", "other:usage.prompt_cache_miss_tokens"),
        "cache figures of one host; the standard cached_tokens says the same",
        source="https://api-docs.deepseek.com/api/create-chat-completion",
    ),
    _chat(
        "host.usage_extras",
        (
            "other:usage.cached_tokens",
            "other:usage.num_cached_tokens",
            "other:usage.cache_creation_input_tokens",
            "other:usage.cache_read_input_tokens",
            "other:usage.reasoning_tokens",
            "other:usage.image_tokens",
            "other:usage.audio_prompt_tokens",
            "other:usage.prompt_audio_seconds",
            "other:usage.request_count",
            "other:usage.num_sources_used",
            "other:usage.cost_in_usd_ticks",
            "other:usage.latency_checkpoint",
        ),
        "figures that single hosts (xAI, Mistral, Moonshot, LiteLLM, Azure) add to usage",
        source="recorded openai-compatible traffic",
    ),
    _chat(
        "host.message_extras",
        (
            "other:choices.delta.name",
            "other:choices.delta.index",
            "other:choices.delta.token_id",
            "other:choices.message.name",
            "other:choices.delta.role",
            "other:choices.message.index",
            "other:choices.delta.content.closed",
            "other:choices.message.content.closed",
            "other:choices.message.tool_calls.index",
        ),
        "fields that single hosts (Cohere, Mistral, MiniMax, Moonshot) add to a message",
        source="recorded openai-compatible traffic",
    ),
    _chat(
        "host.serving_extras",
        (
            "other:choices.finish_details",
            "other:choices.matched_stop",
            "other:choices.stop_reason",
            "other:choices.seed",
            "other:choices.text",
            "other:choices.routed_experts",
            "other:choices.token_ids",
            "other:kv_transfer_params",
            "other:metadata",
            "other:metrics",
            "other:prompt_logprobs",
            "other:prompt_text",
            "other:prompt_token_ids",
            "other:request_id",
            "other:sla_metrics",
            "other:time_info",
            "other:stream_options",
            "other:user_id",
        ),
        "what single serving stacks (vLLM, SGLang, Cerebras, Together, ...) tell of how they served",
        source="recorded openai-compatible traffic",
    ),
)

_FROM_ANTHROPIC: Final = (
    _anthropic("anthropic.segments", ("text.segments", "order"), "Chat has one content string", "openai-chat"),
    _anthropic(
        "anthropic.cache_write", ("usage.cache_write",), "Gemini does not count what is written to a cache", "gemini"
    ),
    _anthropic("anthropic.citations", ("citations",), "citations by document and block have no counterpart"),
    _anthropic(
        "anthropic.server_tools", ("other:content",), "server tools and their results are Anthropic's own blocks"
    ),
    _anthropic(
        "anthropic.usage_details", ("other:usage",), "cache lifetimes and server tool counts have no counterpart"
    ),
    _anthropic(
        "anthropic.stop_sequence", ("other:stop_sequence", "other:stop_details"), "no other dialect says which one hit"
    ),
    _anthropic(
        "anthropic.unknown_events",
        ("other:unread",),
        "events of a type that the API has not named yet are to be passed over",
        source="https://platform.claude.com/docs/en/api/versioning (stored copy read 2026-11-21)",
    ),
    _anthropic("anthropic.container", ("other:container", "other:context_management"), "state that Anthropic keeps"),
    _anthropic(
        "anthropic.error_details", ("other:error", "other:request_id"), "request ids have no place in the document"
    ),
    _anthropic("anthropic.signatures", ("signatures",), "Chat has no field for signatures", "openai-chat"),
)

_OWN_TYPES: Final = tuple(
    LossRow(
        f"{name}.own_types",
        "response",
        origin,
        frozenset[Dialect]({"outcome"}),
        ("citations", "other"),
        "citations and what only one provider says have no form that the types of all libraries share",
        "docs/outcome.md",
    )
    for name, origin in _ORIGINS
)

RESPONSE_LOSSES: Final[tuple[LossRow, ...]] = (
    *_FROM_GEMINI,
    *_FROM_CHAT,
    *_HOSTS,
    *_FROM_ANTHROPIC,
    *_OWN_TYPES,
)
