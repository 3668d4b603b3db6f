"""pilot: a small client library with types of its own, as an example. It asks hosts that speak Chat Completions."""

import json
from dataclasses import dataclass, field

import httpx


@dataclass
class Call:
    """``arguments``: JSON, as the model wrote it."""

    id: str
    name: str
    arguments: str = ""


@dataclass
class Result:
    call: str
    text: str


@dataclass
class Message:
    role: str
    text: str = ""
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)


@dataclass
class Reply:
    """A whole answer, or what is new of one. ``reason``: why it ended, "" while it goes on."""

    text: str = ""
    refusal: str = ""
    calls: list[Call] = field(default_factory=list)
    reason: str = ""
    read: int | None = None
    written: int | None = None


class Failure(Exception):
    """The host refused or broke off. ``wait``: seconds, None without a hint."""

    def __init__(self, message, status=None, wait=None):
        super().__init__(message)
        self.status, self.wait = status, wait


class Pilot:
    def __init__(self, base_url, api_key):
        headers = {"authorization": f"Bearer {api_key}"}
        self.http = httpx.AsyncClient(base_url=base_url, headers=headers, timeout=30, trust_env=False)

    async def ask(self, model, messages, **settings):
        answer = await self.http.post("/chat/completions", json=body(model, messages, settings))
        if answer.is_error:
            raise failure(answer.status_code, answer.text, answer.headers)
        document = answer.json()
        choice = document["choices"][0]
        reply = make_reply(choice["message"], choice["finish_reason"])
        reply.calls = [make_call(call) for call in choice["message"].get("tool_calls") or []]
        add_usage(reply, document.get("usage"))
        return reply

    async def stream(self, model, messages, **settings):
        """Replies with what is new, in order; calls come whole, when the answer ends."""
        request = body(model, messages, settings) | {"stream": True, "stream_options": {"include_usage": True}}
        calls = {}
        async with self.http.stream("POST", "/chat/completions", json=request) as answer:
            if answer.is_error:
                raise failure(answer.status_code, (await answer.aread()).decode(), answer.headers)
            async for line in lines(answer):
                if not line.startswith("data:") or line == "data: [DONE]":
                    continue
                chunk = json.loads(line.removeprefix("data:"))
                if chunk.get("error"):
                    raise Failure(chunk["error"].get("message", "the answer broke off"))
                yield read_chunk(chunk, calls)

    async def close(self):
        await self.http.aclose()


async def lines(answer):
    """Split at LF and CRLF alone: a U+2028 in a text ends no line."""
    rest = b""
    async for chunk in answer.aiter_bytes():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.rstrip(b"\r").decode()
    yield rest.decode()


def body(model, messages, settings):
    documents = [document for message in messages for document in message_documents(message)]
    return {"model": model, "messages": documents, **settings}


def message_documents(message):
    """A message as Chat has it: each result is a message of its own."""
    results = [{"role": "tool", "tool_call_id": result.call, "content": result.text} for result in message.results]
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.calls
    ]
    if calls:
        return [{"role": message.role, "content": message.text or None, "tool_calls": calls}]
    return [*results, *([{"role": message.role, "content": message.text}] if message.text or not results else [])]


def read_chunk(chunk, calls):
    """What one chunk brings. ``calls``: those under way, by index."""
    counts = add_usage(Reply(), chunk.get("usage"))
    if not chunk.get("choices"):
        return counts
    choice = chunk["choices"][0]
    delta = choice.get("delta") or {}
    for piece in delta.get("tool_calls") or []:
        call = calls.setdefault(piece["index"], Call("", ""))
        part = make_call(piece)
        call.id, call.name = call.id or part.id, call.name or part.name
        call.arguments += part.arguments
    reply = make_reply(delta, choice.get("finish_reason"))
    reply.read, reply.written = counts.read, counts.written
    if reply.reason:
        reply.calls = list(calls.values())
        calls.clear()
    return reply


def make_reply(message, reason):
    return Reply(text=message.get("content") or "", refusal=message.get("refusal") or "", reason=reason or "")


def make_call(call):
    function = call.get("function") or {}
    return Call(call.get("id") or "", function.get("name") or "", function.get("arguments") or "")


def add_usage(reply, usage):
    if usage:
        reply.read, reply.written = usage["prompt_tokens"], usage["completion_tokens"]
    return reply


def failure(status, text, headers):
    wait = headers.get("retry-after", "")
    try:
        message = json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        message = text
    return Failure(message, status, float(wait) if wait.isdigit() else None)
