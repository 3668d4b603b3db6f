"""Content of an assistant: Anthropic's content blocks and an OpenAI message, both ways. The same code reads history and
responses.

``tool_use`` blocks become tool calls. Source: https://docs.anthropic.com/en/api/messages (an id is of letters, digits,
underscores and dashes; input is an object).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.anthropic.media import part_to_block
from bridgecheck_reference.convert.anthropic.thinking_blocks import (
    block_to_detail,
    detail_to_block,
    is_accepted_by_anthropic,
    order_from_positions_if_any,
    read_reasoning_details,
)
from bridgecheck_reference.convert.arguments import RAW, parse_arguments, write_arguments
from bridgecheck_reference.convert.chat_calls import custom_call_to_function
from bridgecheck_reference.convert.chat_messages import CALL_TYPES, is_usual_order, order_of_message, restore_order
from bridgecheck_reference.convert.ids import cut_and_append_digest
from bridgecheck_reference.convert.json_values import anthropic_extra, compact_json, dumps, obj, objs, text
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

LONGEST_ANTHROPIC: Final = 64

_NOT_LEGAL: Final = re.compile(r"[^a-zA-Z0-9_-]")
_LEGAL: Final = re.compile(rf"[a-zA-Z0-9_-]{{0,{LONGEST_ANTHROPIC}}}")


def legal_anthropic_id_cut_if_long(call_id: str) -> str:
    """Return an id that Anthropic accepts; mostly the same one."""
    if _LEGAL.fullmatch(call_id):
        return call_id
    legal = _NOT_LEGAL.sub("_", call_id)
    return legal if len(legal) <= LONGEST_ANTHROPIC else cut_and_append_digest(call_id, legal, LONGEST_ANTHROPIC)


def block_to_call(
    block: JsonObject,
    call_id: Callable[[str, str], str],
    named: Rename,
    path: str,
    losses: Losses,
    write: Callable[[JsonObject], str],
) -> JsonObject:
    """Convert a tool_use block to a tool call; ``write`` makes the text of its arguments. Raises ConversionError for
    one without a name."""
    name = text(block.get("name"))
    if not name:
        raise ConversionError(f"{path}.tool_use.name: a call without a name", f"{path}.tool_use.name")
    input_value = block.get("input")
    arguments = write(input_value) if isinstance(input_value, dict) else write_arguments(input_value)
    if arguments is None:
        losses.add(f"{path}.tool_use.input", "arguments that are no object")
        arguments = input_value if isinstance(input_value, str) else dumps(input_value)
    id = call_id(name, text(block.get("id")))
    name = named(name) if named else name
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def read_function_calls(message: JsonObject, path: str, losses: Losses) -> Iterator[JsonObject]:
    """Return the function calls of a message, the older function_call last. Raises ConversionError for one without a
    name."""
    for tool_call in objs(message.get("tool_calls")):
        call = custom_call_to_function(tool_call, path, losses)
        if call.get("type") in CALL_TYPES and isinstance(call.get("function"), dict):
            yield call
        else:
            losses.add(f"{path}.tool_calls[].type", "Anthropic knows function calls only")
    older = message.get("function_call")
    if isinstance(older, dict):
        yield {"function": older}


def call_to_block(
    call: JsonObject, call_id: Callable[[str, str], str], named: Rename, path: str, losses: Losses
) -> JsonObject:
    """Convert a tool call to a tool_use block; arguments that are no JSON object are kept as ``{"_raw": text}``."""
    function = obj(call.get("function"))
    name, raw = text(function.get("name")), function.get("arguments")
    if not name:
        field = f"{path}.tool_calls[].function.name"
        raise ConversionError(f"{field}: a call without a name", field)
    arguments = parse_arguments(raw)
    if arguments is None:
        losses.add(f"{path}.tool_calls[].function.arguments", f"no JSON object; kept as text under {RAW}")
        arguments = {RAW: raw}
    id = call_id(name, text(call.get("id")))
    made: JsonObject = {"type": "tool_use", "id": id, "name": named(name) if named else name, "input": arguments}
    if "extra_content" in call:
        made.update(obj(anthropic_extra(call).get("rest")))
    return made


CallId: TypeAlias = Callable[[str, str], str]
"""(name, provider's id, "" for none) -> the id on the other side."""

_TEXT: Final = frozenset({"type", "text"})
_TOOL_USE: Final = frozenset({"type", "id", "name", "input"})
_THINKING: Final[dict[str, frozenset[str]]] = {
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}


_PLAIN_KEYS: Final = frozenset({"role", "content", "refusal", "tool_calls", "function_call"})
"""The members of a message without reasoning, images and an order of its own: text, then calls."""


class BlockReader:
    """Reads the blocks of one message. ``named``: function name in the blocks -> name in the message."""

    __slots__ = (
        "_call_id", "_calls", "_carries", "_details", "_losses", "_named", "_order", "_path", "_profile",
        "_text_pieces", "_write",
    )  # fmt: skip

    def __init__(self, profile: Profile, losses: Losses, path: str, call_id: CallId, named: Rename = None) -> None:
        self._profile = profile
        self._losses = losses
        self._path = path
        self._call_id = call_id
        self._named = named
        self._carries = profile.carries_anthropic
        self._write = dumps if profile.arguments == "spaced" else compact_json
        self._text_pieces: list[str] = []
        self._details: list[JsonObject] = []
        self._calls: list[JsonObject] = []
        self._order: list[JsonObject] = []

    def read(self, blocks: Iterable[JsonObject]) -> JsonObject:
        for block in blocks:
            kind = text(block.get("type"))
            if kind == "text":
                self._add_text_with_order(block)
            elif kind in _THINKING:
                self._details.append(block_to_detail(block))
                self._add_order_entry("reasoning", True, block, _THINKING[kind])
            elif kind == "tool_use":
                self._calls.append(
                    block_to_call(block, self._call_id, self._named, self._path, self._losses, self._write)
                )
                self._add_order_entry("call", True, block, _TOOL_USE)
            elif self._carries:
                self._order.append({"block": block})
            else:
                self._losses.add(f"{self._path}.{kind or 'type'}", "Chat Completions has no such block")
        return self._create_message()

    def _add_text_with_order(self, block: JsonObject) -> None:
        content = text(block.get("text"))
        self._text_pieces.append(content)
        self._add_order_entry("text", len(content), block, _TEXT)

    def _add_order_entry(self, kind: str, value: object, block: JsonObject, converted: frozenset[str]) -> None:
        entry: JsonObject = {kind: value}
        if not converted.issuperset(block):
            rest = {key: item for key, item in block.items() if key not in converted}
            if self._carries:
                entry["rest"] = rest
            for key in rest if not self._carries else ():
                if rest[key] is not None:
                    self._losses.add(f"{self._path}.{block['type']}.{key}", "no place beside it", "info")
        self._order.append(entry)

    def _create_message(self) -> JsonObject:
        message: JsonObject = {}
        content = "".join(self._text_pieces)
        if content:
            message["content"] = content
        if self._details:
            reasoning = "".join(text(detail.get("text")) for detail in self._details)
            if reasoning:
                message["reasoning_content"] = reasoning
            message["reasoning_details"] = self._details
        if self._calls:
            message["tool_calls"] = self._calls
        if not is_usual_order(self._order):
            if self._profile.extended or self._carries:
                message["extra_content"] = {"order": self._order}
            elif any("text" in entry for entry in self._order[1:]):
                self._losses.add(self._path, "Chat Completions has one text, before all calls", "info")
        return message


def blocks_to_message(
    blocks: Iterable[JsonObject],
    profile: Profile,
    losses: Losses,
    path: str,
    call_id: CallId,
    named: Rename = None,
) -> JsonObject:
    """Convert blocks to the fields of a message: content, reasoning_content, reasoning_details, tool_calls,
    extra_content; {} for none."""
    return BlockReader(profile, losses, path, call_id, named).read(blocks)


def message_to_blocks(
    message: JsonObject,
    profile: Profile,
    losses: Losses,
    path: str,
    call_id: CallId,
    named: Rename = None,
    *,
    answer: bool = False,
) -> list[JsonObject]:
    """Convert an assistant message to blocks: thinking, text, calls, or the order that it carries.

    ``answer``: it goes to a client, which takes any reasoning; Anthropic takes none but its own.
    """
    texts = _text_blocks(message, path, losses)
    calls = [call_to_block(call, call_id, named, path, losses) for call in read_function_calls(message, path, losses)]
    keeps = answer or profile.carries_anthropic
    if _PLAIN_KEYS.issuperset(message):
        return [*(texts if keeps else drop_empty_or_solely_blank_texts(texts, path, losses)), *calls]
    details = read_reasoning_details(message)
    for _ in objs(message.get("images")):
        losses.add(f"{path}.images", "an assistant message holds no images")
    order = order_of_message(message) or order_from_positions_if_any(details, _text_length(texts), len(calls))
    made = _order_blocks(order, texts, details, calls)
    if made is None:
        made = [*map(detail_to_block, details), *texts, *calls]
    if keeps:
        return made
    accepted = [is_accepted_by_anthropic(detail, path, losses) for detail in details]
    # Thinking whose end cannot go back would stand without what followed it: Anthropic takes all of a turn or none.
    all_refused = bool(accepted) and not accepted[-1]
    refused = [
        detail_to_block(detail) for detail, taken in zip(details, accepted, strict=True) if all_refused or not taken
    ]
    return drop_empty_or_solely_blank_texts([block for block in made if block not in refused], path, losses)


def _order_blocks(
    order: object, texts: list[JsonObject], details: list[JsonObject], calls: list[JsonObject]
) -> list[JsonObject] | None:
    if not isinstance(order, list):
        return None
    content = "".join(text(block.get("text")) for block in texts)
    images: list[JsonObject] = [{} for entry in objs(order) if "image" in entry]
    placed = restore_order(order, content, {"reasoning": details, "image": images, "call": calls})
    if placed is None:
        return None
    blocks: list[JsonObject] = []
    for kind, item, rest in placed:
        if kind != "image":
            block = (
                {"type": "text", **item} if kind == "text" else detail_to_block(item) if kind == "reasoning" else item
            )
            blocks.append({**block, **rest} if rest else block)
    return blocks


def _text_length(texts: list[JsonObject]) -> int:
    return sum(len(text(block.get("text"))) for block in texts)


def _text_blocks(message: JsonObject, path: str, losses: Losses) -> list[JsonObject]:
    """Return the text blocks of a message's content and refusal."""
    content = message.get("content")
    blocks: list[JsonObject] = []
    if isinstance(content, str):
        blocks = [{"type": "text", "text": content}] if content else []
    elif isinstance(content, list):
        made = (part_to_block(part, path, losses) for part in objs(content))
        blocks = [block for block in made if block]
    elif isinstance(content, dict):
        losses.add(f"{path}.content", "an object in place of text becomes its JSON text")
        blocks = [{"type": "text", "text": dumps(content)}]
    refusal = text(message.get("refusal"))
    if refusal:
        losses.add(f"{path}.refusal", "a refusal becomes text", "info")
        blocks.append({"type": "text", "text": refusal})
    return blocks


def drop_empty_or_solely_blank_texts(blocks: list[JsonObject], path: str, losses: Losses) -> list[JsonObject]:
    """Drop texts that Anthropic refuses: empty ones, and those of white space where there is no other text."""
    texts = [text(block.get("text")) for block in blocks if block.get("type") == "text"]
    if not texts:
        return blocks
    blank = not "".join(texts).strip()
    if blank and any(texts):
        losses.add(f"{path}.content", "a text of nothing but white space", "info")
    return [
        block for block in blocks if block.get("type") != "text" or (not blank and block.get("text") not in (None, ""))
    ]


def trim_last_text(blocks: list[JsonObject]) -> list[JsonObject]:
    """Remove the white space at the end of the last text, and the text too if nothing is left."""
    trimmed_blocks = list(blocks)
    while trimmed_blocks and trimmed_blocks[-1].get("type") == "text":
        trimmed = text(trimmed_blocks[-1].get("text")).rstrip()
        if trimmed:
            trimmed_blocks[-1] = {**trimmed_blocks[-1], "text": trimmed}
            break
        trimmed_blocks.pop()
    return trimmed_blocks
