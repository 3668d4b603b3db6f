"""findings.toml: what is published of an adapter, beside the report it was found in.

    [[finding]]
    id = "two-calls-in-one-chunk"              # also the name of repro/<id>.py
    title = "Two calls that Gemini sends in one chunk reach an Anthropic client as one"
    fingerprints = ["944f8b74e2"]              # of the report's findings that have this cause
    case = "tools/parallel::bridged-anthropic-to-gemini-stream-http"   # the simplest that shows it
    why = "why it is the adapter's, not the harness's or the provider's"
    provoked_by = "recorded"                   # recorded or documented
    provoked_source = "where; of what is documented a URL comes first"
    witness = "who else shows the damage: an SDK or a client, with its version"
    documentation = "what the adapter's own documentation says of it, or that nothing was found"
    tracker = "https://github.com/..."         # only where a thread is known
    status = "observed"                        # observed, disputed, confirmed or fixed
    answer = "the maintainers' words"          # only where there are any; of a disputed finding always

docs/publishing.md tells when a finding may stand there.
"""

import re
import tomllib
from pathlib import Path
from typing import Final, cast

from bridgecheck.errors import BadFindings
from bridgecheck.files.closed import dotted
from bridgecheck.files.toml_position import line
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.model.published import Published
from bridgecheck.wire import JsonObject

FILE: Final = "findings.toml"
TABLE: Final = "finding"
NEXT: Final = "bridgecheck lint"

_HEADER: Final = re.compile(rf"[ \t]*\[\[[ \t]*{TABLE}[ \t]*\]\]")


def read_published(path: Path) -> tuple[Published, ...]:
    """The findings, in order. Raises BadFindings with file and line: no TOML, an unknown key, a missing field, a value
    that is not what it should be, an id or a fingerprint that stands twice."""
    try:
        source = path.read_text(encoding="utf-8")
        document: JsonObject = tomllib.loads(source)
    except OSError as wrong:
        raise BadFindings(f"the file cannot be read: {wrong.strerror}", str(path), "a readable file") from wrong
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise BadFindings(f"no TOML: {wrong}", str(path), "TOML") from wrong
    sections = _sections(source)
    entries = arr(document.get(TABLE, []))
    others = [key for key in document if key != TABLE]
    if others or len(entries) != len(sections):
        what = f"unknown key {others[0]!r}" if others else f"{TABLE} is not written as tables"
        where = f"{path}:{line(source, others[:1])}"
        raise BadFindings(what, where, f"[[{TABLE}]] tables and nothing else", NEXT)
    found = tuple(_finding(obj(entry), path, *section) for entry, section in zip(entries, sections, strict=True))
    _refuse_twice(found, path)
    return found


def _sections(source: str) -> list[tuple[int, str]]:
    """Each entry's text, with the number of the line before it."""
    lines = source.split("\n")
    starts = [number for number, text in enumerate(lines) if _HEADER.match(text)]
    ends = [*starts[1:], len(lines)]
    return [(start, "\n".join(lines[start:end])) for start, end in zip(starts, ends, strict=False)]


def _finding(entry: JsonObject, path: Path, before: int, source: str) -> Published:
    from pydantic import ValidationError

    from bridgecheck.files.published_shape import FindingFile

    try:
        FindingFile.model_validate(entry)
    except ValidationError as wrong:
        raise _refusal(arr(wrong.errors(include_url=False)), path, before, source) from None
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return Published(**fields, line=before + 1)  # type: ignore[arg-type]  # FindingFile has judged every value


def _refusal(errors: list[object], path: Path, before: int, source: str) -> BadFindings:
    first = min(map(obj, errors), key=lambda one: one.get("type") != "unknown_key")
    steps = list(cast(tuple[str | int, ...], first["loc"]))
    if first["type"] == "unknown_key":
        steps.append(text(obj(first["ctx"])["key"]))
        what = f"unknown key {steps[-1]!r}"
    elif first["type"] == "missing":
        what = f"a finding without {dotted(steps)}"
    else:
        what = f"{dotted(steps)} is not what it should be" if steps else "a finding that contradicts itself"
    at = before + line(source, [TABLE, *(step for step in steps if isinstance(step, str))])
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    said = text(first["msg"]).removeprefix("Value error, ")
    return BadFindings(f"{what}{more}", f"{path}:{at}", said, NEXT)


def _refuse_twice(found: tuple[Published, ...], path: Path) -> None:
    ids: set[str] = set()
    seen: dict[str, str] = {}
    for one in found:
        if one.id in ids:
            raise BadFindings(f"the id {one.id!r} stands twice", f"{path}:{one.line}", "an id of its own", NEXT)
        ids.add(one.id)
        for mark in one.fingerprints:
            if mark in seen:
                what = f"the fingerprint {mark} is in {seen[mark]!r} already"
                raise BadFindings(what, f"{path}:{one.line}", "one finding for one root cause", NEXT)
            seen[mark] = one.id
