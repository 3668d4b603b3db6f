"""The requests of a scenario as a live provider is asked them, and what in them no provider takes.

A history is never that of a script: placeholders (``$received``, ``$id:N.K``, ``$name:N.K``) stay in the bodies and are
filled with what the provider answered."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.model.scenario import ClientRequest, Scenario
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

Path: TypeAlias = str

VERIFIED: Final[dict[str, str]] = {
    "thoughtSignature": "a signature", "thought_signature": "a signature", "signature": "a signature",
    "encrypted_content": "an encrypted result", "encrypted_index": "an encrypted result",
    "cachedContent": "the name of a cache", "cached_content": "the name of a cache",
    "file_id": "the id of a file", "fileUri": "the address of a file", "file_uri": "the address of a file",
    "container": "the id of a container",
}  # fmt: skip
"""Members of requests whose values providers verify -> what they hold. Whoever makes one up is refused."""

PLACEHOLDER_SIGNATURES: Final = frozenset({"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"})
"""What Gemini documents in a signature's place.
Source: https://ai.google.dev/gemini-api/docs/thought-signatures (2026-11-22)."""

_CONTENT: Final = ("parts", "content")
"""The members in which messages have their text or parts."""


def live_requests(scenario: Scenario, dialect: Dialect, model: str) -> list[ClientRequest]:
    """Return the request of each turn, in order; the first live turn, where there is one, before the scenario's own.
    ``model``: which is asked, "" for the one that the request names. The scenario has ``live`` in this dialect."""
    elicitation = scenario.live[dialect]
    stated = [turn.client[dialect] for turn in scenario.turns]
    bodies = [request.body for request in stated]
    if elicitation.prompt:
        bodies = _with_prompt(bodies, dialect, elicitation.prompt)
    requests = [
        replace(request, body=obj(merge_patch(body, elicitation.settings)))
        for request, body in zip(stated, bodies, strict=True)
    ]
    if elicitation.first is not None:
        requests.insert(0, replace(stated[0], body=elicitation.first))
    return [_with_model(request, dialect, model) for request in requests]


def _with_model(request: ClientRequest, dialect: Dialect, model: str) -> ClientRequest:
    name = model or request.model or text(request.body.get("model"))
    in_body = {} if RECORDS[dialect].model_in_path else {"model": name}
    return replace(request, body={**request.body, **in_body}, model=name)


def merge_patch(value: object, patch: object) -> object:
    """Return the value with a JSON merge patch: objects are merged, null removes, anything else replaces.
    Source: https://www.rfc-editor.org/rfc/rfc7396#section-2 (2026-11-24)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for key, member in patch.items():
        if member is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), member)
    return merged


def _with_prompt(bodies: list[JsonObject], dialect: Dialect, prompt: str) -> list[JsonObject]:
    """Return the bodies with another last question in the first, and in the histories that repeat it."""
    key = RECORDS[dialect].turns_member
    messages = bodies[0].get(key)
    questions = [message for message in messages if _is_question(message)] if isinstance(messages, list) else []
    if not questions:
        return bodies
    question = obj(questions[-1])
    parts_key = next((name for name in _CONTENT if name in question), _CONTENT[0])
    replacement = {**question, parts_key: _replace_last_text(question.get(parts_key), prompt)}
    return [{**body, key: [replacement if message == question else message for message in _list(body, key)]}
            for body in bodies]  # fmt: skip


def _list(body: JsonObject, key: str) -> list[object]:
    messages = body.get(key)
    return messages if isinstance(messages, list) else []


def _is_question(message: object) -> bool:
    return isinstance(message, dict) and message.get("role", "user") == "user"


def _replace_last_text(content: object, prompt: str) -> object:
    """Return a text, or parts of which the last text is another."""
    if not isinstance(content, list):
        return prompt
    at = max((number for number, part in enumerate(content) if "text" in obj(part)), default=None)
    if at is None:
        return content
    return [{**obj(part), "text": prompt} if number == at else part for number, part in enumerate(content)]


def find_verified_values(value: object, path: Path = "") -> Iterator[tuple[Path, str]]:
    """Yield where a request holds a value that a provider verifies, and what it is."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from find_verified_values(item, f"{path}[{number}]")
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        here = f"{path}.{key}" if path else key
        kind = _kind_of_verified(key, item, value)
        if kind:
            yield here, kind
        elif key not in ("parameters", "input_schema", "parametersJsonSchema", "response_format", "responseSchema"):
            yield from find_verified_values(item, here)


def _kind_of_verified(key: str, item: object, around: JsonObject) -> str:
    if not isinstance(item, str) or not item or item in PLACEHOLDER_SIGNATURES:
        return ""
    if key == "data" and around.get("type") == "redacted_thinking":
        return "redacted thinking"
    if key in ("url", "image_url") and item.startswith("http"):
        return "an address"
    if key == "id" and set(around) == {"id"}:
        return "the id of an answer"  # Chat's audio, which the provider keeps
    return VERIFIED.get(key, "")


def why_not_playable(scenario: Scenario, dialect: Dialect) -> str:
    """Return why a provider of this dialect cannot be asked what the scenario asks, "" if it can."""
    if scenario.client_model:
        return "it is another client's view of a conversation that is recorded once"
    if any(dialect not in turn.client or dialect not in turn.upstream for turn in scenario.turns):
        return f"it has no request and answer in {dialect}"
    if any(turn.leaves_after for turn in scenario.turns):
        return "its client goes away"
    if any(len(script) > 1 for turn in scenario.turns for script in turn.upstream[dialect].values()):
        return "its script answers one request several times"
    elicitation = scenario.live.get(dialect)
    if elicitation is None:
        bodies = [turn.client[dialect].body for turn in scenario.turns]
    else:
        bodies = [request.body for request in live_requests(scenario, dialect, "")]
    for number, body in enumerate(bodies):
        for path, kind in find_verified_values(body):
            return f"{kind} that is made up: turn {number}, {path}"
    return "" if elicitation is not None else "nothing says how to bring it about (no live)"
