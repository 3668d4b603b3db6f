"""docs/traffic.md has the form that its script writes; its figures are of some run and are not checked here."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from bridgecheck.model.verdict import AppliedLoss, CaseResult, Verdict
from bridgecheck.report import Report, RunInfo

ROOT = Path(__file__).resolve().parents[2]
TOTAL = AppliedLoss("gemini.total", "usage.total", "Anthropic gives no total")


@pytest.fixture(name="script")
def _script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import write_traffic

    return write_traffic


@pytest.fixture(name="sample")
def _sample(passing: Callable[..., CaseResult]) -> Report:
    lossy = Verdict("response.usage", "PASS", losses=(TOTAL, TOTAL), rules=("usage.highest",))
    broken = Verdict("response.text", "FAIL", "lost")
    ends = {"source": "traffic", "where": "traffic/vendor.jsonl:7"}
    return Report.from_results(
        RunInfo("reference", "0.1.0"),
        [
            passing("vendor/0007", path="native", client="gemini", upstream="gemini", **ends),
            passing("vendor/0007", lossy, client="anthropic", upstream="gemini", **ends),
            passing("vendor/0008", lossy, client="anthropic", upstream="gemini", source="traffic", where="traffic/x:8"),
            passing(
                "vendor/0008", broken, client="openai-chat", upstream="gemini", source="traffic", where="traffic/x:8"
            ),
            passing("tools/of-the-corpus", broken),
        ],
    )


def test_totals_by_pair_loss_and_rule(script: ModuleType, sample: Report) -> None:
    assert (
        script.page(sample)
        == script.HEAD
        + """
2 interactions, 4 cases.

## By pair

| Client > upstream | Cases | ERROR | FAIL | PASS | With a declared loss |
| --- | --- | --- | --- | --- | --- |
| anthropic > gemini | 2 | 0 | 0 | 2 | 2 |
| gemini > gemini, native | 1 | 0 | 0 | 1 | 0 |
| openai-chat > gemini | 1 | 0 | 1 | 0 | 0 |
| all | 4 | 0 | 1 | 3 | 2 |

## By declared loss

| Loss | Times | Cases | Pairs | Reason |
| --- | --- | --- | --- | --- |
| gemini.total | 4 | 2 | anthropic > gemini | Anthropic gives no total |

## By rule

How often a right answer was another than the plainest one.

| Rule | Times |
| --- | --- |
| usage.highest | 2 |
| text.segments | 1 |
"""
    )


def test_the_page_has_this_form_and_no_failure(script: ModuleType) -> None:
    page = (ROOT / "docs" / "traffic.md").read_text(encoding="utf-8")
    assert page.startswith(script.HEAD)
    assert re.search(r"^\| all \| \d+ \| 0 \| 0 \|", page, re.MULTILINE), "a run with failures was written down"
    heads = ["## By pair", "## By declared loss", "## By rule"]
    assert [line for line in page.splitlines() if line.startswith("## ")] == heads
    pairs = set(re.findall(r"^\| ([a-z-]+ > [a-z-]+) \| ", page, re.MULTILINE))
    assert len(pairs) == 9
