"""Values that are secret whatever they look like: of this process's environment, and of a recipe.

They are collected once, before the variables are taken away from the adapters, and hold for the whole process."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from bridgecheck.secrets.harmless import OWN_KEYS
from bridgecheck.secrets.kinds import find_credential_kinds

SHORTEST: Final = 12
"""Characters of a value that is secret by its variable: what is shorter stands in texts by chance."""

_CREDENTIAL: Final = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_|$)", re.IGNORECASE
)
_SWITCH: Final = re.compile(r"true|false|yes|no|on|off|none|null|[0-9]{1,5}", re.IGNORECASE)
_VALUES: Final[list[frozenset[str]]] = [frozenset()]
"""The set in force, alone: one that is compared quickly with the one before."""


def may_hold_credential(name: str, value: str) -> bool:
    """Return whether a variable may hold a credential, by its name or by what it holds."""
    return bool(_CREDENTIAL.search(name) or find_credential_kinds(value))


def remember_environment(variables: Mapping[str, str], named: Collection[str] = ()) -> None:
    """Mask from now on what variables hold that may be credentials, and those that are ``named``, however short."""
    for name, value in variables.items():
        if name in named or (len(value) >= SHORTEST and may_hold_credential(name, value)):
            remember_secret(value)


def remember_secret(value: str) -> None:
    """Mask this value from now on, wherever it stands. An empty one, a switch or a small number (true, 4000), or one
    that bridgecheck itself gives to adapters, is none."""
    if value.strip() and value.strip() not in OWN_KEYS and not _SWITCH.fullmatch(value.strip()):
        _VALUES[0] |= {value.strip()}


def known_secrets() -> frozenset[str]:
    """Return what was remembered."""
    return _VALUES[0]
