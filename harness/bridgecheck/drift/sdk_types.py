"""What the types of the installed official SDKs know of a provider's answers: every member that their response models
name, with its kinds and, of an enumeration, its values.

An SDK is imported when it is asked for, and read by its models alone: nothing of it is called.
"""

import enum
import importlib
import importlib.metadata
import types
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Final, Literal, TypeAlias, TypeVar, Union, cast, get_args, get_origin

from bridgecheck.documented_leaves import path_keys
from bridgecheck.drift.knowledge import Keys, Kind, Knowledge
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import RECORDS

_MODELS: Final[dict[Dialect, tuple[tuple[str, str], ...]]] = {
    "gemini": (("google.genai.types", "GenerateContentResponse"),),
    "openai-chat": (("openai.types.chat", "ChatCompletion"), ("openai.types.chat", "ChatCompletionChunk")),
    "anthropic": (
        ("anthropic.types.beta", "BetaMessage"), ("anthropic.types", "Message"),
        ("anthropic.types.beta", "BetaRawMessageStreamEvent"), ("anthropic.types", "RawMessageStreamEvent"),
        ("anthropic.types", "ErrorResponse"),
    ),
}  # fmt: skip
"""Dialect -> (module, type) of its answers."""

_MAX_DEPTH: Final = 10
_KINDS: Final[dict[object, Kind]] = {
    str: "text", int: "integer", float: "number", bool: "flag", type(None): "null", dict: "object", list: "list",
    bytes: "text", datetime: "text",
}  # fmt: skip

Hint: TypeAlias = object


@lru_cache(maxsize=8)
def sdk_members(dialect: Dialect) -> dict[Keys, Knowledge] | None:
    """Return every member that the SDK's types name, by its keys; None where no SDK of this dialect is installed."""
    found: dict[Keys, Knowledge] = {}
    try:
        hints = [getattr(importlib.import_module(module), name) for module, name in _MODELS.get(dialect, ())]
    except ImportError:
        return None
    for hint in hints:
        for keys, known in _walk(hint, (), ()):
            found[keys] = found[keys].merge(known) if keys in found else known
    return found or None


def sdk_knowledge(dialect: Dialect, path: str) -> Knowledge | None:
    """Return what the installed SDK's types say of a path, None where they do not name it or no SDK is installed."""
    return (sdk_members(dialect) or {}).get(path_keys(path))


@lru_cache(maxsize=8)
def sdk_title(dialect: Dialect) -> str:
    """Return ``openai 3.52.0``, or that it is not installed; "" for a dialect without an SDK."""
    package = RECORDS[dialect].sdk
    if package is None:
        return ""
    try:
        return f"{package.distribution} {importlib.metadata.version(package.distribution)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package.distribution} (not installed)"


def _walk(hint: Hint, at: Keys, holders: tuple[type, ...]) -> Iterator[tuple[Keys, Knowledge]]:
    """Yield the members of the models in a hint; each model once on the way to a member."""
    for member in _alternatives(hint):
        origin = get_origin(member)
        if origin is list:
            yield from _walk(get_args(member)[0], at, holders)
        elif isinstance(member, type) and _is_model(member) and member not in holders and len(at) < _MAX_DEPTH:
            yield from _model_members(member, at, (*holders, member))


def _is_model(hint: Hint) -> bool:
    """Whether it is a pydantic model. The package itself is not imported here."""
    return isinstance(hint, type) and hasattr(hint, "model_fields")


def _model_members(model: type, at: Keys, holders: tuple[type, ...]) -> Iterator[tuple[Keys, Knowledge]]:
    for name, field in cast(dict[str, object], model.model_fields).items():  # type: ignore[attr-defined]
        alias = cast(str | None, getattr(field, "alias", None)) or name
        hint = cast(Hint, getattr(field, "annotation", None))
        keys = (*at, *path_keys(alias))
        yield keys, Knowledge(*_kinds_and_values(hint), is_required=bool(field.is_required()))  # type: ignore[attr-defined]
        yield from _walk(hint, keys, holders)


def _kinds_and_values(hint: Hint) -> tuple[frozenset[Kind], frozenset[str]]:
    kinds, values = set[Kind](), set[str]()
    is_open = has_free_text = False
    for member in _alternatives(hint):
        origin = get_origin(member)
        if origin is Literal:
            kinds |= {_KINDS[type(value)] for value in get_args(member)}
            values |= {str(value) for value in get_args(member)}
        elif isinstance(member, type) and issubclass(member, enum.Enum):
            kinds.add("text")
            values |= {str(item.value) for item in member}
        elif _is_model(member):
            kinds.add("object")
        elif (kind := _KINDS.get(origin or member)) is not None:
            kinds |= {kind, "integer"} if kind == "number" else {kind}
            has_free_text = has_free_text or kind == "text"
        else:
            is_open = True
    return frozenset() if is_open else frozenset(kinds), frozenset() if has_free_text else frozenset(values)


def _alternatives(hint: Hint) -> Iterator[Hint]:
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _alternatives(get_args(hint)[0])
    elif origin in (Union, types.UnionType):
        for member in get_args(hint):
            yield from _alternatives(member)
    elif isinstance(hint, TypeVar):
        yield object
    elif hasattr(hint, "__value__"):  # a type alias by name
        yield from _alternatives(hint.__value__)
    else:
        yield hint
