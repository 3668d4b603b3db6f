"""Reading deviations.toml into entries. A mistake is refused, with the line of the entry."""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Final, TypeAlias

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from bridgecheck.errors import BadDeviations
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.model.scenario import file_id
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, JsonObject


@dataclass(frozen=True, slots=True)
class AcceptedCases:
    """Cases that fail alike: every scenario in every mode and layer. ``scenarios``: of one topic. ``codes``: of what
    may differ there, None for anything."""

    scenarios: tuple[str, ...]
    modes: tuple[str, ...]
    layers: tuple[str, ...]
    codes: frozenset[str] | None

    def __str__(self) -> str:
        """``usage/{cached,none}::stream-{http,sdk} 1f0c22 77aa01``."""
        topic = self.scenarios[0].partition("/")[0]
        names = [name.removeprefix(f"{topic}/") for name in self.scenarios]
        where = f"{topic}/{_join_in_braces(names)}" if len(names) > 1 else self.scenarios[0]
        codes = ANY_CODE if self.codes is None else " ".join(sorted(self.codes))
        return f"{where}::{_join_in_braces(self.modes)}-{_join_in_braces(self.layers)} {codes}"

    def addresses(self, direction: str) -> Iterator[str]:
        """Yield the address of each case."""
        for scenario, mode, layer in product(self.scenarios, self.modes, self.layers):
            yield f"{scenario}::bridged-{direction}-{mode}-{layer}"


