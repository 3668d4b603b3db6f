"""Where a gateway that runs already looks for its provider: said once, to this process and its workers."""

import os
from typing import Final

from bridgecheck.errors import BadTarget

NAME: Final = "BRIDGECHECK_UPSTREAM_PORT"
"""The variable that holds it. Commands that have no option for it, and pytest, take it from there."""


def say(port: int) -> None:
    """0: nothing is said."""
    if port:
        os.environ[NAME] = str(port)


def said(target: str) -> int:
    """Raises BadTarget if nothing was said, or no port."""
    value = os.environ.get(NAME, "")
    if value.isdecimal() and 0 < int(value) < 65536:
        return int(value)
    what = f"{NAME} is no port: {value!r}" if value else "it is not said where the gateway looks for its provider"
    expected = f"--upstream-port N or {NAME}=N, with the gateway pointed at http://127.0.0.1:N"
    raise BadTarget(what, target, expected, "a recipe with routes and upstream_port says it for good: docs/recipes.md")
