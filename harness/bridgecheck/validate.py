"""Is this document one its dialect allows? Violations as text; nothing is changed and nothing is raised.

A strict pass over the TypedDicts of ``wire`` (unknown keys are allowed, wrong types are not), and a few rules that
types cannot express. A list whose members differ by a tag (``type``, ``role``) is checked member by member against the
type its tag names, so that a violation is one statement; an unknown tag is let through, except a message's role."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from bridgecheck.codec.camel_case import camel_case_api_keys, respell_request
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck.wire import anthropic_documents as anthropic
from bridgecheck.wire import gemini_documents as gemini
from bridgecheck.wire import openai_chat_documents as openai

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Location: TypeAlias = tuple[str | int, ...]
Violations: TypeAlias = Iterator[tuple[Location, str]]
Validator: TypeAlias = Callable[[JsonObject], Violations]
Shape: TypeAlias = type

BLOCKS: Final[dict[str, Shape]] = {
    "text": anthropic.TextBlock, "thinking": anthropic.ThinkingBlock,
    "redacted_thinking": anthropic.RedactedThinkingBlock, "tool_use": anthropic.ToolUseBlock,
    "tool_result": anthropic.ToolResultBlock, "image": anthropic.ImageBlock, "document": anthropic.DocumentBlock,
}  # fmt: skip
EVENTS: Final[dict[str, Shape]] = {
    "message_start": anthropic.MessageStart, "content_block_start": anthropic.ContentBlockStart,
    "content_block_delta": anthropic.ContentBlockDelta, "content_block_stop": anthropic.ContentBlockStop,
    "message_delta": anthropic.MessageDelta, "message_stop": anthropic.MessageStop, "ping": anthropic.Ping,
    "error": anthropic.ErrorDocument,
}  # fmt: skip
DELTAS: Final[dict[str, Shape]] = {
    "text_delta": anthropic.TextDelta, "input_json_delta": anthropic.InputJsonDelta,
    "thinking_delta": anthropic.ThinkingDelta, "signature_delta": anthropic.SignatureDelta,
    "citations_delta": anthropic.CitationsDelta,
}  # fmt: skip
MESSAGES: Final[dict[str, Shape]] = {
    "system": openai.SystemMessage, "developer": openai.SystemMessage, "user": openai.UserMessage,
    "assistant": openai.AssistantMessage, "tool": openai.ToolMessage, "function": openai.FunctionMessage,
}  # fmt: skip
CONTENT: Final[dict[str, Shape]] = {
    "text": openai.TextContent, "image_url": openai.ImageContent, "input_audio": openai.AudioContent,
    "file": openai.FileContent, "refusal": openai.RefusalContent,
}  # fmt: skip
CALLS: Final[dict[str, Shape]] = {"function": openai.ToolCall, "custom": openai.CustomToolCall, "": openai.ToolCall}

ERRORS: Final[dict[Dialect, Shape]] = {
    "gemini": gemini.ErrorDocument, "openai-chat": openai.ErrorDocument, "anthropic": anthropic.ErrorDocument,
}  # fmt: skip
GEMINI_ROLES: Final = ("user", "model", "function")
"""``function`` is the older API's word for results, still taken."""
GEMINI_KEYS: Final = frozenset(gemini.GenerateContentResponse.__annotations__)


def response(dialect: Dialect, mode: Mode, document: object) -> list[str]:
    """What is wrong with one answer document (unary) or one event (stream): ``path: what``. [] if nothing is."""
    if dialect == "gemini":
        document = _without_nulls(camel_case_api_keys(document))
    if not isinstance(document, dict):
        return [f"(document): should be an object, is {_json_kind(document)}"]
    if document.get("error") is not None:
        return _first_violation_line_per_location(_check_shape(ERRORS[dialect], document, ()))
    return _first_violation_line_per_location(_RESPONSES[dialect, mode](obj(document)))


