"""What the Messages API refuses in a history: the rules over messages and their blocks.

Neighbours of one role are one turn to the API, so calls and results are looked for in turns. Blocks of server tools
have other types and are none of these."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.accept.rule import FieldPath, LocatedObject, located_members
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.wire import JsonObject

ROLES: Final = frozenset({"user", "assistant", "system"})
_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")


@dataclass(slots=True)
class MergedTurn:
    """A turn as the API sees it: the blocks of neighbouring messages of one role; a string is one text block."""

    role: str
    path: str
    content: list[LocatedObject] = field(default_factory=list)

    def blocks_of_type(self, block_type: str) -> list[LocatedObject]:
        return [(path, block) for path, block in self.content if block.get("type") == block_type]


def merge_turns(body: JsonObject) -> list[MergedTurn]:
    """The turns, in order. A system message in between is a turn of its own."""
    turns: list[MergedTurn] = []
    for at, message in located_members(body, "messages"):
        role = text(message.get("role"))
        if not turns or turns[-1].role != role:
            turns.append(MergedTurn(role, at))
        turns[-1].content += content_as_blocks(at, message)
    return turns


def content_as_blocks(path: str, message: JsonObject) -> list[LocatedObject]:
    content = message.get("content")
    if isinstance(content, str):
        return [(f"{path}.content", {"type": "text", "text": content})]
    return list(located_members(message, "content", path))


def blocks_at_any_depth(body: JsonObject) -> Iterator[LocatedObject]:
    """Every block of every message, and those inside tool results."""
    for path, message in located_members(body, "messages"):
        for block_path, block in content_as_blocks(path, message):
            yield block_path, block
            if block.get("type") == "tool_result":
                yield from content_as_blocks(block_path, block)


def find_unknown_roles(body: JsonObject) -> Iterator[FieldPath]:
    return (f"{path}.role" for path, message in located_members(body, "messages") if message.get("role") not in ROLES)


def find_empty_messages(body: JsonObject) -> Iterator[FieldPath]:
    """Only a last message of the assistant may be empty."""
    turns = list(located_members(body, "messages"))
    for at, (path, message) in enumerate(turns):
        last = at == len(turns) - 1 and message.get("role") == "assistant"
        if message.get("content") in ("", [], None) and not last:
            yield f"{path}.content"


def find_empty_and_lone_blank_texts(body: JsonObject) -> Iterator[FieldPath]:
    """Empty text blocks, and those of white space in a message without any other text (beside other text they are
    taken: ruby_llm/0403). The text of a tool result may be empty; an empty message is another rule's."""
    for path, message in located_members(body, "messages"):
        blocks = content_as_blocks(path, message) if message.get("content") != "" else []
        texts = {at: text(block.get("text")) for at, block in blocks if block.get("type") == "text"}
        no_text = not any(content.strip() for content in texts.values())
        yield from (at for at, content in texts.items() if no_text or not content)
    yield from (at for at, block in located_members(body, "system") if not text(block.get("text")).strip())


def find_prefill_end_space(body: JsonObject) -> Iterator[FieldPath]:
    """A last message of the assistant is continued; where it ends matters."""
    turns = list(located_members(body, "messages"))
    if not turns or turns[-1][1].get("role") != "assistant":
        return
    content_blocks = content_as_blocks(*turns[-1])
    if content_blocks and content_blocks[-1][1].get("type") == "text":
        last_text = text(content_blocks[-1][1].get("text"))
        if last_text != last_text.rstrip():
            yield content_blocks[-1][0]


def find_malformed_call_ids(body: JsonObject) -> Iterator[FieldPath]:
    for path, block in blocks_at_any_depth(body):
        for kind, key in (("tool_use", "id"), ("tool_result", "tool_use_id")):
            if block.get("type") == kind and not _ID.fullmatch(text(block.get(key))):
                yield f"{path}.{key}"


def find_repeated_call_ids(body: JsonObject) -> Iterator[FieldPath]:
    known_ids: set[str] = set()
    for path, block in blocks_at_any_depth(body):
        if block.get("type") == "tool_use":
            call_id = text(block.get("id"))
            if call_id in known_ids:
                yield f"{path}.id"
            known_ids.add(call_id)


def find_inputs_not_objects(body: JsonObject) -> Iterator[FieldPath]:
    for path, block in blocks_at_any_depth(body):
        if block.get("type") == "tool_use" and not isinstance(block.get("input"), dict):
            yield f"{path}.input"


def find_calls_without_result(body: JsonObject) -> Iterator[FieldPath]:
    """Every call is answered in the very next turn."""
    turns = merge_turns(body)
    for at, turn in enumerate(turns):
        next_results = turns[at + 1].blocks_of_type("tool_result") if at + 1 < len(turns) else []
        answered_ids = {text(block.get("tool_use_id")) for _, block in next_results}
        calls = turn.blocks_of_type("tool_use") if turn.role == "assistant" else []
        yield from (f"{path}.id" for path, block in calls if text(block.get("id")) not in answered_ids)


def find_results_without_call(body: JsonObject) -> Iterator[FieldPath]:
    """A result answers a call of the turn just before, once."""
    open_calls: set[str] = set()
    for turn in merge_turns(body):
        for path, block in turn.blocks_of_type("tool_result"):
            if text(block.get("tool_use_id")) not in open_calls:
                yield f"{path}.tool_use_id"
            open_calls.discard(text(block.get("tool_use_id")))
        open_calls = {text(block.get("id")) for _, block in turn.blocks_of_type("tool_use")}


def find_results_apart(body: JsonObject) -> Iterator[FieldPath]:
    """Results of one round in neighbouring messages of the user, which the API combines, with nothing between them."""
    for turn in merge_turns(body):
        results = [path for path, _ in turn.blocks_of_type("tool_result")]
        is_unbroken = results == [path for path, _ in turn.content[: len(results)]]
        if is_unbroken and len({path.partition(".")[0] for path in results}) > 1:
            yield turn.path


def find_results_not_first(body: JsonObject) -> Iterator[FieldPath]:
    """In the message that answers calls, nothing stands before the results."""
    for path, message in located_members(body, "messages"):
        first_other_block = ""
        for block_path, block in content_as_blocks(path, message):
            if block.get("type") != "tool_result":
                first_other_block = first_other_block or block_path
            elif first_other_block:
                yield block_path


def find_unsigned_thinking(body: JsonObject) -> Iterator[FieldPath]:
    for path, block in blocks_at_any_depth(body):
        if block.get("type") == "thinking" and not text(block.get("signature")):
            yield f"{path}.signature"
        if block.get("type") == "redacted_thinking" and not text(block.get("data")):
            yield f"{path}.data"


def find_call_chain_without_thinking(body: JsonObject) -> Iterator[FieldPath]:
    """With a budget for thinking, the chain of calls that is under way holds the thinking that led to it."""
    if obj(body.get("thinking")).get("type") != "enabled":
        return
    chain = _assistant_turns_of_running_call_chain(merge_turns(body))
    if chain and not any(turn.blocks_of_type("thinking") or turn.blocks_of_type("redacted_thinking") for turn in chain):
        yield chain[0].content[0][0]


def _assistant_turns_of_running_call_chain(turns: list[MergedTurn]) -> list[MergedTurn]:
    """The assistant's turns since the user's last message; [] where the last turn answers no call."""
    chain: list[MergedTurn] = []
    for turn in reversed(turns):
        if turn.role == "assistant" and turn.content:
            chain.insert(0, turn)
        elif not turn.blocks_of_type("tool_result"):
            break
    return chain if turns and turns[-1].blocks_of_type("tool_result") else []
