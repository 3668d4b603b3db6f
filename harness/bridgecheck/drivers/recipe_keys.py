"""The keys of adapter.toml with their values and placeholders, and the mistakes in them."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from types import UnionType
from typing import Final, NamedTuple, TypeAlias

from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.jsonvalue import arr, obj
from bridgecheck.wire import DIALECTS, JsonObject

PLACEHOLDER_MEANINGS: Final[dict[str, str]] = {
    "upstream_url": "where the recorded provider answers, without a path",
    "upstream_key": "what the provider takes for a key",
    "upstream": "the provider's dialect; where it stands one process is started for each",
    "upstream_base_path": "the path of its SDK's base URL, /v1 for openai-chat; one process for each, too",
    "port": "a free port",
    "tmp": "a folder of the process's own, gone afterwards",
    "python": "the Python that runs bridgecheck",
    "here": "the folder of the recipe",
}
"""Name -> what it stands for."""

_PLACEHOLDER: Final = re.compile(r"\{([a-z][a-z_]*)\}")


def placeholder_names(template: str) -> Iterator[str]:
    """Yield every ``{name}``, known or not."""
    return (match[1] for match in _PLACEHOLDER.finditer(template))


def fill_placeholders(template: str, values: Mapping[str, str]) -> str:
    """Replace the known ``{name}`` in a template; everything else stays as it is."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


ValueCheck: TypeAlias = Callable[[object], str]
"""What was expected in place of a value, "" if it is right."""


class Mistake(NamedTuple):
    """A mistake in a recipe. ``path``: of the key."""

    path: tuple[str, ...]
    problem: str
    expected: str


def _value_check(is_right: Callable[[object], object], expected: str) -> ValueCheck:
    return lambda value: "" if is_right(value) else expected


def _is_text_table(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def _is_table_of_files_in_home(value: object) -> bool:
    paths = [PurePath(name) for name in value] if isinstance(value, dict) else []
    return _is_text_table(value) and not any(path.is_absolute() or ".." in path.parts for path in paths)


def _is_number(value: object, kind: type[int] | UnionType, most: float) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool) and 0 < value <= most


def _is_list_of(value: object, is_item: Callable[[object], object], least: int) -> bool:
    return isinstance(value, list) and len(value) >= least and all(map(is_item, value))


