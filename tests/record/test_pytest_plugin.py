"""An adapter's own suite, which records and replays through the edge."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from .stand_in import StandIn, in_order, serve
from .test_recorder import answer_of

SUITE = """
import json, os, socket, urllib.request
import pytest

CA = {ca!r}
pytestmark = pytest.mark.bridgecheck_cassette(serve={{"openai-chat": {url!r}}}, ca_file=CA)

def ask(text):
    body = json.dumps({{"messages": [{{"role": "user", "content": text}}]}}).encode()
    headers = {{"content-type": "application/json"}}
    with urllib.request.urlopen(
        urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, headers)) as response:
        return json.load(response)["choices"][0]["message"]["content"]

@pytest.mark.parametrize("text", ["a/b", "c"])
def test_asks(text):
    assert ask(text) == "Hello"

def test_reaches_no_other_host(bridgecheck_edge):
    with pytest.raises(RuntimeError, match="may not connect to 192.0.2.1"):
        socket.create_connection(("192.0.2.1", 443), 1)
    assert bridgecheck_edge.base_url("openai-chat") == os.environ["OPENAI_BASE_URL"]

def test_swallows():
    if os.environ.get("SWALLOW"):
        try:
            ask("never recorded")
        except OSError:
            pass
"""


def run(folder: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, str(folder)]
    variables = {**os.environ, "NO_PROXY": "127.0.0.1", **environment}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_a_suite_records_and_replays(tmp_path: Path, authority: trustme.CA, ca_file: Path) -> None:
    with serve(StandIn(in_order(answer_of("Hello")), "2", authority)) as provider:
        (tmp_path / "test_suite.py").write_text(SUITE.format(url=provider.url, ca=str(ca_file)))
        recorded = run(tmp_path, "--record-mode", "once", "-n", "2")
        assert "4 passed" in recorded.stdout, recorded.stdout + recorded.stderr
        assert len(provider.requests) == 2
    folders = sorted(path.parent.name for path in tmp_path.glob("cassettes/test_suite/*/*.yaml"))
    assert folders == ["test_asks-a-b", "test_asks-c"]
    replayed = run(tmp_path, SWALLOW="1")
    assert "4 passed, 1 error" in replayed.stdout, replayed.stdout + replayed.stderr
    assert "[miss]" in replayed.stdout and "no recording answers POST /v1/chat/completions" in replayed.stdout
