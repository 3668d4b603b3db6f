"""A published finding: one root cause in one adapter, with all that has to be known before it may be shown to others.

docs/publishing.md has the conditions; ``findings.toml`` beside a report holds them."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

FindingStatus: TypeAlias = Literal["observed", "disputed", "confirmed", "fixed"]
Provoked: TypeAlias = Literal["recorded", "documented"]

FINDING_MEANS: Final[dict[FindingStatus, str]] = {
    "observed": "bridgecheck saw it; the maintainers have said nothing of it that is known",
    "disputed": "the maintainers disagree, and it is not decided; their answer stands beside it",
    "confirmed": "the maintainers agree that it is a fault",
    "fixed": "mended in a version that is newer than the one this report is of",
}


@dataclass(frozen=True, slots=True)
class Published:
    """``fingerprints``: of the report's findings that have this cause. ``case``: the address of the simplest that shows
    it. ``why``: why it is the adapter's. ``provoked_source``: where the provoking bytes were recorded or are
    documented. ``witness``: who else shows the damage. ``tracker``: "" where no thread is known. ``answer``: of the
    maintainers, "" where there is none. ``line``: where it stands in the file."""

    id: str
    title: str
    fingerprints: tuple[str, ...]
    case: str
    why: str
    provoked_by: Provoked
    provoked_source: str
    witness: str
    documentation: str
    status: FindingStatus
    tracker: str = ""
    answer: str = ""
    line: int = 1

    @property
    def repro_path_in_folder(self) -> str:
        """Where ``bridgecheck html`` writes the script that shows it without bridgecheck, beside ``findings.toml``."""
        return f"repro/{self.id}.py"
