"""Play liberties at wire level, print what the judge holds against each, and write docs/liberties.md from that.

    python tests/liberties/liberty_matrix.py [NAME ...] [--case GLOB ...] [--all] [--corpus-only] [--anew]
    python tests/liberties/liberty_matrix.py --accused-before

NAME: of liberties, with wildcards. Without any, those that changed since they were played, or were accused, and --anew all: a
liberty over the corpus and a fixed sample of recordings, a composition over all recordings. What the whole run or a named
liberty gave is stored with the commit, and the page is written once nothing is missing. --case: only cases of the corpus with
such an address; --corpus-only: no recordings; neither is stored. --all: print every accusation, not one for each check and
scenario. Exit 1 if one is accused.

--accused-before notes, for liberties that have no such entry, whether the judge that runs this accuses them: to be run once
with the interpreter of an older checkout, and with BRIDGECHECK_CORPUS set to its folder.
"""

import argparse
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

from all_liberties import ALL_LIBERTIES, COMPOSITIONS
from behaviour import behaviour_key
from liberty import Liberty
from liberty_results import LibertyResult, load_results, save_results
from play_liberties import Accusation, Played, play_corpus, play_recordings

AT_ONCE: Final = 2
POLITE: Final = 10
_NOTHING: Final = Played(0, (), ())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--corpus-only", action="store_true")
    parser.add_argument("--anew", action="store_true")
    parser.add_argument("--accused-before", action="store_true")
    options = parser.parse_args()
    os.nice(POLITE)
    sys.stdout.reconfigure(errors="backslashreplace")
    if options.accused_before:
        return _note_accused_before()
    keys = current_keys()
    results = load_results()
    is_part = bool(options.case) or options.corpus_only
    waiting = [name for name in keys if options.anew or not _is_known(results.get(name), keys[name])]
    chosen = [name for name in keys if any(fnmatchcase(name, glob) for glob in options.names)]
    accused: list[str] = []
    playing = partial(_play, case_globs=tuple(options.case), recordings=not is_part)
    with ProcessPoolExecutor(AT_ONCE) as pool:
        played = chosen if options.names else waiting
        for name, (corpus, recordings) in zip(played, pool.map(playing, played), strict=True):
            _show(name, corpus, recordings, every=options.all)
            accused += [name] if corpus.accusations or recordings.accusations else []
            if not is_part:
                results[name] = _result(keys[name], corpus, recordings, results.get(name))
                save_results({known: results[known] for known in keys if known in results})
    if not is_part and set(results) >= set(keys):
        from liberty_page import PAGE, liberties_page

        PAGE.write_text(liberties_page(results), encoding="utf-8")
    print(f"{len(played)} played; accused: {accused or 'none'}")
    return 1 if accused else 0


def current_keys() -> dict[str, str]:
    """Return name -> key of what it does, of every liberty and every composition."""
    keys = {liberty.name: behaviour_key(liberty) for liberty in ALL_LIBERTIES}
    composed = {
        name: sha256("".join(keys[part] for part in parts).encode()).hexdigest()[:16]
        for name, parts in COMPOSITIONS.items()
    }
    return {**keys, **composed}


def _is_known(result: LibertyResult | None, key: str) -> bool:
    return result is not None and result.key == key and not result.accused


def _play(name: str, case_globs: Sequence[str], *, recordings: bool) -> tuple[Played, Played]:
    if name in COMPOSITIONS:
        parts = [_liberty(part) for part in COMPOSITIONS[name]]
        return _NOTHING, play_recordings(parts, whole=True) if recordings else _NOTHING
    liberty = _liberty(name)
    return play_corpus((liberty,), case_globs), play_recordings((liberty,), whole=False) if recordings else _NOTHING


def _liberty(name: str) -> Liberty:
    return next(liberty for liberty in ALL_LIBERTIES if liberty.name == name)


def _result(key: str, corpus: Played, recordings: Played, before: LibertyResult | None) -> LibertyResult:
    """Return the result of what was played now. What an earlier judge held against it stays, where it does the same."""
    counts = Counter(row.check for row in (*corpus.accusations, *recordings.accusations))
    accused_before = before.accused_before if before else None
    return LibertyResult(
        key,
        _commit(),
        corpus.cases,
        len(corpus.changed),
        recordings.cases,
        dict(sorted(counts.items())),
        accused_before,
    )


def _commit() -> str:
    command = ["git", "describe", "--always", "--abbrev=7", "--exclude=*", "--dirty=+"]
    ended = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return ended.stdout.strip() or "unknown"


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


def _note_accused_before() -> int:
    results = load_results()
    missing = [row.name for row in ALL_LIBERTIES if row.name in results and results[row.name].accused_before is None]
    playing = partial(_play, case_globs=(), recordings=False)
    with ProcessPoolExecutor(AT_ONCE) as pool:
        for name, (corpus, _) in zip(missing, pool.map(playing, missing), strict=True):
            counts = Counter(row.check for row in corpus.accusations)
            results[name] = replace(results[name], accused_before=dict(sorted(counts.items())))
            save_results(results)
            print(f"{name}: {dict(counts) or 'not accused'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
