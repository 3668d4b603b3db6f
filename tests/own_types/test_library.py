"""An adapter whose client side are dataclasses passes the corpus, where Chat, through which it asks, can say it."""

from collections import Counter

import pytest

from bridgecheck.files import scenarios, scenarios_root

from .library import UPSTREAMS, Library
from .narrow import Narrow
from .played import driver, played

ITS_OWN = {
    "correlation/call-never-answered": "sends a call without a result on as it is",
    "correlation/ids-missing-from-chat": "gives no ids of its own to calls that have none",
    "correlation/search-result-in-result": "keeps the words of a search result and not its address",
    "provider-switch/long-ids": "does not shorten ids",
    "provider-switch/long-ids-apart": "does not shorten ids",
    "relay/legal-name-through-three-turns": "does not rename functions",
    "signatures/signed-part-stays-apart": "asks through Chat, which has one text a message",
    "tools/custom-of-chat": "does not read streamed calls of free text",
    "tools/names-collide-when-cleaned": "does not rename functions",
    "tools/names-made-legal": "does not rename functions",
    "tools/names-restored": "does not rename functions",
    "tools/names-too-long": "does not rename functions",
}
"""Scenario -> what the library does wrong. They are left out."""

CORPUS = [one for one in scenarios(scenarios_root()) if one.id not in ITS_OWN]


class Silent(Narrow):
    """Loses as much, and says nothing of it."""

    capabilities = Library.capabilities
    cannot_say = ()


LOST = {  # but for what Chat, through which it asks, cannot say either: test_said_apart
    "response.choices", "response.media", "response.reasoning", "response.usage", "response.error", "relay.thinking", "request.turns", "request.settings",
    "request.thinking", "request.response_format", "request.tools", "request.tool_choice", "relay.signatures",
}  # fmt: skip


@pytest.mark.slow
def test_what_a_library_does_not_say_is_held_against_it() -> None:
    found = driver(Silent())
    seen = {
        verdict.check
        for what in CORPUS
        for one in played(found, what, "bridged-outcome-to-*-wire")
        for verdict in one.verdicts
        if verdict.status in ("FAIL", "WARN")
    }
    assert seen >= LOST


def judged(library: Library, upstream: str, mode: str) -> Counter[str]:
    """How many cases have which status; none may be wrong."""
    found = driver(library)
    results = [one for what in CORPUS for one in played(found, what, f"bridged-outcome-to-{upstream}-{mode}-wire")]
    wrong = [(str(one.key), one.verdicts) for one in results if one.status in ("FAIL", "WARN", "ERROR", "INCONCLUSIVE")]
    assert not wrong
    return Counter(one.status for one in results)


POINTS = [("gemini", "stream"), ("openai-chat", "stream"), ("anthropic", "unary")]
POINTS += [(upstream, mode) for upstream in UPSTREAMS for mode in ("unary", "stream") if (upstream, mode) not in POINTS]
"""Every upstream and every mode is among the first three; the rest is slow."""


@pytest.mark.parametrize(
    ("upstream", "mode"), POINTS[:3] + [pytest.param(*point, marks=pytest.mark.slow) for point in POINTS[3:]]
)
def test_the_corpus_passes(upstream: str, mode: str) -> None:
    counts = judged(Library(), upstream, mode)
    assert counts["PASS"] > 100


@pytest.mark.parametrize(
    ("upstream", "mode"),
    [("gemini", "stream")] + [pytest.param(*point, marks=pytest.mark.slow) for point in POINTS[1:]],
)
def test_what_it_says_it_cannot_say_is_not_held_against_a_library(upstream: str, mode: str) -> None:
    counts = judged(Narrow(), upstream, mode)
    assert counts["PASS"] > 70
