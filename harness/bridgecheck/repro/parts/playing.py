"""A conversation with a converter of documents, or with an adapter whose HTTP client calls a played provider."""

import asyncio
import copy
import inspect
import json
import re
import socket
import struct
import threading
import time
import traceback
from itertools import takewhile
from typing import Any, BinaryIO

from bridgecheck.repro.parts.data import BASE_PATH, CLIENT, MODE, PORT, RECORDED, REQUESTS, UPSTREAM
from bridgecheck.repro.parts.turns import fill_request

LOOP = asyncio.new_event_loop()


def play_converter(adapter: Any) -> dict[str, Any]:
    """Convert every turn; what went to the provider and came to the client."""
    traffic: dict[str, Any] = {"requested": [], "sent": [], "received": [], "status": [], "steps": [], "raised": ""}
    for turn, recorded in zip(REQUESTS, RECORDED, strict=False):
        try:
            body = fill_request(turn["body"], traffic["received"])
        except LookupError:
            break  # the client has nothing to send back
        try:
            convert_turn(adapter, traffic, turn | {"body": body}, recorded)
        except Exception:
            traffic["raised"] = traceback.format_exc()
            break
    return traffic


def convert_turn(adapter: Any, traffic: dict[str, Any], turn: dict[str, Any], recorded: dict[str, Any]) -> None:
    body, ends = turn["body"], {"client": CLIENT, "upstream": UPSTREAM}
    traffic["requested"].append(body)
    converted = adapter.to_upstream(copy.deepcopy(body), mode=MODE, model=turn["model"], **ends)
    traffic["sent"].append(wait_for(converted))
    context = {"model": turn["model"], "request": copy.deepcopy(body), **ends}
    documents, status = copy.deepcopy(recorded["documents"]), recorded["status"]
    if MODE == "stream" and status < 400:
        stream = adapter.stream(**context)
        steps = [list(wait_for(stream.feed(event))) for event in documents]
        steps.append(list(wait_for(stream.close())))
        traffic["steps"].append([len(step) for step in steps])
        traffic["received"].append([event for step in steps for event in step])
    else:
        document = documents[0] if documents else {}
        status, response = wait_for(adapter.from_upstream(document, status=status, **context))
        traffic["received"].append([response])
    traffic["status"].append(status)


def wait_for(value: Any) -> Any:
    """Return the result, awaited where the method is async."""
    return LOOP.run_until_complete(value) if inspect.isawaitable(value) else value


def play_session(adapter: Any) -> dict[str, Any]:
    """Send every turn to the adapter; what went to the provider and came to the client."""
    provider = Provider(RECORDED, PORT)
    provider.start()
    return asyncio.run(converse(adapter, provider))


async def converse(adapter: Any, provider: "Provider") -> dict[str, Any]:
    traffic: dict[str, Any] = {"requested": [], "sent": [], "received": [], "status": [], "raw": [], "raised": ""}
    endpoint = {"base_url": provider.url + BASE_PATH, "api_key": "a-key-for-nobody"}
    session = adapter.connect(client=CLIENT, upstream=UPSTREAM, **endpoint)
    for turn in REQUESTS:
        try:
            body = fill_request(turn["body"], traffic["received"])
        except LookupError:
            break  # the client has nothing to send back
        traffic["requested"].append(body)
        try:
            status, received = await send_turn(session, copy.deepcopy(body), turn)
        except Exception:
            traffic["raised"] = traceback.format_exc()
            break
        traffic["status"].append(status)
        traffic["raw"].append(received.decode("latin-1") if isinstance(received, bytes) else "")
        traffic["received"].append(read_documents(received) if isinstance(received, bytes) else received)
    traffic["sent"] = provider.requests
    await wait_async(session.close())
    return traffic


