"""Function declarations, built-in tools (mapping rows R-15, R-17) and tool choice (R-21), both ways."""

from collections.abc import Mapping
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.gemini.schema import to_gemini_schema, to_json_schema
from bridgecheck_reference.convert.json_schema import move_references_from_siblings
from bridgecheck_reference.convert.json_values import arr, camel, google_extra, obj, objs, text, unknown_keys
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

VIRTUAL_FUNCTIONS: Final[dict[str, tuple[str, str, str]]] = {
    "codeExecution": (
        "code_execution",
        "Execute Python code. Caller must implement the execution handler.",
        "code",
    ),
    "googleSearch": ("google_search", "Search the web. Caller must implement the search handler.", "query"),
}
"""Built-in tool -> (name, description, text parameter) of the function that stands for it."""

BUILT_IN: Final = frozenset({"googleSearch", "codeExecution", "urlContext", "googleMaps"})
"""Tools that Gemini itself runs and that a Chat Completions request may hold in Gemini's form."""

_CONVERTED_DECLARATION_KEYS: Final = frozenset(
    {"name", "description", "parameters", "parametersJsonSchema", "extraContent"}
)
_CONVERTED_FUNCTION_KEYS: Final = frozenset({"name", "description", "parameters", "strict"})


def tools_to_openai(
    tools: object, profile: Profile, losses: Losses, rename: Rename
) -> tuple[list[JsonObject], list[object]]:
    """Return (function tools, built-in tools to carry). Not carried, a built-in tool becomes a function, or a loss.

    Raises ConversionError where such a function would have the name of a declared one.
    """
    functions: list[JsonObject] = []
    builtin: list[object] = []
    for raw in objs(tools):
        tool = camel(raw)
        functions += [
            _declaration_to_openai(camel(item), profile, losses, rename)
            for item in arr(tool.get("functionDeclarations"))
        ]
        builtin_tools = {
            key: value for key, value in tool.items() if key != "functionDeclarations" and value is not None
        }
        if builtin_tools and profile.carries_gemini:
            builtin.append(builtin_tools)
        else:
            functions += _virtual_functions_or_raise_if_name_taken(builtin_tools, functions, losses)
    return functions, builtin


def _declaration_to_openai(declared: JsonObject, profile: Profile, losses: Losses, rename: Rename) -> JsonObject:
    name = text(declared.get("name"))
    if not name:
        raise ConversionError(
            "tools[].functionDeclarations[].name: a function without a name", "functionDeclarations[].name"
        )
    function: JsonObject = {
        "name": rename(name) if rename else name,
        "description": text(declared.get("description")),
        "parameters": _function_parameters(declared, losses),
    }
    function.update(obj(camel(declared.get("extraContent")).get("openai")))
    tool: JsonObject = {"type": "function", "function": function}
    rest = {
        key: value for key, value in declared.items() if key not in _CONVERTED_DECLARATION_KEYS and value is not None
    }
    if rest and profile.carries_gemini:
        tool["extra_content"] = {"google": rest}
    for key in rest if not profile.carries_gemini else ():
        losses.add(f"tools[].functionDeclarations[].{key}", "an OpenAI function has no place for it", "info")
    return tool


def _function_parameters(declared: JsonObject, losses: Losses) -> object:
    """Return parametersJsonSchema as it is, else parameters as JSON Schema, else an object without properties."""
    schema, openapi = declared.get("parametersJsonSchema"), declared.get("parameters")
    if isinstance(schema, dict):
        if openapi:
            losses.add(
                "tools[].functionDeclarations[].parameters", "both kinds of schema given; the JSON Schema counts"
            )
        return schema
    made = obj(to_json_schema(openapi)) if isinstance(openapi, dict) else {}
    if made.get("type", "object") == "object" and "properties" not in made and "$ref" not in made:
        made = {"type": "object", **made, "properties": {}}
    return made


def _virtual_functions_or_raise_if_name_taken(
    builtin_tools: Mapping[str, object], declared: list[JsonObject], losses: Losses
) -> list[JsonObject]:
    """Return function tools in place of built-in ones. Raises ConversionError where a declared one has such a name."""
    made: list[JsonObject] = []
    taken = {text(obj(tool["function"]).get("name")) for tool in declared}
    for key in builtin_tools:
        if key not in VIRTUAL_FUNCTIONS:
            losses.add(f"tools[].{key}", "Chat Completions has no such tool")
            continue
        name, description, parameter = VIRTUAL_FUNCTIONS[key]
        if name in taken:
            raise ConversionError(f"tools[].{key}: a declared function has its name {name!r}", f"tools[].{key}")
        losses.add(f"tools[].{key}", "became a function that the caller has to serve")
        parameters = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
        made.append(
            {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}
        )
    return made


