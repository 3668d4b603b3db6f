"""Paths and operators of literal expectations: what a scenario requires of JSON as it went over the wire.

This module needs the standard library alone, for published scripts hold its definitions: they judge as the judge does.
docs/expectations.md is written for those who write scenarios."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

Step: TypeAlias = str | int | None
"""A key, an index, or None for every item; the key ``*`` stands for every key."""

Operator: TypeAlias = Callable[[Sequence[object], object], str]
"""(values, operand) -> what is wrong, "" if nothing. No value: the path selects nothing."""

_UPPER: Final = re.compile(r"(?<=[a-z0-9])[A-Z]")
_TOKEN: Final = re.compile(r'\.?"((?:[^"\\]|\\.)*)"|\[(-?\d*)\]|\.?([^.\[\]"]+)')
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4}){4,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_SNAKE: Final = re.compile(r"(?<=[a-z])_([a-z])")
_WORDS_IN_CAPITALS: Final = ("mode", "responseModalities")
_OPAQUE: Final = re.compile(r"(?:^|\.)(?:args|response)(?:$|[.\[])|[sS]chema|parameters")
_NOTHING: Final = object()
_RESULT: Final = re.compile(r'"(?:functionResponse|function_response|tool_use_id)":')
_PARTS_OF: Final = {"contents": "parts", "messages": "content"}
_BRANCHES: Final = ("anyOf", "any_of", "oneOf", "allOf")


def plain_json(value: object) -> str:
    """Return one text per JSON value: keys sorted, 1.0 written as 1."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(str(key))}:{plain_json(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(plain_json, value)) + "]"
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return json.dumps(int(value) if is_whole and isinstance(value, float) else value, ensure_ascii=False)


def parse_path(path: str) -> list[Step]:
    """Return the steps of a path. Raises ValueError where it cannot be read."""
    steps: list[Step] = []
    position = 0
    while position < len(path):
        match = _TOKEN.match(path, position)
        if match is None:
            raise ValueError(f"cannot read the path {path!r} at character {position}; expected a.b[0].c")
        quoted, index, key = match.groups()
        if index is not None:
            steps.append(int(index) if index else None)
        else:
            steps.append(quoted.replace('\\"', '"') if quoted is not None else key)
        position = match.end()
    return steps


def select(document: object, path: str, on: str) -> list[object]:
    """Return everything that the path selects, in document order.

    ``on``: which document it is. Paths on ``client_events`` may begin with an index (``[0].choices``) or, without one,
    are about every event. In an ``upstream_request`` one value may be spelt in several ways: a camelCase key also
    selects its snake_case spelling (https://protobuf.dev/programming-guides/json/, 2026-11-20), an item also a single
    object in place of a list, and a key also what stands in the branches and references of a JSON Schema. Neighbouring
    turns of one role with lists of parts are one turn, unless they hold results
    (https://docs.anthropic.com/en/api/messages, 2026-11-22; recorded of Gemini: js-genai/0042)."""
    if on == "client_events" and path and not path.startswith("["):
        path = f"[].{path}"
    if on == "upstream_request" and isinstance(document, dict):
        document = {key: _merge_neighbours(value, _PARTS_OF.get(key, "")) for key, value in document.items()}
    steps = parse_path(path)
    values = list(_walk(document, steps, on == "upstream_request", (document,)))
    if on == "upstream_request" and isinstance(document, dict) and "contents" in document and not _OPAQUE.search(path):
        name = next((step for step in reversed(steps) if isinstance(step, str)), "")
        return [_write_as_the_reference(value, name) for value in values]
    return values


