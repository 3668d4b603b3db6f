"""What scenarios rest on, from the cassettes of a corpus folder."""

from collections.abc import Sequence
from pathlib import Path

from bridgecheck.cassette.provenance import Provenance, provenance_of
from bridgecheck.cassette.store import find_cassette, load_metadata
from bridgecheck.files.corpus import expected_recordings
from bridgecheck.model.scenario import Scenario


def load_provenances(folders: Sequence[Path], scenario: Scenario) -> tuple[Provenance, ...]:
    """Return a row for each cassette of a scenario that is there, by dialect and mode. ``folders``:
    in which they are looked for, at least one. Raises BadCassette."""
    return tuple(
        provenance_of(scenario.id, dialect, mode, load_metadata(path))
        for dialect, mode in expected_recordings(scenario)
        if (path := find_cassette(folders, scenario.id, dialect, mode)).is_file()
    )
