"""``bridgecheck repro``: one finding as a text and a script for whoever has to repair it."""

import os
import sys
from dataclasses import replace
from pathlib import Path

from bridgecheck.errors import UnknownScenario
from bridgecheck.files import write_text
from bridgecheck.files.writable import require_writable_file
from bridgecheck.report.folder import escape_surrogates
from bridgecheck.repro.case import ScriptCase
from bridgecheck.repro.issue import write_issue
from bridgecheck.repro.oracle import NotProven
from bridgecheck.repro.proof import DoesNotRepeat, ScriptRun, prove_script
from bridgecheck.repro.reach import reach_adapter
from bridgecheck.repro.replay import ReplayedCase, SelectedCase, replay_case
from bridgecheck.repro.selection import select_case


def write_repro(case: str, adapter: str, report: Path, output: Path | None) -> None:
    """Write both files and print their names. Raises BadReport, UnknownScenario and BadTarget where there is nothing to
    reproduce, DoesNotRepeat where it fails only now and then, and NotProven where the script does not show it."""
    selected = select_case(case, adapter, report)
    replayed = replay_case(selected)
    folder = report if report.is_dir() or not report.suffix else report.parent
    path = output or folder / f"repro-{replayed.finding.first_fingerprint}.md"
    require_writable_file(path, "--output")
    script_path, text_path = path.with_suffix(".py"), path if path.suffix != ".py" else path.with_suffix(".md")
    proven, run = prove_replayed(replayed, selected, script_path)
    write_text(script_path, escape_surrogates(run.text))
    write_text(text_path, escape_surrogates(write_issue(proven, run, replayed.finding.command, script_path.name)))
    sys.stdout.write(f"Reproduced: {replayed.finding.status} {replayed.finding.check} in {replayed.key}\n")
    sys.stdout.write(f"Written: {text_path} (the text), {script_path} (the script)\n")


def prove_replayed(replayed: ReplayedCase, selected: SelectedCase, script: Path) -> tuple[ScriptCase, ScriptRun]:
    """Return a script that computes what a client sends back of a response; where that does not show the finding, or
    the client is one with rules of its own, one that sends what was sent when it was found. ``script``: where it will
    stand."""
    _require_repetition(replayed, selected)
    reach = reach_adapter(replayed.driver.target, replayed.driver.info, replayed.key.layer, replayed.driver.gateway)
    if not reach.files:
        base = Path(replayed.driver.target).parent if replayed.driver.target.endswith(".toml") else Path()
        reach = replace(reach, target={**reach.target, "folder": os.path.relpath(base, script.parent)})
    case = ScriptCase(replayed, reach, relayed=not replayed.scenario.client_model)
    try:
        return prove_script(case, script.name)
    except DoesNotRepeat:
        raise
    except NotProven:
        if len(replayed.scenario.turns) < 2 or not case.relayed or replayed.key.client == "outcome":
            raise
        return prove_script(replace(case, relayed=False), script.name)


def _require_repetition(replayed: ReplayedCase, selected: SelectedCase) -> None:
    """Play the case once more. Raises DoesNotRepeat where it does not show the finding again."""
    cause = replayed.verdicts[0]
    marks = replayed.finding.fingerprints
    again = replace(selected, address=str(replayed.key), check=cause.check, fingerprints=marks)
    try:
        replay_case(again)
    except UnknownScenario as error:
        what = f"the case shows {cause.check} in one play and not in the next: {error.what}"
        command = replayed.finding.command_line
        raise DoesNotRepeat(what, str(replayed.key), "a failure that repeats", command) from error
