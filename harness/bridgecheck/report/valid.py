"""Whether a document can be read as a report: what its schema says, but for what is derived and need not be there.

What older releases did not derive yet is no mistake of theirs. A report of the whole corpus holds a hundred thousand
verdicts, nearly all of them alike. Each different one is looked at once, which takes a fifth of the time.
"""

import json
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from bridgecheck.report.schema import report_schema
from bridgecheck.wire import JsonObject

LONGEST: Final = 200
"""Characters of one violation; it may quote a whole document."""

Broken: TypeAlias = Callable[[object, str], Iterator[str]]
"""What a value breaks of a schema, given the path it stands at."""


def violations(document: object) -> Iterator[str]:
    """What the schema does not allow, each with its place: ``$.run.planned: -1 is less than the minimum of 0``."""
    schema = {name: part for name, part in report_schema().items() if name not in ("if", "then")}
    cases = document.get("cases") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(cases, list):
        yield from _against(schema)(document, "$")
        return
    yield from _against(schema)(document | {"cases": []}, "$")
    case = _against(_part(schema, "case"))
    different: dict[str, tuple[object, str]] = {}
    for number, value in enumerate(cases):
        place = f"$.cases[{number}]"
        yield from case(_without_verdicts(value), place)
        for turn, verdict in enumerate(_verdicts(value)):
            different.setdefault(json.dumps(verdict), (verdict, f"{place}.verdicts[{turn}]"))
    one = _against(_part(schema, "verdict"))
    for verdict, place in different.values():
        yield from one(verdict, place)


def _verdicts(case: object) -> list[object]:
    held = case.get("verdicts") if isinstance(case, dict) else None
    return held if isinstance(held, list) else []


def _without_verdicts(case: object) -> object:
    return case | {"verdicts": []} if isinstance(case, dict) and _verdicts(case) else case


def _part(schema: JsonObject, name: str) -> JsonObject:
    """The schema of one of its definitions."""
    return {"$schema": schema["$schema"], "$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}


def _against(schema: JsonObject) -> Broken:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(schema)

    def broken(value: object, place: str) -> Iterator[str]:
        for error in validator.iter_errors(value):
            said = f"{place}{error.json_path[1:]}: {error.message}"
            yield said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"

    return broken
