"""What the client receives, spelt in another way that means the same: members of responses and of every event."""

import hashlib
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Final

from liberty import Conversion, Liberty, PassingOn

from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.wire import Dialect, JsonObject

CHAT: Final = "https://platform.openai.com/docs/api-reference/chat/object (2026-11-23)"
GEMINI: Final = "https://ai.google.dev/api/generate-content#GenerateContentResponse (2026-11-23)"
GEMINI_CALL: Final = "https://ai.google.dev/api/caching#FunctionCall (2026-11-23)"
PROTO_JSON: Final = "https://protobuf.dev/programming-guides/json/ (2026-11-23)"
MESSAGES: Final = "https://docs.anthropic.com/en/api/messages (2026-11-23)"

Edit = Callable[[JsonObject, Conversion], None]
"""Changes one successful response, or one event of a stream, where it stands."""


def edit_responses(name: str, source: str, allows: str, client: Dialect, edit: Edit, *upstreams: Dialect) -> Liberty:
    """Return a liberty that edits every response and every event for clients of one dialect."""

    def change_response(status: int, document: JsonObject, conversion: Conversion) -> tuple[int, JsonObject]:
        document = deepcopy(document)
        if status < 400 and "error" not in document:
            edit(document, conversion)
        return status, document

    class Editing(PassingOn):
        def feed(self, event: JsonObject) -> list[JsonObject]:
            event = deepcopy(event)
            if "error" not in event:
                edit(event, self.conversion)
            return [event]

    return Liberty(name, source, allows, (client,), upstreams, client_response=change_response, client_events=Editing)


def _messages(document: JsonObject) -> Iterator[JsonObject]:
    """Yield the messages of a whole Chat response."""
    return (
        obj(choice["message"]) for choice in objs(document.get("choices")) if isinstance(choice.get("message"), dict)
    )


def _messages_and_deltas(document: JsonObject) -> Iterator[JsonObject]:
    yield from _messages(document)
    yield from (
        obj(choice["delta"]) for choice in objs(document.get("choices")) if isinstance(choice.get("delta"), dict)
    )


def _parts(document: JsonObject) -> Iterator[JsonObject]:
    for candidate in objs(document.get("candidates")):
        yield from objs(obj(candidate.get("content")).get("parts"))


def _anthropic_messages(document: JsonObject) -> Iterator[JsonObject]:
    yield from [document] if document.get("type") == "message" else []
    yield from [obj(document["message"])] if document.get("type") == "message_start" else []


def _anthropic_blocks(document: JsonObject) -> Iterator[JsonObject]:
    """Yield whole blocks, and those that a stream begins."""
    for message in _anthropic_messages(document):
        yield from objs(message.get("content"))
    yield from [obj(document["content_block"])] if document.get("type") == "content_block_start" else []


def _set_default(names_and_values: JsonObject, document: JsonObject) -> None:
    for name, value in names_and_values.items():
        document.setdefault(name, deepcopy(value))


def _drop(document: JsonObject, *names: str) -> None:
    for name in names:
        document.pop(name, None)


# --- Chat ---


def _drop_null_content(document: JsonObject, _: Conversion) -> None:
    for message in _messages(document):
        if message.get("tool_calls") and message.get("content") is None:
            message.pop("content", None)


def _say_content_beside_calls(value: object) -> Edit:
    def edit(document: JsonObject, _: Conversion) -> None:
        for message in _messages(document):
            if message.get("tool_calls") and not message.get("content"):
                message["content"] = value

    return edit


def _add_chat_nulls(document: JsonObject, _: Conversion) -> None:
    _set_default({"system_fingerprint": None, "service_tier": None}, document)
    for choice in objs(document.get("choices")):
        _set_default({"logprobs": None}, choice)
    for message in _messages_and_deltas(document):
        _set_default(
            dict.fromkeys(("refusal", "function_call", "audio", "tool_calls", "annotations", "reasoning_content")),
            message,
        )


def _add_empty_chat_lists(document: JsonObject, _: Conversion) -> None:
    for message in _messages(document):
        _set_default({"tool_calls": [], "annotations": []}, message)


def _drop_chat_nulls(document: JsonObject, _: Conversion) -> None:
    for part in (document, *objs(document.get("choices")), *_messages_and_deltas(document)):
        _drop(part, *(name for name, value in list(part.items()) if value is None))


