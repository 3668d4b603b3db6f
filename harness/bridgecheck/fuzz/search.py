"""Looking for a scenario that fails, and making it small. Hypothesis does both; the seed makes it repeatable."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, seed, settings

from bridgecheck.drivers import Driver
from bridgecheck.fuzz.play import Bounds, play
from bridgecheck.fuzz.scenario import documents, named, narrowed
from bridgecheck.report.findings import Finding, group
from bridgecheck.report.fingerprint import kind, message_shape, path_shape
from bridgecheck.wire import JsonObject


@dataclass(frozen=True, slots=True)
class Failure:
    """``document``: the smallest scenario that fails so, in the one direction that ``finding`` is about."""

    document: JsonObject
    finding: Finding


class _FoundOneError(Exception):
    pass


@dataclass
class Search:
    """``tried``: how many scenarios were judged, those of making one small not among them. ``seed``: any integer; the
    same one, with the same adapter and release, finds the same. ``most``: different failures that end the search."""

    driver: Driver
    bounds: Bounds
    examples: int
    seed: int
    most: int = 10
    progress: Callable[[int], None] = lambda tried: None
    tried: int = 0
    _known: set[tuple[str, str]] = field(default_factory=set)

    def failures(self) -> Iterator[Failure]:
        """Each different failure once, at its smallest, until all examples are used up or the most were found. What is
        wrong in the same place in the same way counts as the same, whatever the direction."""
        while self.tried < self.examples and len(self._known) < self.most:
            found = self._next()
            if found is None:
                return
            self._known.add(_sight(found.finding))
            yield self._named(found)

    def _next(self) -> Failure | None:
        found: list[Failure] = []

        def attempt(document: JsonObject) -> None:
            wanted = _sight(found[0].finding) if found else None
            if wanted is None:
                self.tried += 1
                self.progress(self.tried)
            for finding in self._findings(document):
                sight = _sight(finding)
                if sight == wanted or (wanted is None and sight not in self._known):
                    found[:] = [Failure(document, finding)]
                    raise _FoundOneError

        try:
            self._hunt(attempt)
        except _FoundOneError:
            return found[0]
        return None

    def _findings(self, document: JsonObject) -> tuple[Finding, ...]:
        return group(list(play(document, self.driver, self.bounds)), self.driver.target)

    def _named(self, found: Failure) -> Failure:
        """The scenario cut down to one direction and named by its fingerprint, if it still fails so."""
        document = narrowed(found.document, found.finding.example)
        document = named(document, found.finding.fingerprint, f"bridgecheck fuzz --seed {self.seed}")
        same = (one for one in self._findings(document) if _sight(one) == _sight(found.finding))
        return Failure(document, next(same, found.finding))

    def _hunt(self, attempt: Callable[[JsonObject], None]) -> None:
        hunt = settings(
            max_examples=self.examples - self.tried,
            deadline=None,
            database=None,
            report_multiple_bugs=False,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )(seed(self.seed + len(self._known))(given(documents(self.bounds.clients, self.bounds.upstreams))(attempt)))
        hunt()


def _sight(finding: Finding) -> tuple[str, str]:
    """Where it is wrong and how; where no place is known, by which check."""
    if not finding.differences:
        return finding.check, message_shape(finding.message)
    return path_shape(finding.differences[0].path), kind(finding.differences[0])
