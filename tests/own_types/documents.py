"""The shim: the documents of ``outcome`` on one side, the library's own types on the other. Written from
docs/outcome.md alone."""

from typing import Any

from .shapes import (
    Call,
    CallPiece,
    Function,
    Message,
    Picture,
    Piece,
    Question,
    Ran,
    Replies,
    Reply,
    Returned,
    Sealed,
    Shape,
    Text,
    Thought,
)

REASONS = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
    "error": "error",
}
"""The provider's reason -> the document's word."""


def question(document: dict[str, Any]) -> Question:
    choice = document.get("tool_choice", {})
    shape = document.get("response_format")
    return Question(
        model=document["model"],
        briefing=document.get("system", []),
        messages=[_message(turn) for turn in document["turns"]],
        functions=_functions(document),
        must=choice.get("mode", ""),
        choose=choice.get("names", []),
        at_once=choice.get("parallel"),
        knobs=document.get("settings", {}),
        think=document.get("thinking", {}),
        shape=shape and Shape(shape["kind"], shape.get("schema"), shape.get("name", ""), shape.get("strict")),
    )


def _functions(document: dict[str, Any]) -> list[Function] | None:
    if "tools" not in document:
        return None
    return [
        Function(tool["name"], tool.get("description", ""), tool.get("parameters"), tool.get("strict"))
        for tool in document["tools"]
    ]


def _message(turn: dict[str, Any]) -> Message:
    pieces = [_piece(part) for part in turn["parts"]]
    return Message(turn["role"], pieces, turn.get("name", ""), turn.get("keep"))


def _piece(part: dict[str, Any]) -> Piece:
    seal = part.get("signature", "")
    if "text" in part:
        return Text(part["text"], seal)
    if "reasoning" in part:
        return Thought(part["reasoning"], seal)
    if "redacted" in part:
        return Sealed(part["redacted"])
    if "tool_call" in part:
        call = part["tool_call"]
        return Call(call["name"], call.get("args", {}), call.get("id", ""), seal, call.get("args_text"))
    if "tool_result" in part:
        said = part["tool_result"]
        pictures = [_picture(one) for one in said.get("media", [])]
        quotes = said.get("cited", [])
        return Returned(said.get("id", ""), said.get("name", ""), said["value"], pictures, said.get("is_error"), quotes)
    if "media" in part:
        return _picture(part["media"], part.get("detail", {}), seal)
    return Ran(part["code"]["kind"], part["code"]["text"])


def _picture(media: dict[str, Any], hints: dict[str, Any] | None = None, seal: str = "") -> Picture:
    return Picture(media["mime"], media.get("data", ""), media.get("uri", ""), hints or {}, seal)


def answer(given: Replies) -> dict[str, Any]:
    """The document of a whole answer."""
    return _given(given) | _all([_reply(one) | {"index": one.number} for one in given.replies])


def _all(replies: list[dict[str, Any]]) -> dict[str, Any]:
    if [one["index"] for one in replies] == [0]:
        return {key: value for key, value in replies[0].items() if key != "index"}
    return {"choices": replies} if replies else {}


def events(given: Replies) -> list[dict[str, Any]]:
    """One event a reply, and one for what is said of all."""
    said = [_reply(one) | ({"choice": one.number} if one.number else {}) for one in given.replies]
    about = _given(given)
    return [*(one for one in said if one), *([about] if about else [])]


def _reply(one: Reply) -> dict[str, Any]:
    made: dict[str, Any] = {"parts": [_part(piece) for piece in one.pieces]} if one.pieces else {}
    if one.refused:
        made["refusal"] = one.refused
    if one.sources:
        made["citations"] = one.sources
    if one.why:
        made |= {"finish": REASONS.get(one.why, "other"), "finish_native": one.why}
    if one.details:
        made["keep"] = one.details
    return made


def _given(given: Replies) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if given.cost is not None:
        cost = given.cost
        counts = {"prompt": cost.read, "completion": cost.written, "total": cost.whole, "cached": cost.from_cache}
        counts |= {"cache_write": cost.to_cache, "reasoning": cost.thinking}
        made["usage"] = {name: count for name, count in counts.items() if count is not None}
    if given.trouble is not None:
        trouble = given.trouble
        told = {"message": trouble.what, "status": trouble.status, "native": trouble.word, "retry_after": trouble.wait}
        made["error"] = {name: value for name, value in told.items() if value not in (None, "")}
    return made | ({"model": given.model} if given.model else {}) | ({"id": given.id} if given.id else {})


def _part(piece: Piece) -> dict[str, Any]:
    seal = getattr(piece, "seal", "")
    return _word(piece) | ({"signature": seal} if seal else {})


def _word(piece: Piece) -> dict[str, Any]:
    match piece:
        case Text(words):
            return {"text": words}
        case Thought(words):
            return {"reasoning": words}
        case Sealed(data):
            return {"redacted": data}
        case Call(name, arguments, id, _, raw):
            said = {"args": arguments} if raw is None else {"args_text": raw}
            return {"tool_call": {"name": name, **said} | ({"id": id} if id else {})}
        case CallPiece(number, id, name, arguments):
            named = {key: value for key, value in (("id", id), ("name", name)) if value}
            return {"tool_call": {"index": number, **named, "args_text": arguments}}
        case Picture(mime, data, address):
            return {"media": {"mime": mime, **({"data": data} if data else {"uri": address})}}
        case Ran(kind, text):
            return {"code": {"kind": kind, "text": text}}
    raise TypeError(f"no answer holds {piece}")
