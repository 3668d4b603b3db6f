"""A command adapter that shows every planted secret: in answers, split over events, in errors and tracebacks, and on
standard error. Speaks docs/protocol.md; run as a program."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from planted_secrets import SPLIT, TEXTS  # beside this file

ALL = "\n".join(text for _, _, text in TEXTS)
ROUTES = [["openai-chat", "gemini"], ["anthropic", "gemini"], ["gemini", "openai-chat"]]


def chunk(text):
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def answer(line):
    operation = line["op"]
    if operation == "start":
        return {"bridgecheck": 1, "name": f"leaky {TEXTS[0][2]}", "version": "1"}
    if operation == "capabilities":
        return {"routes": ROUTES, "does": ["to_upstream", "from_upstream", "stream"], "claims": []}
    if operation == "to_upstream":
        if line["client"] == "anthropic":
            frames = f'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    key = {ALL!r}\n'
            return {"errored": f"KeyError: {ALL}", "traceback": f"{frames}KeyError: {ALL}"}
        if line["client"] == "gemini":
            sys.stderr.write(f"{ALL}\n{os.environ.get('SERVICE_SECRET', '')}\n")
            sys.stderr.flush()
            sys.exit(1)
        return {"body": {"contents": [{"role": "user", "parts": [{"text": ALL}]}]}}
    if operation == "from_upstream":
        message = {"role": "assistant", "content": ALL}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {"status": 200, "body": {"id": "c-1", "object": "chat.completion", "choices": [choice]}}
    if operation == "stream.feed":
        return {"events": [chunk(part) for _, *halves in SPLIT for part in ("\n", *halves)]}
    return (
        {"opened": True}
        if operation == "stream.open"
        else {"events": []}
        if operation == "stream.close"
        else {"stopped": True}
    )


for text in sys.stdin:
    request = json.loads(text)
    print(json.dumps({"id": request["id"], **answer(request)}), flush=True)
    if request["op"] == "stop":
        break
