"""What became of each accepted failure in a run: accepted, stale, expired, or not to be told."""

from dataclasses import replace
from datetime import date

import pytest

from bridgecheck.deviations import AcceptedCases, Deviation
from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.report import Report
from bridgecheck.report.deviation_changes import accept_failures
from bridgecheck.report.deviation_use import Coverage, DeviationUse, collect_failures, find_deviation_uses
from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.gate import Gate
from bridgecheck.report.sentences import deviation_lines

USAGE = Verdict("response.usage", "FAIL", "usage.total is lost", (Difference("usage.total", "7", "(absent)"),))
TEXT = Verdict("response.text", "FAIL", "text is lost")
MENDED = Verdict("response.usage", "PASS")
DIRECTION = "gemini-to-openai-chat"
MARK = "0ab3d4aefc"
HERE = (AcceptedCases(("a/b",), ("unary",), ("wire",), None),)
WITHDRAWN = (AcceptedCases(("a/withdrawn",), ("unary",), ("wire",), None),)


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        (Deviation("x", check="response.usage"), "without cases"),
        (Deviation("x", check="response.usage", expires=date(2026, 11, 19)), "expired"),
        (Deviation("x", check="response.usage", version=">=2"), "other version"),
        (Deviation("x", check="response.finish"), "stale"),
        (Deviation("x", check="response.usage", scenario="a/passes"), "stale"),
        (Deviation("x", check="response.usage", scenario="not/run"), "stale"),
        (Deviation("x", fingerprint="0" * 10), "stale"),
        (Deviation("x", MARK), "without cases"),
        (Deviation("x", MARK, "response.usage", direction=DIRECTION, cases=HERE), "accepted"),
        (Deviation("x", "0" * 10, "response.usage", direction=DIRECTION, cases=HERE), "stale"),
        (Deviation("x", "0" * 10, "response.other", direction=DIRECTION, cases=HERE), "not run"),
        (Deviation("x", "0" * 10, "response.usage", direction=DIRECTION, cases=WITHDRAWN), "stale"),
    ],
)
def test_the_state_of_an_entry_after_a_run(passing, report: Report, entry: Deviation, state: str) -> None:
    info = replace(report.info, version="1.4", selection=())
    gate = Gate((entry,), version="1.4", today=info.start_date)
    cases = [passing("a/b", USAGE), passing("a/passes"), passing("a/other", path="native", client="openai-chat")]
    assert fingerprint(cases[0], USAGE) == MARK
    made = Report.from_results(info, map(gate.excuse_failures, cases), (entry,))
    assert [use.state for use in made.deviation_uses] == [state]
    assert made.exit_code == (0 if state == "accepted" else 1)
    assert made.totals["deviation"] == (1 if state == "accepted" else 0)


def test_a_case_that_is_judged_no_longer_is_not_mended_at_its_other_layers(passing, report: Report) -> None:
    """A scenario whose capability is not claimed any more is one case, on its first layer."""
    layers = (AcceptedCases(("a/b",), ("unary",), ("wire", "sdk"), None),)
    entry = Deviation("x", "0" * 10, "response.usage", direction=DIRECTION, cases=layers)

    def state_and_stale_cases(*cases: CaseResult) -> tuple[str, int]:
        covered = Coverage.of_run(cases, (), partial=False)
        (use,) = find_deviation_uses((entry,), cases, covered, "1.4", report.info.start_date)
        return use.state, len(use.stale_cases)

    unclaimed = Verdict("case.applies", "NOT_APPLICABLE", "it does not claim thinking")
    assert state_and_stale_cases(passing("a/b", unclaimed), passing("a/passes")) == ("not run", 0)
    assert state_and_stale_cases(passing("a/passes")) == ("stale", 2)
    assert state_and_stale_cases(passing("a/b", MENDED), passing("a/b", MENDED, layer="sdk")) == ("stale", 2)


@pytest.mark.parametrize(
    ("selection", "partial", "tells"),
    [
        ((), False, True),
        ((("--traffic", "x"),), False, True),
        ((("--scenario", "a/b"),), False, False),
        ((("--tag", "usage"),), False, False),
        ((("--scenario", "a/b::*-unary-*"),), False, False),
        ((("--mode", "unary"),), False, False),
        ((("--path", "native"),), False, False),
        ((("--path", "bridged"),), False, True),
        ((("--shard", "1/2"),), False, False),
        ((), True, False),
    ],
)
def test_only_a_whole_run_makes_an_entry_without_cases_stale(passing, selection, partial, tells) -> None:
    cases = [passing("a/b")]
    covered = Coverage.of_run(cases, selection, partial)
    (use,) = find_deviation_uses([Deviation("x", check="response.usage")], cases, covered, "", date.min)
    assert use.state == ("stale" if tells else "without cases")


