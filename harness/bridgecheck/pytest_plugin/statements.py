"""What a test class says of an adapter and of what is demanded of it, over ``[tool.bridgecheck]``."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from inspect import getattr_static
from pathlib import Path
from types import SimpleNamespace
from typing import Final, cast

from _pytest.fixtures import FixtureFunctionDefinition

from bridgecheck.drivers import Driver, replace_claims, resolve
from bridgecheck.drivers.driver import WIRE_METHODS, describe_adapter
from bridgecheck.drivers.recipe import SUFFIX
from bridgecheck.errors import BadProject, BadTarget
from bridgecheck.files.project import KEYS, Project, Stale
from bridgecheck.model.verdict import Layer
from bridgecheck.relations.choose import HowMany
from bridgecheck.testing import Conformance

METHODS: Final[dict[str, tuple[str, ...]]] = {"wire": WIRE_METHODS, "sdk": ("connect",), "http": ("handle",)}
"""layer -> what an adapter has that is driven at it."""


class Statements:
    """A test class, read. ``where``: its node id, for messages. ``file``: it is in; paths are seen from there."""

    def __init__(self, cls: type[Conformance], where: str, file: Path) -> None:
        self.cls, self.where, self.folder = cls, where, file.parent

    @property
    def by_fixture(self) -> bool:
        return isinstance(getattr_static(self.cls, "adapter"), FixtureFunctionDefinition)

    @property
    def own(self) -> bool:
        """Whether the class names or holds an adapter itself."""
        return self.cls.adapter is not None

    def over(self, project: Project) -> Project:
        """The project as this class has it. Raises BadProject for a value that is not what it should be."""
        for key, value in self._said():
            right, expected = KEYS[key]
            if not right(value):
                raise BadProject(f"{key} is {value!r}", f"{self.where}.{key}", expected)
        cls, base = self.cls, self._based_on(project)
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

    def _based_on(self, project: Project) -> Project:
        """What the project says of its adapter is not said of another."""
        return replace(project, adapter="", capabilities=None, deviations=None) if self.own else project

    def _said(self) -> Iterator[tuple[str, object]]:
        for key in KEYS:
            value = getattr(self.cls, key)
            if key != "adapter" and (value or key == "capabilities") and value is not None:
                yield key, list(value) if isinstance(value, tuple | set | frozenset) else value

    def driver(self, claims: Collection[str] | None) -> Driver:
        """Of the class's own adapter; for one that a fixture will give, of what the class says about it. Raises
        BadTarget and BadRecipe."""
        return self.of(self._stand_in() if self.by_fixture else self.cls.adapter, claims)

    def of(self, adapter: object, claims: Collection[str] | None) -> Driver:
        """Raises BadTarget and BadRecipe."""
        if isinstance(adapter, str):
            return replace_claims(resolve(self.path(adapter)), claims)
        return replace_claims(describe_adapter(f"{self.where}.adapter", adapter), claims)

    def path(self, target: str) -> str:
        return str(self.folder / target) if target.endswith(SUFFIX) else target

    def _stand_in(self) -> SimpleNamespace:
        if not self.cls.routes:
            what = "the adapter is a fixture, which is built when a case runs: which cases there are has to be said"
            raise BadTarget(what, self.where, 'routes = [("openai-chat", "gemini")] in the class')
        methods = [method for layer in self.cls.layers or ("wire",) for method in METHODS.get(layer, ())]
        said = {"name": self.cls.__name__, "routes": self.cls.routes, "capabilities": self.cls.capabilities}
        return SimpleNamespace(**said, **dict.fromkeys(methods, _never))


def _never(*_: object, **__: object) -> None:
    raise AssertionError("only its presence is looked at")
