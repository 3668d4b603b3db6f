"""Plays an adapter with a planted fault over the corpus at wire level, and judges the cases that the fault changes.

A case that runs none of the functions that the fault edits is not played; one whose documents on both sides, and whose
results of relations, are those of the reference is not judged: its verdicts would be the same. POSIX only: each fault is
played in a fork of a process that has read the corpus and never imported the reference.
"""

import gzip
import importlib
import json
import multiprocessing
import sys
import threading
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Final, TypeAlias
from unittest.mock import patch

from mutants import Mutant
from planting import PACKAGES, ROOT, plant

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.traffic import TrafficItem, read_traffic
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.files.corpus import cassettes_root, expected_recordings, scenarios, scenarios_root
from bridgecheck.model.case_json import case_to_dict
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult
from bridgecheck.relations.choice import HowMany, RelationChoice
from bridgecheck.report.findings import REPORTED_STATUSES
from bridgecheck.run import execute, traffic
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case, Selection, plan
from bridgecheck.wire import Dialect, Mode

AT_ONCE: Final = 2
REFERENCE: Final = "bridgecheck_reference"

Function: TypeAlias = tuple[str, str]
"""File below the package, and qualified name."""


@dataclass(frozen=True, slots=True)
class PlayedReference:
    """``digests``: address of a case -> what both sides sent and the results of relations. ``cases_of``: function -> the
    addresses of the cases that run it; "" as an address: it runs when it is imported."""

    digests: dict[str, bytes]
    cases_of: dict[Function, set[str]]

    def cases_that_run(self, functions: Iterable[Function]) -> set[str]:
        """Return the addresses of the cases that run one of the functions; all if one runs outside of cases."""
        found = set[str]().union(*(self.cases_of.get(function, ()) for function in functions))
        return set(self.digests) if "" in found else found


