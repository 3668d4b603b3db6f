"""What reaches the provider, spelt in another way that means the same."""

import copy
import hashlib
import json
import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from liberty import Conversion, Liberty

from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import Dialect, JsonObject

Change: TypeAlias = Callable[[JsonObject, Conversion], object]
"""Changes a copy of the request in place."""

_PROTO: Final = "https://protobuf.dev/programming-guides/json/ (2026-11-23)"
_CHAT: Final = "https://platform.openai.com/docs/api-reference/chat/create"
_MESSAGES: Final = "https://docs.anthropic.com/en/api/messages"
_JSON_SCHEMA: Final = "https://json-schema.org/draft/2020-12/json-schema-core"
_DROP_PARAMS: Final = "https://docs.litellm.ai/docs/completion/drop_params (2026-11-23)"


def find_objects(document: object, path: str) -> list[JsonObject]:
    """Return the objects at a path; ``[]`` behind a key stands for every item of the list there."""
    nodes = [document]
    for key in path.split(".") if path else ():
        name = key.removesuffix("[]")
        values = [node[name] for node in nodes if isinstance(node, dict) and name in node]
        nodes = [item for value in values if isinstance(value, list) for item in value] if "[]" in key else values
    return [node for node in nodes if isinstance(node, dict)]


def _liberty(
    name: str, upstream: Dialect | tuple[Dialect, ...], source: str, allows: str, change: Change, models: str = ""
) -> Liberty:
    """``models``: expression for the provider's models that it is about."""

    def apply(document: JsonObject, conversion: Conversion) -> JsonObject:
        changed = copy.deepcopy(document)
        if re.search(models, conversion.model):
            change(changed, conversion)
        return changed

    upstreams: tuple[Dialect, ...] = (upstream,) if isinstance(upstream, str) else upstream
    return Liberty(name, source, allows, upstreams=upstreams, upstream_request=apply)


def _each(path: str, change: Callable[[JsonObject], object]) -> Change:
    return lambda document, _: [change(found) for found in find_objects(document, path)]


def _fill(path: str, **members: object) -> Change:
    """State members that are absent."""
    return _each(path, lambda found: found.update({**members, **found}))


def _drop(path: str, key: str, is_dropped: Callable[[JsonObject], bool] = lambda _: True) -> Change:
    return _each(path, lambda found: found.pop(key, None) if is_dropped(found) else None)


def _rewrite(path: str, key: str, change: Callable[[object], object]) -> Change:
    """Change the value under a key that is there."""
    return _each(path, lambda found: found.update({key: change(found[key])}) if key in found else None)


def _filter(path: str, key: str, change: Callable[[list[object]], Iterable[object]]) -> Change:
    return _rewrite(path, key, lambda items: list(change(items)) if isinstance(items, list) else items)


def _is_text_block(block: object) -> bool:
    return isinstance(block, dict) and set(block) == {"type", "text"} and block["type"] == "text"


def _as_blocks(content: object) -> object:
    return [{"type": "text", "text": content}] if isinstance(content, str) and content else content


def _as_string(content: object) -> object:
    """Return texts as one string; what holds anything else as it is."""
    if isinstance(content, list) and content and all(map(_is_text_block, content)):
        return "".join(block["text"] for block in content)
    return content


def _split_sentences(text: str) -> list[str]:
    return re.findall(r".+?(?:[.!?:]\s+|\n+|$)", text, re.DOTALL) or [text]


def _split_block(block: object) -> list[object]:
    """Return a block of text as one for each sentence."""
    if not isinstance(block, dict) or set(block) - {"type"} != {"text"}:
        return [block]
    return [{**block, "text": sentence} for sentence in _split_sentences(block["text"])]


# Gemini: results


def _wrap_result(wrap: Callable[[JsonObject, object], JsonObject]) -> Change:
    """Give a result that the reference put under ``output`` another shape."""

    def change(part: JsonObject) -> None:
        body = part.get("response")
        if isinstance(body, dict) and set(body) == {"output"}:
            part["response"] = wrap(part, body["output"])

    return _each("contents[].parts[].functionResponse", change)


def _put_objects_under_output(*, as_text: bool) -> Change:
    def change(body: object) -> object:
        if not isinstance(body, dict) or not body or set(body) & {"output", "error", "result", "content"}:
            return body
        return {"output": json.dumps(body) if as_text else body}

    return _rewrite("contents[].parts[].functionResponse", "response", change)


