"""What is to be run: the corpus, the project's table and the adapter; and what an earlier run left behind."""

import os
import shutil
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from bridgecheck import __version__
from bridgecheck.cassette.store import cassette_path
from bridgecheck.doctor.fact import BROKEN, REFUSED, Fact, refusal_fact
from bridgecheck.drivers import Driver, select_adapter_or_reference
from bridgecheck.drivers.gateway import PROBE_S, Gateway
from bridgecheck.drivers.gateway_process import find_connection_or_5xx_failure
from bridgecheck.drivers.http_client import parse_address
from bridgecheck.drivers.recipe import SUFFIX
from bridgecheck.drivers.resolve import DEFAULT_TARGET
from bridgecheck.errors import BadReport, BridgecheckError, RefusedAtStart
from bridgecheck.files import corpus_root, load_scenario, scenario_files
from bridgecheck.files.corpus import expected_recordings
from bridgecheck.files.project import KEYS, NO_PROJECT, Project, nearest_project
from bridgecheck.files.requirements import load_requirements, requirement_files
from bridgecheck.files.writable import create_writable_folder
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.corpus_variables import CORPUS_VARIABLE
from bridgecheck.model.counts import plural
from bridgecheck.report.deviations_file import DEVIATIONS_FILE, default_deviations_path
from bridgecheck.report.model import Report
from bridgecheck.report.read import DEFAULT_FOLDER, read_report
from bridgecheck.smoke.trials import PLAIN_SCENARIO


def inspect_corpus() -> Iterator[Fact]:
    """Yield the corpus in use, and whether smoke can play it."""
    try:
        root = corpus_root()
    except RefusedAtStart as error:
        yield refusal_fact("corpus", "place", error)
        return
    origin = "of the package" if root.name == "_corpus" else "of the checkout"
    yield Fact("corpus", "place", f"{root} ({CORPUS_VARIABLE if os.environ.get(CORPUS_VARIABLE) else origin})")
    scenarios = len(scenario_files(root / "scenarios"))
    cassettes = sum(1 for _ in (root / "cassettes").rglob("*.yaml"))
    count = f"{plural(scenarios, 'file')} of scenarios, {plural(cassettes, 'cassette')}"
    if scenarios and cassettes:
        yield Fact("corpus", "holds", count)
    else:
        yield Fact("corpus", "holds", f"{count}: nothing to play", "stop", "bridgecheck regenerate", REFUSED)
    yield from _inspect_plain_scenario(root)
    yield from _inspect_requirement_sets(root)


def inspect_report_folder(folder: Path = DEFAULT_FOLDER) -> Iterator[Fact]:
    """Yield whether a report can be written, and what is known of the last one."""
    name = str(folder)
    if folder.exists():
        try:
            create_writable_folder(folder)
        except RefusedAtStart as error:
            yield refusal_fact("reports", name, error)
            return
    elif not os.access(Path.cwd(), os.W_OK):
        text = f"{folder} cannot be created here"
        yield Fact("reports", name, text, "stop", "bridgecheck run --report DIR", REFUSED)
        return
    yield _inspect_last_report(folder)


def inspect_adapter(target: str, upstream_port: int = 0) -> Iterator[Fact]:
    """Yield what is known of the adapter without running it. ``target``: of the command line, "" for what a run without
    ``--adapter`` takes."""
    try:
        project = nearest_project(Path.cwd())
    except RefusedAtStart as error:
        yield refusal_fact("adapter", "project", error)
        return
    yield _project_fact(project)
    adapter = select_adapter_or_reference(target, project, upstream_port)
    yield Fact("adapter", "target", adapter.target or f"{DEFAULT_TARGET} (the reference)")
    try:
        driver = adapter.driver()
    except RefusedAtStart as error:
        yield refusal_fact("adapter", "found", error)
        return
    yield from _describe_adapter(driver)
    driver.close()


def _inspect_plain_scenario(root: Path) -> Iterator[Fact]:
    """Read the scenario that smoke plays: a corpus that is broken throughout shows in it."""
    path = root / "scenarios" / f"{PLAIN_SCENARIO}.json"
    if not path.is_file():
        yield Fact("corpus", "smoke", f"has no {PLAIN_SCENARIO}: smoke cannot be run on it", "note")
        return
    try:
        scenario = load_scenario(path)
    except BridgecheckError as error:
        yield refusal_fact("corpus", "smoke", error)
        return
    for dialect, mode in expected_recordings(scenario):
        cassette = cassette_path(root / "cassettes", PLAIN_SCENARIO, dialect, mode)
        if not cassette.is_file():
            yield Fact("corpus", "smoke", f"no {cassette}", "stop", f"bridgecheck regenerate {PLAIN_SCENARIO}", REFUSED)


