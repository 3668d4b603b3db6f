"""Frameworks that speak Gemini: LangGraph, pydantic-ai and the Vercel AI SDK.

Measured against a scripted provider and read, 2026-11-23: langchain-google-genai 4.4.2 (``_parse_response_candidate``,
``_parse_chat_history``), pydantic-ai 2.68.0 (``models/google.py``), @ai-sdk/google 4.0.121
(``google-language-model.ts``, ``convert-to-google-messages.ts``)."""

import base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from bridgecheck.client_models.gemini import (
    PLACEHOLDER_SIGNATURE,
    first_candidate,
    give_ids_to_calls,
    is_question,
    is_text,
    show_text,
    sign_first_call,
)
from bridgecheck.client_models.model import Remembered, events_of
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.wire import JsonObject

_ENCODED_PLACEHOLDER: Final = base64.b64encode(PLACEHOLDER_SIGNATURE.encode()).decode()
"""The placeholder as pydantic-ai sends it: its SDK encodes every signature."""


def _parts(response: Response) -> Iterator[JsonObject]:
    """Yield the parts of all events, with the fields that frameworks keep."""
    for event in events_of(response):
        yield from map(_known_fields, objs(obj(first_candidate(event).get("content")).get("parts")))


def _known_fields(part: JsonObject) -> JsonObject:
    if "functionCall" not in part:
        return dict(part)
    call = obj(part["functionCall"])
    known = {name: call[name] for name in ("id", "name") if call.get(name)}
    return part | {"functionCall": known | {"args": obj(call.get("args"))}}


def _message(parts: Sequence[JsonObject]) -> Remembered:
    if not parts:
        return Remembered(reason="it has neither text nor calls")
    return Remembered(({"role": "model", "parts": list(parts)},))


def _holds_something(part: JsonObject) -> bool:
    return part.get("text") != "" or bool(part.get("thoughtSignature"))


def _join_streamed(parts: Iterable[JsonObject], response: Response) -> list[JsonObject]:
    """Return the parts, of a stream with each text and thought joined to the one before; a later signature replaces an
    earlier one."""
    joined: list[JsonObject] = []
    for part in parts:
        is_continued = bool(joined and _kind(part)) and response.mode == "stream" and _kind(part) == _kind(joined[-1])
        if is_continued:
            joined[-1] = joined[-1] | part | {"text": f"{joined[-1]['text']}{part['text']}"}
        else:
            joined.append(part)
    return joined


def _kind(part: JsonObject) -> str:
    """Return what a part is joined with, "" for nothing."""
    return "text" if is_text(part) else "thought" if isinstance(part.get("text"), str) else ""


def remember_in_langchain(response: Response) -> Remembered:
    """Keep texts and thoughts, and behind them the calls; a unary text without the line breaks at its end."""
    parts = [part if response.mode == "stream" else _without_last_line_breaks(part) for part in _parts(response)]
    joined = _join_streamed(filter(_holds_something, parts), response)
    return _message(sorted(joined, key=lambda part: "functionCall" in part))


def show_text_in_langchain(response: Response) -> str:
    """Return ``message.text``: the texts, each of a unary answer without the line breaks at its end."""
    if response.mode == "stream":
        return show_text(response)
    return "".join(text(part.get("text")).rstrip("\n") for part in _parts(response) if is_text(part))


def _without_last_line_breaks(part: JsonObject) -> JsonObject:
    return part | {"text": text(part["text"]).rstrip("\n")} if is_text(part) else part


def remember_in_pydantic_ai(response: Response) -> Remembered:
    """Keep all parts but empty texts without a signature."""
    return _message(_join_streamed(filter(_holds_something, _parts(response)), response))


def remember_in_vercel(response: Response) -> Remembered:
    """Keep all parts but empty texts; a signature on one goes to the part before it, of a stream to a text alone."""
    parts: list[JsonObject] = []
    for part in filter(_holds_something, _parts(response)):
        is_behind_a_part = bool(parts) and (response.mode == "unary" or is_text(parts[-1]))
        if part.get("text") == "" and is_behind_a_part:
            parts[-1] = parts[-1] | {"thoughtSignature": part["thoughtSignature"]}
        else:
            parts = _join_streamed([*parts, part], response)
    return _message(parts)


def resend_from_langchain(contents: Sequence[JsonObject]) -> list[JsonObject]:
    """Send calls and results without ids, and the documented placeholder on the first call of each answer since the
    last question, where that is unsigned."""
    sent = _change_parts(contents, _without_id)
    start = max((number for number, content in enumerate(sent) if is_question(content)), default=0)
    return [*sent[:start], *map(sign_first_call, sent[start:])]


def resend_from_pydantic_ai(contents: Sequence[JsonObject]) -> list[JsonObject]:
    """Send an id on each call, the placeholder, encoded, on the first one of each answer where that is unsigned, and
    results under ``return_value``."""
    sent = _change_parts(give_ids_to_calls(contents), partial(_wrap_result, lambda _, value: {"return_value": value}))
    return [sign_first_call(content, _ENCODED_PLACEHOLDER) for content in sent]


def resend_from_vercel(contents: Sequence[JsonObject]) -> list[JsonObject]:
    """Send an id on each call, the placeholder on each that is unsigned and has no signed one before it in its answer,
    and results under ``content`` beside the name of the function."""
    wrap = partial(_wrap_result, lambda name, value: {"name": name, "content": value})
    return [_sign_calls(content) for content in _change_parts(give_ids_to_calls(contents), wrap)]


def _change_parts(contents: Sequence[JsonObject], change: Callable[[JsonObject], JsonObject]) -> list[JsonObject]:
    return [content | {"parts": [change(part) for part in objs(content.get("parts"))]} for content in contents]


def _without_id(part: JsonObject) -> JsonObject:
    name = next((name for name in ("functionCall", "functionResponse") if name in part), "")
    return part | {name: {key: item for key, item in obj(part[name]).items() if key != "id"}} if name else part


def _wrap_result(wrap: Callable[[object, object], JsonObject], part: JsonObject) -> JsonObject:
    """Return the part with the output of a function as a framework wraps what the function returned."""
    result = obj(part.get("functionResponse"))
    wrapped = obj(result.get("response"))
    if wrapped.keys() != {"output"}:
        return part
    return part | {"functionResponse": result | {"response": wrap(result.get("name"), wrapped["output"])}}


def _sign_calls(content: JsonObject) -> JsonObject:
    parts: list[JsonObject] = []
    has_signed = False
    for part in objs(content.get("parts")):
        is_signed = bool(part.get("thoughtSignature"))
        is_to_sign = "functionCall" in part and not is_signed and not has_signed
        has_signed = has_signed or ("functionCall" in part and is_signed)
        parts.append(part | {"thoughtSignature": PLACEHOLDER_SIGNATURE} if is_to_sign else part)
    return content | {"parts": parts}