# Gemini: the rest

_FREE_JSON: Final = frozenset({"args", "response", "parametersJsonSchema", "responseJsonSchema", "responseSchema"})


def _snake(node: object) -> object:
    if isinstance(node, list):
        return [_snake(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        re.sub(r"(?<=[a-z])([A-Z])", lambda match: f"_{match[1].lower()}", key): item
        if key in _FREE_JSON
        else _snake(item)
        for key, item in node.items()
    }


def _write_snake_case(document: JsonObject, _: Conversion) -> None:
    changed = _snake(document)
    document.clear()
    document.update(changed if isinstance(changed, dict) else {})


def _write_placeholder(placeholder: str) -> Change:
    return _rewrite(
        "contents[].parts[]",
        "thoughtSignature",
        lambda signature: placeholder if signature == "skip_thought_signature_validator" else signature,
    )


def _separate_contents(document: JsonObject, _: Conversion) -> None:
    """Give every part of a user's content without results a content of its own."""
    contents = document.get("contents")
    if not isinstance(contents, list):
        return
    document["contents"] = [
        piece
        for content in contents
        for piece in (
            [{**content, "parts": [part]} for part in content["parts"]]
            if content.get("role") == "user" and not any("functionResponse" in part for part in content["parts"])
            else [content]
        )
    ]


def _separate_tools(document: JsonObject, _: Conversion) -> None:
    """Give every function a tool of its own."""
    tools = document.get("tools")
    if isinstance(tools, list):
        document["tools"] = [
            piece
            for tool in tools
            for piece in (
                [{"functionDeclarations": [function]} for function in tool["functionDeclarations"]]
                if set(tool) == {"functionDeclarations"}
                else [tool]
            )
        ]


def _say_auto(document: JsonObject, _: Conversion) -> None:
    if find_objects(document, "tools[].functionDeclarations[]") and not document.get("toolConfig"):
        document["toolConfig"] = {"functionCallingConfig": {"mode": "AUTO"}}


def _fill_generation_config(**members: object) -> Change:
    def change(document: JsonObject, _: Conversion) -> None:
        if "cachedContent" not in document:
            document["generationConfig"] = {**members, **(document.get("generationConfig") or {})}

    return change


# Chat


def _say_tool_choice(choice: object, **members: object) -> Change:
    """State a default for tools that are sent without it."""

    def change(document: JsonObject, _: Conversion) -> None:
        if document.get("tools"):
            document.update({"tool_choice": choice, **members, **document})

    return change


def _of_role(role: str, change: Callable[[JsonObject], object]) -> Change:
    return _each("messages[]", lambda message: change(message) if message.get("role") == role else None)


def _write_content(role: str, change: Callable[[object], object]) -> Change:
    return _of_role(role, lambda message: message.update(content=change(message.get("content"))))


def _write_calls_without_text(write: Callable[[JsonObject], object]) -> Change:
    return _each(
        "messages[]",
        lambda message: write(message) if message.get("tool_calls") and not message.get("content") else None,
    )


def _write_arguments(write: Callable[[object], str]) -> Change:
    def change(text: object) -> object:
        try:
            value = json.loads(str(text))
        except ValueError:
            return text
        return write(value) if "." not in str(text) and isinstance(value, dict) else text

    return _rewrite("messages[].tool_calls[].function", "arguments", change)


def _write_results_as_sent(document: JsonObject, conversion: Conversion) -> None:
    """Send the whole object of a Gemini result as JSON text, wrapper and all."""
    results = find_objects(conversion.request, "contents[].parts[].functionResponse")
    messages = [message for message in find_objects(document, "messages[]") if message.get("role") == "tool"]
    if len(results) != len(messages) or any("parts" in result for result in results):
        return
    for result, message in zip(results, messages, strict=True):
        if isinstance(result.get("response"), dict) and "error" not in result["response"]:
            message["content"] = json.dumps(result["response"], ensure_ascii=False)


def _write_made_ids(document: JsonObject, conversion: Conversion) -> None:
    """Give calls whose id neither the client nor the provider gave ids of another make: the reference numbers them."""
    request = json.dumps(conversion.request)
    for path, key in (
        ("messages[].tool_calls[]", "id"),
        ("messages[]", "tool_call_id"),
        ("messages[].content[]", "id"),
        ("messages[].content[]", "tool_use_id"),
    ):
        for found in find_objects(document, path):
            numbered = isinstance(found.get(key), str) and re.search(r"_[0-9]{4}$", found[key])
            if numbered and json.dumps(found[key]) not in request:
                found[key] = f"call_{hashlib.sha256(found[key].encode()).hexdigest()[:24]}"


def _reverse_tools(document: JsonObject, conversion: Conversion) -> None:
    """Reverse the tools, unless names were made legal: which one is kept may then depend on the order."""
    functions = [
        *find_objects(document, "tools[].functionDeclarations[]"),
        *find_objects(document, "tools[].function"),
        *find_objects(document, "tools[]"),
    ]
    request = json.dumps(conversion.request)
    if all(json.dumps(function["name"]) in request for function in functions if "name" in function):
        for path, key in (("", "tools"), ("tools[]", "functionDeclarations")):
            _filter(path, key, reversed)(document, conversion)


def _name_function_among_allowed(document: JsonObject, _: Conversion) -> None:
    choice = document.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") == "function":
        document["tool_choice"] = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [choice]}}


