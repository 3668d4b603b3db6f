"""litellm-proxy 1.109.1: client_response[0] candidates[].content.parts[].functionCall differs

A call cut off by the token limit is never one to run: a client of gemini, a provider of openai-chat, unary.
Needs Python 3.11 and the adapter, which '{here}/.venv/bin/litellm' --config config.yaml ... starts.
Exit code 1 while the fault shows, 0 when it is gone.
"""

import asyncio
import atexit
import contextlib
import copy
import faulthandler
import http.client
import inspect
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

CLIENT = 'gemini'
UPSTREAM = 'openai-chat'
MODE = 'unary'
BASE_PATH = ''
PORT = 0
ASKED = [
    {'body': {'contents': [{'role': 'user', 'parts': [{'text': 'Strike the old chart from the locker.'}]}],
              'tools': [{'functionDeclarations': [{'name': 'delete_chart',
                                                   'description': 'Delete a chart.',
                                                   'parameters': {'type': 'OBJECT',
                                                                  'properties': {'path': {'type': 'STRING'}},
                                                                  'required': ['path']}}]}]},
     'model': 'gemini-2.5-flash',
     'headers': {'content-type': 'application/json',
                 'accept': '*/*',
                 'accept-encoding': 'identity',
                 'user-agent': 'bridgecheck',
                 'x-goog-api-key': 'not-a-key-of-a-client'},
     'path': '/v1beta/models/openai-chat/gemini-2.5-flash:generateContent',
     'called': 'openai-chat/gemini-2.5-flash'},
]
RECORDED = [
    {'status': 200,
     'headers': [['content-type', 'application/json']],
     'chunks': [b'{\n  "id": "chatcmpl-3JeBIJIxw3JDGtoJJXCA67g2H3OTu",\n  "object": "chat.completion",\n  "cr'
                b'eated": 1763675329,\n  "model": "gpt-4.1-mini-2025-04-14",\n  "choices": [\n    {\n     '
                b' "index": 0,\n      "message": {\n        "role": "assistant",\n        "content": null'
                b',\n        "tool_calls": [\n          {\n            "id": "call_del",\n            "typ'
                b'e": "function",\n            "function": {\n              "name": "delete_chart",\n        '
                b'      "arguments": "{\\"path\\":\\"/char"\n            }\n          }\n        ],\n        '
                b'"refusal": null\n      },\n      "logprobs": null,\n      "finish_reason": "length"\n   '
                b' }\n  ],\n  "usage": {\n    "prompt_tokens": 30,\n    "completion_tokens": 9,\n    "total'
                b'_tokens": 39\n  }\n}\n'],
     'end': 'complete'},
]
EXPECTED = [
    {'on': 'client_response',
     'index': 0,
     'path': 'candidates[].content.parts[].functionCall',
     'operator': 'absent',
     'operand': True},
]


def said_by_client(body: Any, received: list[Any]) -> Any:
    return body


GENERATES = re.compile(r":(streamG|g)enerateContent$|/chat/completions$|/messages$")


