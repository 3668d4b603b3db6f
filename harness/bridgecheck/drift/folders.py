"""Recordings on disk, old and new: read, paired by name, compared, and replaced where that is accepted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridgecheck.cassette import redact, store, traffic
from bridgecheck.cassette.formats.documents import recorded_or_encoded
from bridgecheck.cassette.formats.item import UNMODELLED
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.write_files import write_files
from bridgecheck.drift.compare_answers import find_drift, find_vanished, observe_known
from bridgecheck.drift.finding import Finding, merge_findings
from bridgecheck.errors import BadRecording, BadTraffic, MissingPath
from bridgecheck.model.jsonvalue import text

_HELP: Final = "bridgecheck drift --help"
_CASSETTE_SUFFIXES: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Recording:
    """``name``: of the file below its folder. ``cassette``: with () for metadata where the file is of another tool."""

    name: str
    path: Path
    cassette: Cassette

    @property
    def identity(self) -> tuple[str, ...]:
        """What a cassette says that it is of: scenario, dialect and mode; () for one that does not say."""
        values = tuple(text(self.cassette.metadata.get(key)) for key in ("scenario", "dialect", "mode"))
        return values if values[0] else ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """``findings``: each change once, worst first. ``pairs``: the recordings that were compared; ``only_old`` and
    ``only_new``: names of those without a counterpart."""

    findings: tuple[Finding, ...]
    pairs: tuple[tuple[Recording, Recording], ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]


def compare_paths(old: Path, new: Path) -> Comparison:
    """Compare two cassettes, or two folders of them. Raises MissingPath, BadCassette, BadRecording."""
    if old.is_dir() != new.is_dir() and old.exists() and new.exists():
        what = f"a {'folder' if old.is_dir() else 'file'} and a {'folder' if new.is_dir() else 'file'}"
        raise MissingPath(f"{what} cannot be compared", f"{old} and {new}", "two cassettes, or two folders", _HELP)
    before, after = ({recording.name: recording for recording in _read(path)} for path in (old, new))
    pairs = _pair(before, after, is_folder=old.is_dir())
    if not pairs:
        what = f"no recording of the one has a counterpart in the other: {len(before)} old, {len(after)} new"
        raise MissingPath(what, f"{old} and {new}", "files of equal names, or of equal scenarios", _HELP)
    known = observe_known([item for recording in before.values() for item in recording.cassette.interactions])
    findings: list[Finding] = []
    for first, second in pairs:
        is_one = first.identity == second.identity and (bool(first.identity) or first.name == second.name)
        findings += find_drift(first.cassette.interactions, second.cassette.interactions, known=known,
                               same_conversation=is_one, recording=first.name)  # fmt: skip
    if len(pairs) > 1:
        sides: tuple[list[RecordedInteraction], ...] = ([], [])
        for pair in pairs:
            for side, recording in zip(sides, pair, strict=True):
                side.extend(recording.cassette.interactions)
        findings += find_vanished(*sides)
    paired = ({pair[side].name for pair in pairs} for side in (0, 1))
    only_old, only_new = (
        tuple(sorted(side.keys() - names)) for side, names in zip((before, after), paired, strict=True)
    )
    return Comparison(tuple(merge_findings(findings)), tuple(pairs), only_old, only_new)


def accept_new(comparison: Comparison) -> int:
    """Put each new cassette in the place of the old one, whole or not at all, and return how many files have changed.
    Raises BadRecording, before anything is written, for one that is no cassette or broke off; SecretFound."""
    files: dict[Path, bytes] = {}
    for old, new in comparison.pairs:
        if old.path.suffix not in _CASSETTE_SUFFIXES or new.path.suffix not in _CASSETTE_SUFFIXES:
            what = "only cassettes can be replaced"
            raise BadRecording(what, str(new.path), "YAML files of vcrpy", "bridgecheck import makes cassettes")
        broken = [item.end for item in new.cassette.interactions if item.end != "complete"]
        if broken and all(item.end == "complete" for item in old.cassette.interactions):
            what = f"the new cassette holds an answer that broke off ({broken[0]}): nothing was replaced"
            raise BadRecording(what, str(new.path), "whole answers", "record it again")
        redact.refuse_secrets(new.cassette, str(new.path))
        files[old.path] = new.path.read_bytes()
    return write_files(files, force=True)


def _pair(
    old: Mapping[str, Recording], new: Mapping[str, Recording], *, is_folder: bool
) -> list[tuple[Recording, Recording]]:
    if not is_folder:
        return [(first, second) for first in old.values() for second in new.values()]
    pairs = [(recording, new[name]) for name, recording in old.items() if name in new]
    by_identity = {recording.identity: recording for name, recording in new.items() if name not in old}
    return pairs + [
        (recording, by_identity[recording.identity])
        for name, recording in old.items()
        if name not in new and recording.identity and recording.identity in by_identity
    ]


def _read(path: Path) -> Iterator[Recording]:
    base = path if path.is_dir() else path.parent
    if not path.exists():
        raise MissingPath("there is no such file or folder", str(path), "a cassette, or a folder with some", _HELP)
    for file in traffic.traffic_files(path):
        relative = file.relative_to(base)
        if not any(part.startswith(".") for part in relative.parts):
            yield Recording(relative.as_posix(), file, _read_recording(file, base))


def _read_recording(file: Path, base: Path) -> Cassette:
    if traffic.find_format(file) == "vcrpy" and file.suffix in _CASSETTE_SUFFIXES:
        return store.load_cassette(file)
    items = list(traffic.read_file(file, base))
    bad = next((item for item in items if isinstance(item, BadTraffic)), None)
    if bad is not None:
        raise BadRecording(bad.what, bad.where, bad.expected, "mend the file, or leave it out")
    interactions = tuple(
        recorded_or_encoded(item) for item in items if not isinstance(item, BadTraffic) and UNMODELLED not in item.notes
    )
    return Cassette({}, interactions, str(file))
