"""A program that speaks the command protocol and does what no adapter should: one function each, under its name in
``AT_START`` or ``IN_ANSWER``.

python hostile_commands.py NAME. Each converts wrongly, so that a run of it must fail, whatever it does besides. Those
``AT_START`` do it before they read anything, those ``IN_ANSWER`` in each answer to a conversion or call.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

Request: TypeAlias = dict[str, Any]
Behaviour: TypeAlias = Callable[[Request], object]

GIB: Final = 1024**3
ESCAPES: Final = "\x1b[2J\x1b]0;owned\x07\x1b[31m\r\x9b1mconformant\u202e"
SCRIPT: Final = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
CAPABILITIES: Final[dict[str, object]] = {
    "routes": [["openai-chat", "gemini"]],
    "does": ["to_upstream", "from_upstream", "stream", "call"],
}


def write(data: str | bytes) -> None:
    sys.stdout.buffer.write(data if isinstance(data, bytes) else data.encode())
    sys.stdout.buffer.flush()


def write_line(number: object, members: dict[str, object]) -> None:
    write(json.dumps({"id": number, **members}) + "\n")


def encode_answer(request: Request, document: str = '{"wrong": true}') -> str:
    """Return the lines of a valid answer with this document in the place of a right one."""
    number, op = request["id"], request["op"]
    members = {
        "to_upstream": f'"body": {document}',
        "from_upstream": f'"status": 200, "body": {document}',
        "stream.open": '"opened": true',
        "stream.feed": f'"events": [{document}]',
        "stream.close": '"events": []',
        "call": f'"body": {document}',
        "cancel": '"cancelled": true',
    }
    if op == "call" and request["mode"] == "stream":
        return f'{{"id": {number}, "event": {document}}}\n{{"id": {number}, "end": true}}\n'
    return f'{{"id": {number}, {members[op]}}}\n'


def answer_wrongly(request: Request) -> None:
    write(encode_answer(request))


def answer_with(document: str) -> Behaviour:
    return lambda request: write(encode_answer(request, document))


def then_answer(act: Callable[[], object]) -> Behaviour:
    def behave(request: Request) -> None:
        act()
        answer_wrongly(request)

    return behave


def write_invalid_utf8(request: Request) -> None:
    write(encode_answer(request).encode().replace(b"wrong", b"\xff\xfe\xc3("))


def close_output_and_stay() -> None:
    os.close(1)
    time.sleep(300)


def leave_daemon() -> None:
    nowhere = subprocess.DEVNULL
    subprocess.Popen(["sleep", "300"], stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)


def leave_daemon_that_holds_pipes() -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(300)
        os._exit(0)


def leave_fifty_processes() -> None:
    for _ in range(50):
        leave_daemon_that_holds_pipes()


def drip(request: Request) -> None:
    for character in encode_answer(request, json.dumps({"wrong": "x" * 10_000})):
        write(character)
        time.sleep(0.05)


def repeat_keys(request: Request) -> None:
    number, answer = (
        request["id"],
        encode_answer(request, '{"contents": 1, "contents": 2, "choices": 1, "choices": {}}'),
    )
    write(answer.replace(f'"id": {number}', f'"id": 1, "id": {number}'))


def stream_for_ever(request: Request) -> None:
    """Write events without end, many on one line where the protocol has them in one answer."""
    if request["op"] == "call":
        line = f'{{"id": {request["id"]}, "event": {{"choices": []}}}}\n'.encode() * 1000
    else:
        write(f'{{"id": {request["id"]}, "events": [')
        line = b'{"choices": []}, ' * 1000
    while True:
        write(line)


def write_small_values(request: Request) -> None:
    """Write what stays below all limits of bytes, and is large where it is read."""
    if request["op"] == "call":
        write(f'{{"id": {request["id"]}, "event": {{}}}}\n' * 500_000)
    write(encode_answer(request, '{"contents": [' + "{}," * 5_000_000 + "0]}"))


def write_line_of_two_gib(end: bytes) -> Behaviour:
    def behave(request: Request) -> None:
        write(f'{{"id": {request["id"]}, "body": {{"wrong": "')
        for _ in range(2 * GIB // 1_048_576):
            write(b"x" * 1_048_576)
        write(b'"}}' + end)
        time.sleep(300)

    return behave


def make_nested_list(levels: int) -> str:
    return '{"contents": ' + "[" * levels + "]" * levels + "}"


def flood_standard_error() -> None:
    for _ in range(2 * 1024):
        os.write(2, b"\x1b[31merror \xff</script>\n" * 43_690)


def send_many_headers(request: Request) -> None:
    """Send the provider a request with 100,000 headers, one with a header of 10 MB, and one that never ends."""
    if request["op"] == "call":
        address = urlsplit(request["base_url"])
        line = b"POST /v1beta/models/m:generateContent HTTP/1.1\r\nhost: x\r\n"
        for headers in (b"x-a: b\r\n" * 100_000, b"x-a: " + b"b" * 10_000_000, b"content-length: 2000000000\r\n\r\n"):
            with socket.create_connection((str(address.hostname), address.port or 80), 1) as connection:
                try:
                    connection.sendall(line + headers + b"\r\n\r\n" + b"x" * 10_000_000)
                    connection.recv(65536)
                except OSError:
                    continue
    answer_wrongly(request)


def break_off_in_line(request: Request) -> None:
    write(encode_answer(request)[:-5])
    os._exit(0)


def answer_before_asked(request: Request) -> None:
    answer_wrongly(request)
    for ahead in range(1, 50):
        write(encode_answer({**request, "id": request["id"] + ahead}))


def ignore_sigterm() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(300)


def kill_keeper() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(300)


def kill_keeper_and_leave_daemon() -> None:
    leave_daemon_that_holds_pipes()
    kill_keeper()


def say_in_every_text(text: str) -> Behaviour:
    def behave(request: Request) -> None:
        if request["op"] == "from_upstream":
            write_line(request["id"], {"errored": text, "traceback": f"Traceback ...\n{text}"})
        elif request["op"] == "stream.open":
            write_line(request["id"], {"unsupported": text})
        elif request["op"] == "to_upstream":
            loss = {"path": text, "reason": text, "severity": text}
            write_line(request["id"], {"body": {text: text}, "losses": [loss]})
        else:
            os.write(2, text.encode())
            write(encode_answer(request, json.dumps({text: text, "choices": [{"message": {"content": text}}]})))

    return behave


def crash() -> None:
    ctypes.string_at(0)


MANY_KEYS: Final = json.dumps({f"key{number}": number for number in range(100_000)})
CLAIMS: Final = [
    "tools", "parallel_tools", "thinking", "signatures", "media_input", "media_output", "json_schema", "multiple_choices",
    "relay",
]  # fmt: skip
NAME_OF: Final = {"escapes": ESCAPES, "html": SCRIPT, "surrogates": "\ud800"}
CLAIMS_OF: Final = {"claims-all": CLAIMS, "claims-unknown": ["telepathy"]}

AT_START: Final[dict[str, Callable[[], object]]] = {
    "exits-at-start": lambda: os._exit(0), "closes-at-start": close_output_and_stay, "deaf-at-start": ignore_sigterm,
    "daemon-at-start": lambda: (leave_daemon_that_holds_pipes(), os._exit(0)),
    "kills-keeper-at-start": kill_keeper, "crashes-at-start": crash, "floods-at-start": flood_standard_error,
}  # fmt: skip
IN_ANSWER: Final[dict[str, Behaviour]] = {
    "claims-all": answer_wrongly, "claims-unknown": answer_wrongly, "invalid-utf-8": write_invalid_utf8,
    "closes": lambda request: close_output_and_stay(), "daemon": then_answer(leave_daemon),
    "daemon-holds-pipes": then_answer(leave_daemon_that_holds_pipes), "deep-900": answer_with(make_nested_list(900)),
    "deep-100000": answer_with(make_nested_list(100_000)), "drips": drip, "repeats-keys": repeat_keys,
    "endless-stream": stream_for_ever, "escapes": say_in_every_text(ESCAPES), "exits": lambda request: os._exit(0),
    "fifty-forks": then_answer(leave_fifty_processes), "long-line": write_line_of_two_gib(b"\n"),
    "long-without-end": write_line_of_two_gib(b""), "html": say_in_every_text(SCRIPT),
    "small-values": write_small_values,
    "huge-integer": answer_with(f'{{"contents": {"9" * 5_000}}}'),
    "large-integer": answer_with(f'{{"contents": {"9" * 4_000}, "usage": {{"total_tokens": {"9" * 400}}}}}'),
    "nan": answer_with('{"contents": NaN, "choices": [Infinity, -Infinity]}'),
    "infinite": answer_with('{"contents": 1e400, "choices": [-1e400], "usage": {"total_tokens": 1e400}}'),
    "never-reads": lambda request: time.sleep(300), "ignores-sigterm": lambda request: ignore_sigterm(),
    "kills-keeper": lambda request: kill_keeper(), "keeper-and-daemon": lambda request: kill_keeper_and_leave_daemon(),
    "crashes": lambda request: crash(), "many-keys": answer_with(MANY_KEYS), "many-headers": send_many_headers,
    "wrong-id": lambda request: answer_wrongly({**request, "id": request["id"] + 10**30}),
    "twice": lambda request: (answer_wrongly(request), answer_wrongly(request)),
    "before-asked": answer_before_asked, "floods": then_answer(flood_standard_error),
    "breaks-off": break_off_in_line, "surrogates": say_in_every_text("\ud800\udc00\udfff"),
}  # fmt: skip


def main(name: str) -> None:
    if name in AT_START:
        AT_START[name]()
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "start":
            write_line(request["id"], {"bridgecheck": 1, "name": NAME_OF.get(name, "hostile"), "version": "1"})
        elif request["op"] == "capabilities":
            claims = {"claims": CLAIMS_OF[name]} if name in CLAIMS_OF else {}
            write_line(request["id"], {**CAPABILITIES, **claims})
        elif request["op"] == "stop":
            write_line(request["id"], {"stopped": True})
        else:
            IN_ANSWER.get(name, answer_wrongly)(request)


if __name__ == "__main__":
    main(sys.argv[1])
