"""Small builders shared by the tests of the converters."""

from collections.abc import Iterable

from bridgecheck_reference.loss import Loss

Json = dict[str, object]


def user(*texts: str) -> Json:
    return {"role": "user", "parts": [{"text": text} for text in texts]}


def model(*parts: Json) -> Json:
    return {"role": "model", "parts": list(parts)}


def call(name: str, args: Json | None = None, **extra: object) -> Json:
    return {"functionCall": {"name": name, "args": args or {}, **extra}}


def result(name: str, response: object, **extra: object) -> Json:
    return {"functionResponse": {"name": name, "response": response, **extra}}


def tool_call(id: str, name: str, arguments: str = "{}", **extra: object) -> Json:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **extra}


def chunk(delta: Json | None, finish: str | None = None, index: int = 0, **extra: object) -> Json:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 5, "model": "m"}
    return {**head, "choices": [choice], **extra}


def event(*parts: Json, finish: str | None = None, index: int = 0, **extra: object) -> Json:
    candidate: Json = {"content": {"role": "model", "parts": list(parts)}, "index": index}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], **extra}


def paths(losses: Iterable[Loss]) -> set[str]:
    return {loss.path for loss in losses}
