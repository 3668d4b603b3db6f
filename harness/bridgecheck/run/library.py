"""The recordings of the corpus, each read once per process, and what the native SDKs make of them."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from bridgecheck.cassette import store
from bridgecheck.cassette.recorded import Cassette
from bridgecheck.errors import MissingRecording
from bridgecheck.model.scenario import Scenario
from bridgecheck.run.native import NativeOutcomes
from bridgecheck.wire import Dialect, Mode

if TYPE_CHECKING:
    from bridgecheck.upstream.edge import Edge


class Library:
    """``root``: the folder ``cassettes``. ``close()`` it when nothing is played any more."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.native = NativeOutcomes()
        self._load = lru_cache(maxsize=64)(store.load)
        self._edge: Edge | None = None

    @property
    def edge(self) -> "Edge":
        """The edge server of this process; running, from the first use on."""
        return self.edge_at(0)

    def edge_at(self, port: int) -> "Edge":
        """The same; ``port``: which it is to take, 0 for any. Raises PortTaken."""
        if self._edge is None:
            # What it needs (asyncio, h11) takes a while to import, and most runs play in process.
            from bridgecheck.upstream.edge import Edge

            edge = Edge(port)
            edge.start()
            self._edge = edge
        return self._edge

    def close(self) -> None:
        """Stops what runs; again, it does nothing."""
        edge, self._edge = self._edge, None
        if edge is not None:
            edge.stop()

    def cassette(self, scenario_id: str, dialect: Dialect, mode: Mode) -> Cassette:
        """Raises MissingRecording or BadCassette."""
        path = store.cassette_path(self.root, scenario_id, dialect, mode)
        if not path.is_file():
            raise _missing(scenario_id, path)
        return self._load(path)

    def check(self, scenarios: Sequence[Scenario]) -> None:
        """That every scripted answer of these scenarios is recorded. Raises MissingRecording or BadCassette for the
        first that is not."""
        for scenario in scenarios:
            for dialect, mode in recordings(scenario):
                cassette = self.cassette(scenario.id, dialect, mode)
                wanted = sum(len(turn.upstream[dialect][mode]) for turn in scenario.turns)
                if len(cassette.interactions) < wanted:
                    raise _missing(scenario.id, Path(cassette.where), len(cassette.interactions), wanted)


def recordings(scenario: Scenario) -> list[tuple[Dialect, Mode]]:
    """The (upstream dialect, mode) pairs in which a scenario is played: those every turn has a script for."""
    first = scenario.turns[0].upstream
    return [
        (dialect, mode)
        for dialect in first
        for mode in scenario.modes
        if all(mode in turn.upstream.get(dialect, {}) for turn in scenario.turns)
    ]


def _missing(scenario_id: str, path: Path, found: int = 0, wanted: int = 0) -> MissingRecording:
    what = (
        f"a recording of {scenario_id} holds {found} of {wanted} answers"
        if wanted
        else f"{scenario_id} is not recorded"
    )
    expected = "one interaction for each scripted answer" if wanted else "a cassette"
    return MissingRecording(what, str(path), expected, f"bridgecheck regenerate {scenario_id}")
