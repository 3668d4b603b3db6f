"""A request in a wire format -> the same request as an ``outcome`` document, for a library with types of its own.

It is what the normaliser reads in the request, in the words of ``wire.own_types_documents``; results that follow each
other stand in one turn, as agents hand them to a library. Where a scenario states a
request in several dialects, the first of SOURCES whose every turn can be said so is taken. What the answers of earlier
turns are to bring stays in it as placeholders, for ``relay`` to replace.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck import normalise
from bridgecheck.errors import HarnessError
from bridgecheck.model.exchange import Request
from bridgecheck.model.jsonvalue import arr, integer, obj, objs
from bridgecheck.model.prompt import OtherPart, Part, Prompt, ResultPart, Turn
from bridgecheck.model.scenario import TurnRequestsAndScripts
from bridgecheck.normalise.outcome.problems import find_object_problems
from bridgecheck.upstream.outcome_document import RECEIVED, SETTINGS, outcome_document
from bridgecheck.wire import DIALECTS, Dialect, JsonObject
from bridgecheck.wire.facts import MOST_SPOKEN, RECORDS

SOURCES: Final[tuple[Dialect, ...]] = (MOST_SPOKEN, *(dialect for dialect in DIALECTS if dialect != MOST_SPOKEN))
"""What most libraries take after comes first."""

_IMPLIED: Final = frozenset({"include_usage"})
"""Settings of the wire that no caller of a library makes."""
_NOTHING: Final = frozenset({"null", '""', "[]", "{}"})


class InexpressibleRequest(HarnessError):
    """The request holds what an ``outcome`` document cannot express: one provider's own feature."""

    code = "no-words"


def first_expressible_dialect(turns: Sequence[TurnRequestsAndScripts]) -> Dialect:
    """Return the dialect from which the requests of these turns are made. Raises InexpressibleRequest, with the
    obstacle in the first dialect that states them all."""
    problems_found: list[InexpressibleRequest] = []
    for dialect in SOURCES:
        stated_turns = [turn.client[dialect] for turn in turns if dialect in turn.client]
        if len(stated_turns) < len(turns):
            continue
        try:
            for text in stated_turns:
                write_outcome_request(Request(dialect, "unary", text.body, text.model, text.headers))
        except InexpressibleRequest as error:
            problems_found.append(error)
        else:
            return dialect
    raise problems_found[0] if problems_found else InexpressibleRequest("no dialect states every turn")


def write_outcome_request(request: Request) -> JsonObject:
    """Return the document of a request. Raises InexpressibleRequest."""
    body = write_placeholders_as_text(request.body, request.dialect)
    prompt = normalise.request(Request(request.dialect, request.mode, body, request.model, request.headers))
    prompt = _join_turns_of_results(rewrite_gemini_forms(prompt))
    missing = next(_find_inexpressible(prompt), "")
    if missing:
        raise InexpressibleRequest(f"an outcome document has no word for {missing}")
    document_made = outcome_document(prompt, body)
    stated_turns = [turn for turn in objs(document_made["turns"]) if "$received" not in turn]
    problems_found = find_object_problems("request", document_made | {"turns": stated_turns})
    if problems_found:
        raise InexpressibleRequest(f"an outcome document cannot say {problems_found[0]}")
    return document_made


def write_placeholders_as_text(body: JsonObject, dialect: Dialect) -> JsonObject:
    """Return the request with a message of the text ``$received:N`` in place of each placeholder for a response."""
    key = RECORDS[dialect].turns_member
    messages = [_write_placeholder_as_text(message, dialect) for message in arr(body.get(key))]
    return body | {key: messages} if messages else body


def _write_placeholder_as_text(message: object, dialect: Dialect) -> object:
    if not isinstance(message, dict) or "$received" not in message:
        return message
    return normalise.text_message(dialect, "assistant", f"{RECEIVED}{integer(message['$received']) or 0}")


def _find_inexpressible(prompt: Prompt) -> Iterator[str]:
    """Yield what is one provider's own: fields, settings, tools that it runs, parts and headers."""
    yield from (path for path, value in prompt.other if not path.startswith("stream") and value not in _NOTHING)
    yield from (name for name, _ in prompt.settings if name not in SETTINGS | _IMPLIED)
    yield from (f"the tool {tool.name}" for tool in prompt.tools or () if tool.builtin)
    yield from (f"a part {part.kind}" for turn in prompt.turns for part in turn.parts if isinstance(part, OtherPart))
    yield from (f"the header {name}" for name in prompt.features)


