"""The operators of literal expectations: what has to hold of the values that a path reaches.

Values are compared as JSON: 1 equals 1.0, keys are unordered, True is not 1. ``contains``: a string in a string, an
item in a list, the given keys in an object.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from bridgecheck.errors import HarnessError
from bridgecheck.model.jsonvalue import arr, canonical, obj

Values = Sequence[object]
Operator = Callable[[Values, object], str]
"""(values, operand) -> what is wrong, "" if nothing. No value: the path leads nowhere."""


def broken(operator: str, operand: object, values: Values) -> str:
    """What is wrong with these values, "" if nothing. ``bind`` is judged by whoever sees all predicates."""
    found = OPERATORS.get(operator)
    if found is None:
        raise HarnessError(f"unknown operator {operator!r}", expected=", ".join(sorted([*OPERATORS, "bind"])))
    return found(values, operand)


def show(values: Values) -> str:
    """The values as short text."""
    if not values:
        return "(absent)"
    text = ", ".join(canonical(value) for value in values)
    return text if len(text) <= 400 else f"{text[:400]}…"


def _every(test: Callable[[object, object], bool]) -> Operator:
    def operator(values: Values, operand: object) -> str:
        if not values:
            return "nothing is there"
        return "" if all(test(value, operand) for value in values) else show(values)

    return operator


def _equals(value: object, operand: object) -> bool:
    return canonical(value) == canonical(operand)


def _one_of(value: object, operand: object) -> bool:
    return any(_equals(value, one) for one in arr(operand))


def _contains(value: object, operand: object) -> bool:
    if isinstance(value, str):
        return isinstance(operand, str) and operand in value
    if isinstance(value, list):
        return any(_equals(item, operand) for item in value)
    wanted = obj(operand)
    return isinstance(value, dict) and all(key in value and _equals(value[key], wanted[key]) for key in wanted)


def _none_of(values: Values, operand: object) -> str:
    """No value is one of these; nothing there is fine."""
    return show(values) if any(_one_of(value, operand) for value in values) else ""


def _matches(value: object, operand: object) -> bool:
    return isinstance(value, str) and re.search(str(operand), value) is not None


def _absent(values: Values, operand: object) -> str:
    return show(values) if values and operand is not False else ""


def _present(values: Values, operand: object) -> str:
    return "nothing is there" if not values and operand is not False else ""


def _count(values: Values, operand: object) -> str:
    """How many values the path reaches; of a single list or object, how many members it has."""
    single = len(values) == 1 and isinstance(values[0], list | dict)
    number = len(values[0]) if single and isinstance(values[0], list | dict) else len(values)
    return "" if number == operand or len(values) == operand else f"{number}: {show(values)}"


def _each(values: Values, operand: object) -> str:
    """Every value by itself; of a single list, every member."""
    members = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    if not members:
        return "nothing is there"
    return next((wrong for member in members if (wrong := _nested(operand, [member]))), "")


def _last(values: Values, operand: object) -> str:
    """Of those that are not null, which in a stream says nothing new (a finish reason in a later chunk of usage)."""
    members = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    said = [member for member in members if member is not None] or members
    return _nested(operand, [said[-1]]) if said else "nothing is there"


def _nested(operand: object, values: Values) -> str:
    """An operator object applied to the values; anything else has to be equal."""
    named = [(name, inner) for name, inner in obj(operand).items() if name in OPERATORS]
    if not named or len(named) != len(obj(operand)):
        return broken("equals", operand, values)
    return next((wrong for name, inner in named if (wrong := broken(name, inner, values))), "")


def _unordered(values: Values, operand: object) -> str:
    """The same members in any order."""
    members = values[0] if len(values) == 1 and isinstance(values[0], list) else list(values)
    same = sorted(canonical(member) for member in members) == sorted(canonical(member) for member in arr(operand))
    return "" if same else show(values)


OPERATORS: Final[dict[str, Operator]] = {
    "equals": _every(_equals),
    "one_of": _every(_one_of),
    "none_of": _none_of,
    "contains": _every(_contains),
    "matches": _every(_matches),
    "absent": _absent,
    "present": _present,
    "count": _count,
    "each": _each,
    "last": _last,
    "unordered": _unordered,
}
