"""What the Gemini API refuses.

Sources, read 2026-11-21 in stored copies: https://ai.google.dev/api/generate-content,
https://ai.google.dev/api/caching#Schema, #FunctionCall and #FunctionResponse."""

import re
from collections.abc import Iterator
from typing import Final

from bridgecheck.accept.rule import FieldPath, LocatedObject, Rule, foreign_key_finder, located_members
from bridgecheck.accept.schemas import NO_TARGET, find_references_to_nothing, walk_schema
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

_CONTENT_DOC: Final = "https://ai.google.dev/api/generate-content (stored copy read 2026-11-21)"
_SCHEMA_DOC: Final = "https://ai.google.dev/api/caching#Schema (stored copy read 2026-11-21)"
_CALL_DOC: Final = "https://ai.google.dev/api/caching#FunctionResponse (stored copy read 2026-11-21)"

_GEMINI_3: Final = "https://ai.google.dev/gemini-api/docs/gemini-3 (as https://hexdocs.pm/gemini_ex quotes it)"
_CACHED: Final = "https://ai.google.dev/gemini-api/docs/caching"
_COUNT: Final = (
    "Google's own words in https://github.com/earendil-works/pi/issues/5528 and"
    " https://github.com/cloudwego/eino-ext/issues/571 (read 2026-11-21)"
)
_ROLE: Final = (
    "https://ai.google.dev/api/caching#Content, against the README of google-genai, whose examples send results with"
    " role='tool' (https://github.com/googleapis/python-genai, read 2026-11-23)"
)
_MODE: Final = (
    "https://ai.google.dev/api/caching#FunctionCallingConfig and https://github.com/langchain-ai/langchainjs/pull/11323,"
    " against the recording ruby_llm/0376, where any forced a call (read 2026-11-23)"
)
_UNKNOWN: Final = "https://github.com/diegosouzapw/OmniRoute/issues/13464 (read 2026-11-21)"

_NOT_IN_SCHEMA: Final = frozenset({"$schema", "additionalProperties", "additional_properties"})
"""Keys that the Schema of ``parameters`` does not know; ``parametersJsonSchema`` takes them."""

_SIBLINGS: Final = (
    "https://ai.google.dev/api/generate-content#generationconfig, responseJsonSchema; of functions Google's refusal in"
    " https://github.com/su-kaka/gcli2api/pull/374 and"
    " https://github.com/anomalyco/opencode/issues/12295 (read 2026-11-23)"
)
_REFERENCE: Final = (
    "Google's own words in https://github.com/vercel/ai/issues/14369 and"
    " https://github.com/router-for-me/CLIProxyAPI/issues/6065 (read 2026-11-23)"
)


def _value_in_either_case(value: JsonObject, camel: str, snake: str) -> object:
    return value.get(camel, value.get(snake))


def _located_parts(body: JsonObject) -> Iterator[LocatedObject]:
    for path, content in located_members(body, "contents"):
        yield from located_members(content, "parts", path)


def _located_results(body: JsonObject) -> Iterator[LocatedObject]:
    for path, part in _located_parts(body):
        found = _value_in_either_case(part, "functionResponse", "function_response")
        if found is not None:
            yield f"{path}.functionResponse", obj(found)


def _located_declarations(body: JsonObject) -> Iterator[LocatedObject]:
    for at, tool in enumerate(arr(body.get("tools"))):
        found = arr(_value_in_either_case(obj(tool), "functionDeclarations", "function_declarations"))
        for index, declaration in enumerate(found):
            yield f"tools[{at}].functionDeclarations[{index}]", obj(declaration)


def _find_mode_in_small_letters(body: JsonObject) -> Iterator[FieldPath]:
    config = obj(_value_in_either_case(body, "toolConfig", "tool_config"))
    mode = text(obj(_value_in_either_case(config, "functionCallingConfig", "function_calling_config")).get("mode"))
    if mode != mode.upper():
        yield "toolConfig.functionCallingConfig.mode"


def _find_missing_contents(body: JsonObject) -> Iterator[FieldPath]:
    if not arr(body.get("contents")) and not isinstance(body.get("contents"), str):
        yield "contents"


def _find_results_with_role_tool(body: JsonObject) -> Iterator[FieldPath]:
    for path, content in located_members(body, "contents"):
        if content.get("role") == "tool":
            yield f"{path}.role"


