"""Changes of a provider, planted by someone who had not read how drift is found, and what must not count as one."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
import yaml

from bridgecheck.cli import main

from .anthropic_changes import ANTHROPIC_CHANGES
from .edits import PlantedChange, Response, end_of_event, split_events
from .gemini_changes import GEMINI_CHANGES
from .harmless_variations import HARMLESS_VARIATIONS
from .openai_changes import OPENAI_CHANGES

CASSETTES = Path(__file__).resolve().parents[2] / "cassettes"
PLANTED = GEMINI_CHANGES + OPENAI_CHANGES + ANTHROPIC_CHANGES


def describe(change: PlantedChange) -> str:
    return f"{change.cassette.split('/')[-1]}: {change.name}"


def plant(change: PlantedChange, folder: Path) -> tuple[Path, Path]:
    """Write the cassette as it is and with the change in it."""
    cassette: dict[str, Any] = yaml.safe_load((CASSETTES / f"{change.cassette}.yaml").read_text(encoding="utf-8"))
    changed = deepcopy(cassette)
    response = changed["interactions"][0]["response"]
    writes = response["stream"]["ends"]
    for edit in change.edits:
        edit(response)
    if response["stream"]["ends"] == writes:
        response["stream"] |= place_writes(response)
    else:
        response["stream"]["t_ms"] = [0] * len(response["stream"]["ends"])
    assert changed != cassette, "the edit changes nothing"
    paths = folder / "old.yaml", folder / "new.yaml"
    for path, document in zip(paths, (cassette, changed), strict=True):
        path.write_text(yaml.safe_dump(document, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return paths


def place_writes(response: Response) -> dict[str, list[int]]:
    """One write for each event; a body without events is one write. ``ends``: bytes from the start; times in ms."""
    body: str = response["body"]["string"]
    lengths = (
        [len((event + end_of_event(body)).encode()) for event in split_events(response)] if "data: " in body else []
    )
    ends = [*accumulate(lengths[:-1]), len(body.encode())]
    return {"ends": ends, "t_ms": [0] * len(ends)}


def find_drift_by_command(change: PlantedChange, folder: Path, patch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    old, new = plant(change, folder)
    patch.setattr(sys, "argv", ["bridgecheck", "drift", str(old), str(new), "--json"])
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, 1), err.getvalue()
    findings: list[dict[str, Any]] = json.loads(out.getvalue())["findings"]
    assert ended.value.code == int(any(finding["severity"] != "cosmetic" for finding in findings))
    return findings


def test_at_least_forty_changes_are_planted() -> None:
    assert len(PLANTED) >= 40
    assert len({describe(change) for change in PLANTED + HARMLESS_VARIATIONS}) == len(PLANTED) + len(
        HARMLESS_VARIATIONS
    )


@pytest.mark.parametrize("change", PLANTED, ids=describe)
def test_each_change_is_reported_once(change: PlantedChange, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    findings = find_drift_by_command(change, tmp_path, monkeypatch)
    assert [finding["severity"] for finding in findings] == [change.severity], f"{change.why}; found {findings}"


@pytest.mark.parametrize("variation", HARMLESS_VARIATIONS, ids=describe)
def test_harmless_variations_are_at_most_cosmetic(
    variation: PlantedChange, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = find_drift_by_command(variation, tmp_path, monkeypatch)
    above = [finding for finding in findings if finding["severity"] != "cosmetic"]
    assert not above, f"{variation.why}; found {above}"
