"""A small gateway: OpenAI Chat Completions in front, the Gemini API behind. It needs the standard library alone.

    GEMINI_API_KEY=... python gateway.py --port 8080

Texts, system messages, tools, images as data URLs, JSON as the answer, streams. What it cannot carry it refuses with
400, by name, but for hints: a user's name, the detail of an image, strict. conversion.py has what becomes what.
It listens on 127.0.0.1 and demands no key of its clients.
"""

import argparse
import json
import os
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from conversion import Answer, Failure, provider_failure, to_gemini


def events(response):
    """The events of Gemini's stream, each as soon as it is there."""
    data = []
    for line in response:
        if line.startswith(b"data:"):
            data.append(line.removeprefix(b"data:"))
        elif data and not line.strip():
            yield json.loads(b"".join(data))
            data = []
    if data:
        yield json.loads(b"".join(data))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    upstream = key = ""  # main sets them

    def do_GET(self):
        self.answer(200 if self.path == "/health" else 404, {})

    def do_POST(self):
        self.streaming = False
        try:
            self.complete(self.read_body())
        except Exception as error:
            failure = error if isinstance(error, Failure) else Failure(502, f"the provider failed: {error!r}")
            with suppress(OSError):  # the client may be the one that left
                self.fail(failure)

    def read_body(self):
        length = self.headers["content-length"] or ""
        if not length.isdigit():
            self.close_connection = True  # nobody knows where the next request begins
            raise Failure(411, "a request has to have a content-length")
        body = json_or_none(self.rfile.read(int(length)))
        if self.path != "/v1/chat/completions":
            raise Failure(404, f"there is no {self.path}")
        return body

    def complete(self, body):
        try:
            request, answer, streaming = to_gemini(body), Answer(body["model"]), body.get("stream")
            with_usage = (body.get("stream_options") or {}).get("include_usage")
            method = "streamGenerateContent?alt=sse" if streaming else "generateContent"
            path = f"/v1beta/models/{quote(body['model'], safe='')}:{method}"
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise Failure(400, f"this is no Chat Completions request: {error!r}") from error
        with self.call_gemini(path, request) as response:
            if streaming:
                self.stream(answer.chunks(events(response), with_usage))
            else:
                self.answer(200, answer.completion(json.load(response)))

    def stream(self, chunks):
        self.start(200, "text/event-stream", {"transfer-encoding": "chunked"})
        self.streaming = True
        for chunk in chunks:
            self.send_event(json.dumps(chunk))
        self.send_event("[DONE]", last=True)

    def call_gemini(self, path, request):
        headers = {"content-type": "application/json", "x-goog-api-key": self.key}
        try:
            return urlopen(Request(self.upstream + path, json.dumps(request).encode(), headers), timeout=600)
        except HTTPError as error:
            document = json_or_none(error.read().replace(self.key.encode(), b"[key]"))
            if not isinstance(document, dict) or not isinstance(document.get("error"), dict):
                document = {"error": {"message": f"the provider answered with {error.code}"}}
            raise provider_failure(error.code, document, error.headers["retry-after"]) from error

    def fail(self, failure):
        """Say what went wrong: with its status, or as the last event of a stream that has begun."""
        if self.streaming:
            self.send_event(json.dumps(failure.document), last=True)
        else:
            self.answer(failure.status, failure.document, {"retry-after": failure.retry_after})

    def answer(self, status, document, headers=()):
        body = json.dumps(document).encode()
        self.start(status, "application/json", {"content-length": str(len(body)), **dict(headers)})
        self.wfile.write(body)

    def start(self, status, kind, headers):
        self.send_response(status)
        for name, value in {"content-type": kind, **headers}.items():
            if value:
                self.send_header(name, value)
        self.end_headers()

    def send_event(self, data, last=False):
        event = f"data: {data}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event) + (b"0\r\n\r\n" if last else b""))


def json_or_none(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--upstream", default="https://generativelanguage.googleapis.com")
    options = parser.parse_args()
    key = os.environ.get("GEMINI_API_KEY") or parser.error("the environment has no GEMINI_API_KEY")
    Handler.upstream, Handler.key = options.upstream.rstrip("/"), key
    ThreadingHTTPServer(("127.0.0.1", options.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
