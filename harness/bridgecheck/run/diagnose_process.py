"""What went wrong around the cases: no such adapter, or the process that played them ended, fell silent or broke."""

from collections.abc import Mapping
from typing import Final

from bridgecheck.run.diagnose import Diagnosis
from bridgecheck.run.symptoms import Whose
from bridgecheck.run.told import last_lines

IMPORT: Final = "the import of the adapter"
"""What is done before the first case."""


def of_refusal(error: Mapping[str, str]) -> Diagnosis:
    """There is no such adapter, or its recipe is wrong. ``error``: code, what, where, expected and next_step of a
    BridgecheckError."""
    rows = [("at", error.get("where", "")), ("expected", error.get("expected", ""))]
    whose: Whose = "harness" if error.get("code") == "harness" else "configuration"
    shown = tuple((label, line) for label, line in rows if line)
    return Diagnosis(whose, error.get("code", ""), error.get("what", ""), shown, error.get("next_step", ""), "all")


def of_death(doing: str, how: str, said: str) -> Diagnosis:
    """The process that played ended before its time. ``how``: "exited with code 9"; ``said``: its last lines."""
    whose: Whose = "configuration" if doing == IMPORT else "adapter"
    cause = f"the adapter ended the process it was in: it {how} during {doing}"
    rows = tuple(("said", line) for line in last_lines(said))
    return Diagnosis(whose, "dies", cause, rows, "look for sys.exit, os._exit or a native library", "all")


def of_silence(doing: str, within: float, said: str) -> Diagnosis:
    """Nothing more was heard of the process that played."""
    cause = f"nothing was heard of the adapter for {within:g} s, during {doing}"
    rows = tuple(("said", line) for line in last_lines(said))
    return Diagnosis("adapter", "hangs", cause, rows, "look for what it waits for: a lock, input, a network", "all")


def of_fault(trace: str) -> Diagnosis:
    """A fault of bridgecheck's own."""
    lines = [line for line in trace.splitlines() if line.strip()]
    return Diagnosis("harness", "fault", f"bridgecheck itself failed: {lines[-1] if lines else 'without a word'}",
                     tuple(("said", line) for line in lines[-5:-1]), "bridgecheck doctor", "all")  # fmt: skip
