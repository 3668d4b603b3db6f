"""How many worker processes a run uses."""

import os
from typing import Final

FEW_CASES: Final = 200
"""Up to this many cases, worker processes cost more than they save."""

MOST_WORKERS: Final = 4


def count_cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_workers(requested: int | None, cases: int, *, is_foreign: bool, has_fixed_port: bool) -> int:
    """Return the ``requested`` number; for None one per core for a large run, none for a small one, but one for
    somebody's own adapter (``is_foreign``), which may end or crash the process it is in. With a fixed port there is at
    most one, since one process can listen on it. 0: no worker processes."""
    least = 1 if is_foreign else 0
    if has_fixed_port:
        return least if requested is None else min(requested, 1)
    if requested is not None:
        return requested
    return min(count_cores(), MOST_WORKERS) if cases > FEW_CASES and count_cores() > 1 else least
