"""Rewrite the fingerprints in deviations.toml and findings.toml after the messages of checks have changed.

    python docs/migrate_fingerprints.py OLD_REPORT NEW_REPORT FOLDER [--all]

A fingerprint hashes the message of a verdict, so new wording changes it although the failure is the same. OLD_REPORT
and NEW_REPORT are report.json or report.json.gz of the same adapter and cases, before and after the change; FOLDER
holds the two files. Each failure of the old report is found again in the new one by case, check, turn and its position
among the verdicts of that check. Only the values of ``fingerprint`` and ``fingerprints`` change; comments stay.

Exit code 0: every fingerprint has a counterpart. 1: the files are written, and what has no counterpart is listed and
unchanged. 2: nothing is written, because one fingerprint became several (``--all`` lists every one of them: a
deviation gets an entry for each), or because two published findings would share one. Where an entry is dropped because
another has its new fingerprint, its reason is printed.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from bridgecheck.checks import CHECKS
from bridgecheck.deviations import Deviation, KnownIds, read_deviations, update_deviations
from bridgecheck.errors import BadReport
from bridgecheck.files import scenario_ids, write_text
from bridgecheck.files.jsonfile import read_json
from bridgecheck.model.verdict import CaseResult, Verdict
from bridgecheck.report import Report
from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.gate import GATING_STATUSES
from bridgecheck.report.jsonfile import from_json

_KEY: Final = re.compile(r"[ \t]*(?:fingerprints?[ \t]*=|\"[0-9a-f]{10}\"|\])")
_VALUE: Final = re.compile(r'"([0-9a-f]{10})"')

VerdictKey = tuple[str, str, str, int, int]
"""Case address, place of recorded traffic, check, turn, position among the verdicts of that check and turn."""


@dataclass(slots=True)
class Outcome:
    """What a migration came to. ``texts``: the new text of each file by name. ``unmatched``: what has no counterpart.
    ``refusals``: why nothing may be written. ``dropped``: the reasons of entries that became one with another."""

    texts: dict[str, str] = field(default_factory=dict)
    unmatched: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)


def match_fingerprints(old: Report, new: Report) -> dict[str, tuple[str, ...]]:
    """Return for each fingerprint of a failure in the old report those of the same failures in the new one; () for one
    whose failures the new report does not have."""
    after = dict(_keyed_failures(new))
    targets: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for key, mark in _keyed_failures(old):
        targets[mark] |= {after[key]: None} if key in after else {}
    return {mark: tuple(found) for mark, found in targets.items()}


def migrate(folder: Path, targets: Mapping[str, Sequence[str]], list_all: bool = False) -> Outcome:
    """Return the new texts of the two files in ``folder``, those that exist. Nothing is written."""
    outcome = Outcome()
    deviations, findings = folder / "deviations.toml", folder / "findings.toml"
    if deviations.is_file():
        _migrate_deviations(deviations, targets, outcome)
    if findings.is_file():
        _migrate_findings(findings, targets, outcome)
    if list_all:
        outcome.refusals = [text for text in outcome.refusals if "became several" not in text]
    return outcome


def _keyed_failures(report: Report) -> Iterator[tuple[VerdictKey, str]]:
    for case in report.cases:
        counts: defaultdict[tuple[str, int], int] = defaultdict(int)
        for verdict in case.verdicts:
            place = (verdict.check, verdict.turn)
            if verdict.status in GATING_STATUSES:
                yield _verdict_key(case, verdict, counts[place]), fingerprint(case, verdict)
            counts[place] += 1


def _verdict_key(case: CaseResult, verdict: Verdict, position: int) -> VerdictKey:
    traffic = Path(case.where).name if case.source == "traffic" else ""
    return str(case.key), traffic, verdict.check, verdict.turn, position


def _migrate_deviations(path: Path, targets: Mapping[str, Sequence[str]], outcome: Outcome) -> None:
    """Several targets of one entry become one entry each; entries that now share a target become one."""
    entries = read_deviations(path, KnownIds([check.id for check in CHECKS], scenario_ids()))
    listed = [entry.fingerprint for entry in entries if entry.fingerprint]
    text = _replace_fingerprints(path, {mark: targets.get(mark, ())[:1] for mark in listed})
    _note_problems(path, listed, targets, outcome)
    taken: set[str] = set()
    migrated: list[Deviation] = []
    removed: list[str] = []
    added: dict[Deviation, str] = {}
    for number, entry in enumerate(entries):
        first, *rest = targets.get(entry.fingerprint) or (entry.fingerprint,)
        for mark in sorted(taken & {first, *rest} - {""}):
            outcome.dropped.append(
                f"{path.name}: {mark} has an entry already, dropped: {entry.reason!r} of {entry.name}"
            )
        if first and first in taken:
            first = f"duplicate {number}"  # a name of its own, so that exactly this entry is taken out
            removed.append(first)
        migrated.append(replace(entry, fingerprint=first))
        added |= {replace(entry, fingerprint=mark): f"as {first}" for mark in rest if mark not in taken}
        taken |= {first, *rest}
    outcome.texts[path.name] = update_deviations(text, migrated, added, removed) if added or removed else text


def _migrate_findings(path: Path, targets: Mapping[str, Sequence[str]], outcome: Outcome) -> None:
    listed = _listed_fingerprints(path)
    outcome.texts[path.name] = text = _replace_fingerprints(path, targets)
    _note_problems(path, listed, targets, outcome)
    owners: dict[str, str] = {}
    for owner, mark in _owned_fingerprints(text):
        if owners.setdefault(mark, owner) != owner:
            outcome.refusals.append(f"{path.name}: {mark} would stand in two findings, {owners[mark]} and {owner}")


def _note_problems(path: Path, listed: Iterable[str], targets: Mapping[str, Sequence[str]], outcome: Outcome) -> None:
    for mark in dict.fromkeys(listed):
        if mark not in targets:
            outcome.unmatched.append(f"{path.name}: {mark} is no failure of the old report")
        elif not targets[mark]:
            outcome.unmatched.append(f"{path.name}: {mark} has no counterpart in the new report")
        elif len(targets[mark]) > 1:
            outcome.refusals.append(f"{path.name}: {mark} became several: {', '.join(targets[mark])}")


def _replace_fingerprints(path: Path, targets: Mapping[str, Sequence[str]]) -> str:
    """Replace each quoted fingerprint on the lines of the two keys by its targets, each once in a line."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines):
        if _KEY.match(line):
            present: set[str] = set()
            lines[number] = _VALUE.sub(lambda found: _format_targets(found[1], targets, present), line)  # noqa: B023
            lines[number] = re.sub(r"(?:, )?<>", "", lines[number]).replace("[, ", "[")
    return "\n".join(lines)


