"""What the Messages API refuses in a history: the rules over messages and their blocks.

Neighbours of one role are one turn to the API, so calls and results are looked for in turns. Blocks of server tools
have other types and are none of these.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

ROLES: Final = frozenset({"user", "assistant", "system"})
_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")

Placed = tuple[str, JsonObject]
"""(path, block)"""


@dataclass(slots=True)
class Step:
    """A turn as the API sees it: the blocks of neighbouring messages of one role; a string is one text block."""

    role: str
    path: str
    blocks: list[Placed] = field(default_factory=list)

    def of(self, kind: str) -> list[Placed]:
        return [(path, block) for path, block in self.blocks if block.get("type") == kind]


def steps(body: JsonObject) -> list[Step]:
    """The turns, in order. A system message in between is a turn of its own."""
    found: list[Step] = []
    for at, message in _messages(body):
        role = text(message.get("role"))
        if not found or found[-1].role != role:
            found.append(Step(role, at))
        found[-1].blocks += blocks(at, message)
    return found


def blocks(path: str, message: JsonObject) -> list[Placed]:
    content = message.get("content")
    if isinstance(content, str):
        return [(f"{path}.content", {"type": "text", "text": content})]
    return [(f"{path}.content[{at}]", obj(block)) for at, block in enumerate(arr(content))]


def all_blocks(body: JsonObject) -> Iterator[Placed]:
    """Every block of every message, and those inside tool results."""
    for path, message in _messages(body):
        for place, block in blocks(path, message):
            yield place, block
            if block.get("type") == "tool_result":
                yield from blocks(place, block)


def _messages(body: JsonObject) -> Iterator[Placed]:
    return ((f"messages[{at}]", obj(message)) for at, message in enumerate(arr(body.get("messages"))))


def no_messages(body: JsonObject) -> Iterator[str]:
    if not arr(body.get("messages")):
        yield "messages"


def unknown_roles(body: JsonObject) -> Iterator[str]:
    return (f"{path}.role" for path, message in _messages(body) if message.get("role") not in ROLES)


def empty_messages(body: JsonObject) -> Iterator[str]:
    """Only a last message of the assistant may be empty."""
    found = list(_messages(body))
    for at, (path, message) in enumerate(found):
        last = at == len(found) - 1 and message.get("role") == "assistant"
        if message.get("content") in ("", [], None) and not last:
            yield f"{path}.content"


def blank_texts(body: JsonObject) -> Iterator[str]:
    """Empty text blocks, and those of white space in a message without any other text (beside other text they are
    taken: ruby_llm/0403). The text of a tool result may be empty; an empty message is another rule's."""
    for path, message in _messages(body):
        texts = [(place, block) for place, block in blocks(path, message) if block.get("type") == "text"]
        silent = not any(text(block.get("text")).strip() for _, block in texts)
        whole = message.get("content") == ""
        yield from (place for place, block in texts if not whole and (silent or not text(block.get("text"))))
    system = body.get("system")
    if isinstance(system, list):
        yield from (f"system[{at}]" for at, block in enumerate(system) if not text(obj(block).get("text")).strip())


def trailing_space(body: JsonObject) -> Iterator[str]:
    """A last message of the assistant is continued; where it ends matters."""
    found = list(_messages(body))
    if not found or found[-1][1].get("role") != "assistant":
        return
    said = blocks(*found[-1])
    if said and said[-1][1].get("type") == "text":
        words = text(said[-1][1].get("text"))
        if words != words.rstrip():
            yield said[-1][0]


def bad_ids(body: JsonObject) -> Iterator[str]:
    for path, block in all_blocks(body):
        for kind, key in (("tool_use", "id"), ("tool_result", "tool_use_id")):
            if block.get("type") == kind and not _ID.fullmatch(text(block.get(key))):
                yield f"{path}.{key}"


def repeated_ids(body: JsonObject) -> Iterator[str]:
    seen: set[str] = set()
    for path, block in all_blocks(body):
        if block.get("type") == "tool_use":
            given = text(block.get("id"))
            if given in seen:
                yield f"{path}.id"
            seen.add(given)


def bare_inputs(body: JsonObject) -> Iterator[str]:
    for path, block in all_blocks(body):
        if block.get("type") == "tool_use" and not isinstance(block.get("input"), dict):
            yield f"{path}.input"


def calls_without_result(body: JsonObject) -> Iterator[str]:
    """Every call is answered in the very next turn."""
    found = steps(body)
    for at, step in enumerate(found):
        following = found[at + 1].of("tool_result") if at + 1 < len(found) else []
        answered = {text(block.get("tool_use_id")) for _, block in following}
        calls = step.of("tool_use") if step.role == "assistant" else []
        yield from (f"{path}.id" for path, block in calls if text(block.get("id")) not in answered)


def results_without_call(body: JsonObject) -> Iterator[str]:
    """A result answers a call of the turn just before, once."""
    asked: set[str] = set()
    for step in steps(body):
        for path, block in step.of("tool_result"):
            if text(block.get("tool_use_id")) not in asked:
                yield f"{path}.tool_use_id"
            asked.discard(text(block.get("tool_use_id")))
        asked = {text(block.get("id")) for _, block in step.of("tool_use")}


def results_not_first(body: JsonObject) -> Iterator[str]:
    """In the message that answers calls, nothing stands before the results."""
    for path, message in _messages(body):
        other = ""
        for place, block in blocks(path, message):
            if block.get("type") != "tool_result":
                other = other or place
            elif other:
                yield place


def unsigned_thinking(body: JsonObject) -> Iterator[str]:
    for path, block in all_blocks(body):
        if block.get("type") == "thinking" and not text(block.get("signature")):
            yield f"{path}.signature"
        if block.get("type") == "redacted_thinking" and not text(block.get("data")):
            yield f"{path}.data"


def thinking_missing(body: JsonObject) -> Iterator[str]:
    """With a budget for thinking, the chain of calls that is under way holds the thinking that led to it."""
    if obj(body.get("thinking")).get("type") != "enabled":
        return
    chain = _running(steps(body))
    if chain and not any(step.of("thinking") or step.of("redacted_thinking") for step in chain):
        yield chain[0].blocks[0][0]


def _running(found: list[Step]) -> list[Step]:
    """The assistant's turns since the user last said something; [] where the last turn answers no call."""
    chain: list[Step] = []
    for step in reversed(found):
        if step.role == "assistant" and step.blocks:
            chain.insert(0, step)
        elif not step.of("tool_result"):
            break
    return chain if found and found[-1].of("tool_result") else []
