"""``repro`` of what a recipe names: a gateway that is started, and a command, whose shim may travel with the script."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

Cli = Callable[..., subprocess.CompletedProcess[str]]

CASE = "messages/plain::bridged-openai-chat-to-gemini-{mode}-http"

GATEWAY = '''
"""A gateway for one text answer."""

import http.server
import json
import os
import urllib.request

from adapters import bridge, trims

ADAPTER = trims


class Asked(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *rest):
        pass

    def do_GET(self):
        self.answer(200, "text/plain", b"ready")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method = "streamGenerateContent?alt=sse" if body.get("stream") else "generateContent"
        sent = ADAPTER.to_upstream(body)
        url = f"{os.environ['PROVIDER']}/v1beta/models/{body['model']}:{method}"
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(sent).encode())) as provider:
            text = provider.read().decode()
        if not body.get("stream"):
            status, answer = ADAPTER.from_upstream(json.loads(text), status=200)
            return self.answer(status, "application/json", json.dumps(answer).encode())
        stream = ADAPTER.stream()
        events = [event for line in text.splitlines() if line[:6] == "data: " for event in stream.feed(json.loads(line[6:]))]
        text = "".join(f"data: {json.dumps(event)}\\n\\n" for event in events) + "data: [DONE]\\n\\n"
        return self.answer(200, "text/event-stream", text.encode())

    def answer(self, status, kind, data):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Asked).serve_forever()
'''

RECIPE = """\
name = "plain-gateway"
version = "3"
target = "http:http://127.0.0.1:{port}"
command = ["{python}", "{here}/gateway.py"]
env = { PORT = "{port}", PROVIDER = "{upstream_url}", PYTHONPATH = "{here}" }
ready = { path = "/" }
routes = [["openai-chat", "gemini"]]
"""

COMMAND = 'target = "command:{python} {here}/shim.py"\n'


@pytest.fixture
def adapters_project(project: Path) -> Path:
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("test_repro", Path(__file__).with_name("test_repro.py"))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    (project / "gateway.py").write_text(GATEWAY, encoding="utf-8")
    (project / "shim.py").write_text(module.SHIM, encoding="utf-8")
    (project / "gateway.toml").write_text(RECIPE, encoding="utf-8")
    (project / "command.toml").write_text(COMMAND, encoding="utf-8")
    return project


def _script(project: Path, path: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PYTHONPATH": "."}
    return subprocess.run(
        [sys.executable, path], cwd=project, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def _running(project: Path) -> list[str]:
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in found.splitlines() if str(project) in line]


@pytest.mark.parametrize("mode", ["unary", "stream"])
@pytest.mark.parametrize(
    ("recipe", "layer"),
    [("gateway.toml", "http"), ("command.toml", "wire")],
)
def test_the_script_shows_the_fault_until_it_is_fixed(
    cli: Cli, adapters_project: Path, recipe: str, layer: str, mode: str
) -> None:
    case = CASE.format(mode=mode).removesuffix("http") + layer
    result = cli(
        "repro",
        case,
        "--adapter",
        recipe,
        "--output",
        "out/issue.md",
        PYTHONPATH=os.environ.get("PYTHONPATH", "") + f"{os.pathsep}.",
    )
    assert result.returncode == 0, result.stdout + result.stderr
    text = (adapters_project / "out" / "issue.md").read_text(encoding="utf-8")
    script = (adapters_project / "out" / "issue.py").read_text(encoding="utf-8")
    assert str(adapters_project) not in text + script, "no path of this machine"
    shown = _script(adapters_project, "out/issue.py")
    assert shown.returncode == 1, shown.stdout + shown.stderr
    assert 'content: "Four"\n' in shown.stdout
    assert ("the provider received: POST /v1beta/models/gemini-2.5-flash:" in shown.stdout) == (layer == "http")
    adapters = (adapters_project / "adapters.py").read_text(encoding="utf-8")
    (adapters_project / "adapters.py").write_text(adapters.replace('.rstrip(".")', ""), encoding="utf-8")
    after_mending = _script(adapters_project, "out/issue.py")
    assert after_mending.returncode == 0, after_mending.stdout + after_mending.stderr
    assert _running(adapters_project) == []


def test_a_shim_travels_with_the_script(cli: Cli, adapters_project: Path, tmp_path: Path) -> None:
    """Where the recipe's folder says what is installed, what else lies there is embedded: the script runs anywhere, and
    says what it needs."""
    (adapters_project / "requirements.txt").write_text("trimming==7  # pinned\n", encoding="utf-8")
    case = CASE.format(mode="unary").removesuffix("http") + "wire"
    result = cli("repro", case, "--adapter", "command.toml", "--output", "out/issue.md")
    assert result.returncode == 0, result.stdout + result.stderr
    away = tmp_path / "away"
    away.mkdir()
    script = (adapters_project / "out/issue.py").read_text(encoding="utf-8")
    (away / "moved.py").write_text(script, encoding="utf-8")
    for name in ("shim.py", "adapters.py"):
        (adapters_project / name).unlink()
    shown = _script(away, "moved.py")
    assert (shown.returncode, shown.stdout.endswith("The fault shows.\n")) == (1, True), shown.stdout + shown.stderr
    assert "    trimming==7\n" in script.partition("CASE = ")[0]
    assert "\nIt runs from any folder.\n" in script.partition("CASE = ")[0]
    assert "It runs from any folder. It ends" in (adapters_project / "out/issue.md").read_text(encoding="utf-8")
    listed = subprocess.run(
        [sys.executable, "moved.py", "--requirements"], cwd=away, capture_output=True, text=True, check=True
    )
    assert listed.stdout == "trimming==7\n"


def test_a_script_without_its_adapter_can_say_nothing(cli: Cli, adapters_project: Path) -> None:
    case = CASE.format(mode="unary").removesuffix("http") + "wire"
    assert cli("repro", case, "--adapter", "command.toml", "--output", "out/issue.md").returncode == 0
    (adapters_project / "shim.py").unlink()
    result = _script(adapters_project, "out/issue.py")
    assert result.returncode == 2
    assert "Nothing can be said: the adapter cannot be reached: there is no file " in result.stdout
    assert "\nNext: --folder DIR names the one of the recipe" in result.stdout


@pytest.mark.parametrize("pinned", [False, True])
def test_a_script_that_needs_the_adapter_s_own_folder_says_so(
    cli: Cli, adapters_project: Path, tmp_path: Path, pinned: bool
) -> None:
    """The recipe starts the gateway in a folder above its own, with what lies there."""
    folder = adapters_project / "tests" / "recipe"
    folder.mkdir(parents=True)
    recipe = RECIPE.replace('"{here}/gateway.py"', '"-m", "gateway"').replace('"{here}"', '"{here}/../.."')
    (folder / "gateway.toml").write_text(f'{recipe}cwd = "{{here}}/../.."\n', encoding="utf-8")
    if pinned:
        (folder / "requirements.txt").write_text("trimming==7\n", encoding="utf-8")
    case = CASE.format(mode="unary")
    result = cli("repro", case, "--adapter", "tests/recipe/gateway.toml", "--output", "out/issue.md")
    assert result.returncode == 0, result.stdout + result.stderr
    script = (adapters_project / "out/issue.py").read_text(encoding="utf-8")
    place = "It finds the adapter's own folder as seen from where it lies; moved elsewhere it needs --folder DIR: the one of"
    assert place in script.partition("CASE = ")[0]
    text = (adapters_project / "out/issue.md").read_text(encoding="utf-8")
    assert "moved elsewhere it needs --folder DIR: the one of the recipe, " in text
    assert "any folder" not in script.partition("CASE = ")[0] + text
    away = tmp_path / "away"
    away.mkdir()
    (away / "moved.py").write_text(script, encoding="utf-8")
    lost = _script(away, "moved.py")
    assert lost.returncode == 2 and "install" not in lost.stdout
    assert re.search(
        r"there is no folder \S+; --folder DIR names the one of the recipe\nNext: --folder DIR", lost.stdout
    )
    found = subprocess.run(
        [sys.executable, "moved.py", "--folder", str(folder)], cwd=away, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout.endswith("The fault shows.\n")) == (1, True), found.stdout + found.stderr


def test_a_gateway_script_contains_no_sdk_code(cli: Cli, adapters_project: Path) -> None:
    case = CASE.format(mode="unary").replace("http", "sdk")
    result = cli("repro", case, "--adapter", "gateway.toml")
    assert result.returncode == 2
    assert f"next: bridgecheck run --adapter gateway.toml --scenario {case}" in result.stderr
