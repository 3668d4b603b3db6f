"""The cassettes of the corpus, each read once per process, what the native SDKs make of them, and the edge server."""

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from bridgecheck.cassette import store
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.provenance import SCRIPTED, Provenance, provenance_of
from bridgecheck.checks.live_contradictions import Contradictions
from bridgecheck.errors import BadCassette, MissingRecording
from bridgecheck.files.corpus import expected_recordings
from bridgecheck.model.scenario import Scenario, file_id
from bridgecheck.run.contradictions import find_contradicted_musts
from bridgecheck.run.play_provider_sdk import NativeOutcomes
from bridgecheck.wire import Dialect, Mode

if TYPE_CHECKING:
    from bridgecheck.upstream.edge import Edge


class Library:
    """``folders``: a cassette is that of the first which has it. ``stop_edge()`` when nothing is played any more."""

    def __init__(self, *folders: Path) -> None:
        self.folders = folders
        self.native = NativeOutcomes()
        self._load = lru_cache(maxsize=64)(store.load_cassette)
        self._load_metadata = cache(store.load_metadata)
        self._contradictions: dict[tuple[str, Dialect, Mode], Contradictions] = {}
        self._edge: Edge | None = None
        self._edge_owner = 0
        self._opened: list[Edge] = []

    @property
    def edge(self) -> "Edge":
        """The edge server of this process; it starts with the first use."""
        return self.edge_at(0)

    def edge_of_process(self, number: int) -> "Edge":
        """Return the edge server of the process that runs for an adapter now (``Driver.process_number``): that of the
        process before it, which has ended, is stopped."""
        if number != self._edge_owner:
            if self._edge is not None:
                self._edge.stop()
            self._edge, self._edge_owner = None, number
        return self.edge

    def open_edge(self) -> "Edge":
        """Return an edge server of its own for a process; stopping it is left to who ends the process."""
        from bridgecheck.upstream.edge import Edge

        edge = Edge()
        edge.start()
        self._opened = [opened for opened in self._opened if opened.base_url]
        self._opened.append(edge)
        return edge

    def edge_at(self, port: int) -> "Edge":
        """Return the edge server; ``port``: which it is to take, 0 for any. Raises PortTaken."""
        if self._edge is None:
            # What it needs (asyncio, h11) takes a while to import, and most runs play in process.
            from bridgecheck.upstream.edge import Edge

            self._edge = Edge(port)
            self._edge.start()
        return self._edge

    def stop_edge(self) -> None:
        """Stop the edge servers that run."""
        for edge in (self._edge, *self._opened):
            if edge is not None:
                edge.stop()
        self._edge, self._opened = None, []

    def load_recorded_cassette(self, scenario_id: str, dialect: Dialect, mode: Mode) -> Cassette:
        """Raises MissingRecording or BadCassette."""
        path = store.find_cassette(self.folders, scenario_id, dialect, mode)
        if not path.is_file():
            raise _missing_recording(scenario_id, path)
        return self._load(path)

    def provenance(self, scenario_id: str, dialect: Dialect, mode: Mode) -> Provenance:
        """Return what a case rests on, played or not. Of a cassette that is not there or cannot be read, which the case
        itself tells, nothing is said."""
        try:
            metadata = self._load_metadata(store.find_cassette(self.folders, scenario_id, dialect, mode))
        except BadCassette:
            metadata = {"source": SCRIPTED}
        return provenance_of(scenario_id, dialect, mode, metadata)

    def contradictions(self, scenario: Scenario, dialect: Dialect, mode: Mode, cassette: Cassette) -> Contradictions:
        """Return what a live cassette contradicts of what its scenario expects, judged once a process."""
        address = (scenario.id, dialect, mode)
        if address not in self._contradictions:
            self._contradictions[address] = find_contradicted_musts(scenario, dialect, mode, cassette)
        return self._contradictions[address]

    def require_recordings(self, scenarios: Sequence[Scenario]) -> None:
        """Raise MissingRecording or BadCassette for the first scripted answer that is not recorded."""
        for scenario in scenarios:
            for dialect, mode in expected_recordings(scenario):
                cassette = self.load_recorded_cassette(scenario.id, dialect, mode)
                expected = sum(len(turn.upstream[dialect][mode]) for turn in scenario.turns)
                if len(cassette.interactions) < expected:
                    raise _missing_recording(scenario.id, Path(cassette.where), len(cassette.interactions), expected)


def _missing_recording(scenario_id: str, path: Path, actual: int = 0, expected: int = 0) -> MissingRecording:
    what, needs = f"{scenario_id} is not recorded", "a cassette"
    if expected:
        what = f"a recording of {scenario_id} holds {actual} of {expected} answers"
        needs = "one interaction for each scripted answer"
    return MissingRecording(what, str(path), needs, f"bridgecheck regenerate {file_id(scenario_id)}")
