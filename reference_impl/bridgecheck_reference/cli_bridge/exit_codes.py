"""What the exit code of gemini-cli says (R-35).

It ends with codes of its own, and after an answer of the API with an error with that status, of which a process keeps
the remainder modulo 256. Source: @google/gemini-cli 0.61.0, observed for 400, 429 and 500 (2026-11-23).
"""

import signal
from typing import Final

_OWN_CODES: Final = {
    41: "authentication failed",
    42: "its input or options were refused",
    44: "its sandbox failed",
    52: "its configuration is invalid",
    53: "the limit of turns was reached",
    54: "a tool failed",
    55: "its folder is not trusted",
    130: "it was cancelled",
}
_FIRST_STATUS: Final = 400
_MODULUS: Final = 256


def http_status_of_exit_code(code: int) -> int | None:
    """Return the HTTP status from 400 to 511 that the code is the remainder of, None for any other code."""
    status = code + _MODULUS
    return status if code < _MODULUS and status >= _FIRST_STATUS else None


def describe_exit_code(code: int) -> str:
    """Return a clause such as ``exit code 41: authentication failed``."""
    if code < 0:
        try:
            return f"ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"ended by signal {-code}"
    if status := http_status_of_exit_code(code):
        return f"exit code {code}: HTTP status {status}"
    meaning = _OWN_CODES.get(code)
    return f"exit code {code}: {meaning}" if meaning else f"exit code {code}"
