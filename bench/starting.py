"""Start-up: each in a fresh interpreter, the best of several."""

import subprocess
import sys
from collections.abc import Iterator
from time import perf_counter

from figures import Figure

ROUNDS = 7
_IMPORT = "import time; start = time.perf_counter(); import bridgecheck; print(time.perf_counter() - start)"


def measure() -> Iterator[Figure]:
    seconds = min(float(_output(sys.executable, "-c", _IMPORT)) for _ in range(ROUNDS))
    yield Figure("import bridgecheck", seconds * 1e3, 120, "ms", detail="inside the interpreter")
    bare = min(_wall("-c", "pass") for _ in range(ROUNDS))
    full = min(_wall("-m", "bridgecheck", "--help") for _ in range(ROUNDS))
    yield Figure("bridgecheck --help", full * 1e3, 250, "ms", detail=f"the bare interpreter takes {bare * 1e3:.0f} ms")


def _wall(*arguments: str) -> float:
    start = perf_counter()
    _output(sys.executable, *arguments)
    return perf_counter() - start


def _output(*command: str) -> str:
    """Raises ImportError if the command fails: what it starts is not there."""
    process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if process.returncode:
        raise ImportError((process.stderr.strip() or "failed without a word").splitlines()[-1])
    return process.stdout
