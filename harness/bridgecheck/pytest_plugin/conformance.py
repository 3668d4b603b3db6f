"""A test class that holds every case of an adapter: ``bridgecheck.testing.Conformance``, collected."""

import inspect
import shlex
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import MethodType
from typing import cast

import pytest

from bridgecheck.errors import BadTarget, BridgecheckError
from bridgecheck.files import cassettes_root
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult
from bridgecheck.pytest_plugin.guard import NAME, Guard, overridden
from bridgecheck.pytest_plugin.items import Case
from bridgecheck.pytest_plugin.options import options, project_of
from bridgecheck.pytest_plugin.statements import Statements
from bridgecheck.pytest_plugin.suite import Suite, deviations_of, suite
from bridgecheck.run import plan
from bridgecheck.run.library import Library
from bridgecheck.testing import Conformance

LIBRARY: pytest.StashKey[Library] = pytest.StashKey()


def collected(collector: pytest.Module | pytest.Class, name: str, obj: object) -> pytest.Collector | None:
    """For a test class of ours its collector, None for everything else."""
    ours = isinstance(obj, type) and issubclass(obj, Conformance) and collector.istestclass(obj, name)
    return cast(pytest.Collector, ConformanceClass.from_parent(collector, name=name)) if ours else None


class ConformanceClass(pytest.Class):
    """Its own tests first, then the cases, then the guard. ``suite``: as far as it is known before a fixture has given
    the adapter."""

    suite: Suite
    statements: Statements
    _built: tuple[object, Suite] | None = None

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        yield from super().collect()
        try:
            self.statements = Statements(self.obj, self.nodeid, self.path)
            self.suite = self._collected()
            cases = [ClassCase.of(self, case, scenario) for case, scenario in self.suite.every()]
        except BridgecheckError as error:
            raise self.CollectError(str(error)) from error
        yield from cases
        yield ClassGuard.over(self, cases)

    def _collected(self) -> Suite:
        said = self.statements
        asked = options(self.config, said.over(project_of(self.config, self.path.parent)), said.own)
        driver = said.driver(asked.capabilities) if said.own else asked.adapter.driver()
        self.config.add_cleanup(driver.close)
        self.config.add_cleanup(self._close)
        return suite(driver, asked, library(self.config), deviations_of(driver, asked), routed=True)

    def played_by(self, adapter: object) -> Suite:
        """The suite with the adapter that the fixture gave, ``adapter``; as it was collected where there is none.
        Raises BadTarget and BadRecipe, also where it routes something else than the class says."""
        if not self.statements.by_fixture:
            return self.suite
        if self._built is None or not _same(self._built[0], adapter):
            self._close()
            self._built = adapter, self._of(adapter)
        return self._built[1]

    def _close(self) -> None:
        """Ends what runs for the adapter that the fixture gave last."""
        built, self._built = self._built, None
        if built is not None:
            built[1].driver.close()

    def _of(self, adapter: object) -> Suite:
        known = self.suite
        driver = self.statements.of(adapter, known.asked.capabilities)
        if driver.info.routes != known.driver.info.routes:
            driver.close()
            said, has = (sorted(one.info.routes) for one in (known.driver, driver))
            raise BadTarget(f"the class says routes {said}", self.nodeid, f"those of the adapter: {has}")
        return suite(driver, known.asked, known.library, known.deviations, known.routed)


class _InClass(pytest.Function):
    """An item that is no method of its class; it gets the fixture ``adapter``, if the class has it."""

    @classmethod
    def under(cls, parent: ConformanceClass, name: str) -> "_InClass":
        asks = _with_adapter if parent.statements.by_fixture else _alone
        return cls.from_parent(parent, name=name, callobj=MethodType(asks, parent.obj()))

    @property
    def holder_class(self) -> ConformanceClass:
        return cast(ConformanceClass, self.parent)

    def current(self) -> Suite:
        return self.holder_class.played_by(self.funcargs.get("adapter"))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        try:
            line = inspect.getsourcelines(self.holder_class.obj)[1] - 1
        except (OSError, TypeError):
            line = 0
        return self.path, line, f"{self.holder_class.name}.{self.name}"


class ClassCase(Case, _InClass):
    """``TestMine::tools/parallel[bridged-openai-chat-to-gemini-stream-wire]``."""

    @classmethod
    def of(cls, parent: ConformanceClass, case: plan.Case, scenario: Scenario) -> "ClassCase":
        item = cast(ClassCase, cls.under(parent, f"{case.key.scenario}[{case.key.variant}]"))
        item.address = str(case.key)
        item.holder = parent.nodeid if parent.suite.gate.deviations else ""
        item.play = partial(item.played, case, scenario)
        return item

    def played(self, case: plan.Case, scenario: Scenario) -> CaseResult:
        return self.current().play(case, scenario)

    def again(self, result: CaseResult) -> str:
        return shlex.join(("pytest", self.nodeid))


class ClassGuard(Guard, _InClass):
    """That the class has every standard case of its adapter, and none of its own in the place of one."""

    @classmethod
    def over(cls, parent: ConformanceClass, cases: list[ClassCase]) -> "ClassGuard":
        item = cast(ClassGuard, cls.under(parent, NAME))
        item.planned = frozenset(case.address for case in cases)
        item.holder = parent.nodeid
        return item

    def mine(self, item: pytest.Item) -> bool:
        return isinstance(item, ClassCase) and item.parent is self.parent

    def suite(self) -> Suite:
        return self.current()

    def further(self) -> Iterable[str]:
        yield from overridden(self.holder_class.obj)
        for_real = {str(case.key) for case, _ in self.suite().every()}
        unplanned = sorted(for_real - self.planned)
        if unplanned:
            shown = ", ".join(unplanned[:3])
            yield f"{len(unplanned)} cases of this adapter were not collected, the class has to say more of it: {shown}"


def library(config: pytest.Config) -> Library:
    """The recordings, one for all classes of a process; closed when the session ends."""
    if LIBRARY not in config.stash:
        config.stash[LIBRARY] = Library(cassettes_root())
        config.add_cleanup(config.stash[LIBRARY].close)
    return config.stash[LIBRARY]


def _same(one: object, other: object) -> bool:
    """The same object, or the same target by name: what runs for it goes on."""
    return one is other or (isinstance(one, str) and one == other)


def _with_adapter(self: object, adapter: object) -> None:
    """Its parameters are what pytest fills from fixtures."""


def _alone(self: object) -> None:
    """No fixture is asked for."""
