"""Plants one mutant in a copy of both packages and runs ``bridgecheck run`` over it."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from forks import Forks
from mutants import Mutant

ROOT = Path(__file__).resolve().parents[2]
JUDGE: Final = "bridgecheck"
PACKAGES: Final = {
    JUDGE: ROOT / "harness" / JUDGE,
    "bridgecheck_reference": ROOT / "reference_impl" / "bridgecheck_reference",
}

SAMPLE: Final = (
    "broken-streams/cut-no-finish", "caching/prefix-stays", "claude-code/tool-loop",
    "correlation/same-name-parallel-pair-by-order", "errors/rate-limit", "finish/length", "grounding/annotations",
    "messages/several-system", "multimodal/image-input", "provider-switch/claude-to-chat",
    "relay/typed-client-three-turns", "safety/refusal-text", "schema/constraints-kept", "settings/zero-values",
    "signatures/call-roundtrip", "structured-output/beside-tools", "thinking/thought-parts-stream",
    "tools/parallel-one-chunk", "unicode/white-space", "usage/cached-input",
)  # fmt: skip
"""One scenario of each of twenty topics, on which every mutant runs in addition to its own."""


class Runner:
    """Runs mutants in forks: of a process that has imported the judge where a mutant leaves the judge as it is, else of
    one that has imported nothing of this project."""

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        self._forks: dict[bool, Forks] = {}
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def forks(self, mutant: Mutant) -> Forks:
        edits_judge = JUDGE in edited_packages(mutant)
        if edits_judge not in self._forks:
            self._forks[edits_judge] = self._stack.enter_context(Forks() if edits_judge else Forks(JUDGE))
        return self._forks[edits_judge]


@dataclass(frozen=True, slots=True)
class Caught:
    """The result of a run with a mutant: its exit code, and each check that did not pass -> the scenarios or recordings in
    which it did not. ``failed``: check -> the first scenario in which it was FAIL or ERROR, not just a warning."""

    exit_code: int
    tripped: dict[str, frozenset[str]]
    failed: dict[str, str]
    output: str

    def kills(self, mutant: Mutant) -> bool:
        """Return whether the run failed through every check that the mutant expects to fail."""
        return self.exit_code in (1, 3) and mutant.expected <= self.tripped.keys()


def edited_packages(mutant: Mutant) -> frozenset[str]:
    return frozenset(file.partition("/")[0] for file, _, _ in mutant.edits)


def plant(mutant: Mutant, folder: Path) -> Path:
    """Copy the packages that the mutant edits into ``folder``, with its edits. AssertionError if an edit does not fit
    exactly once.

    Compiled bytecode is copied too: it is valid while a source's time and size are unchanged, which a copy preserves and
    an edit does not, and compiling everything for each mutant would take longer than most runs.
    """
    for name in edited_packages(mutant):
        being_written = shutil.ignore_patterns("*.pyc.*")  # by another test that imports the same module now
        shutil.copytree(PACKAGES[name], folder / name, ignore=being_written)
    for file, old, new in mutant.edits:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{mutant.name}: {old!r} stands {text.count(old)} times in {file}"
        begins_in_a_name = old[0].isidentifier() and re.search(rf"\w{re.escape(old)}", text)
        assert not begins_in_a_name, f"{mutant.name}: {old!r} begins inside a name in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")
    return folder


def run_named(runner: Runner, packages: Path, mutant: Mutant, *arguments: str) -> Caught:
    """Run only the scenarios that the mutant names. ``arguments``: more of them, such as another adapter."""
    return run(runner, mutant, packages, *_run_arguments(mutant), *arguments)


def run_named_and_sample(runner: Runner, packages: Path, mutant: Mutant) -> Caught:
    """Run the mutant's scenarios and the sample, without SDK clients: with them a case takes ten times as long."""
    sample = [part for scenario in SAMPLE for part in ("--scenario", f"{scenario}::bridged-*-{mutant.layer}")]
    return run(runner, mutant, packages, *_run_arguments(mutant), *sample)


def _run_arguments(mutant: Mutant) -> list[str]:
    scenarios = [part for glob in mutant.scenarios for part in ("--scenario", glob)]
    traffic = [part for path in mutant.traffic for part in ("--traffic", str(ROOT / "cassettes" / path))]
    return [*scenarios, *traffic, "--relations", mutant.relations]


def run(runner: Runner, mutant: Mutant, packages: Path, *arguments: str) -> Caught:
    """Run ``bridgecheck run --strict`` with the packages of that folder."""
    report = packages / "report"
    shutil.rmtree(report, ignore_errors=True)
    if mutant.layer == "http":
        arguments = (*arguments, "--adapter", str(_write_gateway_recipe(packages)))
    arguments_ = ("run", "--strict", "-n", "0", *arguments, "--report", str(report))
    alone = {"PYTHONPATH": str(packages), "BRIDGECHECK_CORPUS": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    result = runner.forks(mutant).run("bridgecheck", *arguments_, folder=packages, env={**os.environ, **alone})
    output = result.stdout + result.stderr
    try:
        document = json.loads((report / "report.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Caught(result.returncode, {}, {}, output)
    found: dict[str, set[str]] = {}
    failed: dict[str, str] = {}
    for check, status, scenario in _tripped_checks(document):
        found.setdefault(check, set()).add(scenario)
        if status != "WARN":
            failed[check] = min(failed.get(check, scenario), scenario)
    return Caught(result.returncode, {check: frozenset(where) for check, where in found.items()}, failed, output)


def _write_gateway_recipe(packages: Path) -> Path:
    """Write the recipe of the reference's gateway with the packages of that folder, and return where. A mutant whose
    scenarios name the http layer is run as one."""
    paths = ":".join(map(str, (packages, *(folder.parent for folder in PACKAGES.values()))))
    recipe = (ROOT / "reports/bridgecheck-reference/adapter.toml").read_text(encoding="utf-8")
    found = "{here}/../../reference_impl:{here}/../../harness"
    assert found in recipe
    path = packages / "adapter.toml"
    path.write_text(recipe.replace(found, paths), encoding="utf-8")
    return path


def _tripped_checks(report: dict[str, list[dict[str, object]]]) -> Iterator[tuple[str, str, str]]:
    for case in report["cases"]:
        for verdict in case["verdicts"]:
            if verdict["status"] in ("FAIL", "ERROR", "WARN"):
                yield verdict["check"], verdict["status"], case["key"]["scenario"]
