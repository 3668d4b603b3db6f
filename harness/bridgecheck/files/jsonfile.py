"""JSON files: read and checked by a closed schema, with the position of a mistake; written atomically and always the
same way."""

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from bridgecheck.errors import BridgecheckError
from bridgecheck.files.output import write_text
from bridgecheck.files.positions import json_position
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

GZIP: Final = ".gz"
NEXT_STEP: Final = "bridgecheck lint"


def read_json(path: Path, error: type[BridgecheckError]) -> tuple[object, str]:
    """Return the document of a UTF-8 JSON file and its text (for ``json_position``). A key that stands twice is a
    mistake. A file that ends in ``.gz`` is unpacked first.

    Raises ``error`` with file, line and column on anything that is no JSON.
    """
    try:
        source = (
            gzip.decompress(path.read_bytes()).decode() if path.suffix == GZIP else path.read_text(encoding="utf-8")
        )
    except (gzip.BadGzipFile, EOFError, zlib.error) as failure:
        raise error(f"no gzip: {failure}", str(path), "a whole file, packed with gzip") from failure
    except UnicodeDecodeError as failure:
        raise error("the file is not UTF-8", f"{path}: byte {failure.start}", "UTF-8 text") from failure
    except OSError as failure:
        raise error(f"the file cannot be read: {failure.strerror}", str(path), "a readable file") from failure
    try:
        return json.loads(source, object_pairs_hook=_refuse_duplicate_keys), source
    except json.JSONDecodeError as failure:
        raise error(failure.msg, f"{path}:{failure.lineno}:{failure.colno}", "JSON") from failure
    except RecursionError as failure:
        raise error("it nests too deeply", str(path), "a file as bridgecheck writes it") from failure
    except _DuplicateKey as failure:
        where = f"{path}:{_second_occurrence_line(source, failure.key)}"
        raise error(f"the key {failure.key!r} stands twice in one object", where, "every key once") from failure


def dump_json(value: object) -> str:
    """Return the text of our own JSON files: two spaces, unicode as it is, keys in their order, newline at the end."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write_json(path: Path, value: object) -> bool:
    """Write atomically; True if the file's bytes changed."""
    return write_text(path, dump_json(value))


class _DuplicateKey(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _refuse_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    document = dict(pairs)
    if len(document) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _DuplicateKey(next(key for key, count in counts.items() if count > 1))
    return document


def _second_occurrence_line(source: str, key: str) -> int:
    """Return the line of the key's second occurrence: exact in all but nested namesakes."""
    quoted = json.dumps(key, ensure_ascii=False)
    first = source.find(quoted)
    return source.count("\n", 0, max(source.find(quoted, first + 1), 0)) + 1


def check_schema(
    schema: "type[BaseModel]", document: object, path: Path, source: str, error: type[BridgecheckError]
) -> JsonObject:
    """Return the document if it has the schema; raise ``error`` with the first mistake and its line and column
    otherwise. ``source``: its text."""
    from pydantic import ValidationError

    try:
        schema.model_validate(document)
    except ValidationError as failure:
        what, steps, expected = first_mistake_steps_and_expected(failure.errors(include_url=False))
        raise error(what, f"{path}:{json_position(source, steps)}", expected, NEXT_STEP) from None
    return obj(document)


def first_mistake_steps_and_expected(errors: "list[ErrorDetails]") -> tuple[str, list[str | int], str]:
    """Return (what is wrong, path of the value, what was expected) of the first error, unknown keys before the rest."""
    details = [obj(item) for item in arr(errors)]
    first = min(details, key=lambda item: item.get("type") != "unknown_key")
    steps = [step for step in cast(tuple[str | int, ...], first["loc"]) if step != "[key]"]
    if first["type"] == "unknown_key":
        steps.append(text(obj(first.get("ctx"))["key"]))
        what = f"unknown key {steps[-1]!r}"
    else:
        what = "a required key is missing" if first["type"] == "missing" else "a value is not what it should be"
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return f"{what}{more}: {dotted_path(steps)}", steps, text(first["msg"]).removeprefix("Value error, ")


def dotted_path(steps: Sequence[str | int]) -> str:
    """Return ``upstream.gemini.unary[0].status``."""
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return shown.removeprefix(".") or "the whole file"
