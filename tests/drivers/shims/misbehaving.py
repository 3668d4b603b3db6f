"""A shim that keeps to the protocol until it is instructed to break it: by its argument when it starts, later by the model
that a request names."""

import json
import os
import signal
import sys
import time
from pathlib import Path

STARTS = {
    "exit": lambda: (print("no such key: PORT", file=sys.stderr), sys.exit(3)),
    "garbage": lambda: print("Listening on port 4000", flush=True),
    "silence": lambda: time.sleep(60),
    "deaf": lambda: time.sleep(60),
    "closes": lambda: (os.close(1), time.sleep(60)),
}
SAYS = {
    "version": {"id": 1, "bridgecheck": 2, "name": "broken", "version": ""},
    "unsupported": {"id": 1, "unsupported": "this needs a licence"},
    "colours": {"id": 1, "unsupported": "\x1b[31mthis needs a licence\x1b[2J"},
    "nameless": {"id": 1, "bridgecheck": 1, "version": "1"},
}
CAPABILITIES = {
    "telepathy": {"routes": [["gemini", "gemini"]], "does": ["to_upstream"], "claims": ["telepathy"]},
    "routeless": {"routes": [], "does": ["to_upstream"]},
    "idle": {"routes": [["gemini", "gemini"]], "does": []},
    "cancels": {"routes": [["gemini", "gemini"]], "does": ["cancel"]},
    "breaks": {"errored": "KeyError: 'routes'", "traceback": "Traceback ..."},
}
GOOD = {
    "routes": [["openai-chat", "gemini"]],
    "does": ["to_upstream", "from_upstream", "stream"],
    "claims": ["tools"],
    "cannot_say": ["citations"],
    "pivots": [["gemini", "gemini", "openai-chat"]],
}


def write_line(number, **members):
    print(json.dumps({"id": number, **members}), flush=True)


def endless(number):
    """Write one endless answer without a line end."""
    sys.stdout.write(f'{{"id": {number}, "events": [')
    while True:
        sys.stdout.write('{"text": "and"}, ')


def flood(stream, size):
    block = "x" * 1_000_000
    for _ in range(size):
        stream.write(block)
    stream.flush()


def noisy(number):
    for _ in range(5):
        flood(sys.stderr, 1)
    print("\nthe last word", file=sys.stderr, flush=True)
    write_line(number, body={"noisy": True})


BREAKS = {
    "garbage": lambda number: print("DEBUG: converting", flush=True),
    "nan": lambda number: print(f'{{"id": {number}, "body": {{"a": NaN}}}}', flush=True),
    "list": lambda number: print("[]", flush=True),
    "no-utf-8": lambda number: (sys.stdout.buffer.write(b'{"id": 1, "body": {"a": "\xff"}}\n'), sys.stdout.flush()),
    "no-id": lambda number: print(json.dumps({"body": {}}), flush=True),
    "wrong-id": lambda number: write_line(number + 7, body={}),
    "other-shape": lambda number: write_line(number, events=[]),
    "unknown-member": lambda number: write_line(number, body={}, loses=[]),
    "body-is-text": lambda number: write_line(number, body="{}"),
    "exit": lambda number: (print("out of memory", file=sys.stderr), sys.exit(7)),
    "killed": lambda number: os.kill(os.getpid(), signal.SIGKILL),
    "closes": lambda number: (os.close(1), time.sleep(60)),
    "silence": lambda number: time.sleep(60),
    "noisy": noisy,
    "noisy-silence": lambda number: (flood(sys.stderr, 3), time.sleep(60)),
    "long-line": lambda number: flood(sys.stdout, 17),
    "errored": lambda number: write_line(
        number, errored="KeyError: 'parts'", traceback="Traceback ...\nKeyError: 'parts'"
    ),
    "unsupported": lambda number: write_line(number, unsupported="logprobs: the provider has none"),
    "twice": lambda number: (write_line(number, body={}), write_line(number, body={})),
    "leaves": lambda number: (write_line(number, body={}), sys.exit(0)),
    "losses": lambda number: write_line(number, body={}, losses=[{"path": "seed", "reason": "no such field"}]),
}


def answer(request, number, op):
    breaks = os.environ.get("ALWAYS") or request.get("model")
    if op == "to_upstream" and breaks in BREAKS:
        BREAKS[breaks](number)
    elif op == "to_upstream":
        write_line(number, body={"pid": os.getpid(), "home": os.environ["HOME"], "env": sorted(os.environ)})
    elif op == "from_upstream":
        write_line(number, status=request["status"], body=request["body"])
    elif op == "stream.open":
        write_line(number, opened=True)
    elif op == "stream.feed" and request["event"].get("endless"):
        endless(number)
    elif op in ("stream.feed", "stream.close"):
        loss = {"path": "seed", "reason": f"no such field in {op}"}
        write_line(number, events=[{"stream": request["stream"], "op": op}], losses=[loss])
    elif op == "stop":
        write_line(number, stopped=True)


def main(start):
    if start.startswith("while:") and not Path(start.removeprefix("while:")).exists():
        start = os.environ.get("THEN", "exit")
    if start in STARTS:
        STARTS[start]()
    for line in sys.stdin:
        request = json.loads(line)
        number, op = request["id"], request["op"]
        if op == "start":
            print(
                json.dumps(SAYS.get(start, {"id": 1, "bridgecheck": 1, "name": "broken", "version": "0.1"})), flush=True
            )
        elif op == "capabilities":
            write_line(number, **CAPABILITIES.get(start, GOOD))
        else:
            answer(request, number, op)
        if op == "stop" and start != "stays":
            return


main(sys.argv[1] if len(sys.argv) > 1 else "")
