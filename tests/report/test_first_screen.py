"""What a page says first: the verdict in one sentence, and the worst findings with what users notice."""

import pytest

from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.report import Report
from bridgecheck.report.gate import Gate
from bridgecheck.report.html.report_page import make_report_page, to_html
from bridgecheck.report.publication import FindingsAndRecipe
from bridgecheck.report.sentences import plain_verdict_sentence

from ..deviation_entries import accept
from .pagecheck import Page
from .sample_reports import TODAY, case, clean, control, info, nothing_judged, partial, sample, sample_published_finding

SEED = Verdict("request.settings", "FAIL", "lost", (Difference("settings.seed", "7", "(absent)", "silent loss"),))
ORDER = Verdict("response.reasoning", "WARN", "differs", (Difference("reasoning", '"ab"', '"a"'),))


def make_accepted(*verdicts: Verdict) -> Report:
    cases = [case(f"settings/n{n}", verdict) for n, verdict in enumerate(verdicts)]
    entries = accept(cases, "request.settings", reason="known", issue="")
    return Report.from_results(info(), map(Gate(entries, None, "1.4.0", TODAY).excuse_failures, cases), entries)


def make_stale() -> Report:
    """A run that accepts a failure which no longer occurs, and does not allow that."""
    entries = accept([case("settings/n0", SEED)], reason="known", issue="")
    return Report.from_results(info(stale="fail"), [case("settings/n0")], entries)


DAMAGED = "sample 1.4.0 loses or changes part of what passes through it: "
ONE_FAULT = "1 fault that breaks a rule of the APIs"
IN_SAMPLE = "in 7 of 9 test cases; 1 test case could not be judged because the test itself broke"


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (sample(), f"{DAMAGED}4 faults that break a rule of the APIs (1 listed as known) and 1 lesser one, {IN_SAMPLE}"),
        (clean(), "Everything that was tried passes through sample 1.4.0 unharmed: 1 test case, no fault"),
        (nothing_judged(), "Nothing is known of sample 1.4.0: none of 5 test cases came to a verdict"),
        (Report.from_results(info(), []), "Nothing is known of sample 1.4.0: no test case ran"),
        (partial(), f"So far (2 of 400 test cases done) {DAMAGED}{ONE_FAULT}, in 1 of 2 test cases"),
        (make_accepted(SEED), f"{DAMAGED}{ONE_FAULT} (listed as known), in 1 of 1 test case"),
        (Report.from_results(info(version=""), [case("a/b", ORDER)]),
            "sample breaks no rule of the APIs, but has 1 lesser fault, in 1 of 1 test case"),
    ],
)  # fmt: skip
def test_the_verdict_is_one_sentence_of_plain_english(report: Report, sentence: str) -> None:
    assert plain_verdict_sentence(report) == sentence


def test_what_fails_a_run_without_a_fault_is_said() -> None:
    demanding = Report.from_results(info(require=("live",)), [case("tools/single-call")])
    too_old = "no fault; 1 recording too old or not live, which this run does not allow"
    assert demanding.exit_code == 1 and plain_verdict_sentence(demanding).endswith(too_old)
    stale = make_stale()
    unlike = "no fault; 1 accepted fault no longer as listed, which this run does not allow"
    assert stale.exit_code == 1 and plain_verdict_sentence(stale).endswith(unlike)


def test_cases_of_the_control_are_not_counted_as_the_adapters() -> None:
    """They tell nothing of the adapter, and there are many more of them."""
    cases = [case("a/b", ORDER), *(control(f"a/{number}") for number in range(9))]
    assert plain_verdict_sentence(Report.from_results(info(), cases)).endswith("in 1 of 1 test case")
    assert plain_verdict_sentence(Report.from_results(info(), cases[1:])).endswith("9 test cases, no fault")


def first_links(report: Report, files: FindingsAndRecipe | None = None) -> list[tuple[str, str, str]]:
    page = make_report_page(report, TODAY, files) if files else make_report_page(report, TODAY)
    titles = [", ".join(item.title for item in card.published) for card in page.worst]
    return [(card.effect, title, card.directions_and_cases) for card, title in zip(page.worst, titles, strict=True)]


