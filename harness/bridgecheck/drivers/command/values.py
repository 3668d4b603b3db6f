"""The sorts of values that stand in a line of the protocol: each as its JSON schema and, the same, as a function."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.express import OPTIONAL_FEATURES
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, MODES, JsonObject

Does: TypeAlias = Literal["to_upstream", "from_upstream", "stream", "call", "cancel"]
DOES: Final[tuple[Does, ...]] = get_args(Does)
"""What an adapter may have or not, as it says in ``capabilities``."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One sort of value: its JSON schema, and the same as a function."""

    schema: JsonObject
    fits: Callable[[object], bool]
    words: str


def _word(*known: str) -> Kind:
    return Kind(
        {"enum": list(known)}, lambda value: isinstance(value, str) and value in known, f"one of {', '.join(known)}"
    )


def _list(item: Kind, words: str, *, least: int = 0) -> Kind:
    def fits(value: object) -> bool:
        return isinstance(value, list) and len(value) >= least and all(map(item.fits, value))

    return Kind({"type": "array", "items": item.schema} | ({"minItems": least} if least else {}), fits, words)


def _tuple(words: str, *members: Kind) -> Kind:
    def fits(value: object) -> bool:
        if not isinstance(value, list) or len(value) != len(members):
            return False
        return all(member.fits(item) for member, item in zip(members, value, strict=True))

    schemas = [member.schema for member in members]
    size = len(members)
    return Kind({"type": "array", "prefixItems": schemas, "minItems": size, "maxItems": size}, fits, words)


def _is_int(value: object, least: int, most: float) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _whole(words: str, least: int, most: int | None = None) -> Kind:
    bounds: JsonObject = {"minimum": least}
    if most is not None:
        bounds["maximum"] = most
    return Kind({"type": "integer", **bounds}, lambda value: _is_int(value, least, most or float("inf")), words)


TEXT: Final = Kind({"type": "string"}, lambda value: isinstance(value, str), "a string")
NAME: Final = Kind(
    {"type": "string", "minLength": 1}, lambda value: isinstance(value, str) and value != "", "a string, not empty"
)
YES: Final = Kind({"const": True}, lambda value: value is True, "true")
FLAG: Final = Kind({"type": "boolean"}, lambda value: isinstance(value, bool), "true or false")
ID: Final = _whole("a whole number", 1)
STATUS: Final = _whole("a status from 100 to 599", 100, 599)
SECONDS: Final = Kind(
    {"type": "number", "minimum": 0},
    lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value >= 0,
    "seconds, 0 or more",
)
DOCUMENT: Final = Kind({"type": "object"}, lambda value: isinstance(value, dict), "a JSON object")
DOCUMENTS: Final = _list(DOCUMENT, "a list of JSON objects")
DIALECT: Final = _word(*DIALECTS)
CLIENT: Final = _word(*CLIENT_DIALECTS)
DIALECTS_KNOWN: Final = _list(CLIENT, f"a list of dialects ({', '.join(CLIENT_DIALECTS)})")
MODE: Final = _word(*MODES)
_ROUTE: Final = _tuple("[client, upstream]", CLIENT, DIALECT)
ROUTES: Final = _list(_ROUTE, f"a list of [client, upstream], dialects among {', '.join(CLIENT_DIALECTS)}")
PIVOTS: Final = _list(_tuple("", CLIENT, DIALECT, DIALECT), "a list of [client, upstream, the dialect between them]")
CLAIMS: Final = _list(_word(*CAPABILITIES), f"a list of capabilities among {', '.join(CAPABILITIES)}")
UNSAID: Final = _list(_word(*sorted(OPTIONAL_FEATURES)), "a list of what types cannot say, as docs/outcome.md names it")
DOING: Final = _list(_word(*DOES), f"a list with one or more of {', '.join(DOES)}", least=1)


def _is_headers(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


HEADERS: Final = Kind(
    {"type": "object", "additionalProperties": {"type": "string"}}, _is_headers, "an object of strings"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """An object with exactly these members, all of them there but the optional ones."""

    members: Mapping[str, Kind]
    optional: Mapping[str, Kind] = field(default_factory=dict)

    def wrong(self, value: JsonObject) -> str:
        """The first mistake in words, "" if there is none."""
        every = {**self.members, **self.optional}
        for name in value:
            if name not in every:
                return f"unknown member {name!r}; expected {', '.join(every)}"
        for name in self.members:
            if name not in value:
                return f"{name} is missing"
        for name, kind in every.items():
            if name in value and not kind.fits(value[name]):
                return f"{name} is {shown(value[name])}; expected {kind.words}"
        return ""


def shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:80]}…"


_LOSS: Final = Shape({"path": TEXT, "reason": TEXT}, {"severity": TEXT})
_FAILURE: Final = Shape({}, {"status": STATUS, "body": DOCUMENT, "retry_after": SECONDS})


def closed(shape: Shape) -> JsonObject:
    """The schema of a shape."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(shape.members),
        "properties": {name: kind.schema for name, kind in (*shape.members.items(), *shape.optional.items())},
    }


def _object(shape: Shape, words: str) -> Kind:
    return Kind(closed(shape), lambda value: isinstance(value, dict) and not shape.wrong(value), words)


LOSSES: Final = _list(_object(_LOSS, "a loss"), "a list of {path, reason, severity}")
FAILURE: Final = _object(_FAILURE, "{status, body: the error in the client's dialect, retry_after: seconds}")
