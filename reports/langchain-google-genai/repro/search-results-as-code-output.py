"""langchain-google-genai 4.4.2: turns[1].parts[0] added

A search that Google ran stands beside the call, not among the calls: a client of outcome, a provider of gemini, unary.
Needs Python 3.11 and the program {here}/.venv/bin/python, from the folder in which it is called.
Exit code 1 while the fault shows, 0 when it is gone.
"""

import asyncio
import atexit
import copy
import faulthandler
import hashlib
import inspect
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any, BinaryIO

CLIENT = 'outcome'
UPSTREAM = 'gemini'
MODE = 'unary'
BASE_PATH = ''
PORT = 0
ASKED = [
    {'body': {'version': 1,
              'model': 'gemini-3.5-flash',
              'turns': [{'role': 'user', 'parts': [{'text': 'When does the ferry to Ærø leave?'}]}],
              'tools': [{'name': 'book',
                         'description': 'Book a place.',
                         'parameters': {'type': 'object',
                                        'properties': {'time': {'type': 'string'}},
                                        'required': ['time']}}]},
     'model': 'gemini-3.5-flash',
     'headers': {}},
    {'body': {'version': 1,
              'model': 'gemini-3.5-flash',
              'turns': [{'role': 'user', 'parts': [{'text': 'When does the ferry to Ærø leave?'}]},
                        {'role': 'assistant',
                         'parts': [{'tool_call': {'id': 'bk1', 'name': 'book', 'args': {'time': '21.40'}},
                                    'signature': 'U0lHLUJPT0stMw=='}],
                         'keep': {'type': 'ai',
                                  'data': {'content': [{'type': 'server_tool_call',
                                                        'name': 'google_search_web',
                                                        'id': 'srch01',
                                                        'args': {'queries': ['ferry Ærø']},
                                                        'extras': {'signature': 'U0lHLVNFQVJDSC0x'}},
                                                       {'type': 'server_tool_result',
                                                        'tool_call_id': 'srch01',
                                                        'status': 'success',
                                                        'output': {'search_suggestions': '<div>ferry</div>'},
                                                        'extras': {'block_type': 'google_search_web',
                                                                   'signature': 'U0lHLVNFQVJDSC0y'}}],
                                           'additional_kwargs': {'function_call': {'name': 'book',
                                                                                   'arguments': '{"time": '
                                                                                                '"21.40"}'},
                                                                 '__gemini_function_call_thought_signatures__': {'bk1': 'U0lHLUJPT0stMw=='}},
                                           'response_metadata': {'finish_reason': 'STOP',
                                                                 'model_name': 'gemini-3.5-flash',
                                                                 'safety_ratings': [],
                                                                 'model_provider': 'google_genai'},
                                           'type': 'ai',
                                           'name': None,
                                           'id': 'lc_run--01a202f9-3168-770f-814d-901b2ed5469c-0',
                                           'tool_calls': [{'name': 'book',
                                                           'args': {'time': '21.40'},
                                                           'id': 'bk1',
                                                           'type': 'tool_call'}],
                                           'invalid_tool_calls': [],
                                           'usage_metadata': {'input_tokens': 210,
                                                              'output_tokens': 48,
                                                              'total_tokens': 258,
                                                              'input_token_details': {'cache_read': 0},
                                                              'output_token_details': {'reasoning': 18}}}}},
                        {'role': 'user',
                         'parts': [{'tool_result': {'id': 'bk1', 'name': 'book', 'value': 'booked'}}]}],
              'tools': [{'name': 'book',
                         'description': 'Book a place.',
                         'parameters': {'type': 'object',
                                        'properties': {'time': {'type': 'string'}},
                                        'required': ['time']}}]},
     'model': 'gemini-3.5-flash',
     'headers': {}},
]
RECORDED = [
    {'status': 200,
     'headers': [['content-type', 'application/json']],
     'chunks': [b'{\n  "candidates": [\n    {\n      "content": {\n        "parts": [\n          {\n        '
                b'    "toolCall": {\n              "id": "srch01",\n              "toolType": "GOOGLE_SEARCH'
                b'_WEB",\n              "args": {\n                "queries": [\n                  "ferry'
                b' \xc3\x86r\xc3\xb8"\n                ]\n              }\n            },\n            "th'
                b'oughtSignature": "U0lHLVNFQVJDSC0x"\n          },\n          {\n            "toolResponse":'
                b' {\n              "id": "srch01",\n              "toolType": "GOOGLE_SEARCH_WEB",\n        '
                b'      "response": {\n                "search_suggestions": "<div>ferry</div>"\n           '
                b'   }\n            },\n            "thoughtSignature": "U0lHLVNFQVJDSC0y"\n          },\n'
                b'          {\n            "functionCall": {\n              "id": "bk1",\n              "name'
                b'": "book",\n              "args": {\n                "time": "21.40"\n              }\n '
                b'           },\n            "thoughtSignature": "U0lHLUJPT0stMw=="\n          }\n       '
                b' ],\n        "role": "model"\n      },\n      "finishReason": "STOP",\n      "index": 0\n'
                b'    }\n  ],\n  "usageMetadata": {\n    "promptTokenCount": 210,\n    "candidatesTokenCou'
                b'nt": 30,\n    "totalTokenCount": 258,\n    "thoughtsTokenCount": 18\n  },\n  "modelVersi'
                b'on": "gemini-3.5-flash",\n  "responseId": "Oyap6406HQ0SFEBNiV7CcR"\n}\n'],
     'end': 'complete'},
    {'status': 200,
     'headers': [['content-type', 'application/json']],
     'chunks': [b'{\n  "candidates": [\n    {\n      "content": {\n        "parts": [\n          {\n        '
                b'    "text": "Booked for 21.40."\n          }\n        ],\n        "role": "model"\n     '
                b' },\n      "finishReason": "STOP",\n      "index": 0\n    }\n  ],\n  "usageMetadata": {\n '
                b'   "promptTokenCount": 260,\n    "candidatesTokenCount": 6,\n    "totalTokenCount": 266\n  '
                b'},\n  "modelVersion": "gemini-3.5-flash",\n  "responseId": "wcg55x6944nRSrE0BcQjm3"\n}\n'],
     'end': 'complete'},
]
EXPECTED = [
    {'path': 'turns[1].parts[0]',
     'expected': '(absent)',
     'got': '{"kind":"codeExecutionResult","value":"{\\"codeExecutionResult\\":{\\"outcome\\":\\"OUTCOME_OK\\",\\"output\\":\\"{\'search_suggestions\': '
            '\'<div>ferry</div>\'}\\"}}"}',
     'note': ''},
]
LOOKED_AT = ['sent[].contents[].']
VARYING = ['received[][].keep.data.id']
FAULTY = '23e867a43235072b05026ce3f1dc572a46e0735b74f46869bf000712e10c0606'


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


