"""What a ``command:`` adapter and the harness say to each other: one JSON object a line, version 1.

    -> {"id": 3, "op": "to_upstream", "client": "openai-chat", "upstream": "gemini", "mode": "unary", ...}
    <- {"id": 3, "body": {"contents": [...]}}

A request gets one answer, with its id; a streamed ``call`` gets one line an event and then ``end``. Instead of any
answer there may come ``unsupported`` (the adapter refuses this, in words that name the field) or ``errored`` (it broke,
with its traceback if it has one). ``failed`` is no mistake of the adapter's: the provider answered with an error, and
this is what the client gets of it.

The tables below say it all: they check every line and are the exported schema (``schema``).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.express import OPTIONAL_FEATURES
from bridgecheck.model.jsonvalue import obj, parse_json, reason_if_not_plain
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, MODES, JsonObject

Does: TypeAlias = Literal["to_upstream", "from_upstream", "stream", "call", "cancel"]
DOES: Final[tuple[Does, ...]] = get_args(Does)
"""What an adapter may have or not, as it says in ``capabilities``."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: its JSON schema, and the same as a function."""

    schema: JsonObject
    fits: Callable[[object], bool]
    description: str


def _word_kind(*known: str) -> Kind:
    one_of = f"one of {', '.join(known)}"
    return Kind({"enum": list(known)}, lambda value: isinstance(value, str) and value in known, one_of)


def _list_kind(item: Kind, description: str, *, least: int = 0) -> Kind:
    def fits(value: object) -> bool:
        return isinstance(value, list) and len(value) >= least and all(map(item.fits, value))

    return Kind({"type": "array", "items": item.schema} | ({"minItems": least} if least else {}), fits, description)


def _tuple_kind(description: str, *members: Kind) -> Kind:
    def fits(value: object) -> bool:
        if not isinstance(value, list) or len(value) != len(members):
            return False
        return all(member.fits(item) for member, item in zip(members, value, strict=True))

    schemas = [member.schema for member in members]
    size = len(members)
    return Kind({"type": "array", "prefixItems": schemas, "minItems": size, "maxItems": size}, fits, description)


def _is_int(value: object, least: int, most: float) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _integer_kind(description: str, least: int, most: int | None = None) -> Kind:
    bounds: JsonObject = {"minimum": least}
    if most is not None:
        bounds["maximum"] = most
    return Kind({"type": "integer", **bounds}, lambda value: _is_int(value, least, most or float("inf")), description)


TEXT: Final = Kind({"type": "string"}, lambda value: isinstance(value, str), "a string")
NAME: Final = Kind(
    {"type": "string", "minLength": 1}, lambda value: isinstance(value, str) and value != "", "a string, not empty"
)
YES: Final = Kind({"const": True}, lambda value: value is True, "true")
FLAG: Final = Kind({"type": "boolean"}, lambda value: isinstance(value, bool), "true or false")
ID: Final = _integer_kind("a whole number", 1)
STATUS: Final = _integer_kind("a status from 100 to 599", 100, 599)
SECONDS: Final = Kind(
    {"type": "number", "minimum": 0},
    lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value >= 0,
    "seconds, 0 or more",
)
DOCUMENT: Final = Kind({"type": "object"}, lambda value: isinstance(value, dict), "a JSON object")
DOCUMENTS: Final = _list_kind(DOCUMENT, "a list of JSON objects")
DIALECT: Final = _word_kind(*DIALECTS)
CLIENT: Final = _word_kind(*CLIENT_DIALECTS)
DIALECTS_KNOWN: Final = _list_kind(CLIENT, f"a list of dialects ({', '.join(CLIENT_DIALECTS)})")
MODE: Final = _word_kind(*MODES)
_ROUTE: Final = _tuple_kind("[client, upstream]", CLIENT, DIALECT)
ROUTES: Final = _list_kind(_ROUTE, f"a list of [client, upstream], dialects among {', '.join(CLIENT_DIALECTS)}")
PIVOTS: Final = _list_kind(
    _tuple_kind("", CLIENT, DIALECT, DIALECT), "a list of [client, upstream, the dialect between them]"
)
CLAIMS: Final = _list_kind(_word_kind(*CAPABILITIES), f"a list of capabilities among {', '.join(CAPABILITIES)}")
INEXPRESSIBLE: Final = _list_kind(
    _word_kind(*sorted(OPTIONAL_FEATURES)), "a list of what types cannot say, as docs/outcome.md names it"
)
DOING: Final = _list_kind(_word_kind(*DOES), f"a list with one or more of {', '.join(DOES)}", least=1)


