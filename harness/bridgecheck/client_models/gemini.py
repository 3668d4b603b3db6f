"""Clients that speak Gemini: Google's SDK chats (Python and JavaScript) and gemini-cli.

Read in google-genai 3.4.0 (``chats.py``), @google/genai 3.1.0 (``Chat``) and the bundle of @google/gemini-cli 0.61.0
(``GeminiChat``), 2026-11-23."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from bridgecheck.client_models.model import Remembered, events_of
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import arr, obj, objs, text
from bridgecheck.wire import JsonObject

_PART_FIELDS: Final = frozenset({
    "mediaResolution", "codeExecutionResult", "executableCode", "fileData", "functionCall", "functionResponse",
    "inlineData", "text", "thought", "thoughtSignature", "videoMetadata", "toolCall", "toolResponse", "partMetadata",
})  # fmt: skip
"""The fields of a part that Google's SDKs know and send again; ``types.Part`` has others for input only."""

_CALL_FIELDS: Final = frozenset({"id", "name", "args"})

PLACEHOLDER_SIGNATURE: Final = "skip_thought_signature_validator"
"""What gemini-cli puts on an unsigned call. Source: https://ai.google.dev/gemini-api/docs/thought-signatures, FAQs."""


def first_candidate(event: JsonObject) -> JsonObject:
    """Return the first candidate of an event, {} if it has none."""
    return next(objs(event.get("candidates")), {})


def show_text(response: Response) -> str:
    """Return ``response.text``: what the parts of the first candidate say, thoughts left out."""
    contents = (obj(first_candidate(event).get("content")) for event in events_of(response))
    parts = (part for content in contents for part in objs(content.get("parts")))
    return "".join(text(part.get("text")) for part in parts if part.get("thought") is not True)


def remember_in_python_chat(response: Response) -> Remembered:
    """Keep each event as a content of its own, unless one of them is invalid: then question and answer are dropped."""
    return _remember_in_chat(response, _find_python_flaw)


def remember_in_javascript_chat(response: Response) -> Remembered:
    """Keep each event as a content of its own, as in Python; here each has to name its role too."""
    return _remember_in_chat(response, _find_javascript_flaw)


def _remember_in_chat(response: Response, find_flaw: Callable[[JsonObject], str]) -> Remembered:
    events = events_of(response)
    for number, event in enumerate(events, 1):
        flaw = find_flaw(event)
        if flaw:
            where = f"event {number} of {len(events)}" if response.mode == "stream" else "the answer"
            return Remembered(forgets_question=True, reason=f"{where} has {flaw}")
    if not any(first_candidate(event).get("finishReason") for event in events) and response.mode == "stream":
        return Remembered(forgets_question=True, reason="no event has a finishReason")
    contents = (obj(first_candidate(event).get("content")) for event in events)
    return Remembered(tuple(map(_known_fields_of_content, contents)))


def _find_python_flaw(event: JsonObject) -> str:
    return _find_flaw(event, lambda part: any(part.get(name) is not None for name in _PART_FIELDS))


def _find_javascript_flaw(event: JsonObject) -> str:
    flaw = _find_flaw(event, bool)
    return flaw or ("" if obj(first_candidate(event).get("content")).get("role") else "no role")


def _find_flaw(event: JsonObject, holds_something: Callable[[JsonObject], bool]) -> str:
    """Return what makes an event invalid for an SDK's chat, "" if it is valid."""
    candidate = first_candidate(event)
    if not candidate:
        return "no candidate"
    if not isinstance(candidate.get("content"), dict):
        return "no content"
    parts = list(objs(obj(candidate["content"]).get("parts")))
    if not parts:
        return "no parts"
    return "" if all(map(holds_something, parts)) else "a part without anything in it"


def _known_fields_of_content(content: JsonObject) -> JsonObject:
    role = {"role": content["role"]} if content.get("role") else {}
    return {"parts": [_known_fields_of_part(part) for part in objs(content.get("parts"))], **role}


def _known_fields_of_part(part: JsonObject) -> JsonObject:
    known = {name: value for name, value in part.items() if name in _PART_FIELDS and value is not None}
    if "functionCall" not in known:
        return known
    call = obj(known["functionCall"])
    return known | {"functionCall": {name: call[name] for name in call if name in _CALL_FIELDS}}


def remember_in_gemini_cli(response: Response) -> Remembered:
    """Keep the parts of all valid events in one content, thoughts left out; a text joins the text before it, of which
    alone the signature stays. An event with a bare empty text among its parts is passed over whole."""
    return _remember_in_cli(response, keeps_thoughts=False)


def remember_in_resumed_gemini_cli(response: Response) -> Remembered:
    """Keep what gemini-cli keeps, and thoughts: its file of the session has them, and they change what it sends."""
    return _remember_in_cli(response, keeps_thoughts=True)


def _remember_in_cli(response: Response, *, keeps_thoughts: bool) -> Remembered:
    parts: list[JsonObject] = []
    thoughts: list[JsonObject] = []
    passed_over: list[str] = []
    events = events_of(response)
    for number, event in enumerate(events, 1):
        content = obj(first_candidate(event).get("content"))
        found = list(objs(content.get("parts")))
        if any(map(_is_bare_empty_text_or_nothing, found)):
            passed_over += [f"event {number} has an empty text beside them"] if len(found) > 1 else []
            continue
        for part in found:
            if part.get("thought") is not True:
                _append_joining_text(parts, part)
            elif keeps_thoughts:
                thoughts.append(part)
    if not parts:
        return Remembered(reason=" and ".join(passed_over) or "no event has anything but thoughts")
    return Remembered(({"role": "model", "parts": thoughts + parts},), reason=" and ".join(passed_over))