def _inspect_requirement_sets(root: Path) -> Iterator[Fact]:
    names = []
    for path in requirement_files(root / "scenarios"):
        try:
            names.append(load_requirements(path).id)
        except BridgecheckError as error:
            yield refusal_fact("corpus", "requirements", error)
    yield Fact("corpus", "requirements", ", ".join(names) or "none frozen")


def _inspect_last_report(folder: Path) -> Fact:
    name = str(folder)
    try:
        report = read_report(folder).report
    except BadReport as error:
        if not (folder / "report.json").exists():
            return Fact("reports", name, "no report yet")
        return Fact("reports", name, error.what, "note", error.next_step or f"rm -r {folder}")
    text = f"{report.info.adapter}, {report.info.started}, {plural(len(report.cases), 'case')}"
    for reason, next_step in _find_why_cut_off_or_outdated_with_commands(report, folder):
        return Fact("reports", name, f"{text}: {reason}", "note", next_step)
    return Fact("reports", name, text)


def _find_why_cut_off_or_outdated_with_commands(report: Report, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield why a report holds less than it seems to, and the command that helps."""
    if report.info.partial:
        yield f"cut off, {report.info.planned} were planned", f"bridgecheck merge {folder}"
    made_by = dict(report.info.versions).get("bridgecheck", "")
    if made_by and made_by != __version__:
        yield f"made by bridgecheck {made_by}", "bridgecheck run"


def _describe_adapter(driver: Driver) -> Iterator[Fact]:
    """Yield how the adapter describes itself."""
    info = driver.info
    yield Fact("adapter", "found", f"{info.name} {info.version}".strip())
    by_client = groupby(sorted(info.routes), lambda route: route[0])
    routes = (f"{client} > {', '.join(upstream for _, upstream in pairs)}" for client, pairs in by_client)
    yield Fact("adapter", "routes", "; ".join(routes))
    yield Fact("adapter", "layers", ", ".join(_describe_layers(driver)))
    if driver.gateway is not None:
        yield _probe_gateway_or_find_its_program(driver.gateway)
    claims = ", ".join(name for name in CAPABILITIES if name in info.claims) or "nothing"
    yield Fact("adapter", "claims", "none stated: everything is required" if driver.judged_on_all else claims)
    path = default_deviations_path(info.name)
    if driver.target.endswith(SUFFIX):
        path = Path(driver.target).parent / DEVIATIONS_FILE
    if path.is_file():
        yield Fact("adapter", "deviations", str(path))


def _probe_gateway_or_find_its_program(gateway: Gateway) -> Fact:
    """Return whether a running gateway is reached, or whether the program of one that is to be started exists."""
    if not gateway.is_started_by_harness:
        problem = find_connection_or_5xx_failure(parse_address(gateway.url, gateway.where), "", PROBE_S)
        if problem:
            return Fact("adapter", "address", problem, "stop", "start it, or write a recipe that does", BROKEN)
        text = f"{gateway.url} listens; it has to call its provider at http://127.0.0.1:{gateway.upstream_port}"
        return Fact("adapter", "address", text)
    program = gateway.command_template[0]
    if "{" not in program and "/" not in program and shutil.which(program) is None:
        text = f"{program}: no such program on PATH"
        next_step = f"install it, or name it in {gateway.where} by its path"
        return Fact("adapter", "command", text, "stop", next_step, BROKEN)
    return Fact("adapter", "command", f"{' '.join(gateway.command_template)}, then {gateway.url}")


def _describe_layers(driver: Driver) -> list[str]:
    layers = (
        (driver.converter or driver.identity, "wire (documents in, documents out)"),
        (driver.handles, "http (bytes, without a socket)"),
        (driver.gateway, "http (bytes over a socket), sdk (its clients' own SDK)"),
        (driver.connects, f"sdk (it calls its provider itself, {plural(len(driver.sessions), 'route')})"),
        (driver.converses, "chat (conversations of a chat client of its own)"),
    )
    return [text for is_driven, text in layers if is_driven]


def _project_fact(project: Project) -> Fact:
    if project == NO_PROJECT or project.root is None:
        return Fact("adapter", "project", "no [tool.bridgecheck] in a pyproject.toml here or above")
    values = {name: getattr(project, name) for name in KEYS if getattr(project, name) != getattr(NO_PROJECT, name)}
    shown = {name: ", ".join(value) if isinstance(value, tuple) else value for name, value in values.items()}
    text = ", ".join(f"{name} = {value}" for name, value in shown.items())
    return Fact("adapter", "project", f"{os.path.relpath(project.root / 'pyproject.toml')}: {text or 'empty'}")