def _join_in_braces(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{{{','.join(names)}}}"


_WRITTEN_BY_A_COMMAND: Final = re.compile(r"accepted on \d{4}-\d{2}-\d{2} by .+; say why")


@dataclass(frozen=True, slots=True)
class Deviation:
    """One accepted failure. With a ``fingerprint`` it accepts that in its ``cases``, all of one ``direction``;
    ``check`` is then what it fails. Without one it accepts nothing: it is the reason of what fails ``check``, in every
    scenario or in ``scenario`` (id or glob), until an update replaces it by entries that list that. "" is what it does
    not name. ``version``: PEP 440 specifiers of the adapter's versions, "" for any. ``expires``: the last day on which
    it is accepted, None for no end."""

    reason: str
    fingerprint: str = ""
    check: str = ""
    scenario: str = ""
    direction: str = ""
    cases: tuple[AcceptedCases, ...] = ()
    issue: str = ""
    version: str = ""
    expires: date | None = None

    @property
    def is_unexplained(self) -> bool:
        """Whether the reason is the one that a command wrote: nobody has given one yet."""
        return _WRITTEN_BY_A_COMMAND.fullmatch(self.reason) is not None

    @property
    def name(self) -> str:
        """``3ef68ad5f7``, ``response.usage`` or ``usage/*:response.usage``."""
        return self.fingerprint or (f"{self.scenario}:{self.check}" if self.scenario else self.check)

    @property
    def codes_by_address(self) -> dict[str, frozenset[str] | None]:
        """Address of each case it lists -> what may differ there; None for anything."""
        return {address: item.codes for item in self.cases for address in item.addresses(self.direction)}

    def names_check(self, check: str, addresses: Iterable[str]) -> bool:
        """Return whether the entry, which has no fingerprint, is about a failure of the check in these cases."""
        return self.check == check and any(
            not self.scenario or fnmatchcase(address.rpartition("::")[0], self.scenario) for address in addresses
        )

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
TEXT_KEYS: Final = ("reason", "fingerprint", "check", "scenario", "direction", "issue", "version")
KEYS: Final = (*TEXT_KEYS, "cases", "expires")
FORMER_KEYS: Final = ("example", "seen")
"""Keys of entries that listed no cases: read over, and taken out when the cases are written."""

ANY_CODE: Final = "*"

_HEADER: Final = re.compile(r"[ \t]*\[\[[ \t]*deviation[ \t]*\]\]")
FINGERPRINT: Final = re.compile(r"[0-9a-f]{10}")
_CASES: Final = re.compile(
    r"(?:(?P<topic>[\w.-]+)/\{(?P<names>[\w.,@-]+)\}|(?P<scenario>.+))"
    r"::(?P<mode>\w+|\{[\w,]+\})-(?P<layer>\w+|\{[\w,]+\}) (?P<codes>\*|[0-9a-f]{6}(?: [0-9a-f]{6})*)"
)
_DIRECTIONS: Final = frozenset(f"{client}-to-{upstream}" for client in CLIENT_DIALECTS for upstream in DIALECTS)
_CASES_EXAMPLE: Final = "usage/cached::{stream,unary}-wire 1f0c22"
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
    cases = parse_accepted_cases(arr(entry.get("cases")))
    return Deviation(**condition, cases=cases, expires=expires if isinstance(expires, date) else None)


def parse_accepted_cases(lines: Iterable[object]) -> tuple[AcceptedCases, ...]:
    """Return what the lines of ``cases`` list. Raises ValueError."""
    return tuple(map(_parse_cases_line, lines))


def _parse_cases_line(line: object) -> AcceptedCases:
    found = _CASES.fullmatch(line) if isinstance(line, str) else None
    if found is None:
        raise ValueError(f"no cases: {line!r}")
    codes = None if found["codes"] == ANY_CODE else frozenset(found["codes"].split())
    names = (
        [f"{found['topic']}/{name}" for name in found["names"].split(",")] if found["names"] else [found["scenario"]]
    )
    modes, layers = (tuple(found[key].strip("{}").split(",")) for key in ("mode", "layer"))
    return AcceptedCases(tuple(names), modes, layers, codes)


def _find_mistakes(entry: JsonObject, known: KnownIds) -> Iterator[_MistakeAndExpected]:
    for key, value in entry.items():
        if key not in (*KEYS, *FORMER_KEYS):
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
    if not mark and not check:
        yield "neither a fingerprint nor a check", "one of the two"
    if mark and not FINGERPRINT.fullmatch(mark):
        yield f"no fingerprint: {mark!r}", "ten hex digits, as a report prints them"
    yield from _find_cases_mistakes(entry, mark)
    if mark and scenario:
        yield "a scenario beside a fingerprint", "scenario only with check"
    if check and not mark and check not in known.checks:
        yield f"no such check: {check!r}", _suggest_close_or_existing_name(check, known.checks)
    if scenario and not any(fnmatchcase(item, file_id(scenario)) for item in known.scenarios):
        yield f"no such scenario: {scenario!r}", _suggest_close_or_existing_name(scenario, known.scenarios)


def _find_cases_mistakes(entry: JsonObject, mark: str) -> Iterator[_MistakeAndExpected]:
    lines, direction = entry.get("cases", []), text(entry.get("direction"))
    if not mark and (lines or direction):
        yield f"{'cases' if lines else 'direction'} beside a check alone", "cases and direction only with fingerprint"
    if not isinstance(lines, list):
        yield f"cases is no list: {lines!r}", f'cases = ["{_CASES_EXAMPLE}"]'
        return
    for line in lines:
        try:
            parse_accepted_cases([line])
        except ValueError as wrong:
            yield str(wrong), f"one like {_CASES_EXAMPLE!r}"
    if (lines or direction) and direction not in _DIRECTIONS:
        yield f"no direction of its cases: {direction!r}", 'one like direction = "openai-chat-to-gemini"'


def _suggest_close_or_existing_name(name: str, names: Collection[str]) -> str:
    close = get_close_matches(name, list(names), n=3, cutoff=0.5)
    return f"did you mean {', '.join(close)}?" if close else "one that there is"


def _find_version_mistakes(condition: str) -> Iterator[_MistakeAndExpected]:
    try:
        SpecifierSet(condition)
    except InvalidSpecifier:
        yield f"no version condition: {condition!r}", 'one like ">=1.2,<2"'
