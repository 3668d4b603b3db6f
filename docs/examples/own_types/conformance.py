"""The shim: documents of bridgecheck's client dialect ``outcome`` on one side, pilot's own types on the other.

bridgecheck run --adapter python:conformance:adapter --scenario 'tools/*'
"""

import json

from pilot import Call, Failure, Message, Pilot, Result

FINISH = {"stop": "stop", "tool_calls": "tool_calls", "length": "length", "content_filter": "content_filter"}


class Session:
    """One conversation: ``body`` is the request document, what is given back the answer document, or its events."""

    def __init__(self, pilot):
        self.pilot = pilot

    async def generate(self, body, *, model):
        try:
            return answer(await self.pilot.ask(model, messages(body), **settings(body)))
        except Failure as failure:
            return error_document(failure)

    async def stream(self, body, *, model):
        try:
            async for reply in self.pilot.stream(model, messages(body), **settings(body)):
                yield answer(reply)
        except Failure as failure:
            yield error_document(failure)

    async def close(self):
        await self.pilot.close()


def messages(body):
    system = [Message("system", "".join(body["system"]))] if body.get("system") else []
    return [*system, *map(message, body["turns"])]


def message(turn):
    converted = Message(turn["role"])
    for part in turn["parts"]:
        if "text" in part:
            converted.text += part["text"]
        elif "tool_call" in part:
            call = part["tool_call"]
            converted.calls.append(Call(call["id"], call["name"], call.get("args_text") or json.dumps(call["args"])))
        elif "tool_result" in part:
            result = part["tool_result"]
            converted.results.append(Result(result["id"], text(result["value"])))
        else:
            raise NotImplementedError(f"{next(iter(part))}: pilot's messages are text, calls and results")
    return converted


def text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def settings(body):
    """pilot passes on what its caller names as the host has it."""
    document = dict(body.get("settings", {}))
    if body.get("tools"):
        document["tools"] = [{"type": "function", "function": tool} for tool in body["tools"]]
    choice = body.get("tool_choice", {})
    if body.get("tools") and choice.get("mode") in ("auto", "none", "required"):
        document["tool_choice"] = choice["mode"]
    elif body.get("tools") and choice.get("mode") == "named":
        document["tool_choice"] = {"type": "function", "function": {"name": choice["names"][0]}}
    return document


def answer(reply):
    parts = [{"text": reply.text}] if reply.text else []
    parts += [{"tool_call": {"id": call.id, "name": call.name, "args_text": call.arguments}} for call in reply.calls]
    document = {"parts": parts, "refusal": reply.refusal or None}
    if reply.reason:
        document |= {"finish": FINISH.get(reply.reason, "other"), "finish_native": reply.reason}
    if reply.read is not None:
        document["usage"] = {"prompt": reply.read, "completion": reply.written}
    return document


def error_document(failure):
    return {"error": {"message": str(failure), "status": failure.status, "retry_after": failure.wait}}


class Shim:
    name, version = "pilot", "1.0"
    routes = (("outcome", "openai-chat"),)
    capabilities = ("tools", "parallel_tools")
    cannot_say = (
        *("usage.total", "usage.cached", "usage.cache_write"),
        *("turns.name", "tools.strict", "tool_choice.parallel", "settings.user", "settings.modalities"),
    )
    transport = "socket"  # pilot sends to a real address

    def connect(self, *, client, upstream, base_url, api_key):
        return Session(Pilot(base_url, api_key))


adapter = Shim()
