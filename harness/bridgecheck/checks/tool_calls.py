"""response.tool_calls and response.number_text: which functions the model called, with which arguments."""

import json
from typing import Final

from bridgecheck.checks.bases import ANSWERED, CALLING, CHAT, MEASURED, RECORDED
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import ResponsePair, error_free_response_pairs, response_pairs
from bridgecheck.compare.diff import differences, shorten
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.express import response_can_express
from bridgecheck.model.jsonvalue import canonical, obj
from bridgecheck.model.outcome import Choice, ToolCall
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import JsonObject

_FIRST_INEXACT: Final = 2**53
"""Integers from here on are not exact in JavaScript; losing their last digits is judged by ``response.number_text``."""
_LONG_NUMBERS: Final = Basis("recorded", "arguments of recorded calls hold integers beyond 2^53 and 1.0", MEASURED)


def check_tool_calls(evidence: Evidence) -> list[Result]:
    """Every call arrives once, in order, with its name and its arguments as values, and with an id of its own."""
    results: list[Result] = []
    for pair in response_pairs(evidence):
        if pair.either_has_error and not pair.allows_error:
            continue
        choices = list(pair.choice_pairs)
        rows = [row for expected, actual in choices for row in _compare_calls(pair, expected, actual)]
        rules = ["bad_args"] if any(_has_repaired_arguments(*choice) for choice in choices) else []
        bad_ids = [] if rows else [row for _, actual in choices for row in _find_id_faults(pair, actual)]
        if bad_ids and _provider_has_id_faults(pair):
            results.append(Result(bad_ids, "INHERITED", turn=pair.turn))
        elif rows or bad_ids or any(expected.tool_calls for expected, _ in choices):
            results.append(Result([*rows, *bad_ids], rules=rules, turn=pair.turn))
    return results


TOOL_CALLS: Final = Check(
    "response.tool_calls", "tools", "MUST", CALLING, "Every call arrives once, with its name, its arguments as values "
    "and an id of its own.", check_tool_calls, "response", (*ANSWERED, "stream.calls_contiguous"),
    rules=(
        Rule("calls.once", "MUST", "Every call arrives once, in order, under its name.", CALLING),
        Rule("calls.args", "MUST", "Arguments are compared as JSON values: white space, order of keys and the spelling "
            "of a number do not count; no arguments, null, an empty text and an empty object are equal.", CALLING),
        Rule("calls.ids", "MUST", "Calls have ids where the dialect requires them, no two alike.", CHAT),
        Rule("calls.names_back", "MUST",
            "A function that had to be renamed for the provider has the client's name in the response.", CHAT),
    ),
)  # fmt: skip


def _compare_calls(pair: ResponsePair, expected: Choice, actual: Choice) -> tuple[Difference, ...]:
    expected_calls, actual_calls = expected.tool_calls, actual.tool_calls
    if len(split_joined_calls(expected_calls)) == len(actual_calls):
        expected_calls = split_joined_calls(expected_calls)
    may_lack_calls = pair.either_has_error or _may_omit_unfinished_calls(expected, actual)
    finished = tuple(call for call in expected_calls if call.bad_args is None)
    if len(actual_calls) == len(finished) and expected.finish.kind == "length" and pair.has_no_place_for_finish(actual):
        expected_calls = finished  # nobody runs half a call, and a place for what became of it there is none
    if len(actual_calls) < len(expected_calls) and may_lack_calls:  # an error may stand for the rest
        of_begun, of_finished = (
            _name_and_argument_differences(pair, calls[: len(actual_calls)], actual_calls)
            for calls in (expected_calls, finished)
        )
        return of_begun if of_finished else ()
    return _name_and_argument_differences(pair, expected_calls, actual_calls)


def _name_and_argument_differences(
    pair: ResponsePair, expected: tuple[ToolCall, ...], actual: tuple[ToolCall, ...]
) -> tuple[Difference, ...]:
    expected_values = [_comparable_call(call) for call in expected]
    actual_values = [_comparable_call(call) for call in actual]
    for index, (call, received) in enumerate(zip(expected, actual, strict=False)):
        if call.bad_args is not None and call.name == received.name and (not received.args or pair.either_has_error):
            expected_values[index] = actual_values[index]
    rows = differences(expected_values, actual_values, "tool_calls")
    for index, (call, received) in enumerate(zip(expected, actual, strict=False)):
        if call.args and not received.args and call.name == received.name and received.bad_args is None:
            path = f"tool_calls[{index}].args"
            whole = Difference(path, shorten(call.args), "(absent)", EVERY_ARGUMENT)
            rows = tuple(dict.fromkeys(whole if row.path.startswith(f"{path}.") else row for row in rows))
    return rows


