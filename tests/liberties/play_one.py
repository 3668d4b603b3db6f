"""python -m play_one JOBS: play liberties, and print as JSON what the judge that can be imported holds against them, and
against the reference in the same cases. JOBS: as JSON, a list of [liberty, globs of addresses]."""

import json
import sys
from collections import Counter
from collections.abc import Sequence

from all_liberties import ALL_LIBERTIES
from play_liberties import Accusation, play_corpus, play_reference


def main(jobs: str) -> None:
    print(json.dumps([_play(liberty, globs) for liberty, globs in json.loads(jobs)]))


def _play(name: str, globs: Sequence[str]) -> dict[str, dict[str, int]]:
    liberty = next(liberty for liberty in ALL_LIBERTIES if liberty.name == name)
    played = play_corpus((liberty,), globs)
    reference = play_reference(played.changed)
    return {"accused": _count_by_check(played.accusations), "reference": _count_by_check(reference)}


def _count_by_check(accusations: Sequence[Accusation]) -> dict[str, int]:
    return dict(sorted(Counter(row.check for row in accusations).items()))


if __name__ == "__main__":
    main(sys.argv[1])
