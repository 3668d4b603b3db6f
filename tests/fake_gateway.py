"""A gateway in one file that passes Chat requests on to its upstream and misbehaves in one selected manner.

python fake_gateway.py MANNER PORT UPSTREAM_URL FOLDER: its process id is written to FOLDER/pid.PORT.
"""

import gzip
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

MANNER, PORT, UPSTREAM, FOLDER = sys.argv[1], int(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
CHUNK = b'data: {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}\n\n'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        time.sleep(600 if MANNER == "stuck" and (FOLDER / "stuck").exists() else 0)
        self.answer(503 if MANNER == "unwell" else 200, b"{}")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        print("asked for", self.path, flush=True)
        getattr(self, f"in_manner_{MANNER.replace('-', '_')}", self.pass_on)(body)

    def pass_on(self, body: bytes, path: str = "/v1/chat/completions") -> None:
        headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ.get("KEY", "")}
        request = urllib.request.Request(UPSTREAM + path, body, headers)
        try:
            with urllib.request.urlopen(request) as answer:
                self.answer(answer.status, answer.read(), answer.headers["content-type"])
        except urllib.error.HTTPError as error:
            self.answer(error.code, error.read())

    def answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def in_manner_compresses(self, body: bytes) -> None:
        request = urllib.request.Request(UPSTREAM + "/v1/chat/completions", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            whole = gzip.compress(answer.read())
            self.send_compressed(whole, answer.headers["content-type"])

    def in_manner_bomb(self, body: bytes) -> None:
        self.send_compressed(gzip.compress(b"x" * 3_000_000), "application/json")

    def send_compressed(self, whole: bytes, kind: str) -> None:
        self.send_response(200)
        for name, value in (("content-type", kind), ("content-encoding", "gzip"), ("content-length", str(len(whole)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(whole)

    def in_manner_leads_away(self, body: bytes) -> None:
        """Send the client to another host, where the provider would answer it."""
        self.send_response(307)
        self.send_header("location", UPSTREAM.replace("127.0.0.1", "localhost") + self.path)
        self.send_header("content-length", "0")
        self.end_headers()

    def in_manner_retries_late(self, body: bytes) -> None:
        """Pass an error on, and send the request once more when the client has it long since; FOLDER/late counts."""
        request = urllib.request.Request(UPSTREAM + "/v1/chat/completions", body, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request) as answer:
                self.answer(answer.status, answer.read(), answer.headers["content-type"])
        except urllib.error.HTTPError as error:
            self.answer(error.code, error.read())
            threading.Timer(float(os.environ.get("RETRY_S", "0.3")), self.retry, (request,)).start()

    def retry(self, request: urllib.request.Request) -> None:
        try:
            status = urllib.request.urlopen(request).status
        except urllib.error.HTTPError as error:
            status = error.code
        with (FOLDER / "late").open("a") as late:
            late.write(f"{status}\n")

    def in_manner_writes_nan(self, body: bytes) -> None:
        """Answer as the provider does, with a bare NaN where a document has its time."""
        request = urllib.request.Request(UPSTREAM + "/v1/chat/completions", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            whole = re.sub(rb'"created": ?[0-9]+', b'"created": NaN', answer.read())
            self.answer(answer.status, whole, answer.headers["content-type"])

    def in_manner_asks_for_nan(self, body: bytes) -> None:
        self.pass_on(json.dumps({**json.loads(body), "temperature": float("nan")}).encode())

    def in_manner_refuses_calls(self, body: bytes) -> None:
        """Answer an error where the provider answered."""
        request = urllib.request.Request(UPSTREAM + "/v1/chat/completions", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            answer.read()
        self.answer(502, b'{"error": {"message": "a call without arguments", "type": "server_error"}}')

    def in_manner_promises_more(self, body: bytes) -> None:
        """Send a body that is shorter than its Content-Length, and close."""
        request = urllib.request.Request(UPSTREAM + "/v1/chat/completions", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            whole = answer.read()
            self.send_response(answer.status)
            self.send_header("content-type", answer.headers["content-type"])
            self.send_header("content-length", str(len(whole) + 7))
            self.end_headers()
            self.wfile.write(whole)
            self.close_connection = True

    def in_manner_sends_less(self, body: bytes) -> None:
        """Send the provider a request that is shorter than its Content-Length."""
        host, port = UPSTREAM.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            head = (
                f"POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body) + 7}\r\n\r\n"
            )
            connection.sendall(head.encode() + body)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.makefile("rb").read()
        self.answer(int(answer.split()[1]) if answer else 502, answer.partition(b"\r\n\r\n")[2])

    def in_manner_knows_one_model(self, body: bytes) -> None:
        if json.loads(body).get("model") == "gpt-4.1-mini":
            self.pass_on(body)
        else:
            self.answer(404, b'{"error": {"message": "no such model", "type": "invalid_request_error"}}')

    def in_manner_told_by_clients(self, body: bytes) -> None:
        request = urllib.request.Request(self.headers["x-provider"] + "/chat/completions", body)
        request.add_header("content-type", "application/json")
        with urllib.request.urlopen(request) as answer:
            self.answer(answer.status, answer.read(), answer.headers["content-type"])

    def in_manner_doubles_version(self, body: bytes) -> None:
        self.pass_on(body, "/v1/v1/chat/completions")

    def in_manner_flows(self, body: bytes, stays: bool = False) -> None:
        """Forward the stream event by event."""
        request = urllib.request.Request(UPSTREAM + "/v1/chat/completions", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            self.send_response(answer.status)
            self.send_header("content-type", answer.headers["content-type"])
            self.end_headers()
            self.close_connection = True
            while part := answer.read1(65536):
                try:
                    self.wfile.write(part)
                    self.wfile.flush()
                except OSError:
                    if not stays:
                        return

    def in_manner_stays(self, body: bytes) -> None:
        self.in_manner_flows(body, stays=True)

    def in_manner_hang(self, body: bytes) -> None:
        time.sleep(600)

    def in_manner_stuck(self, body: bytes) -> None:
        (FOLDER / "stuck").touch()
        time.sleep(600)

    def stream(self, write: bytes, pause: float) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        while True:
            self.wfile.write(write)
            self.wfile.flush()
            time.sleep(pause)

    def in_manner_endless(self, body: bytes) -> None:
        self.stream(CHUNK, 0.01)

    def in_manner_gigabytes(self, body: bytes) -> None:
        self.stream(b"x" * 1_000_000, 0)

    def in_manner_dies(self, body: bytes) -> None:
        print("out of patience", flush=True)
        os._exit(9)

    def in_manner_dies_later(self, body: bytes) -> None:
        self.pass_on(body)
        while not (FOLDER / "die").exists():
            time.sleep(0.01)
        os._exit(9)

    def in_manner_dies_once(self, body: bytes) -> None:
        if not (FOLDER / "died").exists():
            (FOLDER / "died").touch()
            self.in_manner_dies(body)
        self.pass_on(body)

    def in_manner_closes(self, body: bytes) -> None:
        self.close_connection = True

    def in_manner_refuses(self, body: bytes) -> None:
        error = {"message": "tools are not supported", "type": "invalid_request_error", "param": "tools", "code": None}
        self.answer(400, json.dumps({"error": error}).encode())

    def in_manner_raises(self, body: bytes) -> None:
        error = {"message": "KeyError: 'x'", "type": "server_error", "param": None, "code": None}
        self.answer(500, json.dumps({"error": error}).encode())

    def in_manner_not_found(self, body: bytes) -> None:
        self.answer(404, b'{"detail": "Not Found"}')

    def in_manner_unmodelled(self, body: bytes) -> None:
        self.pass_on(body, "/v1/responses")

    def in_manner_wrong_path(self, body: bytes) -> None:
        self.pass_on(body, "/v1/answers")

    def in_manner_other_dialect(self, body: bytes) -> None:
        self.pass_on(body, "/v1beta/models/m:generateContent")

    def in_manner_elsewhere(self, body: bytes) -> None:
        self.fail(502, "Connection error.")

    def in_manner_alone(self, body: bytes) -> None:
        message = {"role": "assistant", "content": "From my cache."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        base = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
        self.answer(200, json.dumps({**base, "choices": [choice]}).encode())

    def in_manner_page(self, body: bytes) -> None:
        self.answer(200, b"<!doctype html><title>Welcome</title>", "text/html; charset=utf-8")

    def in_manner_locked(self, body: bytes) -> None:
        self.fail(401, "No such key: " + self.headers["authorization"])

    def in_manner_strange_model(self, body: bytes) -> None:
        self.fail(404, f"The model `{json.loads(body)['model']}` does not exist")

    def in_manner_odd_model(self, body: bytes) -> None:
        self.fail(400, f"You passed in model={json.loads(body)['model']}. There are no healthy deployments")

    def in_manner_not_set_up(self, body: bytes) -> None:
        print("there is no database in this folder", flush=True)
        self.fail(400, "No connected db.")

    def fail(self, status: int, message: str) -> None:
        error = {"message": message, "type": "server_error", "param": None, "code": None}
        self.answer(status, json.dumps({"error": error}).encode())

    def in_manner_unreadable(self, body: bytes) -> None:
        self.answer(200, b'{"choices": [{"message": "no ob')


def main() -> None:
    (FOLDER / f"pid.{PORT}").write_text(str(os.getpid()))
    print("fake gateway:", MANNER, flush=True)
    if MANNER == "crash":
        sys.exit("no licence for this machine, key sk-" + "a" * 30)
    if MANNER == "never":
        time.sleep(600)
    if MANNER == "garbage":
        garbage()
    if MANNER == "family":
        code = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", code, str(FOLDER / "grandchild")], start_new_session=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0 if MANNER == "wrong-port" else PORT), Handler)
    server.daemon_threads = True
    server.serve_forever()


def garbage() -> None:
    with socket.create_server(("127.0.0.1", PORT)) as server:
        while True:
            connection, _ = server.accept()
            threading.Thread(
                target=lambda client=connection: (
                    client.recv(65536),
                    client.sendall(b"SSH-2.0-OpenSSH_9.9\r\n"),
                    client.close(),
                )
            ).start()


main()
