"""The sentences that the terminal, the Markdown summary and the HTML page share."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bridgecheck.cassette.provenance import LIVE, describe
from bridgecheck.errors import NO_ANTHROPIC_SDK
from bridgecheck.model.counts import plural
from bridgecheck.model.scenario import file_id
from bridgecheck.model.verdict import STATUSES, Excuse, Status
from bridgecheck.report.deviation_changes import DeviationChanges
from bridgecheck.report.findings import Finding
from bridgecheck.report.headline import MOST_CHANGES
from bridgecheck.report.model import ERRORED, FAILED, JUDGED_STATUSES, NOTHING_JUDGED, Report
from bridgecheck.report.rests_on import GateOption, commands_that_record, live_ages
from bridgecheck.report.side_by_side import clip

KNOWN_FAILURES: Final = "KNOWN FAILURES"
"""The judgement on a run that fails in nothing but what is accepted."""
NOT_CLAIMED: Final = "Not claimed, so not judged: "
"""The beginning of a line that names capabilities."""

_FINDING_NOUNS: Final[dict[Status, str]] = {"FAIL": "finding", "ERROR": "error", "WARN": "warning"}
MAX_STALE_CASES: Final = 3
MAX_SKIPPED_FILES: Final = 5
COUNT_NAMES: Final[dict[str, str]] = {"deviation": "accepted"}
"""What cases are counted as, where that has another name for a reader."""
MAX_REASONS: Final = 3
MAX_ACCEPTED: Final = 10
"""Accepted findings that are listed."""
MAX_REASON: Final = 200
"""Characters of a reason why a case is not judged, or of what is accepted."""


def verdict_line(report: Report) -> str:
    """Return the verdict in one short line: judgement, findings by status, judged cases, time."""
    counts = Counter(finding.status for finding in report.findings)
    bad = [plural(counts[status], noun) for status, noun in _FINDING_NOUNS.items() if counts[status]]
    if report.stale_deviations and report.info.stale == "fail":
        bad.insert(0, plural(len(report.stale_deviations), "stale deviation"))
    too_old, not_live = _count_unmet(report, "--max-age"), _count_unmet(report, "--require")
    bad += [plural(too_old, "cassette too old", "cassettes too old")] if too_old else []
    bad += [plural(not_live, "cassette not live", "cassettes not live")] if not_live else []
    if report.accepted_findings:
        bad.append(plural(len(report.accepted_findings), "accepted finding"))
    found = ", ".join(bad) or "no finding"
    judged = sum(case.status in JUDGED_STATUSES for case in report.cases)
    time = seconds_or_minutes(report.info.seconds)
    return f"{_judgement_word(report)}: {found} in {plural(judged, 'judged case')}, {time}{_partial_note(report)}"


def plain_verdict_sentence(report: Report) -> str:
    """Return what came out, for a reader who has never heard of this judge, without a full stop: ``sample 1.4.0 loses
    or changes part of what passes through it: 3 faults that break a rule of the APIs, in 5 of 11 test cases``."""
    name = " ".join(filter(None, (report.info.adapter, report.info.version))) or "this adapter"
    judged = _count_judged_bridged_cases(report)
    every = (*report.findings, *report.newer_findings, *report.accepted_findings)
    faults, lesser = ([finding for finding in every if finding.status == status] for status in ("FAIL", "WARN"))
    hit = len({address for finding in (*faults, *lesser) for address in finding.cases})
    where = f"in {hit} of {plural(judged, 'test case')}"
    cut_off = f"so far ({len(report.cases)} of {plural(report.info.planned, 'test case')} done) "
    so_far = cut_off if report.info.partial else ""
    if not judged:
        tried = (
            f"none of {plural(len(report.cases), 'test case')} came to a verdict"
            if report.cases
            else "no test case ran"
        )
        sentence = f"{so_far}nothing is known of {name}: {tried}"
    elif faults:
        broken = f"{plural(len(faults), 'fault')} that {'break' if len(faults) > 1 else 'breaks'} a rule of the APIs"
        more = f" and {plural(len(lesser), 'lesser one')}" if lesser else ""
        accepted = _name_accepted(sum(finding in report.accepted_findings for finding in faults), len(faults))
        sentence = f"{so_far}{name} loses or changes part of what passes through it: {broken}{accepted}{more}, {where}"
    elif lesser:
        sentence = f"{so_far}{name} breaks no rule of the APIs, but has {plural(len(lesser), 'lesser fault')}, {where}"
    else:
        sentence = (
            f"{so_far}everything that was tried passes through {name} unharmed: {plural(judged, 'test case')}, no fault"
        )
    return (sentence if sentence.startswith(name) else sentence[0].upper() + sentence[1:]) + _name_other_failures(
        report
    )


def _count_judged_bridged_cases(report: Report) -> int:
    """Return how many judged cases went through the adapter, all of them where none did: the control tells nothing of
    it, and would make its failures look rare."""
    paths = Counter(case.key.path for case in report.cases if case.status in JUDGED_STATUSES)
    return paths["bridged"] or paths.total()


def _name_accepted(accepted: int, faults: int) -> str:
    """Return how many of the faults are in the adapter's own file of accepted failures; "" for none."""
    if not accepted:
        return ""
    if accepted == faults:
        return " (listed as known)" if faults == 1 else " (all listed as known)"
    return f" ({accepted} listed as known)"


