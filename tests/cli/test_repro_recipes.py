"""``repro`` of what a recipe names: a gateway that is started, a command, and the adapter's own quick start."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

Cli = Callable[..., subprocess.CompletedProcess[str]]
Refused = Callable[..., str]

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

QUICK = """
[repro]
install = ["pip install trimming==7"]
script = '''
# as its documentation says
import asyncio, json, urllib.request
from adapters import trims

asyncio.run(asyncio.sleep(0))  # as many libraries do

body = trims.to_upstream({body})
method = "streamGenerateContent?alt=sse" if {stream} else "generateContent"
url = {"gemini": "{upstream_url}/v1beta/models/{model}:"}["{upstream}"] + method
with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())) as provider:
    document = json.loads(provider.read().decode().removeprefix("data: "))
answer = trims.stream().feed(document) if {stream} else trims.from_upstream(document, status=200)[1]
'''
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
    (project / "quick.toml").write_text('target = "python:adapters:trims"\n' + QUICK, encoding="utf-8")
    (project / "quick-gateway.toml").write_text(RECIPE + QUICK, encoding="utf-8")
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
    [("gateway.toml", "http"), ("command.toml", "wire"), ("quick.toml", "wire"), ("quick-gateway.toml", "http")],
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
    assert ("pip install trimming==7" in text) == ("quick" in recipe)
    assert ("# as its documentation says" in script) == ("quick" in recipe)
    shown = _script(adapters_project, "out/issue.py")
    assert shown.returncode == 1, shown.stdout + shown.stderr
    assert 'content: "Four"\n' in shown.stdout
    assert ("the provider received: POST /v1beta/models/gemini-2.5-flash:" in shown.stdout) == (
        layer == "http" or "quick" in recipe
    )
    adapters = (adapters_project / "adapters.py").read_text(encoding="utf-8")
    (adapters_project / "adapters.py").write_text(adapters.replace('.rstrip(".")', ""), encoding="utf-8")
    after_mending = _script(adapters_project, "out/issue.py")
    assert after_mending.returncode == 0, after_mending.stdout + after_mending.stderr
    assert _running(adapters_project) == []


def test_a_quick_start_that_does_not_show_the_fault_is_reported(cli: Cli, adapters_project: Path) -> None:
    path = adapters_project / "quick.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("import trims", "import bridge as trims"), encoding="utf-8"
    )
    result = cli("repro", CASE.format(mode="unary").replace("http", "wire"), "--adapter", "quick.toml")
    assert result.returncode == 3
    assert "the quick start of the recipe does not show it: response.text holds of what came out" in result.stderr


def test_a_script_that_fails_is_reported(cli: Cli, adapters_project: Path) -> None:
    path = adapters_project / "quick.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("import trims", "import trims, nothing"), encoding="utf-8")
    result = cli("repro", CASE.format(mode="unary").replace("http", "wire"), "--adapter", "quick.toml")
    assert result.returncode == 3
    assert "ImportError: cannot import name 'nothing'" in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RECIPE + "[repro]\nscript = 7\n", "script is not what it should be: 7"),
        (RECIPE + '[repro]\ncode = "x"\n', "unknown key 'code' in repro"),
        ("repro = 1\n" + RECIPE, "repro is no table"),
    ],
)
def test_an_invalid_quick_start_is_refused(refusal_of: Refused, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "adapter.toml"
    path.write_text(text, encoding="utf-8")
    assert message in refusal_of("repro", CASE.format(mode="unary"), "--adapter", str(path))


def test_a_gateway_script_contains_no_sdk_code(cli: Cli, adapters_project: Path) -> None:
    result = cli("repro", CASE.format(mode="unary").replace("http", "sdk"), "--adapter", "gateway.toml")
    assert result.returncode == 2
    assert f"next: bridgecheck repro {CASE.format(mode='unary')}" in result.stderr
