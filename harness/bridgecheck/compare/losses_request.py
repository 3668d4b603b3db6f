"""Losses of requests: what the client asked and the provider's dialect has no word for."""

from typing import Final

from bridgecheck.compare.loss_row import LossRow
from bridgecheck.compare.losses_request_anthropic import FROM_ANTHROPIC
from bridgecheck.wire import Dialect

_GEMINI_DOC: Final = "https://ai.google.dev/api/generate-content (stored copy read 2026-11-21)"
_CHAT_DOC: Final = "https://platform.openai.com/docs/api-reference/chat/create (stored copy read 2026-11-21)"


def _gemini(name: str, paths: tuple[str, ...], reason: str, *targets: Dialect, source: str = _GEMINI_DOC) -> LossRow:
    return LossRow(name, "request", "gemini", frozenset(targets or ("openai-chat", "anthropic")), paths, reason, source)


def _chat(name: str, paths: tuple[str, ...], reason: str, *targets: Dialect, source: str = _CHAT_DOC) -> LossRow:
    return LossRow(name, "request", "openai-chat", frozenset(targets or ("gemini", "anthropic")), paths, reason, source)


_FROM_GEMINI: Final = (
    _gemini("gemini.top_k", ("settings.top_k",), "Chat has no top_k", "openai-chat"),
    _gemini(
        "gemini.settings",
        (
            "settings.seed",
            "settings.n",
            "settings.presence_penalty",
            "settings.frequency_penalty",
            "settings.logprobs",
            "settings.top_logprobs",
        ),
        "Anthropic has none of these",
        "anthropic",
    ),
    _gemini(
        "gemini.include_thoughts", ("thinking.include",), "no other dialect lets the client ask for thoughts alone"
    ),
    _gemini(
        "gemini.thinking_off",
        ("thinking.off",),
        "most Chat models refuse reasoning_effort none, and absent is the nearest; those known to take it are told",
        "openai-chat",
    ),
    _gemini(
        "gemini.json_object",
        ("response_format.json_object",),
        "Anthropic answers in JSON only by a schema",
        "anthropic",
    ),
    _gemini("gemini.validated", ("tool_choice.validated",), "VALIDATED has no counterpart; auto is the nearest"),
    _gemini("gemini.allowed_tools", ("tool_choice.allowed",), "Anthropic forces one tool or any", "anthropic"),
    _gemini("gemini.builtin_tools", ("tools.builtin",), "built-in tools are run by Google's servers"),
    _gemini(
        "gemini.function_response_schema",
        (
            "other:tools.functionDeclarations.response",
            "other:tools.functionDeclarations.responseJsonSchema",
            "other:tools.functionDeclarations.behavior",
        ),
        "only Gemini declares what a function answers and whether it blocks",
    ),
    _gemini(
        "gemini.result_timing",
        ("other:contents.parts.functionResponse.willContinue", "other:contents.parts.functionResponse.scheduling"),
        "only Gemini takes a result in pieces, or says when the model is to react to it",
    ),
    _gemini(
        "gemini.foreign_signatures",
        ("turns.signatures",),
        "Gemini's signatures mean nothing to Anthropic; what has to come back is judged by relay.signatures",
        "anthropic",
        source="https://ai.google.dev/gemini-api/docs/thought-signatures",
    ),
    _gemini(
        "gemini.reasoning",
        ("turns.reasoning",),
        "replayed thoughts are ignored or refused by Chat hosts; pure Chat has no field",
        "openai-chat",
    ),
    _gemini(
        "gemini.reasoning_unsigned",
        ("turns.reasoning",),
        "thinking blocks need a signature of Anthropic's own",
        "anthropic",
    ),
    _gemini(
        "gemini.media_detail",
        (
            "turns.media.detail",
            "other:contents.parts.videoMetadata",
            "other:contents.parts.functionResponse.parts.inlineData.displayName",
        ),
        "frame rate, offsets and resolution of media, and the names of images, have no counterpart",
    ),
    _gemini(
        "gemini.media_kind",
        ("turns.media.video", "turns.media.audio", "turns.media.uri"),
        "Chat takes images, wav or mp3 and files by value; only Google can read its own file and gs:// addresses",
    ),
    _gemini(
        "gemini.turn_order",
        ("turns.order",),
        "a Chat message keeps text, reasoning and calls in separate fields",
        "openai-chat",
    ),
    _gemini(
        "gemini.code_parts",
        ("turns.other.executableCode", "turns.other.codeExecutionResult"),
        "replayed code execution has no counterpart but text",
    ),
    _gemini(
        "gemini.server_tool_parts",
        ("turns.other.toolCall", "turns.other.toolResponse"),
        "replayed server-side tool calls have no counterpart",
    ),
    _gemini(
        "gemini.safety_settings", ("other:safetySettings",), "no other dialect lets the client set filter thresholds"
    ),
    _gemini("gemini.cached_content", ("other:cachedContent",), "the name of a cache that Google keeps"),
    _gemini("gemini.labels", ("other:labels",), "billing labels of Vertex AI"),
    _gemini(
        "gemini.modalities",
        (
            "settings.modalities",
            "other:generationConfig.responseModalities",
            "other:generationConfig.speechConfig",
            "other:generationConfig.imageConfig",
            "other:generationConfig.mediaResolution",
            "other:generationConfig.audioTimestamp",
        ),
        "what the answer may consist of is chosen by model elsewhere; Chat knows text and audio",
    ),
    _gemini(
        "gemini.config_extras",
        (
            "other:generationConfig.routingConfig",
            "other:generationConfig.modelSelectionConfig",
            "other:generationConfig.enableAffectiveDialog",
            "other:generationConfig.enableEnhancedCivicAnswers",
            "other:generationConfig.enableImageTranscription",
            "other:serviceTier",
            "other:store",
        ),
        "switches of Google's own service",
    ),
    _gemini(
        "gemini.tool_config",
        (
            "other:toolConfig.includeServerSideToolInvocations",
            "other:toolConfig.retrievalConfig",
            "other:toolConfig.functionCallingConfig.streamFunctionCallArguments",
        ),
        "switches for tools that Google runs and for streaming arguments, which Chat always does",
    ),
    _gemini("gemini.features", ("features",), "headers of Google's own service"),
)

