"""What the client receives as hosts in use spell it: counts left out or repeated, ids that it never sees."""

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
        """Give each call without an id, or with one that its client made up, the hidden id; its result too."""
        document = deepcopy(document)
        parts = [part for content in objs(document.get("contents")) for part in objs(content.get("parts"))]
        known = {id for hidden in ids.values() for id in hidden}
        calls = [obj(part["functionCall"]) for part in parts if isinstance(part.get("functionCall"), dict)]
        unnamed = [call for call in calls if call.get("id") not in known]
        keys = [key_of(call) for call in unnamed]
        made_up: dict[str, str] = {}
        waiting: dict[str, list[str]] = {}
        for call in unnamed:
            hidden = ids.get(key_of(call), [])
            if hidden:
                at = len(hidden) - keys.count(key_of(call))
                keys.remove(key_of(call))
                found = hidden[max(at, 0)]
                if "id" in call:
                    made_up[text(call["id"])] = found
                else:
                    waiting.setdefault(text(call.get("name")), []).append(found)
                call["id"] = found
        for part in parts:
            result = obj(part.get("functionResponse"))
            if text(result.get("id")) in made_up:
                result["id"] = made_up[text(result["id"])]
            elif result and "id" not in result and waiting.get(text(result.get("name"))):
                result["id"] = waiting[text(result["name"])].pop(0)
        return document

    allows = "The id of a call is optional; who hides it finds it again."
    edited = edit_responses("gemini-no-call-ids", "recorded: braintrust/0006", allows, "gemini", hide)
    return Liberty(
        edited.name, edited.source, allows, ("gemini",), client_request=restore,
        client_response=edited.client_response, client_events=edited.client_events,
    )  # fmt: skip


def _run(
    name: str, source: str, allows: str, client: Dialect, machine: type[PassingOn], *upstreams: Dialect
) -> Liberty:
    return Liberty(name, source, allows, (client,), upstreams, client_events=machine)


MORE_RESPONSE_LIBERTIES: Final[tuple[Liberty, ...]] = (
    edit_responses("chat-zeros-absent", "recorded: chatlas/0055", "Details are optional.", "openai-chat", _drop_zeros,
        "gemini", "anthropic"),
    edit_responses("gemini-zeros-absent", "recorded: braintrust/0045", "A number that is zero is left out.", "gemini",
        _drop_zeros),
    _run("gemini-usage-in-every-event", "recorded: chatlas/0006", "Usage so far may stand on every event.", "gemini",
        _RunningGeminiUsage, "anthropic"),
    _hide_call_ids(),
)  # fmt: skip
