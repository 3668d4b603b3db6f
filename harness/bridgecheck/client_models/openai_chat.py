"""Clients that speak OpenAI Chat: the SDKs' stream helpers, and frameworks above them.

Read in openai 3.52.0 (``lib/streaming``), openai 7.55.0 for JavaScript (``ChatCompletionStream``), openai-agents 0.24.0
(``chatcmpl_converter``), langchain-openai 1.7.3, @ai-sdk/openai-compatible 3.0.92 and @ai-sdk/openai 4.0.118 with ai
7.0.173, pydantic-ai 2.68.0 and opencode (``provider/transform.ts``), 2026-11-23; the frameworks were measured too,
against a scripted provider."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from bridgecheck import normalise
from bridgecheck.client_models.model import Remembered, events_of
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import arr, integer, obj, objs, parse_json, text
from bridgecheck.wire import JsonObject

NO_CHOICE: Final = "there is no choice in it"


def _deltas(response: Response) -> Iterator[JsonObject]:
    """Yield the deltas of choice 0."""
    for event in events_of(response):
        for choice in objs(event.get("choices")):
            if not choice.get("index"):
                yield obj(choice.get("delta"))


def _message(response: Response) -> JsonObject:
    """Return the assistant message of choice 0, {} if there is none."""
    documents = [normalise.fold(response.dialect, response.documents)] if response.mode == "stream" else None
    document = documents[0] if documents else next(iter(events_of(response)), {})
    return obj(next(objs(document.get("choices")), {}).get("message"))


def show_content(response: Response) -> str:
    """Return ``message.content``, or the pieces of ``delta.content``."""
    if response.mode == "stream":
        return "".join(_text_of(delta.get("content")) for delta in _deltas(response))
    return _text_of(_message(response).get("content"))


def _text_of(content: object) -> str:
    return text(content) or "".join(text(part.get("text")) for part in objs(content))


_ABSENT_IN_HELPER: Final[JsonObject] = dict.fromkeys(
    ("content", "refusal", "annotations", "audio", "function_call", "tool_calls")
)
"""Members that the message of a stream helper has in any case, null where nothing came."""


class _Raises(Exception):
    """The client raises while it reads the stream."""


def remember_in_python_helper(response: Response) -> Remembered:
    """Keep the message with every member; deltas of a stream are put together by the rules of the helper: texts run on,
    ids and names that are repeated too, and lists of objects need an index."""
    if response.mode != "stream":
        return _remember_message(_message(response))
    message: JsonObject = {}
    try:
        for delta in _deltas(response):
            message = _add_delta(message, delta)
    except _Raises as error:
        return Remembered(reason=f"the client raises: {error}")
    # Hosts repeat the role in every chunk; run together it would be no role, which is held against nobody.
    return _remember_message(_ABSENT_IN_HELPER | message | {"role": "assistant"} if message else {})


def _add_delta(message: JsonObject, delta: JsonObject) -> JsonObject:
    added = dict(message)
    for name, value in delta.items():
        before = added.get(name)
        is_indexed = any("index" in entry for entry in objs(value))
        if (before is None and not is_indexed) or name in ("index", "type"):
            added[name] = value
        elif isinstance(before, str) and isinstance(value, str):
            added[name] = before + value
        elif isinstance(before, dict) and isinstance(value, dict):
            added[name] = _add_delta(before, value)
        elif isinstance(value, list):
            added[name] = _add_entries(name, arr(before), value)
    return added


def _add_entries(name: str, before: list[object], entries: list[object]) -> list[object]:
    added = list(before)
    if not any(isinstance(entry, dict) for entry in (*before, *entries)):
        return [*added, *entries]
    for entry in entries:
        index = integer(obj(entry).get("index"))
        if index is None:
            raise _Raises(f"an entry of {name} has no index")
        if -len(added) <= index < len(added):  # some hosts count from -1
            added[index] = _add_delta(obj(added[index]), obj(entry))
        else:
            added.insert(index, entry)
    return added


def remember_in_node_helper(response: Response) -> Remembered:
    """Keep the message with every member; of those that the helper does not know the last piece alone. A call without
    an id gets one."""
    if response.mode != "stream":
        return _remember_message(_message(response))
    message: JsonObject = {}
    calls: dict[int, JsonObject] = {}
    for delta in _deltas(response):
        rest = {name: value for name, value in delta.items() if name not in _NODE_FIELDS}
        message |= rest | ({"role": delta["role"]} if delta.get("role") else {})
        for name in ("content", "refusal"):
            if isinstance(delta.get(name), str):
                message[name] = text(message.get(name)) + text(delta[name])
        for piece in objs(delta.get("tool_calls")):
            index = integer(piece.get("index"))
            if index is None or index < 0:
                return Remembered(reason="the client raises: a tool call has no index")
            calls[index] = _add_call_piece(calls.get(index, {}), piece)
    if message and not message.get("role"):
        return Remembered(reason="the client raises: missing role for choice 0")
    for index, call in sorted(calls.items()):
        missing = next((name for name in ("type", "function") if not call.get(name)), "")
        if missing:
            return Remembered(reason=f"the client raises: missing tool_calls[{index}].{missing}")
    if calls:
        message = message | {"tool_calls": [{"id": f"call_{index}"} | call for index, call in sorted(calls.items())]}
    return _remember_message({"content": None, "refusal": None} | message if message else {})


_NODE_FIELDS: Final = frozenset({"audio", "content", "refusal", "function_call", "role", "tool_calls"})


def _add_call_piece(call: JsonObject, piece: JsonObject) -> JsonObject:
    rest = {name: value for name, value in piece.items() if name not in ("index", "function", "id", "type")}
    named = {name: piece[name] for name in ("id", "type") if piece.get(name)}
    added = call | rest | named
    if isinstance(piece.get("function"), dict):
        before, function = obj(call.get("function")), obj(piece["function"])
        name = text(function.get("name")) or text(before.get("name"))
        added["function"] = {
            "name": name, "arguments": text(before.get("arguments")) + text(function.get("arguments")),
        }  # fmt: skip
    return added


def _remember_message(message: JsonObject) -> Remembered:
    return Remembered((message,)) if message else Remembered(reason=NO_CHOICE)


def remember_in_agents(response: Response) -> Remembered:
    """Keep text, refusal and calls in one message; of other members the signature of a call, where the name of the
    model has gemini in it."""
    message = _message(response)
    is_gemini = any("gemini" in text(event.get("model")).lower() for event in events_of(response))
    preserved: JsonObject = {"role": "assistant"}
    if message.get("refusal"):
        preserved["refusal"] = message["refusal"]
    if message.get("content"):
        preserved["content"] = message["content"]
    calls = [_call(call, text(_function(call).get("arguments")) or "{}")
             | (_google_signature(call) if is_gemini else {})
             for call in objs(message.get("tool_calls"))]  # fmt: skip
    if calls:
        preserved = {"content": None} | preserved | {"tool_calls": calls}
    return Remembered((preserved,)) if len(preserved) > 1 else Remembered(reason="it has neither text nor calls")


def _extra_content(call: JsonObject) -> JsonObject:
    return {"extra_content": call["extra_content"]} if call.get("extra_content") else {}


def _google_signature(call: JsonObject) -> JsonObject:
    signature = obj(obj(call.get("extra_content")).get("google")).get("thought_signature")
    return {"extra_content": {"google": {"thought_signature": signature}}} if signature else {}


def remember_in_langchain(response: Response) -> Remembered:
    """Keep text and calls, with the arguments written anew, spaces behind colons and commas."""
    message = _message(response)
    if not message:
        return Remembered(reason=NO_CHOICE)
    calls = [_call(call, _rewrite_arguments(call, (", ", ": "))) for call in objs(message.get("tool_calls"))]
    content = message.get("content") or ""
    return Remembered(({"content": content or None if calls else content, "role": "assistant",
                        **({"tool_calls": calls} if calls else {})},))  # fmt: skip


def remember_in_vercel(response: Response) -> Remembered:
    """Keep text, a refusal as text, reasoning and calls with the signature of Google's endpoint, the arguments written
    anew; empty text is left out."""
    message = _message(response)
    reasoning = text(message.get("reasoning_content")) or text(message.get("reasoning"))
    return _remember_in_vercel(message, {"reasoning_content": reasoning} if reasoning else {}, _google_signature)


def remember_in_vercel_openai(response: Response) -> Remembered:
    """Keep text, a refusal as text, and id, name and arguments of calls, these written anew; empty text is left out."""
    return _remember_in_vercel(_message(response), {}, lambda call: {})


def _remember_in_vercel(
    message: JsonObject, reasoning: JsonObject, find_signature: Callable[[JsonObject], JsonObject]
) -> Remembered:
    if not message:
        return Remembered(reason=NO_CHOICE)
    visible = _text_of(message.get("content")) + text(message.get("refusal"))
    calls = [_call(call, _rewrite_arguments(call, (",", ":"))) | find_signature(call)
             for call in objs(message.get("tool_calls"))]  # fmt: skip
    if not (visible or reasoning or calls):
        return Remembered(reason="it has neither text nor calls")
    preserved: JsonObject = {"role": "assistant", "content": visible or None if calls else visible} | reasoning
    return Remembered((preserved | ({"tool_calls": calls} if calls else {}),))


def remember_in_pydantic_ai(response: Response) -> Remembered:
    """Keep text, the reasoning in its field, and calls with their ``extra_content``, the arguments written anew."""
    message = _message(response)
    visible = _text_of(message.get("content"))
    calls = [_call(call, _rewrite_arguments(call, (",", ":"))) | _extra_content(call)
             for call in objs(message.get("tool_calls"))]  # fmt: skip
    if not (visible or calls):
        return Remembered(reason="it has neither text nor calls")
    reasoning = text(message.get("reasoning_content"))
    preserved: JsonObject = {"role": "assistant", **({"reasoning_content": reasoning} if reasoning else {})}
    return Remembered((preserved | {"content": visible or None} | ({"tool_calls": calls} if calls else {}),))


def _function(call: JsonObject) -> JsonObject:
    return obj(call.get("function"))


def _call(call: JsonObject, arguments: str) -> JsonObject:
    """Return a call with what every framework keeps of it."""
    function = {"name": _function(call).get("name"), "arguments": arguments}
    return {"id": call.get("id"), "type": "function", "function": function}


def _rewrite_arguments(call: JsonObject, separators: tuple[str, str]) -> str:
    """Return the arguments as a framework writes them that has read them; what it cannot read as it stands."""
    written = text(_function(call).get("arguments"))
    try:
        value = parse_json(written or "{}")
    except ValueError:
        return written
    return json.dumps(value, ensure_ascii=False, separators=separators)


def resend_one_call_a_message(messages: Sequence[JsonObject]) -> list[JsonObject]:
    """Send each of several calls in an assistant message of its own, the text copied, with its result behind it."""
    results = {message.get("tool_call_id"): message for message in messages if message.get("role") == "tool"}
    sent: list[JsonObject] = []
    moved: list[JsonObject] = []
    for message in messages:
        calls = list(objs(message.get("tool_calls")))
        if message in moved:
            continue
        if len(calls) < 2:
            sent.append(message)
            continue
        for call in calls:
            sent.append(message | {"tool_calls": [call]})
            result = results.get(call.get("id"))
            if result is not None:
                sent.append(result)
                moved.append(result)
    return sent


_NO_LETTER: Final = re.compile("[^a-zA-Z0-9_-]")


def resend_with_plain_ids(messages: Sequence[JsonObject]) -> list[JsonObject]:
    """Send every call id with an underscore for what is no letter, digit, dash or underscore."""
    return [_plain_ids(message) for message in messages]


def _plain_ids(message: JsonObject) -> JsonObject:
    if isinstance(message.get("tool_call_id"), str):
        return message | {"tool_call_id": _NO_LETTER.sub("_", text(message["tool_call_id"]))}
    if not message.get("tool_calls"):
        return message
    calls = objs(message["tool_calls"])
    return message | {"tool_calls": [call | {"id": _NO_LETTER.sub("_", text(call.get("id")))} for call in calls]}
