"""Cassettes in the formats of other tools."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from bridgecheck.cassette import redact, store, traffic
from bridgecheck.cassette.formats.names import FormatName
from bridgecheck.cassette.formats.table import FORMATS
from bridgecheck.errors import BadRecording

_REPLAY_ID: Final = ("bridgecheck", "cassettes")
"""What comes before a name that is too short for a replay id of google-genai, which has at least three parts."""


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """``path``: below the folder of the export. ``preserved``: number of interactions in it; 0: not written.
    ``left_out``: per reason how many are not."""

    cassette: Path
    path: PurePosixPath
    text: str
    preserved: int
    left_out: Counter[str]


def export_file(file: Path, base: Path, name: FormatName) -> ExportedFile:
    """Return a cassette in this format. Raises BadCassette, SecretFound, and BadRecording for a format that is only
    read."""
    entry = FORMATS[name]
    if entry.write is None:
        writable = ", ".join(key for key, value in FORMATS.items() if value.write)
        raise BadRecording(f"{name} is only read", "--format", f"one of {writable}", "bridgecheck export --help")
    cassette = store.load_cassette(file)
    redact.refuse_secrets(cassette, str(file))
    written = entry.write(cassette)
    stem = PurePosixPath(traffic.stem_of(file, base))
    parts = (*_REPLAY_ID[: max(0, 3 - len(stem.parts))], *stem.parts) if name == "google-genai" else stem.parts
    path = PurePosixPath(*parts)
    return ExportedFile(
        file, path.with_name(path.name + entry.suffix), written.text, written.preserved, written.left_out
    )
