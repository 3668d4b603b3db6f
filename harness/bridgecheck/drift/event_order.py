"""The order of events in a stream, as facts by name: what stands before what, wherever it is the same in all streams
of a provider. Text, reasoning and calls come in the order in which a model makes them: they are no facts."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from bridgecheck.drift.answers import Answer
from bridgecheck.model.jsonvalue import arr, canonical, obj, text
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import RECORDS

Facts: TypeAlias = dict[str, str]


def order_facts(answer: Answer) -> Facts:
    """Return fact -> value in words, {} for what is no whole stream."""
    if answer.mode != "stream" or not answer.is_whole or not answer.documents:
        return {}
    reader = _READERS.get(answer.dialect)
    if reader is None:
        return {}
    events = [obj(document) for document in answer.documents]
    shared = [name for name in RECORDS[answer.dialect].shared_members if name != _CLOCK]
    values = {name: {canonical(event[name]) for event in events if event.get(name) is not None} for name in shared}
    differing = [name for name, found in values.items() if len(found) > 1]
    return {
        **reader(events),
        "shared members": f"{', '.join(differing)} not the same in all events"
        if differing
        else "the same in all events",
    }


Event: TypeAlias = dict[str, object]


def _anthropic(events: Sequence[Event]) -> Facts:
    kinds = [text(event.get("type")) for event in events]
    kinds = [kind for kind in kinds if kind != "ping"]
    blocks = {"content_block_start", "content_block_delta", "content_block_stop"}
    facts = _relations(
        kinds,
        (
            ("message_start", "content_block_start"),
            ("content_block_stop", "message_delta"),
            ("message_delta", "message_stop"),
            ("message_start", "message_stop"),
        ),
    )
    for kind in ("message_start", "content_block_start", "content_block_stop", "message_delta"):
        facts[f"events {kind}"] = "present" if kind in kinds else "absent"
    if not blocks & set(kinds):
        for kind in ("content_block_start", "content_block_stop"):
            del facts[f"events {kind}"]
    else:
        of_blocks = [event for event in events if event.get("type") in blocks]
        facts |= _growth([text(obj(event.get("delta")).get("text")) for event in events])
        if any("index" not in event for event in of_blocks):
            return facts  # what is missing is no order
        facts["first block"] = f"has index {of_blocks[0].get('index')}"
        facts["blocks"] = _block_grammar(of_blocks)
    return facts


def _block_grammar(events: Sequence[Event]) -> str:
    """Return whether each block is started, continued and stopped before the next one starts."""
    current: object = None
    for event in events:
        kind, index = event.get("type"), event.get("index")
        if kind == "content_block_start":
            if current is not None:
                return "begin before the one before has stopped"
            current = index
        elif index != current or current is None:
            return "have events before they start or after they stop"
        elif kind == "content_block_stop":
            current = None
    return "stop before the next one starts" if current is None else "do not all stop"


def _chat(events: Sequence[Event]) -> Facts:
    choices = [[obj(choice) for choice in arr(event.get("choices"))] for event in events]
    content = [any(_has_content(obj(choice.get("delta"))) for choice in held) for held in choices]
    role = [any(text(obj(choice.get("delta")).get("role")) for choice in held) for held in choices]
    finish = [any(choice.get("finish_reason") is not None for choice in held) for held in choices]
    usage = [event.get("usage") is not None for event in events]
    facts: Facts = {}
    indices = [choice.get("index") for held in choices for choice in held]
    facts |= {"first choice": f"has index {indices[0]}"} if indices and None not in indices else {}
    facts |= (
        {}
        if not any(finish)
        else {"finish reasons": "one a choice" if sum(finish) <= len({*map(repr, indices)}) else "several a choice"}
    )
    facts |= _growth([text(obj(choice.get("delta")).get("content")) for held in choices for choice in held[:1]])
    if any(role) and any(content):
        facts["role"] = "before content" if role.index(True) <= content.index(True) else "behind content"
    if any(finish) and any(content):
        facts["finish reason"] = "before content" if finish.index(True) < _last(content) else "after content"
    if any(usage) and any(finish):
        facts["usage"] = _usage_position(usage, choices, _last(finish))
    return facts


def _growth(pieces: Sequence[str]) -> Facts:
    """Return whether each piece of text repeats what came before; nothing for less than three."""
    held = [piece for piece in pieces if piece]
    if len(held) < 3:
        return {}
    grows = all(later.startswith(piece) for piece, later in pairwise(held))
    return {"text": "all so far in each event" if grows and len(set(held)) > 1 else "a piece in each event"}


def _usage_position(usage: Sequence[bool], choices: Sequence[Sequence[Event]], finish: int) -> str:
    if sum(usage) > 1:
        return "in several chunks"
    at = _last(usage)
    where = "before" if at < finish else "with" if at == finish else "after"
    return f"{where} the finish reason, in a chunk {'with' if choices[at] else 'without'} choices"


def _has_content(delta: Event) -> bool:
    return any(delta.get(key) not in (None, "", []) for key in ("content", "tool_calls", "refusal", "function_call"))


def _gemini(events: Sequence[Event]) -> Facts:
    finish = [
        any(obj(item).get("finishReason") is not None for item in arr(event.get("candidates"))) for event in events
    ]
    parts = [
        any(arr(obj(obj(item).get("content")).get("parts")) for item in arr(event.get("candidates")))
        for event in events
    ]
    usage = [event.get("usageMetadata") is not None for event in events]
    facts: Facts = {}
    if any(finish) and any(parts):
        facts["finish reason"] = "before content" if finish.index(True) < _last(parts) else "with or after the content"
    facts |= _growth(
        [
            "".join(
                text(obj(part).get("text"))
                for item in arr(event.get("candidates"))[:1]
                for part in arr(obj(obj(item).get("content")).get("parts"))
            )
            for event in events
        ]
    )
    if any(usage) and any(finish):
        facts["usage"] = "up to the end" if _last(usage) >= _last(finish) else "before the finish reason only"
    return facts


_CLOCK: Final = "created"
"""Hosts write the time of each event (ollama.com, recorded): it is the same in a short stream only."""

_READERS: Final[dict[Dialect, Callable[[Sequence[Event]], Facts]]] = {
    "anthropic": _anthropic,
    "openai-chat": _chat,
    "gemini": _gemini,
}


def _relations(kinds: Sequence[str], pairs: Sequence[tuple[str, str]]) -> Facts:
    return dict(_relation(kinds, first, second) for first, second in pairs if first in kinds and second in kinds)


def _relation(kinds: Sequence[str], first: str, second: str) -> tuple[str, str]:
    last = max(index for index, kind in enumerate(kinds) if kind == first)
    return f"{first}, {second}", "in this order" if last < kinds.index(second) else "in another order"


def _last(flags: Sequence[bool]) -> int:
    return len(flags) - 1 - list(reversed(flags)).index(True)