def _send_only_named_function(document: JsonObject, _: Conversion) -> None:
    choice = document.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") == "function":
        name = choice["function"]["name"]
        document["tools"] = [tool for tool in document["tools"] if tool["function"]["name"] == name]
        document["tool_choice"] = "required"


# Anthropic


def _write_system(write: Callable[[object], object]) -> Change:
    return _rewrite("", "system", write)


def _split_messages(document: JsonObject, _: Conversion) -> None:
    """Give every text or image of the user a message of its own."""
    split: list[JsonObject] = []
    for message in find_objects(document, "messages[]"):
        content = message.get("content")
        types = {block.get("type") for block in content} if isinstance(content, list) else set()
        is_split = message.get("role") == "user" and bool(types) and types <= {"text", "image"}
        is_split = is_split and all(block.get("text", "-").strip() for block in content)
        split += [{**message, "content": [block]} for block in content] if is_split else [message]
    if "messages" in document:
        document["messages"] = split


def _separate_text_from_results(document: JsonObject, _: Conversion) -> None:
    """Give what the user says behind the results of calls a message of its own."""
    split: list[JsonObject] = []
    for message in find_objects(document, "messages[]"):
        content = message.get("content")
        blocks = content if isinstance(content, list) and message.get("role") == "user" else []
        results = [block for block in blocks if block.get("type") == "tool_result"]
        is_split = 0 < len(results) < len(blocks) and blocks[: len(results)] == results
        pieces = (results, blocks[len(results) :]) if is_split else (content,)
        split += [{**message, "content": piece} for piece in pieces]
    if "messages" in document:
        document["messages"] = split


def _raise_default_limit(document: JsonObject, conversion: Conversion) -> None:
    if "4096" not in json.dumps(conversion.request) and document.get("max_tokens") == 4096:
        document["max_tokens"] = 8192


# Schemas

_SCHEMAS: Final = (
    ("tools[].functionDeclarations[]", "parametersJsonSchema"),
    ("generationConfig", "responseJsonSchema"),
    ("tools[].function", "parameters"),
    ("response_format.json_schema", "schema"),
    ("tools[]", "input_schema"),
    ("output_config.format", "schema"),
)


def _write_schemas(write: Callable[[JsonObject], object]) -> Change:
    def change(document: JsonObject, conversion: Conversion) -> None:
        for path, key in _SCHEMAS:
            _rewrite(path, key, lambda schema: write(schema) if isinstance(schema, dict) else schema)(
                document, conversion
            )

    return change


def map_schema(node: object, change: Callable[[JsonObject], JsonObject]) -> object:
    """Change every schema in a schema, the innermost first."""
    if isinstance(node, list):
        return [map_schema(item, change) for item in node]
    if not isinstance(node, dict):
        return node
    changed: JsonObject = {}
    for key, item in node.items():
        if key in ("properties", "$defs", "definitions") and isinstance(item, dict):
            changed[key] = {name: map_schema(entry, change) for name, entry in item.items()}
        elif key in ("items", "anyOf", "oneOf", "allOf", "additionalProperties"):
            changed[key] = map_schema(item, change)
        else:
            changed[key] = item
    return change(changed)