def _without_nulls(value: object) -> object:
    """Without those that are null: ProtoJSON, in which Gemini answers, takes them for absent, and so do Google's SDKs
    (https://protobuf.dev/programming-guides/json/, read 2026-11-22)."""
    if isinstance(value, dict):
        return {key: _without_nulls(member) for key, member in value.items() if member is not None}
    return [_without_nulls(member) for member in value] if isinstance(value, list) else value


def request(dialect: Dialect, body: JsonObject) -> list[str]:
    """What is wrong with one generating request, whose model and mode may stand in the path (Gemini)."""
    document = respell_request(body) if dialect == "gemini" else body
    return _first_violation_line_per_location(_REQUESTS[dialect](document))


def _check_gemini_response(document: JsonObject) -> Violations:
    yield from _check_shape(gemini.GenerateContentResponse, document, ())
    if document and not GEMINI_KEYS & document.keys():
        yield (), "has no key of a Gemini answer"
    for at, candidate in _located_objects(document, "candidates"):
        yield from _check_empty_parts(obj(candidate.get("content")), (*at, "content"))


def _check_gemini_request(document: JsonObject) -> Violations:
    yield from _check_shape(gemini.GenerateContentRequest, document, ())
    for at, content in _located_objects(document, "contents"):
        yield from _check_empty_parts(content, at)
        is_of_results = any("functionResponse" in obj(part) for part in arr(content.get("parts")))
        roles = (*GEMINI_ROLES, "tool") if is_of_results else GEMINI_ROLES  # tool: accept/gemini.py
        if isinstance(role := content.get("role"), str) and role not in roles:
            yield (*at, "role"), f"is none of {', '.join(GEMINI_ROLES)}"


def _check_empty_parts(content: JsonObject, at: Location) -> Violations:
    """A part is a union of which one member has to be there."""
    for position, part in enumerate(arr(content.get("parts"))):
        if part == {}:
            yield (*at, "parts", position), "says nothing: an empty part"


def _check_openai_unary(document: JsonObject) -> Violations:
    if "choices" not in document:  # most often a host's own form of an error
        yield (), "has neither choices nor error"
        return
    yield from _check_shape(openai.ChatCompletion, document, ())
    for at, choice in _located_objects(document, "choices"):
        yield from _check_list_where_type_known(obj(choice.get("message")), (*at, "message"), "tool_calls", CALLS)


def _check_openai_request(document: JsonObject) -> Violations:
    yield from _check_shape(openai.ChatRequest, document, ())
    for at, message in _located_objects(document, "messages"):
        shape = MESSAGES.get(text(message.get("role")))
        if shape is None:
            yield (*at, "role"), f"is none of {', '.join(MESSAGES)}"
            continue
        yield from _check_shape(shape, message, at)
        yield from _check_list_where_type_known(message, at, "content", CONTENT)
        yield from _check_list_where_type_known(message, at, "tool_calls", CALLS)
    for at, tool in _located_objects(document, "tools"):
        if tool.get("type") == "function" and "function" not in tool:
            yield (*at, "function"), "is missing"


def _check_anthropic_unary(document: JsonObject) -> Violations:
    yield from _check_shape(anthropic.Message, document, ())
    yield from _check_list_where_type_known(document, (), "content", BLOCKS)


def _check_anthropic_event(document: JsonObject) -> Violations:
    kind = text(document.get("type"))
    if not kind:
        yield ("type",), "is missing"
    elif kind in EVENTS:
        yield from _check_shape(EVENTS[kind], document, ())
    if kind == "content_block_start":
        yield from _check_object_where_type_known(document, "content_block", BLOCKS)
    if kind == "content_block_delta":
        yield from _check_object_where_type_known(document, "delta", DELTAS)
    if kind == "message_start":
        yield from _check_list_where_type_known(obj(document.get("message")), ("message",), "content", BLOCKS)


