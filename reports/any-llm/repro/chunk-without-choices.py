"""any-llm 1.40.2: error added

A spoken answer of Chat ends well for every client: a client of openai-chat, a provider of openai-chat, stream.
Needs Python 3.11 and pip install 'any-llm-sdk[openai,anthropic,gemini]==1.40.2'.
Exit code 1 while the fault shows, 0 when it is gone.
"""

import asyncio
import copy
import faulthandler
import hashlib
import inspect
import json
import re
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any, BinaryIO

CLIENT = 'openai-chat'
UPSTREAM = 'openai-chat'
MODE = 'stream'
BASE_PATH = ''
PORT = 0
ASKED = [
    {'body': {'model': 'gpt-audio',
              'messages': [{'role': 'user', 'content': 'When is slack water?'}],
              'modalities': ['text', 'audio'],
              'audio': {'voice': 'alloy', 'format': 'pcm16'},
              'stream': True},
     'model': 'gpt-audio',
     'headers': {}},
]
RECORDED = [
    {'status': 200,
     'headers': [['content-type', 'text/event-stream']],
     'chunks': [b'data: {"id":"chatcmpl-TuDLcyjyAIhHG1KTczSF9FGUUvZse","object":"chat.completion.chunk","c'
                b'reated":1763659932,"model":"gpt-audio-2025-08-28","choices":[{"index":0,"delta":{"role":'
                b'"assistant","refusal":null},"logprobs":null,"finish_reason":null}]}\n\n',
                b'data: {"id":"chatcmpl-TuDLcyjyAIhHG1KTczSF9FGUUvZse","object":"chat.completion.chunk","c'
                b'reated":1763659932,"model":"gpt-audio-2025-08-28","choices":[{"index":0,"delta":{"audio"'
                b':{"id":"audio_6a19slack","transcript":""}},"logprobs":null,"finish_reason":null}]}\n\n',
                b'data: {"id":"chatcmpl-TuDLcyjyAIhHG1KTczSF9FGUUvZse","object":"chat.completion.chunk","c'
                b'reated":1763659932,"model":"gpt-audio-2025-08-28","choices":[{"index":0,"delta":{"audio"'
                b':{"transcript":"Slack water"}},"logprobs":null,"finish_reason":null}]}\n\n',
                b'data: {"id":"chatcmpl-TuDLcyjyAIhHG1KTczSF9FGUUvZse","object":"chat.completion.chunk","c'
                b'reated":1763659932,"model":"gpt-audio-2025-08-28","choices":[{"index":0,"delta":{"audio"'
                b':{"data":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY"}},"logprobs":null,"finish_reason":null}]}\n\n',
                b'data: {"id":"chatcmpl-TuDLcyjyAIhHG1KTczSF9FGUUvZse","object":"chat.completion.chunk","c'
                b'reated":1763659932,"model":"gpt-audio-2025-08-28","choices":[{"index":0,"delta":{"audio"'
                b':{"transcript":" at six."}},"logprobs":null,"finish_reason":null}]}\n\n',
                b'data: {"id":"chatcmpl-TuDLcyjyAIhHG1KTczSF9FGUUvZse","object":"chat.completion.chunk","c'
                b'reated":1763659932,"model":"gpt-audio-2025-08-28","choices":[{"index":0,"delta":{"audio"'
                b':{"data":"GRobHB0eHyAhIiMkJSYnKCkqKywtLi8w"}},"logprobs":null,"finish_reason":null}]}\n\n',
                b'data: {"id":"chatcmpl-TuDLcyjyAIhHG1KTczSF9FGUUvZse","object":"chat.completion.chunk","c'
                b'reated":1763659932,"model":"gpt-audio-2025-08-28"}\n\n',
                b'data: {"id":"chatcmpl-TuDLcyjyAIhHG1KTczSF9FGUUvZse","object":"chat.completion.chunk","c'
                b'reated":1763659932,"model":"gpt-audio-2025-08-28","choices":[{"index":0,"delta":{},"logp'
                b'robs":null,"finish_reason":"stop"}]}\n\n',
                b'data: {"id":"chatcmpl-TuDLcyjyAIhHG1KTczSF9FGUUvZse","object":"chat.completion.chunk","c'
                b'reated":1763659932,"model":"gpt-audio-2025-08-28","choices":[],"usage":{"prompt_tokens":'
                b'17,"completion_tokens":16,"total_tokens":33}}\n\n',
                b'data: {"id":"chatcmpl-TuDLcyjyAIhHG1KTczSF9FGUUvZse","object":"chat.completion.chunk","c'
                b'reated":1763659932,"model":"gpt-audio-2025-08-28","choices":[{"index":0,"delta":{"audio"'
                b':{"expires_at":1763690000}},"logprobs":null,"finish_reason":null}]}\n\n',
                b'data: [DONE]\n\n'],
     'end': 'complete'},
]
EXPECTED = [
    {'path': 'error',
     'expected': '(absent)',
     'got': '{"kind":"server","message":"1 validation error for ChatCompletionChunk\\nchoices\\n  Input '
            'should be a valid list [type=list_type, input_value=None, input_type=NoneType]\\n    For '
            'further information visit '
            'https://errors.pydantic.dev/2.14/v/list_type","native":"ValidationError","retry_after":null,"status":null}',
     'note': 'an answer turned into an error'},
]
LOOKED_AT = ['received[][].error.']
VARYING = []
FAULTY = '13b3584b4bc82b6b5302330f4761c28fcc6b189d57c1b914b188d3e040f97cfc'


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


QUICK_START = r'''
from any_llm import completion

provider = {"gemini": "gemini", "anthropic": "anthropic", "openai-chat": "openai"}["{upstream}"]
url = "{upstream_url}/v1" if provider == "openai" else "{upstream_url}"
given = completion(**{body}, provider=provider, api_base=url, api_key="none")

told = {"mode": "json", "exclude_none": True}
if {stream}:
    answer = []
    try:
        for chunk in given:
            answer.append(chunk.model_dump(**told))
    except ValueError as error:  # in the middle of an answer
        answer.append({"error": {"message": str(error), "type": type(error).__name__}})
else:
    answer = given.model_dump(**told)
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