class Provider(threading.Thread):
    """On 127.0.0.1. ``answers``: status, headers, the chunks of the body as they arrived, and how it ended."""

    def __init__(self, answers: list[Any], port: int = 0) -> None:
        super().__init__(daemon=True)
        self.answers, self.asked = answers, list[Any]()
        self.door = socket.create_server(("127.0.0.1", port))
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}"

    def run(self) -> None:
        while True:
            line, _ = self.door.accept()
            threading.Thread(target=self.serve, args=(line,), daemon=True).start()

    def serve(self, line: socket.socket) -> None:
        with line, line.makefile("rb") as incoming:
            method, path = [*incoming.readline().decode("latin-1").split(), "", ""][:2]
            headers = dict[str, str]()
            while (row := incoming.readline().decode("latin-1")).strip():
                name, _, value = row.partition(":")
                headers[name.lower()] = value.strip()
            body = read_body(incoming, headers)
            print(f"the provider was asked: {method} {path}\n  {body.decode('utf-8', 'replace')[:2000]}")
            if method != "POST" or not GENERATES.search(path.partition("?")[0]):
                line.sendall(b"HTTP/1.1 404 Not recorded\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
                return
            self.asked.append(json.loads(body or b"{}"))
            self.answer(line, **self.answers[min(len(self.asked), len(self.answers)) - 1])

    def answer(self, line: socket.socket, status: int, headers: list[Any], chunks: list[bytes], end: str) -> None:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rows = [f"{name}: {value}" for name, value in [*headers, ("transfer-encoding", "chunked")]]
        line.sendall("\r\n".join([f"HTTP/1.1 {status} Recorded", *rows, "connection: close", "", ""]).encode("latin-1"))
        for chunk in filter(None, chunks):
            line.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            time.sleep(0.002)
        if end == "complete":
            line.sendall(b"0\r\n\r\n")
        elif end == "reset":
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif end == "timeout":
            time.sleep(60)


def read_body(incoming: BinaryIO, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "") != "chunked":
        return incoming.read(int(headers.get("content-length", "0")))
    body = b""
    while size := int(incoming.readline().partition(b";")[0] or b"0", 16):
        body += incoming.read(size + 2)[:-2]
    incoming.readline()
    return body


def documents_in(body: bytes) -> list[Any]:
    """The events of a stream (server-sent ones, or a JSON array), or the one document of a body."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff")
    if re.match(r"\s*(data|event|id|retry)?:", text):
        events = re.split(r"(?:\r\n|\n|\r){2,}", text)
        payloads = ["\n".join(re.findall(r"^data: ?(.*?)\r?$", event, re.MULTILINE)) for event in events]
        return [json.loads(payload) for payload in payloads if payload.strip() not in ("", "[DONE]")]
    try:
        found = json.loads(text)
    except ValueError:
        return [text] if text else []
    return found if isinstance(found, list) else [found]


def play(adapter: Any) -> dict[str, Any]:
    """What went to the provider and came to the client, turn by turn."""
    provider = Provider(RECORDED, PORT)
    provider.start()
    return asyncio.run(converse(adapter, provider))


async def converse(adapter: Any, provider: Provider) -> dict[str, Any]:
    seen: dict[str, Any] = {"asked": [], "sent": [], "received": [], "status": [], "raw": [], "raised": ""}
    where = {"base_url": provider.url + BASE_PATH, "api_key": "a-key-for-nobody"}
    session = adapter.connect(client=CLIENT, upstream=UPSTREAM, **where)
    for turn in ASKED:
        try:
            body = said_by_client(turn["body"], seen["received"])
        except LookupError:
            break  # the client has nothing to go on with
        seen["asked"].append(body)
        try:
            status, given = await answer(session, copy.deepcopy(body), turn)
        except Exception:
            seen["raised"] = traceback.format_exc()
            break
        seen["status"].append(status)
        seen["raw"].append(given.decode("latin-1") if isinstance(given, bytes) else "")
        seen["received"].append(documents_in(given) if isinstance(given, bytes) else given)
    seen["sent"] = provider.asked
    await settled(session.close())
    return seen


async def answer(session: Any, body: Any, turn: dict[str, Any]) -> tuple[int, Any]:
    """One turn: the status and the documents that the client receives, or the bytes of them."""
    if hasattr(session, "exchange"):
        return await answered(session, body, turn)
    method = session.stream if MODE == "stream" else session.generate
    headers = {"headers": turn["headers"]} if "headers" in inspect.signature(method).parameters else {}
    documents: list[Any] = []
    try:
        given = await settled(method(body, model=turn["model"], **headers))
        if MODE != "stream":
            return 200, [given]
        if hasattr(given, "__aiter__"):
            async for event in given:
                documents.append(event)
        else:
            documents.extend(given)
    except Exception as error:
        status = getattr(error, "status", None) or getattr(error, "status_code", None)
        failed = getattr(error, "body", None)
        if isinstance(error, NotImplementedError) or (status is None and failed is None):
            raise
        return int(200 if documents else status or 200), [*documents, *([failed] if failed is not None else [])]
    return 200, b"".join(documents) if documents and isinstance(documents[0], bytes) else documents


async def answered(session: Any, body: Any, turn: dict[str, Any]) -> tuple[int, Any]:
    """By one that gives all of an answer at once."""
    try:
        status, given = await settled(session.exchange(body, turn))
        return int(status), given
    except Exception as error:
        status, failed = getattr(error, "status_code", None), getattr(error, "body", None)
        if status is None or failed is None:
            raise
        return int(status), [failed]


async def settled(value: Any) -> Any:
    """The result, awaited where the method is async."""
    return await value if inspect.isawaitable(value) else value


def filled(text: str, here: str, **values: str) -> str:
    """{here}: the folder of the recipe; {python}: this Python; and those that are given."""
    known = {"here": os.path.abspath(here), "python": sys.executable, **values}  # noqa: PTH100
    return re.sub(r"\{([a-z][a-z_]*)\}", lambda match: known.get(match[1], match[0]), text)


class Gateway:
    """``recipe``: url, command, env, files, cwd, ready (a path that answers when it is up) and seconds to wait for it;
    without a command it runs already."""

    def __init__(self, here: str, recipe: dict[str, Any]) -> None:
        self.here, self.recipe = here, recipe

    def connect(self, *, upstream: str, base_url: str, api_key: str, **rest: str) -> "GatewaySession":
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        home = tempfile.mkdtemp(prefix="repro-")
        atexit.register(shutil.rmtree, home, ignore_errors=True)
        values = {
            "upstream": upstream,
            "upstream_url": base_url,
            "upstream_key": api_key,
            "port": str(port),
            "tmp": home,
        }

        def fill(text: str) -> str:
            return filled(text, self.here, **values)

        session = GatewaySession(fill(self.recipe["url"]))
        if self.recipe["command"]:
            for name, content in self.recipe["files"].items():
                place = Path(home, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(fill(content), encoding="utf-8")
            own = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
            env = {
                **own,
                "HOME": home,
                "TMPDIR": home,
                **{name: fill(value) for name, value in self.recipe["env"].items()},
            }
            command = [fill(word) for word in self.recipe["command"]]
            program = subprocess.Popen(command, cwd=fill(self.recipe["cwd"]), env=env, start_new_session=True)
            atexit.register(stop, program)
            seconds = self.recipe["seconds"]
            faulthandler.dump_traceback_later(seconds + 60, exit=True)  # the time to start is no hang
            session.wait(self.recipe["ready"], seconds, program)
        return session


def stop(program: "subprocess.Popen[bytes]") -> None:
    """The program and all that came of it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()


class GatewaySession:
    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        self.host, self.port, self.path = where.hostname or "", where.port or 80, where.path.rstrip("/")

    def wait(self, ready: str, seconds: float, program: "subprocess.Popen[bytes]") -> None:
        until = time.monotonic() + seconds
        while program.poll() is None and time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException):
                line = http.client.HTTPConnection(self.host, self.port, timeout=2)
                line.connect()
                if ready:
                    line.request("GET", f"{self.path}{ready}")
                if not ready or line.getresponse().status < 500:
                    return
            time.sleep(0.1)
        raise SystemExit(f"the adapter is not ready: exit code {program.poll()}, after {seconds} s at most")

    def exchange(self, body: Any, turn: dict[str, Any]) -> tuple[int, bytes]:
        """One request of the client; what it receives until the answer ends, or breaks."""
        sent = {**body, "model": turn["called"]} if "model" in body else body
        line = http.client.HTTPConnection(self.host, self.port, timeout=30)
        line.request("POST", turn["path"], json.dumps(sent), turn["headers"])
        answer = line.getresponse()
        received = b""
        with contextlib.suppress(ConnectionError, http.client.IncompleteRead):
            while piece := answer.read1(65536):
                received += piece
        return answer.status, received

    def close(self) -> None:
        """It is stopped when the script ends."""


