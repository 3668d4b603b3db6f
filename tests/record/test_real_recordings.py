"""Every recording of a real provider, through the edge: by the official SDKs, each event confirmed before the next
is sent, and by bytes; then replayed, with the same bytes, borders and verdicts.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest
import trustme

from bridgecheck.cassette.formats.item import TrafficItem
from bridgecheck.cassette.traffic import read_traffic
from bridgecheck.wire import DIALECTS, MODES, Dialect

from .clients import CLIENTS
from .conftest import Start
from .round_trip import RoundTrip, check_received, count_figures, figures_line, record_and_replay
from .served_recordings import ServedRecording, read_served
from .verdicts import judge_recording

SEED: Final = 7
SMALL_FILE: Final = "braintrust.jsonl"
"""It has streams and other answers of every dialect."""

pytestmark = [
    pytest.mark.traffic,
    # Of the openai and anthropic SDKs, where a recorded answer has what their types have not.
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
]


def read_for_client(path: Path, client: str, dialect: Dialect) -> list[ServedRecording]:
    """Return the recordings that a client can send: an SDK those with a request in its own form, and every stream as
    events."""
    is_sdk = client != "bytes"
    every = read_served(path, SEED, as_events=is_sdk)
    return [sample for sample in every if sample.dialect == dialect and (not is_sdk or is_sent_by_sdk(sample))]


def is_sent_by_sdk(sample: ServedRecording) -> bool:
    """Return whether the official SDK can send the request as it is: google-genai counts tokens of contents, never of a
    ``generateContentRequest``, and adds contents to one."""
    return sample.has_request and b'"generateContentRequest"' not in sample.request.body


def judge_both(trips: Sequence[RoundTrip], out: Path) -> int:
    """Check that the harness judges a recording and its cassette alike; return how many verdicts there are."""
    recorded = {item.id[: item.id.index(".")]: item for item in read_traffic(out) if isinstance(item, TrafficItem)}
    count = 0
    for trip in trips:
        if trip.recorded:
            sample = trip.sample
            expected = list(judge_recording(sample.item, sample.has_request))
            assert list(judge_recording(recorded[sample.name], sample.has_request)) == expected, sample.item.id
            count += len(expected)
    return count


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_some_recordings_are_recorded_and_replayed(
    start: Start, authority: trustme.CA, tmp_path: Path, traffic_folder: Path, dialect: Dialect, client: str
) -> None:
    usable = read_for_client(traffic_folder / SMALL_FILE, client, dialect)
    chosen = [next(sample for sample in usable if sample.mode == mode) for mode in MODES]
    http = "1.1" if client == "async" else "2"
    trips = record_and_replay(start, authority, tmp_path / "out", http, chosen, CLIENTS[client])
    for trip in trips:
        check_received(trip)
    assert judge_both(trips, tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize("http", ["1.1", "2"])
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_recording_is_recorded_and_replayed(
    start: Start, authority: trustme.CA, tmp_path: Path, traffic_folder: Path, dialect: Dialect, client: str, http: str,
    record_property: Callable[[str, object], None],
) -> None:  # fmt: skip
    samples = read_for_client(traffic_folder, client, dialect)
    trips = record_and_replay(start, authority, tmp_path / "out", http, samples, CLIENTS[client])
    for trip in trips:
        if trip.recorded:
            check_received(trip)
    figures = count_figures(trips)
    if http == "2":  # over HTTP/1.1 the cassettes have the same bodies
        figures["verdicts equal"] = judge_both(trips, tmp_path / "out")
    record_property("figures", f"{dialect}, {client}, HTTP/{http}: {figures_line(figures)}")
    assert figures["recorded and replayed"] > 0.9 * figures["served"]
