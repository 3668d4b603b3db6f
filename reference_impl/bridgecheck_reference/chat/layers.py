"""Settings of several files as one: those of a later scope win, objects are merged member by member."""

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum

from bridgecheck.wire import JsonObject
from bridgecheck_reference.errors import ConfigError


class Scope(StrEnum):
    """Weakest first, as gemini-cli 0.61.0 merges them."""

    SYSTEM_DEFAULTS = "system defaults"
    USER = "user"
    WORKSPACE = "workspace"
    SYSTEM = "system"
    SESSION = "session"


def merge_settings(layers: Mapping[Scope, JsonObject]) -> JsonObject:
    """Return one document. A scope may be missing."""
    found: JsonObject = {}
    for scope in Scope:
        found = _merge(found, layers.get(scope, {}))
    return found


def _merge(weaker: JsonObject, stronger: JsonObject) -> JsonObject:
    merged = dict(weaker)
    for key, value in stronger.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def parse_settings(files: Iterable[tuple[Scope, str, str]]) -> JsonObject:
    """Return the settings of files, each a scope, a path and a text. ``ConfigError`` with a line for each file that
    cannot be read."""
    layers, errors = {}, []
    for scope, path, text in files:
        try:
            document: object = json.loads(text)
        except ValueError as error:
            errors.append(f"Error in {path}: {error}")
            continue
        if isinstance(document, dict):
            layers[scope] = document
        else:
            errors.append(f"Error in {path}: expected an object, got {type(document).__name__}")
    if errors:
        raise ConfigError("\n".join(errors))
    return merge_settings(layers)
