"""deviations.toml -> entries. What it does not say right is refused, with the line of the entry."""

import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from bridgecheck.deviations.entry import Deviation
from bridgecheck.errors import BadDeviations
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

TABLE: Final = "deviation"
TEXTS: Final = ("reason", "fingerprint", "check", "scenario", "example", "issue", "version")
KEYS: Final = (*TEXTS, "seen", "expires")

_HEADER: Final = re.compile(r"[ \t]*\[\[[ \t]*deviation[ \t]*\]\]")
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{10}")


@dataclass(frozen=True, slots=True)
class Known:
    """Ids of the checks and scenarios there are: an entry that names another is a mistake."""

    checks: Collection[str]
    scenarios: Collection[str]


def read(path: Path, known: Known) -> tuple[Deviation, ...]:
    """The entries, in order. Raises BadDeviations."""
    try:
        source = path.read_text(encoding="utf-8")
        document: JsonObject = tomllib.loads(source)
    except OSError as wrong:
        raise BadDeviations(f"the file cannot be read: {wrong.strerror}", str(path), "a readable file") from wrong
    except UnicodeDecodeError as wrong:
        raise BadDeviations("the file is not UTF-8", f"{path}: byte {wrong.start}", "UTF-8 text") from wrong
    except tomllib.TOMLDecodeError as wrong:
        raise BadDeviations(f"no TOML: {wrong}", str(path), "TOML") from wrong
    entries, lines = _tables(path, document), headers(source.split("\n"))
    if len(entries) != len(lines):
        what = f"{TABLE} is not written as tables"
        raise BadDeviations(what, str(path), f"[[{TABLE}]] on a line of its own for each entry")
    found: dict[str, Deviation] = {}
    for entry, line in zip(entries, lines, strict=True):
        made = _entry(entry, f"{path}:{line + 1}", known)
        if made.name in found:
            raise BadDeviations(f"{made.name} is listed twice", f"{path}:{line + 1}", "one entry for each")
        found[made.name] = made
    return tuple(found.values())


def headers(lines: Sequence[str]) -> list[int]:
    """The 0-based numbers of the lines that open an entry."""
    return [number for number, line in enumerate(lines) if _HEADER.match(line)]


def _tables(path: Path, document: JsonObject) -> list[JsonObject]:
    entries = document.get(TABLE, [])
    others = [key for key in document if key != TABLE]
    if others or not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        what = f"unknown key {others[0]!r}" if others else f"{TABLE} is no list of tables"
        raise BadDeviations(what, str(path), f"[[{TABLE}]] tables and nothing else")
    return [obj(entry) for entry in entries]


def _entry(entry: JsonObject, where: str, known: Known) -> Deviation:
    for what, expected in _mistakes(entry, known):
        raise BadDeviations(what, where, expected)
    said = {key: text(entry.get(key)) for key in TEXTS}
    expires = entry.get("expires")
    seen = tuple(map(text, arr(entry.get("seen"))))
    return Deviation(**said, seen=seen, expires=expires if isinstance(expires, date) else None)


def _mistakes(entry: JsonObject, known: Known) -> Iterator[tuple[str, str]]:
    """What is wrong, and what was expected there."""
    for key, value in entry.items():
        if key not in KEYS:
            yield f"unknown key {key!r}", f"among {', '.join(KEYS)}"
        elif key in TEXTS and not isinstance(value, str):
            yield f"{key} is no text: {value!r}", "a string"
    if not text(entry.get("reason")).strip():
        yield "an entry without a reason", 'reason = "why this failure is accepted"'
    yield from _names(entry, known)
    expires = entry.get("expires")
    if expires is not None and (not isinstance(expires, date) or isinstance(expires, datetime)):
        yield f"expires is no date: {expires!r}", "a date without quotes: expires = 2027-01-31"
    yield from _version(text(entry.get("version")))


def _names(entry: JsonObject, known: Known) -> Iterator[tuple[str, str]]:
    mark, check, scenario = (text(entry.get(key)) for key in ("fingerprint", "check", "scenario"))
    if bool(mark) == bool(check):
        yield f"{'both' if mark else 'neither'} a fingerprint {'and' if mark else 'nor'} a check", "one of the two"
    if mark and not _FINGERPRINT.fullmatch(mark):
        yield f"no fingerprint: {mark!r}", "ten hex digits, as a report prints them"
    seen = entry.get("seen", [])
    if not isinstance(seen, list) or not all(isinstance(one, str) for one in seen):
        yield f"seen is no list of scenarios: {seen!r}", 'seen = ["tools/parallel"]'
    elif seen and not mark:
        yield "seen beside a check", "seen only with fingerprint"
    if mark and scenario:
        yield "a scenario beside a fingerprint", "scenario only with check"
    if check and check not in known.checks:
        yield f"no such check: {check!r}", _near(check, known.checks)
    if scenario and not any(fnmatchcase(one, scenario) for one in known.scenarios):
        yield f"no such scenario: {scenario!r}", _near(scenario, known.scenarios)


def _near(name: str, names: Collection[str]) -> str:
    close = get_close_matches(name, list(names), n=3, cutoff=0.5)
    return f"did you mean {', '.join(close)}?" if close else "one that there is"


def _version(said: str) -> Iterator[tuple[str, str]]:
    try:
        SpecifierSet(said)
    except InvalidSpecifier:
        yield f"no version condition: {said!r}", 'one like ">=1.2,<2"'
