"""The keys of adapter.toml with their values and placeholders, and the mistakes in them."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Final, NamedTuple, TypeAlias

from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import DIALECTS, JsonObject

PLACEHOLDER_MEANINGS: Final[dict[str, str]] = {
    "upstream_url": "where the recorded provider answers, without a path",
    "upstream_key": "what the provider takes for a key",
    "upstream": "the provider's dialect; where it stands one process is started for each",
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


def _expected_if_not_text(value: object) -> str:
    return "" if isinstance(value, str) else 'a text, "..."'


def _expected_if_not_texts(value: object) -> str:
    valid = isinstance(value, list) and value and all(isinstance(item, str) and item for item in value)
    return "" if valid else 'a list of texts, ["program", "--option"]'


def _expected_if_not_text_table(value: object) -> str:
    valid = isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    return "" if valid else 'a table of texts, { NAME = "..." }'


def _expected_if_not_files_in_home(value: object) -> str:
    names = value if isinstance(value, dict) else {"..": ""}
    outside = any(PurePath(name).is_absolute() or ".." in PurePath(name).parts for name in names)
    invalid = outside or _expected_if_not_text_table(value)
    return 'a table of texts, { "config.yaml" = "..." }, all within {tmp}' if invalid else ""


def _expected_if_not_seconds(value: object) -> str:
    valid = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 3600
    return "" if valid else "seconds, between 0 and 3600"


def _expected_if_not_port(value: object) -> str:
    valid = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 65536
    return "" if valid else "a port, between 1 and 65535"


def _expected_if_not_claims(value: object) -> str:
    valid = isinstance(value, list) and all(claim in CAPABILITIES for claim in value)
    return "" if valid else f"a list of names among {', '.join(CAPABILITIES)}"


def _expected_if_not_routes(value: object) -> str:
    valid = isinstance(value, list) and value and all(_is_dialect_list(route, 2) for route in value)
    return "" if valid else f"[[client, upstream], ...] with dialects {', '.join(DIALECTS)}"


def _expected_if_not_pivots(value: object) -> str:
    valid = isinstance(value, list) and all(_is_dialect_list(pivot, 3) for pivot in value)
    return "" if valid else f"[[client, upstream, pivot], ...] with dialects {', '.join(DIALECTS)}"


def _is_dialect_list(value: object, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(item in DIALECTS for item in value)


KEYS: Final[dict[str, ValueCheck]] = {
    "target": _expected_if_not_text,
    "name": _expected_if_not_text,
    "version": _expected_if_not_text,
    "version_command": _expected_if_not_texts,
    "claims": _expected_if_not_claims,
}
"""Of every recipe."""

STARTING: Final[dict[str, ValueCheck]] = {
    "command": _expected_if_not_texts,
    "cwd": _expected_if_not_text,
    "env": _expected_if_not_text_table,
    "files": _expected_if_not_files_in_home,
    "timeout": _expected_if_not_seconds,
    "upstream_port": _expected_if_not_port,
    "routes": _expected_if_not_routes,
    "pivots": _expected_if_not_pivots,
}
"""Of a recipe for a gateway, beside the tables below."""

READY: Final[dict[str, ValueCheck]] = {"path": _expected_if_not_text, "seconds": _expected_if_not_seconds}
CLIENT: Final[dict[str, ValueCheck]] = {
    "base_path": _expected_if_not_text,
    "model": _expected_if_not_text,
    "headers": _expected_if_not_text_table,
}

REPRO: Final[dict[str, ValueCheck]] = {"install": _expected_if_not_texts, "script": _expected_if_not_text}
"""The adapter's own quick start, for ``bridgecheck repro``; of every recipe."""

TABLES: Final = ("ready", "client")
GATEWAY_KEYS: Final = (*STARTING, *TABLES)
COMMAND_KEYS: Final = ("env", "cwd", "files", "timeout", "ready")
"""Of those, what a recipe for a command has too."""
COMMAND_PLACEHOLDERS: Final = ("here", "python", "tmp")
"""The placeholders of such a recipe."""

ALLOWED_PLACEHOLDERS: Final[dict[str, tuple[str, ...]]] = {
    "target": ("port", *COMMAND_PLACEHOLDERS),
    "command": tuple(PLACEHOLDER_MEANINGS),
    "env": tuple(PLACEHOLDER_MEANINGS),
    "cwd": ("here", "tmp", "upstream"),
    "version_command": ("here", "python"),
}
"""Where a name in braces that is none of these is a mistake. Not in ``files``: formats have braces of their own."""

_MODEL_PLACEHOLDERS: Final = ("model", "upstream")


def find_single_key_mistakes(recipe: JsonObject) -> Iterator[Mistake]:
    """Yield the mistakes in single keys of a recipe: not whether the adapter can be reached."""
    yield from _find_wrong_keys_and_values(recipe, KEYS | STARTING, (*TABLES, "repro"), ())
    if "repro" in recipe:
        yield from _mistakes_in_subtable(recipe["repro"], REPRO, ("repro",))
    if "ready" in recipe:
        yield from _mistakes_in_subtable(recipe["ready"], READY, ("ready",))
    clients = recipe.get("client", {})
    if not isinstance(clients, dict):
        yield Mistake(("client",), "client is no table", "[client.openai-chat]")
    for dialect, client in obj(clients).items():
        if dialect not in DIALECTS:
            yield Mistake(("client", dialect), f"no dialect is {dialect!r}", f"among {', '.join(DIALECTS)}")
        yield from _mistakes_in_subtable(client, CLIENT, ("client", dialect))
        yield from _find_unknown_placeholders(
            text(obj(client).get("model")), _MODEL_PLACEHOLDERS, ("client", dialect, "model")
        )
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
    """Return the texts of a text, a list or a table."""
    items = list(value.values()) if isinstance(value, dict) else [value, *arr(value)]
    return [item for item in items if isinstance(item, str)]
