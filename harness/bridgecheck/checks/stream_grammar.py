"""stream.blocks and stream.calls_contiguous: the order of events that the SDKs of Anthropic and Chat accumulate by.

Anthropic: ``message_start``, then per content block ``content_block_start``, deltas of its kind and
``content_block_stop``, with indices that count from 0, then ``message_delta`` and ``message_stop``; pings anywhere, an
error at any point ends it. Source: https://docs.anthropic.com/en/api/messages-streaming.
Chat: the stream helpers of openai 3.52.0 (Python) and 7.55.0 (JavaScript) close a call as soon as another index
appears, and raise when the first comes back; a delta without an index is a TypeError."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.checks.bases import ANSWERED, BREAKS, MEASURED, MESSAGES
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import ResponsePair, response_pairs
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj, objs, text
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import JsonObject

_BLOCKS_OF_DELTA: Final[dict[str, frozenset[str]]] = {
    "text_delta": frozenset({"text"}), "citations_delta": frozenset({"text"}),
    "thinking_delta": frozenset({"thinking"}), "signature_delta": frozenset({"thinking"}),
    "input_json_delta": frozenset({"tool_use", "server_tool_use", "mcp_tool_use"}),
}  # fmt: skip
"""Type of a delta -> the types of block that it may belong to. Deltas not named here may belong to any."""


def check_blocks(evidence: Evidence) -> list[Result]:
    """Blocks open and close one after another, are counted from 0 and hold deltas of their own kind."""
    return [_judge_blocks(pair) for pair in response_pairs(evidence) if _is_anthropic_stream(pair.client_response)]


BLOCKS: Final = Check(
    "stream.blocks", "streams", "MUST", MESSAGES,
    "Blocks of an Anthropic stream open, close and count as its SDKs expect.", check_blocks, "stream", ANSWERED,
    rules=(
        Rule("stream.grammar", "MUST", "Blocks of an Anthropic stream open, close and count.", MESSAGES),
        Rule("stream.deltas", "MUST", "Deltas stand in an open block of their kind.", MESSAGES),
    ),
)  # fmt: skip


def _is_anthropic_stream(response: Response) -> bool:
    return response.dialect == "anthropic" and response.mode == "stream" and response.status < 400


def _judge_blocks(pair: ResponsePair) -> Result:
    rows = list(_find_grammar_faults(pair.client_response))
    if rows and _is_anthropic_stream(pair.upstream_response):
        of_provider = {row.note for row in _find_grammar_faults(pair.upstream_response)}
        if all(row.note in of_provider for row in rows):
            return Result(rows, "INHERITED", turn=pair.turn)
    return Result(rows, turn=pair.turn)


@dataclass(slots=True)
class _StreamState:
    """``kinds``: the type of each block begun, by index. ``open``: the index of the current block."""

    started: bool = False
    ended: bool = False
    kinds: list[str] = field(default_factory=list)
    open: int | None = None


def _find_grammar_faults(response: Response) -> Iterator[Difference]:
    state = _StreamState()
    for at, document in enumerate(response.documents):
        event = obj(document)
        kind = text(event.get("type"))
        if kind not in ("ping", "error", "message_start") and not state.started:
            yield Difference(f"events[{at}]", "message_start", kind or "(no type)", "no message_start")
            return
        read = _EVENT_READERS.get(kind)
        fault = read(state, event) if read else ""
        if fault:
            yield Difference(f"events[{at}]", "an event that may stand here", kind, fault)
    if state.ended and state.open is not None:
        yield Difference("events", f"content_block_stop of {state.open}", "message_stop", "block never closed")


def _read_message_start(state: _StreamState, event: JsonObject) -> str:
    again, state.started = state.started, True
    return "message started twice" if again else ""


def _read_block_start(state: _StreamState, event: JsonObject) -> str:
    index = integer(event.get("index"))
    next_index, still_open = len(state.kinds), state.open
    state.kinds.append(text(obj(event.get("content_block")).get("type")))
    state.open = index
    if still_open is not None:
        return "block begun inside another"
    return "" if index == next_index else "blocks not counted from 0"


def _read_delta(state: _StreamState, event: JsonObject) -> str:
    index = integer(event.get("index"))
    if index is None or index != state.open:
        return "delta outside its block"
    allowed = _BLOCKS_OF_DELTA.get(text(obj(event.get("delta")).get("type")))
    return "" if allowed is None or state.kinds[-1] in allowed else "delta of another kind of block"


def _read_block_stop(state: _StreamState, event: JsonObject) -> str:
    index, open_index = integer(event.get("index")), state.open
    state.open = None
    return "" if index is not None and index == open_index else "block closed that was not open"


def _read_message_delta(state: _StreamState, event: JsonObject) -> str:
    return "message_delta inside a block" if state.open is not None else ""


def _mark_message_stopped(state: _StreamState, event: JsonObject) -> str:
    state.ended = True
    return ""


_EVENT_READERS: Final[dict[str, Callable[[_StreamState, JsonObject], str]]] = {
    "message_start": _read_message_start, "content_block_start": _read_block_start, "content_block_delta": _read_delta,
    "content_block_stop": _read_block_stop, "message_delta": _read_message_delta, "message_stop": _mark_message_stopped,
}  # fmt: skip
"""Type of an event -> reader that updates the state and returns the fault of the event, "" if none."""


NO_INDEX: Final = "a delta without an index"
TWO_UNDER_ONE_INDEX: Final = "two calls under one index"
"""Faults of a delta of a call."""

_SDK_HELPERS: Final = Basis("client-breaks", "openai 3.52.0, openai 7.55.0 (JavaScript)", MEASURED)


def check_calls_contiguous(evidence: Evidence) -> Iterator[Result]:
    """Deltas of one call stand together, under an index of its own."""
    for pair in response_pairs(evidence):
        if _events_choices_and_call_deltas(pair.client_response):
            rows = list(_find_call_faults(pair.client_response))
            of_provider = {row.note for row in _find_call_faults(pair.upstream_response)}
            inherited = rows and all(row.note in of_provider for row in rows)
            yield Result(rows, "INHERITED" if inherited else None, turn=pair.turn)


CALLS_CONTIGUOUS: Final = Check(
    "stream.calls_contiguous", "streams", "MUST", BREAKS, "The calls of a Chat stream come one after another, each "
    "under its own index.", check_calls_contiguous, "stream", ("response.choices",),
    rules=(
        Rule("stream.contiguous", "MUST",
            "Deltas of one call in a Chat stream stand together, under an index of its own.", _SDK_HELPERS),
    ),
)  # fmt: skip


def _find_call_faults(response: Response) -> Iterator[Difference]:
    """Yield each kind of fault of each choice, where it first shows."""
    ids_of_choice: dict[int, dict[int, str]] = {}
    for at, choice, delta in _events_choices_and_call_deltas(response):
        ids = ids_of_choice.setdefault(choice, {})
        fault = _describe_call_delta_fault(ids, delta)
        if fault:
            shown = f"index {delta.get('index')}, id {delta.get('id')}"
            yield Difference(f"events[{at}].choice[{choice}]", "one call after another", shown, fault)
        index = integer(delta.get("index"))
        if index is not None:
            ids[index] = text(delta.get("id")) or ids.pop(index, "")


def _describe_call_delta_fault(ids: dict[int, str], delta: JsonObject) -> str:
    """Return the fault of a delta, "" if none. ``ids``: index -> id of the calls so far, the current one last."""
    index, id_ = integer(delta.get("index")), text(delta.get("id"))
    if index is None:
        return NO_INDEX
    if index in ids and id_ and ids[index] and id_ != ids[index]:
        return TWO_UNDER_ONE_INDEX
    return "a call taken up again" if index in ids and index != next(reversed(ids)) else ""


def _events_choices_and_call_deltas(response: Response) -> list[tuple[int, int, JsonObject]]:
    """Return (event, choice, delta of a call), in order; [] for anything but a Chat stream."""
    if response.dialect != "openai-chat" or response.mode != "stream":
        return []
    return [
        (at, integer(choice.get("index")) or 0, delta)
        for at, document in enumerate(response.documents)
        for choice in objs(obj(document).get("choices"))
        for delta in objs(obj(choice.get("delta")).get("tool_calls"))
    ]
