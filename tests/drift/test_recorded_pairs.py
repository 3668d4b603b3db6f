"""Pairs of real recordings of one model and endpoint: what differs between them is what was looked at in the bytes."""

from pathlib import Path

import pytest

from .draw_recorded_pairs import COUNT, SEED, draw_pairs

JUDGED = {
    ("dd-trace-py/0142", "ruby_llm/0025"),
    ("dd-trace-py/0012", "pydantic-ai/0855"),
}
"""DeepSeek and Mistral count what was cached in members of their own, since some day between the recordings."""


@pytest.mark.traffic
@pytest.mark.slow
def test_no_finding_between_real_recordings_is_a_false_alarm(traffic_folder: Path) -> None:
    pairs = list(draw_pairs(traffic_folder, SEED, COUNT))
    assert len(pairs) == COUNT
    hits = {
        (pair.old.id, pair.new.id): [finding.reason for finding in pair.findings] for pair in pairs if pair.findings
    }
    assert hits.keys() <= JUDGED, {pair: reasons for pair, reasons in hits.items() if pair not in JUDGED}
    assert hits.keys() & JUDGED, "a drift that is in the bytes was not found"
