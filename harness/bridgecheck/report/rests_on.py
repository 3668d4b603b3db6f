"""What the scenarios of a run rest on, per dialect and mode, and which of it is not what the run demands."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, TypeAlias

from bridgecheck.cassette.provenance import LIVE, SCRIPTED, Provenance, describe, summarise
from bridgecheck.model.scenario import file_id
from bridgecheck.model.verdict import CaseResult
from bridgecheck.wire import DIALECTS, MODES

GateOption: TypeAlias = Literal["--max-age", "--require"]

BEFORE_TOPIC: Final = ":"
"""Stands between ``live`` and the topic that it is demanded of."""


def find_provenances(cases: Iterable[CaseResult]) -> tuple[Provenance, ...]:
    """Return a row for each cassette that cases rest on, by scenario, dialect and mode. Recorded traffic is of no
    scenario. Where a case was lost before anything was known of it, another of the same cassette tells."""
    found: dict[tuple[str, str, str], Provenance] = {}
    for case in cases:
        key = case.key
        if case.source == "traffic":
            continue
        row = Provenance(file_id(key.scenario), key.upstream, key.mode, case.source, case.recording)
        address = (row.scenario, row.dialect, row.mode)
        if address not in found or found[address].source == SCRIPTED:
            found[address] = row
    return tuple(sorted(found.values(), key=_position))


def _position(row: Provenance) -> tuple[str, int, int]:
    return row.scenario, DIALECTS.index(row.dialect), MODES.index(row.mode)


def topic_demanded(option: str) -> str:
    """Return the topic of ``live:TOPIC``, "" for all of them. Raises ValueError for anything else."""
    source, mark, topic = option.partition(BEFORE_TOPIC)
    if source != LIVE or (mark and not topic):
        raise ValueError("expected live or live:TOPIC")
    return topic


def is_demanded_live(row: Provenance, require: Sequence[str]) -> bool:
    """``require``: options as ``topic_demanded`` reads them."""
    topics = set(map(topic_demanded, require))
    return "" in topics or row.scenario.partition("/")[0] in topics


def unmet_demands(row: Provenance, max_age: int, require: Sequence[str], today: date) -> tuple[GateOption, ...]:
    """Return the options that this row fails. ``max_age``: in days, 0 for any."""
    failed: list[GateOption] = ["--max-age"] if max_age and row.is_older(max_age, today) else []
    if row.source != LIVE and is_demanded_live(row, require):
        failed.append("--require")
    return tuple(failed)


MAX_IDS: Final = 8
"""Ids in one command."""


def commands_that_record(rows: Sequence[Provenance]) -> Iterator[str]:
    """Yield the commands that bring live answers, those in place of old ones first."""
    old, missing = ([row for row in rows if (row.source == LIVE) is is_live] for is_live in (True, False))
    yield from (refresh_command(ids, _dialects_of(old)) for ids in _id_groups(old))
    for ids in _id_groups(missing):
        globs = " ".join(f"--scenario {name}" for name in ids)
        yield f"bridgecheck record {globs} {_providers(_dialects_of(missing))} --out DIR"


def refresh_command(ids: Sequence[str], dialects: Sequence[str], out: str = "DIR") -> str:
    """Return the command that records these scenarios anew; what only its user knows is in capitals. ``out``: the
    folder of the cassettes."""
    return f"bridgecheck refresh {' '.join(ids)} {_providers(dialects)} --out {out}"


def _providers(dialects: Sequence[str]) -> str:
    return " ".join(f"--live {dialect}=URL --key-env {dialect}=NAME" for dialect in dialects)


def _id_groups(rows: Sequence[Provenance]) -> list[list[str]]:
    ids = list(dict.fromkeys(row.scenario for row in rows))
    return [ids[start : start + MAX_IDS] for start in range(0, len(ids), MAX_IDS)]


def _dialects_of(rows: Sequence[Provenance]) -> list[str]:
    return [dialect for dialect in DIALECTS if any(row.dialect == dialect for row in rows)]


@dataclass(frozen=True, slots=True)
class RestsOnRow:
    """Scenarios of one topic that rest on the same. ``scenarios``: their ids; ``of_topic``: how many the topic has in
    this run. ``by_dialect``: in words, "" where nothing was played in a dialect. ``is_scripted``: nothing else."""

    topic: str
    scenarios: tuple[str, ...]
    of_topic: int
    by_dialect: tuple[str, ...]
    is_scripted: bool

    @property
    def is_whole_topic(self) -> bool:
        return len(self.scenarios) == self.of_topic > 1


def group_alike_scenarios(rows: Sequence[Provenance], today: date) -> Iterator[RestsOnRow]:
    """Yield a row for the scenarios of a topic that rest on the same in each dialect, what is not scripted alone
    first."""
    by_scenario: dict[str, list[Provenance]] = {}
    for row in rows:
        by_scenario.setdefault(row.scenario, []).append(row)
    groups: dict[tuple[str, tuple[str, ...], bool], list[str]] = {}
    for scenario, own in by_scenario.items():
        by_dialect = tuple(_describe_modes([row for row in own if row.dialect == name], today) for name in DIALECTS)
        is_scripted = all(row.source == SCRIPTED for row in own)
        groups.setdefault((scenario.partition("/")[0], by_dialect, is_scripted), []).append(scenario)
    sizes: dict[str, int] = {}
    for (topic, _, _), names in groups.items():
        sizes[topic] = sizes.get(topic, 0) + len(names)
    listed = [
        RestsOnRow(topic, tuple(names), sizes[topic], by_dialect, is_scripted)
        for (topic, by_dialect, is_scripted), names in groups.items()
    ]
    yield from sorted(listed, key=lambda row: (row.is_scripted, row.topic, row.scenarios))


MAX_NAMES: Final = 8


def name_scenarios(row: RestsOnRow) -> str:
    """Return ``tools: all 41``, or the ids, of many the first."""
    if row.is_whole_topic:
        return f"{row.topic}: all {row.of_topic}"
    more = len(row.scenarios) - MAX_NAMES
    return ", ".join(row.scenarios[:MAX_NAMES]) + (f" and {more} more of {row.topic}" if more > 0 else "")


def _describe_modes(rows: Sequence[Provenance], today: date) -> str:
    """Return what the modes of one dialect rest on: in full where it is the same, else each mode alone."""
    texts = {row.mode: describe(row, today) for row in rows}
    if len(set(texts.values())) <= 1:
        return next(iter(texts.values()), "")
    return "; ".join(f"{mode}: {description}" for mode, description in texts.items())


def live_ages(rows: Iterable[Provenance], today: date) -> str:
    """Return `` (3 to 34 days old)`` of the live ones; "" where there is none."""
    return summarise([row for row in rows if row.source == LIVE], today).removeprefix(LIVE)