def _is_dialect_list(value: object, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(item in DIALECTS for item in value)


_TEXT: Final = _value_check(lambda value: isinstance(value, str), 'a text, "..."')
_TEXTS: Final = _value_check(
    lambda value: _is_list_of(value, lambda item: isinstance(item, str) and item, 1),
    'a list of texts, ["program", "--option"]',
)
_TEXT_TABLE: Final = _value_check(_is_text_table, 'a table of texts, { NAME = "..." }')
_FILES: Final = _value_check(
    _is_table_of_files_in_home, 'a table of texts, { "config.yaml" = "..." }, all within {tmp}'
)
_SECONDS: Final = _value_check(lambda value: _is_number(value, int | float, 3600), "seconds, between 0 and 3600")
_PORT: Final = _value_check(lambda value: _is_number(value, int, 65535), "a port, between 1 and 65535")
_CLAIMS: Final = _value_check(
    lambda value: _is_list_of(value, CAPABILITIES.__contains__, 0), f"a list of names among {', '.join(CAPABILITIES)}"
)
_ROUTES: Final = _value_check(
    lambda value: _is_list_of(value, lambda route: _is_dialect_list(route, 2), 1),
    f"[[client, upstream], ...] with dialects {', '.join(DIALECTS)}",
)
_PIVOTS: Final = _value_check(
    lambda value: _is_list_of(value, lambda pivot: _is_dialect_list(pivot, 3), 0),
    f"[[client, upstream, pivot], ...] with dialects {', '.join(DIALECTS)}",
)

KEYS: Final[dict[str, ValueCheck]] = {
    "target": _TEXT, "name": _TEXT, "version": _TEXT, "version_command": _TEXTS, "claims": _CLAIMS,
    "timeout": _SECONDS,
}  # fmt: skip
"""Of every recipe."""

STARTING: Final[dict[str, ValueCheck]] = {
    "command": _TEXTS, "cwd": _TEXT, "env": _TEXT_TABLE, "files": _FILES,
    "upstream_port": _PORT, "routes": _ROUTES, "pivots": _PIVOTS,
}  # fmt: skip
"""Of a recipe for a gateway, beside the tables below."""

READY: Final[dict[str, ValueCheck]] = {"path": _TEXT, "seconds": _SECONDS}
CLIENT: Final[dict[str, ValueCheck]] = {
    "base_path": _TEXT, "model": _TEXT, "models": _TEXT_TABLE, "headers": _TEXT_TABLE,
}  # fmt: skip

TABLES: Final = ("ready", "client")
GATEWAY_KEYS: Final = (*STARTING, *TABLES)
COMMAND_KEYS: Final = ("env", "cwd", "files", "ready")
"""Of those, what a recipe for a command has too."""
COMMAND_PLACEHOLDERS: Final = ("here", "python", "tmp")
"""The placeholders of such a recipe."""

ALLOWED_PLACEHOLDERS: Final[dict[str, tuple[str, ...]]] = {
    "target": ("port", *COMMAND_PLACEHOLDERS), "command": tuple(PLACEHOLDER_MEANINGS),
    "env": tuple(PLACEHOLDER_MEANINGS), "cwd": ("here", "tmp", "upstream"), "version_command": ("here", "python"),
}  # fmt: skip
"""Where a name in braces that is none of these is a mistake. Not in ``files``: formats have braces of their own."""

_CLIENT_PLACEHOLDERS: Final[dict[str, tuple[str, ...]]] = {
    "model": ("model", "upstream"), "models": ("model", "upstream"),
    "headers": ("upstream_url", "upstream", "upstream_base_path"),
}  # fmt: skip


def find_single_key_mistakes(recipe: JsonObject) -> Iterator[Mistake]:
    """Yield the mistakes in single keys of a recipe: not whether the adapter can be reached."""
    yield from _find_wrong_keys_and_values(recipe, KEYS | STARTING, TABLES, ())
    if "ready" in recipe:
        yield from _mistakes_in_subtable(recipe["ready"], READY, ("ready",))
    clients = recipe.get("client", {})
    if not isinstance(clients, dict):
        yield Mistake(("client",), "client is no table", "[client.openai-chat]")
    for dialect, client in obj(clients).items():
        if dialect not in DIALECTS:
            yield Mistake(("client", dialect), f"no dialect is {dialect!r}", f"among {', '.join(DIALECTS)}")
        yield from _mistakes_in_subtable(client, CLIENT, ("client", dialect))
        for key, known in _CLIENT_PLACEHOLDERS.items():
            for value in _texts_of_text_list_or_table(obj(client).get(key)):
                yield from _find_unknown_placeholders(value, known, ("client", dialect, key))
    for key, known in ALLOWED_PLACEHOLDERS.items():
        for value in _texts_of_text_list_or_table(recipe.get(key)):
            yield from _find_unknown_placeholders(value, known, (key,))


def _mistakes_in_subtable(value: object, keys: Mapping[str, ValueCheck], path: tuple[str, ...]) -> Iterator[Mistake]:
    if isinstance(value, dict):
        yield from _find_wrong_keys_and_values(obj(value), keys, (), path)
    else:
        yield Mistake(path, f"{'.'.join(path)} is no table", f"[{'.'.join(path)}] with {', '.join(keys)}")


def _find_wrong_keys_and_values(
    table: JsonObject, keys: Mapping[str, ValueCheck], subtable_names: tuple[str, ...], path: tuple[str, ...]
) -> Iterator[Mistake]:
    for key, value in table.items():
        check = keys.get(key)
        if check is None and key not in subtable_names:
            where = f" in {'.'.join(path)}" if path else ""
            yield Mistake((*path, key), f"unknown key {key!r}{where}", f"among {', '.join((*keys, *subtable_names))}")
        elif check is not None and (expected := check(value)):
            yield Mistake((*path, key), _describe_wrong_value(key, value), expected)


def _describe_wrong_value(key: str, value: object) -> str:
    if key == "claims":
        unknown = [claim for claim in arr(value) if isinstance(claim, str) and claim not in CAPABILITIES]
        return f"unknown capability {unknown[0]!r}" if unknown else f"claims is no list of names: {value!r}"
    return f"{key} is not what it should be: {value!r}"


def _find_unknown_placeholders(template: str, known: tuple[str, ...], path: tuple[str, ...]) -> Iterator[Mistake]:
    for name in placeholder_names(template):
        if name not in known:
            shown = ", ".join(f"{{{name}}}" for name in known)
            yield Mistake(path, f"{{{name}}} in {'.'.join(path)} is filled in by nothing", f"among {shown}")


def _texts_of_text_list_or_table(value: object) -> list[str]:
    items = list(value.values()) if isinstance(value, dict) else [value, *arr(value)]
    return [item for item in items if isinstance(item, str)]
