"""How a script reaches the adapter: its target, what travels with it, and what has to be installed."""

import ast
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bridgecheck.drivers.gateway import Gateway
from bridgecheck.drivers.recipe import SUFFIX, read_recipe
from bridgecheck.errors import BadTarget
from bridgecheck.model.adapter import AdapterInfo
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.model.verdict import Layer
from bridgecheck.wire import JsonObject

REQUIREMENTS: Final = "requirements.txt"
PACKAGE: Final = "package.json"
HERE: Final = "{here}"
_READY_S: Final = 60
_JAVASCRIPT: Final = (".mjs", ".cjs", ".js")
_JAVASCRIPT_IMPORT: Final = re.compile(r"""(?:from|import|require\()\s*["'](\.{1,2}/[^"']+)["']""")
_PYTHON: Final = re.compile(r"\{python\}|python[\d.]*")
_PATH_IN_RECIPE: Final = re.compile(r"\{here\}(/[^\s:\"']+)?")


@dataclass(frozen=True, slots=True)
class Reach:
    """``target``, ``files``, ``here``: as ``runtime_adapters`` reads them. ``requirements``: what pip installs, pinned;
    ``node_packages``: what npm installs, name -> version. ``needs``: what has to be there, in plain text.
    ``over_http``: it is called with a client's HTTP. ``upstream_port``: where a gateway that runs already looks for its
    provider. ``is_local``: of a Python module, that it lies in a folder and is not installed."""

    target: JsonObject
    needs: str
    files: Mapping[str, str] = field(default_factory=dict)
    here: str = ""
    requirements: tuple[str, ...] = ()
    node_packages: Mapping[str, str] = field(default_factory=dict)
    over_http: bool = False
    upstream_port: int = 0
    is_local: bool = False

    @property
    def needs_folder(self) -> bool:
        """Whether files of the adapter itself are needed, which no script holds: a module that is not installed, or
        what the recipe names of its folder."""
        return not self.files and (
            self.is_local or (self.target["kind"] != "python" and HERE in json.dumps(self.target))
        )

    @property
    def place(self) -> str:
        """Where a script runs, as a sentence."""
        if not self.needs_folder:
            return "It runs from any folder."
        named = "the folder of the module" if self.is_local else "the one of the recipe, {here}"
        where = "It finds the adapter's own folder as seen from where it lies"
        return f"{where}; moved elsewhere it needs --folder DIR: {named}."

    @property
    def install(self) -> tuple[str, ...]:
        """Command lines that install what it needs; ``{script}`` stands for the script's name."""
        lines: list[str] = []
        if self.requirements:
            lines += ["python {script} --requirements > requirements.txt", "pip install --no-deps -r requirements.txt"]
        if self.node_packages:
            named = [f"{name}@{version}" for name, version in self.node_packages.items()]
            lines.append(f"npm install --no-save {shlex.join(named)}")
        return tuple(lines)


def reach_adapter(target: str, info: AdapterInfo, layer: Layer, gateway: Gateway | None) -> Reach:
    """Return how a script reaches it. ``gateway``: None where the adapter is none. Raises BadTarget for one that a
    script cannot reach, and BadRecipe."""
    recipe: JsonObject = read_recipe(target) if target.endswith(SUFFIX) else {}
    folder = Path(target).parent if recipe else Path()
    where = text(recipe["target"]) if recipe else target
    kind, _, rest = where.partition(":")
    if kind == "python":
        module, _, name = rest.partition(":")
        table: JsonObject = {"kind": kind, "module": module, "object": name, "http": layer == "http", "folder": "."}
        version = f"{info.name} {info.version}".strip()
        needs = f"{version}: the Python module {module}"
        return Reach(table, needs, over_http=layer == "http", is_local=_lies_in(folder, module))
    if kind == "command":
        return _reach_command(shlex.split(rest), recipe, folder)
    if kind == "http" and gateway is not None:
        return _reach_gateway(gateway, folder)
    expected = "python:package.module:object, command:PROGRAM ARGUMENTS, http:URL, or a recipe of one of them"
    raise BadTarget(f"no script can be written for adapters of kind {kind}:", target, expected)


def _lies_in(folder: Path, module: str) -> bool:
    top = folder / module.partition(".")[0]
    return top.is_dir() or top.with_suffix(".py").is_file()


def _reach_command(command: list[str], recipe: JsonObject, folder: Path) -> Reach:
    ready = obj(recipe.get("ready")).get("seconds")
    table: JsonObject = {
        "kind": "command", "command": list(command), "env": obj(recipe.get("env")),
        "cwd": text(recipe.get("cwd")) or HERE, "seconds": ready or _READY_S,
    }  # fmt: skip
    return _travelling(table, folder, describe_program(command))


def describe_program(command: Sequence[str]) -> str:
    """Return what a command line starts, in words: a program, or what Python is told to run."""
    name = _last_name(command[0])
    if not _PYTHON.fullmatch(name):
        return f"the program {name}"
    if "-m" in command[:-1]:
        return f"the Python module {command[command.index('-m') + 1]}"
    script = next((part for part in command[1:] if not part.startswith("-")), "")
    return f"the Python program {_last_name(script)}" if script else f"the program {name}"


