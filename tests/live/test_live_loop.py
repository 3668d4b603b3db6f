"""The live loop as a person runs it, against a stand-in for all three providers: record and refresh over more than 120
scenarios within a budget, each interrupted twice and gone on with. Fed from recorded traffic where it lies."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.live.provider_stand_in import Faults, ProviderStandIn, load_pool, serve_providers

from bridgecheck.cassette.store import load_cassette
from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.live.ledger_file import NAME
from bridgecheck.live.plan import make_plan
from bridgecheck.wire import DIALECTS

pytestmark = pytest.mark.slow

KEY = "sk-made-for-this-test-2b4d6f8a0c1e"
FEWEST = 120
BUDGET = "8"


@pytest.fixture(scope="module")
def provider() -> Iterator[tuple[ProviderStandIn, list[str]]]:
    folder = Path(os.environ.get("BRIDGECHECK_TRAFFIC") or ROOT.parent / "shared" / "real_traffic")
    pool = load_pool(folder) if folder.is_dir() else defaultdict(list)
    faults = Faults(throttle=19, seconds=0.02, fail=31, cut=43, miss=37)
    stand_in = ProviderStandIn(faults)
    stand_in.add(make_plan([row for row in scenarios(scenarios_root()) if not row.client_model], DIALECTS).cases, pool)
    with serve_providers(stand_in) as live:
        yield stand_in, live


def _run(arguments: list[str], log: Path, until: Callable[[], bool] | None = None) -> tuple[int, str]:
    """Run the command line; with ``until``, press Ctrl-C once that holds."""
    environment = {**os.environ, "LIVE_TEST_KEY": KEY}
    command = [sys.executable, "-m", "bridgecheck", *arguments]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            while until is not None and process.poll() is None and not until():
                time.sleep(0.05)
            if until is not None and process.poll() is None:
                process.send_signal(signal.SIGINT)
            code = process.wait(900)
        finally:
            process.kill()
    return code, log.read_text(encoding="utf-8")


def _rows(folder: Path) -> list[dict[str, object]]:
    path = folder / NAME
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]


def _play_with_two_interruptions(
    arguments: list[str], folder: Path, total: int, tmp_path: Path
) -> list[tuple[int, str]]:
    """Run, press Ctrl-C after a fifth and after three fifths, and go on; return the exit code and text of each."""
    results = []
    for number, share in enumerate((0.2, 0.6, None)):
        resume = ["--resume"] if number else []
        at = None if share is None else round(share * total)
        until = None if at is None else lambda at=at: len(_rows(folder)) >= at
        results.append(_run([*arguments, *resume], tmp_path / f"run-{number}.log", until))
    return results


def _check_loop(
    results: list[tuple[int, str]], folder: Path, requests: int, record_property: Callable[[str, object], None]
) -> None:
    for number, (code, printed) in enumerate(results):
        assert "Traceback" not in printed
        assert KEY not in printed
        lines = [line for line in printed.splitlines() if line.startswith(("recorded", "spent: ", "[left]"))]
        record_property("figures", f"run {number}, exit {code}: {'; '.join(lines)}"[:400])
    for code, printed in results[:2]:
        assert code == 3
        assert "[interrupted] before it was done" in printed
        assert "go on: bridgecheck" in printed and "--resume" in printed
    rows = _rows(folder)
    assert sum(int(str(row["calls"])) for row in rows) == requests
    assert sum(float(str(row["dollars"])) for row in rows) <= float(BUDGET)
    recorded = [row["case"] for row in rows if row["state"] == "recorded"]
    assert len(recorded) == len(set(recorded)), "what was recorded is not recorded again"
    assert len({str(case).partition("::")[0] for case in recorded}) >= FEWEST
    final = results[-1][1]
    assert "[stopped]" not in final and "[left]" not in final
    assert all(path.read_bytes().find(KEY.encode()) < 0 for path in folder.rglob("*") if path.is_file())


def test_record_and_refresh_are_interrupted_twice_and_finish_within_the_budget(
    provider: tuple[ProviderStandIn, list[str]], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    stand_in, live = provider
    out = tmp_path / "recordings"
    keys = [part for dialect in DIALECTS for part in ("--key-env", f"{dialect}=LIVE_TEST_KEY")]
    options = ["--out", str(out), *live, *keys, "--max-usd", BUDGET]

    code, plan = _run(["record", *options, "--dry-run"], tmp_path / "plan.log")
    assert code == 0 and stand_in.number == 0
    total = int(plan.split("plan: ")[1].split()[0])
    record_property("figures", plan.splitlines()[0])

    results = _play_with_two_interruptions(["record", *options], out, total, tmp_path)
    _check_loop(results, out, stand_in.number, record_property)
    cassettes = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*.yaml")}
    assert {load_cassette(out / name).source for name in cassettes} == {"scripted"}, "a stand-in is not live"
    assert stand_in.unknown_requests == []

    before = stand_in.number
    new = tmp_path / "recordings.new"
    results = _play_with_two_interruptions(["refresh", *options], new, len(cassettes), tmp_path)
    _check_loop(results, new, stand_in.number - before, record_property)
    assert {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*.yaml")} == cassettes

    code, printed = _run(["refresh", "--out", str(out), "--accept"], tmp_path / "accept.log")
    assert code == 0 and "DRIFT" in printed
    assert {str(path.relative_to(out)) for path in out.rglob("*.yaml")} == set(cassettes)
