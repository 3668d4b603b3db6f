"""Reading deviations.toml into entries. A mistake is refused, with the line of the entry."""

import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, TypeAlias

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from bridgecheck.errors import BadDeviations
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject


@dataclass(frozen=True, slots=True)
class Deviation:
    """One accepted failure. It names either a ``fingerprint`` or a ``check``, the latter with or without a ``scenario``
    (id or glob); "" is what it does not name. ``example``: the address of a case that has the fingerprint; ``seen_in``:
    all scenarios that have it, () if not known. ``version``: PEP 440 specifiers of the adapter's versions, "" for any.
    ``expires``: the last day on which it is accepted, None for no end."""

    reason: str
    fingerprint: str = ""
    check: str = ""
    scenario: str = ""
    example: str = ""
    seen_in: tuple[str, ...] = ()
    issue: str = ""
    version: str = ""
    expires: date | None = None

    @property
    def name(self) -> str:
        """``3ef68ad5f7``, ``response.usage`` or ``usage/*:response.usage``."""
        return self.fingerprint or (f"{self.scenario}:{self.check}" if self.scenario else self.check)

    def matches_fingerprint_or_check(self, scenario: str, check: str, fingerprint: str) -> bool:
        """Return whether the entry names this failure, regardless of day and version."""
        if self.fingerprint:
            return self.fingerprint == fingerprint
        return self.check == check and (not self.scenario or fnmatchcase(scenario, self.scenario))

    def is_expired(self, today: date) -> bool:
        return self.expires is not None and today > self.expires

    def applies_to_version(self, version: str) -> bool:
        """Return whether the entry is about this version of the adapter. One that cannot be read is in no range."""
        if not self.version:
            return True
        try:
            return SpecifierSet(self.version, prereleases=True).contains(Version(version))
        except InvalidVersion:
            return False


TABLE: Final = "deviation"
TEXT_KEYS: Final = ("reason", "fingerprint", "check", "scenario", "example", "issue", "version")
KEYS: Final = (*TEXT_KEYS, "seen", "expires")

_HEADER: Final = re.compile(r"[ \t]*\[\[[ \t]*deviation[ \t]*\]\]")
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{10}")
_MistakeAndExpected: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class KnownIds:
    """Ids of the existing checks and scenarios: an entry that names another is a mistake."""

    checks: Collection[str]
    scenarios: Collection[str]


def read_deviations(path: Path, known: KnownIds) -> tuple[Deviation, ...]:
    """Read the entries, in order. Raises BadDeviations."""
    try:
        source = path.read_text(encoding="utf-8")
        document: JsonObject = tomllib.loads(source)
    except OSError as wrong:
        raise BadDeviations(f"the file cannot be read: {wrong.strerror}", str(path), "a readable file") from wrong
    except UnicodeDecodeError as wrong:
        raise BadDeviations("the file is not UTF-8", f"{path}: byte {wrong.start}", "UTF-8 text") from wrong
    except tomllib.TOMLDecodeError as wrong:
        raise BadDeviations(f"no TOML: {wrong}", str(path), "TOML") from wrong
    entries, lines = _entry_tables(path, document), find_entry_headers(source.split("\n"))
    if len(entries) != len(lines):
        what = f"{TABLE} is not written as tables"
        raise BadDeviations(what, str(path), f"[[{TABLE}]] on a line of its own for each entry")
    found: dict[str, Deviation] = {}
    for entry, line in zip(entries, lines, strict=True):
        made = _parse_entry(entry, f"{path}:{line + 1}", known)
        if made.name in found:
            raise BadDeviations(f"{made.name} is listed twice", f"{path}:{line + 1}", "one entry for each")
        found[made.name] = made
    return tuple(found.values())


def find_entry_headers(lines: Sequence[str]) -> list[int]:
    """Return the 0-based numbers of the lines that open an entry."""
    return [number for number, line in enumerate(lines) if _HEADER.match(line)]


def _entry_tables(path: Path, document: JsonObject) -> list[JsonObject]:
    entries = document.get(TABLE, [])
    unknown = [key for key in document if key != TABLE]
    if unknown or not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        what = f"unknown key {unknown[0]!r}" if unknown else f"{TABLE} is no list of tables"
        raise BadDeviations(what, str(path), f"[[{TABLE}]] tables and nothing else")
    return [obj(entry) for entry in entries]


def _parse_entry(entry: JsonObject, where: str, known: KnownIds) -> Deviation:
    for what, expected in _find_mistakes(entry, known):
        raise BadDeviations(what, where, expected)
    condition = {key: text(entry.get(key)) for key in TEXT_KEYS}
    expires = entry.get("expires")
    scenarios = tuple(map(text, arr(entry.get("seen"))))
    return Deviation(**condition, seen_in=scenarios, expires=expires if isinstance(expires, date) else None)


def _find_mistakes(entry: JsonObject, known: KnownIds) -> Iterator[_MistakeAndExpected]:
    for key, value in entry.items():
        if key not in KEYS:
            yield f"unknown key {key!r}", f"among {', '.join(KEYS)}"
        elif key in TEXT_KEYS and not isinstance(value, str):
            yield f"{key} is no text: {value!r}", "a string"
    if not text(entry.get("reason")).strip():
        yield "an entry without a reason", 'reason = "why this failure is accepted"'
    yield from _find_selector_mistakes(entry, known)
    expires = entry.get("expires")
    if expires is not None and (not isinstance(expires, date) or isinstance(expires, datetime)):
        yield f"expires is no date: {expires!r}", "a date without quotes: expires = 2027-01-31"
    yield from _find_version_mistakes(text(entry.get("version")))


def _find_selector_mistakes(entry: JsonObject, known: KnownIds) -> Iterator[_MistakeAndExpected]:
    mark, check, scenario = (text(entry.get(key)) for key in ("fingerprint", "check", "scenario"))
    if bool(mark) == bool(check):
        yield f"{'both' if mark else 'neither'} a fingerprint {'and' if mark else 'nor'} a check", "one of the two"
    if mark and not _FINGERPRINT.fullmatch(mark):
        yield f"no fingerprint: {mark!r}", "ten hex digits, as a report prints them"
    scenarios = entry.get("seen", [])
    if not isinstance(scenarios, list) or not all(isinstance(item, str) for item in scenarios):
        yield f"seen is no list of scenarios: {scenarios!r}", 'seen = ["tools/parallel"]'
    elif scenarios and not mark:
        yield "seen beside a check", "seen only with fingerprint"
    if mark and scenario:
        yield "a scenario beside a fingerprint", "scenario only with check"
    if check and check not in known.checks:
        yield f"no such check: {check!r}", _suggest_close_or_existing_name(check, known.checks)
    if scenario and not any(fnmatchcase(item, scenario) for item in known.scenarios):
        yield f"no such scenario: {scenario!r}", _suggest_close_or_existing_name(scenario, known.scenarios)


def _suggest_close_or_existing_name(name: str, names: Collection[str]) -> str:
    close = get_close_matches(name, list(names), n=3, cutoff=0.5)
    return f"did you mean {', '.join(close)}?" if close else "one that there is"


def _find_version_mistakes(condition: str) -> Iterator[_MistakeAndExpected]:
    try:
        SpecifierSet(condition)
    except InvalidSpecifier:
        yield f"no version condition: {condition!r}", 'one like ">=1.2,<2"'
