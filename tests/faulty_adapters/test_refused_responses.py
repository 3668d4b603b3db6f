"""Requests and responses are judged apart: with every response refused, each fault in a request is still found."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from all_mutants import ALL_MUTANTS
from mutants import Mutant
from planting import JUDGE, Runner, edited_packages, plant, run_named

REFUSING: Final = '''
from contextlib import suppress

from bridgecheck_reference.default_adapter import ReferenceAdapter


class Refuses:
    """A session that makes its calls and then refuses to convert what it was answered."""

    def __init__(self, session):
        self.session, self.close = session, session.close

    async def generate(self, body, *, model, headers=None):
        with suppress(Exception):
            await self.session.generate(body, model=model, **({"headers": headers} if headers else {}))
        raise NotImplementedError("no response is converted")

    async def stream(self, body, *, model, headers=None):
        with suppress(Exception):
            async for _ in self.session.stream(body, model=model, **({"headers": headers} if headers else {})):
                break
        raise NotImplementedError("no response is converted")
        yield {}


class RefusingAdapter(ReferenceAdapter):
    def from_upstream(self, body, **rest):
        raise NotImplementedError("no response is converted")

    def stream(self, **rest):
        raise NotImplementedError("no response is converted")

    def connect(self, **rest):
        return Refuses(super().connect(**rest))


adapter = RefusingAdapter()
'''
"""The source of the reference without its responses; the mutated reference, where one is planted."""

CANDIDATES: Final = tuple(
    mutant
    for mutant in ALL_MUTANTS
    if JUDGE not in edited_packages(mutant) and not all(glob.endswith("-chat") for glob in mutant.scenarios)
)
"""All faults of adapters, but those of a chat of the adapter's own: what it answers is the history of its next request,
so a refused answer has none. One that leaves every request as the reference makes it, while every response is refused, is
no fault of requests: it changes responses, or what a later request holds of them. The documents that were sent decide."""


@dataclass(frozen=True, slots=True)
class RefusedRun:
    """``failures``: each case with the check and the message of what failed. ``requests``: case -> what was sent."""

    failures: frozenset[tuple[str, str, str]]
    requests: dict[str, str]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


@pytest.mark.slow
@pytest.mark.parametrize("mutant", CANDIDATES, ids=[mutant.name for mutant in CANDIDATES])
def test_a_fault_that_changes_a_request_is_found_without_responses(
    runner: Runner, mutant: Mutant, tmp_path: Path
) -> None:
    faulty, plain = run_mutant_and_reference(runner, mutant, tmp_path)
    assert faulty.requests == plain.requests or faulty.failures - plain.failures


def run_mutant_and_reference(runner: Runner, mutant: Mutant, folder: Path) -> tuple[RefusedRun, RefusedRun]:
    """Return what a run with the mutant finds when it refuses every response, and what one without it does."""
    faulty = run_refusing(runner, mutant, folder / "mutated")
    return faulty, run_refusing(runner, replace(mutant, edits=()), folder / "reference")


def run_refusing(runner: Runner, mutant: Mutant, folder: Path) -> RefusedRun:
    folder.mkdir()
    plant(mutant, folder)
    (folder / "refusing_responses.py").write_text(REFUSING, encoding="utf-8")
    wire = replace(mutant, scenarios=tuple(glob.replace("-http", "-wire") for glob in mutant.scenarios))
    caught = run_named(runner, folder, wire, "--adapter", "python:refusing_responses:adapter", "--path", "bridged")
    cases = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))["cases"]
    verdicts = [verdict for case in cases for verdict in case["verdicts"] if verdict["check"] == "adapter.completes"]
    assert any(verdict["status"] in ("FAIL", "REJECTED") for verdict in verdicts), caught.output
    failures = frozenset(
        (str(case["key"]), verdict["check"], verdict["message"])
        for case in cases
        for verdict in case["verdicts"]
        if verdict["status"] in ("FAIL", "ERROR", "WARN")
    )
    return RefusedRun(failures, {str(case["key"]): case.get("views", {}).get("upstream_request", "") for case in cases})


def main() -> None:
    """Print how many of the faults that change a request are found, and which are not."""
    found, silent = [], []
    with Runner() as runner:
        for mutant in CANDIDATES:
            with TemporaryDirectory() as folder:
                faulty, plain = run_mutant_and_reference(runner, mutant, Path(folder))
            if faulty.requests != plain.requests:
                (found if faulty.failures - plain.failures else silent).append(mutant.name)
    without = len(CANDIDATES) - len(found) - len(silent)
    print(f"{len(found)} of {len(found) + len(silent)} faults in requests found without responses", *silent)
    print(f"{without} faults change no request while responses are refused")


if __name__ == "__main__":
    main()