def _join_turns_of_results(prompt: Prompt) -> Prompt:
    """Return the prompt with one turn for results that follow each other: a message for each is Chat's own form."""
    turns: list[Turn] = []
    for turn in prompt.turns:
        if turns and _holds_only_results(turns[-1]) and _holds_only_results(turn):
            turns[-1] = replace(turns[-1], parts=(*turns[-1].parts, *turn.parts))
        else:
            turns.append(turn)
    return replace(prompt, turns=tuple(turns))


def _holds_only_results(turn: Turn) -> bool:
    return bool(turn.parts) and all(isinstance(part, ResultPart) for part in turn.parts)


DEEPEST: Final = 60
"""Levels of a schema that are rewritten."""

_GEMINI_KEYWORDS: Final = frozenset({"propertyOrdering", "nullable"})
_BOUNDS: Final = frozenset({"maxItems", "minItems", "maxLength", "minLength", "minProperties", "maxProperties"})
_SCHEMA_KEYWORDS: Final = frozenset({"items", "additionalProperties"})
_SCHEMA_MAP_KEYWORDS: Final = frozenset({"properties", "$defs"})
_SCHEMA_LIST_KEYWORDS: Final = frozenset({"anyOf", "prefixItems"})


def rewrite_gemini_forms(prompt: Prompt) -> Prompt:
    """Return the prompt with schemas as JSON Schema and results without a wrapper; those of other dialects are so
    already.

    Gemini writes schemas as OpenAPI does, and wraps what a function returned: ``{"output": x}``, or ``{"error": x}``.
    Sources: https://ai.google.dev/api/caching#Schema and #FunctionResponse (stored copies read 2026-11-21).
    """
    if prompt.dialect != "gemini":
        return prompt
    form = prompt.response_format
    return replace(
        prompt,
        tools=prompt.tools and tuple(replace(tool, schema=_schema_from_gemini(tool.schema)) for tool in prompt.tools),
        response_format=form and replace(form, schema=_schema_from_gemini(form.schema)),
        turns=tuple(replace(turn, parts=tuple(map(_unwrap_output_or_flag_error, turn.parts))) for turn in prompt.turns),
    )


def _unwrap_output_or_flag_error(part: Part) -> Part:
    """Return a result without its wrapper. An error is marked as one; its value stays, wrapper and all."""
    if not isinstance(part, ResultPart) or not isinstance(part.value, dict) or len(part.value) != 1:
        return part
    if "output" in part.value:
        return replace(part, value=part.value["output"])
    return replace(part, is_error=True) if "error" in part.value else part


def _schema_from_gemini(schema: JsonObject | None) -> JsonObject | None:
    return None if schema is None else obj(_schema_node_from_gemini(schema, 0))


def _schema_node_from_gemini(value: object, depth: int) -> object:
    if not isinstance(value, dict) or depth > DEEPEST:
        return value
    remaining = [(key, content) for key, content in obj(value).items() if key not in _GEMINI_KEYWORDS]
    node = {key: _schema_keyword_from_gemini(key, content, depth + 1) for key, content in remaining}
    if node.get("format") == "enum":
        del node["format"]
    if value.get("nullable") is True and isinstance(node.get("type"), str):
        node["type"] = [node["type"], "null"]
        node |= {"enum": [*arr(node["enum"]), None]} if "enum" in node else {}
    elif value.get("nullable") is True and isinstance(node.get("anyOf"), list):
        node["anyOf"] = [*arr(node["anyOf"]), {"type": "null"}]
    return node


def _schema_keyword_from_gemini(key: str, content: object, depth: int) -> object:
    if key == "type" and isinstance(content, str):
        return content.lower()
    if key in _BOUNDS and isinstance(content, str) and content.isdigit():
        return int(content)
    if key in _SCHEMA_KEYWORDS:
        return _schema_node_from_gemini(content, depth)
    if key in _SCHEMA_LIST_KEYWORDS and isinstance(content, list):
        return [_schema_node_from_gemini(member, depth) for member in content]
    if key in _SCHEMA_MAP_KEYWORDS and isinstance(content, dict):
        return {name: _schema_node_from_gemini(member, depth) for name, member in content.items()}
    return content