TOKEN = re.compile(r'\.?"((?:[^"\\]|\\.)*)"|\[(-?\d*)\]|\.?([^.\[\]"]+)')


def shows(seen: dict[str, Any]) -> bool:
    """Prints each expectation with what is there; whether one of them is not met."""
    bound: dict[str, str] = {}
    wrong = [one for one in EXPECTED if not met(one, seen, bound)]
    for one in EXPECTED:
        print(f"EXPECTED {place(one)}: {one['operator']} {json.dumps(one['operand'])}")
        print(f"ACTUAL   {' | '.join(map(json.dumps, values(one, seen))) or '(nothing is there)'}")
    return bool(wrong) or bool(seen["raised"])


def met(one: dict[str, Any], seen: dict[str, Any], bound: dict[str, str]) -> bool:
    found = values(one, seen)
    if one["operator"] != "bind":  # the same value wherever the same name stands
        return OPERATORS[one["operator"]](found, one["operand"])
    first = [bound.setdefault(one["operand"], plain(value)) for value in found]
    return bool(found) and first == [plain(value) for value in found]


def place(one: dict[str, Any]) -> str:
    return f"{one['on']}[{one['index']}] {one['path']}"


def values(one: dict[str, Any], seen: dict[str, Any]) -> list[Any]:
    """Everything that the path reaches: a.b[0].c, [] for every item, * for every key."""
    path, documents = one["path"], seen["sent" if one["on"] == "upstream_request" else "received"]
    if one["index"] >= len(documents):
        return []
    document = documents[one["index"]]
    if one["on"] == "client_response":
        document = document[0] if document else {}
    elif one["on"] == "client_events" and path and not path.startswith("["):
        path = f"[].{path}"
    found = [document]
    for quoted, index, key in TOKEN.findall(path):
        step = quoted or key
        found = [child for value in found for child in children(value, step, index)]
    return found


def children(value: Any, key: str, index: str) -> list[Any]:
    if isinstance(value, list) and not key:
        if not index:
            return value
        return value[int(index) :][:1] if -len(value) <= int(index) < len(value) else []
    if isinstance(value, dict) and key:
        if key == "*":
            return list(value.values())
        snake = re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: "_" + match[0].lower(), key)
        return [value[name] for name in dict.fromkeys((key, snake)) if name in value][:1]
    return []


