"""any-llm 1.40.2: turns[0].parts[0].text differs

A developer message is a system message: a client of openai-chat, a provider of anthropic, unary.
Needs Python 3.11 and pip install 'any-llm-sdk[openai,anthropic,gemini]==1.40.2'.
Exit code 1 while the fault shows, 0 when it is gone.
"""

import asyncio
import copy
import faulthandler
import inspect
import json
import re
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

CLIENT = 'openai-chat'
UPSTREAM = 'anthropic'
MODE = 'unary'
BASE_PATH = ''
PORT = 0
ASKED = [
    {'body': {'model': 'gpt-4.1-mini',
              'messages': [{'role': 'developer', 'content': 'Speak like a pilot.'},
                           {'role': 'user', 'content': 'Wind?'}]},
     'model': 'gpt-4.1-mini',
     'headers': {}},
]
RECORDED = [
    {'status': 200,
     'headers': [['content-type', 'application/json']],
     'chunks': [b'{\n  "id": "msg_01Snjm06Xv1Cbzi29x4Ry2G0",\n  "type": "message",\n  "role": "assistant"'
                b',\n  "model": "claude-sonnet-4-5-20250929",\n  "content": [\n    {\n      "type": "text"'
                b',\n      "text": "Two-four-zero at nine."\n    }\n  ],\n  "stop_reason": "end_turn",\n  "'
                b'stop_sequence": null,\n  "usage": {\n    "input_tokens": 18,\n    "output_tokens": 8\n  '
                b'}\n}\n'],
     'end': 'complete'},
]
EXPECTED = [
    {'on': 'upstream_request',
     'index': 0,
     'path': 'messages[].role',
     'operator': 'none_of',
     'operand': ['developer', 'system']},
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


class QuickStart:
    """``text``: Python that asks what BODY says and leaves the answer in ``answer``: one document, or a list of events.
    {upstream_url}, {upstream}, {model}, {stream} and {body} are filled in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.url = ""

    def connect(self, *, base_url: str, **rest: str) -> "QuickStart":
        self.url = base_url
        return self

    async def exchange(self, body: Any, turn: dict[str, Any]) -> tuple[int, list[Any]]:
        named = {"upstream_url": self.url, "upstream": UPSTREAM, "model": turn["model"], "body": "BODY"}
        named["stream"] = str(MODE == "stream")
        text = self.text
        for name, value in named.items():
            text = text.replace(f"{{{name}}}", value)
        found: dict[str, Any] = {"BODY": body}
        # In a thread of its own: libraries refuse to be called where a loop runs, or start one themselves.
        await asyncio.to_thread(exec, compile(text, "the quick start", "exec"), found)
        answer = found["answer"]
        return 200, answer if isinstance(answer, list) else [answer]

    def close(self) -> None:
        """There is nothing to end."""


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


QUICK_START = r'''
from any_llm import completion

provider = {"gemini": "gemini", "anthropic": "anthropic", "openai-chat": "openai"}["{upstream}"]
url = "{upstream_url}/v1" if provider == "openai" else "{upstream_url}"
answer = completion(**{body}, provider=provider, api_base=url, api_key="none")

told = {"mode": "json", "exclude_none": True}
answer = [chunk.model_dump(**told) for chunk in answer] if {stream} else answer.model_dump(**told)
'''


def load() -> QuickStart:
    return QuickStart(QUICK_START)


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