def _check_anthropic_request(document: JsonObject) -> Violations:
    yield from _check_shape(anthropic.MessagesRequest, document, ())
    yield from _check_list_where_type_known(document, (), "system", BLOCKS)
    for at, message in _located_objects(document, "messages"):
        yield from _check_list_where_type_known(message, at, "content", BLOCKS)


_RESPONSES: Final[dict[tuple[Dialect, Mode], Validator]] = {
    ("gemini", "unary"): _check_gemini_response, ("gemini", "stream"): _check_gemini_response,
    ("openai-chat", "unary"): _check_openai_unary,
    ("openai-chat", "stream"): lambda document: _check_shape(openai.ChatCompletionChunk, document, ()),
    ("anthropic", "unary"): _check_anthropic_unary, ("anthropic", "stream"): _check_anthropic_event,
}  # fmt: skip
_REQUESTS: Final[dict[Dialect, Validator]] = {
    "gemini": _check_gemini_request, "openai-chat": _check_openai_request, "anthropic": _check_anthropic_request,
}  # fmt: skip


def _located_objects(document: JsonObject, key: str) -> Iterator[tuple[Location, JsonObject]]:
    """(where, member) of a list of objects; the typed pass has reported anything else."""
    for position, member in enumerate(arr(document.get(key))):
        if isinstance(member, dict):
            yield (key, position), obj(member)


def _check_list_where_type_known(holder: JsonObject, at: Location, key: str, shapes: Mapping[str, Shape]) -> Violations:
    """Check members of a list, each against the shape that its ``type`` names."""
    for where, member in _located_objects(holder, key):
        shape = shapes.get(text(member.get("type")))
        if shape is not None:
            yield from _check_shape(shape, member, (*at, *where))


def _check_object_where_type_known(document: JsonObject, key: str, shapes: Mapping[str, Shape]) -> Violations:
    member = obj(document.get(key))
    shape = shapes.get(text(member.get("type")))
    if shape is not None:
        yield from _check_shape(shape, member, (key,))


def _check_shape(shape: Shape, document: object, at: Location) -> Violations:
    """Yield what pydantic finds. A union reports each branch; all have one location and are reported as one."""
    from pydantic import ValidationError

    try:
        _type_adapter(shape).validate_python(document, strict=True)
    except ValidationError as validation_error:
        for detail in validation_error.errors(include_url=False, include_input=False, include_context=False):
            where = _document_location(document, detail["loc"])
            missing = detail["type"] == "missing"
            actual = _json_kind(_value_at(document, where))
            yield (*at, *where), "is missing" if missing else f"{detail['msg']}, is {actual}"


@cache
def _type_adapter(shape: Shape) -> "TypeAdapter[object]":
    """Built when first needed: a dialect costs 10-30 ms, and most runs need one or two."""
    from pydantic import TypeAdapter

    return TypeAdapter(shape)


def _document_location(document: object, pydantic_location: Iterable[str | int]) -> Location:
    """Return the steps of pydantic's location that are in the document: names of union branches are left out."""
    where: list[str | int] = []
    value = document
    for step in pydantic_location:
        if isinstance(step, int) and isinstance(value, list) and step < len(value):
            value = value[step]
        elif isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        else:
            continue
        where.append(step)
    return tuple(where)


def _value_at(document: object, location: Location) -> object:
    value = document
    for step in location:
        value = obj(value).get(step) if isinstance(step, str) else arr(value)[step]
    return value


def _first_violation_line_per_location(violations: Violations) -> list[str]:
    """Return one line for each location, with the first violation there."""
    lines: dict[str, str] = {}
    for location, what in violations:
        lines.setdefault(_location_path(location), what)
    return [f"{path}: {what}" for path, what in lines.items()]


def _location_path(location: Location) -> str:
    """Return it as ``choices[0].message``."""
    made = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return made.removeprefix(".") or "(document)"


def _json_kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "a boolean", int: "a number", float: "a number"}
    return "null" if value is None else kinds.get(type(value), type(value).__name__)
