"""What a liberty does, as a key: the text of its hooks and of everything here that they use, without its source and its
reason. It changes with the behaviour, not with comments, the order of the table or the version of Python."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from hashlib import sha256
from inspect import getclosurevars
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Final

from liberty import Liberty

from bridgecheck_reference.conversion_profile import NATIVE, Profile

_HERE: Final = Path(__file__).parent
_MODULES: Final = frozenset(path.stem for path in _HERE.glob("*.py"))
_OF_THE_PAGE: Final = ("source", "allows")


def behaviour_key(liberty: Liberty) -> str:
    """Return a key of what the liberty does."""
    visited: set[int] = set()
    return sha256("\n".join(_describe_liberty(liberty, visited)).encode()).hexdigest()[:16]


def _describe_liberty(liberty: Liberty, visited: set[int]) -> Iterator[str]:
    for field in fields(liberty):
        if field.name not in _OF_THE_PAGE:
            yield from (f"{field.name}={text}" for text in _describe(getattr(liberty, field.name), visited))


def _describe(value: object, visited: set[int]) -> Iterator[str]:
    """Yield the text of a value and of what it uses; of a function or class of this folder its code."""
    if isinstance(value, ModuleType) or id(value) in visited:
        return
    code = getattr(value, "__code__", None)
    if isinstance(value, Profile):
        yield f"Profile {sorted(_choices_beside_default(value).items())}"
    elif isinstance(value, Liberty):
        visited.add(id(value))
        yield from _describe_liberty(value, visited)
    elif isinstance(value, FunctionType) and code and Path(code.co_filename).parent == _HERE:
        visited.add(id(value))
        yield from _nodes_at(Path(code.co_filename), code.co_firstlineno)
        variables = getclosurevars(value)
        for name, used in sorted({**variables.globals, **variables.nonlocals}.items()):
            yield from (f"{name}: {text}" for text in _describe(used, visited))
    elif isinstance(value, type) and value.__module__ in _MODULES:
        visited.add(id(value))
        yield value.__qualname__
        for name, member in sorted([*vars(value).items(), *((base.__name__, base) for base in value.__bases__)]):
            if not name.startswith("__") or isinstance(member, FunctionType):
                yield from (f"{name}: {text}" for text in _describe(member, visited))
    elif callable(value) or isinstance(value, type):
        yield getattr(value, "__qualname__", type(value).__qualname__)
    elif isinstance(value, dict | list | tuple | frozenset | set):
        visited.add(id(value))
        items = value.items() if isinstance(value, dict) else value
        yield str(sorted(items)) if isinstance(value, frozenset | set) else type(value).__name__
        for item in () if isinstance(value, frozenset | set) else items:
            yield from _describe(item, visited)
    else:
        yield repr(value)


def _choices_beside_default(profile: Profile) -> dict[str, str]:
    """Return the fields that are not the default's: one more field, or another default, changes no liberty."""
    values = {field.name: repr(getattr(profile, field.name)) for field in fields(profile) if field.name != "name"}
    return {name: value for name, value in values.items() if value != repr(getattr(NATIVE, name))}


def _nodes_at(file: Path, line: int) -> tuple[str, ...]:
    return tuple(_texts_by_line(file).get(line, ()))


@cache
def _texts_by_line(file: Path) -> dict[int, list[str]]:
    """Return line -> the text of functions that begin there."""
    texts: dict[int, list[str]] = {}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            line = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", ()))])
            texts.setdefault(line, []).append(ast.unparse(node))
    return texts
