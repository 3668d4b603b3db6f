"""``repro``: an issue text and a script that shows the fault without bridgecheck until it is fixed."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

Cli = Callable[..., subprocess.CompletedProcess[str]]
Refused = Callable[..., str]

UNARY = "messages/plain::bridged-openai-chat-to-gemini-unary-wire"

LIVE = '''
"""An adapter with an HTTP client of its own: it asks the provider itself."""

import json
import urllib.request
from dataclasses import replace

from adapters import USAGE

CUT = "."


class Live:
    name, version, transport = "live", "1", "socket"
    routes = (("openai-chat", "gemini"),)

    def connect(self, *, client, upstream, base_url, api_key):
        return Session(base_url)


class Session:
    def __init__(self, base_url):
        self.base_url = base_url

    def ask(self, body, model, method):
        gemini_body = {"contents": [{"role": "user", "parts": [{"text": body["messages"][0]["content"]}]}]}
        url = f"{self.base_url}/v1beta/models/{model}:{method}"
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(gemini_body).encode())) as answer:
            return answer.read().decode()

    def text(self, document):
        return document["candidates"][0]["content"]["parts"][0]["text"].rstrip(CUT)

    async def generate(self, body, *, model):
        message = {"role": "assistant", "content": self.text(json.loads(self.ask(body, model, "generateContent")))}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        base = {"id": "c", "object": "chat.completion", "created": 1, "model": model}
        return base | {"choices": [choice], "usage": USAGE}

    def stream(self, body, *, model):
        for line in self.ask(body, model, "streamGenerateContent?alt=sse").splitlines():
            if line.startswith("data: "):
                delta = {"role": "assistant", "content": self.text(json.loads(line[6:]))}
                choice = {"index": 0, "delta": delta, "finish_reason": "stop"}
                base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": model}
                yield base | {"choices": [choice]}

    def close(self):
        pass


class Gate:
    name, version = "gate", "1"
    routes = (("openai-chat", "gemini"),)

    async def handle(self, request, upstream):
        body = json.loads(request.body)
        gemini_body = {"contents": [{"role": "user", "parts": [{"text": body["messages"][0]["content"]}]}]}
        method = "streamGenerateContent?alt=sse" if body.get("stream") else "generateContent"
        upstream_request = replace(request, path=f"/v1beta/models/{body['model']}:{method}", body=json.dumps(gemini_body).encode())
        answer = await upstream.send(upstream_request)
        text = b"".join([piece async for piece in answer.body]).decode()
        base = {"id": "c", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            message = {"role": "assistant", "content": Session.text(self, json.loads(text))}
            base |= {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
            return answer.status, {"content-type": "application/json"}, json.dumps(base | {"usage": USAGE}).encode()
        event = json.loads(text.removeprefix("data: "))
        delta = {"role": "assistant", "content": Session.text(self, event)}
        base |= {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": "stop"}]}
        events = [f"data: {json.dumps(base)}\\n\\n".encode(), b"data: [DONE]\\n\\n"]
        return answer.status, {"content-type": "text/event-stream"}, events


live, gate = Live(), Gate()
'''

SHIM = '''
"""A program that converts: the fault is in the adapter that it serves."""

import json
import sys

from adapters import trims

streams = {}


def answer(op, message):
    if op == "start":
        return {"bridgecheck": 1, "name": "shim", "version": "1"}
    if op == "capabilities":
        return {"routes": [["openai-chat", "gemini"]], "does": ["to_upstream", "from_upstream", "stream"]}
    if op == "to_upstream":
        return {"body": trims.to_upstream(message["body"])}
    if op == "from_upstream":
        status, body = trims.from_upstream(message["body"], status=message["status"])
        return {"status": status, "body": body}
    if op == "stream.open":
        streams[message["stream"]] = trims.stream()
        return {"opened": True}
    if op == "stream.feed":
        return {"events": streams[message["stream"]].feed(message["event"])}
    return {"events": []} if op == "stream.close" else {"stopped": True}


for line in sys.stdin:
    message = json.loads(line)
    print(json.dumps({"id": message["id"], **answer(message["op"], message)}), flush=True)
'''

FIXED = [
    ('.rstrip(".")', ""),
    ('body["candidate"]', 'body["candidates"][0]["content"]["parts"][0]["text"]'),
    ('CUT = "."', 'CUT = ""'),
]


@pytest.fixture
def adapters_project(project: Path) -> Path:
    """The project with adapters of every kind."""
    (project / "live.py").write_text(LIVE, encoding="utf-8")
    (project / "shim.py").write_text(SHIM, encoding="utf-8")
    return project


def _script(project: Path, path: str) -> subprocess.CompletedProcess[str]:
    """Run the script as its reader does: in the adapter's folder, without bridgecheck."""
    text = (project / path).read_text(encoding="utf-8")
    imported = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom | ast.Import)]
    assert not any("bridgecheck" in ast.unparse(node) for node in imported)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, path], cwd=project, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def _mend(project: Path) -> None:
    for name in ("adapters.py", "live.py"):
        text = (project / name).read_text(encoding="utf-8")
        for fault, fixed in FIXED:
            text = text.replace(fault, fixed)
        (project / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("target", "case", "message"),
    [
        ("python:adapters:trims", UNARY, 'ACTUAL   received[][].choices[].message.content: "Four"'),
        ("python:adapters:trims", UNARY.replace("unary", "stream"), 'delta.content: "Four"'),
        ("python:adapters:raises", UNARY, "KeyError: 'candidate'"),
        (
            "python:live:live",
            UNARY.replace("wire", "sdk"),
            "the provider received: POST /v1beta/models/gemini-2.5-flash",
        ),
        ("python:live:live", UNARY.replace("wire", "sdk").replace("unary", "stream"), 'delta.content: "Four"'),
        ("python:live:gate", UNARY.replace("wire", "http"), 'message.content: "Four"'),
        ("python:live:gate", UNARY.replace("wire", "http").replace("unary", "stream"), 'delta.content: "Four"'),
        (f"command:{sys.executable} shim.py", UNARY, 'message.content: "Four"'),
        (f"command:{sys.executable} shim.py", UNARY.replace("unary", "stream"), 'delta.content: "Four"'),
    ],
    ids=lambda value: value.partition(":")[0] if ":" in value else "",
)
def test_the_script_shows_the_fault_until_it_is_fixed(
    cli: Cli, adapters_project: Path, target: str, case: str, message: str
) -> None:
    result = cli("repro", case, "--adapter", target, "--output", "out/issue.md")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Written: out/issue.md (the text), out/issue.py (the script)" in result.stdout
    assert f"{adapters_project}/" not in (adapters_project / "out/issue.md").read_text(encoding="utf-8")
    shown = _script(adapters_project, "out/issue.py")
    assert (shown.returncode, shown.stderr) == (1, ""), shown.stdout
    assert message in shown.stdout
    assert shown.stdout.endswith("The fault shows.\n")
    _mend(adapters_project)
    after_mending = _script(adapters_project, "out/issue.py")
    assert after_mending.returncode == 0, after_mending.stdout + after_mending.stderr
    assert after_mending.stdout.endswith("The fault does not show.\n")