class Failed(Exception):
    """The provider answered with an error, and this is what the client gets of it."""

    def __init__(self, status: int | None = None, body: Any = None, retry_after: float | None = None) -> None:
        super().__init__(json.dumps(body))
        self.status, self.body, self.retry_after = status, body, retry_after


class Shim:
    """The program, as an object with the methods of an adapter."""

    def __init__(self, command: list[str], here: str = ".", cwd: str = ".", env: Any = None) -> None:
        words = [filled(word, here) for word in command]
        named = {**os.environ, **{name: filled(value, here) for name, value in (env or {}).items()}}
        pipe = subprocess.PIPE
        self.program = subprocess.Popen(words, cwd=filled(cwd, here), env=named, stdin=pipe, stdout=pipe)
        atexit.register(self.program.kill)
        self.number = 0
        self.ask("start", bridgecheck=1, harness="a reproduction", dialects=["gemini", "openai-chat", "anthropic"])

    def ask(self, op: str, **members: Any) -> Any:
        return next(self.lines(op, **members))

    def lines(self, op: str, **members: Any) -> Iterator[Any]:
        """What it answers to one request: one line, or of a streamed call one an event and then the end."""
        self.number += 1
        assert self.program.stdin and self.program.stdout
        self.program.stdin.write(json.dumps({"id": self.number, "op": op, **members}).encode() + b"\n")
        self.program.stdin.flush()
        for line in self.program.stdout:
            said = json.loads(line)
            if said.pop("id") != self.number:
                continue
            if "unsupported" in said:
                raise NotImplementedError(said["unsupported"])
            if "errored" in said:
                raise RuntimeError(said.get("traceback") or said["errored"])
            if "failed" in said:
                raise Failed(**said["failed"])
            yield said
            if "event" not in said:
                return
        raise RuntimeError(f"the program ended without an answer to {op}")

    def to_upstream(self, body: Any, **about: Any) -> Any:
        return self.ask("to_upstream", body=body, **about)["body"]

    def from_upstream(self, body: Any, **about: Any) -> Any:
        said = self.ask("from_upstream", body=body, **about)
        return said["status"], said["body"]

    def stream(self, **about: Any) -> Any:
        number = self.number + 1
        self.ask("stream.open", stream=number, **about)
        return ShimStream(self, number)

    def connect(self, **about: Any) -> Any:
        return ShimSession(self, about)


