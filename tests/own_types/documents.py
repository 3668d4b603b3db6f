"""The shim between the documents of ``outcome`` and the library's own types. Written from
docs/outcome.md alone."""

from typing import Any

from .library_types import (
    Call,
    CallDelta,
    CodePart,
    EncryptedThought,
    Function,
    Media,
    Message,
    Piece,
    Prompt,
    Replies,
    Reply,
    ResponseFormat,
    Text,
    Thought,
    ToolResult,
)

REASONS = {
    "stop": "stop",
    "eos": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
    "error": "error",
}
"""The provider's reason -> the document's word."""


def read_prompt(document: dict[str, Any]) -> Prompt:
    choice = document.get("tool_choice", {})
    form = document.get("response_format")
    return Prompt(
        model=document["model"],
        system=document.get("system", []),
        messages=[_read_message(turn) for turn in document["turns"]],
        functions=_read_functions(document),
        choice_mode=choice.get("mode", ""),
        choice_names=choice.get("names", []),
        parallel=choice.get("parallel"),
        settings=document.get("settings", {}),
        thinking=document.get("thinking", {}),
        response_format=form
        and ResponseFormat(form["kind"], form.get("schema"), form.get("name", ""), form.get("strict")),
    )


def _read_functions(document: dict[str, Any]) -> list[Function] | None:
    if "tools" not in document:
        return None
    return [
        Function(tool["name"], tool.get("description", ""), tool.get("parameters"), tool.get("strict"))
        for tool in document["tools"]
    ]


def _read_message(turn: dict[str, Any]) -> Message:
    pieces = [_read_piece(part) for part in turn["parts"]]
    return Message(turn["role"], pieces, turn.get("name", ""), turn.get("keep"))


def _read_piece(part: dict[str, Any]) -> Piece:
    signature = part.get("signature", "")
    if "text" in part:
        return Text(part["text"], signature)
    if "reasoning" in part:
        return Thought(part["reasoning"], signature)
    if "redacted" in part:
        return EncryptedThought(part["redacted"])
    if "tool_call" in part:
        call = part["tool_call"]
        return Call(call["name"], call.get("args", {}), call.get("id", ""), signature, call.get("args_text"))
    if "tool_result" in part:
        result = part["tool_result"]
        media = [_read_media(item) for item in result.get("media", [])]
        cited = result.get("cited", [])
        return ToolResult(
            result.get("id", ""), result.get("name", ""), result["value"], media, result.get("is_error"), cited
        )
    if "media" in part:
        return _read_media(part["media"], part.get("detail", {}), signature)
    return CodePart(part["code"]["kind"], part["code"]["text"])


def _read_media(media: dict[str, Any], detail: dict[str, Any] | None = None, signature: str = "") -> Media:
    return Media(media["mime"], media.get("data", ""), media.get("uri", ""), detail or {}, signature)


def write_answer(replies: Replies) -> dict[str, Any]:
    """Return the document of a whole answer."""
    return _response_fields(replies) | _choices(
        [_reply_fields(reply) | {"index": reply.index} for reply in replies.replies]
    )


def _choices(choices: list[dict[str, Any]]) -> dict[str, Any]:
    if [choice["index"] for choice in choices] == [0]:
        return {key: value for key, value in choices[0].items() if key != "index"}
    return {"choices": choices} if choices else {}


def write_events(replies: Replies) -> list[dict[str, Any]]:
    """Return an event for each reply, and one for usage, error and identity."""
    events = [_reply_fields(reply) | ({"choice": reply.index} if reply.index else {}) for reply in replies.replies]
    response = _response_fields(replies)
    return [*(event for event in events if event), *([response] if response else [])]


def _reply_fields(reply: Reply) -> dict[str, Any]:
    made: dict[str, Any] = {"parts": [_part_with_signature(piece) for piece in reply.pieces]} if reply.pieces else {}
    if reply.refusal:
        made["refusal"] = reply.refusal
    if reply.citations:
        made["citations"] = reply.citations
    if reply.stop_reason:
        made |= {"finish": REASONS.get(reply.stop_reason, "other"), "finish_native": reply.stop_reason}
    if reply.details:
        made["keep"] = reply.details
    return made


def _response_fields(replies: Replies) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if replies.usage is not None:
        usage = replies.usage
        counts = {
            "prompt": usage.prompt,
            "completion": usage.completion,
            "total": usage.total,
            "cached": usage.from_cache,
        }
        counts |= {"cache_write": usage.to_cache, "reasoning": usage.reasoning}
        made["usage"] = {name: count for name, count in counts.items() if count is not None}
    if replies.error is not None:
        error = replies.error
        fields = {
            "message": error.message,
            "status": error.status,
            "native": error.code,
            "retry_after": error.retry_after,
        }
        made["error"] = {name: value for name, value in fields.items() if value not in (None, "")}
    return made | ({"model": replies.model} if replies.model else {}) | ({"id": replies.id} if replies.id else {})


def _part_with_signature(piece: Piece) -> dict[str, Any]:
    signature = getattr(piece, "signature", "")
    return _part(piece) | ({"signature": signature} if signature else {})


def _part(piece: Piece) -> dict[str, Any]:
    match piece:
        case Text(text):
            return {"text": text}
        case Thought(text):
            return {"reasoning": text}
        case EncryptedThought(data):
            return {"redacted": data}
        case Call(name, arguments, id, _, raw):
            fields = {"args": arguments} if raw is None else {"args_text": raw}
            return {"tool_call": {"name": name, **fields} | ({"id": id} if id else {})}
        case CallDelta(index, id, name, arguments):
            identity = {key: value for key, value in (("id", id), ("name", name)) if value}
            return {"tool_call": {"index": index, **identity, "args_text": arguments}}
        case Media(mime, data, uri):
            return {"media": {"mime": mime, **({"data": data} if data else {"uri": uri})}}
        case CodePart(kind, text):
            return {"code": {"kind": kind, "text": text}}
    raise TypeError(f"no answer holds {piece}")
