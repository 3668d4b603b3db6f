"""The version of an adapter, as a command of its own says it."""

import json
import os
import re
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bridgecheck.drivers.child import Child, NotStarted, environment
from bridgecheck.drivers.placeholders import filled
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

VERSION_S: Final = 30.0
VERSIONS: Final = "BRIDGECHECK_VERSIONS"
"""Variable with the versions that were asked for already, JSON: worker processes need not ask again."""

_VERSION: Final = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")


def version_of(recipe: JsonObject, here: Path) -> str:
    """What ``version_command`` prints that looks like a version; "" if it is not there, fails or prints none."""
    values = {"here": str(here), "python": sys.executable}
    command = [filled(text(part), values) for part in arr(recipe.get("version_command"))]
    if not command:
        return ""
    known = obj(json.loads(os.environ.get(VERSIONS, "{}")))
    name = json.dumps(command)
    if name not in known:
        known[name] = _asked(command, here)
        os.environ[VERSIONS] = json.dumps(known)
    return text(known[name])


def _asked(command: list[str], here: Path) -> str:
    with TemporaryDirectory(prefix="bridgecheck-", ignore_cleanup_errors=True) as home:
        try:
            child = Child(command, env=environment(Path(home)), cwd=here)
        except NotStarted:
            return ""
        deadline = time.monotonic() + VERSION_S
        while not child.ended and time.monotonic() < deadline:
            time.sleep(0.02)
        child.stop()
        found = _VERSION.search(child.log.text())
    return found[0] if found else ""