class ShimStream:
    def __init__(self, shim: Shim, number: int) -> None:
        self.shim, self.number = shim, number

    def feed(self, event: Any) -> Any:
        return self.shim.ask("stream.feed", stream=self.number, event=event)["events"]

    def close(self) -> Any:
        return self.shim.ask("stream.close", stream=self.number)["events"]


class ShimSession:
    def __init__(self, shim: Shim, about: dict[str, Any]) -> None:
        self.shim, self.about = shim, about

    def generate(self, body: Any, *, model: str, headers: Any = None) -> Any:
        said = self.shim.ask("call", mode="unary", model=model, headers=headers or {}, body=body, **self.about)
        return said["body"]

    def stream(self, body: Any, *, model: str, headers: Any = None) -> Iterator[Any]:
        given = self.shim.lines("call", mode="stream", model=model, headers=headers or {}, body=body, **self.about)
        return (said["event"] for said in given if "event" in said)

    def close(self) -> None:
        self.shim.ask("stop")


def shows(seen: dict[str, Any]) -> bool:
    """Prints what was expected, and what came out; whether it is what came out when this was written."""
    for one in EXPECTED:
        print(f"EXPECTED {one['path']}: {one['expected']}\n  it was {one['got']}")
    for path, value in looked_at(seen):
        print(f"ACTUAL   {path}: {json.dumps(value)}")
    if seen["raised"]:
        print(seen["raised"])
    return digest(seen) == FAULTY


def digest(seen: dict[str, Any]) -> str:
    """Of everything looked at; values that differ from run to run count by the order in which they come."""
    order: dict[str, int] = {}
    rows = [[path, json.dumps(value)] for path, value in looked_at(seen)]
    rows = [[path, str(order.setdefault(told, len(order))) if path in VARYING else told] for path, told in rows]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def looked_at(seen: dict[str, Any]) -> list[tuple[str, Any]]:
    """The places on which the fault hangs, with their values."""
    places = [place for name in seen for place in leaves(seen[name], name)]
    return [place for place in places if (place[0] + ".").startswith(tuple(LOOKED_AT))]


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from leaves(value[key], f"{path}.{key}")
    elif isinstance(value, list) and value:
        for item in value:
            yield from leaves(item, f"{path}[]")
    else:
        yield path, value


def load() -> Shim:
    return Shim(['{here}/.venv/bin/python', '{here}/langchain_google_shim.py'], here='reports/langchain-google-genai', cwd='{here}', env={'PYTHONPATH': '{here}/../../docs/examples/command_python'})


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
