"""``import`` and ``export``: recordings from and to the formats of other tools."""

import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bridgecheck.cassette import store, traffic
from bridgecheck.cassette.export_cassettes import ExportedFile, export_file
from bridgecheck.cassette.formats.names import FormatName
from bridgecheck.cassette.formats.table import FORMATS
from bridgecheck.cassette.import_recordings import ImportedFile, import_file
from bridgecheck.cassette.write_files import write_files
from bridgecheck.errors import BadRecording, MissingPath, WouldOverwrite
from bridgecheck.model.counts import plural
from bridgecheck.report.sentences import skipped_files

_IMPORT_HELP: Final = "bridgecheck import --help"
_EXPORT_HELP: Final = "bridgecheck export --help"


@dataclass(slots=True)
class _SelectedFiles:
    """``files``: (file, folder that its name is relative to, format). ``skipped``: files of folders, no recordings."""

    files: list[tuple[Path, Path, FormatName]] = field(default_factory=list)
    skipped: list[Path] = field(default_factory=list)


def import_recordings(paths: Sequence[Path], out: Path, name: FormatName | None, *, force: bool) -> None:
    """Write cassettes for recordings, all or none, and print what they hold and lack. Raises RefusedAtStart."""
    selected = _select_files(paths, name, _IMPORT_HELP)
    imported = [import_file(file, base, found) for file, base, found in selected.files]
    cassettes = [(out / path, cassette) for entry in imported for path, cassette in entry.cassettes.items()]
    _refuse_empty_or_double([path for path, _ in cassettes], imported)
    data = {path: store.dump_cassette(cassette).encode("utf-8") for path, cassette in cassettes}
    changed = write_files(data, force=force)
    for entry in imported:
        written = (
            plural(len(entry.cassettes), "cassette") if len(entry.cassettes) != 1 else str(next(iter(entry.cassettes)))
        )
        _print(f"{entry.format:12}  {entry.file} -> {written}: {plural(entry.interactions, 'interaction')}")
    count = plural(sum(entry.interactions for entry in imported), "interaction")
    _print(f"\n{count} in {plural(len(cassettes), 'cassette')} in {out}, {changed} written anew")
    _print_import_losses(imported, selected.skipped)
    _print(f"next: bridgecheck run --traffic {shlex.quote(str(out))}")


def export_cassettes(paths: Sequence[Path], name: FormatName, out: Path, *, force: bool) -> None:
    """Write cassettes in another format, all or none, and print what they lack. Raises RefusedAtStart."""
    entry = FORMATS[name]
    selected = _select_files(paths, "vcrpy", _EXPORT_HELP)
    exported = [export_file(file, base, name) for file, base, _ in selected.files]
    left_out = sum((file.left_out for file in exported), Counter[str]())
    preserved = [file for file in exported if file.preserved]
    if not preserved:
        reasons = "; ".join(f"{count} {reason}" for reason, count in left_out.items()) or "there is no interaction"
        what = f"nothing of this can be written as {name}: {reasons}"
        raise BadRecording(what, ", ".join(map(str, paths)), f"recordings that {entry.title} can hold", _EXPORT_HELP)
    targets = _targets(preserved, out, entry.suffix)
    changed = write_files({path: file.text.encode("utf-8") for path, file in targets.items()}, force=force)
    for path, file in targets.items():
        _print(f"{file.cassette} -> {path}: {plural(file.preserved, 'interaction')}")
    count = plural(sum(file.preserved for file in preserved), "interaction")
    _print(f"\n{count} in {plural(len(preserved), 'file')} for {entry.title}, {changed} written anew")
    for reason, number in sorted(left_out.items()):
        _print(f"left out: {plural(number, 'interaction')}: {reason}")
    _print(f"not in {name}: {'; '.join(entry.not_written)}")
    _print(f"play it: {entry.play}")


def _select_files(paths: Sequence[Path], name: FormatName | None, next_step: str) -> _SelectedFiles:
    """Return the recordings among files and folders. Raises MissingPath for a file in no known format, and for a folder
    without any recording."""
    selected = _SelectedFiles()
    for path in paths:
        if not path.is_dir():
            _require_file(path, next_step)
            selected.files.append((path, path.parent, name or traffic.require_format(path, next_step)))
            continue
        folder = traffic.sort_folder(path)
        found = [(file, path, traffic.find_format(file)) for file in folder.files]
        matching = [(file, base, kind) for file, base, kind in found if kind is not None and name in (None, kind)]
        if not matching:
            rest = plural(len(folder.skipped), "other file")
            what = f"this folder holds no recording{f' of {name}' if name else ''}, but {rest}"
            raise MissingPath(what, str(path), f"files that end in {', '.join(traffic.SUFFIXES)}", next_step)
        selected.files += matching
        selected.skipped += folder.skipped
    return selected


def _require_file(path: Path, next_step: str) -> None:
    if not path.is_file():
        raise MissingPath("there is no such file or folder", str(path), "a recording, or a folder with some", next_step)


def _refuse_empty_or_double(targets: Sequence[Path], imported: Sequence[ImportedFile]) -> None:
    """Raises BadRecording where nothing is left to write, WouldOverwrite where two recordings meet in one cassette."""
    if not targets:
        reasons = sum((entry.left_out for entry in imported), Counter[str]())
        found = "; ".join(f"{plural(count, 'interaction')} {reason}" for reason, count in reasons.items())
        where = ", ".join(str(entry.file) for entry in imported)
        expected = "calls of the Gemini API, OpenAI Chat Completions or Anthropic Messages"
        raise BadRecording(f"there is nothing to import: {found or 'no interaction'}", where, expected, _IMPORT_HELP)
    double = [path for path, count in Counter(targets).items() if count > 1]
    if double:
        what = f"{Counter(targets)[double[0]]} recordings would be written to one cassette"
        raise WouldOverwrite(
            what, str(double[0]), "recordings of different names", "import them into folders of their own"
        )


def _targets(exported: Sequence[ExportedFile], out: Path, suffix: str) -> dict[Path, ExportedFile]:
    """Return the files to write: ``out`` itself for one cassette, if it is named as a file of the format is."""
    if len(exported) == 1 and out.suffix == suffix and not out.is_dir():
        return {out: exported[0]}
    targets = {out / file.path: file for file in exported}
    if len(targets) < len(exported):
        what = "several cassettes would be written to one file"
        raise WouldOverwrite(what, str(out), "cassettes of different names", "export them into folders of their own")
    return targets


def _print_import_losses(imported: Sequence[ImportedFile], skipped: Sequence[Path]) -> None:
    headers = sorted(frozenset[str]().union(*(entry.headers for entry in imported)))
    masked, replaced = sum(entry.masked for entry in imported), sum(entry.stand_ins for entry in imported)
    left_out = sum((entry.left_out for entry in imported), Counter[str]())
    if headers:
        _print(f"dropped headers: {', '.join(headers)}")
    if masked:
        _print(f"masked: keys in the addresses of {plural(masked, 'request')}")
    if replaced:
        _print(f"replaced: {plural(replaced, 'id')} of projects, accounts, requests or people, by stand-ins")
    for reason, number in left_out.items():
        _print(f"not imported: {plural(number, 'interaction')} {reason}")
    if skipped:
        _print(skipped_files(skipped))
    for name in dict.fromkeys(entry.format for entry in imported):
        _print(f"not in {name}: {'; '.join(FORMATS[name].not_read)}")


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
