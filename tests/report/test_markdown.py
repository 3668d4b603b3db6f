"""The Markdown summary."""

from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.report import Report
from bridgecheck.report.markdown import MAX_BYTES, to_markdown


def test_the_summary_starts_with_verdict_totals_and_table(report: Report) -> None:
    text = to_markdown(report)
    assert "**NOT CONFORMANT: 3 findings, 1 error, 1 warning in 10 judged cases, 12.3 s**" in text
    assert "1 NOT\\_APPLICABLE; 2 with a declared loss" in text
    assert "| FAIL |" not in text, "the counts stand once"
    assert "| tools | 1 | 1 | 1/3 |" in text


def test_a_finding_has_its_difference_and_its_command(report: Report) -> None:
    text = to_markdown(report)
    assert "### 2. FAIL `response.tool_calls`: call 1 has the index 0 of call 0" in text
    assert '!   "units": "metric",                         |   "units": "imperial",' in text
    assert "bridgecheck run --adapter python:some.package:adapter --scenario tools/parallel::" in text
    assert "KeyError: 'text'" in text


def test_losses_and_rules_are_listed(report: Report) -> None:
    text = to_markdown(report)
    assert "| `gemini.safetyRatings` | 3 | 2 | OpenAI Chat has no place for safety ratings |" in text
    assert "| `text.segments` | 3 |" in text


def test_a_clean_run_has_no_findings(clean_report: Report) -> None:
    text = to_markdown(clean_report)
    assert "**CONFORMANT: no finding in 2 judged cases" in text
    assert "###" not in text


def test_the_summary_is_clipped_between_findings_with_a_note(report: Report, passing) -> None:
    big = Difference("a", "é" * 4000, "ü" * 4000)
    verdicts = [Verdict(f"check.{word}", "FAIL", "differs", (big,)) for word in map(chr, range(97, 123))] * 4
    many = [passing(f"a/{i}", Verdict(f"{v.check}.{i // 26}", "FAIL", "x", (big,))) for i, v in enumerate(verdicts)]
    text = to_markdown(Report.from_results(report.info, many))
    assert len(text.encode()) < MAX_BYTES
    in_full, folded = text.count("\n### "), text.count("</b> <code>check.")
    shown = in_full + folded
    assert in_full == 3 and folded > 0 and shown < len(many)
    assert f"*Clipped: {len(many) - shown} more of {len(many)} findings in report.json.*" in text


def test_outside_text_does_not_become_markup(report: Report, passing) -> None:
    verdict = Verdict("x", "FAIL", "<b>|*bold*", (Difference("p", "```\nfence", "`"),))
    text = to_markdown(Report.from_results(report.info, [passing("a/b", verdict)]))
    assert "\\<b\\>\\|\\*bold\\*" in text
    assert "\n````text\n" in text


def test_findings_behind_the_third_are_folded_under_their_headline(report: Report, passing) -> None:
    texts = ("<b>one</b>", "<b>two</b>", "<b>three</b>", "<b>four</b> *&*")
    cases = [passing("a/b", *(Verdict(f"check.{n}", "FAIL", text) for n, text in enumerate(texts)))]
    text = to_markdown(Report.from_results(report.info, cases))
    assert [line for line in text.split("\n") if "four" in line] == [
        "<details><summary>4. <b>FAIL</b> <code>check.3</code>: &lt;b&gt;four&lt;/b&gt; *&amp;*</summary>"
    ]
    assert "### 3. FAIL `check.2`: \\<b\\>three" in text
