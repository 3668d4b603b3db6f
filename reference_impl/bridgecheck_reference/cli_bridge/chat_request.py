"""A request of Chat Completions as the context of a run of gemini-cli, and what of it has no effect; pure (R-38).

The program has no place for a client's tools, several choices, a form of the answer, words to stop at, sound or a
search: an answer that ignores them would be a wrong one, so such a request is refused. How it samples and how long it
answers is its own setting, so ``temperature``, ``max_tokens`` and the like have no effect; reasoning of earlier answers
is not sent again, as the program itself does not. ``find_losses`` names these.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cli_bridge.messages import Json
from bridgecheck_reference.convert.arguments import RAW, parse_arguments
from bridgecheck_reference.convert.json_values import google_extra, obj, objs, text
from bridgecheck_reference.convert.media import parse_data_url
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

_NO_CHOICE: Final = "none"
_INSTRUCTIONS: Final = ("system", "developer")
_PLAIN_TEXT: Final = (None, "text")
_READ: Final = frozenset({"messages", "model", "stream", "stream_options", "n", "response_format", "stop", "audio"})
"""Members that have an effect, or are refused where they would."""
_NEUTRAL: Final[dict[str, tuple[object, ...]]] = {
    "tools": ([],), "functions": ([],), "tool_choice": ("auto", _NO_CHOICE), "function_call": ("auto", _NO_CHOICE),
    "logprobs": (False,), "modalities": ([], ["text"]), "store": (False,), "parallel_tool_calls": (True, False),
}  # fmt: skip
"""Member -> values that request nothing, besides null: tools are none, so neither is a choice among them."""
_READ_OF_MESSAGES: Final = frozenset({"role", "content", "tool_calls", "tool_call_id"})
_NO_PLACE: Final = "gemini-cli has no option for it"


def read_context(params: JsonObject) -> Json:
    """Return ``messages`` and, if there is one, ``systemPrompt``, as the stream function takes them.

    ``ConversionError``, with the field, for what the program cannot do or a message of another form.
    """
    _refuse_what_has_no_place(params)
    system: list[str] = []
    messages: list[Json] = []
    names: dict[str, str] = {}
    for at, message in enumerate(objs(params.get("messages"))):
        path, role = f"messages[{at}]", message.get("role")
        if role in _INSTRUCTIONS:
            system.append(_read_text(message.get("content"), f"{path}.content"))
        elif role == "user":
            messages.append({"role": "user", "content": [*_read_parts(message.get("content"), f"{path}.content")]})
        elif role == "assistant":
            blocks = [*_read_assistant_blocks(message, path)]
            names.update((str(block["id"]), str(block["name"])) for block in blocks if block["type"] == "toolCall")
            messages.append({"role": "assistant", "content": blocks})
        elif role == "tool":
            messages.append(_read_result(message, path, names))
        else:
            raise ConversionError(f"{path}.role: {role!r} is none that gemini-cli can be given", f"{path}.role")
    instructions = "\n\n".join(filter(None, system))
    return {"messages": messages, **({"systemPrompt": instructions} if instructions else {})}


def _refuse_what_has_no_place(params: JsonObject) -> None:
    choices = params.get("n")
    found = {
        "tools": bool(params.get("tools")) and params.get("tool_choice") != _NO_CHOICE,
        "functions": bool(params.get("functions")) and params.get("function_call") != _NO_CHOICE,
        "web_search_options": params.get("web_search_options") is not None,
        "modalities": params.get("modalities") not in (None, *_NEUTRAL["modalities"]),
        "n": choices not in (None, 1),
        "response_format": obj(params.get("response_format")).get("type") not in _PLAIN_TEXT,
        "stop": bool(params.get("stop")),
        "logprobs": params.get("logprobs") is True,
        "audio": bool(params.get("audio")),
    }
    for field, is_set in found.items():
        if is_set:
            raise ConversionError(f"{field}: gemini-cli has no place for it; leave it out", field)


def find_losses(params: JsonObject) -> Losses:
    """Return what of a request that ``read_context`` takes has no effect, or another one."""
    losses = Losses()
    for name, value in params.items():
        if value is not None and name not in _READ and value not in _NEUTRAL.get(name, ()):
            losses.add(name, _NO_PLACE)
    has_turns = False
    for message in objs(params.get("messages")):
        _find_losses_of_message(message, has_turns, losses)
        has_turns = has_turns or message.get("role") not in _INSTRUCTIONS
    return losses


def _find_losses_of_message(message: JsonObject, is_behind_turns: bool, losses: Losses) -> None:
    is_tool = message.get("role") == "tool"
    for name, value in message.items():
        if value is not None and name not in _READ_OF_MESSAGES and not (is_tool and name == "name"):
            losses.add(f"messages[].{name}", _NO_PLACE)
    if message.get("role") in _INSTRUCTIONS:
        if is_behind_turns:
            losses.add("messages[].role", "instructions stand before all turns")
        if "\n\n\n" in _read_text(message.get("content"), "messages[].content"):
            losses.add("messages[].content", "gemini-cli leaves two line ends of more in its instructions", "info")
    for part in objs(message.get("content")):
        if obj(part.get("image_url")).get("detail") not in (None, "auto"):
            losses.add("messages[].content[].image_url.detail", _NO_PLACE)


def _read_parts(content: object, path: str) -> Iterator[Json]:
    """Yield blocks of text and images."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
        return
    for at, part in enumerate(objs(content)):
        kind = part.get("type")
        if kind in ("text", "refusal"):
            yield {"type": "text", "text": text(part.get(kind))}
        elif kind == "image_url":
            yield _read_image(part.get("image_url"), f"{path}[{at}].image_url")
        else:
            raise ConversionError(f"{path}[{at}].type: expected text or image_url, got {kind!r}", f"{path}[{at}].type")


def _read_image(image: object, path: str) -> Json:
    url = image if isinstance(image, str) else text(obj(image).get("url"))
    found = parse_data_url(url, "image/png")
    if found is None:
        raise ConversionError(f"{path}: expected a data URL; gemini-cli fetches no images", path)
    return {"type": "image", "mimeType": found[0], "data": found[1]}


def _read_text(content: object, path: str) -> str:
    blocks = [*_read_parts(content, path)]
    if any(block["type"] != "text" for block in blocks):
        raise ConversionError(f"{path}: expected text alone", path)
    return "".join(str(block["text"]) for block in blocks)


def _read_assistant_blocks(message: JsonObject, path: str) -> Iterator[Json]:
    if visible_text := _read_text(message.get("content"), f"{path}.content"):
        yield {"type": "text", "text": visible_text}
    for at, call in enumerate(objs(message.get("tool_calls"))):
        where = f"{path}.tool_calls[{at}]"
        function = obj(call.get("function"))
        if not function:
            raise ConversionError(f"{where}.function: expected an object", f"{where}.function")
        arguments = parse_arguments(function.get("arguments"))
        block: Json = {
            "type": "toolCall", "id": text(call.get("id")), "name": text(function.get("name")),
            "arguments": {RAW: function.get("arguments")} if arguments is None else arguments,
        }  # fmt: skip
        if signature := text(google_extra(call).get("thought_signature")):
            block["thoughtSignature"] = signature
        yield block


def _read_result(message: JsonObject, path: str, names: dict[str, str]) -> Json:
    id = text(message.get("tool_call_id"))
    return {
        "role": "toolResult", "toolCallId": id, "toolName": text(message.get("name")) or names.get(id, "tool"),
        "content": [*_read_parts(message.get("content"), f"{path}.content")], "isError": False,
    }  # fmt: skip
