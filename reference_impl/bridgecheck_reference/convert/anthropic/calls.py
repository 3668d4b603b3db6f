"""Tool calls: ``tool_use`` blocks against OpenAI's tool calls, and the ids that Anthropic takes.

Source: https://docs.anthropic.com/en/api/messages (an id is of letters, digits, underscores and dashes; input is an
object).
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.arguments import RAW, parse_arguments, write_arguments
from bridgecheck_reference.convert.ids import shortened
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.openai_words import CALL_TYPES
from bridgecheck_reference.convert.other_calls import as_function
from bridgecheck_reference.convert.read import anthropic, dumps, obj, objs, text
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

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
