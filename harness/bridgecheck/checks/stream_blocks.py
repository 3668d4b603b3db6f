"""stream.blocks: the grammar of an Anthropic stream, which its SDKs accumulate by.

``message_start``, then per content block ``content_block_start``, deltas of its kind and ``content_block_stop``, with
indices that count from 0, then ``message_delta`` and ``message_stop``; pings anywhere, an error at any point ends it.
Source: https://docs.anthropic.com/en/api/messages-streaming.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import ResponseView, response_views
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import JsonObject

CHECK: Final = "stream.blocks"

DELTAS: Final[dict[str, frozenset[str]]] = {
    "text_delta": frozenset({"text"}),
    "citations_delta": frozenset({"text"}),
    "thinking_delta": frozenset({"thinking"}),
    "signature_delta": frozenset({"thinking"}),
    "input_json_delta": frozenset({"tool_use", "server_tool_use", "mcp_tool_use"}),
}
"""Type of a delta -> the types of block that it may belong to. Deltas not named here may belong to any."""


def blocks(evidence: Evidence) -> list[Verdict]:
    """Blocks open and close one after another, are counted from 0 and hold deltas of their own kind."""
    return [_judged(view) for view in response_views(evidence) if _streams(view.client_response)]


def _streams(response: Response) -> bool:
    return response.dialect == "anthropic" and response.mode == "stream" and response.status < 400


def _judged(view: ResponseView) -> Verdict:
    rows = list(_faults(view.client_response))
    if rows and _streams(view.upstream_response):
        own = {row.note for row in _faults(view.upstream_response)}
        if all(row.note in own for row in rows):
            return verdict(CHECK, "INHERITED", rows, turn=view.turn)
    return result(CHECK, rows, turn=view.turn)


@dataclass(slots=True)
class _Stream:
    """``kinds``: the type of each block begun, by index. ``open``: the index of the block under way."""

    started: bool = False
    ended: bool = False
    kinds: list[str] = field(default_factory=list)
    open: int | None = None


def _faults(response: Response) -> Iterator[Difference]:
    seen = _Stream()
    for at, document in enumerate(response.documents):
        event = obj(document)
        kind = text(event.get("type"))
        if kind not in ("ping", "error", "message_start") and not seen.started:
            yield Difference(f"events[{at}]", "message_start", kind or "(no type)", "no message_start")
            return
        reader = _EVENTS.get(kind)
        fault = reader(seen, event) if reader else ""
        if fault:
            yield Difference(f"events[{at}]", "an event that may stand here", kind, fault)
    if seen.ended and seen.open is not None:
        yield Difference("events", f"content_block_stop of {seen.open}", "message_stop", "block never closed")


def _start(seen: _Stream, event: JsonObject) -> str:
    again, seen.started = seen.started, True
    return "message started twice" if again else ""


def _open(seen: _Stream, event: JsonObject) -> str:
    index = integer(event.get("index"))
    expected, still = len(seen.kinds), seen.open
    seen.kinds.append(text(obj(event.get("content_block")).get("type")))
    seen.open = index
    if still is not None:
        return "block begun inside another"
    return "" if index == expected else "blocks not counted from 0"


def _delta(seen: _Stream, event: JsonObject) -> str:
    index = integer(event.get("index"))
    if index is None or index != seen.open:
        return "delta outside its block"
    kind = text(obj(event.get("delta")).get("type"))
    allowed = DELTAS.get(kind)
    return "" if allowed is None or seen.kinds[-1] in allowed else "delta of another kind of block"


def _stop(seen: _Stream, event: JsonObject) -> str:
    index, still = integer(event.get("index")), seen.open
    seen.open = None
    return "" if index is not None and index == still else "block closed that was not open"


def _message_delta(seen: _Stream, event: JsonObject) -> str:
    return "message_delta inside a block" if seen.open is not None else ""


def _end(seen: _Stream, event: JsonObject) -> str:
    seen.ended = True
    return ""


_EVENTS: Final[dict[str, Callable[[_Stream, JsonObject], str]]] = {
    "message_start": _start,
    "content_block_start": _open,
    "content_block_delta": _delta,
    "content_block_stop": _stop,
    "message_delta": _message_delta,
    "message_stop": _end,
}