def _add_host_fields(document: JsonObject, _: Conversion) -> None:
    document.update({"provider": "Google", "prompt_logprobs": None, "kv_transfer_params": None})
    for choice in objs(document.get("choices")):
        choice.update({"native_finish_reason": choice.get("finish_reason"), "stop_reason": None, "token_ids": None})


def _respell_arguments(respell: Callable[[str], str]) -> Edit:
    def edit(document: JsonObject, _: Conversion) -> None:
        for message in _messages(document):
            for call in objs(message.get("tool_calls")):
                function = obj(call.get("function"))
                try:
                    function["arguments"] = respell(text(function.get("arguments")))
                except ValueError:
                    continue

    return edit


def _number_calls(document: JsonObject, _: Conversion) -> None:
    for message in _messages(document):
        for index, call in enumerate(objs(message.get("tool_calls"))):
            call["index"] = index


def _rename_reasoning(document: JsonObject, _: Conversion) -> None:
    for message in _messages_and_deltas(document):
        if "reasoning_content" in message:
            message["reasoning"] = message.pop("reasoning_content")


def _double_reasoning(document: JsonObject, _: Conversion) -> None:
    for message in _messages_and_deltas(document):
        if "reasoning_content" in message:
            message["reasoning"] = message["reasoning_content"]


def _detail_reasoning(document: JsonObject, conversion: Conversion) -> None:
    """Thinking of Anthropic's, which is signed, stands in details at the end of its stream anyway."""
    for message in (_messages_and_deltas if conversion.upstream == "gemini" else _messages)(document):
        if message.get("reasoning_content") and not message.get("reasoning_details"):
            detail = {"type": "reasoning.text", "text": message.pop("reasoning_content"), "format": None, "index": 0}
            message["reasoning_details"] = [detail]


_REQUESTS_REASONING: Final = ("reasoning_effort", "reasoning", "include_reasoning", "thinking", "extra_body", "google")


def _drop_unrequested_reasoning_and_nulls(document: JsonObject, conversion: Conversion) -> None:
    _drop_chat_nulls(document, conversion)
    if not any(name in conversion.request for name in _REQUESTS_REASONING):
        for message in _messages_and_deltas(document):
            _drop(message, "reasoning_content")


def _add_zero_details(document: JsonObject, _: Conversion) -> None:
    usage = obj(document.get("usage"))
    if usage:
        _set_default({"prompt_tokens_details": {}, "completion_tokens_details": {}}, usage)
        _set_default({"cached_tokens": 0, "audio_tokens": 0}, obj(usage["prompt_tokens_details"]))
        zeros = ("reasoning_tokens", "audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens")
        _set_default(dict.fromkeys(zeros, 0), obj(usage["completion_tokens_details"]))


def _null_details(document: JsonObject, _: Conversion) -> None:
    usage = obj(document.get("usage"))
    if usage:
        _set_default({"prompt_tokens_details": None, "completion_tokens_details": None, "cost": None}, usage)


def _made_id(seed: object, start: str) -> str:
    return start + hashlib.sha256(str(seed).encode()).hexdigest()[:24]


def _make_response_id(document: JsonObject, conversion: Conversion) -> None:
    if document.get("id"):
        document["id"] = _made_id(document["id"], "chatcmpl-")
        document["created"] = document["created"] if conversion.upstream == "openai-chat" else 1763800000


def _name_model(document: JsonObject, name: str) -> None:
    for member, holder in (("model", document), ("modelVersion", document), ("model", obj(document.get("message")))):
        if holder.get(member):
            holder[member] = name


def _echo_requested_model(document: JsonObject, conversion: Conversion) -> None:
    _name_model(document, text(conversion.request.get("model")) or conversion.model)


def _prefix_model(document: JsonObject, _: Conversion) -> None:
    if document.get("model"):
        document["model"] = f"provider/{document['model']}"


# --- Gemini ---


def _drop_candidate_index(document: JsonObject, _: Conversion) -> None:
    candidates = list(objs(document.get("candidates")))
    if len(candidates) == 1 and candidates[0].get("index") == 0:
        del candidates[0]["index"]


def _split_text_parts(document: JsonObject, _: Conversion) -> None:
    for candidate in objs(document.get("candidates")):
        content = obj(candidate.get("content"))
        if "parts" in content:
            content["parts"] = [half for part in objs(content["parts"]) for half in _halves(part)]


