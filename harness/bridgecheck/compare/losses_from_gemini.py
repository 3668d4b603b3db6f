"""Losses of what Gemini expresses: in a response of its providers, and in a request of its clients."""

from typing import Final

from bridgecheck.compare.loss_row import LossRow, RowMaker

_DOC: Final = "https://ai.google.dev/api/generate-content (stored copy read 2026-11-21)"

_response = RowMaker("response", "gemini", _DOC)
_request = RowMaker("request", "gemini", _DOC)

RESPONSE_LOSSES: Final[tuple[LossRow, ...]] = (
    _response("gemini.segments", "text.segments", "Chat has one content string"),
    _response("gemini.order", "order", "Chat keeps text, reasoning and calls in separate fields"),
    _response("gemini.choices", "choices", "Anthropic answers with one message"),
    _response("gemini.code", "code other:candidates.content.parts.executableCode "
        "other:candidates.content.parts.codeExecutionResult", "only Gemini has parts for executed code and its output"),
    _response("gemini.tool_prompt", "usage.tool_prompt", "no other dialect counts the prompt of built-in tools apart"),
    _response("gemini.total", "usage.total", "Anthropic gives no total"),
    _response("gemini.media", "media", "Anthropic's models answer in text only"),
    _response("gemini.raw_audio", "media.audio.l16 media.audio.pcm media.video", "Chat answers with wav, mp3, flac, "
        "opus or pcm16 behind an id and a transcript, and never with video", "openai-chat"),
    _response("gemini.grounding", "citations other:candidates.groundingMetadata other:candidates.citationMetadata",
        "others cite by character span and URL; grounding chunks, supports and search entry point have no place"),
    _response("gemini.safety_ratings", "other:candidates.safetyRatings other:promptFeedback.safetyRatings",
        "no other dialect rates an answer by harm category"),
    _response("gemini.prompt_feedback", "other:promptFeedback",
        "the text of a block has no place beside the finish reason"),
    _response("gemini.avg_logprobs", "other:candidates.avgLogprobs", "no other dialect gives a mean log probability"),
    _response("gemini.logprobs", "other:candidates.logprobsResult", "Anthropic gives no log probabilities",
        "anthropic"),
    _response("gemini.logprobs_of_text", "other:candidates.logprobsResult",
        "Chat gives tokens and log probabilities, too, with bytes in place of ids", "openai-chat",
        source="https://platform.openai.com/docs/api-reference/chat/object (2026-11-23)", location="choices.logprobs"),
    _response("gemini.url_context", "other:candidates.urlContextMetadata", "no other dialect reports fetched URLs"),
    _response("gemini.finish_message", "other:candidates.finishMessage", "a finish reason is one word elsewhere"),
    _response("gemini.token_count", "other:candidates.tokenCount", "no other dialect counts one candidate"),
    _response("gemini.token_details", "other:usageMetadata.promptTokensDetails "
        "other:usageMetadata.candidatesTokensDetails other:usageMetadata.cacheTokensDetails "
        "other:usageMetadata.toolUsePromptTokensDetails",
        "Gemini counts by modality; Chat splits off audio only, Anthropic nothing"),
    _response("gemini.service_tier", "other:usageMetadata.serviceTier other:usageMetadata.trafficType",
        "which capacity served the request has no common name"),
    _response("gemini.model_status", "other:modelStatus", "no other dialect reports the life cycle of a model"),
    _response("gemini.create_time", "other:createTime", "Chat has whole seconds of its own answer, Anthropic no time"),
    _response("gemini.server_tools", "other:candidates.content.parts.toolCall "
        "other:candidates.content.parts.toolResponse other:candidates.content.parts.functionResponse",
        "calls that the provider ran by itself have no place in Chat; Anthropic's are of other kinds"),
    _response("gemini.part_metadata", "other:candidates.content.parts.videoMetadata "
        "other:candidates.content.parts.mediaResolution other:candidates.content.parts.partMetadata "
        "other:candidates.content.parts.inlineData.displayName", "no other dialect lets a part carry metadata"),
    _response("gemini.error_details", "other:error",
        "typed error details have no place; kind, status and retry hint are kept"),
    _response("gemini.server_tool_signatures", "other:candidates.content.parts.thoughtSignature",
        "signatures of calls that Google ran go with the calls", "anthropic"),
    _response("gemini.signatures", "signatures other:candidates.content.parts.thoughtSignature",
        "Chat has no field for signatures of text; carriers are judged in turn 2"),
    _response("gemini.signatures_of_text", "signatures",
        "Anthropic signs thinking alone; a client that asked for none reads its text only where no block of it stands",
        "anthropic"),
)  # fmt: skip