_FROM_CHAT: Final = (
    _chat("chat.name", ("turns.name", "other:messages.name"), "no other dialect names participants"),
    _chat("chat.detail", ("turns.media.detail",), "Gemini's resolution levels are not Chat's detail words"),
    _chat(
        "chat.strict",
        ("tools.strict", "response_format.strict"),
        "Gemini has no strict flag; a schema always binds it",
        "gemini",
    ),
    _chat(
        "chat.format_name",
        ("response_format.name", "other:response_format.json_schema.description"),
        "Gemini's schema has no name of its own",
        "gemini",
    ),
    _chat(
        "chat.format_extras",
        ("response_format.strict", "response_format.name", "other:response_format.json_schema.description"),
        "Anthropic's schema always binds the answer and has no name",
        "anthropic",
    ),
    _chat(
        "chat.json_object",
        ("response_format.json_object",),
        "Anthropic answers in JSON only by a schema",
        "anthropic",
    ),
    _chat("chat.allowed_tools", ("tool_choice.allowed",), "Anthropic forces one tool or any", "anthropic"),
    _chat(
        "chat.sound_and_video",
        ("turns.media.audio", "turns.media.video", "turns.media.uri.video"),
        "Anthropic's models take images and documents",
        "anthropic",
    ),
    _chat(
        "chat.held_files",
        ("turns.media.uri.held", "turns.media.uri.document"),
        "file ids of OpenAI; what Anthropic fetches by address are images and PDF",
        "anthropic",
    ),
    _chat("chat.parallel", ("tool_choice.parallel",), "Gemini cannot be told to call one tool at a time", "gemini"),
    _chat("chat.older_limit", ("other:max_tokens",), "max_completion_tokens, which took its place, stands beside it"),
    _chat("chat.user", ("settings.user",), "Gemini has no end-user id", "gemini"),
    _chat(
        "chat.settings",
        (
            "settings.seed",
            "settings.n",
            "settings.presence_penalty",
            "settings.frequency_penalty",
            "settings.logprobs",
            "settings.top_logprobs",
        ),
        "Anthropic has none of these",
        "anthropic",
    ),
    _chat("chat.top_k_extension", ("settings.top_k",), "an extension of single hosts"),
    _chat(
        "chat.reasoning",
        ("turns.reasoning",),
        "reasoning of another provider carries no signature that Gemini or Anthropic takes",
    ),
    _chat(
        "chat.media_kind",
        ("turns.media.uri", "turns.media.file_id"),
        "file ids of OpenAI and addresses that the provider will not fetch by itself",
        "gemini",
    ),
    _chat(
        "chat.storage",
        ("other:store", "other:metadata", "settings.store", "settings.metadata"),
        "OpenAI's own storage of answers",
    ),
    _chat(
        "chat.service",
        (
            "other:service_tier",
            "other:safety_identifier",
            "other:prompt_cache_key",
            "other:prompt_cache_retention",
            "settings.service_tier",
            "settings.safety_identifier",
            "settings.prompt_cache_key",
        ),
        "OpenAI's own capacity, abuse and cache handling",
    ),
    _chat(
        "chat.verbosity",
        ("other:verbosity", "settings.verbosity", "other:text"),
        "no other dialect has a verbosity switch",
    ),
    _chat("chat.logit_bias", ("other:logit_bias", "settings.logit_bias"), "keyed by the token ids of one tokenizer"),
    _chat("chat.prediction", ("other:prediction", "settings.prediction"), "no other dialect takes predicted output"),
    _chat(
        "chat.audio",
        ("other:audio", "other:modalities", "settings.modalities", "settings.audio"),
        "voice and container of audio answers are not named alike",
    ),
    _chat(
        "chat.web_search",
        ("other:web_search_options", "settings.web_search_options"),
        "search that OpenAI runs by itself",
    ),
    _chat("chat.builtin_tools", ("tools.builtin",), "tools of one host"),
    _chat(
        "chat.stream_options",
        ("other:stream_options", "settings.include_usage"),
        "how a Chat stream is padded and counted",
    ),
    _chat(
        "chat.cache_control",
        (
            "other:messages.content.cache_control",
            "other:messages.cache_control",
            "other:tools.cache_control",
            "other:tools.function.cache_control",
        ),
        "cache marks that some hosts take over from Anthropic",
        "gemini",
    ),
    _chat(
        "chat.history_extras",
        (
            "other:messages.prefix",
            "other:messages.reasoning_details",
            "other:messages.annotations",
            "other:messages.audio",
            "other:messages.tool_calls.index",
            "other:messages.function_call",
            "turns.other.audio",
            "other:messages.tool_calls.type",
        ),
        "fields of an answer replayed in the history that no other dialect takes back",
    ),
    _chat(
        "chat.carriers",
        ("other:messages.extra_content", "other:messages.tool_calls.extra_content", "turns.signatures"),
        "what an adapter puts on its answers to read it back; what it carried is judged by relay.signatures",
        source="https://ai.google.dev/gemini-api/docs/openai",
    ),
    _chat("chat.features", ("features",), "headers of OpenAI's own service"),
)