class CachedLibrary(Library):
    """The cassettes of the corpus; what was read once stays in memory, for every later fork."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._loaded: dict[tuple[str, Dialect, Mode], Cassette] = {}

    def load_recorded_cassette(self, scenario_id: str, dialect: Dialect, mode: Mode) -> Cassette:
        key = scenario_id, dialect, mode
        if key not in self._loaded:
            self._loaded[key] = super().load_recorded_cassette(*key)
        return self._loaded[key]


@cache
def _read_corpus() -> tuple[tuple[Scenario, ...], CachedLibrary]:
    library, read = CachedLibrary(cassettes_root()), tuple(scenarios(scenarios_root()))
    for scenario in read:
        for dialect, mode in expected_recordings(scenario):
            library.load_recorded_cassette(scenario.id, dialect, mode)
    return read, library


def store_failed_cases(mutants: Sequence[Mutant], folder: Path, scenario_ids: Container[str]) -> Iterator[str]:
    """Play each mutant, write the cases that fail to ``NAME.json.gz`` in ``folder``, and yield a line about it.

    ``scenario_ids``: the scenarios to play beside those that the mutant names."""
    _read_corpus()
    with multiprocessing.get_context("fork").Pool(AT_ONCE, maxtasksperchild=1) as pool:
        choices = sorted({mutant.relations for mutant in mutants})
        references = dict(zip(choices, pool.map(_play_reference, choices, chunksize=1), strict=True))
        playing = partial(_store_failed_cases, folder=folder, scenario_ids=scenario_ids, references=references)
        yield from pool.imap_unordered(playing, mutants)


def _play_reference(relations: HowMany) -> PlayedReference:
    cases_of: dict[Function, set[str]] = defaultdict(set)
    package, address = str(PACKAGES[REFERENCE]), ""

    def note_function(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            cases_of[frame.f_code.co_filename[len(package) :], frame.f_code.co_qualname].add(address)

    threading.setprofile(note_function)
    sys.setprofile(note_function)
    driver = _import_adapter(ROOT / "reference_impl")
    digests: dict[str, bytes] = {}
    for scenario, case in _plan_cases(driver):
        _clear_caches()
        address = str(case.key)
        digests[address] = _digest(case, scenario, driver, relations)
    sys.setprofile(None)
    return PlayedReference(digests, dict(cases_of))


def _clear_caches() -> None:
    """Forget what functions of the reference remember: each case is to run all that it depends on."""
    modules = [module for name, module in sys.modules.items() if name.startswith(REFERENCE)]
    for clear in {getattr(value, "cache_clear", None) for module in modules for value in vars(module).values()} - {
        None
    }:
        clear()


def edited_functions(mutant: Mutant, planted: Path) -> set[Function]:
    """Return the functions whose code differs from that of the reference; ``<module>`` and classes among them."""
    found: set[Function] = set()
    for file in {file for file, _, _ in mutant.edits}:
        path = file.removeprefix(REFERENCE)
        before, after = (_compile(folder / file) for folder in (PACKAGES[REFERENCE].parent, planted))
        found |= {(path, name) for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return found


def _compile(path: Path) -> dict[str, list[object]]:
    """Return qualified name -> what the code objects of that name do, apart from line numbers and from code inside."""
    found: dict[str, list[object]] = defaultdict(list)
    waiting = [compile(path.read_text(encoding="utf-8"), "", "exec")]
    while waiting:
        code = waiting.pop()
        inside = [item for item in code.co_consts if isinstance(item, CodeType)]
        waiting += inside
        constants = [item.co_qualname if isinstance(item, CodeType) else repr(item) for item in code.co_consts]
        variables = code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount, code.co_flags
        found[code.co_qualname].append((code.co_code, constants, code.co_names, variables, code.co_exceptiontable))
    return found


def _store_failed_cases(
    mutant: Mutant, folder: Path, scenario_ids: Container[str], references: Mapping[HowMany, PlayedReference]
) -> str:
    reference, choice = references[mutant.relations], RelationChoice(mutant.relations)
    with TemporaryDirectory() as packages:
        planted = plant(replace(mutant, expected=frozenset()), Path(packages))
        driver = _import_adapter(planted)
        reached = reference.cases_that_run(edited_functions(mutant, planted))
        played = [
            (scenario, case)
            for scenario, case in _plan_cases(driver)
            if scenario.id in scenario_ids or _is_named(mutant, scenario.id)
            if str(case.key) in reached or str(case.key) not in reference.digests
        ]
        changed = [
            (scenario, case)
            for scenario, case in played
            if _digest(case, scenario, driver, mutant.relations) != reference.digests.get(str(case.key))
        ]
        library = _read_corpus()[1]
        judged = [execute.run_case(case, scenario, driver, library, choice) for scenario, case in changed]
        judged += _judge_traffic(mutant, driver)
    failed = [case_to_dict(case) for case in judged if any(v.status in REPORTED_STATUSES for v in case.verdicts)]
    for case in failed:
        case.pop("views", None)
    (folder / f"{mutant.name}.json.gz").write_bytes(gzip.compress(json.dumps(failed).encode()))
    return f"{mutant.name}: {len(played)} cases, {len(changed)} changed, {len(failed)} failed"


def _is_named(mutant: Mutant, scenario_id: str) -> bool:
    return any(fnmatchcase(scenario_id, glob.partition("::")[0]) for glob in mutant.scenarios)


def _import_adapter(folder: Path) -> Driver:
    """Return the reference whose package stands in ``folder``."""
    if not (folder / REFERENCE).is_dir():
        folder = ROOT / "reference_impl"
    assert REFERENCE not in sys.modules, "the reference was imported before the fork"
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    module = importlib.import_module(REFERENCE)
    assert str(module.__file__).startswith(str(folder)), module.__file__
    return describe_adapter("reference", module.adapter)


def _plan_cases(driver: Driver) -> Iterator[tuple[Scenario, Case]]:
    selection = Selection(paths=("bridged",), layers=("wire",))
    for scenario in _read_corpus()[0]:
        yield from ((scenario, case) for case in plan(scenario, driver, selection))


def _digest(case: Case, scenario: Scenario, driver: Driver, relations: HowMany) -> bytes:
    with patch.object(execute, "judge", lambda evidence: ()):
        result, transcript, error = execute.run_with_transcript(
            case, scenario, driver, _read_corpus()[1], RelationChoice(relations)
        )
    return sha256(repr((transcript, result.verdicts, str(error))).encode("utf-8", "backslashreplace")).digest()


def _judge_traffic(mutant: Mutant, driver: Driver) -> Iterator[CaseResult]:
    choice = RelationChoice(mutant.relations)
    for path in mutant.traffic:
        for item in read_traffic(ROOT / "cassettes" / path):
            assert isinstance(item, TrafficItem), item
            for case in traffic.plan(item, driver, Selection(paths=("bridged",))):
                yield traffic.run_case(case, item, driver, choice)