def _find_results_not_objects(body: JsonObject) -> Iterator[FieldPath]:
    for path, found in _located_results(body):
        if "response" in found and not isinstance(found["response"], dict):
            yield f"{path}.response"


def _find_args_not_objects(body: JsonObject) -> Iterator[FieldPath]:
    for path, part in _located_parts(body):
        call = obj(_value_in_either_case(part, "functionCall", "function_call"))
        if call.get("args") is not None and not isinstance(call["args"], dict):
            yield f"{path}.functionCall.args"


def _find_unknown_schema_keywords(body: JsonObject) -> Iterator[FieldPath]:
    for path, node in _located_parameter_schemas(body):
        yield from (f"{path}.{key}" for key in node if key in _NOT_IN_SCHEMA)


def _find_tools_with_both_schemas(body: JsonObject) -> Iterator[FieldPath]:
    for path, found in _located_declarations(body):
        if found.get("parameters") and _value_in_either_case(found, "parametersJsonSchema", "parameters_json_schema"):
            yield f"{path}.parametersJsonSchema"


def _located_parameter_schemas(body: JsonObject) -> Iterator[LocatedObject]:
    for path, found in _located_declarations(body):
        if isinstance(found.get("parameters"), dict):
            yield from walk_schema(f"{path}.parameters", obj(found["parameters"]))


def _located_json_schemas(body: JsonObject) -> Iterator[LocatedObject]:
    for path, found in _located_declarations(body):
        schema = _value_in_either_case(found, "parametersJsonSchema", "parameters_json_schema")
        if isinstance(schema, dict):
            yield f"{path}.parametersJsonSchema", obj(schema)


_BESIDE_REFERENCES: Final = frozenset({"description", "default"})
"""What Google's refusal of other siblings in the schema of a function allows."""


def _find_siblings_of_references(body: JsonObject) -> Iterator[FieldPath]:
    """Yield references of JSON schemas with siblings, but for those that begin with ``$``."""
    config = _generation_config(body)
    response_schema = _value_in_either_case(config, "responseJsonSchema", "response_json_schema")
    schemas = [(path, schema, _BESIDE_REFERENCES) for path, schema in _located_json_schemas(body)]
    schemas.append(("generationConfig.responseJsonSchema", obj(response_schema), frozenset()))
    for path, schema, allowed in schemas:
        for node_path, node in walk_schema(path, schema):
            siblings = [key for key in node if not key.startswith("$") and key not in allowed]
            if isinstance(node.get("$ref"), str) and siblings:
                yield f"{node_path}.$ref"


def _find_results_with_references(body: JsonObject) -> Iterator[FieldPath]:
    """Yield results in which a key ``$ref`` names no file of the result."""
    for path, found in _located_results(body):
        blobs = (_value_in_either_case(obj(part), "inlineData", "inline_data") for part in arr(found.get("parts")))
        names = {text(_value_in_either_case(obj(blob), "displayName", "display_name")) for blob in blobs}
        if any(reference not in names for reference in _references_in(found.get("response"))):
            yield f"{path}.response"


def _references_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield text(value["$ref"])
        for item in value.values():
            yield from _references_in(item)
    for item in arr(value):
        yield from _references_in(item)


_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")


def _find_bad_tool_names(body: JsonObject) -> Iterator[FieldPath]:
    named = ((path, text(found.get("name"))) for path, found in _located_declarations(body))
    return (f"{path}.name" for path, name in named if not _NAME.fullmatch(name))


def _generation_config(body: JsonObject) -> JsonObject:
    return obj(_value_in_either_case(body, "generationConfig", "generation_config"))


def _find_level_beside_budget(body: JsonObject) -> Iterator[FieldPath]:
    thinking = obj(_value_in_either_case(_generation_config(body), "thinkingConfig", "thinking_config"))
    level = _value_in_either_case(thinking, "thinkingLevel", "thinking_level")
    budget = _value_in_either_case(thinking, "thinkingBudget", "thinking_budget")
    if level is not None and budget is not None:
        yield "generationConfig.thinkingConfig.thinkingBudget"


def _find_schema_without_mime_type(body: JsonObject) -> Iterator[FieldPath]:
    found = _generation_config(body)
    mime = _value_in_either_case(found, "responseMimeType", "response_mime_type")
    for camel, snake in (("responseSchema", "response_schema"), ("responseJsonSchema", "response_json_schema")):
        if _value_in_either_case(found, camel, snake) is not None and mime not in ("application/json", "text/x.enum"):
            yield f"generationConfig.{camel}"


