"""Dataclasses <-> plain JSON objects, and the shape of a CaseResult in report.json and between worker processes.

Keys are the names of the fields. An empty field of a case or verdict ("", 0, [] or {}) is not written, and one that is
absent reads as empty: most verdicts are plain passes and there are hundreds of thousands of them. Reading raises
``ValueError``, which names the key and what was expected there."""

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache, partial
from typing import Final, Literal, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

from bridgecheck.model.verdict import STATUSES, CaseResult, Verdict
from bridgecheck.wire import DIALECTS, JsonObject

T = TypeVar("T")
Reader: TypeAlias = Callable[[object, str], object]
"""Reads a JSON value. The text is its key, for the message of a ValueError."""

_CASE_KEYS: Final = (
    "adapter", "title", "topic", "source", "recording", "seconds", "crash", "where", "verdicts", "views",
)  # fmt: skip
_VERDICT_KEYS: Final = ("check", "status", "turn", "message", "differences", "rules", "losses", "excuse")
_PLAIN_KEYS: Final = frozenset({"check", "status"})
_plain_verdict: Final = lru_cache(maxsize=4096)(Verdict)
"""Makes a verdict that has nothing but check and status: nearly all verdicts of a run are such."""
_SCALARS: Final[dict[object, tuple[str, tuple[type, ...]]]] = {
    str: ("string", (str,)), bool: ("boolean", (bool,)), int: ("number", (int, float)), float: ("number", (int, float)),
}  # fmt: skip


def case_to_dict(case: CaseResult) -> JsonObject:
    """JSON values only. ``status`` is written for readers of the file; reading derives it anew from the verdicts."""
    head = {"key": to_json_value(case.key), "id": str(case.key), "status": case.status}
    return head | _nonempty_fields(case, _CASE_KEYS)


def case_from_dict(value: object) -> CaseResult:
    """Inverse of ``case_to_dict``. Raises ValueError."""
    case = read_known_fields(CaseResult, value, "case")
    _read_choice(DIALECTS, case.key.upstream, "upstream")
    return case


def to_json_value(value: object) -> object:
    """Return JSON values: a dataclass as an object of its fields, a tuple as a list."""
    if isinstance(value, Verdict):
        return _nonempty_fields(value, _VERDICT_KEYS)
    if is_dataclass(value) and not isinstance(value, type):
        return all_named_fields_to_json(value, [field.name for field in fields(value)])
    if isinstance(value, (tuple, list)):
        return [to_json_value(item) for item in value]
    return {key: to_json_value(item) for key, item in value.items()} if isinstance(value, dict) else value


def all_named_fields_to_json(value: object, names: Iterable[str]) -> JsonObject:
    """Return these fields of a dataclass as JSON values, empty ones too, in this order."""
    return {name: to_json_value(getattr(value, name)) for name in names}


def _nonempty_fields(value: object, names: Iterable[str]) -> JsonObject:
    return {name: to_json_value(item) for name in names if (item := getattr(value, name))}


def read_known_fields(make: Callable[..., T], value: object, name: str) -> T:
    """Return the dataclass ``make`` of a JSON object; an absent member is an empty field. Raises ValueError."""
    data = _read_object(value, name)
    return make(**{key: read(data.get(key, empty), key) for key, read, empty in _field_readers(make)})


def _read_verdict(value: object, name: str) -> Verdict:
    data = _read_object(value, name)
    if data.keys() == _PLAIN_KEYS and isinstance(data["check"], str) and data["status"] in STATUSES:
        return _plain_verdict(data["check"], data["status"])
    return read_known_fields(Verdict, data, name)


@cache
def _field_readers(make: Callable[..., object]) -> tuple[tuple[str, Reader, object], ...]:
    """Return for each field of a dataclass its name, its reader and the JSON value that it has where it is absent."""
    hints = get_type_hints(make)
    empty = {str: "", bool: False, int: 0, float: 0, tuple: [], dict: {}}
    return tuple((name, _make_reader(hint), empty.get(get_origin(hint) or hint)) for name, hint in hints.items())


def _make_reader(hint: object) -> Reader:
    """Return the reader for values of a type."""
    kind, arguments = get_origin(hint), get_args(hint)
    if kind is Literal:
        return partial(_read_choice, arguments)
    if kind is tuple:
        return partial(_read_tuple, _make_reader(arguments[0]))
    if kind is dict:
        return partial(_read_dict, _make_reader(arguments[1]))
    if arguments:  # Excuse | None
        return partial(_read_unless_empty, _make_reader(arguments[0]))
    if hint is Verdict:
        return _read_verdict
    return partial(_read_scalar, hint) if hint in _SCALARS else partial(read_known_fields, cast(Callable[..., T], hint))


def _read_object(value: object, name: str) -> JsonObject:
    if not isinstance(value, dict):
        raise ValueError(f"{name}: expected an object, got {type(value).__name__}")
    return cast(JsonObject, value)


def _read_scalar(kind: object, value: object, name: str) -> object:
    description, kinds = _SCALARS[kind]
    if not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{name}: expected a {description}, got {type(value).__name__}")
    return float(value) if kind is float and isinstance(value, int) else value


def _read_choice(allowed: tuple[object, ...], value: object, name: str) -> object:
    if value not in allowed:
        raise ValueError(f"{name}: expected one of {', '.join(map(str, allowed))}, got {value!r}")
    return value


def _read_tuple(read: Reader, value: object, name: str) -> object:
    if not isinstance(value, list):
        raise ValueError(f"{name}: expected a list, got {type(value).__name__}")
    return tuple(read(item, name) for item in value)


def _read_dict(read: Reader, value: object, name: str) -> object:
    return {key: read(item, key) for key, item in _read_object(value, name).items()}


def _read_unless_empty(read: Reader, value: object, name: str) -> object:
    return read(value, name) if value else None
