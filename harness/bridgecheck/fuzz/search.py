"""The search for scenarios that fail. Hypothesis generates and reduces them; the seed makes the search repeatable."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky

from bridgecheck.drivers import Driver
from bridgecheck.fuzz.play import DialectBounds, play_document
from bridgecheck.fuzz.scenario import documents, keep_dialects_of_case, set_id_and_source
from bridgecheck.model.verdict import CaseKey
from bridgecheck.report.findings import Finding, group_findings, options_of_target
from bridgecheck.report.fingerprint import lost_added_or_differs, path_shape
from bridgecheck.report.message_shape import message_shape
from bridgecheck.wire import JsonObject

MAX_HANGS: Final = 10
"""An adapter that gave no answer in time so often is tried no more: each time costs seconds, of thousands."""


@dataclass(frozen=True, slots=True)
class Failure:
    """``document``: the smallest scenario that fails so. ``finding``: what is wrong, in the direction of ``key``."""

    document: JsonObject
    finding: Finding
    key: CaseKey


class _FailureFoundError(Exception):
    """Ends the attempt that failed; its failure is kept by the search."""


@dataclass
class Search:
    """``tried``: how many scenarios were judged, without those of reductions. ``seed``: any integer; the same one, with
    the same adapter and release, finds the same. ``max_failures``: different failures that end the search. ``hangs``:
    how often the adapter gave no answer in time."""

    driver: Driver
    bounds: DialectBounds
    examples: int
    seed: int
    max_failures: int = 10
    progress: Callable[[int], None] = lambda tried: None
    tried: int = 0
    hangs: int = 0
    _known: set[tuple[str, str]] = field(default_factory=set)

    def failures(self) -> Iterator[Failure]:
        """Yield each different failure once, reduced, until all examples are used or enough failures were found.

        Failures at the same path of the same kind count as one, whatever their direction."""
        while self.tried < self.examples and len(self._known) < self.max_failures and self.hangs < MAX_HANGS:
            failure = self._find_failure()
            if failure is None:
                return
            self._known.add(_failure_path_and_kind(failure.finding))
            yield self._keep_one_direction_and_set_id(failure)

    def _find_failure(self) -> Failure | None:
        smallest: list[Failure] = []

        def attempt(document: JsonObject) -> None:
            if self.hangs >= MAX_HANGS:
                return
            reduced_kind = _failure_path_and_kind(smallest[0].finding) if smallest else None
            if reduced_kind is None:
                self.tried += 1
                self.progress(self.tried)
            for failure in self._all_failures_of(document):
                found_kind = _failure_path_and_kind(failure.finding)
                if found_kind == reduced_kind or (reduced_kind is None and found_kind not in self._known):
                    smallest[:] = [failure]
                    raise _FailureFoundError

        try:
            self._generate(attempt)
        except (_FailureFoundError, Flaky):  # Hypothesis calls it flaky where it is tried no more
            return smallest[0]
        return smallest[0] if smallest else None

    def _all_failures_of(self, document: JsonObject) -> Iterator[Failure]:
        results = list(play_document(document, self.driver, self.bounds, self._count_hang))
        keys = {str(result.key): result.key for result in results}
        for finding in group_findings(results, options_of_target(self.driver.target)):
            yield Failure(document, finding, keys[finding.example])

    def _count_hang(self) -> None:
        self.hangs += 1

    def _keep_one_direction_and_set_id(self, failure: Failure) -> Failure:
        """Return the scenario with one direction only and named by its fingerprint, if it still fails so."""
        document = keep_dialects_of_case(failure.document, failure.key)
        fingerprint = failure.finding.first_fingerprint
        document = set_id_and_source(document, fingerprint, f"bridgecheck fuzz --seed {self.seed}")
        kind = _failure_path_and_kind(failure.finding)
        same = (item for item in self._all_failures_of(document) if _failure_path_and_kind(item.finding) == kind)
        return next(same, Failure(document, failure.finding, failure.key))

    def _generate(self, attempt: Callable[[JsonObject], None]) -> None:
        """Run the attempt on generated documents. Raises what the attempt raises, once it has been reduced."""
        configured = settings(
            max_examples=self.examples - self.tried, deadline=None, database=None, report_multiple_bugs=False,
            phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        strategy = documents(self.bounds.clients, self.bounds.upstreams)
        configured(seed(self.seed + len(self._known))(given(strategy)(attempt)))()


def _failure_path_and_kind(finding: Finding) -> tuple[str, str]:
    """Return the path of the first difference and its kind; without differences, the check and its message."""
    if not finding.differences:
        return finding.check, message_shape(finding.message)
    return path_shape(finding.differences[0].path), lost_added_or_differs(finding.differences[0])
