"""Reads ``[tool.bridgecheck]`` of a pyproject.toml: what an adapter's own project sets once, for the command and for
pytest.

    [tool.bridgecheck]
    adapter = "python:my_gateway.conformance:adapter"   # as --adapter takes it; a recipe's path is seen from this file
    capabilities = ["tools", "parallel_tools"]          # in place of the adapter's own
    deviations = "deviations.toml"                      # default: reports/ADAPTER/deviations.toml
    requirements = "2026.1"                             # only what this frozen set holds gates
    stale = "fail"                                      # what an accepted failure is that no longer fails: warn or fail
    relations = "fast"                                  # none, fast or all
    layers = ["wire"]                                   # only these
    scenarios = ["tools/*", "usage/*"]                  # only these: ids or globs
    max_age = 30                                        # days that live cassettes may be old: run and plan, not pytest
    require = ["live:tools"]                            # what has to be live: likewise

Every key may be missing. What a command line sets wins.
"""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast, get_args

from bridgecheck.errors import BadProject
from bridgecheck.files.positions import toml_line
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.verdict import Layer
from bridgecheck.relations.choice import HowMany
from bridgecheck.wire import JsonObject

FILE: Final = "pyproject.toml"
TABLE: Final = ("tool", "bridgecheck")

Stale: TypeAlias = Literal["warn", "fail"]


@dataclass(frozen=True, slots=True)
class Project:
    """``root``: the folder of the pyproject.toml, None where there is no table. ``adapter`` "": the reference.
    ``capabilities`` None: what the adapter claims itself. ``deviations``: a path, None for the default place.
    ``layers``, ``scenarios`` (): all. ``max_age`` 0, ``require`` (): whatever recordings there are."""

    root: Path | None = None
    adapter: str = ""
    capabilities: tuple[str, ...] | None = None
    deviations: Path | None = None
    requirements: str = ""
    stale: Stale = "warn"
    relations: HowMany = "none"
    layers: tuple[Layer, ...] = ()
    scenarios: tuple[str, ...] = ()
    max_age: int = 0
    require: tuple[str, ...] = ()


NO_PROJECT: Final = Project()


def nearest_project(folder: Path) -> Project:
    """Read the nearest pyproject.toml with the table, in ``folder`` or above it. Raises BadProject."""
    for parent in (folder, *folder.parents):
        project = read_project(parent / FILE)
        if project.root is not None:
            return project
    return NO_PROJECT


def read_project(path: Path) -> Project:
    """NO_PROJECT where there is no such file or table. Raises BadProject: no TOML, a key there is not, a value that is
    not what it should be; with the line."""
    try:
        source = path.read_text(encoding="utf-8")
        document = tomllib.loads(source) if TABLE[-1] in source else {}
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return NO_PROJECT
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as failure:
        raise BadProject(f"no TOML: {failure}", str(path), "TOML") from failure
    tool = obj(document.get(TABLE[0]))
    if TABLE[-1] not in tool:
        return NO_PROJECT
    for key, what, expected in _find_mistakes(tool[TABLE[-1]]):
        raise BadProject(what, f"{path}:{toml_line(source, (*TABLE, *key))}", expected)
    return _to_project(path.parent, obj(tool[TABLE[-1]]))


def _to_project(root: Path, table: JsonObject) -> Project:
    values: JsonObject = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    if "deviations" in values:
        values["deviations"] = root / cast(str, values["deviations"])
    return Project(root=root, **values)  # type: ignore[arg-type]  # KEYS has judged every value


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_text_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_list_of(names: tuple[str, ...], least: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and len(value) >= least and all(item in names for item in value)


def _quote_names(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in names)


_CAPABILITIES: Final = tuple(CAPABILITIES)
_LAYERS: Final[tuple[str, ...]] = get_args(Layer)
_HOW_MANY: Final[tuple[str, ...]] = get_args(HowMany)
_STALE: Final[tuple[str, ...]] = get_args(Stale)

KEYS: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    "adapter": (_is_text, '"python:package.module:object", or what else --adapter takes'),
    "capabilities": (_is_list_of(_CAPABILITIES, 0), f"a list of {_quote_names(_CAPABILITIES)}"),
    "deviations": (_is_text, '"deviations.toml", a path seen from this file'),
    "requirements": (_is_text, 'the id of a set in quotes, "2026.1"'),
    "stale": (lambda value: value in _STALE, f"one of {_quote_names(_STALE)}"),
    "relations": (lambda value: value in _HOW_MANY, f"one of {_quote_names(_HOW_MANY)}"),
    "layers": (_is_list_of(_LAYERS, 1), f"a list of {_quote_names(_LAYERS)}"),
    "scenarios": (_is_text_list, 'a list of scenario ids or globs, ["tools/*"]'),
    "max_age": (lambda value: type(value) is int and value > 0, "a number of days, 30"),
    "require": (_is_text_list, 'a list of "live" or "live:TOPIC"'),
}
"""key -> whether a value is right, and what is."""

RUN_KEYS: Final = ("max_age", "require")
"""Keys about recordings, which gate ``run`` and no suite."""

ADAPTER_KEYS: Final = ("capabilities", "deviations")
"""Keys that hold for the adapter in the table, and for no adapter that a command line names."""


def _find_mistakes(table: object) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield (path inside the table, what is wrong, what was expected)."""
    if not isinstance(table, dict):
        yield (), "tool.bridgecheck is no table", "[tool.bridgecheck]"
        return
    for key, value in table.items():
        if key not in KEYS:
            yield (key,), f"unknown key {key!r} in [tool.bridgecheck]", f"among {', '.join(KEYS)}"
        elif not KEYS[key][0](value):
            yield (key,), f"{key} is {value!r}", KEYS[key][1]
        elif key in ADAPTER_KEYS and "adapter" not in table:
            yield (key,), f"{key} of no adapter", f'adapter = "..." beside {key}'
