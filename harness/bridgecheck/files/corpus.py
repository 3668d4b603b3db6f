"""Finds the corpus and reads the scenarios in it.

A checkout (or an editable install of it) keeps ``scenarios/`` and ``cassettes/`` at its top; a wheel carries both in
``bridgecheck/_corpus``. ``--corpus``, or ``BRIDGECHECK_CORPUS``, names another folder that holds the two;
``--recordings``, or ``BRIDGECHECK_RECORDINGS``, one with cassettes that are played in place of the corpus's.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from bridgecheck.client_models import client_models_of
from bridgecheck.errors import BadScenario, MissingPath, UnknownScenario
from bridgecheck.files.jsonfile import NEXT_STEP, dotted_path, read_json
from bridgecheck.files.positions import json_position
from bridgecheck.files.scenario_file import check_scenario, dialects_of_every_turn, find_contradictions, to_scenario
from bridgecheck.model.corpus_variables import CORPUS_VARIABLE, RECORDINGS_VARIABLE
from bridgecheck.model.scenario import MODEL_MARK, Scenario, file_id
from bridgecheck.wire import DIALECTS, Dialect, Mode

_PACKAGE = Path(__file__).resolve().parents[1]

SCHEMA_FILE = "schema.json"

REQUIREMENTS = "requirements"
"""The folder in ``scenarios/`` that holds no topic but the requirement sets."""


_ANOTHER_CORPUS: Final = "--corpus PATH reads another folder"


def corpus_root() -> Path:
    """Return the folder with ``scenarios/`` and ``cassettes/``. Raises MissingPath."""
    override = os.environ.get(CORPUS_VARIABLE)
    candidates = [Path(override)] if override else [_PACKAGE / "_corpus", _PACKAGE.parents[1]]
    for candidate in candidates:
        if (candidate / "scenarios").is_dir():
            return candidate.resolve()
    expected = "a folder that holds scenarios/ and cassettes/"
    next_step = "--corpus PATH, with another folder" if override else "pip install --force-reinstall bridgecheck"
    raise MissingPath("no corpus found", " and ".join(map(str, candidates)), expected, next_step)


def is_built_in_corpus() -> bool:
    """Return whether the corpus is the one that comes with bridgecheck, whatever names it. Raises MissingPath."""
    return corpus_root() in {(_PACKAGE / "_corpus").resolve(), _PACKAGE.parents[1].resolve()}


def scenarios_root() -> Path:
    return corpus_root() / "scenarios"


def cassettes_root() -> Path:
    return corpus_root() / "cassettes"


def recordings_root() -> Path | None:
    """Return the folder of ``--recordings``, None where there is none. Raises MissingPath."""
    folder = os.environ.get(RECORDINGS_VARIABLE)
    if folder and not Path(folder).is_dir():
        next_step = "bridgecheck record --live, or without --recordings"
        raise MissingPath("no recordings there", folder, "a folder that record --live has written", next_step)
    return Path(folder) if folder else None


def cassette_folders() -> tuple[Path, ...]:
    """Return the folders in which a cassette is looked for, in this order. Raises MissingPath."""
    recordings = recordings_root()
    return (recordings, cassettes_root()) if recordings else (cassettes_root(),)


def scenario_files(root: Path) -> list[Path]:
    """Return all scenario files under a ``scenarios/`` folder, in the order of their ids."""
    return sorted(path for path in root.glob("*/*.json") if path.parent.name != REQUIREMENTS)


def scenario_ids() -> list[str]:
    """Return the ids of all scenario files of the corpus, valid or not."""
    return [f"{path.parent.name}/{path.stem}" for path in scenario_files(scenarios_root())]


def load_scenario(path: Path) -> Scenario:
    """Read one scenario. Raises BadScenario with file, line and column: no JSON, an unknown key, a wrong value, an id
    that is not the path (``<topic>/<slug>`` of ``<topic>/<slug>.json``), or a contradiction."""
    document, source = read_json(path, BadScenario)
    scenario = to_scenario(check_scenario(document, path, source))
    expected = f"{path.parent.name}/{path.stem}"
    if scenario.id != expected:
        raise BadScenario("the id is not the path", f"{path}: id", expected, NEXT_STEP)
    for steps, what, right in find_contradictions(scenario):
        raise BadScenario(f"{what}: {dotted_path(steps)}", f"{path}:{json_position(source, steps)}", right, NEXT_STEP)
    return scenario


def expected_recordings(scenario: Scenario) -> list[tuple[Dialect, Mode]]:
    """Return the (upstream dialect, mode) pairs in which a scenario is played: those every turn has a script for."""
    pairs = [(dialect, mode) for dialect in DIALECTS for mode in scenario.modes]
    return [pair for pair in pairs if all(pair[1] in turn.upstream.get(pair[0], {}) for turn in scenario.turns)]


def scenarios(
    root: Path, globs: Sequence[str] = (), tags: Iterable[str] = (), load: Callable[[Path], Scenario] = load_scenario
) -> list[Scenario]:
    """Read the scenarios under ``root`` (a ``scenarios/`` folder) that match any of the globs and have any of the tags;
    each with those that play it for a client model behind it.

    A glob matches an id (``tools/*``) or, with ``::``, a case address, of which the part before ``::`` counts here; a
    bare topic stands for all in it, and an id for its client models too, unless it is of one case. No globs: all.
    Raises UnknownScenario for a glob or tag that nothing has, and BadScenario.
    """
    by_id = {f"{path.parent.name}/{path.stem}": path for path in scenario_files(root)}
    of_files = [file_id(glob) for glob in globs]
    selected = [name for name in by_id if not globs or any(matches_glob(name, glob) for glob in of_files)]
    read = [scenario for name in selected for scenario in with_client_models(load(by_id[name]))]
    for glob in globs:
        if not any(matches_glob(scenario.id, glob) for scenario in read):
            raise _unknown_glob(glob, [*by_id, *(scenario.id for scenario in read)], root)
    found = [scenario for scenario in read if not globs or any(matches_glob(scenario.id, glob) for glob in globs)]
    return _select_scenarios_with_any_tag(found, frozenset(tags), root)


def matches_glob(scenario_id: str, glob: str) -> bool:
    """Whether a glob selects this id. One of a scenario selects what is played for its client models too, a case
    address without wildcards only that case."""
    pattern, _, case = glob.partition("::")
    is_one_case = bool(case) and not set("*?[") & set(case)
    names = {scenario_id} if is_one_case else {scenario_id, file_id(scenario_id)}
    return any(fnmatchcase(name, pattern) for name in names) or scenario_id.startswith(f"{pattern.rstrip('/')}/")


def with_client_models(scenario: Scenario) -> Iterator[Scenario]:
    """Yield the scenario, and then for each of its client models the same as that client goes on with it."""
    yield scenario
    for dialect in dialects_of_every_turn(scenario) if scenario.client_models else ():
        turns = tuple(replace(turn, client={dialect: turn.client[dialect]}) for turn in scenario.turns)
        for model in client_models_of(dialect, scenario.client_models):
            name, title = f"{scenario.id}{MODEL_MARK}{model.name}", f"{scenario.title} ({model.client})"
            yield replace(scenario, id=name, title=title, turns=turns, client_models=(), client_model=model.name)


def _unknown_glob(glob: str, known: Iterable[str], root: Path) -> UnknownScenario:
    close = get_close_matches(glob.partition("::")[0], list(known), n=3, cutoff=0.5)
    expected = f"did you mean {', '.join(close)}?" if close else "an id like tools/parallel, or a glob like 'tools/*'"
    return UnknownScenario(f"no scenario matches {glob!r}", str(root), expected, f"bridgecheck list; {_ANOTHER_CORPUS}")


def _select_scenarios_with_any_tag(found: list[Scenario], tags: frozenset[str], root: Path) -> list[Scenario]:
    selected = [scenario for scenario in found if not tags or tags & set(scenario.tags)]
    if tags and not selected:
        known = sorted({tag for scenario in found for tag in scenario.tags})
        what = f"no scenario has the tag {' or '.join(sorted(tags))}"
        raise UnknownScenario(
            what, str(root), f"one of {', '.join(known)}", f"bridgecheck list --json; {_ANOTHER_CORPUS}"
        )
    return selected
