"""The terminal output of a run."""

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from bridgecheck.errors import NO_ANTHROPIC_SDK
from bridgecheck.model.adapter import describe_unclaimed
from bridgecheck.model.verdict import STATUSES, AppliedLoss, CaseResult, Difference, Excuse, Verdict
from bridgecheck.report import Report, sentences
from bridgecheck.report.html.report_page import to_html
from bridgecheck.report.markdown import to_markdown
from bridgecheck.report.terminal import Progress, print_report

from ..deviation_entries import accept
from .sample_reports import TODAY


def render_terminal(report: Report, width: int = 80, **console: object) -> str:
    out = io.StringIO()
    print_report(Console(file=out, width=width, **console), report)
    return out.getvalue()


def test_the_last_line_is_the_verdict(report: Report, clean_report: Report) -> None:
    last = [
        render_terminal(sample).rstrip("\n").rsplit("\n", 1)[1]
        for sample in (report, clean_report, Report.from_results(report.info, []))
    ]
    assert last == [
        "NOT CONFORMANT: 3 findings, 1 error, 1 warning in 10 judged cases, 12.3 s",
        "CONFORMANT: no finding in 2 judged cases, 12.3 s",
        "NOTHING JUDGED: no finding in 0 judged cases, 12.3 s",
    ]


def test_a_run_that_judged_nothing_says_why(report: Report, passing: Callable[..., CaseResult]) -> None:
    """It printed a number, and the reason stood in report.json alone."""
    reasons = ["reasoning_effort is\nnot supported"] * 2 + ["needs tools, media_input", "x" * 300, "another"]
    idle = [
        passing(f"a/{number}", Verdict("case.applies", "NOT_APPLICABLE", reason))
        for number, reason in enumerate(reasons)
    ]
    text = render_terminal(Report.from_results(report.info, idle), 240)
    assert (
        "Nothing was judged:\n  2 cases: reasoning_effort is not supported\n  1 case: needs tools, media_input\n"
        in text
    )
    assert "x" * 190 in text and "x" * 201 not in text
    assert "  and 1 more reason, in report.json\n" in text
    assert "Nothing was judged" not in render_terminal(report)


def test_what_is_accepted_is_listed_failures_first(report: Report) -> None:
    """Of an adapter whose failures were all accepted a reader saw warnings alone."""
    accepted = Report.from_results(report.info, [
        replace(case, verdicts=tuple(replace(item, excuse=Excuse("deviation", "x")) for item in case.verdicts))
        for case in report.cases
    ])  # fmt: skip
    assert accepted.findings == () and len(accepted.accepted_findings) > 2
    for text in (render_terminal(accepted, 240), to_markdown(accepted)):
        lines = text.partition("\nAccepted:\n")[2].split("\n")[: len(accepted.accepted_findings)]
        assert [line.split()[0] for line in lines] == sorted((line.split()[0] for line in lines), key=STATUSES.index)
        assert {line.split()[2] for line in lines} == {item.first_fingerprint for item in accepted.accepted_findings}
    assert "Accepted:" not in render_terminal(report)


def test_cases_that_want_an_sdk_are_counted_and_it_is_named(report: Report, passing: Callable[..., CaseResult]) -> None:
    why = f"{NO_ANTHROPIC_SDK}: pip install 'bridgecheck[anthropic]'"
    cases = [passing("a/1"), *(passing(f"b/{n}", Verdict("case.applies", "NOT_APPLICABLE", why)) for n in range(2))]
    line = f"Not played: 2 cases: {why}"
    without = Report.from_results(report.info, cases)
    assert f"\n{line}\n" in render_terminal(without, 240)
    assert line.partition(": pip")[0] in to_markdown(without)
    assert "Not played" not in render_terminal(report)


def test_the_output_fits_eighty_columns(report: Report) -> None:
    lines = [line for line in render_terminal(report).splitlines() if cell_len(line) > 80]
    # An argument that is to be copied is not broken.
    assert [line for line in lines if not line.startswith("      --traffic ")] == []


def test_a_difference_is_shown_side_by_side_with_its_command(report: Report) -> None:
    text = render_terminal(report)
    expected = '  "units": "metric",'
    assert f'  ! {expected:36} │   "units": "imperial",' in text
    assert (
        "  $ bridgecheck run --adapter python:some.package:adapter \\\n"
        "      --scenario tools/parallel::bridged-gemini-to-openai-chat-stream-wire\n"
    ) in text


