"""The process that plays the cases of ``smoke``: an adapter may end it, crash it, print anything and never return.

It sends one JSON object per line on its standard output; what the adapter prints goes to standard error.

    {"activity": "the import of the adapter", "timeout": 30}  what comes next, and the seconds that it may take
    {"adapter": {...}}                                        how the adapter describes itself
    {"trial": {...}}                                          one played case
    {"skipped": 12}                                           number of cases that were not played; the last message
    {"refused": {...}}                                        the diagnosis of an error; the last message
    {"failed": "Traceback ..."}                               a fault of bridgecheck itself; the last message
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
"""Seconds for one try of a case besides those that the adapter gets: the first one imports an SDK."""
GATEWAY_S: Final = 600.0
"""Seconds for a case that may have to wait until a gateway runs: its recipe says how long that may take."""

Send: TypeAlias = Callable[[JsonObject], None]


def main(target: str, upstream_port: int) -> None:
    """Play everything, and send the result whatever happens."""
    send = _redirect_output()
    try:
        _play(target, upstream_port, send)
    except BridgecheckError as error:
        from bridgecheck.model.case_json import to_json_value
        from bridgecheck.smoke.diagnosis import diagnose_refusal

        send({"refused": to_json_value(diagnose_refusal(error))})
    except Exception:
        send({"failed": traceback.format_exc()})


def _play(target: str, upstream_port: int, send: Send) -> None:
    from bridgecheck.drivers.resolve import load_option_or_project_adapter
    from bridgecheck.files import cassettes_root
    from bridgecheck.model.case_json import to_json_value
    from bridgecheck.run.library import Library
    from bridgecheck.run.longer_limits import LONGER_LIMITS
    from bridgecheck.smoke.diagnosis import IMPORT
    from bridgecheck.smoke.result import routes_and_claims_of_adapter
    from bridgecheck.smoke.trials import TrialRunner

    send({"activity": IMPORT, "timeout": IMPORT_S})
    driver = load_option_or_project_adapter(target, upstream_port)
    send({"adapter": to_json_value(routes_and_claims_of_adapter(driver))})
    library = Library(cassettes_root())
    runner = TrialRunner(driver, library)
    timeout = (GATEWAY_S if driver.gateway else CASE_S) + LONGER_LIMITS[-1] * driver.timeout
    try:
        for result in runner.play(lambda trial: send({"activity": str(trial.case.key), "timeout": timeout})):
            send({"trial": to_json_value(result)})
    finally:
        driver.close()
        library.stop_edge()
    send({"skipped": runner.skipped})


def _redirect_output() -> Send:
    """Keep standard output for our messages, and send everything else that is written there, also below Python, to
    standard error."""
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def send(message: JsonObject) -> None:
        output.write(json.dumps(message).encode() + b"\n")
        output.flush()

    return send
