"""One entry of deviations.toml."""

from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version


@dataclass(frozen=True, slots=True)
class Deviation:
    """A failure that is accepted. It names a ``fingerprint``, or a ``check``, there with or without a ``scenario`` (id
    or glob); "" is what it does not name. ``example``: a case address at which the fingerprint was seen; ``seen``: all
    scenarios in which it was, () if that is not known. ``version``: PEP 440 specifiers of the adapter's versions, ""
    for any. ``expires``: the last day, None for no end."""

    reason: str
    fingerprint: str = ""
    check: str = ""
    scenario: str = ""
    example: str = ""
    seen: tuple[str, ...] = ()
    issue: str = ""
    version: str = ""
    expires: date | None = None

    @property
    def name(self) -> str:
        """``3ef68ad5f7``, ``response.usage`` or ``usage/*:response.usage``."""
        return self.fingerprint or (f"{self.scenario}:{self.check}" if self.scenario else self.check)

    def names(self, scenario: str, check: str, fingerprint: str) -> bool:
        """Whether this failure is the one meant, whatever the day and the version."""
        if self.fingerprint:
            return self.fingerprint == fingerprint
        return self.check == check and (not self.scenario or fnmatchcase(scenario, self.scenario))

    def expired(self, today: date) -> bool:
        return self.expires is not None and today > self.expires

    def is_for(self, version: str) -> bool:
        """Whether the entry is about this version of the adapter. One that cannot be read is in no range."""
        if not self.version:
            return True
        try:
            return SpecifierSet(self.version, prereleases=True).contains(Version(version))
        except InvalidVersion:
            return False
