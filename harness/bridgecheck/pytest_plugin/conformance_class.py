"""A test class that holds every case of an adapter: ``bridgecheck.testing.Conformance``, read and collected."""

import inspect
import shlex
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MethodType, SimpleNamespace
from typing import Final, cast

import pytest
from _pytest.fixtures import FixtureFunctionDefinition

from bridgecheck.drivers import Driver, replace_claims, resolve
from bridgecheck.drivers.driver import WIRE_METHODS, describe_adapter
from bridgecheck.drivers.recipe import SUFFIX
from bridgecheck.errors import BadProject, BadTarget, BridgecheckError
from bridgecheck.files import cassette_folders
from bridgecheck.files.project import KEYS, RUN_KEYS, Project, Stale
from bridgecheck.model.counts import plural
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult, Layer
from bridgecheck.pytest_plugin.guard import NAME, Guard, find_standard_case_name_problems
from bridgecheck.pytest_plugin.items import Case, reread_node_id
from bridgecheck.pytest_plugin.suite import Suite, find_deviations, find_project, make_suite, read_options
from bridgecheck.relations.choice import HowMany
from bridgecheck.run import plan
from bridgecheck.run.library import Library
from bridgecheck.testing import Conformance

LIBRARY: pytest.StashKey[Library] = pytest.StashKey()

METHODS: Final[dict[str, tuple[str, ...]]] = {
    "wire": WIRE_METHODS, "sdk": ("connect",), "http": ("handle",), "chat": ("converse",),
}  # fmt: skip
"""layer -> the methods of an adapter that is driven at it."""


class ClassSettings:
    """The attributes of a test class. ``where``: its node id, for messages. ``file``: where it is defined; paths are
    relative to its folder."""

    def __init__(self, cls: type[Conformance], where: str, file: Path) -> None:
        self.cls, self.where, self.folder = cls, where, file.parent

    @property
    def has_fixture(self) -> bool:
        """Whether the adapter is a fixture, which is built when a case runs."""
        return isinstance(inspect.getattr_static(self.cls, "adapter"), FixtureFunctionDefinition)

    @property
    def has_adapter(self) -> bool:
        """Whether the class names or holds an adapter itself."""
        return self.cls.adapter is not None

    def override(self, project: Project) -> Project:
        """Return the project with the values of this class. Raises BadProject for a value of the wrong kind."""
        for key, value in self._stated_values():
            is_valid, expected = KEYS[key]
            if not is_valid(value):
                raise BadProject(f"{key} is {value!r}", f"{self.where}.{key}", expected)
        cls = self.cls
        # What the project states about its adapter does not hold for another.
        base = replace(project, adapter="", capabilities=None, deviations=None) if self.has_adapter else project
        return replace(
            base,
            capabilities=base.capabilities if cls.capabilities is None else tuple(cls.capabilities),
            deviations=self.folder / cls.deviations if cls.deviations else base.deviations,
            requirements=cls.requirements or base.requirements,
            stale=cast(Stale, cls.stale or base.stale),
            relations=cast(HowMany, cls.relations or base.relations),
            layers=cast("tuple[Layer, ...]", tuple(cls.layers)) or base.layers,
            scenarios=tuple(cls.scenarios) or base.scenarios,
        )

    def _stated_values(self) -> Iterator[tuple[str, object]]:
        for key in (key for key in KEYS if key not in RUN_KEYS):
            value = getattr(self.cls, key)
            if key != "adapter" and (value or key == "capabilities") and value is not None:
                yield key, list(value) if isinstance(value, tuple | set | frozenset) else value

    def driver_of_adapter_or_stand_in(self, claims: Collection[str] | None) -> Driver:
        """Return a driver to plan with: of the class's own adapter, or of a stand-in for one that a fixture builds.
        Raises BadTarget and BadRecipe."""
        return self.make_driver(self._stand_in() if self.has_fixture else self.cls.adapter, claims)

    def make_driver(self, adapter: object, claims: Collection[str] | None) -> Driver:
        """Return a driver of an object or a target. Raises BadTarget and BadRecipe."""
        if isinstance(adapter, str):
            return replace_claims(resolve(str(self.folder / adapter) if adapter.endswith(SUFFIX) else adapter), claims)
        return replace_claims(describe_adapter(f"{self.where}.adapter", adapter), claims)

    def _stand_in(self) -> SimpleNamespace:
        if not self.cls.routes:
            what = "the adapter is a fixture, which is built when a case runs: the class has to list its routes"
            raise BadTarget(what, self.where, 'routes = [("openai-chat", "gemini")] in the class')
        methods = [method for layer in self.cls.layers or ("wire",) for method in METHODS.get(layer, ())]
        values = {"name": self.cls.__name__, "routes": self.cls.routes, "capabilities": self.cls.capabilities}
        return SimpleNamespace(**values, **dict.fromkeys(methods, _raise_if_called))


def _raise_if_called(*_: object, **__: object) -> None:
    raise AssertionError("only its presence is checked")


def make_collector(collector: pytest.Module | pytest.Class, name: str, obj: object) -> pytest.Collector | None:
    """Make the collector of a subclass of ``Conformance``, None for everything else."""
    if isinstance(obj, type) and issubclass(obj, Conformance) and collector.istestclass(obj, name):
        return cast(pytest.Collector, ConformanceClass.from_parent(collector, name=name))
    return None