def _last_name(path: str) -> str:
    return path.rpartition("/")[2]


def _reach_gateway(gateway: Gateway, folder: Path) -> Reach:
    start = gateway.start
    if start is None and not gateway.upstream_port:
        what = "the gateway runs already, and where it looks for its provider is not known"
        raise BadTarget(what, gateway.url, "a recipe that starts it, or upstream_port in one")
    table: JsonObject = {"kind": "gateway", "url": gateway.url, "command": []}
    needs = f"the adapter at {gateway.url}"
    if start is not None:
        table |= {
            "command": list(start.command), "env": dict(start.env), "files": dict(start.files), "cwd": start.cwd,
            "ready": start.ready_path, "seconds": start.ready_seconds,
        }  # fmt: skip
        needs = describe_program(start.command)
    return _travelling(table, folder, needs, over_http=True, upstream_port=gateway.upstream_port)


def _travelling(
    table: JsonObject, folder: Path, needs: str, *, over_http: bool = False, upstream_port: int = 0
) -> Reach:
    """Return how it is reached. Where the recipe's folder says what is installed, the adapter is that, and what else
    lies there is a shim, which travels with the script; elsewhere the folder holds the adapter itself."""
    requirements = tuple(_read_requirements(folder / REQUIREMENTS))
    packages = _read_node_packages(folder / PACKAGE)
    paths = sorted({path.resolve() for path in _find_files(table, folder.resolve())})
    if (not requirements and not packages) or _is_left_behind(table, folder.resolve(), paths):
        table = {**table, "folder": ".", "named": list(_named_paths(table, folder.resolve()))}
        return Reach(table, needs, {}, "", requirements, packages, over_http, upstream_port)
    root = Path(os.path.commonpath([folder.resolve(), *paths]))
    files = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    here = folder.resolve().relative_to(root).as_posix()
    placeholder = f"{here}/.keep"  # so that the folder is there, and the script knows that it travels
    return Reach(
        table, needs, files or {placeholder: ""}, here, requirements, packages, over_http, upstream_port
    )  # fmt: skip


def _read_requirements(path: Path) -> Iterator[str]:
    """Yield the lines of a list for pip without comments and hashes."""
    lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
    for line in lines:
        pinned = line.partition("#")[0].strip().removesuffix("\\").strip()
        if pinned and not pinned.startswith("-"):
            yield pinned


def _read_node_packages(path: Path) -> dict[str, str]:
    packages = obj(json.loads(path.read_text(encoding="utf-8")).get("dependencies")) if path.is_file() else {}
    return {name: text(version) for name, version in packages.items()}


def _named_paths(table: JsonObject, folder: Path) -> Iterator[str]:
    """Yield what the recipe names of its folder and is there, as seen from it: ``gateway.py``, ``../..``."""
    texts = [*map(text, arr(table.get("command"))), text(table.get("cwd"))]
    texts += [text(value) for name in ("env", "files") for value in obj(table.get(name)).values()]
    names = (match[1] for value in texts for match in _PATH_IN_RECIPE.finditer(value) if match[1])
    for name in dict.fromkeys(name.strip("/") for name in names):
        if name and not name.startswith(".venv") and (folder / name).exists():
            yield name


def _is_left_behind(table: JsonObject, folder: Path, travelling: list[Path]) -> bool:
    """Return whether the recipe names a folder of which no file travels: it holds the adapter itself, as a working
    folder with the module that a program is told to serve."""
    named = [(folder / name).resolve() for name in _named_paths(table, folder)]
    folders = [path for path in named if path.is_dir() and path.name != "node_modules"]
    return any(not any(path.is_relative_to(place) for path in travelling) for place in folders)


def _find_files(table: JsonObject, folder: Path) -> Iterator[Path]:
    """Yield the files that the recipe names in its folder, and what they import of what lies beside them."""
    named = [folder / name for name in _named_paths(table, folder)]
    search = [folder, *(path for path in named if path.is_dir())]
    pending = [path for path in named if path.is_file() and path.suffix in (".py", *_JAVASCRIPT)]
    found: set[Path] = set()
    while pending:
        path = pending.pop().resolve()
        if path in found or {".venv", "node_modules"} & set(path.parts):
            continue
        found.add(path)
        pending += _imported_files(path, [path.parent, *search])
    yield from found


def _imported_files(path: Path, search: list[Path]) -> Iterator[Path]:
    source = path.read_text(encoding="utf-8")
    if path.suffix in _JAVASCRIPT:
        candidates = [path.parent / name for name in _JAVASCRIPT_IMPORT.findall(source)]
        yield from (file for file in candidates if file.is_file() and file.suffix in _JAVASCRIPT)
        return
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        for name in names:
            files = (folder / f"{name.replace('.', '/')}.py" for folder in search)
            yield from (file for file in files if file.is_file())
