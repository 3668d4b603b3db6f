"""``make kill-matrix``: every mutant over the whole corpus, and which checks fail on it. Exit 1 if one survives."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from anthropic_mutants import ANTHROPIC
from more_mutants import MORE
from mutants import ADAPTERS, NORMALISERS
from planting import plant, run


def main() -> int:
    survivors = 0
    for mutant in (*ADAPTERS, *NORMALISERS, *MORE, *ANTHROPIC):
        with tempfile.TemporaryDirectory() as folder:
            caught = run(plant(mutant, Path(folder)), (), jobs=2)
        killed = caught.exit_code in (1, 3) and bool(caught.failed & mutant.expected)
        survivors += not killed
        print(
            f"{'killed  ' if killed else 'SURVIVED'} {mutant.name:34} exit {caught.exit_code}  {', '.join(sorted(caught.failed))}",
            flush=True,
        )
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