def _format_targets(mark: str, targets: Mapping[str, Sequence[str]], present: set[str]) -> str:
    """The targets in quotes that the line does not have yet; ``<>`` where there is none to add."""
    fresh = [target for target in targets.get(mark) or (mark,) if target not in present]
    present.update(fresh)
    return ", ".join(f'"{target}"' for target in fresh) or "<>"


def _listed_fingerprints(path: Path) -> list[str]:
    return [mark for _, mark in _owned_fingerprints(path.read_text(encoding="utf-8"))]


def _owned_fingerprints(text: str) -> Iterator[tuple[str, str]]:
    """(id of the finding, fingerprint) in the order of the file."""
    owner = ""
    for line in text.split("\n"):
        if named := re.match(r'[ \t]*id[ \t]*=[ \t]*"([^"]*)"', line):
            owner = named[1]
        if _KEY.match(line):
            yield from ((owner, mark) for mark in _VALUE.findall(line))


def _load(path: Path) -> Report:
    return from_json(read_json(path, BadReport)[0])


def main(arguments: Sequence[str]) -> int:
    """Migrate the files of one folder and return the exit code."""
    old, new, folder = map(Path, [argument for argument in arguments if argument != "--all"])
    targets = match_fingerprints(_load(old), _load(new))
    outcome = migrate(folder, targets, "--all" in arguments)
    for line in (*outcome.refusals, *outcome.unmatched, *outcome.dropped):
        print(line)
    if outcome.refusals:
        print("nothing is written")
        return 2
    for name, text in outcome.texts.items():
        write_text(folder / name, text)
    changed = sum(found != (mark,) for mark, found in targets.items() if found)
    print(f"{folder}: {changed} of {len(targets)} fingerprints changed, {len(outcome.unmatched)} without counterpart")
    return 1 if outcome.unmatched else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