def _inline_references(schema: JsonObject) -> object:
    """Put what references lead to in their place, unless it refers to itself, and enums in that of constants."""
    root = obj(map_schema(schema, _write_constant_as_enum))
    current: object = {key: item for key, item in root.items() if key != "$defs"}
    for _ in range(8):
        if '"$ref"' not in json.dumps(current):
            return current
        current = map_schema(current, lambda node: _resolve_reference(node, root))
    return schema


def _resolve_reference(node: JsonObject, root: JsonObject) -> JsonObject:
    """Return the schema that a reference into the same document leads to, with what stands beside it."""
    target: object = root
    pointer = node.get("$ref")
    for key in pointer.removeprefix("#/").split("/") if isinstance(pointer, str) else ():
        target = target.get(key) if isinstance(target, dict) else None
    if target is root or not isinstance(target, dict):
        return node
    return {**target, **{key: item for key, item in node.items() if key != "$ref"}}


def _write_constant_as_enum(node: JsonObject) -> JsonObject:
    if "const" not in node or "enum" in node:
        return node
    return {"enum" if key == "const" else key: [item] if key == "const" else item for key, item in node.items()}


def _write_null_as_branch(node: JsonObject) -> JsonObject:
    types = node.get("type")
    if not isinstance(types, list) or "null" not in types or "enum" in node:
        return node
    described = {key: node[key] for key in ("description", "title", "default") if key in node}
    rest = {key: item for key, item in node.items() if key not in described and key != "type"}
    branches = [{**rest, "type": name} for name in types if name != "null"]
    return {**described, "anyOf": [*branches, {"type": "null"}]}


