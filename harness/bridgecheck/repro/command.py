"""``bridgecheck repro``: one finding as a text and a script for whoever has to repair it."""

import sys
from dataclasses import replace
from pathlib import Path

from bridgecheck.files import write_text
from bridgecheck.files.writable import require_writable_file
from bridgecheck.report.folder import escape_surrogates
from bridgecheck.repro.issue import write_issue
from bridgecheck.repro.loading import write_loading
from bridgecheck.repro.proof import NotProven, ScriptRun, prove_script
from bridgecheck.repro.replay import ReplayedCase, replay_case, select_case
from bridgecheck.repro.script import Script
from bridgecheck.repro.script_check_choice import choose_oracle


def write_repro(case: str, adapter: str, report: Path, output: Path | None) -> None:
    """Write both files and print their names. Raises BadReport, UnknownScenario and BadTarget where there is nothing to
    reproduce, and NotProven where the script does not show it."""
    replayed = replay_case(select_case(case, adapter, report))
    folder = report if report.is_dir() or not report.suffix else report.parent
    path = output or folder / f"repro-{replayed.finding.first_fingerprint}.md"
    require_writable_file(path, "--output")
    script, run = _write_script(replayed)
    script_path, text_path = path.with_suffix(".py"), path if path.suffix != ".py" else path.with_suffix(".md")
    write_text(script_path, escape_surrogates(run.text))
    write_text(text_path, escape_surrogates(write_issue(script, run, replayed.finding.command, script_path.name)))
    sys.stdout.write(f"Reproduced: {replayed.finding.status} {replayed.finding.check} in {replayed.key}\n")
    sys.stdout.write(f"Written: {text_path} (the text), {script_path} (the script)\n")


def _write_script(replayed: ReplayedCase) -> tuple[Script, ScriptRun]:
    """Return a script that computes what a client sends back of a response; where that does not show the finding, or
    the client is one with rules of its own, one that sends what was sent when it was found."""
    loading = write_loading(replayed.driver, replayed.key.layer)
    script = Script(replayed, choose_oracle(replayed), loading, relayed=not replayed.scenario.client_model)
    try:
        return _require_proof(script)
    except NotProven:
        if len(replayed.scenario.turns) < 2 or not script.relayed:
            raise
        return _require_proof(replace(script, relayed=False))


def _require_proof(script: Script) -> tuple[Script, ScriptRun]:
    key, command = str(script.replayed.key), script.replayed.finding.command_line
    script, run = prove_script(script)
    if run.code != 1:
        raise NotProven(f"the script does not show the fault: exit code {run.code}", key, "exit code 1", command)
    return script, run
