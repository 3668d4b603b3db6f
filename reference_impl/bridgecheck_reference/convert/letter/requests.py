"""Changes of a whole request before or after it is converted, each for one field of the profile.

Which of them a profile wants is found once; the default wants none.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.letter import casing, contents, params, roles
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

Change: TypeAlias = Callable[[JsonObject, Losses], JsonObject]
"""Gives a changed copy; what it leaves out is a loss."""

_Row: TypeAlias = tuple[Callable[[Profile], bool], Change]

_OF_GEMINI: Final[tuple[_Row, ...]] = (
    (lambda profile: profile.casing == "letter", casing.exact_keys),
    (lambda profile: profile.unknown_role == "assistant", roles.speaks_as_model),
    (lambda profile: profile.unknown_role == "user", roles.speaks_as_user),
    (lambda profile: profile.thoughts == "inline", contents.thoughts_inline),
    (lambda profile: profile.drop_siblings, contents.without_siblings),
)
_OF_CHAT: Final[tuple[_Row, ...]] = (
    (lambda profile: profile.unknown_role != "error", roles.known_in_chat),
    (lambda profile: profile.text_only, params.text_only),
    (lambda profile: profile.strict_params, params.strict),
)


@lru_cache(maxsize=64)
def of_gemini(profile: Profile) -> tuple[Change, ...]:
    """For a Gemini request, before it is read."""
    return tuple(change for wanted, change in _OF_GEMINI if wanted(profile))


@lru_cache(maxsize=64)
def of_chat(profile: Profile) -> tuple[Change, ...]:
    """For an OpenAI request: before it is read, or after it was made."""
    return tuple(change for wanted, change in _OF_CHAT if wanted(profile))


def changed(request: JsonObject, changes: tuple[Change, ...], losses: Losses) -> JsonObject:
    """The request after all of them; the same object where there are none."""
    for change in changes:
        request = change(request, losses)
    return request
