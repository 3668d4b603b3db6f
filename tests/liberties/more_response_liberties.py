"""What the client receives as hosts in use spell it: counts left out or repeated, ids that it never sees, reasoning that it
did not ask for left out."""

import json
from copy import deepcopy
from typing import Final

from liberty import Conversion, Liberty, PassingOn
from response_liberties import edit_responses

from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.wire import Dialect, JsonObject

# Counts


def _drop_zeros(document: JsonObject, _: Conversion) -> None:
    """Leave details of usage out whose count is zero."""
    holders = [obj(document.get("usage")), obj(obj(document.get("message")).get("usage"))]
    holders.append(obj(document.get("usageMetadata")))
    for usage in holders:
        for key, value in list(usage.items()):
            if isinstance(value, dict):
                usage[key] = {name: count for name, count in value.items() if count != 0}
            if usage[key] in ({}, 0) and key not in _REQUIRED_COUNTS:
                del usage[key]


_REQUIRED_COUNTS: Final = ("prompt_tokens", "completion_tokens", "total_tokens", "input_tokens", "output_tokens")


class _RunningGeminiUsage(PassingOn):
    """Every event counts what there is by then; the last count is the one."""

    def feed(self, event: JsonObject) -> list[JsonObject]:
        is_underway = not any(candidate.get("finishReason") for candidate in objs(event.get("candidates")))
        if "error" in event or "usageMetadata" in event or not event.get("candidates") or not is_underway:
            return [event]
        return [{**event, "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 1}}]


# Reasoning that nobody asked for


def _is_unsigned_thinking(block: JsonObject) -> bool:
    return block.get("type") == "thinking" and not block.get("signature")


def _drop_thinking(status: int, document: JsonObject, conversion: Conversion) -> tuple[int, JsonObject]:
    if document.get("type") != "message" or conversion.request.get("thinking"):
        return status, document
    blocks = [block for block in objs(document.get("content")) if not _is_unsigned_thinking(block)]
    return status, {**document, "content": blocks}


class _WithoutThinking(PassingOn):
    """Leaves blocks of thinking out that end without a signature, and numbers the rest from 0."""

    def __init__(self, conversion: Conversion) -> None:
        super().__init__(conversion)
        self._held: list[JsonObject] = []
        self._dropped = 0

    def feed(self, event: JsonObject) -> list[JsonObject]:
        if self.conversion.request.get("thinking") or not isinstance(event.get("index"), int):
            return [event] if not self._held else [*self.close(), event]
        event = {**event, "index": event["index"] - self._dropped}
        if self._held or obj(event.get("content_block")).get("type") == "thinking":
            self._held.append(event)
            if event.get("type") == "content_block_stop":
                return self._end_block()
            return []
        return [event]

    def _end_block(self) -> list[JsonObject]:
        held, self._held = self._held, []
        if any(obj(event.get("delta")).get("type") == "signature_delta" for event in held):
            return held
        self._dropped += 1
        return []

    def close(self) -> list[JsonObject]:
        held, self._held = self._held, []
        return held


def _is_asked_for_thoughts(conversion: Conversion) -> bool:
    config = obj(conversion.request.get("generationConfig")) or obj(conversion.request.get("generation_config"))
    thinking = obj(config.get("thinkingConfig")) or obj(config.get("thinking_config"))
    return bool(thinking.get("includeThoughts") or thinking.get("include_thoughts"))


def _drop_thoughts(document: JsonObject, conversion: Conversion) -> None:
    """Leave the text of thoughts out; a signature stays on a part without text."""
    if _is_asked_for_thoughts(conversion):
        return
    for candidate in objs(document.get("candidates")):
        content = obj(candidate.get("content"))
        if "parts" in content:
            content["parts"] = [
                part for part in objs(content["parts"]) if not part.get("thought") or part.get("thoughtSignature")
            ]


# Ids and types


def _hide_call_ids() -> Liberty:
    """Return the adapter that shows no ids of calls, as gemini-2.5 does, and finds each again by name, arguments and
    order."""
    ids: dict[str, list[str]] = {}

    def key_of(call: JsonObject) -> str:
        return json.dumps([call.get("name"), call.get("args") or {}], sort_keys=True)

    def hide(document: JsonObject, _: Conversion) -> None:
        for candidate in objs(document.get("candidates")):
            for part in objs(obj(candidate.get("content")).get("parts")):
                call = obj(part.get("functionCall"))
                if call.get("id"):
                    ids.setdefault(key_of(call), []).append(text(call.pop("id")))

    def restore(document: JsonObject, _: Conversion) -> JsonObject:
        document = deepcopy(document)
        parts = [part for content in objs(document.get("contents")) for part in objs(content.get("parts"))]
        calls = [obj(part["functionCall"]) for part in parts if isinstance(part.get("functionCall"), dict)]
        hidden = {id(call): list(ids.get(key_of(call), ())) for call in calls if "id" not in call}
        keys = [key_of(call) for call in calls if "id" not in call]
        waiting: dict[str, list[str]] = {}
        for call in calls:
            if hidden.get(id(call)):
                at = len(hidden[id(call)]) - keys.count(key_of(call))
                call["id"] = hidden[id(call)][max(at, 0)]
                keys.remove(key_of(call))
                waiting.setdefault(text(call.get("name")), []).append(call["id"])
        for part in parts:
            result = obj(part.get("functionResponse"))
            if result and "id" not in result and waiting.get(text(result.get("name"))):
                result["id"] = waiting[text(result["name"])].pop(0)
        return document

    allows = "The id of a call is optional; who hides it finds it again."
    edited = edit_responses("gemini-no-call-ids", "recorded: braintrust/0006", allows, "gemini", hide)
    return Liberty(
        edited.name, edited.source, allows, ("gemini",), client_request=restore,
        client_response=edited.client_response, client_events=edited.client_events,
    )  # fmt: skip


def _drop_type_of_streamed_calls(document: JsonObject, _: Conversion) -> None:
    for choice in objs(document.get("choices")):
        for call in objs(obj(choice.get("delta")).get("tool_calls")):
            call.pop("type", None)


def _run(
    name: str, source: str, allows: str, client: Dialect, machine: type[PassingOn], *upstreams: Dialect
) -> Liberty:
    return Liberty(name, source, allows, (client,), upstreams, client_events=machine)


def _hide_thoughts(name: str) -> Liberty:
    """Return the adapter that shows unsigned thoughts only where they were asked for, to both kinds of client."""
    of_gemini = edit_responses(name, "", "", "gemini", _drop_thoughts)

    def hide(status: int, document: JsonObject, conversion: Conversion) -> tuple[int, JsonObject]:
        if conversion.client == conversion.upstream:
            return status, document
        change = of_gemini.client_response if conversion.client == "gemini" else _drop_thinking
        return change(status, document, conversion) if change else (status, document)

    def hide_in_stream(conversion: Conversion) -> PassingOn:
        if conversion.client == conversion.upstream:
            return PassingOn(conversion)
        machine = of_gemini.client_events if conversion.client == "gemini" else _WithoutThinking
        return machine(conversion) if machine else PassingOn(conversion)

    return Liberty(
        name, "https://ai.google.dev/gemini-api/docs/thinking (2026-11-22)",
        "Thoughts are shown to a client that sets includeThoughts, thinking to one that sets thinking.",
        ("gemini", "anthropic"), client_response=hide, client_events=hide_in_stream,
    )  # fmt: skip


MORE_RESPONSE_LIBERTIES: Final[tuple[Liberty, ...]] = (
    edit_responses("chat-zeros-absent", "recorded: chatlas/0055", "Details are optional.", "openai-chat", _drop_zeros,
        "gemini", "anthropic"),
    edit_responses("gemini-zeros-absent", "recorded: braintrust/0045", "A number that is zero is left out.", "gemini",
        _drop_zeros),
    _run("gemini-usage-in-every-event", "recorded: chatlas/0006", "Usage so far may stand on every event.", "gemini",
        _RunningGeminiUsage, "anthropic"),
    _hide_thoughts("thoughts-not-asked-for"),
    _hide_call_ids(),
    edit_responses("chat-no-call-type", "recorded: maruel-genai/0538", "There is one type of calls.", "openai-chat",
        _drop_type_of_streamed_calls),
)  # fmt: skip