def plain(value: Any) -> str:
    """As JSON, the same for 1 and 1.0."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{plain(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(plain, value)) + "]"
    whole = isinstance(value, float) and value.is_integer()
    return json.dumps(int(value) if whole else value)


def contains(value: Any, operand: Any) -> bool:
    if isinstance(value, str):
        return isinstance(operand, str) and operand in value
    if isinstance(value, list):
        return plain(operand) in map(plain, value)
    return isinstance(value, dict) and all(key in value and plain(value[key]) == plain(operand[key]) for key in operand)


def members(found: list[Any]) -> list[Any]:
    """Of a single list its members, else the values."""
    return found[0] if len(found) == 1 and isinstance(found[0], list) else found


def nested(operand: Any, found: list[Any]) -> bool:
    if isinstance(operand, dict) and operand and all(name in OPERATORS for name in operand):
        return all(OPERATORS[name](found, inner) for name, inner in operand.items())
    return OPERATORS["equals"](found, operand)


def every(test: Callable[[Any, Any], bool]) -> Callable[[list[Any], Any], bool]:
    return lambda found, operand: bool(found) and all(test(value, operand) for value in found)


OPERATORS: dict[str, Callable[[list[Any], Any], bool]] = {
    "equals": every(lambda value, operand: plain(value) == plain(operand)),
    "one_of": every(lambda value, operand: plain(value) in map(plain, operand)),
    "none_of": lambda found, operand: not any(plain(value) in list(map(plain, operand)) for value in found),
    "contains": every(contains),
    "matches": every(lambda value, operand: isinstance(value, str) and bool(re.search(operand, value))),
    "absent": lambda found, operand: not found or operand is False,
    "present": lambda found, operand: bool(found) or operand is False,
    "count": lambda found, operand: (
        operand in (len(found), len(found[0]) if len(found) == 1 and isinstance(found[0], (list, dict)) else len(found))
    ),
    "each": lambda found, operand: bool(members(found)) and all(nested(operand, [one]) for one in members(found)),
    "last": lambda found, operand: bool(members(found)) and nested(operand, members(found)[-1:]),
    "unordered": lambda found, operand: sorted(map(plain, members(found))) == sorted(map(plain, operand)),
}


RECIPE = {'url': 'http://127.0.0.1:{port}',
 'command': ['{here}/.venv/bin/litellm',
             '--config',
             'config.yaml',
             '--host',
             '127.0.0.1',
             '--port',
             '{port}'],
 'env': {'LITELLM_LOCAL_MODEL_COST_MAP': 'True',
         'LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS': 'True',
         'LITELLM_LOCAL_BLOG_POSTS': 'True',
         'LITELLM_LOCAL_POLICY_TEMPLATES': 'True',
         'LITELLM_LOCAL_AUTOROUTER_PRESETS': 'True',
         'LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY': 'true'},
 'files': {'config.yaml': 'model_list:\n'
                          '  - model_name: "gemini/gemini-*"\n'
                          '    litellm_params: {model: "gemini/gemini-*", api_base: "{upstream_url}/v1beta", '
                          'api_key: "{upstream_key}", max_retries: 0}\n'
                          '  - model_name: "gemini/*"\n'
                          '    litellm_params: {model: "gemini/gemini-2.5-flash", api_base: '
                          '"{upstream_url}/v1beta", api_key: "{upstream_key}", max_retries: 0}\n'
                          '  - model_name: "openai-chat/gpt-*"\n'
                          '    litellm_params: {model: "openai/gpt-*", api_base: "{upstream_url}/v1", '
                          'api_key: "{upstream_key}", max_retries: 0}\n'
                          '  - model_name: "openai-chat/*"\n'
                          '    litellm_params: {model: "openai/gpt-4.1-mini", api_base: "{upstream_url}/v1", '
                          'api_key: "{upstream_key}", max_retries: 0}\n'
                          'router_settings:\n'
                          '  disable_cooldowns: true\n'
                          '  num_retries: 0\n'},
 'cwd': '{tmp}',
 'ready': '/health/liveliness',
 'seconds': 300.0}


def load() -> Gateway:
    return Gateway('reports/litellm-proxy', RECIPE)


def main() -> int:
    """1 while the fault shows, 0 when it is gone."""
    faulthandler.dump_traceback_later(60, exit=True)  # a hang is a fault too: exit code 1, and where it stands
    seen = play(load())
    for number, body in enumerate(seen["sent"]):
        print(f"SENT to the provider [{number}]: {json.dumps(body)}")
    showing = shows(seen)
    print("The fault shows." if showing else "The fault does not show.")
    return 1 if showing else 0


if __name__ == "__main__":
    sys.exit(main())
