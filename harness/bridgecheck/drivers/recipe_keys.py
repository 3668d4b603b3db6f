"""The keys of adapter.toml, what each holds, and the mistakes that can be made in them."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Final, NamedTuple, TypeAlias

from bridgecheck.drivers.placeholders import FIXED, names
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import DIALECTS, JsonObject

Holds: TypeAlias = Callable[[object], str]
"""What was expected in place of a value, "" if it is right."""


class Mistake(NamedTuple):
    """``path``: of the key."""

    path: tuple[str, ...]
    what: str
    expected: str


def _text(value: object) -> str:
    return "" if isinstance(value, str) else 'a text, "..."'


def _texts(value: object) -> str:
    right = isinstance(value, list) and value and all(isinstance(item, str) and item for item in value)
    return "" if right else 'a list of texts, ["program", "--option"]'


def _table(value: object) -> str:
    right = isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    return "" if right else 'a table of texts, { NAME = "..." }'


def _files(value: object) -> str:
    names = value if isinstance(value, dict) else {"..": ""}
    outside = any(PurePath(name).is_absolute() or ".." in PurePath(name).parts for name in names)
    return 'a table of texts, { "config.yaml" = "..." }, all within {tmp}' if outside or _table(value) else ""


def _seconds(value: object) -> str:
    right = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 3600
    return "" if right else "seconds, between 0 and 3600"


def _port(value: object) -> str:
    right = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 65536
    return "" if right else "a port, between 1 and 65535"


def _claims(value: object) -> str:
    right = isinstance(value, list) and all(claim in CAPABILITIES for claim in value)
    return "" if right else f"a list of names among {', '.join(CAPABILITIES)}"


def _routes(value: object) -> str:
    right = isinstance(value, list) and value and all(_dialects(route, 2) for route in value)
    return "" if right else f"[[client, upstream], ...] with dialects {', '.join(DIALECTS)}"


def _pivots(value: object) -> str:
    right = isinstance(value, list) and all(_dialects(pivot, 3) for pivot in value)
    return "" if right else f"[[client, upstream, pivot], ...] with dialects {', '.join(DIALECTS)}"


def _dialects(value: object, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(item in DIALECTS for item in value)


KEYS: Final[dict[str, Holds]] = {
    "target": _text,
    "name": _text,
    "version": _text,
    "version_command": _texts,
    "claims": _claims,
}
"""Of every recipe."""

STARTING: Final[dict[str, Holds]] = {
    "command": _texts,
    "cwd": _text,
    "env": _table,
    "files": _files,
    "timeout": _seconds,
    "upstream_port": _port,
    "routes": _routes,
    "pivots": _pivots,
}
"""Of a recipe for a gateway, beside the tables below."""

READY: Final[dict[str, Holds]] = {"path": _text, "seconds": _seconds}
CLIENT: Final[dict[str, Holds]] = {"base_path": _text, "model": _text, "headers": _table}

REPRO: Final[dict[str, Holds]] = {"install": _texts, "script": _text}
"""The adapter's own quick start, for ``bridgecheck repro``; of every recipe."""

TABLES: Final = ("ready", "client")
GATEWAY_KEYS: Final = (*STARTING, *TABLES)
COMMAND_KEYS: Final = ("env", "cwd", "files", "timeout", "ready")
"""Of those, what a recipe for a command has too."""
OF_COMMANDS: Final = ("here", "python", "tmp")
"""The placeholders of such a recipe."""

PLACEHOLDERS: Final[dict[str, tuple[str, ...]]] = {
    "target": ("port", *OF_COMMANDS),
    "command": tuple(FIXED),
    "env": tuple(FIXED),
    "cwd": ("here", "tmp", "upstream"),
    "version_command": ("here", "python"),
}
"""Where a name in braces that is none of these is a mistake. Not in ``files``: formats have braces of their own."""

_IN_A_MODEL: Final = ("model", "upstream")


def mistakes(recipe: JsonObject) -> Iterator[Mistake]:
    """What is wrong with a recipe, by itself: not whether it can be reached."""
    yield from _of_table(recipe, KEYS | STARTING, (*TABLES, "repro"), ())
    if "repro" in recipe:
        yield from _subtable(recipe["repro"], REPRO, ("repro",))
    if "ready" in recipe:
        yield from _subtable(recipe["ready"], READY, ("ready",))
    clients = recipe.get("client", {})
    if not isinstance(clients, dict):
        yield Mistake(("client",), "client is no table", "[client.openai-chat]")
    for dialect, client in obj(clients).items():
        if dialect not in DIALECTS:
            yield Mistake(("client", dialect), f"no dialect is {dialect!r}", f"among {', '.join(DIALECTS)}")
        yield from _subtable(client, CLIENT, ("client", dialect))
        yield from _unknown_names(text(obj(client).get("model")), _IN_A_MODEL, ("client", dialect, "model"))
    for key, known in PLACEHOLDERS.items():
        for value in _values(recipe.get(key)):
            yield from _unknown_names(value, known, (key,))


def _subtable(value: object, keys: Mapping[str, Holds], path: tuple[str, ...]) -> Iterator[Mistake]:
    if isinstance(value, dict):
        yield from _of_table(obj(value), keys, (), path)
    else:
        yield Mistake(path, f"{'.'.join(path)} is no table", f"[{'.'.join(path)}] with {', '.join(keys)}")


def _of_table(
    table: JsonObject, keys: Mapping[str, Holds], others: tuple[str, ...], path: tuple[str, ...]
) -> Iterator[Mistake]:
    for key, value in table.items():
        holds = keys.get(key)
        if holds is None and key not in others:
            where = f" in {'.'.join(path)}" if path else ""
            yield Mistake((*path, key), f"unknown key {key!r}{where}", f"among {', '.join((*keys, *others))}")
        elif holds is not None and (expected := holds(value)):
            yield Mistake((*path, key), _wrong(key, value), expected)


def _wrong(key: str, value: object) -> str:
    if key == "claims":
        unknown = [claim for claim in arr(value) if isinstance(claim, str) and claim not in CAPABILITIES]
        return f"unknown capability {unknown[0]!r}" if unknown else f"claims is no list of names: {value!r}"
    return f"{key} is not what it should be: {value!r}"


def _unknown_names(template: str, known: tuple[str, ...], path: tuple[str, ...]) -> Iterator[Mistake]:
    for name in names(template):
        if name not in known:
            shown = ", ".join(f"{{{one}}}" for one in known)
            yield Mistake(path, f"{{{name}}} in {'.'.join(path)} is filled in by nothing", f"among {shown}")


def _values(value: object) -> list[str]:
    """The texts of a text, a list or a table."""
    items = list(value.values()) if isinstance(value, dict) else [value, *arr(value)]
    return [item for item in items if isinstance(item, str)]