def _name_other_failures(report: Report) -> str:
    """Return what else fails a run that is none of the adapter's faults: ``; 2 cases of the test itself broke``."""
    errors = report.totals["ERROR"]
    stale = len(report.stale_deviations) if report.info.stale == "fail" else 0
    return "".join(
        f"; {plural(count, noun)} {what}"
        for count, noun, what in (
            (errors, "test case", "could not be judged because the test itself broke"),
            (stale, "accepted fault", "no longer as listed, which this run does not allow"),
            (len(report.unmet_demands), "recording", "too old or not live, which this run does not allow"),
        )
        if count
    )


def cases_by_status_line(report: Report) -> str:
    """``Cases: 1204 PASS, 3 FAIL, 40 NOT_APPLICABLE; 12 with a declared loss, 3 by the adapter's own word``: what is
    not 0, passed first."""
    totals = report.totals
    ordered = dict.fromkeys(("PASS", *STATUSES))
    shown = [f"{totals[status]} {status}" for status in ordered if totals[status]]
    if totals["deviation"]:
        shown.append(f"{totals['deviation']} accepted")
    if totals["newer"]:
        shown.append(f"{totals['newer']} newer than {report.info.requirements}")
    loss = f"; {totals['loss']} with a declared loss" if totals["loss"] else ""
    by_adapter = report.cases_with_losses_by_adapter
    word = f", {by_adapter} by the adapter's own word" if by_adapter else ""
    return f"Cases: {', '.join(shown) or 'none'}{loss}{word}"


def unclaimed_line(report: Report) -> str:
    """Return ``Not claimed, so not judged: parallel_tools, thinking (63 cases)``; "" where nothing was left out."""
    missing = report.missing_claims_of_cases
    names = sorted({name for names in missing for name in names})
    return f"{NOT_CLAIMED}{', '.join(names)} ({plural(len(missing), 'case')})" if missing else ""


def missing_sdk_line(report: Report) -> str:
    """Return how many cases were not played for want of an SDK, and how to install it; "" for none."""
    reasons = (verdict.message for case in report.cases for verdict in case.verdicts[:1])
    missing = [reason for reason in reasons if reason.startswith(NO_ANTHROPIC_SDK)]
    return f"Not played: {plural(len(missing), 'case')}: {missing[0]}" if missing else ""


def accepted_finding_lines(report: Report) -> Iterator[str]:
    """Yield what is accepted, a line each with its fingerprint, failures first; the deviations say why."""
    accepted = sorted(report.accepted_findings, key=lambda finding: STATUSES.index(finding.status))
    if accepted:
        yield "Accepted:"
    for finding in accepted[:MAX_ACCEPTED]:
        summary = clip(" ".join(finding.one_line_summary.split()), MAX_REASON)
        cases = plural(len(finding.cases), "case")
        yield f"  {finding.status} {finding.check} {finding.first_fingerprint} in {cases}: {summary}"
    if more := remainder_note(len(accepted), MAX_ACCEPTED, "finding"):
        yield f"  {more}, in report.html"


def unjudged_lines(report: Report) -> Iterator[str]:
    """Yield why nothing was judged, the commonest reasons first; nothing for a run that judged something."""
    if report.exit_code != NOTHING_JUDGED or not report.cases:
        return
    reasons = Counter(verdict.message for case in report.cases for verdict in case.verdicts[:1])
    yield "Nothing was judged:"
    for reason, count in reasons.most_common(MAX_REASONS):
        yield f"  {plural(count, 'case')}: {clip(' '.join(reason.split()) or 'no check applied', MAX_REASON)}"
    if more := remainder_note(len(reasons), MAX_REASONS, "reason"):
        yield f"  {more}, in report.json"


