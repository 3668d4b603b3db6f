"""Credentials: every form a client may send one in, and the one form each upstream takes."""

import re
from collections.abc import Mapping
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.errors import REDACTED, redact, redact_json

CREDENTIALS: Final = frozenset({"authorization", "x-api-key", "x-goog-api-key"})
"""Headers that hold a credential."""

_IN_ORDER: Final = ("x-goog-api-key", "x-api-key", "authorization")
_SCHEME: Final = "bearer"


def client_key(headers: Mapping[str, str], query_key: str = "") -> str:
    """The client's key, without its scheme; "" where there is none. ``query_key``: that of ``?key=``."""
    for name in _IN_ORDER:
        value = headers.get(name, "").strip()
        scheme, _, rest = value.partition(" ")
        if scheme.lower() == _SCHEME:  # alone too: a client with an empty key sends "Bearer "
            value = rest.strip()
        if value:
            return value
    return query_key


def key_header(upstream: Dialect, key: str) -> list[tuple[str, str]]:
    """The key as that upstream takes it; nothing for no key."""
    if not key:
        return []
    if upstream == "gemini":
        return [("x-goog-api-key", key)]
    return [("x-api-key", key)] if upstream == "anthropic" else [("authorization", f"Bearer {key}")]


_PATH_ID: Final = re.compile(r"(?<=/)(projects|accounts)/[^/?]+")


def path_without_ids(path: str, secrets: tuple[str, ...]) -> str:
    """The path without secrets, and without the ids of projects and accounts: as it may stand in a log."""
    return _PATH_ID.sub(rf"\1/{REDACTED}", redact(path, secrets))


def without_keys(document: JsonObject, secrets: tuple[str, ...]) -> JsonObject:
    """The document with every secret taken out of its strings."""
    clean = redact_json(document, secrets)
    assert isinstance(clean, dict)  # an object stays one
    return clean
