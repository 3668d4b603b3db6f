"""``bridgecheck repro``: one finding as a text and a script for whoever has to mend it."""

import sys
from dataclasses import replace
from pathlib import Path

from bridgecheck.cassette.redact import masked
from bridgecheck.files import write_text
from bridgecheck.files.writable import make_file_writable
from bridgecheck.report.folder import encodable
from bridgecheck.repro.fault import Fault, find
from bridgecheck.repro.issue import issue
from bridgecheck.repro.load import loading
from bridgecheck.repro.meant import meant
from bridgecheck.repro.oracle import oracle
from bridgecheck.repro.proof import NotProven, Proof, proven
from bridgecheck.repro.script import Script


def write_repro(case: str, adapter: str, report: Path, output: Path | None) -> None:
    """Writes both files and says where. Raises BadReport, UnknownScenario and BadTarget where there is nothing to
    reproduce, and NotProven where the script does not show it."""
    fault = find(meant(case, adapter, report))
    folder = report if report.is_dir() or not report.suffix else report.parent
    place = output or folder / f"repro-{fault.finding.fingerprint}.md"
    make_file_writable(place, "--output")
    script, proof = _proven(fault)
    program = place.with_suffix(".py")
    place = place.with_suffix(".md") if place == program else place
    write_text(program, encodable(proof.text))
    write_text(place, encodable(issue(script, proof, fault.finding.command, program.name)))
    sys.stdout.write(f"Reproduced: {fault.finding.status} {fault.finding.check} in {fault.key}\n")
    sys.stdout.write(f"Written: {place} (the text), {program} (the script)\n")


def _proven(fault: Fault) -> tuple[Script, Proof]:
    """What a client sends back of an answer is made anew; or, where a script cannot do that, what it sent when the
    fault was found."""
    script = Script(fault, oracle(fault), loading(fault.driver, fault.key.layer))
    try:
        return _shown(script)
    except NotProven:
        if len(fault.scenario.turns) < 2:
            raise
        return _shown(replace(script, relayed=False))


def _shown(script: Script) -> tuple[Script, Proof]:
    key, again = str(script.fault.key), script.fault.finding.command_line
    script, proof = proven(script)
    if not proof.shows:
        raise NotProven(f"the script does not show the fault: exit code {proof.code}", key, "exit code 1", again)
    if masked(proof.text) != proof.text:
        raise NotProven("the script would hold what looks like a credential", key, "none")
    return script, proof