_HOSTS: Final = (
    _chat(
        "host.google_parameters",
        ("other:extra_body.google", "other:google"),
        "Gemini's own parameters, which Google's endpoint of this dialect takes",
        "anthropic",
        source="https://ai.google.dev/gemini-api/docs/openai",
    ),
    _chat(
        "host.thinking_switches",
        (
            "other:enable_thinking",
            "other:chat_template_args",
            "other:chat_template_kwargs",
            "other:reasoning_format",
            "other:thinking",
            "other:include_reasoning",
            "other:reasoning",
        ),
        "switches of single hosts beside reasoning_effort",
        source="recorded openai-compatible traffic",
    ),
    _chat(
        "host.search_switches",
        (
            "other:disable_search",
            "other:return_images",
            "other:return_related_questions",
            "other:search_settings",
            "other:search_domain_filter",
        ),
        "search of one host",
        source="https://docs.perplexity.ai/api-reference/chat-completions-post",
    ),
    _chat(
        "host.sampling_extras",
        (
            "other:random_seed",
            "other:safe_prompt",
            "other:min_p",
            "other:repetition_penalty",
            "other:top_a",
            "other:transforms",
            "other:provider",
            "other:models",
            "other:plugins",
            "other:usage",
            "other:tools.function.arguments",
        ),
        "switches of single hosts (Mistral, OpenRouter, vLLM)",
        source="recorded openai-compatible traffic",
    ),
    _chat(
        "host.documents",
        (
            "other:messages.content.document_url",
            "turns.other.document_url",
            "turns.other.video_url",
            "turns.other.thinking",
        ),
        "content types of single hosts (Mistral, Moonshot)",
        source="recorded openai-compatible traffic",
    ),
)

REQUEST_LOSSES: Final[tuple[LossRow, ...]] = (*_FROM_GEMINI, *_FROM_CHAT, *_HOSTS, *FROM_ANTHROPIC)