def _find_fields_beside_cache(body: JsonObject) -> Iterator[FieldPath]:
    if _value_in_either_case(body, "cachedContent", "cached_content"):
        pairs = (("systemInstruction", "system_instruction"), ("tools", "tools"), ("toolConfig", "tool_config"))
        yield from (camel for camel, snake in pairs if _value_in_either_case(body, camel, snake))


def _find_results_not_matching_calls(body: JsonObject) -> Iterator[FieldPath]:
    """Calls of one content are answered by the next content of the user, each once and in their order."""
    contents = [obj(content) for content in arr(body.get("contents"))]
    for at, content in enumerate(contents):
        called = _function_names(content, "functionCall", "function_call")
        next_content = contents[at + 1] if at + 1 < len(contents) else {}
        answered = _function_names(next_content, "functionResponse", "function_response")
        if called and next_content and next_content.get("role") != "model" and called != answered:
            yield f"contents[{at + 1}].parts"


def _function_names(content: JsonObject, camel: str, snake: str) -> list[str]:
    found = (_value_in_either_case(obj(part), camel, snake) for part in arr(content.get("parts")))
    return [text(obj(call).get("name")) for call in found if call is not None]


_CHAT_KEYS: Final = frozenset({
    "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "n", "stop", "stream", "stream_options",
    "tool_choice", "response_format", "reasoning_effort", "parallel_tool_calls", "functions", "function_call",
})  # fmt: skip


RULES: Final[tuple[Rule, ...]] = (
    Rule("gemini.contents", "contents is required and not empty", _CONTENT_DOC, _find_missing_contents),
    Rule("gemini.role", "a role is user or model", _ROLE, _find_results_with_role_tool, "SHOULD"),
    Rule("gemini.response_name", "functionResponse.name is required", _CALL_DOC, lambda body:
         (f"{path}.name" for path, found in _located_results(body) if not text(found.get("name")))),
    Rule("gemini.response_object", "functionResponse.response is a Struct: an object", _CALL_DOC,
         _find_results_not_objects),
    Rule("gemini.args_object", "functionCall.args is a Struct: an object", _CALL_DOC, _find_args_not_objects),
    Rule("gemini.schema_keyword", "parameters is an OpenAPI Schema without this key", _SCHEMA_DOC,
         _find_unknown_schema_keywords),
    Rule("gemini.schema_type_list", "type in parameters is one word; nullable says null", _SCHEMA_DOC, lambda body:
         (f"{path}.type" for path, node in _located_parameter_schemas(body) if isinstance(node.get("type"), list))),
    Rule("gemini.foreign_key", "a key the API does not know is refused", _UNKNOWN, foreign_key_finder(_CHAT_KEYS)),
    Rule("gemini.tool_name", "names match ^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$", _CALL_DOC, _find_bad_tool_names),
    Rule("gemini.level_and_budget", "thinkingLevel excludes thinkingBudget", _GEMINI_3, _find_level_beside_budget),
    Rule("gemini.untyped_schema", "a schema of the answer needs its MIME type", _CONTENT_DOC,
         _find_schema_without_mime_type),
    Rule("gemini.cached_beside", "what is cached is not sent beside the cache", _CACHED, _find_fields_beside_cache),
    Rule("gemini.results_apart", "as many results as calls, in one content, in their order", _COUNT,
         _find_results_not_matching_calls),
    Rule("gemini.schema_reference", "a reference in a schema leads to a schema", NO_TARGET,
         lambda body: find_references_to_nothing(_located_json_schemas(body))),
    Rule("gemini.mode_case", "a mode is spelled in capitals, as the reference has it", _MODE,
         _find_mode_in_small_letters, "SHOULD"),
    Rule("gemini.both_schemas", "parameters and parametersJsonSchema exclude each other", _SCHEMA_DOC,
         _find_tools_with_both_schemas),
    Rule("gemini.reference_siblings", "nothing stands beside a reference in a schema", _SIBLINGS,
         _find_siblings_of_references, "SHOULD"),
    Rule("gemini.result_reference", "$ref in a result names a file of the result", _REFERENCE,
         _find_results_with_references, "SHOULD"),
)  # fmt: skip
