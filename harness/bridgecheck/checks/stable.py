"""request.deterministic and request.prefix_stable: a prompt cache finds what was sent before, byte for byte.

Judged on the bodies as they are written, order of keys included: the providers' caches do not parse JSON."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from bridgecheck.checks.bases import READ
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import RequestPair, request_pairs
from bridgecheck.compare.diff import differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import arr
from bridgecheck.model.prompt import CallPart, Prompt, ResultPart
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

SAME_BYTES: Final = "the same bytes"
"""What is expected where only the order of keys differs."""

_KEYS_BEFORE_HISTORY: Final = ("tools", "system", "systemInstruction", "system_instruction")
"""What a provider puts before the history of a conversation."""
_CACHED: Final = Basis("documented", "https://developers.openai.com/api/docs/guides/prompt-caching", READ)
"""Only an exact prefix of an earlier request is found in a cache."""


def check_deterministic(evidence: Evidence) -> Iterator[Result]:
    """The same request, converted again, gives the same bytes."""
    for pair in request_pairs(evidence):
        call, repeated = evidence.answering_call_index(pair.turn), evidence.transcript.repeated_bodies
        if call < len(repeated) and repeated[call] is not None:
            yield Result(_byte_differences(pair.upstream_request.body, repeated[call], "body"), turn=pair.turn)


DETERMINISTIC: Final = Check(
    "request.deterministic", "requests", "SHOULD", _CACHED, "The same request, converted again, gives the same bytes.",
    check_deterministic, "request",
    rules=(Rule("bytes.same", "SHOULD", "The same request twice is the same bytes upstream.", _CACHED),),
)  # fmt: skip


def check_prefix_stable(evidence: Evidence) -> list[Result]:
    """Where a client's request only continues its last one, so does the request upstream."""
    return [
        Result(_find_changed_prefix(before, pair), turn=pair.turn)
        for before, pair in pairwise(request_pairs(evidence))
        if pair.turn == before.turn + 1
        and _count_open_calls(before.expected) <= _count_open_calls(pair.expected)
        and _continues(before.client_request.body, pair.client_request.body, pair.client_request.dialect)
    ]


PREFIX_STABLE: Final = Check(
    "request.prefix_stable", "requests", "SHOULD", _CACHED,
    "A conversation that continues does so upstream too: what was sent before is sent again unchanged.",
    check_prefix_stable, "request", ("request.deterministic", "request.turns", "relay.ids"),
    rules=(Rule("bytes.prefix", "SHOULD", "A longer conversation begins with the same bytes.", _CACHED),),
)  # fmt: skip


def _find_changed_prefix(before: RequestPair, pair: RequestPair) -> list[Difference]:
    """Return what changed in front of the history, and the first message of the history that changed."""
    first, second, dialect = before.upstream_request.body, pair.upstream_request.body, pair.upstream_request.dialect
    rows = [
        row
        for key in _KEYS_BEFORE_HISTORY
        if key in first or key in second
        for row in _byte_differences(first.get(key), second.get(key), key)
    ]
    expected, actual = _messages_or_contents(first, dialect), _messages_or_contents(second, dialect)
    for at, message in enumerate(expected):
        is_last = at == len(expected) - 1
        compare = _is_beginning if is_last else _is_same_bytes
        if at >= len(actual) or not compare(message, actual[at]):
            path = f"{RECORDS[dialect].turns_member}[{at}]"
            changed = differences(message, actual[at] if at < len(actual) else None, path)
            return [*rows, *(changed or [_reordered_keys(path)])]
    return rows


def _continues(first: JsonObject, second: JsonObject, dialect: Dialect) -> bool:
    """Return whether the second body is the first with a longer history."""
    before, after = _messages_or_contents(first, dialect), _messages_or_contents(second, dialect)
    same = all(_is_same_bytes(first.get(key), second.get(key)) for key in _KEYS_BEFORE_HISTORY)
    return same and len(after) > len(before) and _is_same_bytes(after[: len(before)], before)


def _count_open_calls(prompt: Prompt) -> int:
    """Return how many calls have no result. What an adapter puts in the place of a result gives way to it later."""
    parts = [part for turn in prompt.turns for part in turn.parts]
    return sum(isinstance(part, CallPart) for part in parts) - sum(isinstance(part, ResultPart) for part in parts)


def _byte_differences(expected: object, actual: object, path: str) -> list[Difference]:
    if _is_same_bytes(expected, actual):
        return []
    return [*differences(expected, actual, path)] or [_reordered_keys(path)]


def _reordered_keys(path: str) -> Difference:
    return Difference(path, SAME_BYTES, "the same keys in another order")


def _is_beginning(message: object, longer: object) -> bool:
    """Return whether a message is the beginning of another: a turn may continue in the same message, and a text of its
    own in a list of parts."""
    if isinstance(message, str) and isinstance(longer, list):
        message = [{"type": "text", "text": message}]
    if isinstance(message, dict) and isinstance(longer, dict):
        same_keys = list(message) == list(longer)[: len(message)]
        return same_keys and all(_is_beginning(message[key], longer[key]) for key in message)
    if isinstance(message, list) and isinstance(longer, list) and 0 < len(message) <= len(longer):
        last = len(message) - 1
        return _is_same_bytes(message[:last], longer[:last]) and _is_beginning(message[last], longer[last])
    if isinstance(message, str) and isinstance(longer, str):
        return longer.startswith(message)
    return _is_same_bytes(message, longer)


def _messages_or_contents(body: JsonObject, dialect: Dialect) -> list[object]:
    return list(arr(body.get(RECORDS[dialect].turns_member)))


def _is_same_bytes(expected: object, actual: object) -> bool:
    return json.dumps(expected, ensure_ascii=False) == json.dumps(actual, ensure_ascii=False)
