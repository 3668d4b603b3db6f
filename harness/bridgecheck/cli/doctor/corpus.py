"""The corpus in use, and what an earlier run left behind."""

import os
from collections.abc import Iterator
from pathlib import Path

from bridgecheck import __version__
from bridgecheck.cassette.store import cassette_path
from bridgecheck.cli.doctor.fact import REFUSED, Fact, stops
from bridgecheck.errors import BadReport, BridgecheckError, RefusedAtStart
from bridgecheck.files import corpus_root, load_scenario, scenario_files
from bridgecheck.files.requirement_file import load_requirements, requirement_files
from bridgecheck.files.writable import make_folder_writable
from bridgecheck.report.model import Report
from bridgecheck.report.read import LATEST, read
from bridgecheck.run.library import recordings
from bridgecheck.run.smoke import PLAIN


def corpus() -> Iterator[Fact]:
    try:
        root = corpus_root()
    except RefusedAtStart as missing:
        yield stops("corpus", "place", missing)
        return
    yield Fact("corpus", "place", f"{root} ({_kind(root)})")
    files = scenario_files(root / "scenarios")
    cassettes = sum(1 for _ in (root / "cassettes").rglob("*.yaml"))
    if files and cassettes:
        yield Fact("corpus", "holds", f"{len(files)} scenarios, {cassettes} cassettes")
    else:
        told = f"{len(files)} scenarios, {cassettes} cassettes: nothing to play"
        yield Fact("corpus", "holds", told, "stop", "bridgecheck regenerate", REFUSED)
    yield from _plain(root)
    yield from _sets(root)


def reports(folder: Path = LATEST) -> Iterator[Fact]:
    """Whether a report can be written, and what is to be known of the last one."""
    if folder.exists():
        try:
            make_folder_writable(folder)
        except RefusedAtStart as wrong:
            yield stops("reports", str(folder), wrong)
            return
    elif not os.access(Path.cwd(), os.W_OK):
        told = f"{folder} cannot be made here"
        yield Fact("reports", str(folder), told, "stop", "bridgecheck run --report DIR", REFUSED)
        return
    yield _last(folder)


def _kind(root: Path) -> str:
    if os.environ.get("BRIDGECHECK_CORPUS"):
        return "BRIDGECHECK_CORPUS"
    return "of the package" if root.name == "_corpus" else "of the checkout"


def _plain(root: Path) -> Iterator[Fact]:
    """The scenario that smoke plays, whole: a corpus that is broken throughout shows in it."""
    path = root / "scenarios" / f"{PLAIN}.json"
    if not path.is_file():
        yield Fact("corpus", "smoke", f"has no {PLAIN}: smoke cannot be run on it", "note")
        return
    try:
        scenario = load_scenario(path)
    except BridgecheckError as wrong:
        yield stops("corpus", "smoke", wrong)
        return
    for dialect, mode in recordings(scenario):
        place = cassette_path(root / "cassettes", PLAIN, dialect, mode)
        if not place.is_file():
            yield Fact("corpus", "smoke", f"no {place}", "stop", f"bridgecheck regenerate {PLAIN}", REFUSED)


def _sets(root: Path) -> Iterator[Fact]:
    names = []
    for path in requirement_files(root / "scenarios"):
        try:
            names.append(load_requirements(path).id)
        except BridgecheckError as wrong:
            yield stops("corpus", "requirements", wrong)
    yield Fact("corpus", "requirements", ", ".join(names) or "none frozen")


def _last(folder: Path) -> Fact:
    name = str(folder)
    try:
        report = read(folder).report
    except BadReport as wrong:
        if not (folder / "report.json").exists():
            return Fact("reports", name, "no report yet")
        return Fact("reports", name, wrong.what, "note", wrong.next_step or f"rm -r {folder}")
    told = f"{report.info.adapter}, {report.info.started}, {len(report.cases)} cases"
    for stale, next_step in _stale(report, folder):
        return Fact("reports", name, f"{told}: {stale}", "note", next_step)
    return Fact("reports", name, told)


def _stale(report: Report, folder: Path) -> Iterator[tuple[str, str]]:
    """Why it says less than it seems to, and what mends it."""
    if report.info.partial:
        yield f"cut off, {report.info.planned} were planned", f"bridgecheck merge {folder}"
    made_by = dict(report.info.versions).get("bridgecheck", "")
    if made_by and made_by != __version__:
        yield f"made by bridgecheck {made_by}", "bridgecheck run"