class ConformanceClass(pytest.Class):
    """Its own tests first, then the cases, then the guard. ``suite``: as far as it is known before a fixture has built
    the adapter."""

    suite: Suite
    settings: ClassSettings
    _built: tuple[object, Suite] | None = None
    """The last adapter of the fixture, and its suite."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        yield from super().collect()
        try:
            self.settings = ClassSettings(self.obj, self.nodeid, self.path)
            self.suite = self._make_suite_at_collection()
            cases = [ClassCase.create(self, case, scenario) for case, scenario in self.suite.plan_corpus()]
        except BridgecheckError as error:
            raise self.CollectError(str(error)) from error
        yield from cases
        yield ClassGuard.create(self, cases)

    def _make_suite_at_collection(self) -> Suite:
        settings = self.settings
        project = settings.override(find_project(self.config, self.path.parent))
        options = read_options(self.config, project, settings.has_adapter)
        has_adapter, adapter = settings.has_adapter, options.adapter
        driver = settings.driver_of_adapter_or_stand_in(options.capabilities) if has_adapter else adapter.driver()
        self.config.add_cleanup(driver.close)
        self.config.add_cleanup(self._close_fixture_driver)
        deviations = find_deviations(driver, options)
        return make_suite(driver, options, share_library(self.config), deviations, only_bridged_routes=True)

    def suite_for(self, adapter: object) -> Suite:
        """Return the suite with the adapter that the fixture built; as it was planned where there is no fixture. Raises
        BadTarget and BadRecipe, also where it has other routes than the class states."""
        if not self.settings.has_fixture:
            return self.suite
        # The same object, or the same target by name: what runs for it goes on.
        built = self._built and self._built[0]
        if self._built is None or not (built is adapter or (isinstance(built, str) and built == adapter)):
            self._close_fixture_driver()
            self._built = adapter, self._build_suite(adapter)
        return self._built[1]

    def _close_fixture_driver(self) -> None:
        """End what runs for the adapter that the fixture built last."""
        built, self._built = self._built, None
        if built is not None:
            built[1].driver.close()

    def _build_suite(self, adapter: object) -> Suite:
        planned = self.suite
        driver = self.settings.make_driver(adapter, planned.options.capabilities)
        if driver.info.routes != planned.driver.info.routes:
            driver.close()
            stated, actual = sorted(planned.driver.info.routes), sorted(driver.info.routes)
            raise BadTarget(f"the class states routes {stated}", self.nodeid, f"those of the adapter: {actual}")
        return make_suite(driver, planned.options, planned.library, planned.deviations, planned.only_bridged_routes)


class _ClassItem(pytest.Function):
    """An item that is no method of its class; it gets the fixture ``adapter``, if the class has it."""

    @classmethod
    def create_below(cls, parent: ConformanceClass, name: str) -> "_ClassItem":
        function = _request_adapter if parent.settings.has_fixture else _request_nothing
        return cls.from_parent(parent, name=name, callobj=MethodType(function, parent.obj()))

    @property
    def conformance_class(self) -> ConformanceClass:
        return cast(ConformanceClass, self.parent)

    def current_suite(self) -> Suite:
        return self.conformance_class.suite_for(self.funcargs.get("adapter"))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        try:
            line = inspect.getsourcelines(self.conformance_class.obj)[1] - 1
        except (OSError, TypeError):
            line = 0
        return self.path, line, f"{self.conformance_class.name}.{self.name}"


class ClassCase(Case, _ClassItem):
    """``TestMine::tools/parallel[bridged-openai-chat-to-gemini-stream-wire]``."""

    @classmethod
    def create(cls, parent: ConformanceClass, case: plan.Case, scenario: Scenario) -> "ClassCase":
        item = cast(ClassCase, cls.create_below(parent, f"{case.key.scenario}[{case.key.route_mode_layer}]"))
        reread_node_id(item)
        item.address = str(case.key)
        item.holder = parent.nodeid if parent.suite.gate.deviations else ""
        item.play = partial(item.play_case, case, scenario)
        return item

    def play_case(self, case: plan.Case, scenario: Scenario) -> CaseResult:
        return self.current_suite().play(case, scenario)

    def repeat_command(self, result: CaseResult) -> str:
        return shlex.join(("pytest", self.nodeid))


class ClassGuard(Guard, _ClassItem):
    """Fails unless the class has every standard case of its adapter, and none of its own in the place of one."""

    @classmethod
    def create(cls, parent: ConformanceClass, cases: list[ClassCase]) -> "ClassGuard":
        item = cast(ClassGuard, cls.create_below(parent, NAME))
        item.planned = frozenset(case.address for case in cases)
        item.holder = parent.nodeid
        return item

    def guards(self, item: pytest.Item) -> bool:
        return isinstance(item, ClassCase) and item.parent is self.parent

    def find_suite(self) -> Suite:
        return self.current_suite()

    def find_further_problems(self) -> Iterable[str]:
        yield from find_standard_case_name_problems(self.conformance_class.obj)
        actual = {str(case.key) for case, _ in self.find_suite().plan_corpus()}
        unplanned = sorted(actual - self.planned)
        if unplanned:
            first = ", ".join(unplanned[:3])
            count = plural(len(unplanned), "case")
            yield f"{count} of this adapter not collected, the class has to state more: {first}"


def share_library(config: pytest.Config) -> Library:
    """Return the recordings, shared by all classes of a process; closed when the session ends."""
    if LIBRARY not in config.stash:
        config.stash[LIBRARY] = Library(*cassette_folders())
        config.add_cleanup(config.stash[LIBRARY].stop_edge)
    return config.stash[LIBRARY]


def _request_adapter(self: object, adapter: object) -> None:
    """Its parameters are what pytest fills from fixtures."""


def _request_nothing(self: object) -> None:
    """No fixture is requested."""
