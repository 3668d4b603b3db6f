"""``make matrix``: every mutant over what it names and a sample of the corpus, and docs/kill-matrix.md from that.

    python tests/faulty_adapters/kill_matrix.py [--anew]

A mutant whose entry has not changed keeps its result, unless --anew, or a MUST check fails for none: then the mutants
that this check notices run again until one makes it a FAIL. Exit 1 if one survives, a check kills nothing, or a MUST
check only warns.
"""

import os
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from pathlib import Path
from queue import Queue
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

from all_mutants import ALL_MUTANTS
from matrix_page import PAGE, idle_checks, in_judge, page
from matrix_results import Result, checks_without_failure, key_of, load, result_of, save
from mutants import Mutant
from planting import Runner, plant, run_named_and_sample

AT_ONCE: Final = 2
POLITE: Final = 10


def main(*, rebuilt: bool) -> int:
    os.nice(POLITE)
    names = {mutant.name for mutant in ALL_MUTANTS}
    results = {} if rebuilt else {name: result for name, result in load().items() if name in names}
    waiting = [
        mutant for mutant in ALL_MUTANTS if mutant.name not in results or results[mutant.name].key != key_of(mutant)
    ]
    with ExitStack() as stack, ThreadPoolExecutor(AT_ONCE) as pool:
        idle = Queue[Runner]()
        for _ in range(AT_ONCE):
            idle.put(stack.enter_context(Runner()))
        running = {pool.submit(_run, idle, mutant): mutant.name for mutant in waiting}
        for number, future in enumerate(as_completed(running), 1):
            found = results[running[future]] = future.result()
            save(results)
            word = "killed  " if found.killed else "SURVIVED"
            print(f"{number}/{len(waiting)} {word} {running[future]}: {', '.join(found.tripped)}", flush=True)
        for check in checks_without_failure(results):
            for mutant in _fastest_first(check, results):
                results[mutant.name] = _run(idle, mutant)
                save(results)
                if check in results[mutant.name].failed:
                    break
    save(results)
    PAGE.write_text(page(results), encoding="utf-8")
    survivors = [name for name, result in results.items() if not result.killed]
    useless = idle_checks(results)
    harmless = checks_without_failure(results)
    print(f"{len(results)} mutants; survived: {survivors or 'none'}; checks that kill none: {useless or 'none'}")
    print(f"MUST checks that fail for none: {harmless or 'none'}")
    return 1 if survivors or useless or harmless else 0


def _fastest_first(check: str, results: Mapping[str, Result]) -> list[Mutant]:
    """Return the mutants that the check notices and whose failures are not recorded, those of few scenarios first."""
    found = [mutant for mutant in ALL_MUTANTS if check in results[mutant.name].tripped]
    return sorted(
        (mutant for mutant in found if check in mutant.expected and not results[mutant.name].failed),
        key=lambda mutant: (in_judge(mutant), len(mutant.relations), results[mutant.name].scenarios),
    )


def _run(idle: Queue[Runner], mutant: Mutant) -> Result:
    runner = idle.get()
    try:
        with tempfile.TemporaryDirectory() as folder:
            return result_of(mutant, run_named_and_sample(runner, plant(mutant, Path(folder)), mutant))
    finally:
        idle.put(runner)


if __name__ == "__main__":
    sys.exit(main(rebuilt="--anew" in sys.argv[1:]))
