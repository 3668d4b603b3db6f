"""litellm-sdk 1.109.1: turns[2].parts[0].value differs

Results that a client gives in its own order answer the calls they are of: a client of openai-chat, a provider of gemini, unary.
Needs Python 3.11 and pip install litellm==1.109.1.
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
UPSTREAM = 'gemini'
MODE = 'unary'
BASE_PATH = ''
PORT = 0
ASKED = [
    {'body': {'model': 'gpt-4.1-mini',
              'messages': [{'role': 'user', 'content': 'Tides at Husum and Buesum?'}],
              'tools': [{'type': 'function',
                         'function': {'name': 'tide',
                                      'description': 'When the tide turns.',
                                      'parameters': {'type': 'object',
                                                     'properties': {'port': {'type': 'string'}},
                                                     'required': ['port']}}}]},
     'model': 'gpt-4.1-mini',
     'headers': {}},
    {'body': {'model': 'gpt-4.1-mini',
              'messages': [{'role': 'user', 'content': 'Tides at Husum and Buesum?'},
                           {'$received': 0},
                           {'role': 'tool', 'tool_call_id': '$id:0.1', 'content': 'at seven'},
                           {'role': 'tool', 'tool_call_id': '$id:0.0', 'content': 'at six'}],
              'tools': [{'type': 'function',
                         'function': {'name': 'tide',
                                      'description': 'When the tide turns.',
                                      'parameters': {'type': 'object',
                                                     'properties': {'port': {'type': 'string'}},
                                                     'required': ['port']}}}]},
     'model': 'gpt-4.1-mini',
     'headers': {}},
]
RECORDED = [
    {'status': 200,
     'headers': [['content-type', 'application/json']],
     'chunks': [b'{\n  "candidates": [\n    {\n      "content": {\n        "parts": [\n          {\n        '
                b'    "functionCall": {\n              "id": "call_h1aa",\n              "name": "tide",\n   '
                b'           "args": {\n                "port": "Husum"\n              }\n            }\n '
                b'         },\n          {\n            "functionCall": {\n              "id": "call_b2bb'
                b'",\n              "name": "tide",\n              "args": {\n                "port": "Buesum'
                b'"\n              }\n            }\n          }\n        ],\n        "role": "model"\n     '
                b' },\n      "finishReason": "STOP",\n      "index": 0\n    }\n  ],\n  "usageMetadata": {\n '
                b'   "promptTokenCount": 44,\n    "candidatesTokenCount": 24,\n    "totalTokenCount": 68\n  }'
                b',\n  "modelVersion": "gemini-2.5-flash",\n  "responseId": "XFz7BXWGxbyA6HzzeeUT9Z"\n}\n'],
     'end': 'complete'},
    {'status': 200,
     'headers': [['content-type', 'application/json']],
     'chunks': [b'{\n  "candidates": [\n    {\n      "content": {\n        "parts": [\n          {\n        '
                b'    "text": "Six and seven."\n          }\n        ],\n        "role": "model"\n      },'
                b'\n      "finishReason": "STOP",\n      "index": 0\n    }\n  ],\n  "usageMetadata": {\n    '
                b'"promptTokenCount": 90,\n    "candidatesTokenCount": 5,\n    "totalTokenCount": 95\n  }'
                b',\n  "modelVersion": "gemini-2.5-flash",\n  "responseId": "mm47xqv8MFlcx2KDEStC99"\n}\n'],
     'end': 'complete'},
]
EXPECTED = [
    {'on': 'upstream_request',
     'index': 1,
     'path': 'contents[2].parts[0].functionResponse.response.*',
     'operator': 'equals',
     'operand': 'at six'},
    {'on': 'upstream_request',
     'index': 1,
     'path': 'contents[2].parts[1].functionResponse.response.*',
     'operator': 'equals',
     'operand': 'at seven'},
]
KEPT = {'role': None,
 'content': None,
 'refusal': None,
 'name': None,
 'audio': {'id': None},
 'function_call': {'name': None, 'arguments': None},
 'tool_calls': {'id': None,
                'type': None,
                'function': {'name': None, 'arguments': None},
                'custom': {'name': None, 'input': None}}}


def said_by_client(body: Any, received: list[Any]) -> Any:
    """{"$received": 0}: the message of turn 0. "$id:0.1" and "$name:0.1": id and function of its call 1. LookupError:
    there is no such message or call."""
    if isinstance(body, dict) and "$received" in body:
        message = said_by_model(received[body["$received"]])
        if not (message.get("parts") or message.get("content") or len(message) > 2):
            raise LookupError("there is nothing to say again")
        return documented(message, KEPT) if "fields" in body else message
    if isinstance(body, dict):
        pairs = ((key, said_by_client(value, received)) for key, value in body.items())
        return {key: value for key, value in pairs if value is not Ellipsis}
    if isinstance(body, list):
        return [said_by_client(item, received) for item in body]
    named = re.fullmatch(r"\$(id|name):(\d+)\.(\d+)", body) if isinstance(body, str) else None
    if named is None:
        return body
    call = calls_in(said_by_model(received[int(named[2])]))[int(named[3])]
    return (call.get("function") or call if named[1] == "name" else call).get(named[1]) or ...


def documented(value: Any, fields: Any) -> Any:
    if isinstance(value, list):
        kept = [documented(item, fields) for item in value]
        return [item for item in kept if not (isinstance(item, dict) and item.get("thought") is True)]
    if isinstance(value, dict) and fields is not None:
        return {key: documented(item, fields[key]) for key, item in value.items() if key in fields}
    return value


def calls_in(message: Any) -> list[Any]:
    if "tool_calls" in message:
        return list(message["tool_calls"])
    parts = message.get("parts") or message.get("content") or []
    calls = [part.get("functionCall", part.get("tool_call")) for part in parts]
    return [call for call in calls if call] or [part for part in parts if part.get("type") == "tool_use"]


def said_by_model(documents: list[Any]) -> Any:
    """The assistant message of an answer."""
    first = documents[0]
    if CLIENT == "gemini":
        contents = [event["candidates"][0].get("content", {}) for event in documents if event.get("candidates")]
        parts = [part for one in contents for part in one.get("parts", [])]
        return {"role": "model", "parts": joined(parts)} if MODE == "stream" else contents[0]
    if CLIENT == "anthropic":
        return {"role": "assistant", "content": blocks(documents) if MODE == "stream" else first["content"]}
    return chat_message(documents) if MODE == "stream" else first["choices"][0]["message"]


def joined(parts: list[Any]) -> list[Any]:
    """Pieces of one text as one part."""
    found: list[Any] = []
    for part in parts:
        before = found[-1] if found else {}
        if set(part) == {"text"} == set(before) or (set(part) == {"text", "thought"} == set(before)):
            found[-1] = before | {"text": before["text"] + part["text"]}
        else:
            found.append(part)
    return found


def chat_message(events: list[Any]) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[int, Any] = {}
    for delta in [choice.get("delta", {}) for event in events for choice in event.get("choices", [])[:1]]:
        for call in delta.get("tool_calls") or []:
            grow(calls.setdefault(call.get("index", len(calls)), {}), {**call, "index": None})
        grow(message, {**delta, "tool_calls": None, "role": None})
    return message | ({"tool_calls": [calls[index] for index in sorted(calls)]} if calls else {})


def grow(whole: dict[str, Any], piece: dict[str, Any]) -> None:
    for key, value in piece.items():
        if isinstance(value, dict):
            grow(whole.setdefault(key, {}), value)
        elif isinstance(value, list):
            whole[key] = [*whole.get(key, []), *value]
        elif isinstance(value, str) and key not in ("id", "type", "name", "role"):
            whole[key] = (whole.get(key) or "") + value
        elif value is not None:
            whole[key] = value


def blocks(events: list[Any]) -> list[Any]:
    found: dict[int, Any] = {}
    for event in events:
        if event.get("type") == "content_block_start":
            found[event["index"]] = dict(event["content_block"])
        delta, block = event.get("delta", {}), found.get(event.get("index"), {})
        for key in ("text", "thinking", "signature", "partial_json"):
            if key in delta:
                block[key] = block.get(key, "") + delta[key]
    for block in found.values():
        if "partial_json" in block:
            block["input"] = json.loads(block.pop("partial_json") or "{}")
    return [found[index] for index in sorted(found)]


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
    {upstream_url}, {model}, {stream} and {body} are filled in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.url = ""

    def connect(self, *, base_url: str, **rest: str) -> "QuickStart":
        self.url = base_url
        return self

    def exchange(self, body: Any, turn: dict[str, Any]) -> tuple[int, list[Any]]:
        named = {"upstream_url": self.url, "model": turn["model"], "stream": str(MODE == "stream"), "body": "BODY"}
        text = self.text
        for name, value in named.items():
            text = text.replace(f"{{{name}}}", value)
        found: dict[str, Any] = {"BODY": body}
        exec(compile(text, "the quick start", "exec"), found)
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
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # offline
import litellm

asked = {key: value for key, value in {body}.items() if key not in ("model", "stream")}
try:
    answer = litellm.completion(
        model="gemini/gemini-2.5-flash", stream={stream}, api_base="{upstream_url}", api_key="none", **asked
    )
    answer = [chunk.model_dump(mode="json") for chunk in answer] if {stream} else answer.model_dump(mode="json")
except litellm.exceptions.BadRequestError as error:
    answer = {"error": {"message": str(error), "type": type(error).__name__, "code": error.status_code}}
'''


def load() -> QuickStart:
    return QuickStart(QUICK_START)


def main() -> int:
    """1 while the fault shows, 0 when it is gone."""
    faulthandler.dump_traceback_later(180, exit=True)  # a hang is a fault too: exit code 1, and where it stands
    seen = play(load())
    for number, body in enumerate(seen["sent"]):
        print(f"SENT to the provider [{number}]: {json.dumps(body)}")
    showing = shows(seen)
    print("The fault shows." if showing else "The fault does not show.")
    return 1 if showing else 0


if __name__ == "__main__":
    sys.exit(main())
