"""Mapping choices of the reference, and its older profiles, where they are right."""

from dataclasses import replace
from typing import Final

from liberty import Liberty

from bridgecheck.wire import Dialect
from bridgecheck_reference.conversion_profile import NATIVE

_SCHEMA: Final = "recorded: braintrust/0005"


def _liberty(name: str, upstreams: tuple[Dialect, ...], source: str, allows: str, **choices: object) -> Liberty:
    return Liberty(name, source, allows, upstreams=upstreams, profile=replace(NATIVE, name=name, **choices))


PROFILE_LIBERTIES: Final[tuple[Liberty, ...]] = (
    _liberty("profile-openapi", ("gemini",), _SCHEMA,
             "Schemas may be sent as Gemini's own type.", schema_mode="openapi"),
    _liberty("profile-wrap", ("gemini",), "recorded: braintrust/0074", "Any key wraps a result.", tool_wrap="result"),
    _liberty("profile-spaced", ("openai-chat",), "recorded: llm/0002", "Arguments are JSON text.", arguments="spaced"),
    _liberty("profile-final-at-once", ("openai-chat",), "recorded: chatlas/0006",
             "The last event comes with the finish, or after the usage.", hold_final=False),
)  # fmt: skip
