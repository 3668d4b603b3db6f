"""Content of an assistant: Anthropic's content blocks and an OpenAI message, both ways. The same code reads history and
responses.

``tool_use`` blocks become tool calls. Source: https://docs.anthropic.com/en/api/messages (an id is of letters, digits,
underscores and dashes; input is an object).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.anthropic.media import part_to_block
from bridgecheck_reference.convert.anthropic.thinking_blocks import block_of, detail_of, details_of, order_of, sendable
from bridgecheck_reference.convert.arguments import RAW, parse_arguments, write_arguments
from bridgecheck_reference.convert.chat_calls import as_function
from bridgecheck_reference.convert.chat_messages import CALL_TYPES, is_usual_order, order_of_message, restore_order
from bridgecheck_reference.convert.ids import shortened
from bridgecheck_reference.convert.json_values import anthropic, dumps, obj, objs, text
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile

LONGEST_ANTHROPIC: Final = 64

_NOT_LEGAL: Final = re.compile(r"[^a-zA-Z0-9_-]")


def anthropic_id(given: str) -> str:
    """An id that Anthropic takes; itself mostly."""
    legal = _NOT_LEGAL.sub("_", given)
    return legal if len(legal) <= LONGEST_ANTHROPIC else shortened(given, legal, LONGEST_ANTHROPIC)


def call_of_block(
    block: JsonObject, call_id: Callable[[str, str], str], named: Rename, path: str, losses: Losses
) -> JsonObject:
    """A tool_use block as a tool call. Raises ConversionError for one without a name."""
    name = text(block.get("name"))
    if not name:
        raise ConversionError(f"{path}.tool_use.name: a call without a name", f"{path}.tool_use.name")
    given = block.get("input")
    arguments = write_arguments(given)
    if arguments is None:
        losses.add(f"{path}.tool_use.input", "arguments that are no object")
        arguments = given if isinstance(given, str) else dumps(given)
    id = call_id(name, text(block.get("id")))
    name = named(name) if named else name
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls_of(message: JsonObject, path: str, losses: Losses) -> Iterator[JsonObject]:
    """The function calls of a message, the older function_call last. Raises ConversionError for one without a name."""
    for said in objs(message.get("tool_calls")):
        call = as_function(said, path, losses)
        if call.get("type") in CALL_TYPES and isinstance(call.get("function"), dict):
            yield call
        else:
            losses.add(f"{path}.tool_calls[].type", "Anthropic knows function calls only")
    older = message.get("function_call")
    if isinstance(older, dict):
        yield {"function": older}


def block_of_call(
    call: JsonObject, call_id: Callable[[str, str], str], named: Rename, path: str, losses: Losses
) -> JsonObject:
    """A tool call as a tool_use block; arguments that are no JSON object are kept as ``{"_raw": text}``."""
    function = obj(call.get("function"))
    name, raw = text(function.get("name")), function.get("arguments")
    if not name:
        field = f"{path}.tool_calls[].function.name"
        raise ConversionError(f"{field}: a call without a name", field)
    given = parse_arguments(raw)
    if given is None:
        losses.add(f"{path}.tool_calls[].function.arguments", f"no JSON object; kept as text under {RAW}")
        given = {RAW: raw}
    id = call_id(name, text(call.get("id")))
    made: JsonObject = {"type": "tool_use", "id": id, "name": named(name) if named else name, "input": given}
    return {**made, **obj(anthropic(call).get("rest"))}


CallId: TypeAlias = Callable[[str, str], str]
"""(name, id as given, "" for none) -> the id on the other side."""

_TEXT: Final = frozenset({"type", "text"})
_THINKING: Final[dict[str, frozenset[str]]] = {
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}


class BlockReader:
    """Reads the blocks of one message. ``named``: name over there -> name here."""

    __slots__ = (
        "_call_id",
        "_calls",
        "_details",
        "_keeps",
        "_losses",
        "_named",
        "_order",
        "_path",
        "_profile",
        "_words",
    )

    def __init__(self, profile: Profile, losses: Losses, path: str, call_id: CallId, named: Rename = None) -> None:
        self._profile = profile
        self._losses = losses
        self._path = path
        self._call_id = call_id
        self._named = named
        self._keeps = profile.carries_anthropic
        self._words: list[str] = []
        self._details: list[JsonObject] = []
        self._calls: list[JsonObject] = []
        self._order: list[JsonObject] = []

    def read(self, blocks: Iterable[JsonObject]) -> JsonObject:
        for block in blocks:
            kind = text(block.get("type"))
            if kind == "text":
                self._text(block)
            elif kind in _THINKING:
                self._details.append(detail_of(block))
                self._place("reasoning", True, block, _THINKING[kind])
            elif kind == "tool_use":
                self._calls.append(call_of_block(block, self._call_id, self._named, self._path, self._losses))
                self._place("call", True, block, frozenset({"type", "id", "name", "input"}))
            elif self._keeps:
                self._order.append({"block": block})
            else:
                self._losses.add(f"{self._path}.{kind or 'type'}", "Chat Completions has no such block")
        return self._message()

    def _text(self, block: JsonObject) -> None:
        words = text(block.get("text"))
        self._words.append(words)
        self._place("text", len(words), block, _TEXT)

    def _place(self, kind: str, value: object, block: JsonObject, said: frozenset[str]) -> None:
        entry: JsonObject = {kind: value}
        if not said.issuperset(block):
            rest = {key: item for key, item in block.items() if key not in said}
            if self._keeps:
                entry["rest"] = rest
            for key in rest if not self._keeps else ():
                if rest[key] is not None:
                    self._losses.add(f"{self._path}.{block['type']}.{key}", "no place beside it", "info")
        self._order.append(entry)

    def _message(self) -> JsonObject:
        message: JsonObject = {}
        content = "".join(self._words)
        if content:
            message["content"] = content
        reasoning = "".join(text(detail.get("text")) for detail in self._details)
        if reasoning:
            message["reasoning_content"] = reasoning
        if self._details:
            message["reasoning_details"] = self._details
        if self._calls:
            message["tool_calls"] = self._calls
        if not is_usual_order(self._order):
            if self._profile.extended or self._keeps:
                message["extra_content"] = {"order": self._order}
            elif any("text" in entry for entry in self._order[1:]):
                self._losses.add(self._path, "Chat Completions has one text, before all calls", "info")
        return message


def message_of(
    blocks: Iterable[JsonObject],
    profile: Profile,
    losses: Losses,
    path: str,
    call_id: CallId,
    named: Rename = None,
) -> JsonObject:
    """The fields of a message that these blocks come to: content, reasoning_content, reasoning_details, tool_calls,
    extra_content; {} for nothing."""
    return BlockReader(profile, losses, path, call_id, named).read(blocks)


def assistant_blocks(
    message: JsonObject,
    profile: Profile,
    losses: Losses,
    path: str,
    call_id: CallId,
    named: Rename = None,
    *,
    answer: bool = False,
) -> list[JsonObject]:
    """The blocks of an assistant message: thinking, text, calls, or the order that it carries.

    ``answer``: it goes to a client, which takes any reasoning; Anthropic takes none but its own.
    """
    texts = _texts(message, path, losses)
    details = details_of(message)
    calls = [block_of_call(call, call_id, named, path, losses) for call in calls_of(message, path, losses)]
    for _ in objs(message.get("images")):
        losses.add(f"{path}.images", "an assistant message holds no images")
    kept = order_of_message(message) or order_of(details, _length(texts), len(calls))
    made = _in_order(kept, texts, details, calls)
    if made is None:
        made = [*map(block_of, details), *texts, *calls]
    if answer or profile.carries_anthropic:
        return made
    refused = [block_of(detail) for detail in details if not sendable(detail, path, losses)]
    return without_blanks([block for block in made if block not in refused], path, losses)


def _in_order(
    kept: object, texts: list[JsonObject], details: list[JsonObject], calls: list[JsonObject]
) -> list[JsonObject] | None:
    if not isinstance(kept, list):
        return None
    said = "".join(text(block.get("text")) for block in texts)
    images: list[JsonObject] = [{} for entry in objs(kept) if "image" in entry]
    placed = restore_order(kept, said, {"reasoning": details, "image": images, "call": calls})
    if placed is None:
        return None
    blocks: list[JsonObject] = []
    for kind, thing, rest in placed:
        if kind != "image":
            block = {"type": "text", **thing} if kind == "text" else block_of(thing) if kind == "reasoning" else thing
            blocks.append({**block, **rest} if rest else block)
    return blocks


def _length(texts: list[JsonObject]) -> int:
    return sum(len(text(block.get("text"))) for block in texts)


def _texts(message: JsonObject, path: str, losses: Losses) -> list[JsonObject]:
    """The text blocks of a message's content and refusal."""
    content = message.get("content")
    blocks: list[JsonObject] = []
    if isinstance(content, str):
        blocks = [{"type": "text", "text": content}] if content else []
    elif isinstance(content, list):
        made = (part_to_block(part, path, losses) for part in objs(content))
        blocks = [block for block in made if block]
    elif isinstance(content, dict):
        losses.add(f"{path}.content", "an object in place of text, told as its JSON text")
        blocks = [{"type": "text", "text": dumps(content)}]
    refusal = text(message.get("refusal"))
    if refusal:
        losses.add(f"{path}.refusal", "a refusal is said as text", "info")
        blocks.append({"type": "text", "text": refusal})
    return blocks


def without_blanks(blocks: list[JsonObject], path: str, losses: Losses) -> list[JsonObject]:
    """Without texts that Anthropic refuses: empty ones, and those of white space where there is no other text."""
    texts = [text(block.get("text")) for block in blocks if block.get("type") == "text"]
    blank = not any(word.strip() for word in texts)
    if blank and any(texts):
        losses.add(f"{path}.content", "a text of nothing but white space", "info")
    return [
        block for block in blocks if block.get("type") != "text" or (not blank and block.get("text") not in (None, ""))
    ]


def without_end(blocks: list[JsonObject]) -> list[JsonObject]:
    """The blocks with the white space at the end of their last text taken off, and the text too if nothing is left."""
    kept = list(blocks)
    while kept and kept[-1].get("type") == "text":
        words = text(kept[-1].get("text")).rstrip()
        if words:
            kept[-1] = {**kept[-1], "text": words}
            break
        kept.pop()
    return kept
