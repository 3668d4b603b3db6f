"""expect.wire: literal expectations on documents as they went over the wire. They pass through no normaliser, so they
hold also where judge and adapter share an error.

A path is ``a.b[0].c``: keys and indices; ``[]``: every item; ``*``: every key; ``[-1]``: the last item. A key with dots
or brackets stands in quotes: ``a."x.y"``. The empty path is the document itself. Values are compared as JSON: 1 equals
1.0, keys are unordered, True is not 1. ``contains``: a string in a string, an item in a list, the named keys in an
object."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from bridgecheck.checks.bases import OWN, REQUEST, RESPONSE
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.expect_prompt import has_request_beyond_client_types
from bridgecheck.checks.request_and_response_pairs import has_crash_refusal_or_miss
from bridgecheck.compare.tool_results import WRAPPERS
from bridgecheck.errors import HarnessError
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import arr, canonical, obj
from bridgecheck.model.scenario import WireDocumentPredicate
from bridgecheck.model.verdict import Difference

_OUTPUT: Final = "functionResponse.response.output"
"""Callers may use any keys that suit the function's syntax, output and result are examples
(https://ai.google.dev/api/caching#FunctionResponse, read 2026-11-22): the other recorded wrappers mean the same."""


def check_wire_expectations(evidence: Evidence) -> list[Result]:
    """Every literal expectation of the scenario on this case's dialects and mode holds."""
    if evidence.scenario is None or has_crash_refusal_or_miss(evidence):
        return []
    rows_by_kind: dict[str, list[Difference]] = {}
    bindings: dict[str, tuple[str, str]] = {}
    for predicate in evidence.scenario.expect.wire:
        if not applies(predicate, evidence):
            continue
        rows = rows_by_kind.setdefault(f"{predicate.on} {predicate.operator}", [])
        if predicate.operator == "bind":
            rows += _compare_binding(predicate, evidence, bindings)
        else:
            rows += _test_predicate(predicate, evidence)
    level = evidence.scenario.level
    return [Result(rows, level=level, rules=[kind]) for kind, rows in rows_by_kind.items()]


EXPECT_WIRE: Final = Check(
    "expect.wire", "expectations", "MUST", OWN,
    "Literal expectations on the wire hold.",
    check_wire_expectations, "expectation", (*RESPONSE, *REQUEST),
    rules=(Rule("scenario.literal", "MUST", "Documents hold literally what the scenario expects.", OWN),),
)  # fmt: skip


def applies(predicate: WireDocumentPredicate, evidence: Evidence) -> bool:
    """Return whether a predicate is about the dialects and the mode of this case."""
    key = evidence.key
    dialect = key.upstream if predicate.on == "upstream_request" else key.client
    if dialect == "outcome" or has_request_beyond_client_types(evidence):  # expectations are about wire formats only
        return False
    if predicate.dialect not in (None, dialect) or predicate.mode not in (None, key.mode):
        return False
    if predicate.on == "client_events":
        return key.mode == "stream"
    return predicate.on != "client_response" or key.mode == "unary"


def _find_documents(predicate: WireDocumentPredicate, evidence: Evidence) -> list[object]:
    """Return the document that the predicate is about; [] if it is not there. Events are one list."""
    transcript = evidence.transcript
    if predicate.on == "upstream_request":
        index = predicate.index
        request = transcript.upstream[index].request if index < len(transcript.upstream) else None
        return [] if request is None else [request.body]
    if predicate.turn >= len(transcript.client):
        return []
    documents = transcript.client[predicate.turn].response.documents
    return [list(documents)] if predicate.on == "client_events" else list(documents[:1])


def _select_values(predicate: WireDocumentPredicate, evidence: Evidence) -> Iterator[object]:
    """Yield the values at the predicate's path. Paths on events may begin with an index (``[0].choices``) or, without
    one, are about every event."""
    path = predicate.path
    if predicate.on == "client_events" and path and not path.startswith("["):
        path = f"[].{path}"
    paths = _paths_with_each_result_wrapper(path)
    either_casing = predicate.on == "upstream_request" and evidence.key.upstream == "gemini"
    for document in _find_documents(predicate, evidence):
        selections = (select(document, path, either_casing=either_casing) for path in paths)
        yield from (value for _, value in next(filter(None, selections), []))


def _paths_with_each_result_wrapper(path: str) -> Sequence[str]:
    """Return the path and, where it ends in a wrapper of a result, those with the other wrappers."""
    if not path.endswith(_OUTPUT):
        return (path,)
    return (path, *(f"{path.removesuffix('output')}{key}" for key in sorted(WRAPPERS - {"output"})))


def _test_predicate(predicate: WireDocumentPredicate, evidence: Evidence) -> list[Difference]:
    violation = find_violation(predicate.operator, predicate.operand, list(_select_values(predicate, evidence)))
    if not violation:
        return []
    return [
        Difference(predicate_location(predicate), f"{predicate.operator} {canonical(predicate.operand)}", violation)
    ]


def _compare_binding(
    predicate: WireDocumentPredicate, evidence: Evidence, bindings: dict[str, tuple[str, str]]
) -> list[Difference]:
    """Bind the first value under a name; every later one has to be the same. ``bindings``: name -> (location, value as
    JSON)."""
    name, location = str(predicate.operand), predicate_location(predicate)
    values = list(_select_values(predicate, evidence))
    if not values:
        return [Difference(location, f"a value for {name}", show_values(values))]
    rows: list[Difference] = []
    for value in values:
        first_location, first = bindings.setdefault(name, (location, canonical(value)))
        if canonical(value) != first:
            rows.append(Difference(location, f"{first}, as at {first_location}", canonical(value), f"bound to {name}"))
    return rows


def predicate_location(predicate: WireDocumentPredicate) -> str:
    """Return where a predicate applies, as the path of a difference: document[number] and path."""
    number = predicate.index if predicate.on == "upstream_request" else predicate.turn
    return f"{predicate.on}[{number}] {predicate.path}"


Step: TypeAlias = str | int | None
"""A key, an index, or None for every item; the key ``*`` stands for every key."""
Values: TypeAlias = Sequence[object]
Operator: TypeAlias = Callable[[Values, object], str]
"""(values, operand) -> what is wrong, "" if nothing. No value: the path selects nothing."""

_UPPER: Final = re.compile(r"(?<=[a-z0-9])[A-Z]")
_TOKEN: Final = re.compile(r'\.?"((?:[^"\\]|\\.)*)"|\[(-?\d*)\]|\.?([^.\[\]"]+)')


def parse_path(path: str) -> tuple[Step, ...]:
    """Return the steps of a path. Raises HarnessError where it cannot be read."""
    steps: list[Step] = []
    position = 0
    while position < len(path):
        match = _TOKEN.match(path, position)
        if match is None:
            raise HarnessError(f"cannot read the path {path!r}", where=f"character {position}", expected="a.b[0].c")
        quoted, index, key = match.groups()
        if index is not None:
            steps.append(int(index) if index else None)
        else:
            steps.append(quoted.replace('\\"', '"') if quoted is not None else key)
        position = match.end()
    return tuple(steps)


def select(document: object, path: str, *, either_casing: bool = False) -> list[tuple[str, object]]:
    """Return (concrete path, value) of everything that the path selects, in document order; [] if nothing is there.

    ``either_casing``: a camelCase key also selects its snake_case spelling, as in requests to Gemini, which may mix
    both. Source: https://protobuf.dev/programming-guides/json/ (parsers accept the lowerCamelCase name and the
    original one; google-genai 3.4.0 sends both in one body; 2026-11-20).
    """
    return list(_walk(document, parse_path(path), "", either_casing))


def _walk(value: object, steps: tuple[Step, ...], path: str, either_casing: bool) -> Iterator[tuple[str, object]]:
    if not steps:
        yield path, value
        return
    for name, child in _select_children(value, steps[0], either_casing):
        child_path = f"{path}{name}" if name.startswith("[") or not path else f"{path}.{name}"
        yield from _walk(child, steps[1:], child_path, either_casing)


def _select_children(value: object, step: Step, either_casing: bool) -> Iterator[tuple[str, object]]:
    if isinstance(value, list):
        if step is None:
            yield from ((f"[{at}]", child) for at, child in enumerate(value))
        elif isinstance(step, int) and -len(value) <= step < len(value):
            yield f"[{step % len(value)}]", value[step]
    elif isinstance(value, dict):
        if step == "*":
            yield from ((str(key), child) for key, child in value.items())
        elif (key := _find_spelling(value, step, either_casing)) is not None:
            yield key, value[key]


def _find_spelling(value: dict[object, object], step: Step, either_casing: bool) -> str | None:
    """Return the key as it stands in this object, None if it is not there."""
    snake_case = _UPPER.sub(lambda match: f"_{match[0].lower()}", str(step))
    spellings = [str(step), snake_case] if either_casing else [str(step)]
    return next((key for key in spellings if key in value), None)


def find_violation(operator: str, operand: object, values: Values) -> str:
    """Return what is wrong with these values, "" if nothing. ``bind`` needs all predicates and is not judged here.
    Raises HarnessError where the operator is unknown."""
    test = OPERATORS.get(operator)
    if test is None:
        raise HarnessError(f"unknown operator {operator!r}", expected=", ".join(sorted([*OPERATORS, "bind"])))
    return test(values, operand)


def show_values(values: Values) -> str:
    """Return the values as short text."""
    if not values:
        return "(absent)"
    text = ", ".join(canonical(value) for value in values)
    return text if len(text) <= 400 else f"{text[:400]}…"


def _test_every(test: Callable[[object, object], bool]) -> Operator:
    """Return an operator that holds if there are values and the test holds of every one."""

    def operator(values: Values, operand: object) -> str:
        if not values:
            return "nothing is there"
        return "" if all(test(value, operand) for value in values) else show_values(values)

    return operator


def _equals(value: object, operand: object) -> bool:
    return canonical(value) == canonical(operand)


def _is_member(value: object, operand: object) -> bool:
    return any(_equals(value, member) for member in arr(operand))


def _contains(value: object, operand: object) -> bool:
    if isinstance(value, str):
        return isinstance(operand, str) and operand in value
    if isinstance(value, list):
        return any(_equals(item, operand) for item in value)
    members = obj(operand)
    return isinstance(value, dict) and all(key in value and _equals(value[key], members[key]) for key in members)


def _test_count(values: Values, operand: object) -> str:
    """Test how many values the path selects; of a single list or object, how many members it has."""
    is_container = len(values) == 1 and isinstance(values[0], list | dict)
    number = len(values[0]) if is_container and isinstance(values[0], list | dict) else len(values)
    return "" if number == operand or len(values) == operand else f"{number}: {show_values(values)}"


def _members_of_single_list(values: Values) -> Values:
    """Return the values; of a single list, its members."""
    return values[0] if len(values) == 1 and isinstance(values[0], list) else values


def _test_each(values: Values, operand: object) -> str:
    """Test every value by itself; of a single list, every member."""
    violations = (_test_nested(operand, [member]) for member in _members_of_single_list(values))
    return next(filter(None, violations), "") if _members_of_single_list(values) else "nothing is there"


def _test_last_of_non_null_values(values: Values, operand: object) -> str:
    """Test the last value that is not null: null adds nothing in a stream (a finish reason in a later chunk of
    usage)."""
    members = _members_of_single_list(values)
    members = [member for member in members if member is not None] or members
    return _test_nested(operand, [members[-1]]) if members else "nothing is there"


def _test_nested(operand: object, values: Values) -> str:
    """Apply an operator object to the values; anything else has to be equal."""
    operators = [(name, inner) for name, inner in obj(operand).items() if name in OPERATORS]
    if not operators or len(operators) != len(obj(operand)):
        return find_violation("equals", operand, values)
    return next(filter(None, (find_violation(name, inner, values) for name, inner in operators)), "")


def _test_unordered(values: Values, operand: object) -> str:
    """Test for the same members in any order."""
    actual, expected = (sorted(map(canonical, members)) for members in (_members_of_single_list(values), arr(operand)))
    return "" if actual == expected else show_values(values)


OPERATORS: Final[dict[str, Operator]] = {
    "equals": _test_every(_equals),
    "one_of": _test_every(_is_member),
    "none_of": lambda values, operand: (
        show_values(values) if any(_is_member(value, operand) for value in values) else ""
    ),
    "contains": _test_every(_contains),
    "matches": _test_every(lambda value, operand: isinstance(value, str) and bool(re.search(str(operand), value))),
    "absent": lambda values, operand: show_values(values) if values and operand is not False else "",
    "present": lambda values, operand: "nothing is there" if not values and operand is not False else "",
    "count": _test_count,
    "each": _test_each,
    "last": _test_last_of_non_null_values,
    "unordered": _test_unordered,
}
