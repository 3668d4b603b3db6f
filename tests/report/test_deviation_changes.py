"""How entries change to accept what fails now: what is added, what is taken out, and what stays."""

from dataclasses import replace
from datetime import date
from pathlib import Path

from bridgecheck.deviations import AcceptedCases, Deviation
from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.report import Report, RunInfo
from bridgecheck.report.deviation_changes import DeviationChanges, accept_failures, group_cases
from bridgecheck.report.deviation_use import collect_failures
from bridgecheck.report.deviations_file import accept_failures_and_remove_stale
from bridgecheck.report.gate import GATING_STATUSES, Gate
from bridgecheck.report.sentences import acceptance_line, deviation_change_lines

USAGE = Verdict("response.usage", "FAIL", "usage.total is lost", (Difference("usage.total", "7", "(absent)"),))
MORE = replace(USAGE, differences=(*USAGE.differences, Difference("usage.prompt", "3", "(absent)")))
EXPECTED = Verdict("expect.outcome", "FAIL", "usage.total: expected 7, got (absent)")
TEXT = Verdict("response.text", "FAIL", "text is lost")
WARNED = Verdict("response.reasoning", "WARN", "lost")
MENDED = Verdict("response.usage", "PASS")


def _report(entries: tuple[Deviation, ...], *cases: CaseResult) -> Report:
    gate = Gate(entries, today=date(2026, 11, 20))
    info = RunInfo("mine", started="2026-11-20", planned=len(cases))
    return Report.from_results(info, map(gate.excuse_failures, cases), entries)


def _update(entries: tuple[Deviation, ...], *cases: CaseResult) -> DeviationChanges:
    report = _report(entries, *cases)
    failures = (collect_failures(report.cases, statuses) for statuses in (GATING_STATUSES, ["FAIL"]))
    return accept_failures(report.deviation_uses, *failures, "say why")


def test_every_failure_is_accepted_and_nothing_else(passing) -> None:
    cases = [
        passing("a/b", USAGE, EXPECTED),
        passing("a/b", USAGE, mode="stream"),
        passing("a/c", USAGE, client="anthropic"),
        passing("a/d", WARNED),
        passing("a/e", TEXT, path="native", client="openai-chat"),
    ]
    changes = _update((), *cases)
    assert list(changes.added.values()) == ["response.usage: usage.total is lost"] * 2
    assert [entry.direction for entry in changes.added] == ["gemini-to-openai-chat", "anthropic-to-openai-chat"]
    after = _report(changes.apply(()), *cases)
    assert [case.counted_as for case in after.cases] == ["deviation", "deviation", "deviation", "WARN", "FAIL"]
    assert {use.state for use in after.deviation_uses} == {"accepted"}
    assert _update(changes.apply(()), *cases) == DeviationChanges()


def test_a_case_fails_while_one_of_its_kinds_is_not_accepted(passing) -> None:
    rows = tuple(Difference(f"settings.{name}", "2", "(absent)") for name in ("n", "seed"))
    case = passing("a/b", Verdict("request.settings", "FAIL", "settings.n: expected 2, got (absent)", rows))
    first, second = _update((), case).added
    half = Gate((first,)).excuse_failures(case)
    assert half.counted_as == "FAIL"
    assert [(verdict.differences, bool(verdict.excuse)) for verdict in half.verdicts] == [
        ((rows[0],), True),
        ((rows[1],), False),
    ]
    assert Gate((first, second)).excuse_failures(half).counted_as == "deviation"
    assert Gate((first, second)).excuse_failures(case).counted_as == "deviation"


def test_new_cases_and_other_differences_of_a_known_failure_keep_its_reason(passing) -> None:
    old = (replace(*_update((), passing("a/b", USAGE)).added, reason="as agreed", issue="https://x"),)
    cases = [passing("a/b", MORE), passing("a/new", USAGE)]
    before = _report(old, *cases)
    assert before.exit_code == 1
    (finding,) = before.findings
    assert acceptance_line(before, finding).startswith(
        "accepted in a/b::bridged-gemini-to-openai-chat-unary-wire, where"
    )
    elsewhere = _report(old, passing("a/b", USAGE), passing("a/new", USAGE))
    assert acceptance_line(elsewhere, *elsewhere.findings) == (
        f"accepted elsewhere, not here: {old[0].name} (as agreed)"
    )
    changes = _update(old, *cases)
    (entry,) = changes.apply(old)
    assert (entry.reason, entry.issue) == ("as agreed", "https://x")
    assert list(deviation_change_lines(changes, "deviations.toml")) == [
        "deviations.toml: updated",
        f"  accepted too: {entry.name} in a/new::bridged-gemini-to-openai-chat-unary-wire",
        f"  accepted as it is now: {entry.name} in a/b::bridged-gemini-to-openai-chat-unary-wire",
    ]
    assert _report((entry,), *cases).exit_code == 0


def test_what_no_longer_fails_is_taken_out(passing) -> None:
    cases = [passing("a/b", USAGE), passing("a/c", MORE), passing("a/d", TEXT)]
    old = _update((), *cases).apply(())
    changes = _update(old, passing("a/b", MENDED), passing("a/c", USAGE), passing("a/d"))
    (entry,) = changes.apply(old)
    (line,) = entry.cases
    assert (line.scenarios, len(line.codes or ())) == (("a/c",), 2)  # of the message, and of what is still lost
    assert changes.removed == {use.name for use in old if use.check == "response.text"}
    assert [line.partition(":")[0] for line in deviation_change_lines(changes, "x")][1:] == [
        "  no longer fails or fails in less",
        "  no longer fails, taken out",
    ]


