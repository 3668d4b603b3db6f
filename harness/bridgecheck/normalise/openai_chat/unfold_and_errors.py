"""Chat documents that the judge writes itself: a completion as a stream (the inverse of fold), errors, messages."""

from typing import Final

from bridgecheck.codec.rechunk import Cut
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.model.prompt import Role
from bridgecheck.normalise.openai_chat.stream import TEXTS
from bridgecheck.wire import JsonObject

_IN_PIECES: Final = frozenset({*TEXTS, "role", "content", "tool_calls", "function_call"})


def unfold(document: JsonObject, cut: Cut) -> list[JsonObject]:
    """Return chunks: texts and arguments in pieces, the finish by itself, the usage in a last one without choices."""
    chunk = {key: value for key, value in document.items() if key not in ("choices", "usage")}
    chunk["object"] = "chat.completion.chunk"
    chunks: list[JsonObject] = []
    for choice in objs(document.get("choices")):
        deltas = [*_message_deltas(obj(choice.get("message")), cut), {}]
        rest = {key: value for key, value in choice.items() if key != "message"}
        rests = [*[{"index": choice.get("index", 0), "finish_reason": None}] * (len(deltas) - 1), rest]
        chunks += [
            chunk | {"choices": [{**rest_fields, "delta": delta}]}
            for delta, rest_fields in zip(deltas, rests, strict=True)
        ]
    return [*chunks, chunk | {"choices": [], "usage": document["usage"]}] if "usage" in document else chunks


def _message_deltas(message: JsonObject, cut: Cut) -> list[JsonObject]:
    deltas: list[JsonObject] = [{"role": "assistant", "content": ""}]
    for names in _text_fields_of_each_delta(message):
        deltas += [dict.fromkeys(names, piece) for piece in cut(text(message.get(names[0])))]
    for index, call in enumerate(objs(message.get("tool_calls"))):
        deltas += [{"tool_calls": [{"index": index, **piece}]} for piece in _call_pieces(call, cut)]
    if "function_call" in message:
        legacy = obj(message["function_call"])
        deltas.append({"function_call": {**legacy, "arguments": ""}})
        deltas += [{"function_call": {"arguments": piece}} for piece in cut(text(legacy.get("arguments")))]
    if isinstance(message.get("content"), list):
        deltas.append({"content": message["content"]})
    rest = {key: value for key, value in message.items() if key not in _IN_PIECES}
    return [*deltas, rest] if rest else deltas


def _text_fields_of_each_delta(message: JsonObject) -> list[tuple[str, ...]]:
    """Return the text fields in order; hosts that give reasoning under both names send both in one delta."""
    reasoning = [name for name in ("reasoning_content", "reasoning") if name in message]
    twins = len(reasoning) == 2 and message[reasoning[0]] == message[reasoning[1]]
    return [*([tuple(reasoning)] if twins else [(name,) for name in reasoning]), ("content",), ("refusal",)]


def _call_pieces(call: JsonObject, cut: Cut) -> list[JsonObject]:
    """Return a call as it begins, and what is then added: arguments, or the free text of a custom tool."""
    kind, piecemeal = ("custom", "input") if "custom" in call else ("function", "arguments")
    call_object = obj(call.get(kind))
    first_piece: JsonObject = {**call, kind: {**call_object, piecemeal: ""}}
    next_pieces: list[JsonObject] = [{kind: {piecemeal: piece}} for piece in cut(text(call_object.get(piecemeal)))]
    return [first_piece, *next_pieces]


_ERROR_TYPES: Final[dict[int, str]] = {
    400: "invalid_request_error", 401: "invalid_request_error", 404: "invalid_request_error", 429: "requests",
    500: "server_error", 503: "server_error",
}  # fmt: skip


def error_document(status: int, message: str, wait_in_message: int | None, kind: str) -> JsonObject:
    """Return an error as OpenAI writes it. Source: https://platform.openai.com/docs/guides/error-codes."""
    full_message = message if wait_in_message is None else f"{message} Please try again in {wait_in_message}s."
    return {
        "error": {"message": full_message, "type": kind or _ERROR_TYPES[status], "param": None, "code": kind or None}
    }


def text_message(role: Role, text: str) -> JsonObject:
    return {"role": role, "content": text}