async def send_turn(session: Any, body: Any, turn: dict[str, Any]) -> tuple[int, bytes | list[Any]]:
    """Send one turn; return the status and the documents that the client receives, or the bytes of them."""
    if hasattr(session, "exchange"):
        return await send_exchange(session, body, turn)
    method = session.stream if MODE == "stream" else session.generate
    headers = {"headers": turn["headers"]} if "headers" in inspect.signature(method).parameters else {}
    documents: list[Any] = []
    try:
        response = await wait_async(method(body, model=turn["model"], **headers))
        if MODE != "stream":
            return 200, [response]
        if hasattr(response, "__aiter__"):
            async for event in response:
                documents.append(event)
        else:
            documents.extend(response)
    except Exception as error:
        status = getattr(error, "status", None) or getattr(error, "status_code", None)
        error_body = getattr(error, "body", None)
        if isinstance(error, NotImplementedError) or (status is None and error_body is None):
            raise
        return int(200 if documents else status or 200), [*documents, *([error_body] if error_body is not None else [])]
    return 200, b"".join(documents) if documents and isinstance(documents[0], bytes) else documents


async def send_exchange(session: Any, body: Any, turn: dict[str, Any]) -> tuple[int, bytes | list[Any]]:
    """Do the same with a session that returns a whole response at once."""
    try:
        status, received = await wait_async(session.exchange(body, turn))
        return int(status), received
    except Exception as error:
        status, error_body = getattr(error, "status_code", None), getattr(error, "body", None)
        if status is None or error_body is None:
            raise
        return int(status), [error_body]


async def wait_async(value: Any) -> Any:
    """Return the result, awaited where the method is async."""
    return await value if inspect.isawaitable(value) else value


GENERATES = re.compile(r":(streamG|g)enerateContent$|/chat/completions$|/messages$")


class Provider(threading.Thread):
    """The provider on 127.0.0.1: sends recorded responses in order over a real socket, and keeps the requests.
    ``responses``: status, headers, the chunks of the body as they arrived, and how it ended."""

    def __init__(self, responses: list[Any], port: int = 0) -> None:
        super().__init__(daemon=True)
        self.responses, self.requests = responses, list[Any]()
        self.listener = socket.create_server(("127.0.0.1", port))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def run(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as incoming:
            method, path = [*incoming.readline().decode("latin-1").split(), "", ""][:2]
            headers = dict[str, str]()
            while (line := incoming.readline().decode("latin-1")).strip():
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            body = read_body(incoming, headers)
            print(f"the provider received: {method} {path}\n  {body.decode('utf-8', 'replace')[:2000]}")
            if method != "POST" or not GENERATES.search(path.partition("?")[0]):
                connection.sendall(b"HTTP/1.1 404 Not recorded\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
                return
            self.requests.append(json.loads(body or b"{}"))
            self.respond(connection, **self.responses[min(len(self.requests), len(self.responses)) - 1])

    def respond(
        self, connection: socket.socket, status: int, headers: list[Any], chunks: list[bytes], end: str
    ) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = [f"{name}: {value}" for name, value in [*headers, ("transfer-encoding", "chunked")]]
        head = "\r\n".join([f"HTTP/1.1 {status} Recorded", *lines, "connection: close", "", ""])
        connection.sendall(head.encode("latin-1"))
        for chunk in filter(None, chunks):
            connection.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            time.sleep(0.002)
        if end == "complete":
            connection.sendall(b"0\r\n\r\n")
        elif end == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
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


def read_documents(body: bytes) -> list[Any]:
    """Return the events of a stream (server-sent ones, or a JSON array), or the one document of a body."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff")
    if re.match(r"\s*(data|event|id|retry)?:", text):
        events: list[list[str]] = [[]]
        for line in re.split(r"\r\n|\n|\r", text):
            if not line:
                events.append([])
            elif data := re.match(r"data: ?(.*)", line):
                events[-1].append(data[1])
        payloads = [payload for payload in map("\n".join, events) if payload.strip()]
        return [json.loads(payload) for payload in takewhile(lambda payload: payload.strip() != "[DONE]", payloads)]
    try:
        found = json.loads(text)
    except ValueError:
        return [text] if text else []
    return found if isinstance(found, list) else [found]
