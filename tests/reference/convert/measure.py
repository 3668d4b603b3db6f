"""Work counted, not timed: how many bytecode instructions a call runs, and how much more memory a stream holds.

Loops inside C (``str.join``, ``list +``) are not counted; what they could hide shows in ``make bench``, which prints
times of the same sizes.
"""

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType


def instructions(function: Callable[[], object]) -> int:
    """Bytecode instructions that a call runs, those of everything it calls included."""
    counted = 0

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal counted
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        counted += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return counted


def growth(small: Callable[[], object], large: Callable[[], object]) -> float:
    """How many times more work the large call is; both run once before, so that nothing is counted that is done once."""
    small()
    return instructions(large) / instructions(small)


def measure_memory(feed: Callable[[int], object], start: int, end: int) -> tuple[int, int]:
    """(growth of the memory held, growth of its peak) in bytes, between ``start`` events and ``end`` of them."""
    tracemalloc.start()
    try:
        for number in range(start):
            feed(number)
        early, early_peak = tracemalloc.get_traced_memory()
        for number in range(start, end):
            feed(number)
        late, late_peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return late - early, late_peak - early_peak
