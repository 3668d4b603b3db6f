"""Recorded through the edge by gateways of reports/, which ask it as their provider, and replayed to them: what they
did is judged alike twice.
"""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
import trustme

from bridgecheck.wire import MODES, Dialect

from ..conftest import ROOT
from .conftest import Start
from .gateway_client import gateway_client
from .round_trip import count_figures, figures_line, record_and_replay
from .served_recordings import ServedRecording, read_served
from .test_real_recordings import SEED, SMALL_FILE

ROUTES: Final[tuple[tuple[Dialect, Dialect], ...]] = (
    ("openai-chat", "gemini"), ("anthropic", "openai-chat"), ("gemini", "anthropic"),
)  # fmt: skip
"""Of clients and providers: each provider once."""

pytestmark = pytest.mark.traffic


def answers_of(path: Path, upstream: Dialect) -> list[ServedRecording]:
    samples = read_served(path, SEED)
    return [sample for sample in samples if sample.dialect == upstream and sample.item.operation == "generate"]


def check(
    start: Start, authority: trustme.CA, out: Path, adapter: str, route: tuple[Dialect, Dialect],
    samples: list[ServedRecording],
) -> Counter[str]:  # fmt: skip
    """Return the figures."""
    recipe = ROOT / "reports" / adapter / "adapter.toml"
    if (recipe.parent / "requirements.txt").exists() and not (recipe.parent / ".venv" / ".ready").exists():
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop(f"not installed: make reports/{adapter}/.venv/.ready")
    verdicts = 0
    with gateway_client(recipe, *route) as client:
        trips = record_and_replay(start, authority, out, "2", samples, client)
        for trip in trips:
            if trip.recorded:
                assert trip.replayed is not None
                recorded, response = trip.recorded[-1], trip.sample.item.interaction.response
                live = client.judge(trip.sample, trip.live, trip.sent[-1], response)
                played = recorded.response(trip.sample.dialect, trip.sample.mode)
                assert client.judge(trip.sample, trip.replayed, recorded.request, played) == live, trip.sample.item.id
                verdicts += len(live)
    figures = count_figures(trips)
    figures["verdicts equal"] = verdicts
    return figures


def test_a_gateway_records_and_replays(
    start: Start, authority: trustme.CA, tmp_path: Path, traffic_folder: Path
) -> None:
    route = ROUTES[0]
    usable = answers_of(traffic_folder / SMALL_FILE, route[1])
    samples = [next(sample for sample in usable if sample.mode == mode) for mode in MODES]
    figures = check(start, authority, tmp_path / "out", "bridgecheck-reference", route, samples)
    assert figures["recorded and replayed"] == 2 and figures["verdicts equal"]


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ["bridgecheck-reference", "llm-rosetta"])
@pytest.mark.parametrize("route", ROUTES, ids="-to-".join)
def test_a_gateway_records_and_replays_every_answer(
    start: Start, authority: trustme.CA, tmp_path: Path, traffic_folder: Path, adapter: str,
    route: tuple[Dialect, Dialect], record_property: Callable[[str, object], None],
) -> None:  # fmt: skip
    samples = answers_of(traffic_folder, route[1])
    figures = check(start, authority, tmp_path / "out", adapter, route, samples)
    record_property("figures", f"{adapter}, {' to '.join(route)}: {figures_line(figures)}")
    assert figures["recorded and replayed"] > 0.9 * figures["served"]