def test_sources_totals_and_losses_are_shown(report: Report) -> None:
    text = render_terminal(report, 120)
    assert "Cassettes: 9 scripted, 0 live, 0 imported, 0 edited; recorded traffic: 1 interaction" in text
    assert "1 NOT_APPLICABLE; 2 with a declared loss" in text
    assert "gemini.safetyRatings" in text


def test_losses_that_only_the_adapter_vouches_for_are_counted(report: Report) -> None:
    own = Verdict("request.settings", "PASS", losses=(AppliedLoss("types.settings.seed", "settings.seed", "no place"),))
    assert "own word" not in sentences.cases_by_status_line(report)
    more = Report.from_results(report.info, [*report.cases, replace(report.cases[0], verdicts=(own, own))])
    assert sentences.cases_by_status_line(more).endswith("; 3 with a declared loss, 1 by the adapter's own word")


def test_an_interrupted_run_states_how_much_ran(report: Report) -> None:
    cut = Report.from_results(replace(report.info, partial=True, planned=300), [])
    assert "INCOMPLETE: no finding in 0 judged cases, 12.3 s (cut off: 0 of 300 cases done)" in render_terminal(
        cut, 120
    )
    part = Report.from_results(replace(report.info, partial=True, planned=0), [])
    assert "INCOMPLETE: no finding in 0 judged cases, 12.3 s (a part of the run is missing)" in render_terminal(
        part, 120
    )


def test_outside_text_is_neither_markup_nor_control_code(report: Report, passing) -> None:
    verdict = Verdict("x", "FAIL", "[red]not red[/red] \x1b[31m")
    text = render_terminal(Report.from_results(report.info, [passing("a/b", verdict)]), 120)
    assert "[red]not red[/red] \\u001b[31m" in text
    assert "\x1b" not in text


