"""What the table of losses excuses: nothing that the reference carries, but for what is listed here with its reason."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from bridgecheck.cassette.traffic import TrafficItem, read_traffic
from bridgecheck.checks import request_and_response_pairs as pairs
from bridgecheck.compare.losses import LOCATIONS, LOSSES, Ends, find_declared_loss
from bridgecheck.documented_leaves import path_keys
from bridgecheck.drivers.resolve import load_converter
from bridgecheck.ledger.command import run_ledger
from bridgecheck.ledger.matrix import Entry
from bridgecheck.ledger.play import LedgerDialectsAndSide
from bridgecheck.model.evidence import Evidence
from bridgecheck.run import traffic
from bridgecheck.run.plan import Selection

ALLOWED: Final = {
    "anthropic.error_details": "the words of an error are not judged; the reference puts all it has into them",
    "anthropic.reasoning": "thinking of earlier turns may be left out, and its signature means nothing elsewhere",
    "anthropic.signatures": "Chat documents no member for it; what has to come back is judged in turn 2",
    "anthropic.stop_sequence": "Chat documents no member for it; the reference has a carrier of its own",
    "anthropic.thinking_off": "absent is the nearest for models that refuse none; those that take it: thinking.off",
    "chat.audio": "text alone is the default; sound needs a voice that Gemini names otherwise",
    "chat.carriers": "what an adapter put on its answers; what it carried is judged in turn 2",
    "chat.refusal": "response.refusal asks for the text, unless the finish says that it was a refusal",
    "gemini.create_time": "a time of its own is right for a member that Chat requires",
    "gemini.error_details": "the words of an error are not judged",
    "gemini.include_thoughts": "Claude shows its thinking by default, up to Opus 4.6",
    "gemini.modalities": "text alone is the default; sound needs a voice that Chat names otherwise",
    "gemini.reasoning": "replayed thoughts are ignored by Chat hosts",
    "gemini.reasoning_unsigned": "thinking needs a signature of Anthropic",
    "gemini.signatures": "what has to come back is judged in turn 2",
    "gemini.signatures_of_text": "those of calls stand in their ids; what has to come back is judged in turn 2",
    "gemini.token_details": "the reference keeps sound apart, which Chat does, and loses the other kinds",
    "gemini.tool_prompt": "it is part of the prompt's tokens, which are compared",
    "gemini.validated": "auto is the nearest",
}
"""Row -> why its loss is right although something of it arrives in the reference."""


@pytest.mark.slow
def test_no_row_excuses_what_the_reference_carries() -> None:
    found: dict[str, set[str]] = {}
    for entry in run_ledger("", LedgerDialectsAndSide()).entries:
        for row in _rows_that_excuse_what_arrived(entry):
            found.setdefault(row, set()).add(f"{entry.client} > {entry.upstream}: {entry.path}")
    assert {row: leaves for row, leaves in found.items() if row not in ALLOWED} == {}
    assert sorted(ALLOWED.keys() - found.keys()) == [], "listed here, and nothing of it arrives any more"


def _rows_that_excuse_what_arrived(entry: Entry) -> set[str]:
    if entry.ends[0] == entry.ends[1] or not entry.path or entry.ruling.fate not in ("kept", "transformed"):
        return set()
    side = "request" if entry.side == "request" else "response"
    rows = (find_declared_loss(side, path, (entry.ends,)) for path in entry.ruling.paths)
    return {row.rule for row in rows if row is not None} - LOCATIONS.keys()


def test_rows_with_a_location_are_told_apart_by_their_names() -> None:
    names = [row.name for row in LOSSES]
    assert [name for name in LOCATIONS if names.count(name) > 1] == []


SAMPLE_STEP: Final = 4
"""One recording of so many is played."""
LONG: Final = 16
"""Characters of a text that does not stand somewhere by chance."""


@pytest.mark.slow
@pytest.mark.traffic
def test_no_row_excuses_recorded_leaves_that_arrive(traffic_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived: Counter[tuple[str, str]] = Counter()
    lost: set[tuple[str, str]] = set()

    def look(evidence: Evidence) -> tuple[()]:
        for ends, leaves, sent, received in _compared_leaves(evidence):
            for path, value in leaves:
                row = find_declared_loss(ends.side, f"other:{path}", ends.conversions)
                if row is not None and row.rule not in LOCATIONS and _is_telling(value, sent):
                    key = (row.rule, f"{ends.origin} > {ends.target}: {'.'.join(path_keys(path))}")
                    has_arrived = value.strip('"') in received
                    arrived[key] += has_arrived
                    lost.update(set() if has_arrived else {key})
        return ()

    monkeypatch.setattr(traffic, "judge", look)
    reference = load_converter("")
    items = [item for item in read_traffic(traffic_folder) if isinstance(item, TrafficItem)][::SAMPLE_STEP]
    for item in items:
        for case in traffic.plan(item, reference, Selection()):
            if case.key.client != case.key.upstream:
                traffic.run_case(case, item, reference)
    found = {key for key, count in arrived.items() if count and key not in lost and key[0] not in ALLOWED}
    assert found == set()
    assert len(lost) > 50


def _compared_leaves(evidence: Evidence) -> Iterator[tuple[Ends, tuple[tuple[str, str], ...], str, str]]:
    """Yield the ends, the sender's leaves, and what was sent and received as text."""
    for pair in pairs.error_free_response_pairs(evidence):
        sides = (pair.upstream_response.documents, pair.client_response.documents)
        yield (pair.ends, pair.expected.other, *(json.dumps(side, ensure_ascii=False) for side in sides))
    for pair in pairs.request_pairs(evidence):
        bodies = (pair.client_request.body, pair.upstream_request.body)
        yield (pair.ends, pair.expected.other, *(json.dumps(body, ensure_ascii=False) for body in bodies))


def _is_telling(value: str, sent: str) -> bool:
    """Return whether a leaf, as JSON, would not stand at the far side by chance: it is long, and was sent once."""
    return len(value) >= LONG and sent.count(value.strip('"')) == 1