HEADERS: Final = Kind(
    {"type": "object", "additionalProperties": {"type": "string"}},
    lambda value: isinstance(value, dict) and all(isinstance(item, str) for item in value.values()),
    "an object of strings",
)


@dataclass(frozen=True, slots=True)
class Shape:
    """An object with exactly these members, all of them there but the optional ones."""

    members: Mapping[str, Kind]
    optional: Mapping[str, Kind] = field(default_factory=dict)

    def find_mistake(self, value: JsonObject) -> str:
        """Return the first mistake in words, "" if there is none."""
        kinds = {**self.members, **self.optional}
        for name in value:
            if name not in kinds:
                return f"unknown member {name!r}; expected {', '.join(kinds)}"
        for name in self.members:
            if name not in value:
                return f"{name} is missing"
        for name, kind in kinds.items():
            if name in value and not kind.fits(value[name]):
                return f"{name} is {value_excerpt(value[name])}; expected {kind.description}"
        return ""


def value_excerpt(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:80]}…"


_LOSS_SHAPE: Final = Shape({"path": TEXT, "reason": TEXT}, {"severity": TEXT})
_FAILURE_SHAPE: Final = Shape({}, {"status": STATUS, "body": DOCUMENT, "retry_after": SECONDS})


def object_schema(shape: Shape) -> JsonObject:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(shape.members),
        "properties": {name: kind.schema for name, kind in (*shape.members.items(), *shape.optional.items())},
    }


def _object_kind(shape: Shape, description: str) -> Kind:
    schema = object_schema(shape)
    return Kind(schema, lambda value: isinstance(value, dict) and not shape.find_mistake(value), description)


LOSSES: Final = _list_kind(_object_kind(_LOSS_SHAPE, "a loss"), "a list of {path, reason, severity}")
FAILURE: Final = _object_kind(_FAILURE_SHAPE, "{status, body: the error in the client's dialect, retry_after: seconds}")


VERSION: Final = 1

Op: TypeAlias = Literal[
    "start", "capabilities", "to_upstream", "from_upstream",
    "stream.open", "stream.feed", "stream.close", "call", "cancel", "stop",
]  # fmt: skip
OPS: Final[tuple[Op, ...]] = get_args(Op)

_ROUTE_MEMBERS: Final[Mapping[str, Kind]] = {"client": CLIENT, "upstream": DIALECT}
_LOSS_MEMBERS: Final[Mapping[str, Kind]] = {"losses": LOSSES}

REQUESTS: Final[dict[Op, Shape]] = {
    "start": Shape({"bridgecheck": ID, "harness": TEXT, "dialects": DIALECTS_KNOWN}),
    "capabilities": Shape({}),
    "to_upstream": Shape({**_ROUTE_MEMBERS, "mode": MODE, "model": TEXT, "body": DOCUMENT}),
    "from_upstream": Shape({**_ROUTE_MEMBERS, "status": STATUS, "model": TEXT, "request": DOCUMENT, "body": DOCUMENT}),
    "stream.open": Shape({"stream": ID, **_ROUTE_MEMBERS, "model": TEXT, "request": DOCUMENT}),
    "stream.feed": Shape({"stream": ID, "event": DOCUMENT}),
    "stream.close": Shape({"stream": ID}),
    "call": Shape({
        **_ROUTE_MEMBERS, "mode": MODE, "model": TEXT, "base_url": TEXT, "api_key": TEXT, "headers": HEADERS,
        "body": DOCUMENT,
    }),
    "cancel": Shape({"call": ID}),
    "stop": Shape({}),
}  # fmt: skip
"""What the harness asks, beside ``id`` and ``op``."""

_EVENT: Final = Shape({"event": DOCUMENT})
_END: Final = Shape({"end": YES}, _LOSS_MEMBERS)