def test_colours_only_on_a_terminal(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" in render_terminal(report, force_terminal=True)
    assert "\x1b[" not in render_terminal(report)


def test_no_color_is_honoured(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[31" not in render_terminal(report, force_terminal=True)
    assert "\x1b[1;31" not in render_terminal(report, force_terminal=True)


def test_a_wide_table_is_split(report: Report, passing) -> None:
    dialects = ("gemini", "openai-chat", "anthropic")
    cases = [
        passing(f"{'t' * 30}/{i}", client=client, upstream=upstream)
        for client in dialects
        for upstream in dialects
        for i in range(3)
    ]
    text = render_terminal(Report.from_results(report.info, cases), 70)
    assert "…" not in text
    assert text.count("t" * 30) == 2
    assert all(f"{a}>{b}" in text for a in "GOA" for b in "GOA")


def test_a_long_reason_of_a_loss_is_cut_to_the_line(report: Report, passing) -> None:
    losses = tuple(AppliedLoss(f"rule.{i}", "a", "because " * 20) for i in range(15))
    text = render_terminal(Report.from_results(report.info, [passing("a/b", Verdict("x", "PASS", losses=losses))]))
    assert [line for line in text.splitlines() if cell_len(line) > 80] == []
    assert "rule.0" in text and "…" in text
    assert "and 3 more" in text


def test_progress_without_a_terminal_is_a_few_lines(passing) -> None:
    out = io.StringIO()
    with Progress(Console(file=out, width=80), 200) as progress:
        for i in range(200):
            progress.advance(passing(f"a/{i}", Verdict("x", "FAIL" if i == 150 else "PASS")))
    assert out.getvalue().splitlines()[-3:] == [
        "160/200 cases  1 FAIL",
        "180/200 cases  1 FAIL",
        "200/200 cases  1 FAIL",
    ]
    assert len(out.getvalue().splitlines()) == 10


def test_progress_counts_an_accepted_failure_as_accepted(passing) -> None:
    """A run that ends green counted failures on its way."""
    out = io.StringIO()
    accepted = Verdict("x", "FAIL", excuse=Excuse("deviation", "known"))
    with Progress(Console(file=out, width=80), 2) as progress:
        progress.advance(passing("a/1", accepted))
        progress.advance(passing("a/2", Verdict("x", "WARN")))
    assert out.getvalue().splitlines()[-1] == "2/2 cases  1 WARN, 1 accepted"


def test_progress_on_a_terminal_is_a_bar_that_is_removed(passing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None)
    with Progress(console, 2) as progress:
        progress.advance(passing("tools/first", Verdict("x", "FAIL")))
        progress._bar.refresh()
        progress.advance(passing("tools/second"))
        progress._bar.refresh()
    text = out.getvalue()
    assert "1/2" in text and "2/2" in text and "1 FAIL" in text and "tools/second" in text


def test_progress_with_an_unknown_total_prints_nothing_without_a_terminal(passing) -> None:
    out = io.StringIO()
    with Progress(Console(file=out, width=80), 0) as progress:
        progress.advance(passing("a/b"))
    assert out.getvalue() == ""


def test_relations_are_shown_with_their_seed(report: Report) -> None:
    assert "Relations:" not in render_terminal(report)
    varied = replace(report.info, selection=(("--relations", "fast"), ("--seed", "7")))
    case = replace(report.cases[0], verdicts=(Verdict("relation.crlf", "PASS"), Verdict("relation.bytes_1", "PASS")))
    assert "Relations: fast, seed 7; 2 varied streams" in render_terminal(Report.from_results(varied, [case]))


def test_a_long_note_is_shown_below_its_path(report: Report, passing) -> None:
    note = (
        "gemini.results_apart, Google's own words in https://github.com/earendil-works/pi/issues/5528 (read 2026-11-21)"
    )
    for reason, lines in {"silent loss": 1, note: 3}.items():
        row = Difference("contents[2].parts", "as many results as calls", "refused by the provider", reason)
        shown = render_terminal(
            Report.from_results(report.info, [passing("a/b", Verdict("x", "FAIL", "differs", (row,)))])
        ).splitlines()
        start = next(at for at, line in enumerate(shown) if line.startswith("  contents[2].parts"))
        end = next(at for at, line in enumerate(shown) if line.startswith("    expected"))
        assert end - start == lines
        assert " ".join(line.strip() for line in shown[start:end]).replace("  ", " ") == f"{row.path} ({reason})"
        assert max(map(len, shown)) <= 80


def test_the_caret_lines_of_tracebacks_are_omitted(report: Report, passing) -> None:
    crash = 'Traceback\n  File "a.py", line 1, in f\n    g()[1]\n    ~~~^^^\nKeyError: 1\n'
    verdict = Verdict("adapter.completes", "FAIL", "the adapter failed: KeyError: 1")
    text = render_terminal(Report.from_results(report.info, [passing("a/b", verdict, crash=crash)]))
    assert "    g()[1]\n  KeyError: 1\n" in text


def test_a_stale_entry_that_fails_a_run_is_named(report: Report, passing) -> None:
    (entry,) = accept([passing("a/b", Verdict("response.usage", "FAIL", "lost"))], reason="mended")
    stale = Report.from_results(replace(report.info, stale="fail"), [passing("a/b")], (entry,))
    text = render_terminal(stale, 120)
    assert f"  stale: {entry.name} (mended)\n" in text
    assert "NOT CONFORMANT: 1 stale deviation in 1 judged case" in text


def test_what_is_not_claimed_is_named_with_its_cases_everywhere(report: Report, passing) -> None:
    def idle(reason: str) -> Verdict:
        return Verdict("case.applies", "NOT_APPLICABLE", reason)

    cases = [
        *report.cases,
        passing("thinking/a", idle(describe_unclaimed("mine", {"thinking"}))),
        passing("thinking/b", idle(describe_unclaimed("mine", {"tools", "thinking"}))),
        passing("thinking/c", idle("mine does not route gemini to anthropic")),
        passing("thinking/d", Verdict("case.unclaimed", "NOTE", "mine does not claim relay, but it works here")),
    ]
    found = Report.from_results(report.info, cases)
    line = "Not claimed, so not judged: thinking, tools (2 cases)"
    assert line in render_terminal(found, 120).splitlines()
    assert line in to_markdown(found).splitlines()
    page = to_html(found, TODAY)
    assert "<dt>Not claimed, so not judged</dt><dd>thinking, tools (2 cases)</dd>" in page
    assert "Not claimed" not in render_terminal(report, 120) + to_markdown(report) + to_html(report, TODAY)
