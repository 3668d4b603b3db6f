"""Timing: the functions of one comparison take turns in every round, and the best round of each counts.

Noise of the machine only ever adds time, so the minimum is the steadiest figure; taking turns lets all of them meet the
same noise.
"""

import gc
from collections.abc import Callable, Mapping
from time import perf_counter


def best(functions: Mapping[str, Callable[[], object]], rounds: int = 30, number: int = 1) -> dict[str, float]:
    """Seconds of one call of each function: the best of ``rounds`` of ``number`` calls, garbage collection off."""
    found = dict.fromkeys(functions, float("inf"))
    for function in functions.values():
        function()
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, function in functions.items():
                found[name] = min(found[name], _time_calls(function, number))
    finally:
        gc.enable()
    return found


def _time_calls(function: Callable[[], object], number: int) -> float:
    start = perf_counter()
    for _ in range(number):
        function()
    return (perf_counter() - start) / number
