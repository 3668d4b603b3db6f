"""Play liberties over the corpus at wire level and print what the judge holds against each.

    python tests/liberties/liberty_matrix.py [NAME ...] [--case GLOB ...] [--all]

NAME: of liberties, with wildcards; none: every one. --case: only cases with such an address. --all: every accusation, not one
for each check and scenario. Exit 1 if one is accused.
"""

import argparse
import sys
from collections import defaultdict
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from all_liberties import ALL_LIBERTIES
from liberty import Liberty
from playing import Accusation, play


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    accused = 0
    chosen = [row for row in ALL_LIBERTIES if not options.names or any(fnmatchcase(row.name, n) for n in options.names)]
    for liberty in chosen:
        accused += _show(liberty, options.case, every=options.all)
    print(f"{len(chosen)} liberties, {accused} accused")
    return 1 if accused else 0


def _show(liberty: Liberty, cases: list[str], *, every: bool) -> bool:
    played = play((liberty,), cases)
    groups: dict[tuple[str, str], list[Accusation]] = defaultdict(list)
    for accusation in played.accusations:
        groups[accusation.check, accusation.address.partition("::")[0]].append(accusation)
    print(f"{liberty.name}: {played.cases} cases, {len(played.changed)} changed, {len(played.accusations)} accusations")
    for (check, scenario), rows in sorted(groups.items()):
        print(f"  {rows[0].status} {check} {scenario} ({len(rows)})")
        for row in rows if every else rows[:1]:
            print(f"      {row.address.partition('::')[2]}: {row.message[:300]}")
    sys.stdout.flush()
    return bool(played.accusations)


if __name__ == "__main__":
    sys.exit(main())
