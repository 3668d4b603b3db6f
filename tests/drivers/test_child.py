"""Child processes: their environment, their stored output, and that none remains."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from bridgecheck.drivers import child_process as child_module
from bridgecheck.drivers.child_process import (
    ChildProcess,
    NotStarted,
    child_environment,
    describe_exit,
    mask_and_clean,
)

from ..fakes import alive, becomes_true, number

TELLS = "import os, sys; open(sys.argv[1], 'w').write(str(os.getpid()));"
WAITS = f"{TELLS} import time; time.sleep(600)"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAITS}"
FAMILY = """
import os, subprocess, sys, time
child, apart, code = sys.argv[1:4]
subprocess.Popen([sys.executable, "-c", code, child])
subprocess.Popen([sys.executable, "-c", code, apart], start_new_session=True)
while not (os.path.exists(child) and os.path.exists(apart)):
    time.sleep(0.01)
{then}
"""


def python(home: Path, code: str, *arguments: object, **options: object) -> ChildProcess:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return ChildProcess(command, env=child_environment(home), cwd=home, **options)


def test_the_environment_is_an_allow_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "a" * 30)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    code = "import os; print(sorted(set(os.environ) - {'LC_CTYPE'})); print(os.environ['HOME'], os.environ['SAID'])"
    running = ChildProcess([sys.executable, "-c", code], env=child_environment(tmp_path, {"SAID": "yes"}), cwd=tmp_path)
    assert becomes_true(lambda: running.exit_description != "")
    running.stop()
    assert running.log.text() == f"['HOME', 'LANG', 'PATH', 'SAID', 'TMPDIR']\n{tmp_path} yes\n"


def test_stop_lets_the_child_exit(tmp_path: Path) -> None:
    code = f"import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)); {WAITS}"
    running = python(tmp_path, code, tmp_path / "pid")
    pid = number(tmp_path / "pid")
    assert (running.pid, running.exit_description, alive(pid)) == (pid, "", True)
    running.stop()
    assert (running.exit_description, alive(pid)) == ("exited with code 7", False)
    running.stop()


def test_a_child_that_ignores_the_signal_is_killed(tmp_path: Path) -> None:
    running = python(tmp_path, DEAF, tmp_path / "pid", grace=0.2)
    pid = number(tmp_path / "pid")
    running.stop()
    assert (running.exit_description, alive(pid)) == ("was ended by SIGKILL", False)


@pytest.mark.parametrize("then", ["time.sleep(600)", "sys.exit(3)"], ids=["stopped", "ends by itself"])
@pytest.mark.skipif(sys.platform != "linux", reason="what leaves the group is found on Linux")
def test_grandchildren_are_stopped(tmp_path: Path, then: str) -> None:
    child, detached = tmp_path / "child", tmp_path / "apart"
    running = python(tmp_path, FAMILY.format(then=then), child, detached, DEAF, grace=0.2)
    pids = number(child), number(detached)
    if "exit" not in then:
        assert all(map(alive, pids))
        running.stop()
    assert becomes_true(lambda: not any(map(alive, pids)))
    assert becomes_true(lambda: running.exit_description != "")
    running.stop()


def test_its_home_is_removed_when_the_harness_was_killed(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; from pathlib import Path\n"
        "from bridgecheck.drivers.child_process import ChildProcess, child_environment\n"
        "home = Path(sys.argv[1]); (home / 'file').write_text('')\n"
        "command = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "child = ChildProcess(command, env=child_environment(home), cwd=home, home=home, grace=0.1)\n"
        "print('started', flush=True); time.sleep(600)"
    )
    home = tmp_path / "home"
    home.mkdir()
    with subprocess.Popen([sys.executable, "-c", code, str(home)], stdout=subprocess.PIPE) as harness:
        assert harness.stdout is not None
        harness.stdout.readline()
        assert (home / "file").exists()
        harness.kill()
    assert becomes_true(lambda: not home.exists())


def test_stored_output_is_bounded(tmp_path: Path) -> None:
    code = "import sys\nprint('first')\nfor _ in range(300): sys.stdout.write('x' * 99_999 + chr(10))\nprint('last')"
    running = python(tmp_path, code)
    assert becomes_true(lambda: running.exit_description != "", 30)
    running.stop()
    assert running.log.size > 30_000_000
    text = running.log.text()
    assert len(text) < 100_000
    assert text.startswith("first\n") and text.endswith("last\n") and "bytes left out" in text
    assert running.state_with_last_lines_text.startswith(
        "exited with code 0, its last lines:\n"
    ) and running.state_with_last_lines_text.endswith("x\nlast")


@pytest.mark.parametrize(
    ("end", "shown"), [(b" word", b" "), (b"word\n", b"word\n"), (b"\t" + b"x" * 5000, b"\t" + b"x" * 904)]
)
def test_the_word_before_what_is_left_out_is_not_shown(end: bytes, shown: bytes) -> None:
    log = child_module.HeadAndTailLog()
    log.write(b"a" + b" " * (16 * 1024 - 1 - len(end)) + end)
    log.write(b"\n" * 200_000)
    assert log.text().partition("\n... (")[0].encode().endswith(b" " + shown)


def test_half_a_credential_at_the_edge_of_what_is_left_out_is_not_shown() -> None:
    log = child_module.HeadAndTailLog()
    secret = b"sk-" + b"a1B2c3D4e5" * 12
    log.write(b"line\n" * 3275 + b"a " + secret)  # its middle is at the end of the first 16 KiB
    log.write(b"z" * 100_000)
    log.write(secret + b" b" + b"\nline" * ((64 * 1024 - 60) // 5))
    text = log.text()
    assert "bytes left out" in text and "a1B2" not in text
    assert text.startswith("line\n") and text.endswith("\nline")


def test_endless_output_does_not_delay_stop(tmp_path: Path) -> None:
    running = python(tmp_path, f"{TELLS}\nwhile True: os.write(1, b'y' * 65536)", tmp_path / "pid", grace=0.2)
    pid = number(tmp_path / "pid")
    assert becomes_true(lambda: running.log.size > 10_000_000)
    running.stop()
    assert not alive(pid)


def test_shown_output_holds_no_credential_or_control_code() -> None:
    output = mask_and_clean("\x1b[31mkey sk-" + "a" * 30 + "\x1b[0m\r\n\x1b]0;title\x07a\x08b\tc\u202e")
    assert output == "key REDACTED\na?b\tc?"


def test_a_missing_command_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match="no-such-gateway cannot be started: No such file or directory"):
        ChildProcess(["no-such-gateway"], env=child_environment(tmp_path), cwd=tmp_path)


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match=r"No such file or directory: .*nowhere"):
        ChildProcess(["true"], env=child_environment(tmp_path), cwd=tmp_path / "nowhere")


def test_the_last_output_is_available_after_the_end(tmp_path: Path) -> None:
    running = python(tmp_path, "raise SystemExit('no port, no gateway')")
    assert becomes_true(lambda: running.exit_description != "")
    assert running.state_with_last_lines_text == "exited with code 1, its last lines:\nno port, no gateway"
    running.stop()


def test_standard_input_and_output_are_available(tmp_path: Path) -> None:
    code = "import sys; print('ready', file=sys.stderr)\nfor line in sys.stdin: print(line.upper(), end='', flush=True)"
    running = python(tmp_path, code, stdio=True)
    running.stdin.write(b"a line\n")
    running.stdin.flush()
    assert running.stdout.readline() == b"A LINE\n"
    running.stdin.close()
    assert running.stdout.read() == b""
    assert becomes_true(lambda: running.exit_description == "exited with code 0")
    running.stop()
    assert running.log.text() == "ready\n"


def test_ignored_signals_are_reset_in_the_child(tmp_path: Path) -> None:
    code = (
        "import signal; print([signal.getsignal(n) for n in (2, 15)] == [signal.default_int_handler, signal.SIG_DFL])"
    )
    running = python(tmp_path, code)
    assert becomes_true(lambda: running.exit_description != "")
    running.stop()
    assert running.log.text() == "True\n"


HARNESS = """
import os, sys, time
from pathlib import Path
from bridgecheck.drivers.child_process import ChildProcess, child_environment
home = Path(sys.argv[1])
ChildProcess([sys.executable, "-c", sys.argv[2], str(home / "pid")], env=child_environment(home), cwd=home, grace=0.2)
while not (home / "pid").exists():
    time.sleep(0.01)
{then}
"""


@pytest.mark.parametrize(
    ("then", "sent"),
    [
        ("time.sleep(600)", signal.SIGKILL),
        ("time.sleep(600)", signal.SIGINT),
        pytest.param("time.sleep(600)", signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param("sys.exit(0)", 0, marks=pytest.mark.slow),
        ("os._exit(0)", 0),
        pytest.param("raise RuntimeError('a bug')", 0, marks=pytest.mark.slow),
    ],
    ids=["killed", "interrupted", "terminated", "ends", "ends at once", "raises"],
)
def test_no_process_outlives_the_harness(tmp_path: Path, then: str, sent: int) -> None:
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS.format(then=then), str(tmp_path), DEAF], stderr=subprocess.DEVNULL
    )
    pid = number(tmp_path / "pid")
    if sent:
        harness.send_signal(sent)
    harness.wait(20)
    assert becomes_true(lambda: not alive(pid))


@pytest.mark.skipif(sys.platform != "linux", reason="the last resort is Linux's")
def test_no_process_outlives_the_supervisor(tmp_path: Path) -> None:
    running = python(tmp_path, DEAF, tmp_path / "pid")
    pid = number(tmp_path / "pid")
    os.kill(running._process.pid, signal.SIGKILL)
    assert becomes_true(lambda: not alive(pid))
    assert becomes_true(lambda: running.exit_description == "was lost: its supervisor was killed")
    running.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="what leaves the group is found on Linux")
def test_what_kills_its_supervisor_leaves_no_daemon(tmp_path: Path) -> None:
    then = "import signal; os.kill(os.getppid(), signal.SIGKILL); time.sleep(600)"
    child, daemon = tmp_path / "child", tmp_path / "apart"
    running = python(tmp_path, FAMILY.format(then=then), child, daemon, DEAF)
    pids = number(child), number(daemon)
    assert becomes_true(lambda: running.exit_description == "was lost: its supervisor was killed")
    assert becomes_true(lambda: not any(map(alive, pids)), 5)
    running.stop()


def test_ctrl_c_does_not_reach_the_child(tmp_path: Path) -> None:
    """The terminal sends Ctrl-C to the foreground group: the harness ends its children itself when it has finished."""
    running = python(tmp_path, WAITS, tmp_path / "pid")
    pid = number(tmp_path / "pid")
    assert os.getpgid(pid) not in (os.getpgid(0), os.getpgid(running._process.pid))
    assert os.getpgid(running._process.pid) != os.getpgid(0)
    running.stop()


def test_starting_a_child_is_fast(tmp_path: Path) -> None:
    started = time.monotonic()
    running = ChildProcess(["true"], env=child_environment(tmp_path), cwd=tmp_path)
    assert time.monotonic() - started < child_module.START_S / 4
    running.stop()


@pytest.mark.parametrize(
    ("code", "message"), [(0, "exited with code 0"), (-11, "was ended by SIGSEGV"), (-250, "was ended by signal 250")]
)
def test_exit_codes_are_described(code: int, message: str) -> None:
    assert describe_exit(code) == message
