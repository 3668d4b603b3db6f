"""An adapter whose client side are dataclasses passes the corpus, as far as Chat Completions, through which it sends, can
express it."""

from collections import Counter

import pytest

from bridgecheck.files import scenarios, scenarios_root

from .library import UPSTREAMS, Library
from .narrow import Narrow
from .play import make_driver, play_cases

KNOWN_FAULTS = {
    "conversations/long-names-in-another-order": "does not rename functions",
    "conversations/text-behind-a-call-stays-there": "sends through Chat, which has one text a message, before its calls",
    "correlation/call-never-answered": "sends a call without a result on as it is",
    "correlation/ids-missing-from-chat": "gives no ids to calls that have none",
    "correlation/search-result-in-result": "preserves the text of a search result and not its URL",
    "provider-switch/long-ids": "does not shorten ids",
    "provider-switch/long-ids-apart": "does not shorten ids",
    "relay/legal-name-through-three-turns": "does not rename functions",
    "signatures/signed-part-stays-apart": "sends through Chat, which has one text a message",
    "signatures/text-stands-first": "sends through Chat, which has one text a message",
    "tools/custom-of-chat": "does not read streamed calls of free text",
    "tools/names-collide-when-cleaned": "does not rename functions",
    "tools/names-made-legal": "does not rename functions",
    "tools/names-restored": "does not rename functions",
    "tools/names-too-long": "does not rename functions",
}
"""Scenario -> what the library does wrong. These scenarios are not played."""

CORPUS = [scenario for scenario in scenarios(scenarios_root()) if scenario.id not in KNOWN_FAULTS]


class Silent(Narrow):
    """Loses as much, and does not declare it."""

    capabilities = Library.capabilities
    cannot_say = ()


LOST_UNDECLARED = {  # what Chat, through which it sends, cannot express either is missing: test_order_and_segments
    "response.choices", "response.media", "response.reasoning", "response.usage", "response.error", "relay.thinking", "request.turns", "request.settings",
    "request.thinking", "request.response_format", "request.tools", "request.tool_choice", "relay.signatures",
}  # fmt: skip


@pytest.mark.slow
def test_an_undeclared_loss_fails() -> None:
    driver = make_driver(Silent())
    complaining = {
        verdict.check
        for scenario in CORPUS
        for result in play_cases(driver, scenario, "bridged-outcome-to-*-wire")
        for verdict in result.verdicts
        if verdict.status in ("FAIL", "WARN")
    }
    assert complaining >= LOST_UNDECLARED


def count_statuses(library: Library, upstream: str, mode: str) -> Counter[str]:
    """Count the cases of each status; none may fail."""
    driver = make_driver(library)
    results = [
        result
        for scenario in CORPUS
        for result in play_cases(driver, scenario, f"bridged-outcome-to-{upstream}-{mode}-wire")
    ]
    wrong = [
        (str(result.key), result.verdicts)
        for result in results
        if result.status in ("FAIL", "WARN", "ERROR", "INCONCLUSIVE")
    ]
    assert not wrong
    return Counter(result.status for result in results)


POINTS = [("gemini", "stream"), ("openai-chat", "stream"), ("anthropic", "unary")]
POINTS += [(upstream, mode) for upstream in UPSTREAMS for mode in ("unary", "stream") if (upstream, mode) not in POINTS]
"""Every upstream and every mode is among the first three points; the rest are slow."""


@pytest.mark.parametrize(
    ("upstream", "mode"), POINTS[:3] + [pytest.param(*point, marks=pytest.mark.slow) for point in POINTS[3:]]
)
def test_the_corpus_passes(upstream: str, mode: str) -> None:
    counts = count_statuses(Library(), upstream, mode)
    assert counts["PASS"] > 100


@pytest.mark.parametrize(
    ("upstream", "mode"),
    [("gemini", "stream")] + [pytest.param(*point, marks=pytest.mark.slow) for point in POINTS[1:]],
)
def test_a_declared_loss_does_not_fail(upstream: str, mode: str) -> None:
    counts = count_statuses(Narrow(), upstream, mode)
    assert counts["PASS"] > 70
