"""Losses of what Chat Completions expresses: in a response of its providers, and in a request of its clients."""

from typing import Final

from bridgecheck.compare.loss_row import LossRow, RowMaker

_RESPONSE_DOC: Final = "https://platform.openai.com/docs/api-reference/chat/object (stored copy read 2026-11-21)"
_REQUEST_DOC: Final = "https://platform.openai.com/docs/api-reference/chat/create (stored copy read 2026-11-21)"

_response = RowMaker("response", "openai-chat", _RESPONSE_DOC)
_request = RowMaker("request", "openai-chat", _REQUEST_DOC)

RESPONSE_LOSSES: Final[tuple[LossRow, ...]] = (
    _response("chat.refusal", "refusal", "only Chat has a refusal text beside the content"),
    _response("chat.choices", "choices", "Anthropic answers with one message"),
    _response("chat.total", "usage.total", "Anthropic gives no total"),
    _response("chat.cache_write", "usage.cache_write", "Gemini does not count what is written to a cache"),
    _response("chat.media", "media", "Anthropic's models answer in text only"),
    _response("chat.audio", "media.audio",
        "the container of Chat's audio stands in the request; Gemini wants it in the answer", "gemini"),
    _response("chat.citations", "citations",
        "a URL citation with a span is no grounding chunk of Gemini, nor the reverse"),
    _response("chat.logprobs", "other:choices.logprobs", "Anthropic gives no log probabilities", "anthropic"),
    _response("chat.logprobs_of_text", "other:choices.logprobs.content",
        "Gemini gives tokens and log probabilities, too, with ids in place of bytes", "gemini",
        source="https://ai.google.dev/api/generate-content#LogprobsResult (2026-11-23)",
        location="candidates.logprobsResult"),
    _response("chat.logprobs_extras", "other:choices.logprobs", "Gemini gives log probabilities of its text alone",
        "gemini"),
    _response("chat.fingerprint", "other:system_fingerprint", "no other dialect names the backend configuration"),
    _response("chat.service_tier", "other:service_tier", "which capacity served has no common name"),
    _response("chat.created", "other:created", "Anthropic gives no time", "anthropic"),
    _response("chat.created_as_time", "other:created", "Gemini's createTime, which is optional, is this time", "gemini",
        source="https://ai.google.dev/api/generate-content#GenerateContentResponse (2026-11-23)",
        location="createTime"),
    _response("chat.object", "other:object", "the name of the document's type"),
    _response("chat.usage_details", "other:usage.prompt_tokens_details other:usage.completion_tokens_details",
        "audio and prediction tokens are not counted apart elsewhere"),
    _response("chat.audio_extras", "other:choices.message.audio",
        "id, expiry and transcript of an audio answer have no place"),
    _response("chat.custom_tool", "other:choices.message.tool_calls.custom other:choices.message.tool_calls.type",
        "no other dialect tells a call of free-form text from a call of a function"),
    _response("chat.error_details", "other:error", "param, type and provider's own text have no place"),
    _response("chat.reasoning_details", "other:choices.message.reasoning_details",
        "what a host keeps beside the text of its reasoning", source="https://openrouter.ai/docs/api-reference/overview"),
    _response("chat.stored", "other:metadata other:moderation", "what OpenAI keeps and rates of an answer"),
)  # fmt: skip

REQUEST_LOSSES: Final[tuple[LossRow, ...]] = (
    _request("chat.name", "turns.name other:messages.name", "no other dialect names participants"),
    _request("chat.file_name", "turns.media.detail.name", "a document of Anthropic has a title", "anthropic",
        source="https://docs.anthropic.com/en/api/messages (2026-11-23)", location="document.title"),
    _request("chat.detail", "turns.media.detail", "Gemini's resolution levels are not Chat's detail words, and its API "
        "takes names of files on Vertex AI alone", "anthropic", "gemini"),
    _request("chat.strict", "tools.strict response_format.strict",
        "Gemini has no strict flag; a schema always binds it"),
    _request("chat.format_name", "response_format.name other:response_format.json_schema.description",
        "Gemini's schema has no name of its own", "gemini"),
    _request("chat.format_extras",
        "response_format.strict response_format.name other:response_format.json_schema.description",
        "Anthropic's schema always binds the answer and has no name", "anthropic"),
    _request("chat.json_object", "response_format.json_object", "Anthropic answers in JSON only by a schema",
        "anthropic"),
    _request("chat.allowed_tools", "tool_choice.allowed", "Anthropic forces one tool or any"),
    _request("chat.sound_and_video", "turns.media.audio turns.media.video turns.media.uri.video",
        "Anthropic's models take images and documents", "anthropic"),
    _request("chat.held_files", "turns.media.uri.held turns.media.uri.document turns.media.uri.text",
        "file ids of OpenAI; what Anthropic fetches by address are images and PDF", "anthropic"),
    _request("chat.parallel", "tool_choice.parallel", "Gemini cannot be limited to one tool call at a time"),
    _request("chat.older_limit", "other:max_tokens", "max_completion_tokens, which took its place, stands beside it"),
    _request("chat.user", "settings.user", "Gemini has no end-user id"),
    _request("chat.settings", "settings.seed settings.n settings.presence_penalty settings.frequency_penalty "
        "settings.logprobs settings.top_logprobs", "Anthropic has none of these"),
    _request("chat.top_k_extension", "settings.top_k", "an extension of single hosts"),
    _request("chat.reasoning", "turns.reasoning",
        "reasoning of another provider carries no signature that Gemini or Anthropic takes"),
    _request("chat.media_kind", "turns.media.uri.held turns.media.uri.document turns.media.uri.text "
        "turns.media.uri.video turns.media.uri.audio", "file ids of OpenAI, and addresses that Chat does not document",
        "gemini"),
    _request("chat.storage", "other:store other:metadata settings.store settings.metadata",
        "OpenAI's own storage of answers"),
    _request("chat.service", "other:service_tier other:safety_identifier other:prompt_cache_key "
        "other:prompt_cache_retention other:prompt_cache_options other:moderation settings.service_tier "
        "settings.safety_identifier settings.prompt_cache_key",
        "OpenAI's own capacity, abuse and cache handling"),
    _request("chat.verbosity", "other:verbosity settings.verbosity", "no other dialect has a verbosity switch"),
    _request("chat.logit_bias", "other:logit_bias settings.logit_bias", "keyed by the token ids of one tokenizer"),
    _request("chat.prediction", "other:prediction settings.prediction", "no other dialect takes predicted output"),
    _request("chat.audio", "other:audio other:modalities settings.modalities settings.audio",
        "voice and container of audio answers are not named alike"),
    _request("chat.web_search", "other:web_search_options settings.web_search_options",
        "search that OpenAI runs by itself"),
    _request("chat.builtin_tools", "tools.builtin", "tools of one host"),
    _request("chat.stream_options", "other:stream_options settings.include_usage",
        "how a Chat stream is padded and counted"),
    _request("chat.history_extras",
        "other:messages.audio other:messages.function_call turns.other.audio other:messages.tool_calls.type",
        "fields of an answer replayed in the history that no other dialect takes back"),
    _request("chat.carriers", "other:messages.tool_calls.extra_content turns.signatures",
        "what an adapter puts on its answers to read it back; what it carried is judged by relay.signatures",
        source="https://ai.google.dev/gemini-api/docs/openai"),
    _request("chat.features", "features", "headers of OpenAI's own service"),
)  # fmt: skip
