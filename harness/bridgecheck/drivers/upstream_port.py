"""The port where a gateway that is already running calls its provider: an option of commands, else a variable."""

import os
from typing import Final

from bridgecheck.errors import BadTarget

NAME: Final = "BRIDGECHECK_UPSTREAM_PORT"
"""The environment variable of commands that have no option for it."""


def find_upstream_port(option: int, target: str) -> int:
    """Return ``option``, or for 0 the port in the environment. Raises BadTarget if there is none either, or no
    port."""
    value = str(option) if option else os.environ.get(NAME, "")
    if value.isdecimal() and 0 < int(value) < 65536:
        return int(value)
    what = f"{NAME} is no port: {value!r}" if value else "the port where the gateway calls its provider is not set"
    expected = f"--upstream-port N or {NAME}=N, with the gateway configured to call http://127.0.0.1:N"
    raise BadTarget(what, target, expected, "or write a recipe with routes and upstream_port: docs/recipes.md")
