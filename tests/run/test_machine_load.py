"""When a machine stood still, and when this process was busy itself."""

from collections.abc import Iterator
from itertools import accumulate, repeat
from types import SimpleNamespace

import pytest

from bridgecheck.run import machine_load
from bridgecheck.run.machine_load import MachineLoad


@pytest.mark.parametrize(
    ("woken_after", "computed", "stalled"),
    [(0.05, 0.0, False), (0.1, 0.0, True), (0.1, 0.09, False), (0.1, 0.02, True)],
    ids=["in time", "late", "late from computing", "late, and computing a little"],
)
def test_what_this_process_computes_is_no_standstill(
    monkeypatch: pytest.MonkeyPatch, woken_after: float, computed: float, stalled: bool
) -> None:
    def count_up(step: float) -> Iterator[float]:
        return accumulate(repeat(step))

    class Rounds:
        """Ten sleeps."""

        def __init__(self) -> None:
            self.left = 10

        def wait(self, seconds: float) -> bool:
            self.left -= 1
            return self.left < 0

    load = MachineLoad()
    now, used = count_up(woken_after), count_up(computed)
    clock = SimpleNamespace(monotonic=lambda: next(now), process_time=lambda: next(used))
    monkeypatch.setattr(machine_load, "time", clock)
    monkeypatch.setattr(load, "_is_over", Rounds())
    load._measure()
    load._seconds = 10 * woken_after
    assert load.is_stalled is stalled
