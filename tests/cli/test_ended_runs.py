"""Runs that something from outside ends, or that meet in one folder: what they started ends too, and nobody is blamed
for what he did not do."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bridgecheck.cli import ENDED_EARLY
from bridgecheck.errors import FolderInUse
from bridgecheck.files.writable import lock_folder
from bridgecheck.report.read import read_report

from ..fakes import becomes_true, judges_of, marked_processes
from .conftest import Cli
from .test_run import report, statuses

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

WAITS = """

class Waits(Bridge):
    def text(self, body):
        open("started", "w").write(str(os.getpid()))
        time.sleep(60)

waits = Waits()
"""
ONE_CASE = "messages/plain::bridged-openai-chat-to-gemini-unary-wire"


@contextmanager
def waiting_run(
    project: Path, environment: dict[str, str], adapter: str, *options: str
) -> Iterator[tuple[subprocess.Popen[str], Callable[[], list[int]]]]:
    """A run with two workers, of which one waits for the adapter; and a function that lists all its processes."""
    with (project / "adapters.py").open("a", encoding="utf-8") as module:
        module.write(WAITS)
    mark = f"/run-of-{project.parent.name}-{os.getpid()}"
    env = {**environment, "PATH": f"{environment['PATH']}{os.pathsep}{mark}"}
    command = [sys.executable, "-m", "bridgecheck", "run", "--adapter", adapter, "-n", "2", *options]
    with subprocess.Popen(
        command, cwd=project, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as run:
        try:
            assert becomes_true((project / "started").exists, 60)
            yield run, lambda: marked_processes(mark)
        finally:
            run.kill()


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_a_run_that_was_ended(
    project: Path, environment: dict[str, str], ending: signal.Signals
) -> None:
    with waiting_run(project, environment, "python:adapters:waits") as (run, processes):
        run.send_signal(ending)
        run.communicate(timeout=60)
        assert becomes_true(lambda: processes() == [], 5)
    assert report(project)["complete"] is False


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("imported", ["bridgecheck.cli.app", "bridgecheck.cli.run_command"])
def test_a_run_that_is_ended_before_it_began_is_an_error(
    project: Path, environment: dict[str, str], imported: str, ending: signal.Signals
) -> None:
    """It is ended while it imports what it needs: its options, and then what runs."""
    code = (
        "import builtins, os, signal, sys\n"
        "from bridgecheck.cli import main\n"
        "real = builtins.__import__\n"
        "def import_and_be_ended(name, *rest):\n"
        f"    if name == {imported!r}: os.kill(os.getpid(), {int(ending)})\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = import_and_be_ended\n"
        "main()"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, "run"], cwd=project, env=environment, capture_output=True, text=True, timeout=60
    )
    assert (run.returncode, run.stderr.strip()) == (3, ENDED_EARLY)


@pytest.mark.slow
def test_a_case_whose_worker_was_killed_is_an_error(project: Path, environment: dict[str, str]) -> None:
    with waiting_run(project, environment, "python:adapters:waits", "--scenario", ONE_CASE) as (run, _):
        for worker in judges_of(run.pid)[1:]:
            os.kill(worker, signal.SIGKILL)
        output, _ = run.communicate(timeout=60)
    assert run.returncode == 3, output
    assert statuses(project)[ONE_CASE] == "ERROR"


@pytest.mark.parametrize("room", [300, 3_000, 30_000], ids=["none", "for some cases", "for the cases alone"])
def test_a_full_disk_leaves_a_valid_partial_report_and_is_an_error(
    project: Path, environment: dict[str, str], room: int
) -> None:
    code = (
        "import resource, sys; from bridgecheck.cli import main; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2); main()"
    )
    command = [sys.executable, "-c", code, str(room), "run", "--adapter", "python:adapters:bridge", "-n", "0"]
    run = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 3, run.stdout + run.stderr
    assert "cannot be written: File too large" in run.stderr
    assert "Traceback" not in run.stderr
    if room > 1000:
        stored = read_report(project / "reports" / "local").report
        assert stored.cases
        assert stored.info.partial


def test_a_folder_that_another_run_writes_into_is_refused(project: Path, cli: Cli) -> None:
    folder = project / "reports" / "local"
    folder.mkdir(parents=True)
    with lock_folder(folder):
        refused = cli("run", "--adapter", "native:")
    assert (refused.returncode, refused.stderr.partition("\n")[0]) == (
        2, "[folder-in-use] another run is writing its report here",
    )  # fmt: skip
    assert list(folder.iterdir()) == []
    assert cli("run", "--adapter", "native:", "--mode", "unary", "--layer", "wire").returncode == 0


def test_the_lock_of_a_killed_process_does_not_count(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from bridgecheck.files.writable import lock_folder\n"
        "with lock_folder(Path(sys.argv[1])): print('locked', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(FolderInUse), lock_folder(tmp_path):
            pass
        process.kill()
    with lock_folder(tmp_path):
        pass
