"""Every error the judge raises on purpose.

A ``RefusedAtStart`` ends the run before anything was played (exit 2); a ``HarnessError`` is status ERROR of one case.
The message has up to four lines: what, ``at:`` where, ``expected:``, ``next:`` the command to run; after the first
stand the last lines of the adapter's process, if it wrote any.
"""

import re
from dataclasses import dataclass
from typing import ClassVar, Final


@dataclass(eq=False)
class BridgecheckError(Exception):
    """Base of all. ``where`` is a file with line or JSON position, ``next_step`` a command, ``log`` what the adapter's
    process wrote last; "" when there is none. ``code``: the class's name as ``bad-target``, unless it sets another."""

    what: str
    where: str = ""
    expected: str = ""
    next_step: str = ""
    log: str = ""

    code: ClassVar[str] = "error"

    def __init_subclass__(cls) -> None:
        cls.code = vars(cls).get("code") or re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()

    def __str__(self) -> str:
        lines = [f"[{self.code}] {self.what}", *(["  its last lines:", self.log] if self.log else [])]
        labelled = (("at", self.where), ("expected", self.expected), ("next", self.next_step))
        return "\n".join([*lines, *(f"  {label}: {text}" for label, text in labelled if text)])


class RefusedAtStart(BridgecheckError):
    code = "refused"


class HarnessError(BridgecheckError):
    code = "harness"


class BadTarget(RefusedAtStart):
    """--adapter names nothing that can be loaded, or a kind that does not exist yet."""


class UnknownScenario(RefusedAtStart):
    """--scenario or ID matches nothing."""


class BadScenario(RefusedAtStart):
    """A scenario breaks the schema, or its id is not its path."""


class BadDeviations(RefusedAtStart):
    """An entry of deviations.toml has no reason, or names what is not there."""


class BadRecipe(RefusedAtStart):
    """An adapter's recipe (adapter.toml) breaks its schema."""


class BadProject(RefusedAtStart):
    """[tool.bridgecheck] of a pyproject.toml has an unknown key or a wrong value."""


class BadRequirements(RefusedAtStart):
    """A requirement set was edited, or names what is not there."""


class DisputedExpectation(RefusedAtStart):
    """A provider's own live answer contradicts what a scenario or a rule says it must be."""


class OldRecording(BridgecheckError):
    """A live cassette that should be recorded anew."""


class BadRequire(RefusedAtStart):
    """--require demands what there is not."""


class MissingPath(RefusedAtStart):
    """A file or folder given on the command line is not there."""


class WouldOverwrite(RefusedAtStart):
    """A file that is there would be replaced by another."""


class BadRecording(RefusedAtStart):
    """A recording cannot be read, or nothing of it can be written in another format."""


class FolderInUse(RefusedAtStart):
    """Another run writes its report into this folder."""


class BadCassette(RefusedAtStart):
    """A cassette cannot be read."""


class MissingRecording(RefusedAtStart):
    """A scenario has no cassette for a dialect and mode it lists."""


class BadShard(RefusedAtStart):
    """--shard is not I/N, or outside its range."""


class BadReport(RefusedAtStart):
    """A report that cannot be read, or merged with the others."""


class BadFindings(RefusedAtStart):
    """A published finding lacks a field, or the report beside it does not show it."""


class UnsupportedSystem(RefusedAtStart):
    """What was asked for runs on Linux and macOS only."""


class MissingSdk(RefusedAtStart):
    """The SDK of a dialect is an extra that is not installed."""


NO_ANTHROPIC_SDK: Final = "the SDK of Anthropic is not installed"
"""How the reason begins for which a case is not played without this SDK."""


class SecretFound(RefusedAtStart):
    """Something that looks like a credential would have been written."""


class ReportNotWritten(HarnessError):
    """The report, or what there is of it while cases run, cannot be written: mostly a disk that is full."""


class BadTraffic(HarnessError):
    """One line or interaction of a traffic file cannot be read."""
