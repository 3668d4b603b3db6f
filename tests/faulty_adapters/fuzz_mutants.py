"""``make fuzz-mutants``: which of 20 planted faults, picked by a seed, ``bridgecheck fuzz`` finds and makes small.

    python tests/faulty_adapters/fuzz_mutants.py [SEED [EXAMPLES]]

Of the mutants of the reference, all but those of its SDK layer: fuzz plays documents. Exit 1 below 15.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from anthropic_mutants import ANTHROPIC
from more_mutants import MORE
from mutants import ADAPTERS
from planting import plant

PICKED = 20
NEEDED = 15


def main(seed: int = 20261121, examples: int = 1500) -> int:
    pool = sorted((*ADAPTERS, *MORE, *ANTHROPIC), key=lambda mutant: mutant.name)
    picked = random.Random(seed).sample([mutant for mutant in pool if "convert/" in mutant.edits[0][0]], PICKED)
    found = 0
    for mutant in picked:
        with tempfile.TemporaryDirectory() as folder:
            packages, started = plant(mutant, Path(folder)), time.monotonic()
            result = subprocess.run(
                [sys.executable, "-m", "bridgecheck", "fuzz", "--examples", str(examples), "--seed", str(seed), "--max-fail", "1"],
                env={**os.environ, "PYTHONPATH": str(packages), "PYTHONDONTWRITEBYTECODE": "1"},
                cwd=packages, capture_output=True, text=True, check=False,
            )  # fmt: skip
            written = list((packages / "reports").rglob("found/*.json"))
            caught = result.returncode == 1 and bool(written)
            found += caught
            headline = next(
                (line for line in result.stdout.splitlines() if line.startswith("1. ")), result.stderr[-200:]
            )
            print(f"{'found ' if caught else 'MISSED'} {mutant.name:40} {time.monotonic() - started:5.0f} s  {headline}", flush=True)  # fmt: skip
    print(f"{found} of {PICKED} found, seed {seed}, {examples} examples each")
    return 0 if found >= NEEDED else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
