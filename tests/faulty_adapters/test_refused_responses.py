"""Requests and responses are judged apart: with every response refused, each fault in a request is still found."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from all_mutants import ALL_MUTANTS
from mutants import Mutant
from planting import JUDGE, Caught, Runner, edited_packages, plant, run_named

from bridgecheck.checks import CHECKS

REFUSING: Final = '''
from bridgecheck_reference.default_adapter import ReferenceAdapter


class Refuses:
    """A session that makes its calls and then refuses to convert what it was answered."""

    def __init__(self, session):
        self.session, self.close = session, session.close

    async def generate(self, body, *, model, headers=None):
        await self.session.generate(body, model=model, **({"headers": headers} if headers else {}))
        raise NotImplementedError("no response is converted")

    async def stream(self, body, *, model, headers=None):
        async for _ in self.session.stream(body, model=model, **({"headers": headers} if headers else {})):
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

_REQUEST_CHECKS: Final = frozenset(check.id for check in CHECKS if check.side == "request") | {
    "expect.prompt",
    "expect.wire",
    "law.request_roundtrip",
}
CANDIDATES: Final = tuple(
    mutant for mutant in ALL_MUTANTS if JUDGE not in edited_packages(mutant) and mutant.expected & _REQUEST_CHECKS
)
"""Some of them change no request while every response is refused: they change responses, or what comes back of them."""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


@pytest.mark.slow
@pytest.mark.parametrize("mutant", CANDIDATES, ids=[mutant.name for mutant in CANDIDATES])
def test_a_fault_that_changes_a_request_is_found_without_responses(
    runner: Runner, mutant: Mutant, tmp_path: Path
) -> None:
    caught, requests = run_refusing(runner, mutant, tmp_path / "mutated")
    missing = mutant.expected & _REQUEST_CHECKS - caught.tripped.keys()
    if missing:
        _, expected = run_refusing(runner, replace(mutant, edits=()), tmp_path / "reference")
        assert requests == expected, f"missing: {missing}, tripped: {sorted(caught.tripped)}"


def run_refusing(runner: Runner, mutant: Mutant, folder: Path) -> tuple[Caught, dict[str, str]]:
    """Return what a run with the mutant finds when it refuses every response, and the requests of each case."""
    folder.mkdir()
    plant(mutant, folder)
    (folder / "refusing_responses.py").write_text(REFUSING, encoding="utf-8")
    caught = run_named(runner, folder, mutant, "--adapter", "python:refusing_responses:adapter", "--path", "bridged")
    report = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))
    assert "adapter.completes" in caught.tripped, caught.output
    views = {str(case["key"]): case.get("views", {}) for case in report["cases"]}
    return caught, {key: documents.get("upstream_request", "") for key, documents in views.items()}


def main() -> None:
    """Print how many of the faults that change a request are found."""
    found, silent = [], []
    with Runner() as runner:
        for mutant in CANDIDATES:
            with TemporaryDirectory() as folder:
                caught, requests = run_refusing(runner, mutant, Path(folder) / "mutated")
                if mutant.expected & _REQUEST_CHECKS <= caught.tripped.keys():
                    found.append(mutant.name)
                    continue
                _, expected = run_refusing(runner, replace(mutant, edits=()), Path(folder) / "reference")
                if requests != expected:
                    silent.append(mutant.name)
    print(f"{len(found)} of {len(found) + len(silent)} faults in requests found without responses", *silent)


if __name__ == "__main__":
    main()
