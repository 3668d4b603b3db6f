"""Gemini streams: events collected into one response, and folded into the unary document that holds the same.

Parts are kept apart, candidate by candidate, in the order of arrival; everything else is folded, last non-null. A unary
response is one event.

Function calls whose arguments arrive piece by piece become one part each. A call opens with its name and
``willContinue``; parts without a name carry ``partialArgs`` (a JSON path and a value, where strings may go on), and a
part without ``willContinue`` closes it, often an empty ``functionCall``. Some proxies leave ``willContinue`` out and
send whole ``args`` in the part without a name: these belong to the call before it, which had none
(https://github.com/smallmain/vscode-unify-chat-provider/pull/49).
Source: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling.

In the folded document text parts that stand side by side become one, unless one of them is signed or holds more than
its text; a signed part keeps its place, so that a client can send the response back as history."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from bridgecheck.codec.camel_case import camel_case_api_keys
from bridgecheck.model.jsonvalue import integer, obj, objs, text
from bridgecheck.normalise.tree import Fields, deep_copy, merge_fields
from bridgecheck.wire import JsonObject

LISTS_IN_PIECES: Final[frozenset[str]] = frozenset({"logprobsResult.chosenCandidates", "logprobsResult.topCandidates"})
"""Paths in a candidate whose lists come in pieces."""


@dataclass
class Candidate:
    """``rest``: the candidate without its parts."""

    parts: list[object] = field(default_factory=list)
    rest: JsonObject = field(default_factory=dict)


@dataclass
class CollectedResponse:
    """``top``: the document without its candidates. ``unread``: events and candidates that are no objects.
    ``usage_count``: how many different usage objects there were."""

    candidates: dict[int, Candidate] = field(default_factory=dict)
    top: JsonObject = field(default_factory=dict)
    unread: list[object] = field(default_factory=list)
    usage_count: int = 0


def collect_events(events: Iterable[object]) -> CollectedResponse:
    """Collect the events of a response. An event that is a list (so the endpoint sends errors) is its members."""
    collected = CollectedResponse()
    flat_events = (item for event in events for item in (event if isinstance(event, list) else [event]))
    for event in flat_events:
        if isinstance(event, dict):
            _add_event(collected, Fields(camel_case_api_keys(event)))
        else:
            collected.unread.append(event)
    for candidate in collected.candidates.values():
        candidate.parts = join_streamed_calls(candidate.parts)
    return collected


def _add_event(collected: CollectedResponse, event: Fields) -> None:
    for position, value in enumerate(event.take_list("candidates")):
        if not isinstance(value, dict):
            collected.unread.append(value)
            continue
        index = integer(value.get("index"))
        _add_candidate(
            collected.candidates.setdefault(position if index is None else index, Candidate()), Fields(value)
        )
    if event.has("candidates"):
        collected.unread.append(event.take("candidates"))
    usage = obj(event.rest.get("usageMetadata"))
    if usage and usage != collected.top.get("usageMetadata"):
        collected.usage_count += 1
    merge_fields(collected.top, event.rest)


def _add_candidate(candidate: Candidate, fields: Fields) -> None:
    fields.take_integer("index")
    content = fields.take_child("content")
    candidate.parts += content.take_list("parts")
    fields.put_back("content", content.rest)
    merge_fields(candidate.rest, fields.rest, LISTS_IN_PIECES)


_PATH_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]")
_MAX_INDEX: Final = 100_000
_VALUE_KEYS: Final = ("stringValue", "numberValue", "boolValue")
_STREAM_KEYS: Final = frozenset({"partialArgs", "willContinue", "args"})


def join_streamed_calls(parts: Iterable[object]) -> list[object]:
    """Return the parts with every streamed call put together; all other parts as they are."""
    parts_so_far: list[object] = []
    open_call: JsonObject | None = None
    for part in parts:
        if not isinstance(obj(part).get("functionCall"), dict):
            parts_so_far.append(part)
            continue
        call = obj(obj(part)["functionCall"])
        if open_call is None and call.get("args") and not call.get("name"):
            open_call = _reopen_last_call_without_args(parts_so_far)
        if open_call is not None and not call.get("name"):
            _add_piece_leaving_call_open(open_call, obj(part), call)
        else:
            open_call = _start_call(obj(part), call) if call.get("willContinue") or call.get("partialArgs") else None
            parts_so_far.append(part if open_call is None else open_call)
        if call.get("willContinue") is not True:
            open_call = None
    return parts_so_far


def _start_call(part: JsonObject, call: JsonObject) -> JsonObject:
    rest = {key: value for key, value in call.items() if key not in _STREAM_KEYS}
    open_call: JsonObject = {**part, "functionCall": {**rest, "args": deep_copy(obj(call.get("args")))}}
    _apply_arguments(obj(open_call["functionCall"]), call)
    return open_call


def _reopen_last_call_without_args(parts_so_far: list[object]) -> JsonObject | None:
    """Replace the last part, if it is a named call without arguments, by a copy that can be added to."""
    call = obj(obj(parts_so_far[-1]).get("functionCall")) if parts_so_far else {}
    if not call.get("name") or call.get("args"):
        return None
    parts_so_far[-1] = _start_call(obj(parts_so_far[-1]), call)
    return obj(parts_so_far[-1])


def _add_piece_leaving_call_open(open_call: JsonObject, part: JsonObject, call: JsonObject) -> None:
    target = obj(open_call["functionCall"])
    _apply_arguments(target, call)
    target.update({key: value for key, value in call.items() if key not in _STREAM_KEYS and key not in target})
    open_call.update({key: value for key, value in part.items() if key not in open_call})


def _apply_arguments(target: JsonObject, call: JsonObject) -> None:
    args = obj(target["args"])
    args.update(obj(call.get("args")))
    for piece in objs(call.get("partialArgs")):
        steps = _parse_json_path(text(piece.get("jsonPath")))
        if steps:
            _set_or_append_text_at_path(args, steps, next((piece[name] for name in _VALUE_KEYS if name in piece), None))


def _parse_json_path(path: str) -> list[str | int]:
    """Return ["a", "b", 0] for ``$.a.b[0]``; [] for a path we do not understand."""
    steps = [(match[1] or match[3] or "", match[2]) for match in _PATH_STEP.finditer(path.removeprefix("$"))]
    return [int(index) if index else name for name, index in steps]


def _set_or_append_text_at_path(target: object, steps: list[str | int], value: object) -> None:
    """Walk to the place, making what is missing, and put the value there; a string goes on where a string stands."""
    for step, next_step in pairwise(steps):
        default: object = [] if isinstance(next_step, int) else {}
        target = _get_or_create(target, step, default)
    last = steps[-1]
    earlier = _get_or_create(target, last, None)
    new = earlier + value if isinstance(earlier, str) and isinstance(value, str) else value
    if isinstance(target, dict):
        target[last] = new
    if isinstance(target, list) and isinstance(last, int) and last < len(target):
        target[last] = new


def _get_or_create(target: object, step: str | int, default: object) -> object:
    if isinstance(target, dict) and isinstance(step, str):
        return target.setdefault(step, default)
    if isinstance(target, list) and isinstance(step, int) and step < _MAX_INDEX:
        while len(target) <= step:
            target.append(None)
        if target[step] is None:
            target[step] = default
        return target[step]
    return default


_TEXT_KEYS: Final = frozenset({"text", "thought"})


def fold(events: Sequence[object]) -> JsonObject:
    """Return the document, in camelCase. A key is there only if some event had it."""
    collected = collect_events(events)
    document: JsonObject = {}
    if collected.candidates:
        document["candidates"] = [
            _unary_candidate(index, candidate) for index, candidate in sorted(collected.candidates.items())
        ]
    document.update(collected.top)
    if collected.unread:
        document["unread"] = collected.unread
    return document


def _unary_candidate(index: int, candidate: Candidate) -> JsonObject:
    content_value = candidate.rest.get("content")
    if content_value is not None and not isinstance(content_value, dict) and not candidate.parts:
        return {**candidate.rest, "index": index}
    content = dict(obj(content_value))
    rest = {key: value for key, value in candidate.rest.items() if key != "content"}
    if candidate.parts:
        content = {"parts": _join_texts(candidate.parts), **content}
    return {**({"content": content} if content else {}), **rest, "index": index}


def _join_texts(parts: Iterable[object]) -> list[object]:
    joined: list[object] = []
    pieces: list[str] = []
    for part in parts:
        if _is_joinable(part) and joined and _is_joinable(joined[-1]) and _is_thought(part) == _is_thought(joined[-1]):
            pieces.append(str(obj(part)["text"]))
            continue
        _replace_last_text(joined, pieces)
        joined.append(part)
        pieces = [str(obj(part)["text"])] if _is_joinable(part) else []
    _replace_last_text(joined, pieces)
    return joined


def _replace_last_text(joined: list[object], pieces: list[str]) -> None:
    if len(pieces) > 1:
        joined[-1] = {**obj(joined[-1]), "text": "".join(pieces)}


def _is_joinable(part: object) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str) and part.keys() <= _TEXT_KEYS


def _is_thought(part: object) -> bool:
    return obj(part).get("thought") is True
