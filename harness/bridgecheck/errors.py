"""Every error the judge raises on purpose.

    BridgecheckError                 code, what happened, where, what to run next
    |- RefusedAtStart                exit 2: nothing ran
    |  |- BadTarget                  --adapter names nothing that can be loaded, or a kind that does not exist yet
    |  |- UnknownScenario            --scenario or ID matches nothing
    |  |- BadScenario                a scenario breaks the schema, or its id is not its path
    |  |- BadDeviations              an entry of deviations.toml has no reason, or names what is not there
    |  |- BadRecipe                  an adapter's recipe (adapter.toml) breaks its schema
    |  |- BadProject                 [tool.bridgecheck] of a pyproject.toml has an unknown key or a wrong value
    |  |- BadRequirements            a requirement set was edited, or names what is not there
    |  |- MissingPath                a file or folder given on the command line is not there
    |  |- BadCassette                a cassette cannot be read
    |  |- MissingRecording           a scenario has no cassette for a dialect and mode it lists
    |  |- BadShard                   --shard is not I/N, or outside its range
    |  |- BadReport                  a report that cannot be read, or merged with the others
    |  |- BadFindings                a published finding lacks a field, or the report beside it does not show it
    |  |- MissingSdk                 the SDK of a dialect is an extra that is not installed
    |  `- SecretFound                something that looks like a credential would have been written
    `- HarnessError                  status ERROR for one case; the run goes on
       `- BadTraffic                 one line or interaction of a traffic file cannot be read

The message has up to four lines: what, ``at:`` where, ``expected:``, ``next:`` the command to run; after the first
stand the last lines of the adapter's process, if it wrote any.
"""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(eq=False)
class BridgecheckError(Exception):
    """Base of all. ``where`` is a file with line or JSON position, ``next_step`` a command, ``log`` what the adapter's
    process wrote last; "" when there is none."""

    what: str
    where: str = ""
    expected: str = ""
    next_step: str = ""
    log: str = ""

    code: ClassVar[str] = "error"

    def __str__(self) -> str:
        lines = [f"[{self.code}] {self.what}", *(["  its last lines:", self.log] if self.log else [])]
        lines += [
            f"  {label}: {text}"
            for label, text in (("at", self.where), ("expected", self.expected), ("next", self.next_step))
            if text
        ]
        return "\n".join(lines)


class RefusedAtStart(BridgecheckError):
    code = "refused"


class BadTarget(RefusedAtStart):
    code = "bad-target"


class UnknownScenario(RefusedAtStart):
    code = "unknown-scenario"


class BadScenario(RefusedAtStart):
    code = "bad-scenario"


class BadDeviations(RefusedAtStart):
    code = "bad-deviations"


class BadRecipe(RefusedAtStart):
    code = "bad-recipe"


class BadProject(RefusedAtStart):
    code = "bad-project"


class BadRequirements(RefusedAtStart):
    code = "bad-requirements"


class MissingPath(RefusedAtStart):
    code = "missing-path"


class BadCassette(RefusedAtStart):
    code = "bad-cassette"


class MissingRecording(RefusedAtStart):
    code = "missing-recording"


class BadShard(RefusedAtStart):
    code = "bad-shard"


class BadReport(RefusedAtStart):
    code = "bad-report"


class BadFindings(RefusedAtStart):
    code = "bad-findings"


class MissingSdk(RefusedAtStart):
    code = "missing-sdk"


class SecretFound(RefusedAtStart):
    code = "secret-found"


class HarnessError(BridgecheckError):
    code = "harness"


class BadTraffic(HarnessError):
    code = "bad-traffic"