def tools_to_gemini(request: JsonObject, profile: Profile, losses: Losses, rename: Rename) -> list[JsonObject]:
    """Return Gemini's tools: one entry with all functions of ``tools`` and of the older ``functions``, and its built-in
    ones.

    A built-in tool has Gemini's own form: ``{"google_search": {}}``, in either spelling.
    """
    declared: list[JsonObject] = []
    built_in: list[JsonObject] = []
    for tool in objs(request.get("tools")):
        function = tool.get("function")
        own: JsonObject = {key: value for key, value in camel(tool).items() if key in BUILT_IN}
        if own and function is None:
            built_in.append(own)
            continue
        if tool.get("type", "function") != "function" or not isinstance(function, dict):
            losses.add(f"tools[].{text(tool.get('type')) or 'type'}", "Gemini has no such tool")
            continue
        declared.append({**_function_to_gemini(function, profile, losses, rename), **google_extra(tool)})
    declared += [_function_to_gemini(function, profile, losses, rename) for function in objs(request.get("functions"))]
    functions: list[JsonObject] = [{"functionDeclarations": declared}] if declared else []
    return functions + built_in


def _function_to_gemini(function: JsonObject, profile: Profile, losses: Losses, rename: Rename) -> JsonObject:
    name = text(function.get("name"))
    if not name:
        raise ConversionError("tools[].function.name: a function without a name", "tools[].function.name")
    result: JsonObject = {"name": rename(name) if rename else name}
    if isinstance(function.get("description"), str):
        result["description"] = function["description"]
    parameters = function.get("parameters")
    if isinstance(parameters, dict) and profile.schema_mode == "json" and profile.carry == "nothing":
        parameters = move_references_from_siblings(parameters)
    if isinstance(parameters, dict) and profile.schema_mode == "json":
        result["parametersJsonSchema"] = parameters
    elif isinstance(parameters, dict) and parameters.get("properties"):
        result["parameters"] = to_gemini_schema(parameters, losses)
    strict = function.get("strict")
    if strict is not None and profile.carries_openai:
        result["extra_content"] = {"openai": {"strict": strict}}
    elif strict:
        losses.add("tools[].function.strict", "Gemini cannot promise to follow a schema strictly", "info")
    for key in unknown_keys(function, _CONVERTED_FUNCTION_KEYS) if not profile.carries_openai else ():
        losses.add(f"tools[].function.{key}", "a Gemini function has no place for it", "info")
    return result


TO_GEMINI: Final[dict[str, str]] = {
    "auto": "AUTO",
    "none": "NONE",
    "required": "ANY",
    "any": "ANY",
    "validated": "VALIDATED",
}
TO_OPENAI: Final[dict[str, str]] = {"AUTO": "auto", "NONE": "none", "ANY": "required", "VALIDATED": "auto"}


def tool_choice_to_openai(function_calling_config: object, losses: Losses, rename: Rename) -> str | JsonObject | None:
    """Convert functionCallingConfig to tool_choice; None for none."""
    calling = camel(function_calling_config)
    mode = text(calling.get("mode")).upper()
    names = [name for name in arr(calling.get("allowedFunctionNames")) if isinstance(name, str)]
    names = [rename(name) for name in names] if rename else names
    if mode not in TO_OPENAI:
        return None
    if mode == "VALIDATED":
        losses.add("toolConfig.functionCallingConfig.mode", "VALIDATED becomes auto", "info")
    if not names or mode == "NONE":
        return TO_OPENAI[mode]
    if mode == "ANY" and len(names) == 1:
        return {"type": "function", "function": {"name": names[0]}}
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": TO_OPENAI[mode], "tools": tools}}


def tool_choice_to_gemini(choice: object, losses: Losses, rename: Rename) -> JsonObject | None:
    """Convert tool_choice in any of its forms, and the older function_call, to functionCallingConfig; None for none."""
    if isinstance(choice, str):
        return _mode_to_gemini(choice, losses)
    form = obj(choice)
    kind = text(form.get("type")).strip().lower()
    if kind == "allowed_tools":
        return _allowed_tools_to_gemini(obj(form.get("allowed_tools")), losses, rename)
    if kind in TO_GEMINI:
        return _mode_to_gemini(kind, losses)
    name = text(obj(form.get("function")).get("name")) or text(form.get("name"))
    if name:
        return {"mode": "ANY", "allowedFunctionNames": [rename(name) if rename else name]}
    if form:
        losses.add("tool_choice", "a form that Gemini does not have")
    return None


def _mode_to_gemini(choice: str, losses: Losses) -> JsonObject | None:
    mode = TO_GEMINI.get(choice.strip().lower())
    if mode is None:
        losses.add("tool_choice", f"unknown choice {choice!r}")
        return None
    return {"mode": mode}


def _allowed_tools_to_gemini(allowed: JsonObject, losses: Losses, rename: Rename) -> JsonObject:
    """Convert a list of allowed functions; an empty one allows none. With ``auto`` Gemini's nearest mode is
    VALIDATED."""
    names = [
        text(obj(tool.get("function")).get("name")) or text(tool.get("name")) for tool in objs(allowed.get("tools"))
    ]
    names = [rename(name) if rename else name for name in names if name]
    if not names:
        return {"mode": "NONE"}
    if text(allowed.get("mode")) == "required":
        return {"mode": "ANY", "allowedFunctionNames": names}
    losses.add("tool_choice.allowed_tools.mode", "auto among some functions becomes VALIDATED", "info")
    return {"mode": "VALIDATED", "allowedFunctionNames": names}
