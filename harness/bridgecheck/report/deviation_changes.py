"""How the entries of deviations.toml have to change to accept what fails now."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from bridgecheck.deviations import AcceptedCases, Deviation
from bridgecheck.report.deviation_use import DeviationUse, Failure

MAX_LINE: Final = 110
"""Characters of a line of cases."""

_GROUPED: Final = re.compile(r"[\w.-]+/[\w.@-]+")
"""Scenarios that can share a line."""

CodesByAddress: TypeAlias = Mapping[str, frozenset[str] | None]
"""What may differ in each case; None for anything."""


@dataclass(frozen=True, slots=True)
class DeviationChanges:
    """How entries have to change to accept what fails. ``added``: with a line that says what it is. ``removed``: names.
    ``replaced``: those of them that named a check, whose words others have now. ``changed``: by name, entries that list
    other cases. By name of the entry, addresses: ``new_cases`` of known failures, ``other_differences`` in known cases,
    and ``stale_cases``."""

    added: Mapping[Deviation, str] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()
    changed: Mapping[str, Deviation] = field(default_factory=dict)
    new_cases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    other_differences: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stale_cases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def apply(self, entries: Sequence[Deviation]) -> tuple[Deviation, ...]:
        """Return the entries after the changes."""
        rest = [self.changed.get(entry.name, entry) for entry in entries if entry.name not in self.removed]
        return (*rest, *self.added)


def accept_failures(
    uses: Sequence[DeviationUse],
    failures: Mapping[str, Failure],
    gating: Collection[str],
    reason: str,
    *,
    is_whole: bool = True,
) -> DeviationChanges:
    """Return the changes after which the entries accept every failure, and nothing else that the run could tell of.
    ``uses``: the entries as the run left them. ``failures`` and warnings, by fingerprint; of those that are not
    ``gating`` no entry is added, but one that there is lists them. ``reason``: of new entries; an entry that applies no
    more, or that names a check, is replaced by entries with its own reason. ``is_whole``: the run left out nothing; if
    it did, an entry that names a check stays, as cases that were not played may need its words."""
    added: dict[Deviation, str] = {}
    changed: dict[str, Deviation] = {}
    new_cases: dict[str, tuple[str, ...]] = {}
    other_differences: dict[str, tuple[str, ...]] = {}
    uses_by_name = {use.entry.name: use for use in uses}
    removed = {use.entry.name for use in uses if use.state == "stale"}
    replaced: set[str] = set()
    by_check = [use.entry for use in uses if use.state == "without cases" and not use.entry.fingerprint]
    for mark, failure in failures.items():
        use = uses_by_name.get(mark)
        reasons = [entry for entry in by_check if entry.names_check(failure.check, failure.codes)]
        replaced |= {entry.name for entry in reasons if is_whole}
        if use is None or use.state in ("expired", "other version"):
            if mark in gating or reasons:
                former = [use.entry] if use else []
                added[_new_entry(mark, failure, reason, *former, *reasons)] = failure.message
                removed |= {entry.name for entry in former}
            continue
        before = use.entry.codes_by_address
        codes = _keep_any(before, failure.codes)
        new_cases[mark] = tuple(sorted(codes.keys() - before.keys()))
        other_differences[mark] = tuple(address for address in codes if _has_more(codes[address], before.get(address)))
    removed |= replaced
    for use in uses:
        mark = use.entry.name
        present = failures.get(mark)
        if not use.entry.fingerprint or mark in removed:
            continue
        before = use.entry.codes_by_address
        codes = {address: item for address, item in before.items() if address not in use.stale_cases}
        codes |= _keep_any(before, present.codes) if present else {}
        if codes != before:
            check, direction = (present.check, present.direction) if present else (use.entry.check, use.entry.direction)
            changed[mark] = replace(use.entry, check=check, direction=direction, cases=group_cases(codes))
    stale = {use.entry.name: use.stale_cases for use in uses if use.entry.name not in removed}
    return DeviationChanges(
        added,
        frozenset(removed),
        frozenset(replaced),
        changed,
        _drop_empty(new_cases),
        _drop_empty(other_differences),
        _drop_empty(stale),
    )


def _new_entry(mark: str, failure: Failure, reason: str, *former: Deviation) -> Deviation:
    """Return an entry for a failure. ``former``: entries that it takes the place of; the first has its words."""
    entry = Deviation(reason, mark, failure.check, direction=failure.direction, cases=group_cases(failure.codes))
    if not former:
        return entry
    if former[0].fingerprint:  # it applies no more
        return replace(entry, reason=f"{former[0].reason} ({reason})", issue=former[0].issue)
    return replace(entry, **{name: getattr(former[0], name) for name in ("reason", "issue", "version", "expires")})


def _keep_any(before: CodesByAddress, found: CodesByAddress) -> CodesByAddress:
    """Return what was found, but for cases in which a person accepts anything."""
    return {address: None if address in before and before[address] is None else found[address] for address in found}


def _has_more(found: frozenset[str] | None, before: frozenset[str] | None) -> bool:
    return found is not None and before is not None and not found <= before


def _drop_empty(addresses: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {name: found for name, found in addresses.items() if found}


def group_cases(codes: CodesByAddress) -> tuple[AcceptedCases, ...]:
    """Return the cases of one direction, those of a topic that fail alike as one. ``codes``: by address."""
    modes: dict[tuple[str, frozenset[str] | None], dict[str, list[str]]] = {}
    for address in sorted(codes):
        scenario, _, rest = address.rpartition("::")
        *_, mode, layer = rest.split("-")
        modes.setdefault((scenario, codes[address]), {}).setdefault(mode, []).append(layer)
    alike: dict[tuple[str, AcceptedCases], list[str]] = {}
    for (scenario, item), layers_by_mode in modes.items():
        topic = scenario.partition("/")[0] if _GROUPED.fullmatch(scenario) else scenario
        for layers in dict.fromkeys(map(tuple, layers_by_mode.values())):
            names = tuple(mode for mode, found in layers_by_mode.items() if tuple(found) == layers)
            alike.setdefault((topic, AcceptedCases((), names, layers, item)), []).append(scenario)
    return tuple(line for (_, form), scenarios in alike.items() for line in _fit_lines(form, scenarios))


def _fit_lines(form: AcceptedCases, scenarios: Sequence[str]) -> Iterator[AcceptedCases]:
    """Yield the cases in lines that can be read."""
    line = replace(form, scenarios=(scenarios[0],))
    for scenario in scenarios[1:]:
        longer = replace(line, scenarios=(*line.scenarios, scenario))
        if len(str(longer)) > MAX_LINE:
            yield line
            longer = replace(form, scenarios=(scenario,))
        line = longer
    yield line
