"""A judge that is too strict: one check of it asks for more than its rule says, and a liberty has to show that.

The edit fits its source file exactly once, so the table cannot go stale behind a refactoring.
"""

import sys
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faulty_adapters"))

from mutants import Mutant


@dataclass(frozen=True, slots=True)
class StrictJudge:
    """``edits``: (file, old, new) as of a mutant; files are below the package of the judge. ``liberty``: the adapter that
    it wrongs; ``check``: through which. ``cases``: globs of addresses that are enough to see it. ``rule``: what the rule
    says, in one sentence, and so what the edit forgets."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    liberty: str
    check: str
    cases: tuple[str, ...]
    rule: str

    @property
    def key(self) -> str:
        """A key of the entry that does not depend on its ``rule``."""
        entry = {name: value for name, value in asdict(self).items() if name != "rule"}
        return sha256(repr(entry).encode()).hexdigest()[:16]

    @property
    def mutant(self) -> Mutant:
        """The edits, to be planted."""
        edits = tuple((f"bridgecheck/{file}.py", old, new) for file, old, new in self.edits)
        return Mutant(self.name, edits, frozenset({self.check}), self.cases, "")
