"""What scenarios rest on, from the cassettes of a corpus folder."""

from pathlib import Path

from bridgecheck.cassette.provenance import Provenance, provenance_of
from bridgecheck.cassette.store import cassette_path, load_metadata
from bridgecheck.files.corpus import expected_recordings
from bridgecheck.model.scenario import Scenario


def load_provenances(root: Path, scenario: Scenario) -> tuple[Provenance, ...]:
    """Return a row for each cassette of a scenario that is there, by dialect and mode. ``root``: the folder
    ``cassettes``. Raises BadCassette."""
    return tuple(
        provenance_of(scenario.id, dialect, mode, load_metadata(path))
        for dialect, mode in expected_recordings(scenario)
        if (path := cassette_path(root, scenario.id, dialect, mode)).is_file()
    )
