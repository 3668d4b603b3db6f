"""Runs a script: what comes out of it, twice, and whether it shows the finding.

It runs in the folder of the command, as its reader will run it, in a process of its own that can be ended.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, cast

from bridgecheck.drivers.environment import SCRUBBED_VARIABLES
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.repro.parts.verdicts import leaves
from bridgecheck.repro.replay import ReplayedCase
from bridgecheck.repro.script import Script, relation_of_finding
from bridgecheck.repro.script_check_choice import choose_oracle, still_fails
from bridgecheck.run.mask import strip_paths
from bridgecheck.secrets import mask_text
from bridgecheck.wire import JsonObject

LIMIT_S: Final = 90
EXPECTED_CALLS: Final = "relay.expected_calls"
MEMBERS: Final = {
    "requested": "requested by the client", "sent": "sent to the provider", "received": "received by the client",
}  # fmt: skip

_DUMP: Final = """\
import json, runpy, sys
script = runpy.run_path(sys.argv[1])
traffic = script[sys.argv[3]](script["load"]())
digest = script["digest"](traffic) if "digest" in script else ""
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump([traffic, digest], file)
"""


class NotProven(BridgecheckError):
    """The script does not show what bridgecheck found."""

    code = "not-reproduced"


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """``text``: of the finished script. ``output``: what it printed when it was run, without paths of the machine;
    ``code``: its exit code, 1 where the fault shows."""

    text: str
    output: str
    code: int


def prove_script(script: Script) -> tuple[Script, ScriptRun]:
    """Finish the script with what comes out of it, and run it. Raises NotProven where it breaks, or does not come to
    the same as bridgecheck."""
    with TemporaryDirectory(prefix="bridgecheck-repro-") as folder:
        path = Path(folder) / "repro.py"
        script, finished = _finish_script_and_text(script, path)
        finished = mask_text(finished)
        path.write_text(finished, encoding="utf-8")
        process = _run_python([str(path)])
        output = mask_text(strip_paths((process.stdout + process.stderr).replace(folder, ".")))
        return script, ScriptRun(finished, output, process.returncode)


def _finish_script_and_text(script: Script, path: Path) -> tuple[Script, str]:
    """Add what ``is_unchanged`` has to know; the text stays the same for the other oracles."""
    first, _ = _run_for_traffic_and_digest(script, script.text(), path)
    second, _ = _run_for_traffic_and_digest(script, script.text(), path)
    transcript = script.replayed.transcript
    if first["raised"] and not (transcript.crash or transcript.refused):
        last_line = str(first["raised"]).strip().rpartition("\n")[2]
        raise NotProven(f"the adapter breaks in the script, and not with bridgecheck: {last_line}", "", "a response")
    varying = _varying_paths(first, second)
    if script.loading.quick:
        script = _adapt_oracle_to_quick_start(script, first)
    elif script.oracle.kind != "still_raises" and relation_of_finding(script.replayed) is None:
        _check_same_traffic(first, transcript, varying, more_calls=script.replayed.finding.check == EXPECTED_CALLS)
    finished = script.text(varying)
    if script.oracle.kind == "is_unchanged":
        finished = script.text(varying, _run_for_traffic_and_digest(script, finished, path)[1])
    return script, finished


def _adapt_oracle_to_quick_start(script: Script, traffic: JsonObject) -> Script:
    """Return the script with the oracle for what came out of it: a quick start need not do what the object does that
    bridgecheck drives. Raises NotProven where nothing is wrong with it."""
    replayed = replace(script.replayed, transcript=to_transcript(script.replayed, traffic))
    if script.oracle.kind == "is_unchanged" and still_fails(replayed) is False:
        what = f"the quick start of the recipe does not show it: {replayed.finding.check} holds of what came out"
        raise NotProven(what, replayed.driver.target, "[repro] script that does what the adapter in target does")
    return replace(script, replayed=replayed, oracle=choose_oracle(replayed))


def to_transcript(replayed: ReplayedCase, traffic: JsonObject) -> CaseTranscript:
    """Return a script's traffic as checks take it. Each call to the provider had the next response, a crash none."""
    key = replayed.key
    responses = [interaction.response for interaction in replayed.cassette.decode_interactions(key.upstream, key.mode)]
    sent = [Request(key.upstream, key.mode, obj(body)) for body in arr(traffic["sent"])]
    turns = zip_longest(arr(traffic["requested"]), arr(traffic["received"]), arr(traffic["status"]))
    client: list[Interaction] = []
    for requested, received, status in turns:
        response = Response(key.client, key.mode, tuple(arr(received)), integer(status) or 200)
        client.append(Interaction(Request(key.client, key.mode, obj(requested)), response))
    upstream = tuple(Interaction(request, response) for request, response in zip(sent, responses, strict=False))
    crash = text(traffic["raised"])
    unanswered = frozenset({len(client) - 1} if crash else ())
    return CaseTranscript(client=tuple(client), upstream=upstream, crash=crash, unanswered=unanswered)


def _run_for_traffic_and_digest(script: Script, code: str, path: Path) -> tuple[JsonObject, str]:
    """Return what went over the wire, and its digest."""
    path.write_text(code, encoding="utf-8")
    dump = path.with_suffix(".json")
    process = _run_python(["-c", _DUMP, str(path), str(dump), script.play_function_name])
    if process.returncode or not dump.is_file():
        last_line = process.stderr.strip().rpartition("\n")[2] or f"it ended with exit code {process.returncode}"
        raise NotProven(f"the script does not run: {last_line}", "", "an adapter that can be reached from this folder")
    traffic, digest = json.loads(dump.read_text(encoding="utf-8"))
    dump.unlink()
    return cast(JsonObject, traffic), str(digest)


def _run_python(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in SCRUBBED_VARIABLES}
    try:
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True, text=True, errors="replace", timeout=LIMIT_S, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise NotProven(f"the script did not end within {LIMIT_S} s", "", "an end") from error


def _varying_paths(first: JsonObject, second: JsonObject) -> list[str]:
    """Return paths whose values differ from run to run: ids, times. Raises NotProven where more than values does."""
    pairs = list(zip_longest(leaves(first, ""), leaves(second, ""), fillvalue=("", None)))
    if any(before[0] != after[0] for before, after in pairs):
        raise NotProven("the adapter responds differently each time", "", "the same response to the same request")
    return sorted({before[0][1:] for before, after in pairs if before[1] != after[1]})


def _check_same_traffic(
    traffic: JsonObject, transcript: CaseTranscript, varying: list[str], *, more_calls: bool
) -> None:
    """Raise NotProven where other documents went over the wire than with bridgecheck. ``more_calls``: the adapter made
    calls that were not recorded, to which everyone may respond differently."""
    expected = {
        "requested": [turn.request.body for turn in transcript.client if turn.request is not None],
        "sent": [call.request.body for call in transcript.upstream if call.request is not None],
        "received": [list(turn.response.documents) for turn in transcript.client if turn.response.documents],
    }
    for name, description in list(MEMBERS.items())[: 1 if more_calls else None]:
        sides = [list(_mask_varying_leaves(side[name], name, varying)) for side in (expected, traffic)]
        if sides[0] != sides[1]:
            what = f"what was {description} differs in the script from what bridgecheck saw"
            raise NotProven(what, "", "an adapter that does the same for every caller")


def _mask_varying_leaves(value: object, name: str, varying: list[str]) -> Iterator[tuple[str, object]]:
    as_json = json.loads(json.dumps(value))
    return ((path, None if path in varying else leaf) for path, leaf in leaves(as_json, name))
