"""Shared fixtures: where the recorded traffic lies. It is read in place, never copied."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def traffic_folder() -> Path:
    """The folder of recorded traffic; a test that needs it is skipped, saying so, when it is absent."""
    folder = Path(os.environ.get("BRIDGECHECK_TRAFFIC") or ROOT.parent / "shared" / "real_traffic")
    if not any(folder.glob("*.jsonl")):
        pytest.skip(f"no recorded traffic at {folder}; set BRIDGECHECK_TRAFFIC")
    return folder