def finding_cells_line(finding: Finding) -> str:
    """Return where a finding shows, ``in 12 cases of 3 scenarios: G>O 6 unary, 4 stream; A>O 2 stream``, and what it
    does there that the case that is shown does not."""
    columns: dict[str, list[str]] = {}
    for cell in finding.cells:
        columns.setdefault(cell.column, []).append(f"{cell.cases} {cell.mode}")
    shown = "; ".join(f"{name} {', '.join(counts)}" for name, counts in columns.items())
    more = remainder_note(len(finding.elsewhere), MOST_CHANGES)
    rest = f"; elsewhere also: {'; '.join(finding.elsewhere[:MOST_CHANGES])}{f'; {more}' if more else ''}"
    scenarios = {file_id(case.partition("::")[0]) for case in finding.cases}
    of_several = f" of {plural(len(scenarios), 'scenario')}" if len(scenarios) > 1 else ""
    return f"in {plural(len(finding.cases), 'case')}{of_several}: {shown}{rest if finding.elsewhere else ''}"


def explained_checks_line(finding: Finding) -> str:
    """Return what else fails because of it: ``also fails: expect.wire 3, law.fold 1``; "" if nothing does."""
    shown = ", ".join(f"{check} {count}" for check, count in finding.explained_checks)
    return f"also fails: {shown}" if shown else ""


def findings_by_status_line(report: Report) -> str:
    """Return ``Findings: 3 FAIL, 1 WARN, 2 accepted``; what is wrong, each counted once."""
    counts = Counter(finding.status for finding in report.findings)
    shown = [f"{counts[status]} {status}" for status in STATUSES if counts[status]]
    shown += [f"{len(report.accepted_findings)} accepted"] if report.accepted_findings else []
    return f"Findings: {', '.join(shown) or 'none'}"


def name_excuse(excuse: Excuse) -> str:
    """Return why a failure does not gate."""
    return f"accepted deviation {excuse.by}" if excuse.kind == "deviation" else f"newer than {excuse.by}"


def deviation_lines(report: Report) -> Iterator[str]:
    """Yield the state of the entries of deviations.toml: their number by state, then those that want a look."""
    counts = Counter(use.state for use in report.deviation_uses)
    if counts:
        unexplained = sum(use.entry.is_unexplained for use in report.deviation_uses)
        note = f"; {unexplained} without a reason yet" if unexplained else ""
        yield "Deviations: " + ", ".join(f"{count} {state}" for state, count in counts.items()) + note
    for use in report.deviation_uses:
        if use.state in ("stale", "expired", "without cases"):
            until = f", until {use.entry.expires}" if use.state == "expired" else ""
            yield f"  {use.state}: {use.entry.name}{until} ({use.entry.reason})"
        elif use.stale_cases:
            yield f"  stale: {use.entry.name} in {_shorten_list(use.stale_cases)} ({use.entry.reason})"
    run = shlex.join(("bridgecheck", "run", *report.info.options_to_repeat))
    if report.stale_deviations:
        yield f"  next: {run} --update-deviations removes what is stale"
    if "without cases" in counts:
        yield f"  next: {run} --update-deviations writes the cases; without any nothing is accepted"


def deviation_change_lines(changes: DeviationChanges, path: str) -> Iterator[str]:
    """Yield what an update of the accepted failures did: what is new, then what is no longer there."""
    lines = [f"  accepted: {entry.name}, {message}" for entry, message in changes.added.items()]
    for what, addresses in (
        ("accepted too", changes.new_cases),
        ("accepted as it is now", changes.other_differences),
        ("no longer fails or fails in less", changes.stale_cases),
    ):
        lines += [f"  {what}: {name} in {_shorten_list(found)}" for name, found in addresses.items()]
    lines += [f"  its words stand in entries that list cases: {name}" for name in sorted(changes.replaced)]
    mended = changes.removed - changes.replaced - {entry.name for entry in changes.added}
    lines += [f"  no longer fails, taken out: {name}" for name in sorted(mended)]
    yield f"{path}: {'updated' if lines else 'nothing to change'}"
    yield from lines


def acceptance_line(report: Report, finding: Finding) -> str:
    """Return how an open finding is like one that is accepted: in other cases, or in another form; "" if it is not."""
    entries = [use.entry for use in report.deviation_uses if use.entry.name in finding.fingerprints]
    if not entries:
        return ""
    listed = frozenset[str]().union(*(entry.codes_by_address for entry in entries))
    here = [case for case in finding.cases if case in listed]
    names, reason = ", ".join(entry.name for entry in entries), entries[0].reason
    if not here:
        return f"accepted elsewhere, not here: {names} ({reason})"
    return f"accepted in {_shorten_list(here)}, where something else differs now: {names} ({reason})"


def _shorten_list(addresses: Sequence[str]) -> str:
    more = remainder_note(len(addresses), MAX_STALE_CASES)
    return ", ".join(addresses[:MAX_STALE_CASES]) + (f" {more}" if more else "")


def newer_finding_lines(report: Report) -> Iterator[str]:
    """Yield the findings that do not gate yet."""
    if report.newer_findings:
        yield f"Newer than {report.info.requirements}, gates with the next set:"
    for finding in report.newer_findings:
        yield f"  {finding.status} {finding.check}: {finding.one_line_summary} ({finding_cells_line(finding)})"