ANSWERS: Final[dict[Op, tuple[Shape, ...]]] = {
    "start": (Shape({"bridgecheck": ID, "name": NAME, "version": TEXT}),),
    "capabilities": (
        Shape(
            {"routes": ROUTES, "does": DOING},
            {"sessions": ROUTES, "pivots": PIVOTS, "claims": CLAIMS, "headers": FLAG, "cannot_say": INEXPRESSIBLE},
        ),
    ),
    "to_upstream": (Shape({"body": DOCUMENT}, _LOSS_MEMBERS),),
    "from_upstream": (Shape({"status": STATUS, "body": DOCUMENT}, _LOSS_MEMBERS),),
    "stream.open": (Shape({"opened": YES}),),
    "stream.feed": (Shape({"events": DOCUMENTS}, _LOSS_MEMBERS),),
    "stream.close": (Shape({"events": DOCUMENTS}, _LOSS_MEMBERS),),
    "call": (Shape({"body": DOCUMENT}, _LOSS_MEMBERS), _EVENT, _END, Shape({"failed": FAILURE})),
    "cancel": (Shape({"cancelled": YES}),),
    "stop": (Shape({"stopped": YES}),),
}
"""What may come back, beside ``id``. The first member names the shape."""

ANYWHERE: Final = (Shape({"unsupported": NAME}), Shape({"errored": NAME}, {"traceback": TEXT}))
"""What may come back instead, whatever was asked."""


class InvalidLine(Exception):
    """A line that is no answer; ``str()`` is the mistake."""


def encode_request(number: int, op: Op, members: JsonObject) -> bytes:
    """Return one request as a line. ASCII alone, so that it contains no line end of any kind and no half character."""
    return json.dumps({"id": number, "op": op, **members}, separators=(",", ":")).encode("ascii") + b"\n"


def decode_answer(line: bytes) -> tuple[int, JsonObject]:
    """Return a line as (id, the other members). Raises InvalidLine."""
    try:
        document = parse_json(line.decode("utf-8"))
    except ValueError as error:
        reason = reason_if_not_plain(error)
        raise InvalidLine(f"no JSON{f' ({reason})' if reason else ''}: {line_excerpt(line)}") from error
    if not isinstance(document, dict):
        raise InvalidLine(f"no JSON object: {line_excerpt(line)}")
    number = document.pop("id", None)
    if not ID.fits(number):
        raise InvalidLine(f"an answer without the id of its request: {line_excerpt(line)}")
    return number, document


def require_valid_answer_kind(op: Op, answer: JsonObject) -> str:
    """Return the member that names the kind of answer: ``body``, ``event``, ``end``, ``failed``, ``unsupported``, ...
    Raises InvalidLine if there is none, or the other members do not fit it."""
    shapes = {next(iter(shape.members)): shape for shape in (*ANYWHERE, *ANSWERS[op])}
    name = next((name for name in shapes if name in answer), "")
    if not name:
        raise InvalidLine(f"no answer to {op}: {value_excerpt(answer)}; expected {' or '.join(sorted(shapes))}")
    mistake = shapes[name].find_mistake(answer)
    if mistake:
        raise InvalidLine(f"a bad answer to {op}: {mistake}")
    return name


def line_excerpt(line: bytes) -> str:
    value_excerpt = line[:120].decode("utf-8", "backslashreplace").rstrip("\r\n")
    return repr(value_excerpt) + (f" … ({len(line)} bytes)" if len(line) > 120 else "")


def protocol_schema() -> JsonObject:
    """Return the JSON Schema (2020-12) of any line. ``$defs`` has the lines one by one, ``request.OP`` and
    ``answer.OP``, since only the request decides which answer is due."""
    definitions: JsonObject = {f"request.{op}": _request_schema(op) for op in OPS}
    for op in OPS:
        definitions[f"answer.{op}"] = {"anyOf": [_schema_with_id(shape) for shape in (*ANSWERS[op], *ANYWHERE)]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"bridgecheck command protocol, version {VERSION}",
        "description": "One line of what the harness and a command: adapter say to each other; see docs/protocol.md.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in definitions],
        "$defs": definitions,
    }


def protocol_schema_text() -> str:
    """Return the text of docs/protocol.schema.json."""
    return json.dumps(protocol_schema(), indent=2) + "\n"


def _request_schema(op: Op) -> JsonObject:
    """Return a request's schema. It is open: an adapter ignores the members of a later minor version."""
    shape = REQUESTS[op]
    properties: JsonObject = {"op": {"const": op}, **obj(_schema_with_id(shape)["properties"])}
    return {"type": "object", "required": ["op", "id", *shape.members], "properties": properties}


def _schema_with_id(shape: Shape) -> JsonObject:
    return object_schema(Shape({"id": ID, **shape.members}, shape.optional))
