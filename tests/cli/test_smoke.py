"""``smoke`` as users run it: its output, its exit codes, and misbehaving adapters."""

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.model.adapter import CAPABILITIES

from ..fakes import Fakes, becomes_true

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

ADAPTERS = '''
"""Adapters of these tests: the reference's converters for one route, and what can go wrong with them."""

import os
import time

from bridgecheck_reference import adapter as reference


class Good:
    name, version = "mine", "7"
    routes = [("openai-chat", "gemini")]

    def to_upstream(self, body, **rest):
        return reference.to_upstream(body, **rest)

    def from_upstream(self, body, **rest):
        return reference.from_upstream(body, **rest)

    def stream(self, **rest):
        return reference.stream(**rest)


class Claims(Good):
    capabilities = ["tools"]


class NoTools(Claims):
    def to_upstream(self, body, **rest):
        if "tools" in body:
            raise NotImplementedError("tools")
        return super().to_upstream(body, **rest)


class Prints(Good):
    def to_upstream(self, body, **rest):
        print("not a line of smoke's")
        os.write(1, b"nor this\\n")
        return super().to_upstream(body, **rest)


class Dies(Good):
    def stream(self, **rest):
        os.write(2, b"last words\\n")
        os._exit(9)


class Paints(Good):
    def from_upstream(self, body, **rest):
        return 200, {"\\x1b[31mchoices": "<script>[bold]"}


class Hangs(Good):
    def to_upstream(self, body, **rest):
        time.sleep(60)


good, claims, notools, prints, dies, paints, hangs = Good(), Claims(), NoTools(), Prints(), Dies(), Paints(), Hangs()
'''

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def smoke(cli: Cli, project: Path) -> Cli:
    (project / "adapters.py").write_text(ADAPTERS, encoding="utf-8")
    (project / "ends.py").write_text("import sys\nsys.exit(3)\n", encoding="utf-8")
    (project / "garbage.py").write_text("print('hello', flush=True)\ninput()\n", encoding="utf-8")
    (project / "quits.py").write_text("import sys\nsys.exit(4)\n", encoding="utf-8")

    def call(*arguments: str, corpus: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
        return cli("smoke", *arguments, corpus=corpus, **{"COLUMNS": "80", **env})

    return call


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _json(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["exit_code"] == result.returncode
    return found


def test_the_reference_is_configured_correctly(smoke: Cli) -> None:
    result = smoke()
    assert result.returncode == 0, result.stdout + result.stderr
    assert "control: 12 of 12 native cases ok" in result.stdout
    assert "It claims what works." in result.stdout
    assert "WIRED: 34 of 34 plain cases ok" in result.stdout
    assert "Next: bridgecheck run" in result.stdout
    assert "[1]" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_working_capabilities_are_proposed(smoke: Cli) -> None:
    result = smoke("python:adapters:good")
    assert result.returncode == 0, result.stdout + result.stderr
    shown = result.stdout.split("A recipe to begin with, reports/mine/adapter.toml:")[1]
    assert '  target = "python:adapters:good"\n  claims = [\n    "tools",  # tools/single-call\n' in shown
    assert "Next: bridgecheck init --adapter python:adapters:good" in shown
    for claim in CAPABILITIES:
        assert f'    "{claim}",  # {CAPABILITIES[claim]}\n' in shown


def test_a_claim_that_does_not_hold_is_a_fault(smoke: Cli) -> None:
    found = _json(smoke("python:adapters:notools", "--json"))
    assert found["exit_code"] == 1
    (fault,) = found["faults"]
    assert (fault["whose"], fault["cause"]) == ("adapter", "the adapter refuses this: tools")
    assert fault["next"] == "respond to it, or take tools out of its capabilities"
    tools = next(capability for capability in found["capabilities"] if capability["name"] == "tools")
    assert tools == {
        "name": "tools", "works": 0, "routes": 1, "claimed": True, "why_not": "the adapter refuses this: tools",
    }  # fmt: skip
    assert "tools" in found["claims"], "a claim is not taken back for a failure"
    assert "thinking" in found["claims"]


def test_a_claim_is_proposed_for_the_recipe(smoke: Cli, project: Path) -> None:
    (project / "a.toml").write_text('target = "python:adapters:good"\nclaims = ["tools"]\n', encoding="utf-8")
    result = smoke("--adapter", "a.toml")
    assert result.returncode == 0, result.stdout + result.stderr
    shown = result.stdout.split("Claims for a.toml:")[1]
    assert "target =" not in shown
    assert '"parallel_tools",' in shown
    assert "Next: bridgecheck run --adapter a.toml" in shown
    (project / "a.toml").write_text('target = "python:adapters:good"\n', encoding="utf-8")
    assert "Next: bridgecheck init --adapter a.toml" in smoke("a.toml").stdout


def test_the_project_names_the_adapter(smoke: Cli, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.bridgecheck]\nadapter = "python:adapters:good"\n', encoding="utf-8")
    result = smoke()
    assert result.stdout.startswith("mine 7 (python:adapters:good); control: 4 of 4 native cases ok\n")


def test_adapter_output_does_not_interfere(smoke: Cli) -> None:
    result = smoke("python:adapters:prints")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "not a line" not in result.stdout


def test_a_command_is_a_valid_adapter(smoke: Cli) -> None:
    target = f"command:python {ROOT / 'docs' / 'examples' / 'command_python' / 'adapter.py'}"
    result = smoke(target)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"Next: bridgecheck init --adapter '{target}'" in result.stdout


def test_a_gateway_that_does_not_start_is_diagnosed(smoke: Cli, tmp_path: Path) -> None:
    fakes = Fakes(tmp_path)
    started = time.monotonic()
    result = smoke(str(fakes.recipe("crash")))
    assert time.monotonic() - started < 20
    assert result.returncode == 2
    assert "configuration: the adapter is not ready: it exited with code 1" in result.stdout
    assert "no licence for this machine, key REDACTED" in result.stdout
    assert fakes.pids
    assert becomes_true(lambda: fakes.alive == [])


def test_the_provider_address_for_a_running_gateway_is_printed(smoke: Cli, tmp_path: Path) -> None:
    """The dialects of the gateway are detected."""
    port, upstream = _free_port(), _free_port()
    script = [sys.executable, str(ROOT / "tests" / "fake_gateway.py"), "normal", str(port)]
    with subprocess.Popen(
        [*script, f"http://127.0.0.1:{upstream}", str(tmp_path)], stderr=subprocess.DEVNULL
    ) as running:
        assert becomes_true(lambda: _listens(port))
        target = f"http:http://127.0.0.1:{port}"
        assert "the port where the gateway calls its provider is not set" in smoke(target).stdout
        result = smoke(target, "--upstream-port", str(upstream))
        running.terminate()
    shown = result.stdout.split("A recipe to begin with")[1]
    assert f'target = "{target}"\n  routes = [\n    ["openai-chat", "openai-chat"],\n  ]\n' in shown
    assert f"upstream_port = {upstream}\n" in shown
    assert "which is openai-chat; the route says gemini" in " ".join(result.stdout.split())


def test_an_adapter_that_ends_the_process_is_diagnosed(smoke: Cli) -> None:
    result = smoke("python:adapters:dies")
    assert result.returncode == 1
    assert "the process of the adapter exited with code 9" in " ".join(result.stdout.split())
    assert "bridged-openai-chat-to-gemini-stream-wire" in result.stdout
    assert "last words" in result.stdout
    assert "ok" in result.stdout, "what went before is kept"


def test_an_adapter_that_hangs_is_diagnosed(smoke: Cli) -> None:
    found = _json(smoke("python:adapters:hangs", "--json"))
    (fault,) = found["faults"]
    assert (found["exit_code"], fault["name"]) == (1, "hangs")
    assert found["left"] > 0, "the route is not tried again"


def test_adapter_output_is_sanitised(smoke: Cli) -> None:
    result = smoke("python:adapters:paints", TTY_COMPATIBLE="1")
    assert result.returncode == 1
    assert "\\u001b[31mchoices" in result.stdout
    assert "\x1b[31mchoices" not in result.stdout
    assert "<script>[bold]" in result.stdout


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("python:quits:x", "quits cannot be imported: SystemExit: 4"),
        ("python:nowhere:x", "nowhere cannot be imported: ModuleNotFoundError"),
        ("python:adapters:nothing", "has no 'nothing'"),
        ("nothing:x", "no such kind of adapter: 'nothing:x'"),
        ("none.toml", "no recipe can be read"),
        ("command:no-such-program", "cannot be started"),
        ("command:python ends.py", "exited with code 3"),
        ("command:python garbage.py", "hello"),
    ],
)
def test_an_adapter_that_cannot_be_loaded(smoke: Cli, target: str, message: str) -> None:
    result = smoke(target)
    assert result.returncode == 2
    assert message in " ".join(result.stdout.split())
    assert "configuration" in result.stdout
    assert "NOT WIRED" in result.stdout


def test_a_failing_control_is_a_harness_error(smoke: Cli, tmp_path: Path) -> None:
    """A corpus that fails on the native path permits no statement about an adapter."""
    for name in ("scenarios", "cassettes"):
        shutil.copytree(ROOT / name / "messages", tmp_path / "corpus" / name / "messages")
    scenario = tmp_path / "corpus" / "scenarios" / "messages" / "plain-text.json"
    scenario.write_text(scenario.read_text(encoding="utf-8").replace("Mariehamn.", "Turku."), encoding="utf-8")
    found = _json(smoke("python:adapters:good", "--json", corpus=tmp_path / "corpus"))
    assert found["exit_code"] == 3
    assert {fault["whose"] for fault in found["faults"]} == {"harness"}
    assert {case["stage"] for case in found["cases"]} == {"control"}


def test_a_corpus_without_the_smoke_scenarios_is_refused(smoke: Cli, recorded_corpus: Path) -> None:
    result = smoke("python:adapters:good", corpus=recorded_corpus)
    assert result.returncode == 2
    assert "this corpus has no messages/plain-text" in result.stdout
