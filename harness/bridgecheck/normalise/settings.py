"""What the requests of all dialects share: the headers that switch something on, and settings under one name."""

from collections.abc import Mapping
from typing import Final

from bridgecheck.model.exchange import Headers
from bridgecheck.model.prompt import Thinking
from bridgecheck.normalise.tree import Fields

Settings = list[tuple[str, object]]

FEATURE_HEADERS: Final = (
    "anthropic-beta", "openai-beta", "openai-organization", "openai-project", "x-goog-user-project",
)  # fmt: skip
"""Headers whose loss changes what the provider does or whom it bills."""

OFF: Final = Thinking(budget=0)
"""Thinking switched off, however a dialect writes it ("none", "disabled", 0)."""

DYNAMIC: Final = -1
"""A budget the model chooses itself."""


def feature_header_lines(headers: Headers) -> tuple[str, ...]:
    """Return ``name: value`` of each of FEATURE_HEADERS; a list in one header is one feature a member. Sorted."""
    settings = {
        f"{name.lower()}: {value.strip()}"
        for name, values in headers
        if name.lower() in FEATURE_HEADERS
        for value in values.split(",")
        if value.strip()
    }
    return tuple(sorted(settings))


def take_settings(fields: Fields, table: Mapping[str, str]) -> Settings:
    """Take (our name, value) of every setting that is not null; a list becomes a tuple. An explicit 0 counts."""
    settings: Settings = []
    for field, setting in table.items():
        value = fields.rest.get(field)
        if value is None or any(name == setting for name, _ in settings):
            continue
        fields.take(field)
        settings.append((setting, tuple(value) if isinstance(value, list) else value))
    return settings


def stop_as_tuple(settings: Settings) -> Settings:
    return [(name, (value,) if name == "stop" and isinstance(value, str) else value) for name, value in settings]
