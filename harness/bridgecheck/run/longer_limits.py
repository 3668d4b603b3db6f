"""Tries again what hit a time limit, alone and with longer limits: a busy machine is no fault of the adapter."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Final, TypeVar

from bridgecheck.drivers.foreign_code import Crashed
from bridgecheck.errors import HarnessError
from bridgecheck.run.machine_load import MachineLoad

T = TypeVar("T")

LONGER_LIMITS: Final = (1.5, 2.0, 2.5)
"""Of the adapter's limit, when what hit it is tried again."""


@dataclass(slots=True)
class HangCount:
    """How often the adapter did not answer in time where a law or a relation was played."""

    count: int = 0

    def note(self, error: Exception) -> None:
        self.count += isinstance(error, Crashed) and error.kind == "hung"


class MachineStalled(HarnessError):
    """The adapter gave no answer in time, and the machine stood still meanwhile."""

    code = "machine-stalled"

    def __init__(self) -> None:
        what = "no answer in time, alone too; but the machine stood still meanwhile: nothing is known of the adapter"
        super().__init__(what, next_step="run it again while less else runs")


def try_again_with_longer_limits(
    first: T, play_with_limit: Callable[[float], T], has_hung: Callable[[T], bool], *,
    factors: Sequence[float] = LONGER_LIMITS, measure_load: Callable[[], MachineLoad] = MachineLoad,
    play_alone: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> T:  # fmt: skip
    """Return the first result that did not hang, else ``first``, which did: once more, and as often as there are
    ``factors`` while the machine is busy and the adapter does not compute all the time. ``play_with_limit``: plays with
    so many times the adapter's limit. Raises MachineStalled."""
    is_stalled = False
    for factor in factors:
        with play_alone(), measure_load() as load:
            result = play_with_limit(factor)
        if not has_hung(result):
            return result
        if load.are_children_computing:  # for as long as its own limit: it did not wait for the machine
            return first
        is_stalled = load.is_stalled
        if not load.is_busy:
            break
    if is_stalled:
        raise MachineStalled
    return first
