"""``make findings``: how many findings a planted fault makes, and whether two faults at once are told apart.

    python tests/faulty_adapters/finding_counts.py [--every N] [--keep FOLDER]

Each mutant of the adapter is planted alone and plays the corpus at wire level, and PAIRS pairs, drawn with SEED, are
planted together. A pair is told apart if each of the two has a finding in the run of both that is there with it alone
and not with the other alone. ``--every N``: only each Nth scenario, and those that the mutants name. ``--keep``: where
the failed cases of each run are stored, and taken from where they are there already, so that another way to group
findings is measured in seconds. Exit 1 if a goal is missed.
"""

import argparse
import gzip
import json
import os
import random
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

sys.path.insert(0, str(Path(__file__).parent))

from all_mutants import ALL_MUTANTS
from changed_cases import store_failed_cases
from mutants import Mutant
from planting import JUDGE, edited_packages

from bridgecheck.files import scenario_ids
from bridgecheck.model.case_json import case_from_dict
from bridgecheck.model.verdict import CaseResult, Verdict
from bridgecheck.report.findings import REPORTED_STATUSES, Finding, group_findings

POLITE: Final = 10
PAIRS: Final = 50
SEED: Final = 12
MOST_AT_MEDIAN: Final = 1
MOST_AT_90: Final = 3
FEWEST_APART: Final = 48


Failure: TypeAlias = tuple[str, str, str, str]
"""Case, place of recorded traffic, check, message."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="finding_counts.py")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args(arguments)
    os.nice(POLITE)
    alone = [mutant for mutant in ALL_MUTANTS if JUDGE not in edited_packages(mutant)]
    bases = make_bases(alone)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        _play(bases, folder, 1)
        _play(alone, folder, options.every)
        known = {base: set(_failures(_read_cases(folder, base.name))) for base in bases}
        findings = _findings(folder, alone, known)
        shown = [mutant for mutant in alone if findings[mutant.name]]
        pairs = draw_pairs(alone, shown)
        both = [plant_both(*pair) for pair in pairs]
        _play(both, folder, options.every)
        findings |= _findings(folder, both, known)
    return _print_figures(findings, shown, pairs)


def make_bases(mutants: Sequence[Mutant]) -> list[Mutant]:
    """Return the adapter without any edit, and with each edit that several mutants share, which only sets the stage:
    what fails there is not of one mutant."""
    traffic = tuple(dict.fromkeys(path for mutant in mutants for path in mutant.traffic))
    counts = Counter(edit for mutant in mutants for edit in mutant.edits)
    shared = [(), *((edit,) for edit, count in counts.items() if count > 1)]
    return [Mutant(f"base-{at}", edits, frozenset(), (), "", traffic, "all") for at, edits in enumerate(shared)]


def draw_pairs(mutants: Sequence[Mutant], shown: Container[Mutant]) -> list[tuple[Mutant, Mutant]]:
    """Return PAIRS random pairs of mutants that show at wire level and whose edits touch different files."""
    drawn = random.Random(SEED)
    pairs: list[tuple[Mutant, Mutant]] = []
    while len(pairs) < PAIRS:
        first, second = drawn.sample(mutants, 2)
        is_disjoint = not {file for file, _, _ in first.edits} & {file for file, _, _ in second.edits}
        if is_disjoint and first in shown and second in shown:
            pairs.append((first, second))
    return pairs


def _findings(
    folder: Path, mutants: Iterable[Mutant], known: Mapping[Mutant, set[Failure]]
) -> dict[str, tuple[Finding, ...]]:
    found: dict[str, tuple[Finding, ...]] = {}
    for mutant in mutants:
        bases = [failures for base, failures in known.items() if set(base.edits) <= set(mutant.edits)]
        cases = _without(_read_cases(folder, mutant.name), set[Failure]().union(*bases))
        found[mutant.name] = group_findings(list(cases))
    return found


def plant_both(first: Mutant, second: Mutant) -> Mutant:
    relations = max(first.relations, second.relations, key=("none", "fast", "all").index)
    return Mutant(
        f"{first.name}+{second.name}",
        (*first.edits, *second.edits),
        first.expected | second.expected,
        (*first.scenarios, *second.scenarios),
        "",
        tuple(dict.fromkeys((*first.traffic, *second.traffic))),
        relations,
    )


def _play(mutants: Sequence[Mutant], folder: Path, every: int) -> None:
    waiting = [mutant for mutant in mutants if not (folder / f"{mutant.name}.json.gz").is_file()]
    if waiting:
        chosen = frozenset(sorted(scenario_ids())[::every])
        for number, line in enumerate(store_failed_cases(waiting, folder, chosen), 1):
            print(f"{number}/{len(waiting)} {line}", flush=True)


def _read_cases(folder: Path, name: str) -> list[CaseResult]:
    return [case_from_dict(case) for case in json.loads(gzip.decompress((folder / f"{name}.json.gz").read_bytes()))]


def _failures(cases: Iterable[CaseResult]) -> Iterator[Failure]:
    for case in cases:
        yield from (_failure(case, verdict) for verdict in case.verdicts if verdict.status in REPORTED_STATUSES)


def _failure(case: CaseResult, verdict: Verdict) -> Failure:
    return str(case.key), Path(case.where).name, verdict.check, verdict.message


def _without(cases: Iterable[CaseResult], known: Container[Failure]) -> Iterator[CaseResult]:
    """Yield the cases without what fails in the adapter without any mutant too."""
    for case in cases:
        verdicts = tuple(verdict for verdict in case.verdicts if _failure(case, verdict) not in known)
        yield replace(case, verdicts=verdicts)


def _print_figures(
    findings: dict[str, tuple[Finding, ...]], shown: Sequence[Mutant], pairs: Sequence[tuple[Mutant, Mutant]]
) -> int:
    counts = {mutant.name: len(findings[mutant.name]) for mutant in shown}
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:3} {name}")
    told_apart = 0
    for first, second in pairs:
        found = [_are_told_apart(findings, first, second), _are_told_apart(findings, second, first)]
        told_apart += all(found)
        for mutant, partner, is_found in ((first, second, found[0]), (second, first, found[1])):
            if not is_found:
                print(f"{mutant.name} has no finding of its own beside {partner.name}")
    ordered = sorted(counts.values())
    median, at_90 = statistics.median(ordered), ordered[len(ordered) * 9 // 10]
    print(
        f"{len(shown)} mutants show at wire level: median {median} findings, 90th percentile {at_90}, "
        f"most {ordered[-1]}; "
        f"{told_apart} of {len(pairs)} pairs told apart"
    )
    return 0 if median <= MOST_AT_MEDIAN and at_90 <= MOST_AT_90 and told_apart >= FEWEST_APART else 1


def _are_told_apart(findings: dict[str, tuple[Finding, ...]], mutant: Mutant, partner: Mutant) -> bool:
    """Return whether the run of both has a finding that the mutant makes alone and the partner does not."""
    own, of_partner = (
        {mark for finding in findings[item.name] for mark in finding.fingerprints} for item in (mutant, partner)
    )
    names = (f"{mutant.name}+{partner.name}", f"{partner.name}+{mutant.name}")
    together = next(findings[name] for name in names if name in findings)
    return any(set(finding.fingerprints) & own and not set(finding.fingerprints) & of_partner for finding in together)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
