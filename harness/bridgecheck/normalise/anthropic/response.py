"""Anthropic messages -> Outcome. A stream is folded first, so that both modes are read by the same rules.

Source: https://docs.anthropic.com/en/api/messages (stored copy read 2026-11-21)."""

from dataclasses import replace

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.model.outcome import Choice, ErrorInfo, Outcome, Usage
from bridgecheck.normalise import errors, finish
from bridgecheck.normalise.anthropic.parts import read_call
from bridgecheck.normalise.anthropic.stream import fold
from bridgecheck.normalise.choice import ChoiceBuilder
from bridgecheck.normalise.tree import Fields, non_empty_rests, other_leaves
from bridgecheck.wire import JsonObject


def read_response(response: Response) -> Outcome:
    """Return the response in normal form; never raises: what cannot be read stands in ``other`` or in ``error``."""
    applied_rules: set[str] = set()
    top = Fields(_folded_or_unary_document(response, applied_rules))
    error = _read_error(response, top)
    choice = _read_choice(top, applied_rules)
    usage_counts = _read_usage(top)
    top.drop_expected("type", "message", "error")
    return Outcome(
        dialect="anthropic", choices=(choice,) if choice else (), usage=usage_counts, error=error,
        model=top.take_text("model"), response_id=top.take_text("id"), other=other_leaves(top.rest),
        notes=tuple(sorted(applied_rules)),
    )  # fmt: skip


def _folded_or_unary_document(response: Response, applied_rules: set[str]) -> JsonObject:
    documents = response.documents
    first = obj(documents[0]) if documents else {}
    if response.mode == "stream" and not (len(documents) == 1 and first.get("type") == "message"):
        if sum(bool(obj(event).get("usage")) for event in documents) > 0:
            applied_rules.add("usage.last_non_null")
        return fold(documents)
    if documents and not isinstance(documents[0], dict):
        return {"unread": documents[0]}
    return first


def _read_choice(top: Fields, applied_rules: set[str]) -> Choice | None:
    """Read one choice if anything of a message is there; a bare error or token count has none."""
    if not any(top.has(name) for name in ("content", "stop_reason", "role")):
        return None
    builder = ChoiceBuilder()
    top.drop_expected("role", "assistant")
    builder.add_text(top.take_text("content"))
    rests = [_read_block(builder, block, applied_rules) for block in top.take_list("content")]
    top.put_back("content", non_empty_rests(rests))
    return builder.build(finish.anthropic_finish(top.take("stop_reason")))


def _read_block(builder: ChoiceBuilder, value: object, applied_rules: set[str]) -> JsonObject:
    """Add a block and return its unread fields: all of them for a type without a channel (server tools, ...)."""
    if not isinstance(value, dict):
        return {"unread": value}
    block = Fields(value)
    kind = text(block.rest.get("type"))
    if kind == "text":
        builder.add_text(block.take_text("text"))
        for citation in block.take_list("citations"):
            builder.add_citation(citation)
    elif kind == "thinking":
        builder.add_reasoning(block.take_text("thinking"), block.take_text("signature"))
    elif kind == "redacted_thinking":
        builder.add_redacted(block.take_text("data"))
    elif kind == "tool_use":
        call = read_call(block)
        builder.add_call(call)
        if not call.args and call.bad_args is None:
            applied_rules.add("no_args")
    else:
        builder.end_segment()
        return block.rest
    block.take("type")
    return block.rest


def _read_usage(top: Fields) -> Usage | None:
    """Read the counts: prompt = uncached input + cache reads + cache writes, as the other dialects count it."""
    usage = top.take_child("usage")
    uncached = usage.take_integer("input_tokens")
    read, written = usage.take_integer("cache_read_input_tokens"), usage.take_integer("cache_creation_input_tokens")
    details = usage.take_child("output_tokens_details")
    usage_counts = Usage(
        prompt=None if uncached is None else uncached + (read or 0) + (written or 0),
        completion=usage.take_integer("output_tokens"),
        cached=read,
        cache_write=written,
        reasoning=details.take_integer("thinking_tokens"),
    )
    usage.put_back("output_tokens_details", details.rest)
    top.put_back("usage", usage.rest)
    return usage_counts if usage_counts != Usage() else None


def _read_error(response: Response, top: Fields) -> ErrorInfo | None:
    """Read the error. Anthropic sends the wait in a header alone; a bridge without headers puts it into the error."""
    if not top.has("error") and response.status < 400:
        if list(top.rest) == ["unread"]:
            return errors.error_info(response, (), "nothing of the answer could be read", None, "")
        return errors.error_without_document(response)
    error = top.take_child("error")
    native = error.take_text("type")
    message = error.take_text("message") or top.take_text("error") or top.take_text("message") or response.text[:500]
    info = errors.error_info(response, [native], message, None, native)
    delay = error.rest.get("retry_after_seconds")
    if info.retry_after is None and isinstance(delay, int | float) and not isinstance(delay, bool):
        info = replace(info, retry_after=float(delay))
        error.take("retry_after_seconds")
    top.put_back("error", error.rest)
    return info