def accept_advice(report: Report) -> str:
    """Return how an adapter with failures and without deviations can be gated all the same; "" for others."""
    is_for_init = report.info.target.startswith(("python:", "command:")) or report.info.target.endswith(".toml")
    if report.exit_code != FAILED or report.deviation_uses or not is_for_init:
        return ""
    return f"Next: fix them, or accept today's failures: bridgecheck init --adapter {report.info.target}"


def recordings_line(report: Report) -> str:
    """Return the recordings by source, all four kinds of cassette always named, the live ones with their age, traffic
    when there was any."""
    ages = {LIVE: live_ages(report.rests_on, report.info.start_date)}
    cassettes = [row for row in report.sources if row.source != "traffic"]
    shown = [f"{row.recordings} {row.source}{ages.get(row.source, '')}" for row in cassettes]
    traffic = [plural(row.recordings, "interaction") for row in report.sources if row.source == "traffic" and row.cases]
    return "Cassettes: " + ", ".join(shown) + (f"; recorded traffic: {traffic[0]}" if traffic else "")


MAX_UNMET: Final = 20


def unmet_demand_lines(report: Report) -> Iterator[str]:
    """Yield the cassettes that --max-age or --require fails, each with the command that records it live."""
    for option, what in (
        ("--max-age", f"Live cassettes older than {plural(report.info.max_age, 'day')}"),
        ("--require", f"Not live, and required by {' '.join(report.info.require)}"),
    ):
        rows = [row for row, options in report.unmet_demands.items() if option in options]
        if not rows:
            continue
        yield f"{what}: {len(rows)}"
        yield from (f"  {row.id}: {describe(row, report.info.start_date)}" for row in rows[:MAX_UNMET])
        if more := remainder_note(len(rows), MAX_UNMET):
            yield f"  {more} in report.json"
        yield from (f"  next: {command}" for command in commands_that_record(rows))


def _count_unmet(report: Report, option: GateOption) -> int:
    return sum(option in options for options in report.unmet_demands.values())


def chosen_relations_line(report: Report) -> str:
    """Return ``Relations: fast, seed 0; 3021 varied streams``; "" for a run without."""
    chosen = dict(report.info.selection)
    tried = sum(verdict.check.startswith("relation.") for case in report.cases for verdict in case.verdicts)
    if "--relations" not in chosen:
        return ""
    relations = f"Relations: {chosen['--relations']}, seed {chosen.get('--seed', '0')}"
    return f"{relations}; {plural(tried, 'varied stream')}"


def recording_relation_and_count_lines(report: Report) -> Iterator[str]:
    """Yield what stands above the verdict: recordings, relations and missing claims if there are any, findings,
    totals."""
    lines = (
        recordings_line, chosen_relations_line, unclaimed_line, missing_sdk_line, findings_by_status_line,
        cases_by_status_line,
    )  # fmt: skip
    yield from filter(None, (line(report) for line in lines))


def adapter_line(report: Report) -> str:
    """Return which adapter was judged: name, version, target."""
    info = report.info
    return " ".join(filter(None, (info.adapter, info.version, f"({info.target})" if info.target else "")))


def skipped_files(files: Sequence[Path]) -> str:
    """Return what was passed over in folders of recordings, with the first names."""
    names = ", ".join(file.name for file in files[:MAX_SKIPPED_FILES])
    more = ", ..." if len(files) > MAX_SKIPPED_FILES else ""
    return f"skipped {plural(len(files), 'file')} without recordings ({names}{more})"


def seconds_or_minutes(seconds: float) -> str:
    """Return ``0.4 s``, ``12.3 s``, ``2 min 05 s``."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60:02} s"


def remainder_note(items: int, shown: int, noun: str = "") -> str:
    """Return ``and 3 more`` for a list that was cut short, ``and 3 more findings`` with a noun; "" for a whole one."""
    more = items - shown
    return f"and {plural(more, f'more {noun}') if noun else f'{more} more'}" if more > 0 else ""


def _judgement_word(report: Report) -> str:
    if report.exit_code == FAILED:
        return "NOT CONFORMANT"
    if report.exit_code == ERRORED:
        return "INCOMPLETE" if report.info.partial else "ERROR"
    if report.exit_code == NOTHING_JUDGED:
        return "NOTHING JUDGED"
    return KNOWN_FAILURES if report.accepted_findings else "CONFORMANT"


def _partial_note(report: Report) -> str:
    if not report.info.partial:
        return ""
    if len(report.cases) >= report.info.planned:
        return " (a part of the run is missing)"
    return f" (cut off: {len(report.cases)} of {plural(report.info.planned, 'case')} done)"
