"""Shared fixtures: the folder of recorded traffic (read in place, never copied) and how many examples laws try.

HYPOTHESIS_PROFILE: ``quick``, the default, or ``deep``, which `make deep` uses.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from bridgecheck.files import cassettes_root
from bridgecheck.run.library import Library

ROOT = Path(__file__).resolve().parents[1]

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("quick", max_examples=12, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("deep", max_examples=2000, deadline=None, suppress_health_check=_SLOW, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# Tests started in the background ignore Ctrl-C, and every process that they start would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def traffic_folder() -> Path:
    """The folder of recorded traffic; a test that needs it is skipped with a message when it is absent."""
    folder = Path(os.environ.get("BRIDGECHECK_TRAFFIC") or ROOT.parent / "shared" / "real_traffic")
    if not any(folder.glob("*.jsonl")):
        pytest.skip(f"no recorded traffic at {folder}; set BRIDGECHECK_TRAFFIC")
    return folder


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    """The corpus's recordings, and the edge server that plays them, stopped afterwards."""
    found = Library(cassettes_root())
    yield found
    found.stop_edge()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests measured and noted with ``record_property("figures", line)``, whatever process they ran in."""
    reports = terminalreporter.getreports("passed")
    lines = [value for report in reports for name, value in report.user_properties if name == "figures"]
    if lines:
        terminalreporter.section("figures")
        terminalreporter.write_line("\n".join(sorted(lines)))
