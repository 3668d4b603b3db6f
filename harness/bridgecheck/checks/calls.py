"""response.tool_calls and response.number_text: which functions the model called, with what."""

import json

from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import ResponseView, complete_response_views, response_views
from bridgecheck.compare.diff import differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.express import response_can_express
from bridgecheck.model.jsonvalue import canonical, obj
from bridgecheck.model.outcome import Choice, ToolCall
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import JsonObject

EXACT = 2**53
"""Integers from here on are not exact in JavaScript; losing their last digits is ``response.number_text``'s finding."""


def tool_calls(evidence: Evidence) -> list[Verdict]:
    """Every call arrives once, in order, with its name and its arguments as values, and with an id of its own."""
    verdicts: list[Verdict] = []
    for view in response_views(evidence):
        if view.is_broken and not view.allows_error:
            continue
        pairs = list(view.choice_pairs)
        rows = [row for said, got in pairs for row in _calls(view, said, got)]
        rules = ["bad_args"] if any(_repaired(said, got) for said, got in pairs) else []
        bad_ids = [] if rows else [row for _, got in pairs for row in _ids(view, got)]
        if bad_ids and _inherited_ids(view):
            verdicts.append(verdict("response.tool_calls", "INHERITED", bad_ids, turn=view.turn))
        elif rows or bad_ids or any(said.tool_calls for said, _ in pairs):
            verdicts.append(result("response.tool_calls", [*rows, *bad_ids], rules=rules, turn=view.turn))
    return verdicts


def number_text(evidence: Evidence) -> list[Verdict]:
    """Numbers in arguments keep their text: integers beyond 2^53 stay exact, 1.0 stays 1.0."""
    verdicts: list[Verdict] = []
    for view in complete_response_views(evidence):
        rows = [
            Difference(f"tool_calls[{index}].args", _strict(ours.args), _strict(theirs.args), "number text")
            for said, got in view.choice_pairs
            for index, (ours, theirs) in enumerate(zip(said.tool_calls, got.tool_calls, strict=False))
            if canonical(_loose(ours.args)) == canonical(_loose(theirs.args))
            and _strict(ours.args) != _strict(theirs.args)
        ]
        if rows:
            verdicts.append(result("response.number_text", rows, level="SHOULD", turn=view.turn))
    return verdicts


def _calls(view: ResponseView, said: Choice, got: Choice) -> tuple[Difference, ...]:
    ours, theirs = said.tool_calls, got.tool_calls
    if len(apart(ours)) == len(theirs):
        ours = apart(ours)
    if len(theirs) < len(ours) and (view.is_broken or _held_back(said, got)):
        whole = tuple(call for call in ours if call.bad_args is None)  # an error may stand for the others
        begun, finished = (_differing(view, some[: len(theirs)], theirs) for some in (ours, whole))
        return begun if finished else ()
    return _differing(view, ours, theirs)


def _differing(view: ResponseView, ours: tuple[ToolCall, ...], theirs: tuple[ToolCall, ...]) -> tuple[Difference, ...]:
    mine = [_value(call) for call in ours]
    seen = [_value(call) for call in theirs]
    for index, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one.bad_args is not None and one.name == other.name and (not other.args or view.is_broken):
            mine[index] = seen[index]
    return differences(mine, seen, "tool_calls")


def _held_back(said: Choice, got: Choice) -> bool:
    """Whether calls that were not finished are missing with a word about it: no client should run half a call."""
    cut = said.finish.kind == "length" == got.finish.kind
    told = cut or got.finish.kind in ("malformed_call", "error")
    return told and any(call.bad_args is not None for call in said.tool_calls)


def apart(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """Calls that ran together because a host gave them one index, taken apart at the ends of their arguments.

    Every client joins them (recorded: api.cerebras.ai, vercel-ai/0061), but an adapter that goes by their ids may tell
    them apart: ``{}{}`` is two calls of that name. Calls whose arguments are anything else stay as they are."""
    taken: list[ToolCall] = []
    for call in calls:
        pieces = _objects(call.bad_args)
        taken += [ToolCall(call.name, args) for args in pieces] if pieces else [call]
    return tuple(taken)


def _objects(bad_args: str | None) -> list[JsonObject]:
    """The JSON objects that a text is made of, [] if it is not two or more of them, one after the other."""
    rest, found = (bad_args or "").strip(), list[JsonObject]()
    while rest.startswith("{"):
        try:
            value, end = json.JSONDecoder().raw_decode(rest)
        except ValueError:
            return []
        found.append(obj(value))
        rest = rest[end:].strip()
    return found if len(found) > 1 and not rest else []


def _value(call: ToolCall) -> dict[str, object]:
    bad: dict[str, object] = {} if call.bad_args is None else {"bad_args": call.bad_args}
    return {"name": call.name, "args": _loose(call.args), **bad}


def _repaired(said: Choice, got: Choice) -> bool:
    pairs = zip(said.tool_calls, got.tool_calls, strict=False)
    return any(one.bad_args is not None and other.bad_args is None for one, other in pairs)


def _ids(view: ResponseView, got: Choice) -> list[Difference]:
    """Non-empty where the client's dialect requires ids, and unique where they are given."""
    ids = [call.id for call in got.tool_calls]
    required = response_can_express("tool_calls.id.required", [view.ends.target])
    rows = [Difference(f"tool_calls[{at}].id", "an id", '""') for at, one in enumerate(ids) if required and not one]
    given = [one for one in ids if one]
    return rows + [
        Difference(f"tool_calls[{at}].id", "an id of its own", canonical(one), "used twice")
        for at, one in enumerate(ids)
        if one and given.count(one) > 1
    ]


def _inherited_ids(view: ResponseView) -> bool:
    if view.ends.origin != view.ends.target:
        return False
    return any(_ids(view, choice) for choice in view.expected.choices)


def _loose(value: object) -> object:
    """Numbers as values that any client can hold: integers beyond 2^53 as the nearest float."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= EXACT:
        return float(value) if abs(value) < 10**300 else str(value)
    if isinstance(value, dict):
        return {key: _loose(item) for key, item in value.items()}
    return [_loose(item) for item in value] if isinstance(value, list) else value


def _strict(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
