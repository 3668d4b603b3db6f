"""What a scenario rests on, per dialect and mode: a live answer, an imported or edited recording, or a script. Pure:
metadata in, and the day on which ages are told."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from bridgecheck.model.counts import plural
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.model.provenance import Recording
from bridgecheck.model.scenario import file_id
from bridgecheck.wire import Dialect, JsonObject, Mode

LIVE: Final = "live"
SCRIPTED: Final = "scripted"
IMPORTED: Final = "imported"

MOST_SKEW: Final = 1
"""Days by which a date may lie in the future: clocks differ."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Of one cassette. ``source``: live, imported, edited or scripted. ``recording``: None where it says nothing more,
    as a scripted one."""

    scenario: str
    dialect: Dialect
    mode: Mode
    source: str
    recording: Recording | None = None

    @property
    def id(self) -> str:
        return f"{self.scenario} {self.dialect}.{self.mode}"

    def age_in_days(self, today: date) -> int | None:
        """Return how old the recording is; None where it has no date, or one that has not come yet."""
        return age_in_days(self.recording.recorded_at, today) if self.recording else None

    def is_older(self, days: int, today: date) -> bool:
        """Return whether this is a live recording of more than so many days, or of an unknown age."""
        age = self.age_in_days(today)
        return self.source == LIVE and (age is None or age > days)


def source_of(metadata: JsonObject) -> str:
    """Return scripted, live, imported or edited; what does not say was recorded by someone else: imported."""
    return text(metadata.get("source")) or IMPORTED


def recording_of(metadata: JsonObject) -> Recording | None:
    """Return what is said of the recording; None of a scripted one, which nobody recorded."""
    if source_of(metadata) == SCRIPTED:
        return None
    made_from = obj(metadata.get("imported_from"))
    origin = " ".join(filter(None, (text(made_from.get("format")), text(made_from.get("file")))))
    when, model, version = (_as_text(metadata.get(name)) for name in ("recorded_at", "model", "api_version"))
    found = Recording(when, model, version, origin)
    return None if found == Recording() else found


def _as_text(value: object) -> str:
    """Return a value as text: YAML reads a date without quotes as a date, and a version as a number."""
    return "" if value is None else str(value)


def provenance_of(scenario_id: str, dialect: Dialect, mode: Mode, metadata: JsonObject) -> Provenance:
    """Return what a cassette says of itself. ``scenario_id``: with or without a client model."""
    return Provenance(file_id(scenario_id), dialect, mode, source_of(metadata), recording_of(metadata))


def age_in_days(recorded_at: str, today: date) -> int | None:
    """Return whole days from the day of a recording to ``today``; None for what is no date, or none that has come."""
    try:
        age = (today - date.fromisoformat(recorded_at[:10])).days
    except ValueError:
        return None
    return None if age < -MOST_SKEW else max(age, 0)


def describe(provenance: Provenance, today: date) -> str:
    """Return ``live, gemini-2.5-flash, v1beta, 2026-11-20, 4 days old`` or ``imported from har session.har``."""
    recording = provenance.recording or Recording()
    source = f"{provenance.source} from {recording.origin}" if recording.origin else provenance.source
    parts = [source, recording.model, recording.api_version, recording.recorded_at[:10]]
    if provenance.source == LIVE or recording.recorded_at:
        age = provenance.age_in_days(today)
        parts.append("of unknown age" if age is None else days_old(age))
    return ", ".join(filter(None, parts))


def days_old(age: int) -> str:
    return f"{plural(age, 'day')} old"


def summarise(rows: Iterable[Provenance], today: date) -> str:
    """Return what several cassettes rest on in few words: ``live (3 to 12 days old), scripted``."""
    listed = list(rows)
    sources = dict.fromkeys(row.source for row in listed)
    return ", ".join(
        source + (_ages([row for row in listed if row.source == source], today) if source == LIVE else "")
        for source in sorted(sources, key=lambda source: (source != LIVE, source))
    )


def _ages(rows: list[Provenance], today: date) -> str:
    ages = sorted(age for row in rows if (age := row.age_in_days(today)) is not None)
    if not ages:
        return " (of unknown age)"
    first = f"{ages[0]} to " if ages[0] != ages[-1] else ""
    unknown = f", {len(rows) - len(ages)} of unknown age" if len(ages) < len(rows) else ""
    return f" ({first}{days_old(ages[-1])}{unknown})"