def test_the_output_option_may_name_the_script(cli: Cli, adapters_project: Path) -> None:
    result = cli("repro", UNARY, "--adapter", "python:adapters:trims", "--output", "out/trims.py")
    assert "Written: out/trims.md (the text), out/trims.py (the script)" in result.stdout
    assert _script(adapters_project, "out/trims.py").stdout.endswith("The fault shows.\n")
    assert (
        (adapters_project / "out/trims.md")
        .read_text(encoding="utf-8")
        .startswith('# mine 7: text of the answer is "Four", expected "Four."')
    )


def test_the_issue_text_is_complete(cli: Cli, adapters_project: Path) -> None:
    assert cli("repro", UNARY, "--adapter", "python:adapters:trims", "--output", "issue.md").returncode == 0
    text = (adapters_project / "issue.md").read_text(encoding="utf-8")
    for expected in (
        '# mine 7: text of the answer is "Four", expected "Four."',
        "reached as `python:adapters:trims`",
        "Text of one segment arrives byte for byte, once.",
        (
            "The content is what the model generated. "
            "(documented: <https://ai.google.dev/api/generate-content#v1beta.Candidate>, 2026-11-20)"
        ),
        '"messages": [{"role": "user", "content": "2 + 2?"}]',
        '{"contents": [{"role": "user", "parts": [{"text": "2 + 2?"}]}]}',
        '"parts": [{"text": "Four."}]',
        '"message": {"role": "assistant", "content": "Four"}',
        'expected  "Four."\n  actual    "Four"',
        f"bridgecheck run --adapter python:adapters:trims --scenario {UNARY}",
        "The fault shows.\n(exit code 1)",
        "\n    'client': 'openai-chat',\n",
        "bridgecheck 0.1.0",
    ):
        assert expected in text, expected
    assert "Exit code 1: the fault shows. 0: it does not show. 2: nothing can be said, and why." in text
    code = re.search(r"```python\n(.*?)\n```", text, re.DOTALL)
    assert code is not None
    assert code[1] == (adapters_project / "issue.py").read_text(encoding="utf-8").rstrip("\n")


