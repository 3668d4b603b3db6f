"""The contents of a conversation: which are valid, and how they go into a request. Pure functions over lists.

Two views of one list: the *full* history has everything; the *curated* one leaves out every run of model contents in
which one is invalid, for a provider refuses those. Models of the Gemini 2 and 3 families, and those of others, are sent
no thoughts; an older Gemini model gets the contents as they are.
Source: core/geminiChat.js of @google/gemini-cli-core 0.61.0 (2026-11-24)."""

import re
from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.chat.documents import child, has_result, parts, text_of, tool_name

STAND_IN_SIGNATURE: Final = "skip_thought_signature_validator"
"""The thought signature that Google's API takes for a call that has none."""

INTERRUPTED: Final = "[The previous response was interrupted before it completed.]"
"""What stands for the answer that never came behind the result of a tool."""

_NO_PAYLOAD: Final = frozenset({"text", "thought"})
_LATER_GEMINI: Final = re.compile(r"gemini-(2(\.|$)|3(\.|-|$))")


def is_valid_content(content: JsonObject) -> bool:
    """A model's content may have no parts. Of the parts that there are each has a key, and a blank text has another one
    beside it, such as a signature."""
    found = content.get("parts")
    if not isinstance(found, list) or not found:
        return content.get("role") == "model"
    return all(isinstance(part, dict) and part and not _is_blank_text(part) for part in found)


def _is_blank_text(part: JsonObject) -> bool:
    return part.get("text") == "" and not part.get("thought") and part.keys() <= _NO_PAYLOAD


def curate(history: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the history without the runs of model contents of which one is invalid."""
    found: list[JsonObject] = []
    for from_model, run in groupby(history, lambda content: content.get("role") != "user"):
        contents = list(run)
        if not from_model or all(is_valid_content(content) for content in contents):
            found += contents
    return found


def coalesce(history: Sequence[JsonObject]) -> list[JsonObject]:
    """Return contents of one role that follow each other as one."""
    found: list[JsonObject] = []
    for content in history:
        if found and found[-1].get("role") == content.get("role"):
            found[-1] = {**found[-1], "parts": parts(found[-1]) + parts(content)}
        else:
            found.append(dict(content))
    return found


def without_thoughts(history: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the history without thoughts and without contents that hold nothing else. Where a model's content lost
    one, its first call gets a signature if it has none: it may have stood on the thought."""
    found: list[JsonObject] = []
    for content in history:
        all_parts = parts(content)
        remaining = [part for part in all_parts if not part.get("thought")]
        if len(remaining) == len(all_parts):
            found += [content] if all_parts or "parts" not in content else []
        elif remaining:
            found.append(
                {**content, "parts": _sign_first_call(remaining) if content.get("role") == "model" else remaining}
            )
    return found


def _sign_first_call(found: list[JsonObject]) -> list[JsonObject]:
    index = next((index for index, part in enumerate(found) if part.get("functionCall")), None)
    if index is None or found[index].get("thoughtSignature"):
        return found
    signed: JsonObject = {**found[index], "thoughtSignature": STAND_IN_SIGNATURE}
    return [*found[:index], signed, *found[index + 1 :]]


def sign_active_loop(contents: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the contents with a signature on the first call of every model content since the user's last words: Google
    refuses a request without."""
    start = next((index for index in reversed(range(len(contents))) if _is_users_words(contents[index])), len(contents))
    return [
        {**content, "parts": _sign_first_call(parts(content))}
        if index >= start and content.get("role") == "model" and parts(content)
        else content
        for index, content in enumerate(contents)
    ]


def _is_users_words(content: JsonObject) -> bool:
    return content.get("role") == "user" and any(map(text_of, parts(content))) and not has_result(content)


def takes_later_form(model: str) -> bool:
    """Return whether the model is of the second or third Gemini family, or no Gemini at all."""
    return not model.startswith("gemini-") or _LATER_GEMINI.match(model) is not None


def view(history: Sequence[JsonObject], model: str, *, curated: bool) -> list[JsonObject]:
    """Return the full or the curated history, as it is for this model."""
    found = curate(history) if curated else list(history)
    return coalesce(without_thoughts(found)) if takes_later_form(model) else found


def request_contents(curated: Sequence[JsonObject], model: str) -> list[JsonObject]:
    """Return the contents of a request: coalesced, signed, ids as the provider gave them, no blank texts."""
    contents = coalesce(curated)
    return [
        _as_on_the_wire(content) for content in (sign_active_loop(contents) if takes_later_form(model) else contents)
    ]


def _as_on_the_wire(content: JsonObject) -> JsonObject:
    return {**content, "parts": [_strip_id(part) for part in parts(content) if not _is_blank_part(part)]}


def _is_blank_part(part: JsonObject) -> bool:
    return part.get("text") == "" and part.keys() <= _NO_PAYLOAD


_MEMBERS: Final = {"functionCall": ("name", "args", "id"), "functionResponse": ("name", "response", "id")}


def _strip_id(part: JsonObject) -> JsonObject:
    stripped = {key: value for key, value in part.items() if key != "text" or value != ""}
    for key, members in _MEMBERS.items():
        document = child(part, key)
        prefix, identifier = f"{tool_name(document)}__", document.get("id")
        if isinstance(identifier, str) and identifier.startswith(prefix):
            remaining: JsonObject = {name: document[name] for name in members if name in document}
            stripped[key] = {**remaining, "id": identifier.removeprefix(prefix)}
    return stripped


def prefixed_id(name: str, identifier: str) -> str:
    """Return a call's id as the history has it: ``{name}__{id}``."""
    return identifier if identifier.startswith(f"{name}__") else f"{name}__{identifier}"


def with_tool_ids(history: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the history with an id for every call and result: those without are paired by name with the content next
    to them, as ``synth_{name}_{hash}``; a result without a call is ``synth_orph_{name}_{hash}``. The same history has
    the same ids."""
    found: list[JsonObject] = [{**content, "parts": [_copy(part) for part in parts(content)]} for content in history]
    for index, content in enumerate(found):
        for number, part in enumerate(parts(content)):
            _name_call(found, index, number, child(part, "functionCall"))
            _name_orphan(index, number, child(part, "functionResponse"))
    return found


def _copy(part: JsonObject) -> JsonObject:
    return {key: dict(value) if key in _MEMBERS and isinstance(value, dict) else value for key, value in part.items()}


def _name_call(history: list[JsonObject], index: int, number: int, call: JsonObject) -> None:
    if not call or call.get("id"):
        return
    name = call.get("name")
    call["id"] = f"synth_{name}_{_digest(index, number, name)}"
    for part in parts(history[index + 1]) if index + 1 < len(history) else []:
        result = child(part, "functionResponse")
        if result and result.get("name") == name and not result.get("id"):
            result["id"] = call["id"]
            return


def _name_orphan(index: int, number: int, result: JsonObject) -> None:
    if result and not result.get("id"):
        result["id"] = f"synth_orph_{result.get('name')}_{_digest(index, number, result.get('name'))}"


def _digest(*values: object) -> str:
    return sha256("|".join(map(str, values)).encode()).hexdigest()[:32]
