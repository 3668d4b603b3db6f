"""Anthropic messages -> Outcome. A stream is folded first, so that both modes are read by the same rules.

Source: https://docs.anthropic.com/en/api/messages (stored copy read 2026-11-21).
"""

from dataclasses import replace

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import canonical, obj, text
from bridgecheck.model.outcome import Choice, ErrorInfo, Outcome, ToolCall, Usage
from bridgecheck.normalise import errors, finish
from bridgecheck.normalise.anthropic.fold import fold
from bridgecheck.normalise.calls import decoded_args
from bridgecheck.normalise.choice import ChoiceBuilder
from bridgecheck.normalise.tree import Fields, other, without_empty
from bridgecheck.wire import JsonObject


def outcome(response: Response) -> Outcome:
    """Never raises: what cannot be read stands in ``other`` or in ``error``."""
    notes: set[str] = set()
    top = Fields(_document(response, notes))
    error = _error(response, top)
    choice = _choice(top, notes)
    counted = _usage(top)
    top.expect("type", "message", "error")
    return Outcome(
        dialect="anthropic",
        choices=(choice,) if choice else (),
        usage=counted,
        error=error,
        model=top.text("model"),
        response_id=top.text("id"),
        other=other(top.left),
        notes=tuple(sorted(notes)),
    )


def _document(response: Response, notes: set[str]) -> JsonObject:
    documents = response.documents
    first = obj(documents[0]) if documents else {}
    if response.mode == "stream" and not (len(documents) == 1 and first.get("type") == "message"):
        if sum(bool(obj(event).get("usage")) for event in documents) > 0:
            notes.add("usage.last_non_null")
        return fold(documents)
    if documents and not isinstance(documents[0], dict):
        return {"unread": documents[0]}
    return first


def _choice(top: Fields, notes: set[str]) -> Choice | None:
    """One choice if anything of a message is there; a bare error or token count has none."""
    if not any(top.has(name) for name in ("content", "stop_reason", "role")):
        return None
    builder = ChoiceBuilder()
    top.expect("role", "assistant")
    builder.say(top.text("content"))
    rests = [_block(builder, block, notes) for block in top.items("content")]
    top.put("content", without_empty(rests))
    return builder.build(finish.anthropic(top.raw("stop_reason")))


def _block(builder: ChoiceBuilder, value: object, notes: set[str]) -> JsonObject:
    """Say one block; a block of a type that is no channel (server tools, compaction, ...) is left whole."""
    if not isinstance(value, dict):
        return {"unread": value}
    block = Fields(value)
    kind = text(block.left.get("type"))
    if kind == "text":
        builder.say(block.text("text"))
        for citation in block.items("citations"):
            builder.cite(citation)
    elif kind == "thinking":
        builder.think(block.text("thinking"), block.text("signature"))
    elif kind == "redacted_thinking":
        builder.redacted(block.text("data"))
    elif kind == "tool_use":
        builder.call(call(block, notes))
    else:
        builder.separate()
        return block.left
    block.raw("type")
    return block.left


def call(block: Fields, notes: set[str]) -> ToolCall:
    """A ``tool_use`` block. ``input`` is an object; text stands there only where a stream broke off in it."""
    name, call_id = block.text("name"), block.text("id")
    raw = block.raw("input")
    if isinstance(raw, dict) or raw is None:
        args, bad = obj(raw), None
    else:
        args, bad = decoded_args(raw) if isinstance(raw, str) else ({}, canonical(raw))
    if not args and bad is None:
        notes.add("no_args")
    return ToolCall(name, args, call_id, bad)


def _usage(top: Fields) -> Usage | None:
    """Rule: prompt = uncached input + cache reads + cache writes, as the other dialects count it."""
    usage = top.child("usage")
    fresh = usage.integer("input_tokens")
    read, written = usage.integer("cache_read_input_tokens"), usage.integer("cache_creation_input_tokens")
    details = usage.child("output_tokens_details")
    counted = Usage(
        prompt=None if fresh is None else fresh + (read or 0) + (written or 0),
        completion=usage.integer("output_tokens"),
        cached=read,
        cache_write=written,
        reasoning=details.integer("thinking_tokens"),
    )
    usage.put("output_tokens_details", details.left)
    top.put("usage", usage.left)
    return counted if counted != Usage() else None


def _error(response: Response, top: Fields) -> ErrorInfo | None:
    """Anthropic says how long to wait in a header alone; a bridge that has no headers says it in the error."""
    if not top.has("error") and response.status < 400:
        if list(top.left) == ["unread"]:
            return errors.error_info(response, (), "nothing of the answer could be read", None, "")
        return errors.undecodable(response)
    error = top.child("error")
    native = error.text("type")
    message = error.text("message") or top.text("error") or top.text("message") or response.text[:500]
    info = errors.error_info(response, [native], message, None, native)
    delay = error.left.get("retry_after_seconds")
    if info.retry_after is None and isinstance(delay, int | float) and not isinstance(delay, bool):
        info = replace(info, retry_after=float(delay))
        error.raw("retry_after_seconds")
    top.put("error", error.left)
    return info