def _close_object(node: JsonObject) -> JsonObject:
    """Require every property, those that were optional with null, and allow no others."""
    properties = node.get("properties")
    required = node.get("required") or []
    if node.get("type") != "object" or not isinstance(properties, dict) or not set(required) <= set(properties):
        return node
    return {
        **node,
        "properties": {name: item if name in required else _or_null(item) for name, item in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def _or_null(schema: JsonObject) -> JsonObject:
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _make_strict(function: JsonObject) -> None:
    schema = function.get("parameters")
    supported = r'"(allOf|oneOf|not|if|default|patternProperties|propertyNames|prefixItems|additionalProperties)"'
    if isinstance(schema, dict) and schema.get("properties") and not re.search(supported, json.dumps(schema)):
        function.update(strict=True, parameters=map_schema(schema, _close_object))


def _close_empty_parameters(function: JsonObject) -> None:
    schema = function.get("parameters")
    if isinstance(schema, dict) and schema.get("type") == "object" and not schema.keys() - {"type", "properties"}:
        function["parameters"] = {"type": "object", "properties": {}, "additionalProperties": False, **schema}


def _say_validated(document: JsonObject, _: Conversion) -> None:
    """State VALIDATED, which lets the model choose as AUTO does, and holds a call to its schema."""
    if document.get("tools") and "toolConfig" not in document:
        document["toolConfig"] = {"functionCallingConfig": {"mode": "VALIDATED"}}


# Refusals

_REFUSED: Final[dict[tuple[Dialect, Dialect], tuple[str, ...]]] = {
    ("openai-chat", "anthropic"): (
        "seed",
        "frequency_penalty",
        "presence_penalty",
        "logit_bias",
        "logprobs",
        "n",
        "prediction",
        "modalities",
        "verbosity",
        "web_search_options",
    ),
    ("openai-chat", "gemini"): ("logit_bias", "prediction", "verbosity", "web_search_options"),
    ("gemini", "anthropic"): (
        "seed",
        "frequencyPenalty",
        "presencePenalty",
        "responseLogprobs",
        "candidateCount",
        "safetySettings",
        "cachedContent",
        "mediaResolution",
        "speechConfig",
    ),
    ("gemini", "openai-chat"): ("topK", "cachedContent", "safetySettings", "mediaResolution"),
    ("anthropic", "openai-chat"): ("top_k", "container", "mcp_servers", "context_management"),
    ("anthropic", "gemini"): ("container", "mcp_servers", "context_management"),
}
"""(client, provider) -> settings that the provider's API does not have."""

_NEUTRAL: Final = (("n", 1), ("candidateCount", 1))
"""What says no more than its absence."""


def _refuse_settings(document: JsonObject, conversion: Conversion) -> None:
    request = conversion.request
    stated = {**request, **(request.get("generationConfig") or {})}
    for field in _REFUSED.get((conversion.client, conversion.upstream), ()):
        if stated.get(field) and (field, stated[field]) not in _NEUTRAL:
            raise NotImplementedError(f"{field} is not supported by {conversion.upstream}")


def _write_results_as_text_blocks() -> Liberty:
    """Return the adapter that writes the text of a result as a list of one block, and reads it so."""
    wrap = _wrap_result(lambda _, value: {"output": [{"text": value}] if isinstance(value, str) else value})

    def write(document: JsonObject, conversion: Conversion) -> JsonObject:
        changed = copy.deepcopy(document)
        if conversion.upstream == "gemini":
            wrap(changed, conversion)
        return changed

    def read(document: JsonObject, _: Conversion) -> JsonObject:
        changed = copy.deepcopy(document)
        for part in find_objects(changed, "contents[].parts[].functionResponse"):
            match part.get("response"):
                case {"output": [{"text": str(value), **rest}]} if not rest:
                    part["response"] = {"output": value}
        return changed

    source = "https://hexdocs.pm/geminix/Geminix.V1beta.FunctionResponse.html (2026-11-23)"
    return Liberty("result-as-text-blocks", source, _WRAPPED, client_request=read, upstream_request=write)


_ALL: Final[tuple[Dialect, ...]] = ("gemini", "openai-chat", "anthropic")
_WRAPPED: Final = 'A function\'s result is any JSON object; "output" is only the key the API looks at first.'
_OPTIONAL_IDS: Final = "A call's id is optional; without ids results are matched by name and order."
_TEXT_OR_PARTS: Final = "A message's content is a string or a list of parts, with one meaning."
_SHORTHAND: Final = "A string is shorthand for a list of one block of text."
_DEFAULT: Final = "What a request may leave out it may state with the documented default."
_NULL: Final = "Null means absent."


def _send_single_tool_alone(document: JsonObject, _: Conversion) -> None:
    tools = document.get("tools")
    if isinstance(tools, list) and len(tools) == 1:
        document["tools"] = tools[0]


REQUEST_LIBERTIES: Final[tuple[Liberty, ...]] = (
    _liberty("gemini-single-tool-object", "gemini", "https://github.com/langchain4j/langchain4j/pull/4783 (2026-11-23)",
             "Google takes a single tool in place of a list of one.", _send_single_tool_alone),
    *(
        _liberty(f"result-under-{key}", "gemini", source, _WRAPPED, _wrap_result(lambda _, value, key=key: {key: value}))
        for key, source in (
            ("result", "recorded: braintrust/0074"),
            ("content", "recorded: js-genai/0020"),
            ("return_value", "recorded: pydantic-ai/0131"),
        )
    ),
    _liberty("result-with-name", "gemini", "recorded: ruby_llm/0149", _WRAPPED,
             _wrap_result(lambda part, value: {"name": part.get("name"), "content": value})),
    _liberty("result-under-function-name", "gemini", "https://hexdocs.pm/geminix/Geminix.V1beta.FunctionResponse.html (2026-11-23)", _WRAPPED,
             _wrap_result(lambda part, value: {f"{part.get('name')}_response": value})),
    _write_results_as_text_blocks(),
    _liberty("result-object-under-output", "gemini", "https://googleapis.github.io/js-genai/classes/types.FunctionResponse.html (2026-11-23)", _WRAPPED,
             _put_objects_under_output(as_text=False)),
    _liberty("result-object-as-text", "gemini", "recorded: otel-contrib/0042", _WRAPPED,
             _put_objects_under_output(as_text=True)),
    _liberty("gemini-ids-absent", "gemini", "recorded: braintrust/0006", _OPTIONAL_IDS,
             lambda document, conversion: [
                 _drop(f"contents[].parts[].{key}", "id")(document, conversion)
                 for key in ("functionCall", "functionResponse")
             ], "gemini-[12]"),
    _liberty("gemini-snake-case", "gemini", "recorded: llm-gemini/0010", "Parsers take a field's name in the proto, too.",
             _write_snake_case),
    _liberty("gemini-level-other-case", "gemini", "recorded: ruby_llm/0216",
             "Levels are documented in small letters and as names of an enum.",
             _rewrite("generationConfig.thinkingConfig", "thinkingLevel", lambda level: str(level).swapcase())),
    _liberty("gemini-system-role", "gemini", "recorded: braintrust/0005", "The instruction's role is ignored.",
             _fill("systemInstruction", role="user")),
    _liberty("gemini-system-in-parts", "gemini", "https://ai.google.dev/api/caching#Content (2026-11-23)",
             "An instruction is a content of any number of text parts.",
             _filter("systemInstruction", "parts", lambda parts: [p for part in parts for p in _split_block(part)])),
    _liberty("gemini-tools-apart", "gemini", "recorded: js-genai/0095", "Functions may stand in several tools.",
             _separate_tools),
    _liberty("gemini-auto-stated", "gemini", "recorded: js-genai/0015", _DEFAULT, _say_auto),
    _liberty("gemini-candidate-count", "gemini", "recorded: js-genai/0068", _DEFAULT,
             _fill_generation_config(candidateCount=1)),
    _liberty("gemini-text-plain", "gemini", "https://github.com/googleapis/python-genai/blob/main/google/genai/types.py (2026-11-23)", _DEFAULT,
             _fill_generation_config(responseMimeType="text/plain")),
    _liberty("gemini-thoughts-not-included", "gemini", "recorded: maruel-genai/0451", _DEFAULT,
             _each("generationConfig.thinkingConfig", lambda config: config.setdefault("includeThoughts", False)
                   if "include_thoughts" not in config else None)),
    _liberty("gemini-contents-apart", "gemini", "recorded: js-genai/0042", "Neighbouring contents may have one role.",
             _separate_contents),
    _liberty("gemini-placeholder-base64", "gemini", "recorded: pydantic-ai/0085",
             "Signatures are bytes: in JSON their base64.",
             _write_placeholder("c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=")),
    _liberty("gemini-placeholder-other", "gemini", "https://ai.google.dev/gemini-api/docs/thought-signatures#faqs (2026-11-23)", "Two placeholders are documented.",
             _write_placeholder("context_engineering_is_the_way_to_go")),
    _liberty("gemini-media-url-safe", "gemini", "recorded: chatlas/0094", "Bytes are taken in either alphabet, padded or not.",
             _rewrite("contents[].parts[].inlineData", "data",
                      lambda data: str(data).replace("+", "-").replace("/", "_").rstrip("="))),
    _liberty("gemini-no-empty-parameters", "gemini", "recorded: pydantic-ai/0058",
             "A function without parameters has none.",
             _drop("tools[].functionDeclarations[]", "parametersJsonSchema",
                   lambda function: not (function.get("parametersJsonSchema") or {}).get("properties"))),
    _liberty("gemini-nulls", "gemini", _PROTO, _NULL,
             lambda document, _: document.update({**dict.fromkeys(("systemInstruction", "tools", "toolConfig",
                                                                   "safetySettings", "cachedContent")), **document})),
    _liberty("gemini-config-nulls", "gemini", _PROTO, _NULL,
             _fill("generationConfig", stopSequences=None, temperature=None, topP=None, responseSchema=None,
                   thinkingConfig=None)),
    *(
        _liberty(f"chat-{role}-in-parts", "openai-chat", source, _TEXT_OR_PARTS, _write_content(role, _as_blocks))
        for role, source in (
            ("user", "recorded: ai-gateway/0006"),
            ("assistant", "recorded: chatlas/0137"),
            ("tool", "recorded: maruel-genai/0572"),
            ("system", "recorded: pydantic-ai/0904"),
        )
    ),
    _liberty("gemini-validated", "gemini", "https://ai.google.dev/gemini-api/docs/function-calling (2026-11-23)",
             "VALIDATED lets the model answer in text or call, as AUTO does.", _say_validated),
    _liberty("chat-parts-as-string", "openai-chat", "recorded: ai-gateway/0004", _TEXT_OR_PARTS,
             _rewrite("messages[]", "content", _as_string)),
    _liberty("chat-developer", "openai-chat", "recorded: ai-gateway/0005",
             "Developer messages replace system messages.",
             _of_role("system", lambda message: message.update(role="developer"))),
    _liberty("chat-content-absent", "openai-chat", "recorded: chatlas/0152", "Beside calls content may be absent.",
             _write_calls_without_text(lambda message: message.pop("content", None))),
    _liberty("chat-content-empty", "openai-chat", "recorded: openllmetry/0016", "Beside calls content may be empty.",
             _write_calls_without_text(lambda message: message.update(content=""))),
    _liberty("chat-refusal-null", "openai-chat", "recorded: openllmetry/0143", _NULL,
             _of_role("assistant", lambda message: message.update({"refusal": None, **message}))),
    _liberty("chat-annotations-empty", "openai-chat", "recorded: mirascope/0015", "A client may echo the answer whole.",
             _of_role("assistant", lambda message: message.update({"annotations": [], **message}))),
    _liberty("chat-arguments-escaped", "openai-chat", "https://www.rfc-editor.org/rfc/rfc8259#section-7 (2026-11-23)",
             "Arguments are JSON text, in which any character may be escaped.",
             _write_arguments(lambda value: json.dumps(value, indent=1, sort_keys=True))),
    _liberty("chat-results-wrapped", "openai-chat", f"{_CHAT}#chat-create-messages (2026-11-23)", "A tool message is any text; the object is sent whole.",
             _write_results_as_sent),
    _liberty("chat-max-completion-tokens", "openai-chat", "recorded: ai-gateway/0005",
             "max_tokens is the deprecated name.",
             lambda document, _: document.update(
                 {"max_completion_tokens": document.pop("max_tokens")} if "max_tokens" in document else {})),
    _liberty("chat-auto-stated", "openai-chat", "recorded: ai-gateway/0012", _DEFAULT, _say_tool_choice("auto")),
    _liberty("chat-parallel-stated", "openai-chat", "recorded: maruel-genai/0571", _DEFAULT,
             _say_tool_choice("auto", parallel_tool_calls=True)),
    _liberty("chat-allowed-tools", "openai-chat", "https://github.com/openai/openai-python/blob/main/src/openai/types/chat/chat_completion_allowed_tools_param.py (2026-11-23)",
             "One allowed and required function is a named one.", _name_function_among_allowed),
    _liberty("chat-only-named-tool", "openai-chat", f"{_CHAT}#chat-create-tool_choice (2026-11-23)",
             "A model that must call one of the functions has but that one.",
             _send_only_named_function),
    _liberty("chat-n", "openai-chat", "recorded: dd-trace-py/0017", _DEFAULT, _fill("", n=1)),
    _liberty("chat-stream-false", "openai-chat", "recorded: braintrust/0019", _DEFAULT, _fill("", stream=False)),
    _liberty("chat-sampling-defaults", "openai-chat", "recorded: openllmetry/0208", _DEFAULT,
             _fill("", temperature=1, top_p=1, presence_penalty=0, frequency_penalty=0)),
    _liberty("chat-response-format-text", "openai-chat", "recorded: otel-contrib/0012", _DEFAULT,
             _fill("", response_format={"type": "text"})),
    _liberty("chat-store-tier-logprobs", "openai-chat", f"{_CHAT}#chat-create-service_tier (2026-11-23)", _DEFAULT,
             _fill("", store=False, service_tier="auto", logprobs=False)),
    _liberty("chat-nulls", "openai-chat", "recorded: braintrust/0064, dd-trace-py/0006", _NULL,
             _fill("", temperature=None, top_p=None, stop=None, max_completion_tokens=None, seed=None)),
    _liberty("chat-strict-false", "openai-chat", "recorded: mirascope/0031", _DEFAULT,
             _fill("tools[].function", strict=False)),
    _liberty("chat-strict", "openai-chat", "recorded: braintrust/0016", "A function is strict if optional properties become nullable.",
             _each("tools[].function", _make_strict)),
    _liberty("chat-detail-auto", "openai-chat", "recorded: chatlas/0142", _DEFAULT,
             _fill("messages[].content[].image_url", detail="auto")),
    _liberty("chat-no-empty-parameters", "openai-chat", "https://github.com/openai/openai-python/blob/main/src/openai/types/shared_params/function_definition.py (2026-11-23)",
             "Without parameters a function has an empty list of them.",
             _drop("tools[].function", "parameters",
                   lambda function: not (function.get("parameters") or {}).get("properties"))),
    _liberty("chat-no-arguments-closed", "openai-chat", "recorded: chatlas/0071",
             "A function of which no argument is named takes none.", _each("tools[].function", _close_empty_parameters)),
    _liberty("anthropic-system-blocks", "anthropic", "recorded: chatlas/0003", _SHORTHAND, _write_system(_as_blocks)),
    _liberty("anthropic-system-in-parts", "anthropic", "recorded: dd-trace-py/0067",
             "The system prompt is any number of blocks.",
             lambda document, _: _filter("", "system", lambda blocks: [b for block in blocks for b in
                                                                      _split_block(block)])(
                 document.update(system=_as_blocks(document["system"])) or document if "system" in document
                 else document, _)),
    _liberty("anthropic-content-blocks", "anthropic", "recorded: chatlas/0001", _SHORTHAND,
             _rewrite("messages[]", "content", _as_blocks)),
    _liberty("anthropic-result-blocks", "anthropic", "recorded: dd-trace-py/0074", _SHORTHAND,
             _rewrite("messages[].content[]", "content", _as_blocks)),
    _liberty("anthropic-no-error-stated", "anthropic", "recorded: chatlas/0018", _DEFAULT,
             _each("messages[].content[]", lambda block: block.update({"is_error": False, **block})
                   if block.get("type") == "tool_result" else None)),
    _liberty("anthropic-auto-stated", "anthropic", "recorded: maruel-genai/0115", _DEFAULT,
             _say_tool_choice({"type": "auto"})),
    _liberty("anthropic-parallel-stated", "anthropic", "https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/types/tool_choice_auto_param.py (2026-11-23)", _DEFAULT,
             lambda document, _: _each("tool_choice", lambda choice: choice.update(
                 {"disable_parallel_tool_use": False, **choice}) if choice.get("type") != "none" else None)(
                 document, _)),
    _liberty("anthropic-stream-false", "anthropic", "recorded: chatlas/0013", _DEFAULT, _fill("", stream=False)),
    _liberty("anthropic-tier-auto", "anthropic", "https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/types/message_create_params.py (2026-11-23)", _DEFAULT,
             _fill("", service_tier="auto")),
    _liberty("anthropic-thinking-disabled", "anthropic", "recorded: maruel-genai/0051", _DEFAULT,
             _fill("", thinking={"type": "disabled"}), "claude-(sonnet|opus|haiku)-4"),
    _liberty("anthropic-messages-split", "anthropic", "recorded: pydantic-ai/0236",
             "Consecutive turns of one role are combined into one.", _split_messages),
    _liberty("anthropic-text-after-results", "anthropic", f"{_MESSAGES}#body-messages (2026-11-23)",
             "Consecutive turns of one role are combined into one.", _separate_text_from_results),
    _liberty("anthropic-custom-stated", "anthropic", "https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/types/tool_param.py (2026-11-23)", _DEFAULT,
             _each("tools[]", lambda tool: tool.update({"type": "custom", **tool}) if "input_schema" in tool else 0)),
    _liberty("anthropic-nulls", "anthropic", "recorded: mirascope/0049", _NULL,
             _each("messages[].content[]", lambda block: block.update({"cache_control": None, **block})
                   if block.get("type") in ("text", "image", "tool_use", "tool_result") else None)),
    _liberty("anthropic-citations-null", "anthropic", "recorded: mirascope/0009", _NULL,
             _each("messages[].content[]", lambda block: block.update({"citations": None, **block})
                   if block.get("type") == "text" else None)),
    _liberty("anthropic-limit", "anthropic", f"{_MESSAGES}#body-max-tokens (2026-11-23)",
             "A limit is required: which limit stands in for none is the adapter's choice.",
             _raise_default_limit, "claude-[^3]|claude-3-[57]"),
    _liberty("references-inlined", _ALL, f"{_JSON_SCHEMA}#section-8.2.3.1 (2026-11-23)", "A reference stands for the schema it names, a constant for an enum of one.",
             _write_schemas(_inline_references)),
    _liberty("null-as-branch", _ALL, "recorded: pydantic-ai/0804", "A type or null is a list of types or a choice of schemas.",
             _write_schemas(lambda schema: map_schema(schema, _write_null_as_branch))),
    _liberty("no-schema-uri", _ALL, f"{_JSON_SCHEMA}#section-8.1.1 (2026-11-23)", "$schema and $id say nothing about instances.",
             _write_schemas(lambda schema: {k: item for k, item in schema.items() if k not in ("$schema", "$id")})),
    _liberty("tools-reversed", _ALL, f"{_CHAT}#chat-create-tools (2026-11-23)",
             "The model may call any of the tools, which are told apart by name.",
             _reverse_tools),
    _liberty("ids-made", ("openai-chat", "anthropic"), "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls (2026-11-23)",
             "An id that nobody gave may be any.", _write_made_ids),
    _liberty("settings-refused", _ALL, _DROP_PARAMS, "A setting that the provider lacks may be refused, by its name.",
             _refuse_settings),
)  # fmt: skip
