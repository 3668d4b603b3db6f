"""A stand-in of all providers for a few scenarios, answered by their scripts, and a clock on which nobody waits."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.live.provider_stand_in import ProviderStandIn, serve_providers

from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.live.command import record_live
from bridgecheck.live.options import LiveOptions
from bridgecheck.live.plan import make_plan
from bridgecheck.wire import DIALECTS

KEY = "sk-made-for-this-test-9f8e7d6c5b4a"
SCENARIOS = ("messages/plain-text", "tools/single-call", "conversations/two-parallel-tools", "errors/not-found")

EXTRA = ("tools/args-fragments-accumulate", "correlation/document-in-result")


@dataclass
class FakeClock:
    """``slept``: the seconds of each wait. ``interrupt_at``: the wait at which Ctrl-C is pressed, 0: none."""

    slept: list[float] = field(default_factory=list)
    interrupt_at: int = 0

    def now(self) -> float:
        return 1_790_000_000.0 + sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if len(self.slept) == self.interrupt_at:
            raise KeyboardInterrupt


@dataclass
class Live:
    """``record``: runs ``record --live`` against ``provider`` and returns its exit code."""

    provider: ProviderStandIn
    serve: tuple[str, ...]
    out: Path
    clock: FakeClock

    def record(self, *globs: str, clock: FakeClock | None = None, **options: Any) -> int:
        every = {
            "out": self.out, "live": self.serve, "scenario": globs or SCENARIOS, "tries": 2,
            "key_env": tuple(f"{dialect}=LIVE_TEST_KEY" for dialect in self.dialects),
        }  # fmt: skip
        return record_live(LiveOptions(**every | options), clock or self.clock)

    @property
    def dialects(self) -> tuple[str, ...]:
        return tuple(serve.partition("=")[0] for serve in self.serve)

    def at(self, *dialects: str) -> "Live":
        serve = tuple(item for item in self.serve if item.partition("=")[0] in dialects)
        return Live(self.provider, serve, self.out, self.clock)

    def cassettes(self) -> dict[str, bytes]:
        return {str(path.relative_to(self.out)): path.read_bytes() for path in self.out.rglob("*.yaml")}


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.setenv("LIVE_TEST_KEY", KEY)
    provider = ProviderStandIn()
    found = [scenario for scenario in scenarios(scenarios_root(), [*SCENARIOS, *EXTRA]) if not scenario.client_model]
    provider.add(make_plan(found, DIALECTS).cases, defaultdict(list))
    with serve_providers(provider) as options:
        yield Live(provider, tuple(options[1::2]), tmp_path / "live", FakeClock())
