"""The project a command is run in: ``[tool.bridgecheck]`` of the nearest pyproject.toml, under what the command line
says."""

import os
from dataclasses import replace
from pathlib import Path

from bridgecheck.cli.wanted import Wanted
from bridgecheck.drivers import select_adapter
from bridgecheck.files.project import Project, nearest_project


def here() -> Project:
    """Raises BadProject."""
    return nearest_project(Path.cwd())


def in_project(wanted: Wanted, project: Project) -> Wanted:
    """``wanted``: of the command line alone. What is said of the project's adapter holds for it and no other; its
    choice of cases holds where the command line makes none."""
    adapter = select_adapter(wanted.adapter, project)
    ours = bool(project.adapter) and adapter == select_adapter("", project)
    deviations = Path(os.path.relpath(project.deviations)) if ours and project.deviations else None
    chosen = wanted.scenarios or wanted.tags or wanted.traffic or wanted.layers
    return replace(
        wanted,
        adapter=adapter.target,
        capabilities=adapter.capabilities,
        deviations=wanted.deviations or deviations,
        requirements=wanted.requirements or project.requirements,
        scenarios=wanted.scenarios if chosen else project.scenarios,
        layers=wanted.layers if chosen else project.layers,
        standing=not chosen,
        root=adapter.root,
    )
