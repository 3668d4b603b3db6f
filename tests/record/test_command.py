"""``bridgecheck record`` as users run it: what it prints, its exit codes, and what is left when it is killed."""

import errno
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from bridgecheck.errors import BadCassette, MissingPath, RefusedAtStart
from bridgecheck.record.folder import load_folder

from .conftest import Start
from .raw_client import post
from .stand_in import Answer, StandIn, in_order, serve
from .test_recorder import CHAT, CHUNKS, answer_of, ask, only_cassette

BRIDGECHECK = (sys.executable, "-m", "bridgecheck", "record")

CLIENT = """
import os, sys, urllib.request
headers = {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "content-type": "application/json"}
body = b'{"messages":[{"role":"user","content":"%s"}]}' % sys.argv[1].encode()
try:
    with urllib.request.urlopen(
        urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, headers)) as response:
        print(response.read().decode())
except OSError:
    pass  # as careless clients do
sys.exit(int(sys.argv[2]))
"""
"""What reads the variables that the openai SDK reads, and starts quickly."""

HELLO = answer_of("Hello").chunks[0].decode()


def record(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    variables = {**os.environ, "NO_PROXY": "127.0.0.1", **environment}
    return subprocess.run([*BRIDGECHECK, *arguments], env=variables, capture_output=True, text=True, timeout=120)


def test_around_a_command(tmp_path: Path, authority: trustme.CA, ca_file: Path) -> None:
    out = str(tmp_path / "out")
    with serve(StandIn(in_order(answer_of("Hello")), "2", authority)) as provider:
        serving = ("--serve", f"openai-chat={provider.url}", "--out", out, "--ca-file", str(ca_file))
        key = ("--key-env", "REAL_KEY")
        client = ("--", sys.executable, "-c", CLIENT)
        recorded = record(*serving, *key, *client, "hi", "7", REAL_KEY="key-of-the-provider", OPENAI_API_KEY="")
    assert (recorded.returncode, recorded.stdout.splitlines()[1:]) == (7, [HELLO]), recorded.stderr
    assert recorded.stdout.startswith("listening on http://127.0.0.1:")
    assert f"recorded 1 exchange in 1 cassette: {out}" in recorded.stderr
    assert ("authorization", "Bearer key-of-the-provider") in provider.requests[0].headers
    replaying = ("--mode", "replay", "--out", out)
    replayed = record(*replaying, *client, "hi", "0")
    assert (replayed.returncode, replayed.stdout.splitlines()[1:]) == (0, [HELLO]), replayed.stderr
    missed = record(*replaying, *client, "ho", "0")
    assert missed.returncode == 1
    assert 'first difference: messages[0].content: recorded "hi", sent "ho"' in missed.stderr
    assert "--mode new" in missed.stderr and "[unplayed]" in missed.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_it_in_the_ordinary_way(
    tmp_path: Path, authority: trustme.CA, ca_file: Path, number: signal.Signals
) -> None:
    with serve(StandIn(in_order(Answer(CHUNKS)), "1.1", authority)) as provider:
        process, origin = listen(
            "--serve", f"openai-chat={provider.url}", "--out", str(tmp_path), "--ca-file", str(ca_file)
        )
        post(origin, CHAT, ask("hi"))
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 0 and "recorded 1 exchange" in errors
    assert len(load_folder(tmp_path)) == 1 and not (tmp_path / ".recording").exists()


def listen(*arguments: str) -> "tuple[subprocess.Popen[str], str]":
    command = [*BRIDGECHECK, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("listening on "), process.communicate()
    return process, line.split()[-1]


@pytest.mark.parametrize("count", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_what_is_whole_outlives_a_kill(
    tmp_path: Path, authority: trustme.CA, ca_file: Path, start: Start, count: int
) -> None:
    """Recorders with one folder are killed while each has a second exchange under way."""
    out = tmp_path / "out"
    broken_off = threading.Event()

    def answer(request: object, number: int) -> Answer:
        text = json.loads(provider.requests[number].body)["messages"][-1]["content"]
        return Answer([text.encode(), b"more"], end="timeout" if "second" in text else "complete")

    with serve(StandIn(answer, "1.1", authority)) as provider, ThreadPoolExecutor(count) as pool:
        arguments = ("--serve", f"openai-chat={provider.url}", "--out", str(out), "--ca-file", str(ca_file))
        recorders = list(pool.map(lambda _: listen(*arguments), range(count)))
        for number, (_, origin) in enumerate(recorders):
            post(origin, CHAT, ask(f"first of {number}"))
            post(origin, CHAT, ask("the same of all"))
        leaving = [
            pool.submit(post, origin, CHAT, ask(f"second of {number}")) for number, (_, origin) in enumerate(recorders)
        ]
        while len(provider.requests) < 3 * count:
            broken_off.wait(0.01)
        for process, _ in recorders:
            process.kill()
            process.communicate()
        assert all(future.result().end != "complete" for future in leaving)
    with start([f"openai-chat={provider.url}"], mode="new") as recorder:
        pass
    assert all("whole exchange" in message for message in recorder.left_over)
    cassettes = load_folder(out)
    bodies = sorted(recorded.body for cassette in cassettes.values() for recorded in cassette.interactions)
    assert bodies == sorted(
        [f"first of {number}more".encode() for number in range(count)] + [b"the same of allmore"] * count
    )
    for cassette in cassettes.values():
        for recorded in cassette.interactions:
            text = json.loads(recorded.request.body)["messages"][-1]["content"]
            assert recorded.chunks == (text.encode(), b"more")
    assert [path.name for path in out.iterdir() if path.name.startswith(".")] == []


def test_an_interrupted_recording_replaces_no_whole_one(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    with serve(StandIn(in_order(answer_of("old"), answer_of("new")), "1.1", authority)) as provider:
        serving = [f"openai-chat={provider.url}"]
        with start(serving) as recorder:
            post(recorder.origin, CHAT, ask("hi"))
        killed = start(serving).__enter__()
        post(killed.origin, CHAT, ask("hi"))
        session = next((tmp_path / "out" / ".recording").iterdir())
        killed._session.lock.close()  # type: ignore[union-attr] # as the system does for a process that is killed
        with start(serving) as recorder:
            assert "the earlier cassette stays" in recorder.left_over[0]
    assert b"old" in only_cassette(tmp_path / "out").interactions[0].body and not session.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--serve", "gpt=https://x"], 2, "no dialect 'gpt'"),
        (["--serve", "openai-chat=ftp://x"], 2, "is no address of a provider"),
        (["--serve", "openai-chat=http://example.com"], 2, "unencrypted"),
        (["--serve", "openai-chat=https://a", "--serve", "openai-chat=https://b"], 2, "served twice"),
        (["--serve", "openai-chat=https://a", "--key-env", "UNSET_KEY"], 2, "UNSET_KEY is not set"),
        (["--serve", "openai-chat=https://a", "--listen", "0.0.0.0:0"], 2, "spends your key"),
        (["--serve", "openai-chat=https://a", "--listen", "x"], 2, "no port"),
        (["--serve", "openai-chat=https://a", "--ca-file", "/not/there"], 2, "--ca-file cannot be read"),
        (["--serve", "openai-chat=https://a", "--volatile", "a..b"], 2, "empty step"),
        (["--mode", "replay"], 2, "no provider is named"),
        ([], 2, "no provider is named"),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(tmp_path: Path, arguments: Sequence[str], code: int, message: str) -> None:
    from typer.testing import CliRunner

    from bridgecheck.cli.app import app

    result = CliRunner().invoke(app, ["record", "--out", str(tmp_path / "out"), *arguments])
    assert isinstance(result.exception, RefusedAtStart) and message in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_a_port_that_is_taken_is_named(start: Start, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RefusedAtStart, match=f"port {port} cannot be listened on"):
            start(["openai-chat=https://localhost"], listen=f"127.0.0.1:{port}").__enter__()
    assert list((tmp_path / "out").iterdir()) == []


def test_a_command_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = record("--serve", "openai-chat=https://localhost", "--out", str(tmp_path), "--", "no-such-program")
    assert result.returncode == 2 and "no-such-program" in result.stderr


def test_an_unreachable_provider_is_named(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with start([f"openai-chat=https://localhost:{port}"]) as recorder:
        answer = post(recorder.origin, CHAT, ask("hi"))
    assert answer.status == 599 and b"cannot be reached" in b"".join(answer.chunks)
    assert recorder.result.exit_code == 3


def test_an_untrusted_provider_is_refused(start: Start) -> None:
    with (
        serve(StandIn(in_order(Answer(CHUNKS)), "1.1", trustme.CA())) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
    ):
        answer = post(recorder.origin, CHAT, ask("hi"))
    assert answer.status == 599 and b"not trusted" in b"".join(answer.chunks)
    assert recorder.result.exit_code == 3 and provider.requests == []


@pytest.mark.parametrize("name", ["notes.yaml", "a.openai-chat.yaml"])
def test_foreign_and_broken_files_are_refused(start: Start, tmp_path: Path, name: str) -> None:
    file = tmp_path / "out" / name
    file.parent.mkdir()
    file.write_text("interactions: [")
    with pytest.raises(BadCassette, match="move it out of the folder"):
        start(["openai-chat=https://localhost"])
    assert file.read_text() == "interactions: ["


def test_a_cassette_of_another_conversation_is_refused(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    with (
        serve(StandIn(in_order(Answer(CHUNKS)), "1.1", authority)) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
    ):
        post(recorder.origin, f"/~one{CHAT}", ask("hi"))
    (tmp_path / "out" / "one.openai-chat.yaml").rename(tmp_path / "out" / "two.openai-chat.yaml")
    with pytest.raises(BadCassette, match=r"is of one \(openai-chat\)"):
        start(mode="replay")


def test_a_folder_that_is_a_file_is_refused(start: Start, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MissingPath):
        start(["openai-chat=https://localhost"], out=tmp_path / "file")


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond some bytes, so that what is in its buffer cannot be written."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_disturbs_no_client(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    with serve(StandIn(in_order(answer_of("old"), Answer(CHUNKS)), "1.1", authority)) as provider:
        with start([f"openai-chat={provider.url}"]) as recorder:
            post(recorder.origin, CHAT, ask("hi"))
        with full_disk(), start([f"openai-chat={provider.url}"]) as recorder:
            answer = post(recorder.origin, CHAT, ask("hi"))
    assert answer.chunks == CHUNKS and recorder.result.exit_code == 3
    assert "File too large" in next(iter(recorder.result.counts.problems.values()))
    assert b"old" in only_cassette(tmp_path / "out").interactions[0].body


def test_a_cassette_that_cannot_be_written_leaves_the_earlier_one(
    start: Start, tmp_path: Path, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def fail(file: Path, mode: str = "r", *arguments: object, **named: object) -> object:
        if "w" in mode:
            raise OSError(errno.ENOSPC, "No space left on device")
        return opened(file, mode, *arguments, **named)  # type: ignore[call-overload]

    with serve(StandIn(in_order(answer_of("old"), answer_of("new")), "1.1", authority)) as provider:
        with start([f"openai-chat={provider.url}"]) as recorder:
            post(recorder.origin, CHAT, ask("hi"))
        recorder = start([f"openai-chat={provider.url}"])
        with recorder:
            post(recorder.origin, CHAT, ask("hi"))
            monkeypatch.setattr(Path, "open", fail)
        monkeypatch.undo()
    assert recorder.result.exit_code == 3 and "No space left" in recorder.result.not_saved[0]
    assert b"old" in only_cassette(tmp_path / "out").interactions[0].body
    assert [path.name for path in (tmp_path / "out").iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("path", "headers", "message"),
    [
        ("http://api.openai.com/v1/models", (), "no proxy"),
        ("/v1/realtime", (("connection", "upgrade"), ("upgrade", "websocket")), "WebSockets"),
    ],
)
def test_proxies_and_websockets_are_refused(
    start: Start, path: str, headers: tuple[tuple[str, str], ...], message: str
) -> None:
    with start(["openai-chat=https://localhost"]) as recorder:
        answer = post(recorder.origin, path, b"", headers)
    assert answer.status == 599 and message in b"".join(answer.chunks).decode()
    assert recorder.result.exit_code == 3


def test_a_provider_that_leaves_without_an_answer_is_not_recorded(
    start: Start, tmp_path: Path, authority: trustme.CA
) -> None:
    class Leaves(StandIn):
        def _answer(self, request: object) -> Answer:
            raise ConnectionError

    with (
        serve(Leaves(in_order(), "1.1", authority)) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
    ):
        assert post(recorder.origin, CHAT, ask("hi")).status == 0
    assert recorder.result.exit_code == 3 and load_folder(tmp_path / "out") == {}
    assert "did not answer" in next(iter(recorder.result.counts.failed.values()))