EVERY_ARGUMENT: Final = "every argument"
"""What the note says of a call that arrived with no arguments."""


def _may_omit_unfinished_calls(expected: Choice, actual: Choice) -> bool:
    """Return whether the end of the response tells of unfinished calls that are missing: nobody runs half a call."""
    cut = expected.finish.kind == "length" == actual.finish.kind
    is_reported = cut or actual.finish.kind in ("malformed_call", "error")
    return is_reported and any(call.bad_args is not None for call in expected.tool_calls)


def split_joined_calls(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """Split calls that a host joined under one index, at the ends of their arguments.

    Every client joins them (recorded: api.cerebras.ai, vercel-ai/0061), but an adapter that goes by their ids may keep
    them separate: ``{}{}`` is two calls of that name. Calls whose arguments are anything else stay as they are."""
    result: list[ToolCall] = []
    for call in calls:
        objects = _split_objects(call.bad_args)
        result += [ToolCall(call.name, args) for args in objects] if objects else [call]
    return tuple(result)


def _split_objects(bad_args: str | None) -> list[JsonObject]:
    """Return the JSON objects that a text consists of, [] if it is not two or more of them, one after the other."""
    rest, objects = (bad_args or "").strip(), list[JsonObject]()
    while rest.startswith("{"):
        try:
            value, end = json.JSONDecoder().raw_decode(rest)
        except ValueError:
            return []
        objects.append(obj(value))
        rest = rest[end:].strip()
    return objects if len(objects) > 1 and not rest else []


def _comparable_call(call: ToolCall) -> dict[str, object]:
    bad: dict[str, object] = {} if call.bad_args is None else {"bad_args": call.bad_args}
    return {"name": call.name, "args": _round_large_integers(call.args), **bad}


def _has_repaired_arguments(expected: Choice, actual: Choice) -> bool:
    pairs = zip(expected.tool_calls, actual.tool_calls, strict=False)
    return any(call.bad_args is not None and received.bad_args is None for call, received in pairs)


def _find_id_faults(pair: ResponsePair, choice: Choice) -> list[Difference]:
    """Return a row for each id that is empty where the client's dialect requires one, or used twice."""
    ids = [call.id for call in choice.tool_calls]
    required = response_can_express("tool_calls.id.required", [pair.ends.target])
    missing = [Difference(f"tool_calls[{at}].id", "an id", '""') for at, id_ in enumerate(ids) if required and not id_]
    return missing + [
        Difference(f"tool_calls[{at}].id", "an id of its own", canonical(id_), "used twice")
        for at, id_ in enumerate(ids)
        if id_ and ids.count(id_) > 1
    ]


def _provider_has_id_faults(pair: ResponsePair) -> bool:
    if pair.ends.origin != pair.ends.target:
        return False
    return any(_find_id_faults(pair, choice) for choice in pair.expected.choices)


def check_number_text(evidence: Evidence) -> list[Result]:
    """Numbers in arguments keep their text: integers beyond 2^53 stay exact, 1.0 stays 1.0."""
    results: list[Result] = []
    for pair in error_free_response_pairs(evidence):
        rows = [
            Difference(f"tool_calls[{index}].args", _exact_json(call.args), _exact_json(received.args), "number text")
            for expected, actual in pair.choice_pairs
            for index, (call, received) in enumerate(zip(expected.tool_calls, actual.tool_calls, strict=False))
            if canonical(_round_large_integers(call.args)) == canonical(_round_large_integers(received.args))
            and _exact_json(call.args) != _exact_json(received.args)
        ]
        if rows:
            results.append(Result(rows, turn=pair.turn))
    return results


NUMBER_TEXT: Final = Check(
    "response.number_text", "tools", "SHOULD", RECORDED, "Numbers in arguments keep their text.", check_number_text,
    "response", ("response.tool_calls",),
    rules=(
        Rule("calls.number_text", "SHOULD",
            "Numbers in arguments keep their digits: integers beyond 2^53 stay exact, 1.0 stays 1.0.", _LONG_NUMBERS),
    ),
)  # fmt: skip


def _round_large_integers(value: object) -> object:
    """Return the value with numbers that any client can hold: integers beyond 2^53 as the nearest float."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _FIRST_INEXACT:
        return float(value) if abs(value) < 10**300 else str(value)
    if isinstance(value, dict):
        return {key: _round_large_integers(item) for key, item in value.items()}
    return [_round_large_integers(item) for item in value] if isinstance(value, list) else value


def _exact_json(value: object) -> str:
    """Return the value as JSON with the text of its numbers, keys sorted."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