def test_the_three_worst_findings_come_failures_first_and_calls_before_settings() -> None:
    assert first_links(sample()) == [
        ("A tool call of the model is lost, so the tool never runs", "", "OpenAI Chat→Gemini, Anthropic→Gemini; 3 cases"),
        ("A valid request ends in an error instead of an answer: KeyError: 'text'", "", "OpenAI Chat→Gemini; 1 case"),
        ("This should hold and does not: usage/thoughts-in-completion", "", "OpenAI Chat→Gemini; 1 case"),
    ]  # fmt: skip


def test_a_published_finding_adds_its_title_and_takes_one_place() -> None:
    report = sample()
    marks = tuple(mark for finding in report.findings if finding.status == "FAIL" for mark in finding.fingerprints)
    found = first_links(
        report, FindingsAndRecipe((sample_published_finding(title="Two become one", fingerprints=marks),))
    )
    assert [title for _, title, _ in found] == ["Two become one", "", ""]


def test_the_status_of_a_published_finding_stands_wherever_it_shows() -> None:
    report = sample()
    card = make_report_page(report, TODAY).worst[0]
    marks = card.finding.fingerprints
    disputed = sample_published_finding(
        id="disputed-one", title="Two become one", fingerprints=marks[:1], status="disputed", answer="It is meant."
    )
    observed = sample_published_finding(id="observed-one", title="Two are lost", fingerprints=marks[1:])
    text = to_html(report, TODAY, FindingsAndRecipe((disputed, observed)))
    first_screen = text[text.index('id="worst-head"') : text.index('class="tiles"')]
    in_list = text[text.index(f'id="{card.id}"') :].partition("</article>")[0]
    assert len(marks) == 2
    for part in (first_screen, in_list):
        assert part.count(">DISPUTED</span>") == part.count(">OBSERVED</span>") == 1
        assert part.index(">DISPUTED</span>") < part.index("Two become one") < part.index(">OBSERVED</span>")
    assert '<a href="#published-disputed-one">' in in_list and 'id="published-disputed-one"' in text
    assert ">DISPUTED</span>" not in to_html(report, TODAY, FindingsAndRecipe((observed,)))


def test_a_finding_that_only_shares_a_consequence_is_not_called_published() -> None:
    """A fingerprint of a consequence stands in every finding that has it; the case tells which one was published."""
    report = sample()
    first, second = [card for card in make_report_page(report, TODAY).cards if card.finding.status == "FAIL"][:2]
    marks = (first.finding.fingerprints[0], second.finding.fingerprints[0])

    def ids_of_published(case: str) -> list[str]:
        published = sample_published_finding(fingerprints=marks, case=case)
        page = make_report_page(report, TODAY, FindingsAndRecipe((published,)))
        return [card.id for card in page.cards if card.published]

    assert ids_of_published(second.finding.cases[0]) == [second.id]
    assert ids_of_published("a/case::that-no-finding-has") == [first.id, second.id]


def test_errors_of_the_harness_come_last() -> None:
    broken = case("errors/rate-limit", Verdict("harness.error", "ERROR", "the socket was closed"))
    found = first_links(Report.from_results(info(), [broken, case("a/b", ORDER)]))
    assert [effect for effect, *_ in found][-1] == "The socket was closed"
    assert len(found) == 2


def test_many_directions_are_counted() -> None:
    pairs = [(a, b) for a in ("gemini", "openai-chat", "anthropic") for b in ("gemini", "openai-chat")]
    cases = [case("a/b", SEED, client=client, upstream=upstream) for client, upstream in pairs]
    ((_, _, where),) = first_links(Report.from_results(info(), cases))
    assert where == "Gemini→Gemini, Gemini→OpenAI Chat, OpenAI Chat→Gemini and 3 more directions; 6 cases"


def test_sentence_and_findings_stand_before_everything_else() -> None:
    text = to_html(sample(), TODAY)
    places = [text.index(mark) for mark in ('class="verdict ', 'id="worst-head"', 'class="tiles"', 'id="table"')]
    assert places == sorted(places)
    top = text[places[1] : places[2]]
    links = [attrs["href"] for attrs in Page(f"{top}</section>").all("a")]
    assert links == [f"#{card.id}" for card in make_report_page(sample(), TODAY).worst] + ["#findings"]
    assert "Simplest case: " in top and "✕ " in top


def test_where_nothing_was_judged_the_page_says_why() -> None:
    text = to_html(nothing_judged(), TODAY)
    assert "Why nothing was judged" in text
    assert text.index("sample does not claim images") < text.index('class="tiles"')
    assert 'href="#unjudged"' in text
    assert 'id="worst-head"' not in to_html(clean(), TODAY)
