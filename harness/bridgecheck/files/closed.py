"""A document against a closed schema: the first mistake, with file, line and column."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bridgecheck.errors import BridgecheckError
from bridgecheck.files.position import position
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

if TYPE_CHECKING:
    from pydantic import BaseModel

NEXT_STEP = "bridgecheck lint"


def closed(
    schema: "type[BaseModel]", document: object, path: Path, source: str, error: type[BridgecheckError]
) -> JsonObject:
    """The document, if it has the schema; ``error`` otherwise. ``source``: its text."""
    from pydantic import ValidationError

    try:
        schema.model_validate(document)
    except ValidationError as wrong:
        raise _refusal(arr(wrong.errors(include_url=False)), path, source, error) from None
    return obj(document)


def _refusal(errors: list[object], path: Path, source: str, error: type[BridgecheckError]) -> BridgecheckError:
    found = [obj(item) for item in errors]
    first = min(found, key=lambda item: item.get("type") != "unknown_key")
    steps = [step for step in cast(tuple[str | int, ...], first["loc"]) if step != "[key]"]
    context = obj(first.get("ctx"))
    if first["type"] == "unknown_key":
        steps.append(text(context["key"]))
        what = f"unknown key {steps[-1]!r}"
    else:
        what = "a required key is missing" if first["type"] == "missing" else "a value is not what it should be"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return error(
        f"{what}{more}: {dotted(steps)}",
        f"{path}:{position(source, steps)}",
        text(first["msg"]).removeprefix("Value error, "),
        NEXT_STEP,
    )


def dotted(steps: Sequence[str | int]) -> str:
    """``upstream.gemini.unary[0].status``."""
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return shown.removeprefix(".") or "the whole file"
