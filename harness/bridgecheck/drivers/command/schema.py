"""The JSON schema of the ``command:`` protocol, from the tables that check it. docs/protocol.schema.json is this text
(a test keeps them equal)."""

import json

from bridgecheck.drivers.command.protocol import ANSWERS, ANYWHERE, OPS, REQUESTS, VERSION, Op
from bridgecheck.drivers.command.values import ID, Shape, closed
from bridgecheck.wire import JsonObject


def protocol_schema() -> JsonObject:
    """JSON Schema 2020-12. The whole is any line; ``$defs`` has the lines one by one, ``request.OP`` and ``answer.OP``,
    since only who asked knows which answer is due."""
    definitions: JsonObject = {f"request.{op}": _request(op) for op in OPS}
    definitions |= {f"answer.{op}": _any([_answer(shape) for shape in (*ANSWERS[op], *ANYWHERE)]) for op in OPS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"bridgecheck command protocol, version {VERSION}",
        "description": "One line of what the harness and a command: adapter say to each other; see docs/protocol.md.",
        **_any([{"$ref": f"#/$defs/{name}"} for name in definitions]),
        "$defs": definitions,
    }


def schema_text() -> str:
    """The text of docs/protocol.schema.json."""
    return json.dumps(protocol_schema(), indent=2) + "\n"


def _request(op: Op) -> JsonObject:
    """Open: a later minor version may say more, and an adapter passes over what it does not know."""
    shape = REQUESTS[op]
    found = closed(Shape({"id": ID, **shape.members}, shape.optional))
    properties: JsonObject = {"op": {"const": op}, **_properties(found)}
    return {"type": "object", "required": ["op", "id", *shape.members], "properties": properties}


def _answer(shape: Shape) -> JsonObject:
    return closed(Shape({"id": ID, **shape.members}, shape.optional))


def _properties(schema: JsonObject) -> JsonObject:
    found = schema["properties"]
    assert isinstance(found, dict)
    return found


def _any(schemas: list[JsonObject]) -> JsonObject:
    return {"anyOf": schemas}