def _halves(part: JsonObject) -> list[JsonObject]:
    body = text(part.get("text"))
    if len(body) < 2 or set(part) - {"text", "thought"}:
        return [part]
    return [{**part, "text": body[: len(body) // 2]}, {**part, "text": body[len(body) // 2 :]}]


def _drop_empty_args(document: JsonObject, _: Conversion) -> None:
    for part in _parts(document):
        call = obj(part.get("functionCall"))
        if call.get("args") == {}:
            del call["args"]


def _say_thought_false(document: JsonObject, _: Conversion) -> None:
    for part in _parts(document):
        part.setdefault("thought", False)


def _detail_gemini_usage(document: JsonObject, _: Conversion) -> None:
    usage = obj(document.get("usageMetadata"))
    if usage.get("promptTokenCount"):
        detail = {"modality": "TEXT", "tokenCount": usage["promptTokenCount"]}
        _set_default({"promptTokensDetails": [detail], "trafficType": "ON_DEMAND"}, usage)


def _filter_as(word: str) -> Edit:
    def edit(document: JsonObject, _: Conversion) -> None:
        for candidate in objs(document.get("candidates")):
            if candidate.get("finishReason") == "SAFETY":
                candidate["finishReason"] = word

    return edit


def _drop_safety_ratings(document: JsonObject, _: Conversion) -> None:
    for holder in (*objs(document.get("candidates")), obj(document.get("promptFeedback"))):
        _drop(holder, "safetyRatings")


# --- Anthropic ---


def _add_anthropic_nulls(document: JsonObject, _: Conversion) -> None:
    for message in _anthropic_messages(document):
        _set_default({"container": None, "stop_details": None, "context_management": None}, message)
    for block in _anthropic_blocks(document):
        if block.get("type") == "text":
            block.setdefault("citations", None)


def _drop_anthropic_nulls(document: JsonObject, _: Conversion) -> None:
    for message in (*_anthropic_messages(document), obj(document.get("delta"))):
        if message.get("stop_sequence", 0) is None:
            del message["stop_sequence"]


def _add_cache_zeros(value: object) -> Edit:
    def edit(document: JsonObject, _: Conversion) -> None:
        for holder in (document, *_anthropic_messages(document)):
            if isinstance(holder.get("usage"), dict):
                names = ("cache_creation_input_tokens", "cache_read_input_tokens")
                _set_default({**dict.fromkeys(names, value), "server_tool_use": None}, obj(holder["usage"]))

    return edit


def _split_text_blocks(document: JsonObject, _: Conversion) -> None:
    for message in _anthropic_messages(document):
        blocks = [half for block in objs(message.get("content")) for half in _block_halves(block)]
        message["content"] = blocks


def _block_halves(block: JsonObject) -> list[JsonObject]:
    body = text(block.get("text"))
    if block.get("type") != "text" or len(body) < 2 or block.get("citations"):
        return [block]
    return [{**block, "text": body[: len(body) // 2]}, {**block, "text": body[len(body) // 2 :]}]


def _say_caller(document: JsonObject, _: Conversion) -> None:
    for block in _anthropic_blocks(document):
        if block.get("type") == "tool_use":
            block.setdefault("caller", {"type": "direct"})


def _make_message_id(document: JsonObject, _: Conversion) -> None:
    for message in _anthropic_messages(document):
        message["id"] = _made_id(message.get("id"), "msg_01")


def _make_gemini_id(document: JsonObject, _: Conversion) -> None:
    if document.get("responseId"):
        document["responseId"] = _made_id(document["responseId"], "")


# --- Ids of calls, undone before the next turn ---

_CALL_IDS: Final = ("id", "tool_call_id", "tool_use_id")


def _make_call_ids(
    name: str, source: str, client: Dialect, start: str, calls: Callable[[JsonObject], Iterator[JsonObject]]
) -> Liberty:
    made: dict[str, str] = {}

    def rename(document: JsonObject, _: Conversion) -> None:
        for call in calls(document):
            if call.get("id"):
                new = _made_id(call["id"], start)
                made[new] = text(call["id"])
                call["id"] = new

    def restore(document: JsonObject, _: Conversion) -> JsonObject:
        return obj(_restore_ids(document, made))

    allows = "The id of a call is opaque to the client, which only has to send it back."
    row = edit_responses(name, source, allows, client, rename)
    return Liberty(
        name, source, allows, (client,), client_request=restore, client_response=row.client_response,
        client_events=row.client_events,
    )  # fmt: skip


def _restore_ids(value: object, made: dict[str, str]) -> object:
    if isinstance(value, list):
        return [_restore_ids(item, made) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: made.get(item, item) if key in _CALL_IDS and isinstance(item, str) else _restore_ids(item, made)
        for key, item in value.items()
    }


def _chat_calls(document: JsonObject) -> Iterator[JsonObject]:
    return (call for message in _messages_and_deltas(document) for call in objs(message.get("tool_calls")))


def _tool_use_blocks(document: JsonObject) -> Iterator[JsonObject]:
    return (block for block in _anthropic_blocks(document) if block.get("type") == "tool_use")


def _function_calls(document: JsonObject) -> Iterator[JsonObject]:
    return (obj(part["functionCall"]) for part in _parts(document) if isinstance(part.get("functionCall"), dict))


def _space_arguments(raw: str) -> str:
    return json.dumps(json.loads(raw), ensure_ascii=False)


def _escape_arguments(raw: str) -> str:
    return json.dumps(json.loads(raw), separators=(",", ":"), ensure_ascii=True)


def _indent_and_sort_arguments(raw: str) -> str:
    return json.dumps(json.loads(raw), indent=1, sort_keys=True, ensure_ascii=False)


_ANY_TEXT: Final = "arguments is the text of a JSON object, which the client decodes."

RESPONSE_LIBERTIES: Final[tuple[Liberty, ...]] = (
    edit_responses(
        "chat-null-content-absent", "recorded: pydantic-ai/0446",
        "Content is optional beside tool_calls.", "openai-chat", _drop_null_content,
    ),
    edit_responses(
        "chat-content-empty-beside-calls", "recorded: dd-trace-py/0011",
        "Content may be the empty text beside tool_calls.", "openai-chat", _say_content_beside_calls(""),
    ),
    edit_responses(
        "chat-answer-nulls", "recorded: dd-trace-py/0108", "Optional members may be null.", "openai-chat", _add_chat_nulls,
    ),
    edit_responses(
        "chat-empty-lists", "recorded: maruel-genai/0730",
        "A message without calls may hold an empty list of them.", "openai-chat", _add_empty_chat_lists,
    ),
    edit_responses(
        "chat-no-nulls", "recorded: chatlas/0060", "A member that is null may be left out.", "openai-chat", _drop_chat_nulls,
    ),
    edit_responses(
        "chat-host-fields", "recorded: chatlas/0166, pydantic-ai/0305", "Hosts add members of their own, which clients pass over.", "openai-chat",
        _add_host_fields,
    ),
    edit_responses("chat-arguments-spaced", "recorded: braintrust/0064", _ANY_TEXT, "openai-chat", _respell_arguments(_space_arguments)),
    edit_responses("chat-answer-arguments-escaped", CHAT, _ANY_TEXT, "openai-chat", _respell_arguments(_escape_arguments)),
    edit_responses("chat-arguments-sorted", "recorded: dd-trace-py/0139", _ANY_TEXT, "openai-chat", _respell_arguments(_indent_and_sort_arguments)),
    edit_responses(
        "chat-numbered-calls", "recorded: maruel-genai/0276",
        "Hosts number the calls of a whole message as those of a stream.", "openai-chat", _number_calls,
    ),
    edit_responses(
        "chat-reasoning", "recorded: logfire/0014", "Reasoning stands in the member reasoning.", "openai-chat", _rename_reasoning,
        "gemini", "anthropic",
    ),
    edit_responses(
        "chat-reasoning-twice", "recorded: maruel-genai/0222", "Reasoning stands in two members, with the same text.", "openai-chat",
        _double_reasoning,
    ),
    edit_responses(
        "chat-reasoning-details", "recorded: ruby_llm/0408", "Reasoning stands in reasoning_details.", "openai-chat", _detail_reasoning,
        "gemini", "anthropic",
    ),
    edit_responses(
        "chat-bare-messages", "recorded: ai-gateway/0001, chatlas/0060",
        "Chat Completions has no member for the text of reasoning, and gives none; what is null may be left out as well.",
        "openai-chat", _drop_unrequested_reasoning_and_nulls, "gemini", "anthropic",
    ),
    edit_responses(
        "chat-zero-details", "recorded: braintrust/0004", "Counts of nothing are zero.", "openai-chat", _add_zero_details
    ),
    edit_responses("chat-null-details", "recorded: maruel-genai/0507", "Details of usage may be null.", "openai-chat", _null_details),
    edit_responses(
        "chat-made-id", CHAT, "id is a unique identifier, created the time of this response.", "openai-chat",
        _make_response_id,
    ),
    edit_responses(
        "chat-requested-model", "recorded: chatlas/0052", "model may be the one that was requested.", "openai-chat", _echo_requested_model
    ),
    edit_responses("chat-prefixed-model", "recorded: chatlas/0052", "Hosts prefix models.", "openai-chat", _prefix_model),
    edit_responses(
        "gemini-no-index", "recorded: braintrust/0005", "A number that is zero is left out.", "gemini", _drop_candidate_index
    ),
    edit_responses(
        "gemini-no-response-id", "recorded: dd-trace-py/0055",
        "responseId is optional.", "gemini", lambda document, _: _drop(document, "responseId"),
    ),
    edit_responses("gemini-no-model-version", "recorded: dd-trace-py/0055", "modelVersion is optional.", "gemini",
        lambda document, _: _drop(document, "modelVersion"),
    ),
    edit_responses("gemini-made-id", GEMINI, "responseId identifies the response.", "gemini", _make_gemini_id),
    edit_responses(
        "gemini-requested-model", "recorded: braintrust/0005", "modelVersion may be the model that was requested.", "gemini",
        _echo_requested_model,
    ),
    edit_responses(
        "gemini-text-in-parts", "recorded: ruby_llm/0256", "Text may come in several parts, which clients join.", "gemini", _split_text_parts, "openai-chat", "anthropic",
    ),
    edit_responses(
        "gemini-no-empty-args", "recorded: js-genai/0073", "args is optional.",
        "gemini", _drop_empty_args,
    ),
    edit_responses("gemini-thought-false", PROTO_JSON, "false is the default.", "gemini", _say_thought_false),
    edit_responses(
        "gemini-usage-by-modality", "recorded: braintrust/0005", "Usage may be detailed by modality.", "gemini", _detail_gemini_usage
    ),
    edit_responses(
        "gemini-prohibited-content", "https://ai.google.dev/api/generate-content#FinishReason (2026-11-23)",
        "Gemini has several reasons for filtered content, Chat and Anthropic one each.", "gemini", _filter_as("PROHIBITED_CONTENT"),
        "openai-chat", "anthropic",
    ),
    edit_responses("anthropic-answer-nulls", "recorded: chatlas/0020", "Optional members may be null.", "anthropic", _add_anthropic_nulls),
    edit_responses(
        "anthropic-no-nulls", "recorded: vercel-ai/0027", "stop_sequence may be absent.", "anthropic", _drop_anthropic_nulls
    ),
    edit_responses(
        "anthropic-cache-zeros", "recorded: braintrust/0002", "Counts of nothing are zero.", "anthropic", _add_cache_zeros(0)
    ),
    edit_responses(
        "anthropic-cache-nulls", MESSAGES, "Counts of the cache may be null.", "anthropic", _add_cache_zeros(None)
    ),
    edit_responses(
        "anthropic-text-in-blocks", "recorded: maruel-genai/0124",
        "Text may come in several blocks.", "anthropic", _split_text_blocks, "gemini", "openai-chat",
    ),
    edit_responses(
        "anthropic-caller", "recorded: dd-trace-py/0001",
        "A call may name its caller.", "anthropic", _say_caller,
    ),
    edit_responses("anthropic-made-id", MESSAGES, "id identifies the message.", "anthropic", _make_message_id),
    edit_responses(
        "anthropic-requested-model", "recorded: braintrust/0035", "model may be the one that was requested.", "anthropic",
        _echo_requested_model,
    ),
    _make_call_ids("chat-made-call-ids", CHAT, "openai-chat", "call_", _chat_calls),
    _make_call_ids("anthropic-made-call-ids", MESSAGES, "anthropic", "toolu_01", _tool_use_blocks),
    _make_call_ids("gemini-made-call-ids", GEMINI_CALL, "gemini", "fc", _function_calls),
)  # fmt: skip