def _write_as_the_reference(value: object, name: str) -> object:
    """Return a part of a request to Gemini with its keys in camelCase and its words for modes in capitals, which Gemini
    takes in any case, but for JSON that is the caller's own. ``name``: the key that it stands under.
    Source: google-gemini/cookbook, quickstarts/rest/Function_calling_config_REST.ipynb (2026-11-23)."""
    if isinstance(value, str) and name in _WORDS_IN_CAPITALS:
        return value.upper()
    if isinstance(value, list):
        return [_write_as_the_reference(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    keys = {key: _SNAKE.sub(lambda match: match[1].upper(), key) for key in value}
    return {
        keys[key]: item if _OPAQUE.search(key) else _write_as_the_reference(item, keys[key])
        for key, item in value.items()
    }


def _merge_neighbours(turns: object, parts_key: str) -> object:
    """Return the turns with neighbours of one role joined, where both hold a list of parts without results."""
    if not parts_key or not isinstance(turns, list):
        return turns
    merged: list[object] = []
    for turn in turns:
        last = merged[-1] if merged else None
        if isinstance(turn, dict) and isinstance(last, dict) and _can_merge(last, turn, parts_key):
            merged[-1] = {**last, parts_key: [*last[parts_key], *turn[parts_key]]}
        else:
            merged.append(turn)
    return merged


def _can_merge(first: dict[str, object], second: dict[str, object], parts_key: str) -> bool:
    for turn in (first, second):
        parts = turn.get(parts_key)
        if set(turn) != {"role", parts_key} or not isinstance(parts, list) or _RESULT.search(plain_json(parts)):
            return False
    return first["role"] == second["role"] != "tool"


def _walk(value: object, steps: list[Step], is_request: bool, parents: tuple[object, ...]) -> Iterator[object]:
    if not steps:
        yield value
        return
    if isinstance(value, str) and not isinstance(steps[0], str) and steps[1:] in (["text"], ["type"]):
        value = [{"type": "text", "text": value}]
    for child in _children(value, steps[0], is_request, parents):
        yield from _walk(child, steps[1:], is_request, (*parents, child))


def _children(value: object, step: Step, is_request: bool, parents: tuple[object, ...]) -> Iterator[object]:
    if isinstance(value, dict) and not isinstance(step, str) and is_request:
        value = [value]
    if isinstance(value, list):
        if step is None:
            yield from value
        elif isinstance(step, int) and -len(value) <= step < len(value):
            yield value[step]
    elif isinstance(value, dict) and step == "*":
        yield from value.values()
    elif isinstance(value, dict) and isinstance(step, str):
        snake_case = _UPPER.sub(lambda match: f"_{match[0].lower()}", step)
        key = next((name for name in (step, snake_case if is_request else step) if name in value), None)
        if key is not None:
            yield value[key]
        elif is_request:
            for branch in _branches(value, parents):
                yield from _children(branch, step, is_request, (*parents, branch))


def _branches(node: dict[str, object], parents: tuple[object, ...]) -> Iterator[object]:
    """Yield the branches of a JSON Schema and what its local reference names."""
    for key in _BRANCHES:
        branches = node.get(key)
        yield from branches if isinstance(branches, list) else ()
    target = _find_reference(node, parents)
    if target is not None and not any(target is parent for parent in parents):
        yield target


def _find_reference(node: dict[str, object], parents: Sequence[object]) -> object:
    """Return what a local ``$ref`` names in the nearest schema around that has it, None if nothing does."""
    reference = node.get("$ref", node.get("ref"))
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    for root in reversed(parents):
        target = root
        for key in filter(None, reference[1:].split("/")):
            target = target.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        if isinstance(target, dict) and target is not node:
            return target
    return None


def is_refusal(on: str, turn: int, is_there: bool, received: Sequence[Sequence[object]]) -> bool:
    """Return whether the client received an error in place of what ``on`` names. ``is_there``: whether that document
    exists. ``received``: the client's documents of each turn."""
    if on == "upstream_request" and is_there:
        return False
    documents = received[-1:] if on == "upstream_request" else received[turn : turn + 1]
    return any(isinstance(item, dict) and bool(item.get("error")) for turn_ in documents for item in turn_)


def find_violation(operator: str, operand: object, document: object, path: str, on: str, is_refused: bool) -> str:
    """Return what is wrong at this path of the document, "" if nothing. ``on``: as for ``select``. ``is_refused``: the
    client received an error in its place. ``bind`` needs all predicates and is not judged here."""
    if operator == "refused_or":
        return "" if is_refused else _test_alternative(operand, document, path, on, is_refused)
    if operator == "any_of":
        alternatives = operand if isinstance(operand, list) else []
        violations = [_test_alternative(alternative, document, path, on, is_refused) for alternative in alternatives]
        return "" if "" in violations else " and ".join(dict.fromkeys(violations))
    return check_values(operator, operand, select(document, path, on))


def _test_alternative(operand: object, document: object, path: str, on: str, is_refused: bool) -> str:
    """Test every operator of an alternative, which may have a path of its own."""
    members = dict(operand) if isinstance(operand, dict) else {}
    path = str(members.pop("path", path))
    violations = (find_violation(name, inner, document, path, on, is_refused) for name, inner in members.items())
    return next(filter(None, violations), "")


def check_values(operator: str, operand: object, values: Sequence[object]) -> str:
    """Return what is wrong with these values, "" if nothing. null is as good as no value, unless the operand names
    it."""
    if not _names_null(operand):
        values = [value for value in values if value is not None]
    elif not values and operator in ("equals", "one_of"):
        values = [None]
    return OPERATORS[operator](values, operand)


def _names_null(operand: object) -> bool:
    if isinstance(operand, dict) and operand and all(name in OPERATORS for name in operand):
        return any(map(_names_null, operand.values()))
    return operand is None or (isinstance(operand, list) and None in operand)


def show_values(values: Sequence[object]) -> str:
    """Return the values as short text."""
    if not values:
        return "(absent)"
    text = ", ".join(map(plain_json, values))
    return text if len(text) <= 400 else f"{text[:400]}…"


def _test_every(test: Callable[[object, object], bool]) -> Operator:
    """Return an operator that holds if there are values and the test holds of every one."""

    def operator(values: Sequence[object], operand: object) -> str:
        if not values:
            return "nothing is there"
        return "" if all(test(value, operand) for value in values) else show_values(values)

    return operator


def _is_text_list(value: object) -> bool:
    """Return whether the value is a list of text parts and of nothing else."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in value)
    )


def _text_of(value: object) -> str:
    """Return a text, or those of a list of parts, one after the other, without thoughts."""
    if isinstance(value, list):
        return "".join(map(_text_of, value))
    if isinstance(value, dict):
        return "" if value.get("thought") is True else _text_of(value.get("text"))
    return value if isinstance(value, str) else ""


def _like(value: object, operand: object) -> object:
    """Return the value in the form of the operand: a list of text parts as text where that is one; base64 in the
    standard alphabet with padding (https://protobuf.dev/programming-guides/json/, 2026-11-22: either is taken)."""
    if isinstance(value, str) and isinstance(operand, str) and _BASE64.fullmatch(operand):
        standard = value.replace("-", "+").replace("_", "/").rstrip("=")
        return standard + "=" * (-len(standard) % 4)
    return _text_of(value) if isinstance(operand, str) and _is_text_list(value) else value


def _equals(value: object, operand: object) -> bool:
    return plain_json(_like(value, operand)) == plain_json(operand)


def _is_member(value: object, operand: object) -> bool:
    return isinstance(operand, list) and any(_equals(value, member) for member in operand)


def _contains(value: object, operand: object) -> bool:
    value = _like(value, operand)
    if isinstance(value, str):
        return isinstance(operand, str) and operand in value
    if isinstance(value, list):
        return any(_equals(item, operand) for item in value)
    if not isinstance(value, dict) or not isinstance(operand, dict):
        return False
    return all(key in value and _has_member(value[key], operand[key]) for key in operand)


def _has_member(value: object, operand: object) -> bool:
    return _contains(value, operand) if isinstance(operand, dict) else _equals(value, operand)


def _matches(value: object, operand: object) -> bool:
    value = _like(value, operand)
    return isinstance(value, str) and bool(re.search(str(operand), value))


def _test_count(values: Sequence[object], operand: object) -> str:
    """Test how many values there are; of a single list or object, how many members it has."""
    single = values[0] if len(values) == 1 else None
    members = list(single.values()) if isinstance(single, dict) else single
    number = sum(member is not None for member in members) if isinstance(members, list) else len(values)
    return "" if operand in (number, len(values)) else f"{number}: {show_values(values)}"


def _members_of_single_list(values: Sequence[object]) -> Sequence[object]:
    """Return the values; of a single list, its members."""
    return values[0] if len(values) == 1 and isinstance(values[0], list) else values


def _test_each(values: Sequence[object], operand: object) -> str:
    """Test every value by itself; of a single list, every member."""
    violations = (_test_nested(operand, [member]) for member in _members_of_single_list(values))
    return next(filter(None, violations), "") if _members_of_single_list(values) else "nothing is there"


def _test_last(values: Sequence[object], operand: object) -> str:
    """Test the last value that is not null: null adds nothing in a stream (a finish reason in a later chunk of
    usage)."""
    members = [member for member in _members_of_single_list(values) if member is not None]
    return _test_nested(operand, members[-1:]) if members else "nothing is there"


def _test_nested(operand: object, values: Sequence[object]) -> str:
    """Apply an object of operators to the values; anything else has to be equal."""
    if not isinstance(operand, dict) or not operand or not all(name in OPERATORS for name in operand):
        operand = {"equals": operand}
    return next(filter(None, (check_values(name, inner, values) for name, inner in operand.items())), "")


def _test_unordered(values: Sequence[object], operand: object) -> str:
    """Test for the same members in any order."""
    expected = operand if isinstance(operand, list) else []
    actual = _members_of_single_list(values)
    rest = list(expected)
    for value in actual:
        found = next((item for item in rest if _equals(value, item)), _NOTHING)
        if found is _NOTHING:
            return show_values(values)
        rest.remove(found)
    return show_values(values) if rest else ""


def _test_text(values: Sequence[object], operand: object) -> str:
    """Test the texts of all values, put together."""
    return _test_nested(operand, ["".join(map(_text_of, values))]) if values else "nothing is there"


def _test_holds(values: Sequence[object], operand: object) -> str:
    """Test that one of the values, or something inside of one, is so."""
    if any(not _test_nested(operand, [part]) for value in values for part in _all_inside(value)):
        return ""
    return show_values(values) if values else "nothing is there"


def _all_inside(value: object) -> Iterator[object]:
    """Yield the value and everything inside of it; JSON in a text is opened."""
    yield value
    if _is_text_list(value):
        yield from _all_inside(_text_of(value))
    inner = list(value.values()) if isinstance(value, dict) else value
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            inner = [json.loads(value)]
        except (ValueError, RecursionError):
            inner = None
    for item in inner if isinstance(inner, list) else ():
        yield from _all_inside(item)


def _test_paired(values: Sequence[object], operand: object) -> str:
    """Test that every ``{name, arguments, result}`` is a call of the request and its result, in whatever order."""
    pairs = [pair for value in values for pair in pair_calls_and_results(value)]
    for expected in operand if isinstance(operand, list) else ():
        found = next((pair for pair in pairs if _is_pair(pair, expected)), None)
        if found is None:
            return show_values([list(pair) for pair in pairs])
        pairs.remove(found)
    return ""


def _is_pair(pair: tuple[object, object, object], expected: dict[str, object]) -> bool:
    keys = ("name", "arguments", "result")
    return all(
        not _test_holds([value], expected[key]) for key, value in zip(keys, pair, strict=True) if key in expected
    )


def pair_calls_and_results(request: object) -> list[tuple[object, object, object]]:
    """Return (name, arguments, result) of every call in a request that has a result: of that id, or, without one, of
    the first unanswered call of that name."""
    calls: list[tuple[object, object, object]] = []
    pairs: list[tuple[object, object, object]] = []
    for is_call, id_, name, value in _calls_and_results(request):
        if is_call:
            calls.append((id_, name, value))
            continue
        named = [call for call in calls if call[0] == id_] if id_ else [call for call in calls if call[1] == name]
        if named:
            call = named[-1] if id_ else named[0]
            calls.remove(call)
            pairs.append((call[1], call[2], value))
    return pairs


def _calls_and_results(value: object) -> Iterator[tuple[bool, object, object, object]]:
    """Yield (is it a call, id, name, arguments or result) in the order of the request."""
    if isinstance(value, list):
        for item in value:
            yield from _calls_and_results(item)
    elif isinstance(value, dict):
        call = value.get("functionCall", value.get("function_call"))
        result = value.get("functionResponse", value.get("function_response"))
        if value.get("type") == "tool_result":
            yield False, value.get("tool_use_id"), None, value.get("content")
        elif value.get("role") in ("tool", "function"):
            yield False, value.get("tool_call_id"), value.get("name"), value.get("content")
        elif isinstance(result, dict):
            parts = [result.get("response"), *(result.get("parts") or [])]
            yield False, result.get("id"), result.get("name"), parts if parts[1:] else parts[0]
        elif value.get("type") == "tool_use":
            yield True, value.get("id"), value.get("name"), value.get("input")
        elif isinstance(value.get("function"), dict) and "id" in value:
            yield True, value["id"], value["function"].get("name"), value["function"].get("arguments")
        elif isinstance(call, dict):
            yield True, call.get("id"), call.get("name"), call.get("args", call.get("arguments"))
        else:
            for item in value.values():
                yield from _calls_and_results(item)


def _test_instances(values: Sequence[object], operand: object) -> str:
    """Test that every schema takes the instances of ``accepts`` and none of ``rejects``."""
    schemas = [value for value in values if isinstance(value, dict)]
    if not schemas:
        return "no schema is there"
    instances = operand if isinstance(operand, dict) else {}
    for schema in schemas:
        for key, is_right in (("accepts", True), ("rejects", False)):
            wrong = [item for item in instances.get(key, ()) if takes_instance(schema, item, (schema,)) is not is_right]
            if wrong:
                return f"{'refused' if is_right else 'taken'}: {show_values(wrong)}"
    return ""


_TYPES: Final[dict[str, Callable[[object], bool]]] = {
    "string": lambda value: isinstance(value, str), "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None, "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value % 1 == 0,
}  # fmt: skip

_BOUNDS: Final[dict[str, Callable[[float, float], bool]]] = {
    "minimum": lambda number, bound: number >= bound, "maximum": lambda number, bound: number <= bound,
    "exclusiveMinimum": lambda number, bound: number > bound, "exclusiveMaximum": lambda number, bound: number < bound,
    "minLength": lambda number, bound: number >= bound, "maxLength": lambda number, bound: number <= bound,
    "minItems": lambda number, bound: number >= bound, "maxItems": lambda number, bound: number <= bound,
}  # fmt: skip


def takes_instance(schema: object, value: object, parents: tuple[object, ...]) -> bool:
    """Return whether a schema, JSON Schema or Gemini's, takes a value. ``parents``: the schemas around it."""
    if not isinstance(schema, dict):
        return schema is not False
    if len(parents) > 100:
        return True
    target = _find_reference(schema, parents)
    if target is not None and not takes_instance(target, value, (*parents, target)):
        return False
    if value is None and schema.get("nullable") is True:
        return True
    types = schema.get("type", [])
    kinds = [str(kind).lower() for kind in (types if isinstance(types, list) else [types])]
    known = [_TYPES[kind] for kind in kinds if kind in _TYPES]
    if known and not any(is_kind(value) for is_kind in known):
        return False
    if "enum" in schema and not _is_member(value, schema["enum"]):
        return _is_text_enum(schema, value)
    if "const" in schema and not _equals(value, schema["const"]):
        return False
    return (
        _fits_bounds(schema, value) and _fits_branches(schema, value, parents) and _fits_members(schema, value, parents)
    )


def _is_text_enum(schema: dict[str, object], value: object) -> bool:
    """Return whether the value is listed by its text: Gemini's enum holds texts alone."""
    return isinstance(value, int | float) and _is_member(str(value), schema["enum"])


def _fits_bounds(schema: dict[str, object], value: object) -> bool:
    pattern = schema.get("pattern")
    if isinstance(value, str) and isinstance(pattern, str) and not re.search(pattern, value):
        return False
    for key, test in _BOUNDS.items():
        measure, bound = _measure(key, value), schema.get(key)
        if measure is not None and bound is not None and not test(measure, float(str(bound))):
            return False
    return True


def _measure(bound: str, value: object) -> float | None:
    """Return the length or number that a bound limits, None if it does not limit such a value."""
    if bound.endswith("Length"):
        return len(value) if isinstance(value, str) else None
    if bound.endswith("Items"):
        return len(value) if isinstance(value, list) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _fits_branches(schema: dict[str, object], value: object, parents: tuple[object, ...]) -> bool:
    for key in _BRANCHES:
        branches = schema.get(key)
        if isinstance(branches, list) and branches:
            fits = [takes_instance(branch, value, (*parents, branch)) for branch in branches]
            if not (all(fits) if key == "allOf" else any(fits)):
                return False
    return True


def _fits_members(schema: dict[str, object], value: object, parents: tuple[object, ...]) -> bool:
    if isinstance(value, list):
        items, first = schema.get("items"), schema.get("prefixItems")
        heads = first if isinstance(first, list) else []
        pairs = [*zip(heads, value, strict=False), *((items, item) for item in value[len(heads) :])]
        return all(takes_instance(node, item, (*parents, node)) for node, item in pairs)
    if not isinstance(value, dict):
        return True
    required, properties = schema.get("required"), schema.get("properties")
    if isinstance(required, list) and any(name not in value for name in required):
        return False
    known = properties if isinstance(properties, dict) else {}
    rest = schema.get("additionalProperties")
    nodes = ((known.get(name, rest), item) for name, item in value.items())
    return all(takes_instance(node, item, (*parents, node)) for node, item in nodes)


OPERATORS: Final[dict[str, Operator]] = {
    "equals": _test_every(_equals),
    "one_of": _test_every(_is_member),
    "none_of": lambda values, operand: (
        show_values(values) if any(_is_member(value, operand) for value in values) else ""
    ),
    "contains": _test_every(_contains),
    "matches": _test_every(_matches),
    "absent": lambda values, operand: show_values(values) if values and operand is not False else "",
    "present": lambda values, operand: "nothing is there" if not values and operand is not False else "",
    "count": _test_count,
    "each": _test_each,
    "last": _test_last,
    "unordered": _test_unordered,
    "distinct": lambda values, _: show_values(values) if len({*map(plain_json, values)}) < max(len(values), 1) else "",
    "text": _test_text,
    "holds": _test_holds,
    "paired": _test_paired,
    "instances": _test_instances,
}
"""Operators on the values that a path selects."""

WIDER_OPERATORS: Final = ("any_of", "refused_or", "bind")
"""Operators that look beyond them."""
