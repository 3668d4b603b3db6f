"""Function names that the other dialect would refuse: renamed in the request and renamed back in the response.

Both directions are computed from the client's own request, so nothing is remembered between the two. Legal names, the
normal case, stay as they are; a renamed one keeps what it can and never meets another name of the request.

Sources: https://platform.openai.com/docs/api-reference/chat/create (a-z, A-Z, 0-9, underscores and
dashes, at most 64), https://ai.google.dev/api/caching#FunctionDeclaration (starts with a letter or underscore; also
dots and colons; older definitions allow 63, google-genai 3.4.0 allows 128), https://docs.anthropic.com/en/api/messages
(as OpenAI's; 64 of old, 128 today).
"""

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.ids import cut_and_append_digest
from bridgecheck_reference.convert.json_values import camel, obj, objs, text

Rename: TypeAlias = Callable[[str], str] | None
"""Maps a function's name to its name on the other side; None where none changes."""

LONGEST_NAME: Final = 64

_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_OPENAI: Final = _LETTERS | frozenset("0123456789_-")
_GEMINI: Final = _OPENAI | frozenset(".:")
_GEMINI_FIRST: Final = _LETTERS | frozenset("_")


def map_names_for_openai(names: Iterable[str]) -> dict[str, str]:
    """Return name in the Gemini or Anthropic request -> name OpenAI takes, for those that have to change."""
    return _map_illegal_names(names, _OPENAI, _OPENAI)


def map_names_for_gemini(names: Iterable[str]) -> dict[str, str]:
    """Return name in the OpenAI request -> name Gemini takes, for those that have to change."""
    return _map_illegal_names(names, _GEMINI, _GEMINI_FIRST)


def map_names_for_anthropic(names: Iterable[str]) -> dict[str, str]:
    """Return name in the OpenAI request -> name Anthropic takes, for those that have to change."""
    return map_names_for_openai(names)


def create_renamer_if_needed(mapping: Mapping[str, str]) -> Rename:
    """Return a function that renames, None if there is nothing to rename."""
    return (lambda name: mapping.get(name, name)) if mapping else None


def create_reverse_renamer_if_needed(mapping: Mapping[str, str]) -> Rename:
    return create_renamer_if_needed({new: old for old, new in mapping.items()})


def names_in_gemini_request(request: JsonObject) -> list[str]:
    """Return the functions that a Gemini request declares, then those that its history calls: what was declared for an
    earlier request need not be any more."""
    body = camel(request)
    tools = (camel(tool) for tool in objs(body.get("tools")))
    declared = [text(item.get("name")) for tool in tools for item in objs(tool.get("functionDeclarations"))]
    for content in objs(body.get("contents")):
        parts = content.get("parts")
        for part in parts if type(parts) is list else (parts,):
            if type(part) is dict and ("functionCall" in part or "function_call" in part):
                declared.append(text(obj(camel(part)["functionCall"]).get("name")))
    return declared


def names_in_openai_request(request: JsonObject) -> list[str]:
    """Return the functions that an OpenAI request declares, in tools or in the older ``functions``, then those that its
    history calls."""
    declared = [text(obj(tool.get("function")).get("name")) for tool in objs(request.get("tools"))]
    declared += [text(item.get("name")) for item in objs(request.get("functions"))]
    for message in objs(request.get("messages")):
        if "tool_calls" in message:
            declared += [text(obj(call.get("function")).get("name")) for call in objs(message["tool_calls"])]
        if "function_call" in message:
            declared += [text(function.get("name")) for function in objs(message["function_call"])]
    return declared


def names_in_anthropic_request(request: JsonObject) -> list[str]:
    """Return the functions that an Anthropic request declares, then those that its history calls; a server tool (with a
    ``type`` of its own) is none."""
    declared = [text(tool.get("name")) for tool in objs(request.get("tools")) if tool.get("type") in (None, "custom")]
    contents = [message.get("content") for message in objs(request.get("messages"))]
    blocks = (block for content in contents if not isinstance(content, str) for block in objs(content))
    return declared + [text(block.get("name")) for block in blocks if block.get("type") == "tool_use"]


def _map_illegal_names(names: Iterable[str], allowed: frozenset[str], first: frozenset[str]) -> dict[str, str]:
    distinct = list(dict.fromkeys(name for name in names if name))
    illegal = [name for name in distinct if not _is_legal_name(name, allowed, first)]
    if not illegal:
        return {}
    used = set(distinct) - set(illegal)
    result = {}
    for name in illegal:
        result[name] = _make_legal_name(name, allowed, first, used)
        used.add(result[name])
    return result


def _is_legal_name(name: str, allowed: frozenset[str], first: frozenset[str]) -> bool:
    return len(name) <= LONGEST_NAME and name[0] in first and allowed.issuperset(name)


def _make_legal_name(name: str, allowed: frozenset[str], first: frozenset[str], used: Container[str]) -> str:
    legal = "".join(character if character in allowed else "_" for character in name)
    legal = legal if legal[0] in first else f"_{legal}"
    if len(legal) <= LONGEST_NAME and legal not in used:
        return legal
    return cut_and_append_digest(name, legal, LONGEST_NAME)