def _is_bare_empty_text_or_nothing(part: JsonObject) -> bool:
    """Return whether gemini-cli takes the content with this part for invalid."""
    if not part:
        return True
    return part.get("thought") is not True and part.get("text") == "" and not part.keys() - {"text", "thought"}


def _append_joining_text(parts: list[JsonObject], part: JsonObject) -> None:
    before = parts[-1] if parts else {}
    if text(before.get("text")) and is_text(before) and is_text(part):
        parts[-1] = before | {"text": f"{before['text']}{part['text']}"}
    else:
        parts.append(dict(part))


def is_text(part: JsonObject) -> bool:
    """Return whether a part is a text, empty or not, that is no thought."""
    files_and_calls = {"functionCall", "functionResponse", "inlineData", "fileData"}
    return isinstance(part.get("text"), str) and part.get("thought") is not True and not part.keys() & files_and_calls


def resend_from_gemini_cli(contents: Sequence[JsonObject]) -> list[JsonObject]:
    """Join neighbours of one role, sign the first call of each unsigned model turn since the last question with the
    documented placeholder, give calls without an id one, and leave out texts that are empty."""
    sent = give_ids_to_calls(_join_neighbours(contents))
    start = max((number for number, content in enumerate(sent) if is_question(content)), default=len(sent))
    signed = [*sent[:start], *(sign_first_call(content) for content in sent[start:])]
    return [content | {"parts": _without_empty_texts(objs(content.get("parts")))} for content in signed]


def resend_from_resumed_gemini_cli(contents: Sequence[JsonObject]) -> list[JsonObject]:
    """Send what gemini-cli sends, with every result of an earlier turn twice (``--resume`` after a turn with tools).
    Signatures of earlier turns are not in its file of the session; where an answer had thoughts, the placeholder is."""
    start = max((number for number, content in enumerate(contents) if is_question(content)), default=0)
    read = [_read_from_session_file(content) if number < start else content for number, content in enumerate(contents)]
    sent = resend_from_gemini_cli([content | {"parts": _without_thoughts(content)} for content in read])
    start = max((number for number, content in enumerate(sent) if is_question(content)), default=0)
    return [_repeat_results(content) if number < start else content for number, content in enumerate(sent)]


def _read_from_session_file(content: JsonObject) -> JsonObject:
    parts = [{key: part[key] for key in part if key != "thoughtSignature"} for part in objs(content.get("parts"))]
    has_thoughts = any(part.get("thought") is True for part in parts)
    unsigned = content | {"parts": parts}
    return sign_first_call(unsigned) if has_thoughts else unsigned


def _without_thoughts(content: JsonObject) -> list[JsonObject]:
    return [part for part in objs(content.get("parts")) if part.get("thought") is not True]


def _join_neighbours(contents: Iterable[JsonObject]) -> list[JsonObject]:
    joined: list[JsonObject] = []
    for content in contents:
        if joined and joined[-1].get("role") and joined[-1].get("role") == content.get("role"):
            joined[-1] = joined[-1] | {"parts": [*arr(joined[-1].get("parts")), *arr(content.get("parts"))]}
        else:
            joined.append(dict(content))
    return joined


def is_question(content: JsonObject) -> bool:
    """Return whether a turn begins with this content: the user's text, without results of calls."""
    parts = list(objs(content.get("parts")))
    is_user = content.get("role") == "user" and any(part.get("text") for part in parts)
    return is_user and not any("functionResponse" in part for part in parts)


def sign_first_call(content: JsonObject, placeholder: str = PLACEHOLDER_SIGNATURE) -> JsonObject:
    """Return a content with the placeholder on its first call, where that is the model's and has no signature."""
    parts = [obj(part) for part in arr(content.get("parts"))]
    first = next((number for number, part in enumerate(parts) if "functionCall" in part), None)
    if content.get("role") != "model" or first is None or parts[first].get("thoughtSignature"):
        return content
    parts[first] = parts[first] | {"thoughtSignature": placeholder}
    return content | {"parts": parts}


def give_ids_to_calls(contents: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the contents with an id on each call, and the same on its result: by name, in order."""
    made: dict[str, list[str]] = {}
    count = 0

    def identify(part: JsonObject) -> JsonObject:
        nonlocal count
        call, result = obj(part.get("functionCall")), obj(part.get("functionResponse"))
        name = text(call.get("name") or result.get("name"))
        if call and not call.get("id"):
            count += 1
            made.setdefault(name, []).append(f"{name}_1763900000000_{count}")
            return part | {"functionCall": call | {"id": made[name][-1]}}
        if result and not result.get("id") and made.get(name):
            return part | {"functionResponse": result | {"id": made[name].pop(0)}}
        return part

    return [content | {"parts": [identify(obj(part)) for part in arr(content.get("parts"))]} for content in contents]


def _without_empty_texts(parts: Iterable[JsonObject]) -> list[JsonObject]:
    shortened = (_drop_empty_text(part) if part.keys() - {"text", "thought"} else part for part in parts)
    return [part for part in shortened if not _is_bare_empty_text_or_nothing(part)]


def _drop_empty_text(part: Mapping[str, object]) -> JsonObject:
    return {name: value for name, value in part.items() if name != "text" or value != ""}


def _repeat_results(content: JsonObject) -> JsonObject:
    parts = list(objs(content.get("parts")))
    results = [part for part in parts if "functionResponse" in part]
    return content | {"parts": [*results, *parts]} if content.get("role") == "user" and results else content
