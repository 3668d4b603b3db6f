"""A provider on 127.0.0.1 with fixed answers, and the calls that get them, for the tools that record.

Only the standard library: every tool has an environment of its own. Answers are found by the end of the path, since
google-genai is given a base path that looks like Google's host.
"""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

KEY = "stub-key"
MODEL = "gemini-2.5-flash"


class Call(NamedTuple):
    """A request: its path, and its body as a document."""

    path: str
    body: dict[str, Any]


class Answer(NamedTuple):
    status: int
    media_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


_JSON, _SSE = "application/json", "text/event-stream"
_USER = {"role": "user", "parts": [{"text": "Say hello to Zoë"}]}
_CHAT = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Say hello to Zoë"}]}
_FAIL = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Too fast"}]}
_CLAUDE = {"model": "claude-haiku-4-5", "max_tokens": 64, "messages": [{"role": "user", "content": "Say hello"}]}

CALLS: dict[str, Call] = {
    "gemini-unary": Call(f"/v1beta/models/{MODEL}:generateContent", {"contents": [_USER]}),
    "gemini-stream": Call(f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse", {"contents": [_USER]}),
    "chat-unary": Call("/v1/chat/completions", _CHAT),
    "chat-stream": Call("/v1/chat/completions", {**_CHAT, "stream": True}),
    "chat-error": Call("/v1/chat/completions", _FAIL),
    "claude-unary": Call("/v1/messages", _CLAUDE),
}
GZIPPED = Call("/zipped/v1/chat/completions", _CHAT)
"""Answered in gzip: vcrpy keeps such bodies as bytes, which its JSON cannot hold."""


def _gemini(text: str, **more: Any) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0, **more}
    usage = {"promptTokenCount": 6, "candidatesTokenCount": 4, "totalTokenCount": 10}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL, "responseId": "resp-formats-1"}


def _chat(kind: str, choice: dict[str, Any], **more: Any) -> dict[str, Any]:
    head = {"id": "chatcmpl-formats-1", "object": kind, "created": 1700000000, "model": "gpt-4o-mini"}
    return {**head, "choices": [{"index": 0, **choice}], **more}


def _stream(documents: list[dict[str, Any]], end: str = "", separator: str = "\n\n") -> bytes:
    texts = [json.dumps(document, ensure_ascii=False) for document in documents] + ([end] if end else [])
    return "".join(f"data: {text}{separator}" for text in texts).encode()


def _answer(path: str, body: dict[str, Any]) -> Answer:
    bare = path.partition("?")[0]
    if bare.endswith(":generateContent"):
        return Answer(200, _JSON, json.dumps(_gemini("Hello, Zoë!", finishReason="STOP"), indent=2).encode())
    if bare.endswith(":streamGenerateContent"):
        events = [_gemini("Hello, "), _gemini("Zoë!", finishReason="STOP")]
        return Answer(200, _SSE, _stream(events, separator="\r\n\r\n"))
    if bare.endswith("/messages"):
        message = {"id": "msg_formats_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
                   "content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn", "stop_sequence": None,
                   "usage": {"input_tokens": 9, "output_tokens": 4}}  # fmt: skip
        return Answer(200, _JSON, json.dumps(message).encode())
    return _chat_answer(bare, body)


def _chat_answer(bare: str, body: dict[str, Any]) -> Answer:
    if not bare.endswith("/chat/completions"):
        return Answer(404, _JSON, b'{"error": {"message": "no such path"}}')
    if body.get("messages") == _FAIL["messages"]:
        error = {"message": "Rate limit reached", "type": "requests", "param": None, "code": "rate_limit_exceeded"}
        return Answer(429, _JSON, json.dumps({"error": error}).encode(), (("retry-after", "1"),))
    if body.get("stream"):
        kind = "chat.completion.chunk"
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "Hello, "}, {"content": "Zoë!"}]
        events = [_chat(kind, {"delta": delta, "finish_reason": None}) for delta in deltas]
        return Answer(200, _SSE, _stream([*events, _chat(kind, {"delta": {}, "finish_reason": "stop"})], "[DONE]"))
    usage = {"prompt_tokens": 6, "completion_tokens": 4, "total_tokens": 10}
    message = {"message": {"role": "assistant", "content": "Hello, Zoë!"}, "finish_reason": "stop"}
    data = json.dumps(_chat("chat.completion", message, usage=usage), ensure_ascii=False).encode()
    if bare.startswith("/zipped"):
        return Answer(200, _JSON, gzip.compress(data, mtime=0), (("content-encoding", "gzip"),))
    return Answer(200, _JSON, data)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        answer = _answer(self.path, json.loads(data or b"{}"))
        self.send_response(answer.status)
        for name, value in (("content-type", answer.media_type), *answer.headers):
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    """Yield the origin of the running provider."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
