"""Tries a script before it is handed out: its oracle on transcripts that are known, and the script on the adapter."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from bridgecheck.drivers.environment import SCRUBBED_VARIABLES
from bridgecheck.drivers.recipe import SUFFIX
from bridgecheck.model.jsonvalue import arr
from bridgecheck.report.side_by_side import clip
from bridgecheck.repro import runtime
from bridgecheck.repro.case import ScriptCase, relation_of_finding
from bridgecheck.repro.comparison import Traffic
from bridgecheck.repro.oracle import NotProven, OracleAndRight, choose_oracle
from bridgecheck.repro.replay import ReplayedCase
from bridgecheck.repro.runtime import leaves
from bridgecheck.repro.script import script_text
from bridgecheck.run.mask import strip_paths
from bridgecheck.secrets import mask_text

LIMIT_S: Final = 400
"""Seconds of one run: a gateway may take minutes to start, and the script ends by itself."""

MORE_CALLS: Final = "relay.expected_calls"
NOTHING: Final[Traffic] = {
    "requested": [], "sent": [], "received": [], "status": [], "steps": [], "raw": [], "raised": "", "plain": "",
}  # fmt: skip
_MEMBERS: Final = {
    "requested": "requested by the client", "sent": "sent to the provider", "received": "received by the client",
}  # fmt: skip
SHOWN_LENGTH: Final = 200
"""Characters of a place that differs, with its value."""
_MADE_UP: Final = re.compile(r"\.(?:created|id|system_fingerprint|responseId|createTime|tool_call_id|tool_use_id)$")
_OF_THE_CALLER: Final = re.compile(r"\.(?:args|arguments|input|response|parameters|metadata)[.\[]")
_CONCLUSIONS: Final = {0: "says that the fault does not show", 1: "says that the fault shows", 2: "says nothing"}


class DoesNotRepeat(NotProven):
    """The same case, played again, comes to something else."""

    code = "does-not-repeat"


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """``text``: of the finished script. ``output``: what it printed when it was run, without paths of the machine;
    ``code``: its exit code, 1 where the fault shows."""

    text: str
    output: str
    code: int


def prove_script(case: ScriptCase, name: str) -> tuple[ScriptCase, ScriptRun]:
    """Choose the oracle by what comes out of two runs, try it, and run the script; all in a folder of its own. Raises
    NotProven where it breaks, does not come to the same as bridgecheck, or does not show the finding."""
    with TemporaryDirectory(prefix="bridgecheck-repro-") as folder:
        path = Path(folder) / name
        first, second = (_traffic_of_run(case, path) for _ in range(2))
        replayed = case.replayed
        varying = _varying_paths(first, second, replayed)
        if relation_of_finding(replayed) is None:
            _require_same_traffic(first, replayed, varying)
        chosen = choose_oracle(replayed, first, varying)
        case = replace(case, oracle=chosen.oracle)
        try_oracle(case, chosen, first)
        text = mask_text(script_text(case, name))
        path.write_text(text, encoding="utf-8")
        process = run_script(path, case)
        output = mask_text(strip_paths((process.stdout + process.stderr).replace(folder, ".")))
    run = ScriptRun(text, output, process.returncode)
    if run.code != runtime.SHOWS:
        what = f"the script does not show the fault: exit code {run.code}: {output.strip().rpartition(chr(10))[2]}"
        raise NotProven(what, str(replayed.key), "exit code 1", replayed.finding.command_line)
    return case, run


def try_oracle(case: ScriptCase, chosen: OracleAndRight, found: Traffic) -> None:
    """Try the oracle over traffic of which it is known what it has to say. Raises NotProven that names the one where it
    says something else."""
    data = case.data()
    trials = [
        ("the transcript with the finding", found, runtime.SHOWS),
        ("a right transcript", chosen.right, runtime.DOES_NOT_SHOW),
        ("an empty transcript", NOTHING, runtime.UNKNOWN),
    ]
    for name, traffic, expected in trials:
        played = dict(traffic)
        if case.is_never_asked and name != "an empty transcript":
            played["plain"] = "reached"
        code, lines = runtime.tell(data, played)
        if code != expected:
            what = f"over {name} the script's oracle {_CONCLUSIONS[code]}: {lines[-1].partition(chr(10))[0]}"
            key, command = str(case.replayed.key), case.replayed.finding.command_line
            raise NotProven(what, key, f"an oracle that {_CONCLUSIONS[expected]}", command)


def _traffic_of_run(case: ScriptCase, path: Path) -> Traffic:
    """Run the script without an oracle of its own, and return what went over the wire."""
    asks = 0 if case.is_never_asked else 1
    unknown = {"kind": "raises", "asks": asks, "raised": "", "silent": True, "errors": True}
    path.write_text(script_text(replace(case, oracle=unknown), path.name), encoding="utf-8")
    dump = path.with_suffix(".json")
    process = run_script(path, case, "--traffic", str(dump))
    if not dump.is_file():
        printed = (process.stdout + process.stderr).strip().replace(str(path.parent), ".")
        what = printed.rpartition("Nothing can be said: ")[2].strip() or f"it ended with exit code {process.returncode}"
        raise NotProven(f"the script does not run: {what[-600:]}", "", "an adapter that can be reached from here")
    traffic = json.loads(dump.read_text(encoding="utf-8"))
    dump.unlink()
    return cast(Traffic, traffic)


def run_script(path: Path, case: ScriptCase, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a script in its own folder with the adapter's interpreter: that of its environment, else this one. Raises
    NotProven where it does not end."""
    target = case.replayed.driver.target
    folder = Path(target).parent if target.endswith(SUFFIX) else Path()
    arguments = [python_of(folder), str(path), *options]
    if not case.reach.files:
        arguments += ["--folder", str(folder.resolve())]
    environment = {name: value for name, value in os.environ.items() if name not in SCRUBBED_VARIABLES}
    environment["NODE_MODULES"] = str((folder / "node_modules").resolve())
    try:
        return subprocess.run(
            arguments, cwd=path.parent, env=environment, capture_output=True, text=True, errors="replace",
            timeout=LIMIT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise NotProven(f"the script did not end within {LIMIT_S} s", "", "an end") from error


def python_of(folder: Path) -> str:
    """Return the Python of the environment beside a recipe, this one where there is none."""
    own = folder.resolve() / ".venv/bin/python"
    return str(own) if own.exists() else sys.executable


def _varying_paths(first: Traffic, second: Traffic, replayed: ReplayedCase) -> list[str]:
    """Return paths whose values differ from run to run: ids, times. Raises DoesNotRepeat where more than values does,
    or one run breaks and the other does not."""
    broken = [runtime.describe_exception(str(traffic["raised"])) for traffic in (first, second)]
    pairs = list(zip_longest(runtime.all_leaves(first), runtime.all_leaves(second), fillvalue=("", None)))
    if broken[0] != broken[1] or any(before[0] != after[0] for before, after in pairs):
        shown = (
            f"first {broken[0] or 'a response'}, then {broken[1] or 'a response'}" if any(broken) else "other documents"
        )
        what = f"two runs of the same script differ: {shown}"
        raise DoesNotRepeat(what, str(replayed.key), "the same twice", replayed.finding.command_line)
    return sorted({before[0] for before, after in pairs if before[1] != after[1]})


def _require_same_traffic(traffic: Traffic, replayed: ReplayedCase, varying: list[str]) -> None:
    """Raise NotProven where other documents went over the wire than with bridgecheck."""
    transcript = replayed.transcript
    if traffic["raised"] and not (transcript.crash or transcript.refused):
        last_line = str(traffic["raised"]).strip().rpartition("\n")[2]
        raise NotProven(f"the adapter breaks in the script, and not with bridgecheck: {last_line}", "", "a response")
    expected: Mapping[str, list[Any]] = {
        "requested": [turn.request.body for turn in transcript.client if turn.request is not None],
        "sent": [call.request.body for call in transcript.upstream if call.request is not None],
        "received": [list(turn.response.documents) for turn in transcript.client if turn.response.documents],
    }
    more_calls = replayed.finding.check == MORE_CALLS  # to which everyone may respond differently
    for name, description in list(_MEMBERS.items())[: 1 if more_calls else None]:
        both = expected[name], _leave_out_texts(traffic[name])
        sides = [list(_mask_varying_leaves(side, name, varying)) for side in both]
        for pair in zip_longest(*sides):
            if pair[0] != pair[1]:
                what = f"what was {description} differs in the script from what bridgecheck saw"
                what += f": {_show_leaf(pair[0])} with bridgecheck, {_show_leaf(pair[1])} in the script"
                expected_adapter = "an adapter that does the same for every caller"
                raise NotProven(what, str(replayed.key), expected_adapter, replayed.finding.command_line)


def _leave_out_texts(documents_of_turns: object) -> list[object]:
    """Return what was received without bodies that are no JSON: bridgecheck keeps these as text, with its remarks."""
    return [
        item for item in arr(documents_of_turns) if not (arr(item) and all(isinstance(row, str) for row in arr(item)))
    ]


def _show_leaf(leaf: tuple[str, object] | None) -> str:
    return clip(mask_text(f"{leaf[0]} is {json.dumps(leaf[1])}"), SHOWN_LENGTH) if leaf else "nothing more"


def _mask_varying_leaves(value: object, name: str, varying: list[str]) -> Iterator[tuple[str, object]]:
    as_json = json.loads(json.dumps(value))
    for path, leaf in leaves(as_json, name):
        yield path, "(varies)" if path in varying or varies_by_nature(path) else leaf


def varies_by_nature(path: str) -> bool:
    """Return whether a field is an id or a time that whoever writes the document makes up. Two plays within one second
    have the same times and a third may not, so that no number of plays tells. What is called so within arguments and
    results of calls is the caller's."""
    return bool(_MADE_UP.search(path)) and not _OF_THE_CALLER.search(path)
