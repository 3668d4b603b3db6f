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
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from bridgecheck.drivers.command.values import (
    CLAIMS,
    CLIENT,
    DIALECT,
    DIALECTS_KNOWN,
    DOCUMENT,
    DOCUMENTS,
    DOING,
    FAILURE,
    FLAG,
    HEADERS,
    ID,
    LOSSES,
    MODE,
    NAME,
    PIVOTS,
    ROUTES,
    STATUS,
    TEXT,
    UNSAID,
    YES,
    Kind,
    Shape,
    shown,
)  # fmt: skip
from bridgecheck.wire import JsonObject

VERSION: Final = 1

Op: TypeAlias = Literal[
    "start", "capabilities", "to_upstream", "from_upstream",
    "stream.open", "stream.feed", "stream.close", "call", "cancel", "stop",
]  # fmt: skip
OPS: Final[tuple[Op, ...]] = get_args(Op)

_PAIR: Final[Mapping[str, Kind]] = {"client": CLIENT, "upstream": DIALECT}
_LOSSES: Final[Mapping[str, Kind]] = {"losses": LOSSES}

REQUESTS: Final[dict[Op, Shape]] = {
    "start": Shape({"bridgecheck": ID, "harness": TEXT, "dialects": DIALECTS_KNOWN}),
    "capabilities": Shape({}),
    "to_upstream": Shape({**_PAIR, "mode": MODE, "model": TEXT, "body": DOCUMENT}),
    "from_upstream": Shape({**_PAIR, "status": STATUS, "model": TEXT, "request": DOCUMENT, "body": DOCUMENT}),
    "stream.open": Shape({"stream": ID, **_PAIR, "model": TEXT, "request": DOCUMENT}),
    "stream.feed": Shape({"stream": ID, "event": DOCUMENT}),
    "stream.close": Shape({"stream": ID}),
    "call": Shape(
        {**_PAIR, "mode": MODE, "model": TEXT, "base_url": TEXT, "api_key": TEXT, "headers": HEADERS, "body": DOCUMENT}
    ),
    "cancel": Shape({"call": ID}),
    "stop": Shape({}),
}
"""What the harness asks, beside ``id`` and ``op``."""

_EVENT: Final = Shape({"event": DOCUMENT})
_END: Final = Shape({"end": YES}, _LOSSES)

ANSWERS: Final[dict[Op, tuple[Shape, ...]]] = {
    "start": (Shape({"bridgecheck": ID, "name": NAME, "version": TEXT}),),
    "capabilities": (
        Shape(
            {"routes": ROUTES, "does": DOING},
            {"sessions": ROUTES, "pivots": PIVOTS, "claims": CLAIMS, "headers": FLAG, "cannot_say": UNSAID},
        ),
    ),
    "to_upstream": (Shape({"body": DOCUMENT}, _LOSSES),),
    "from_upstream": (Shape({"status": STATUS, "body": DOCUMENT}, _LOSSES),),
    "stream.open": (Shape({"opened": YES}),),
    "stream.feed": (Shape({"events": DOCUMENTS}, _LOSSES),),
    "stream.close": (Shape({"events": DOCUMENTS}, _LOSSES),),
    "call": (Shape({"body": DOCUMENT}, _LOSSES), _EVENT, _END, Shape({"failed": FAILURE})),
    "cancel": (Shape({"cancelled": YES}),),
    "stop": (Shape({"stopped": YES}),),
}
"""What may come back, beside ``id``. The first member names the shape."""

ANYWHERE: Final = (Shape({"unsupported": NAME}), Shape({"errored": NAME}, {"traceback": TEXT}))
"""What may come back instead, whatever was asked."""


class Nonsense(Exception):
    """A line that is no answer; ``str()`` says what is wrong with it."""


def write(number: int, op: Op, members: JsonObject) -> bytes:
    """One request as a line. ASCII alone, so that no line end of any kind and no half character stands in it."""
    return json.dumps({"id": number, "op": op, **members}, separators=(",", ":")).encode("ascii") + b"\n"


def read(line: bytes) -> tuple[int, JsonObject]:
    """A line as (id, the rest of it). Raises Nonsense."""
    try:
        found = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as wrong:
        raise Nonsense(f"no JSON: {excerpt(line)}") from wrong
    if not isinstance(found, dict):
        raise Nonsense(f"no JSON object: {excerpt(line)}")
    number = found.pop("id", None)
    if not ID.fits(number):
        raise Nonsense(f"an answer without the id of its request: {excerpt(line)}")
    return number, found


def sort_of(op: Op, answer: JsonObject) -> str:
    """The member that says what sort of answer it is: ``body``, ``event``, ``end``, ``failed``, ``unsupported``, ...
    Raises Nonsense if there is none, or the rest does not go with it."""
    shapes = {next(iter(shape.members)): shape for shape in (*ANYWHERE, *ANSWERS[op])}
    name = next((name for name in shapes if name in answer), "")
    if not name:
        raise Nonsense(f"no answer to {op}: {shown(answer)}; expected {' or '.join(sorted(shapes))}")
    mistake = shapes[name].wrong(answer)
    if mistake:
        raise Nonsense(f"a bad answer to {op}: {mistake}")
    return name


def excerpt(line: bytes) -> str:
    shown = line[:120].decode("utf-8", "backslashreplace").rstrip("\r\n")
    return repr(shown) + (f" … ({len(line)} bytes)" if len(line) > 120 else "")


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