def test_a_finding_is_named_by_number_and_by_fingerprint(cli: Cli, adapters_project: Path) -> None:
    assert cli("run", "--adapter", "python:adapters:trims", "-n", "0").returncode == 1
    folder = adapters_project / "reports" / "local"
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    mark = report["findings"][0]["fingerprint"]
    for case in ("1", mark):
        assert cli("repro", case).returncode == 0
        text = (folder / f"repro-{mark}.md").read_text(encoding="utf-8")
        assert "reached as `python:adapters:trims`" in text
        (folder / f"repro-{mark}.md").unlink()
    assert cli("repro", UNARY).returncode == 0, "the adapter of the last run"
    assert cli("run", "--adapter", "python:adapters:trims", "-n", "0", "--update-deviations").returncode == 0
    assert cli("repro", mark).returncode == 0, "an accepted one too"
    for case, message in (
        ("7", "there is no finding 7: the report has 0"),
        ("0123456789", "no finding has the fingerprint"),
    ):
        result = cli("repro", case)
        assert (result.returncode, message in result.stderr) == (2, True), result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("messages/plain",), "'messages/plain' names 2 cases"),
        (("messages/plain::bridged-*-wire",), "names 2 cases"),
        (("messages/plain::bridged-x",), "names no case"),
        (("messages/plain::native-gemini-to-gemini-unary-wire",), "the native path is bridgecheck's own"),
        (("nothing/there::x",), "no scenario matches"),
        ((UNARY, "--adapter", "python:adapters:bridge"), "there is no failure to reproduce: the case ended as PASS"),
        ((UNARY, "--adapter", "native:"), "there is no failure to reproduce: the case ended as NOT_APPLICABLE"),
        ((UNARY, "--report", "nowhere", "--adapter", "python:adapters:nothing"), "has no 'nothing'"),
        (("3",), "there is no report"),
    ],
)
def test_what_cannot_be_reproduced_is_refused(refusal_of: Refused, arguments: tuple[str, ...], message: str) -> None:
    target = (
        arguments
        if "--adapter" in arguments or arguments[0] == "3"
        else (*arguments, "--adapter", "python:adapters:trims")
    )
    assert message in refusal_of("repro", *target)


def test_a_fault_that_the_script_cannot_show_is_not_written(cli: Cli, adapters_project: Path) -> None:
    """The adapter detects its caller: no script can show what it does to bridgecheck alone."""
    text = (adapters_project / "adapters.py").read_text(encoding="utf-8")
    sly = 'super().text(body).rstrip(".") if "bridgecheck" in __import__("sys").modules else super().text(body)'
    (adapters_project / "adapters.py").write_text(text.replace('super().text(body).rstrip(".")', sly), encoding="utf-8")
    result = cli("repro", UNARY, "--adapter", "python:adapters:trims", "--output", "issue.md")
    assert result.returncode == 3
    assert (
        "[not-reproduced] what was received by the client differs in the script from what bridgecheck saw"
        in result.stderr
    )
    assert not (adapters_project / "issue.md").exists()


def test_a_failure_that_does_not_repeat_is_reported(cli: Cli, adapters_project: Path) -> None:
    """The adapter cuts the text every other time."""
    text = (adapters_project / "adapters.py").read_text(encoding="utf-8")
    count = '(open("count", "a").write("x"), __import__("os").path.getsize("count"))[1]'
    sometimes = f'super().text(body).rstrip(".") if {count} % 2 == 0 else super().text(body)'
    (adapters_project / "adapters.py").write_text(
        text.replace('super().text(body).rstrip(".")', sometimes), encoding="utf-8"
    )
    first = cli("repro", UNARY, "--adapter", "python:adapters:trims", "--output", "issue.md")
    second = cli("repro", UNARY, "--adapter", "python:adapters:trims", "--output", "issue.md")
    assert (
        "[does-not-repeat] the case shows response.text in one play and not in the next" in first.stderr + second.stderr
    )
    assert not (adapters_project / "issue.md").exists()


def test_hostile_adapter_output_breaks_neither_text_nor_script(cli: Cli, adapters_project: Path) -> None:
    text = (adapters_project / "adapters.py").read_text(encoding="utf-8")
    hostile = "'</details>\\n```\\n# <script> \\x1b[31m \\u202e \"\"\" \\'\\'\\' sk-proj-" + "Ab1" * 16 + "'"
    (adapters_project / "adapters.py").write_text(
        text.replace('super().text(body).rstrip(".")', hostile), encoding="utf-8"
    )
    result = cli("repro", UNARY, "--adapter", "python:adapters:trims", "--output", "issue.md")
    assert result.returncode == 0, result.stdout + result.stderr
    issue = (adapters_project / "issue.md").read_text(encoding="utf-8")
    assert "sk-proj-" not in issue
    assert not set("\x1b\u202e") & set(issue)
    outside = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", issue, flags=re.DOTALL | re.MULTILINE)
    assert "<script>" not in outside
    assert outside.count("</details>") == 1
    assert _script(adapters_project, "issue.py").returncode == 1
