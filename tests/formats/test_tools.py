"""Exports played by tools with an environment of their own, which `make recorders` installs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bridgecheck.cassette.formats.table import FORMATS
from bridgecheck.cassette.import_recordings import import_file
from bridgecheck.cassette.interactions import Cassette

from .conftest import RECORDINGS, TOOLS, require, tool_python

pytestmark = [pytest.mark.slow, pytest.mark.realclients]

RUN_S = 120
PLAYS = """
import sys
import {library} as library
import vcr
origin, file = sys.argv[1:]
body = {{"model": "gpt-4o-mini", "messages": [{{"role": "user", "content": "Say hello to Zoe"}}]}}
with vcr.use_cassette(file, record_mode="none"):
    answer = library.post(origin + "/v1/chat/completions", json=body)
assert answer.json()["choices"][0]["message"]["content"] == "Hello, Zo\\u00eb!", answer.text
"""


@pytest.fixture
def cassette() -> Cassette:
    """The calls that vcrpy recorded, as an import makes a cassette of them."""
    file = RECORDINGS / "vcrpy-9.4.2" / "requests.yaml"
    (cassette,) = import_file(file, file.parent, "vcrpy").cassettes.values()
    return cassette


def write(cassette: Cassette, name: str, file: Path) -> Path:
    writer = FORMATS[name].write  # type: ignore[index]
    assert writer is not None
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(writer(cassette).text, encoding="utf-8")
    return file


def run(*command: object, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, timeout=RUN_S, check=False
    )


def test_vcrpy_5(tmp_path: Path, cassette: Cassette) -> None:
    python = tool_python("vcrpy-5")
    file = write(cassette, "vcrpy", tmp_path / "a.yaml")
    played = run(python, "-c", PLAYS.format(library="requests"), cassette.interactions[0].origin, file, folder=tmp_path)
    assert played.returncode == 0, played.stderr[-2000:]


def test_pytest_recording(tmp_path: Path, cassette: Cassette) -> None:
    python = tool_python("pytest-recording")
    write(cassette, "vcrpy", tmp_path / "cassettes" / "test_it" / "test_hello.yaml")
    origin = cassette.interactions[0].origin
    (tmp_path / "test_it.py").write_text(
        "import httpx, pytest\n\n@pytest.mark.vcr\ndef test_hello():\n"
        f"    answer = httpx.post({origin + '/v1/chat/completions'!r}, json={{}})\n"
        "    assert answer.json()['choices'][0]['message']['content'] == 'Hello, Zo\\u00eb!'\n"
    )
    played = run(python, "-m", "pytest", "-q", "--record-mode=none", "--block-network", tmp_path, folder=tmp_path)
    assert "1 passed" in played.stdout, played.stdout[-2000:]


def test_mitmproxy(tmp_path: Path, cassette: Cassette) -> None:
    python = tool_python("mitmproxy")
    file = write(cassette, "har", tmp_path / "a.har")
    played = run(python, TOOLS / "play_har.py", file, cassette.interactions[0].origin, folder=tmp_path)
    assert played.returncode == 0, played.stderr[-2000:]
    assert json.loads(played.stdout)["choices"][0]["message"]["content"] == "Hello, Zoë!"


def test_gemini_cli(tmp_path: Path, node: str) -> None:
    sys.path.append(str(TOOLS))
    from gemini_cli import BUNDLE, run_gemini_cli

    require(BUNDLE.is_file(), "@google/gemini-cli", "run `make node_modules`")
    replay = RECORDINGS / "google-genai-3.4.0" / "replays" / "answers" / "mldev.json"
    (cassette,) = import_file(replay, replay.parent, "google-genai").cassettes.values()
    streamed = Cassette({}, cassette.interactions[1:])
    file = write(streamed, "gemini-cli", tmp_path / "a.responses")
    nowhere = "http://127.0.0.1:9"
    played = run_gemini_cli(tmp_path / "home", nowhere, "Say hello", "--fake-responses", str(file))
    assert played.returncode == 0, played.stderr[-2000:]
    assert json.loads(played.stdout[played.stdout.index("{") :])["response"] == "Hello, Zoë!"
