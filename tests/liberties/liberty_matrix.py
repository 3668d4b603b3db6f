"""Play liberties at wire level, print what the judge holds against each, and write docs/liberties.md from that.

    python tests/liberties/liberty_matrix.py [NAME ...] [--case GLOB ...] [--all] [--corpus-only]
    python tests/liberties/liberty_matrix.py --accused-before

NAME: of liberties, with wildcards. Without any, every one is played over the corpus and a fixed sample of recordings, every
composition over all recordings, and the page is written. --case: only cases of the corpus with such an address. --all: every
accusation, not one for each check and scenario. --corpus-only: no recordings. Exit 1 if one is accused.

--accused-before notes, for liberties that have no such entry, whether the judge that runs this accuses them: to be run once
with the interpreter of an older checkout, and with BRIDGECHECK_CORPUS set to its folder.
"""

import argparse
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

from all_liberties import ALL_LIBERTIES, COMPOSITIONS
from liberty import Liberty
from liberty_page import PAGE, liberties_page
from liberty_results import LibertyResult, load_results, save_results
from playing import Accusation, Played, play_corpus, play_recordings

AT_ONCE: Final = 2
POLITE: Final = 10


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--corpus-only", action="store_true")
    parser.add_argument("--accused-before", action="store_true")
    options = parser.parse_args()
    os.nice(POLITE)
    sys.stdout.reconfigure(errors="backslashreplace")
    if options.accused_before:
        return _note_accused_before()
    chosen = [row for row in ALL_LIBERTIES if not options.names or any(fnmatchcase(row.name, n) for n in options.names)]
    playing = partial(_play, case_globs=tuple(options.case), recordings=not (options.case or options.corpus_only))
    found: dict[str, tuple[Played, Played]] = {}
    with ProcessPoolExecutor(AT_ONCE) as pool:
        for liberty, played in zip(chosen, pool.map(playing, (row.name for row in chosen)), strict=True):
            found[liberty.name] = played
            _show(liberty.name, *played, every=options.all)
        compositions = {} if options.names or options.case or options.corpus_only else COMPOSITIONS
        for name, played_recordings in zip(compositions, pool.map(_play_composition, compositions), strict=True):
            found[name] = Played(0, (), ()), played_recordings
            _show(name, *found[name], every=options.all)
    accused = [name for name, sides in found.items() if any(played.accusations for played in sides)]
    if compositions:
        _write(found)
    print(f"{len(chosen)} liberties, {len(compositions)} compositions; accused: {accused or 'none'}")
    return 1 if accused else 0


def _play(name: str, case_globs: Sequence[str], *, recordings: bool) -> tuple[Played, Played]:
    liberty = _liberty(name)
    nothing = Played(0, (), ())
    return play_corpus((liberty,), case_globs), play_recordings((liberty,), whole=False) if recordings else nothing


def _play_composition(name: str) -> Played:
    return play_recordings([_liberty(part) for part in COMPOSITIONS[name]], whole=True)


def _liberty(name: str) -> Liberty:
    return next(liberty for liberty in ALL_LIBERTIES if liberty.name == name)


def _show(name: str, corpus: Played, recordings: Played, *, every: bool) -> None:
    counts = f"{corpus.cases} cases, {len(corpus.changed)} changed, {len(corpus.accusations)} accusations"
    traffic = f"; recordings: {recordings.cases} cases, {len(recordings.accusations)} accusations"
    print(f"{name}: {counts}{traffic if recordings.cases else ''}")
    groups: dict[tuple[str, str], list[Accusation]] = defaultdict(list)
    for accusation in (*corpus.accusations, *recordings.accusations):
        groups[accusation.check, accusation.address.partition("::")[0]].append(accusation)
    for (check, scenario), rows in sorted(groups.items()):
        print(f"  {rows[0].status} {check} {scenario} ({len(rows)})")
        for row in rows if every else rows[:1]:
            print(f"      {row.address.partition('::')[2]}: {row.message[:300]}")
    sys.stdout.flush()


def _write(found: dict[str, tuple[Played, Played]]) -> None:
    before = load_results()
    results = {
        name: LibertyResult(
            corpus.cases,
            len(corpus.changed),
            recordings.cases,
            dict(sorted(Counter(row.check for row in (*corpus.accusations, *recordings.accusations)).items())),
            before[name].accused_before if name in before else None,
        )
        for name, (corpus, recordings) in found.items()
    }
    save_results(results)
    PAGE.write_text(liberties_page(results), encoding="utf-8")


def _note_accused_before() -> int:
    results = load_results()
    with ProcessPoolExecutor(AT_ONCE) as pool:
        missing = [
            row.name for row in ALL_LIBERTIES if row.name not in results or results[row.name].accused_before is None
        ]
        playing = partial(_play, case_globs=(), recordings=False)
        for name, (corpus, _) in zip(missing, pool.map(playing, missing), strict=True):
            counts = Counter(row.check for row in corpus.accusations)
            known = results.get(name, LibertyResult(corpus.cases, len(corpus.changed), 0, {}, None))
            results[name] = replace(known, accused_before=dict(sorted(counts.items())))
            save_results(results)
            print(f"{name}: {dict(counts) or 'not accused'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