def test_an_expired_entry_is_renewed_with_its_reason(passing) -> None:
    case = passing("a/b", USAGE)
    old = (replace(*_update((), case).added, reason="for a while", expires=date(2026, 11, 1)),)
    assert _report(old, case).exit_code == 1
    (entry,) = _update(old, case).apply(old)
    assert (entry.reason, entry.expires) == ("for a while (say why)", None)
    assert _report((entry,), case).exit_code == 0


def test_an_entry_that_a_person_began_gets_its_cases(passing) -> None:
    case = passing("a/b", WARNED)
    (mark,) = collect_failures([case], ["WARN"])
    (entry,) = _update((Deviation("as agreed", mark),), case).apply((Deviation("as agreed", mark),))
    assert (entry.reason, entry.check, len(entry.cases)) == ("as agreed", "response.reasoning", 1)
    assert _report((entry,), case).cases[0].counted_as == "deviation"


def test_a_person_may_accept_anything_in_a_case_and_an_update_keeps_that(passing) -> None:
    (entry,) = _update((), passing("a/b", USAGE)).added
    entry = replace(entry, cases=(replace(entry.cases[0], codes=None),))
    assert _update((entry,), passing("a/b", MORE)) == DeviationChanges()
    assert _update((entry,), passing("a/b", MENDED)).removed == {entry.name}


def test_an_entry_by_check_gives_its_words_to_what_fails_and_is_taken_out(passing) -> None:
    by_check = Deviation("it counts itself", check="response.usage", scenario="a/*", expires=date(2027, 1, 31))
    cases = [passing("a/b", USAGE, EXPECTED), passing("a/c", USAGE), passing("b/c", TEXT)]
    report = _report((by_check,), *cases)
    assert report.exit_code == 1 and [use.state for use in report.deviation_uses] == ["without cases"]
    usage, text = _update((by_check,), *cases).apply((by_check,))
    assert (usage.reason, usage.scenario, usage.expires) == ("it counts itself", "", date(2027, 1, 31))
    assert (usage.check, text.check, text.reason) == ("response.usage", "response.text", "say why")
    after = _report((usage, text), *cases)
    assert after.exit_code == 0 and {use.state for use in after.deviation_uses} == {"accepted"}
    assert _report((usage, text), *cases, passing("a/d", USAGE)).exit_code == 1


def test_a_run_of_a_part_keeps_the_entry_by_check(passing) -> None:
    by_check = Deviation("it counts itself", check="response.usage")
    failures = collect_failures([passing("a/b", USAGE)], GATING_STATUSES)
    uses = _report((by_check,), passing("a/b", USAGE)).deviation_uses
    part = accept_failures(uses, failures, failures, "say why", is_whole=False)
    assert [entry.reason for entry in part.added] == ["it counts itself"]
    assert not part.removed and not part.replaced


def test_an_entry_by_check_lists_warnings_and_other_scenarios_have_none_of_its_words(passing) -> None:
    warned, by_check = passing("a/b", WARNED), Deviation("as agreed", check="response.reasoning", scenario="b/*")
    assert _update((by_check,), warned).removed == {by_check.name}
    (entry,) = _update((replace(by_check, scenario=""),), warned).added
    assert (entry.reason, entry.check) == ("as agreed", "response.reasoning")


def test_cases_that_fail_alike_share_a_line() -> None:
    alike, more = frozenset({"1f0c22"}), frozenset({"1f0c22", "77aa01"})
    address = "{}::bridged-openai-chat-to-gemini-{}".format
    names = [f"errors/{name}" for name in ("first", "second")]
    codes: dict[str, frozenset[str] | None] = {
        address(name, f"{mode}-{layer}"): alike
        for name in names for mode in ("unary", "stream") for layer in ("http", "sdk")
    }  # fmt: skip
    codes |= {address("errors/third", "stream-http"): alike, address("errors/third", "unary-http"): more}
    codes |= {address("vendor 7, 8", "unary-wire"): None, address("tools/one", "unary-wire"): alike}
    lines = group_cases(codes)
    assert list(map(str, lines)) == [
        "errors/{first,second}::{stream,unary}-{http,sdk} 1f0c22",
        "errors/third::stream-http 1f0c22",
        "errors/third::unary-http 1f0c22 77aa01",
        "tools/one::unary-wire 1f0c22",
        "vendor 7, 8::unary-wire *",
    ]
    entry = Deviation("x", "0" * 10, direction="openai-chat-to-gemini", cases=lines)
    assert entry.codes_by_address == codes
    many = group_cases({address(f"errors/scenario-{number}", "unary-http"): alike for number in range(30)})
    assert len(many) > 1
    assert max(len(str(line)) for line in many) <= 110
    assert isinstance(many[0], AcceptedCases)


def test_the_comment_of_an_entry_reads_as_its_finding(passing, tmp_path: Path) -> None:
    unclear = Verdict("response.text", "FAIL", 'text: expected "", got "x"', (Difference("text", '""', '"x"'),))
    clear = Verdict("response.text", "FAIL", 'text: expected "one", got "two"', (Difference("text", '"one"', '"two"'),))
    report = _report((), passing("a/b", unclear), passing("a/c", clear))
    (finding,) = report.findings
    path = tmp_path / "deviations.toml"
    accept_failures_and_remove_stale(report, Gate(()), path)
    (comment,) = (line for line in path.read_text().splitlines() if "response.text:" in line)
    assert comment == f"# response.text: {finding.one_line_summary}"
    assert "one" in finding.one_line_summary
