"""The process that plays for ``smoke``: an adapter may end it, crash it, print what it likes and never come back.

It says one JSON object a line on what was its standard output; what the adapter prints goes to standard error.

    {"doing": "the import of the adapter", "within": 30}  what is next, and the seconds that it may take
    {"adapter": {...}}                                    what it says of itself
    {"tried": {...}}                                      one case
    {"left": 12}                                          so many were not tried; that was all
    {"refused": {...}}                                    it cannot be done; nothing follows
    {"broken": "Traceback ..."}                           a fault of bridgecheck's own; nothing follows
"""

import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Final, TypeAlias

from bridgecheck.errors import BridgecheckError
from bridgecheck.wire import JsonObject

IMPORT_S: Final = 30.0
CASE_S: Final = 60.0
"""Seconds for one case. The adapter has less of them; but an SDK is imported with the first."""
GATEWAY_S: Final = 600.0
"""Seconds for one that may have to wait until a gateway runs: its recipe says how long that may take."""

Say: TypeAlias = Callable[[JsonObject], None]


def main(target: str) -> None:
    """Plays everything, and says so whatever becomes of it."""
    say = _speaker()
    try:
        _play(target, say)
    except BridgecheckError as error:
        say({"refused": {"code": error.code, "what": error.what, "where": error.where, "expected": error.expected,
                         "next_step": error.next_step}})  # fmt: skip
    except Exception:
        say({"broken": traceback.format_exc()})


def _play(target: str, say: Say) -> None:
    from bridgecheck.cli.smoke_lines import adapter_to_dict, tried_to_dict
    from bridgecheck.drivers.configured import load_adapter
    from bridgecheck.files import cassettes_root
    from bridgecheck.run.diagnose_process import IMPORT
    from bridgecheck.run.library import Library
    from bridgecheck.run.smoke import Smoke

    say({"doing": IMPORT, "within": IMPORT_S})
    driver = load_adapter(target)
    say({"adapter": adapter_to_dict(driver)})
    library = Library(cassettes_root())
    smoke = Smoke(driver, library)
    try:
        within = GATEWAY_S if driver.gateway else CASE_S
        for one in smoke.play(lambda trial: say({"doing": str(trial.case.key), "within": within})):
            say({"tried": tried_to_dict(one)})
    finally:
        driver.close()
        library.close()
    say({"left": smoke.left})


def _speaker() -> Say:
    """Standard output is kept for us: what else writes there, also below Python, goes to standard error."""
    sys.stdout.flush()
    line = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def say(document: JsonObject) -> None:
        line.write(json.dumps(document).encode() + b"\n")
        line.flush()

    return say
