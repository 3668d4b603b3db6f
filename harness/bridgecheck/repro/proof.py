"""A script, run: what comes out of it, twice, and whether it shows the fault.

It runs in the folder of the command, as its reader will run it, in a process of its own that can be ended.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, cast

from bridgecheck.drivers.environment import SCRUBBED
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.transcript import Transcript
from bridgecheck.repro.answers import relation_of, transcript
from bridgecheck.repro.focus import complains
from bridgecheck.repro.oracle import oracle
from bridgecheck.repro.parts.unchanged import leaves
from bridgecheck.repro.script import Script
from bridgecheck.run.placeless import placeless
from bridgecheck.wire import JsonObject

LIMIT_S: Final = 90
CALLS: Final = "relay.expected_calls"
TOLD: Final = {"asked": "asked by the client", "sent": "sent to the provider", "received": "received by the client"}

_DUMP: Final = """\
import json, runpy, sys
script = runpy.run_path(sys.argv[1])
seen = script["play"](script["load"]())
told = script["digest"](seen) if "digest" in script else ""
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump([seen, told], file)
"""


class NotProven(BridgecheckError):
    """The script does not show what bridgecheck saw."""

    code = "not-reproduced"


@dataclass(frozen=True, slots=True)
class Proof:
    """``text``: of the finished script. ``output``: what it printed when it was run, without paths of the machine;
    ``code``: its exit code."""

    text: str
    output: str
    code: int

    @property
    def shows(self) -> bool:
        return self.code == 1


def proven(script: Script) -> tuple[Script, Proof]:
    """Finishes the script with what comes out of it, and runs it. Raises NotProven where it breaks, or does not come to
    what bridgecheck saw."""
    with TemporaryDirectory(prefix="bridgecheck-repro-") as folder:
        place = Path(folder) / "repro.py"
        script, text = _finished(script, place)
        place.write_text(text, encoding="utf-8")
        done = _run([str(place)])
        return script, Proof(text, placeless((done.stdout + done.stderr).replace(folder, ".")), done.returncode)


def _finished(script: Script, place: Path) -> tuple[Script, str]:
    """With what the part ``unchanged`` has to know; it is the same text where that is not asked for."""
    first, _ = _dumped(script.text(), place)
    again, _ = _dumped(script.text(), place)
    if first["raised"] and not (script.fault.seen.crash or script.fault.seen.refused):
        words = str(first["raised"]).strip().rpartition("\n")[2]
        raise NotProven(f"the adapter breaks in the script, and not with bridgecheck: {words}", "", "an answer")
    varying = _varying(first, again)
    if script.loading.quick:
        script = _shown_by(script, first)
    elif script.oracle.kind != "raising" and relation_of(script.fault) is None:
        _as_seen(first, script.fault.seen, varying, calls=script.fault.finding.check == CALLS)
    text = script.text(varying)
    return script, script.text(varying, _dumped(text, place)[1]) if script.oracle.kind == "unchanged" else text


def _shown_by(script: Script, shown: JsonObject) -> Script:
    """For a quick start, which need not do what the object does that bridgecheck drives: what to look at is told from
    what came out of it. Raises NotProven where that is well."""
    fault = replace(script.fault, seen=transcript(script.fault, shown))
    if script.oracle.kind == "unchanged" and complains(fault) is False:
        what = f"the quick start of the recipe does not show it: {fault.finding.check} holds of what came out"
        raise NotProven(what, fault.driver.target, "[repro] script that does what the adapter in target does")
    return replace(script, fault=fault, oracle=oracle(fault))


def _dumped(text: str, place: Path) -> tuple[JsonObject, str]:
    """What was seen, and its digest."""
    place.write_text(text, encoding="utf-8")
    out = place.with_suffix(".json")
    done = _run(["-c", _DUMP, str(place), str(out)])
    if done.returncode or not out.is_file():
        words = done.stderr.strip().rpartition("\n")[2] or f"it ended with exit code {done.returncode}"
        raise NotProven(f"the script does not run: {words}", "", "an adapter that can be reached from this folder")
    found = json.loads(out.read_text(encoding="utf-8"))
    out.unlink()
    return cast(JsonObject, found[0]), str(found[1])


def _run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in SCRUBBED}
    try:
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True, text=True, errors="replace", timeout=LIMIT_S, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as slow:
        raise NotProven(f"the script did not end within {LIMIT_S} s", "", "an end") from slow


def _varying(first: JsonObject, again: JsonObject) -> list[str]:
    """Places whose values differ from run to run: ids, times. Raises NotProven where more than values does."""
    one, two = ([*leaves(seen, "")] for seen in (first, again))
    if [path for path, _ in one] != [path for path, _ in two]:
        raise NotProven("the adapter answers otherwise each time", "", "the same request answered alike")
    return sorted({path[1:] for (path, ours), (_, theirs) in zip(one, two, strict=True) if ours != theirs})


def _as_seen(shown: JsonObject, seen: Transcript, varying: list[str], *, calls: bool) -> None:
    """Raises NotProven where something else went over the wire than bridgecheck saw. ``calls``: the adapter made others
    than were recorded, to which everyone may have another answer."""
    judged = {
        "asked": [one.request.body for one in seen.client if one.request is not None],
        "sent": [one.request.body for one in seen.upstream if one.request is not None],
        "received": [list(one.response.documents) for one in seen.client if one.response.documents],
    }
    for name, words in list(TOLD.items())[: 1 if calls else None]:
        ours, theirs = (list(_fixed(part, name, varying)) for part in (shown[name], judged[name]))
        if ours != theirs:
            what = f"what was {words} differs in the script from what bridgecheck saw"
            raise NotProven(what, "", "an adapter that does the same for every caller")


def _fixed(value: object, name: str, varying: list[str]) -> Iterator[tuple[str, object]]:
    as_json = json.loads(json.dumps(value))
    return ((path, None if path in varying else leaf) for path, leaf in leaves(as_json, name))