def _accepting(*cases: CaseResult) -> Deviation:
    failures = collect_failures(cases, ["FAIL"])
    (entry,) = accept_failures([], failures, failures, "why").added
    return entry


def _use(entry: Deviation, cases: list[CaseResult], *selection: tuple[str, str]) -> DeviationUse:
    (use,) = find_deviation_uses([entry], cases, Coverage.of_run(cases, selection, False), "", date.min)
    return use


PART = ("--mode", "unary")


def test_each_case_that_no_longer_fails_is_stale(passing) -> None:
    cases = [passing("a/b", USAGE), passing("a/b", USAGE, mode="stream"), passing("a/c", USAGE)]
    entry = _accepting(*cases)
    addresses = [str(case.key) for case in cases]
    assert _use(entry, cases) == DeviationUse(entry, "accepted", 3)
    mended = passing("a/b", MENDED, mode="stream")
    assert _use(entry, [cases[0], mended, cases[2]]) == DeviationUse(entry, "accepted", 2, (addresses[1],))
    assert _use(entry, [mended], PART) == DeviationUse(entry, "not run", 0, (addresses[1],))
    assert _use(entry, [cases[0]], PART) == DeviationUse(entry, "accepted", 1)
    assert _use(entry, [cases[0]]).stale_cases == tuple(sorted(addresses[1:]))
    all_mended = [passing("a/b", MENDED), mended, passing("a/c", MENDED)]
    assert _use(entry, all_mended, PART).state == "stale"


def test_a_case_that_fails_in_less_is_stale_in_part(passing) -> None:
    second = Difference("usage.prompt", "3", "(absent)")
    entry = _accepting(passing("a/b", replace(USAGE, differences=(*USAGE.differences, second))))
    use = _use(entry, [passing("a/b", USAGE)], PART)
    assert (use.state, use.stale_cases) == ("accepted", (f"a/b::bridged-{DIRECTION}-unary-wire",))


@pytest.mark.parametrize(
    "verdicts",
    [
        (Verdict("adapter.completes", "FAIL", "it crashed"),),
        (Verdict("harness.error", "ERROR"),),
        (Verdict("case.applies", "NOT_APPLICABLE"),),
        (Verdict("case.asked", "INCONCLUSIVE"),),
    ],
)
def test_what_was_not_judged_is_not_stale(passing, verdicts: tuple[Verdict, ...]) -> None:
    entry = _accepting(passing("a/b", USAGE))
    assert _use(entry, [passing("a/b", *verdicts)], PART) == DeviationUse(entry, "not run", 0)


def test_a_relation_that_was_not_tried_leaves_its_cases(passing) -> None:
    entry = _accepting(passing("a/b", Verdict("relation.crlf", "FAIL", "the text differs")))
    assert _use(entry, [passing("a/b")]) == DeviationUse(entry, "not run", 0)
    assert _use(entry, [passing("a/b", Verdict("relation.crlf", "PASS"))]).state == "stale"


def test_a_case_that_is_not_judged_makes_nothing_stale(passing) -> None:
    idle = passing("a/b", Verdict("case.applies", "NOT_APPLICABLE", "not claimed"))
    assert not Coverage.of_run([idle], (), False).is_complete


def test_stale_entries_fail_a_run_only_when_asked(passing, report: Report) -> None:
    entries = (Deviation("mended long ago", check="response.usage"),)
    info = replace(report.info, selection=())
    assert Report.from_results(info, [passing("a/b")], entries).exit_code == 0
    failed = Report.from_results(replace(info, stale="fail"), [passing("a/b")], entries)
    assert failed.exit_code == 1
    lines = list(deviation_lines(failed))
    assert lines[:2] == ["Deviations: 1 stale", "  stale: response.usage (mended long ago)"]


def test_entries_without_a_reason_are_counted_in_every_run(passing, report: Report) -> None:
    """Written by a command, and explained by nobody since."""
    written = Deviation("accepted on 2026-11-28 by bridgecheck init; say why", check="response.usage")
    explained = replace(written, reason="usage is not kept", check="response.text")
    (first, *_) = deviation_lines(Report.from_results(report.info, [passing("a/b")], (written, explained)))
    assert first.endswith("; 1 without a reason yet")
