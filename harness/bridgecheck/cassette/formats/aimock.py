"""aimock (CopilotKit/aimock): fixtures, written by hand or by ``aimock --record``.

A fixture holds what a request has to match and the answer in words of its own: content, tool calls, reasoning, finish
reason, usage, or an error with a status. It names no wire format, so it is read as a Chat Completion, whose finish
reasons aimock uses; the request is the user message that it matches. Answers of other kinds (images, speech,
embeddings, live sessions) are not read. Source: dist/types.d.ts and dist/fixture-loader.js of @copilotkit/aimock
1.43.0, read 2026-11-23.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from bridgecheck.cassette.formats.interaction_list import decode_or_bad, parse_json_or_bad
from bridgecheck.cassette.formats.item import SDK_LEVEL, UNMODELLED, Found, TrafficItem
from bridgecheck.codec.sse import dump_json_escaping_surrogates
from bridgecheck.errors import BadTraffic
from bridgecheck.model.exchange import Headers, Interaction, Request, Response
from bridgecheck.model.jsonvalue import integer, obj, objs, text
from bridgecheck.wire import JsonObject

SHAPE: Final = "an aimock fixture file"
_PATH: Final = "/v1/chat/completions"
_MESSAGE_MEMBERS: Final = frozenset({"content", "toolCalls", "blocks", "error"})
_USAGE: Final[tuple[Mapping[str, str], ...]] = (
    {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"},
    {"promptTokenCount": "prompt_tokens", "candidatesTokenCount": "completion_tokens",
     "totalTokenCount": "total_tokens"},
)  # fmt: skip


def read_aimock(data: bytes, file: str, stem: str) -> Iterator[Found]:
    """Yield an item a fixture. ``stem``: the beginning of their ids."""
    source = decode_or_bad(data, file, SHAPE)
    value = source if isinstance(source, BadTraffic) else parse_json_or_bad(source, file, SHAPE)
    if isinstance(value, BadTraffic):
        yield value
        return
    fixtures = obj(value).get("fixtures")
    if not isinstance(fixtures, list):
        yield BadTraffic("no list `fixtures`", file, SHAPE)
        return
    for number, fixture in enumerate(fixtures):
        where = f"{file}: fixtures[{number}]"
        try:
            yield _item(obj(fixture), where, f"{stem}/{number:04d}")
        except ValueError as error:
            yield BadTraffic(str(error), where, SHAPE)


def _item(fixture: JsonObject, where: str, item_id: str) -> TrafficItem:
    match, answer = obj(fixture.get("match")), obj(fixture.get("response"))
    if not answer:
        raise ValueError("`response` is missing or empty")
    if not _MESSAGE_MEMBERS & answer.keys():
        # An answer of another kind: it is kept to be counted.
        nothing = Interaction(None, Response("openai-chat", "unary"))
        return TrafficItem(item_id, where, nothing, operation="other", title="aimock", notes=(UNMODELLED,))
    model = text(answer.get("model")) or text(match.get("model")) or "unknown"
    status, headers, document = _document(answer, model, item_id)
    request = Request("openai-chat", "unary", _request_body(match, model), model=model, path=_PATH)
    return TrafficItem(
        id=item_id, where=where,
        interaction=Interaction(request, Response("openai-chat", "unary", (document,), status, headers)),
        title=f"aimock {text(match.get('userMessage'))[:40]}".strip(), group=item_id.rpartition("/")[0],
        notes=(SDK_LEVEL, "url_assumed"),
    )  # fmt: skip


def _request_body(match: JsonObject, model: str) -> JsonObject:
    """Return a request that the fixture answers, as far as it says what that is."""
    system = match.get("systemMessage")
    system_text = "\n".join(map(text, system)) if isinstance(system, list) else text(system)
    messages = [{"role": "system", "content": system_text}] if system_text else []
    messages.append({"role": "user", "content": text(match.get("userMessage"))})
    return {"model": model, "messages": messages}


def _document(answer: JsonObject, model: str, item_id: str) -> tuple[int, Headers, JsonObject]:
    """Return status, headers and document."""
    if "error" in answer:
        error = {"type": "server_error", "param": None, "code": None, **obj(answer["error"])}
        retry: Headers = (("retry-after", str(answer["retryAfter"])),) if "retryAfter" in answer else ()
        return integer(answer.get("status")) or 500, retry, {"error": error}
    message, calls = _message(answer)
    choice = {"index": 0, "message": message, "finish_reason": answer.get("finishReason", _default_finish(calls))}
    head = {
        "id": text(answer.get("id")) or f"chatcmpl-{item_id.rpartition('/')[2]}", "object": "chat.completion",
        "created": integer(answer.get("created")) or 0, "model": model,
    }  # fmt: skip
    usage = obj(answer.get("usage"))
    return 200, (), {**head, "choices": [choice], **({"usage": _usage(usage)} if usage else {})}


def _default_finish(calls: list[JsonObject]) -> str:
    return "tool_calls" if calls else "stop"


def _message(answer: JsonObject) -> tuple[JsonObject, list[JsonObject]]:
    """Return the message and its tool calls; ``blocks`` stand for content and tool calls where these are missing."""
    blocks = list(objs(answer.get("blocks")))
    called = list(objs(answer.get("toolCalls"))) or [block for block in blocks if block.get("type") == "toolCall"]
    calls = [_tool_call(call, number) for number, call in enumerate(called)]
    content: object = answer.get("content")
    if "content" not in answer:
        content = "".join(text(block.get("text")) for block in blocks if block.get("type") == "text") or None
    message: JsonObject = {"role": "assistant", "content": _as_text(content)}
    if answer.get("reasoning"):
        message["reasoning_content"] = answer["reasoning"]
    return {**message, **({"tool_calls": calls} if calls else {})}, calls


def _tool_call(call: JsonObject, number: int) -> JsonObject:
    function = {"name": text(call.get("name")), "arguments": _as_text(call.get("arguments")) or "{}"}
    return {"id": text(call.get("id")) or f"call_{number}", "type": "function", "function": function}


def _as_text(value: object) -> str | None:
    """Return a text; fixtures may hold JSON as an object where it stands for its text."""
    return value if value is None or isinstance(value, str) else dump_json_escaping_surrogates(value, None, ":")


def _usage(usage: JsonObject) -> JsonObject:
    """Return the counts under Chat's names, whichever dialect's names they have."""
    names = {old: new for mapping in _USAGE for old, new in mapping.items()}
    return {names.get(name, name): count for name, count in usage.items()}
