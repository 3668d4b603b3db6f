"""What a session is to run: the options of its command line, over what a test class and ``[tool.bridgecheck]`` say."""

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast, get_args

import pytest

from bridgecheck.drivers import NamedAdapter, select_adapter
from bridgecheck.files.project import NO_PROJECT, Project, Stale, nearest_project, read_project
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.verdict import Layer
from bridgecheck.model.verdict import Path as CasePath
from bridgecheck.relations.choose import HowMany, Relating
from bridgecheck.run.plan import Selection
from bridgecheck.wire import Mode


@dataclass(frozen=True, slots=True)
class Options:
    """``adapter``: of the command line or the project. ``capabilities``: claimed for whatever adapter it is, None for
    its own. ``deviations``: a file that has to be there, None where none is named. ``chosen``: by this command line;
    ``standing``: what the project always leaves out. ``tags``: chosen too."""

    project: Project
    adapter: NamedAdapter
    capabilities: tuple[str, ...] | None
    deviations: Path | None
    requirements: str
    stale: Stale
    relating: Relating
    chosen: Selection
    standing: Selection
    tags: frozenset[str]

    @property
    def selection(self) -> Selection:
        """The project's choice holds where the command line makes none."""
        return self.chosen if self.narrowed else self.standing

    @property
    def narrowed(self) -> bool:
        return self.chosen != Selection() or bool(self.tags)


def project_of(config: pytest.Config, folder: Path) -> Project:
    """That of ``--bridgecheck-project``, which may say that there is none; else the nearest, in ``folder`` or above.
    Raises pytest.UsageError and BadProject."""
    said = config.getoption("--bridgecheck-project")
    if said is None:
        return nearest_project(folder)
    if not said:
        return NO_PROJECT
    project = read_project(Path(os.path.abspath(said)))  # noqa: PTH100 - links stay as typed
    if project.root is None:
        raise pytest.UsageError(f"--bridgecheck-project={said}: a pyproject.toml with [tool.bridgecheck]")
    return project


def options(config: pytest.Config, project: Project, own: bool = False) -> Options:
    """``own``: the adapter is that of the project, whatever the command line names. Raises pytest.UsageError."""
    option = config.getoption
    adapter = select_adapter(
        "" if own else option("--bridgecheck-adapter"), project, option("--bridgecheck-upstream-port")
    )
    claims = _claims(option("--bridgecheck-capabilities"))
    claims = adapter.capabilities if claims is None else claims
    said = option("--bridgecheck-deviations")
    ours = adapter.target == select_adapter("", project).target
    return Options(
        project=project,
        adapter=replace(adapter, capabilities=claims),
        capabilities=claims,
        deviations=Path(said) if said else project.deviations if ours else None,
        requirements=option("--bridgecheck-requirements") or project.requirements,
        stale=cast(Stale, _one("stale", option("--bridgecheck-stale") or project.stale, get_args(Stale))),
        relating=_relating(option("--bridgecheck-relations") or project.relations, option("--bridgecheck-seed")),
        chosen=_chosen(config),
        standing=Selection(addresses=project.scenarios, layers=project.layers),
        tags=frozenset(option("--bridgecheck-tag")),
    )


def _claims(said: str | None) -> tuple[str, ...] | None:
    if said is None:
        return None
    claims = tuple(filter(None, said.split(",")))
    for claim in claims:
        _one("capabilities", claim, CAPABILITIES)
    return claims


def _chosen(config: pytest.Config) -> Selection:
    option = config.getoption
    mode, path = option("--bridgecheck-mode"), option("--bridgecheck-path")
    layers = [_one("layer", layer, get_args(Layer)) for layer in option("--bridgecheck-layer")]
    return Selection(
        modes=(cast(Mode, _one("mode", mode, get_args(Mode))),) if mode else (),
        paths=(cast(CasePath, _one("path", path, get_args(CasePath))),) if path else (),
        addresses=tuple(option("--bridgecheck-scenario")),
        layers=cast("tuple[Layer, ...]", tuple(layers)),
    )


def _relating(how_many: str, seed: int) -> Relating:
    return Relating(cast(HowMany, _one("relations", how_many, get_args(HowMany))), seed)


def _one(name: str, value: str, known: Collection[str]) -> str:
    if value not in known:
        raise pytest.UsageError(f"--bridgecheck-{name}={value}: among {', '.join(known)}")
    return value