REQUEST_LOSSES: Final[tuple[LossRow, ...]] = (
    _request("gemini.top_k", "settings.top_k", "Chat has no top_k"),
    _request("gemini.settings", "settings.seed settings.n settings.presence_penalty settings.frequency_penalty "
        "settings.logprobs settings.top_logprobs", "Anthropic has none of these"),
    _request("gemini.include_thoughts", "thinking.include", "no other dialect lets the client ask for thoughts alone",
        "anthropic", "openai-chat"),
    _request("gemini.thinking_off", "thinking.off", "most Chat models refuse reasoning_effort none, and absent is the "
        "nearest; models that accept it receive it", "openai-chat"),
    _request("gemini.json_object", "response_format.json_object", "Anthropic answers in JSON only by a schema",
        "anthropic"),
    _request("gemini.validated", "tool_choice.validated", "VALIDATED has no counterpart; auto is the nearest"),
    _request("gemini.allowed_tools", "tool_choice.allowed", "Anthropic forces one tool or any"),
    _request("gemini.builtin_tools", "tools.builtin", "built-in tools are run by Google's servers"),
    _request("gemini.function_response_schema", "other:tools.functionDeclarations.response "
        "other:tools.functionDeclarations.responseJsonSchema other:tools.functionDeclarations.behavior",
        "only Gemini declares what a function answers and whether it blocks"),
    _request("gemini.result_timing",
        "other:contents.parts.functionResponse.willContinue other:contents.parts.functionResponse.scheduling",
        "only Gemini takes a result in pieces, or says when the model is to react to it"),
    _request("gemini.foreign_signatures", "turns.signatures",
        "Gemini's signatures mean nothing to Anthropic; what has to come back is judged by relay.signatures",
        "anthropic", source="https://ai.google.dev/gemini-api/docs/thought-signatures"),
    _request("gemini.reasoning", "turns.reasoning",
        "replayed thoughts are ignored or refused by Chat hosts; pure Chat has no field", "openai-chat"),
    _request("gemini.reasoning_unsigned", "turns.reasoning", "thinking blocks need a signature of Anthropic's own",
        "anthropic"),
    _request("gemini.picture_name", "turns.media.detail.name.image turns.media.detail.name.audio "
        "turns.media.detail.name.video", "only documents have a name elsewhere", "anthropic", "openai-chat"),
    _request("gemini.file_name", "turns.media.detail.name", "a file of Chat has a filename, a document of Anthropic a "
        "title", "anthropic", "openai-chat", source="https://platform.openai.com/docs/api-reference/chat/create, "
        "https://docs.anthropic.com/en/api/messages (2026-11-23)", location="file.filename or document.title"),
    _request("gemini.media_detail", "turns.media.detail other:contents.parts.videoMetadata "
        "other:contents.parts.functionResponse.parts.inlineData.displayName", "frame rate, offsets and resolution of "
        "media, and the names of media in results, have no counterpart", "anthropic", "openai-chat"),
    _request("gemini.media_kind", "turns.media.video turns.media.audio turns.media.uri.held turns.media.uri.text "
        "turns.media.uri.video turns.media.uri.audio turns.media.uri.web",
        "Chat takes images, wav or mp3 and files by value; only Google can read its own file and gs:// addresses"),
    _request("gemini.document_address", "turns.media.uri.document", "Chat takes documents by value", "openai-chat"),
    _request("gemini.turn_order", "turns.order", "a Chat message keeps text, reasoning and calls in separate fields",
        "openai-chat"),
    _request("gemini.code_parts", "turns.other.executableCode turns.other.codeExecutionResult",
        "the code that ran and its output can be replayed as text", location="text"),
    _request("gemini.server_tool_parts", "turns.other.toolCall turns.other.toolResponse",
        "replayed server-side tool calls have no counterpart"),
    _request("gemini.safety_settings", "other:safetySettings",
        "no other dialect lets the client set filter thresholds"),
    _request("gemini.cached_content", "other:cachedContent", "the name of a cache that Google keeps"),
    _request("gemini.labels", "other:labels", "billing labels of Vertex AI"),
    _request("gemini.part_notes", "other:contents.parts.partMetadata other:systemInstruction.parts.partMetadata",
        "no other dialect lets a part carry metadata"),
    _request("gemini.modalities", "settings.modalities other:generationConfig.responseModalities "
        "other:generationConfig.speechConfig other:generationConfig.imageConfig other:generationConfig.mediaResolution "
        "other:generationConfig.audioTimestamp", "what the answer may consist of is chosen by model elsewhere; Chat "
        "knows text and audio"),
    _request("gemini.config_extras", "other:generationConfig.routingConfig other:generationConfig.modelSelectionConfig "
        "other:generationConfig.enableAffectiveDialog other:generationConfig.enableEnhancedCivicAnswers "
        "other:serviceTier other:store",
        "switches of Google's own service"),
    _request("gemini.tool_config", "other:toolConfig.includeServerSideToolInvocations other:toolConfig.retrievalConfig "
        "other:toolConfig.functionCallingConfig.streamFunctionCallArguments", "switches for tools that Google runs and "
        "for streaming arguments, which Chat always does"),
    _request("gemini.features", "features", "headers of Google's own service"),
)  # fmt: skip
