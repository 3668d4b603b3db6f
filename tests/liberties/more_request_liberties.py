"""What reaches the provider as gateways and libraries in use spell it: defaults they fill in, messages they part, schemas
they decorate, budgets they choose."""

import copy
import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Final

from liberty import Conversion, Liberty
from request_liberties import find_objects, map_schema

from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.wire import Dialect, JsonObject

_CHAT: Final = "https://platform.openai.com/docs/api-reference/chat/create#chat-create-temperature (2026-11-23)"
_SCHEMA: Final = "https://json-schema.org/draft/2020-12/json-schema-validation#section-6.1.3 (2026-11-23)"
_LITELLM: Final = "https://docs.litellm.ai/docs/reasoning_content (2026-11-23)"

Change = Callable[[JsonObject, Conversion], None]


def _liberty(
    name: str, clients: tuple[Dialect, ...], upstreams: tuple[Dialect, ...], source: str, allows: str, change: Change
) -> Liberty:
    def apply(document: JsonObject, conversion: Conversion) -> JsonObject:
        changed = copy.deepcopy(document)
        change(changed, conversion)
        return changed

    return Liberty(name, source, allows, clients, upstreams, upstream_request=apply)


# Settings


def _state_defaults_of_chat(document: JsonObject, _: Conversion) -> None:
    if "cachedContent" not in document:
        defaults = {"temperature": 1, "topP": 1, "presencePenalty": 0, "frequencyPenalty": 0}
        document["generationConfig"] = {**defaults, **obj(document.get("generationConfig"))}


def _state_temperature(document: JsonObject, _: Conversion) -> None:
    if not {"top_p", "thinking"} & document.keys():
        document.setdefault("temperature", 1.0)


_EFFORTS: Final = ((10000, "high"), (5000, "medium"), (2000, "low"), (1, "minimal"))
_TAKES_NO_BUDGET: Final = re.compile(r"claude-(?!3-7|(sonnet|opus|haiku)-4(-[015])?(-20\d{6})?$)")
_BUDGETS: Final = {"low": 1024, "medium": 2048, "high": 4096}


def _budget_of_request(conversion: Conversion) -> int | None:
    """Return the budget of a client that states an effort and no budget."""
    request = conversion.request
    effort = text(request.get("reasoning_effort")) or text(obj(request.get("output_config")).get("effort"))
    return _BUDGETS.get(effort)


def _write_other_budgets(document: JsonObject, conversion: Conversion) -> None:
    budget = _budget_of_request(conversion)
    thinking = obj(obj(conversion.request.get("generationConfig")).get("thinkingConfig"))
    stated_budget = thinking.get("thinkingBudget") or obj(conversion.request.get("thinking")).get("budget_tokens")
    if document.get("reasoning_effort") and isinstance(stated_budget, int) and stated_budget > 0:
        document["reasoning_effort"] = next(effort for bound, effort in _EFFORTS if stated_budget >= bound)
    if (
        budget
        and obj(document.get("thinking")).get("type") == "adaptive"
        and not _TAKES_NO_BUDGET.search(conversion.model)
    ):
        limit = document.get("max_tokens")
        if isinstance(limit, int) and limit > budget:
            document["thinking"] = {"type": "enabled", "budget_tokens": budget}
            output = {key: item for key, item in obj(document.get("output_config")).items() if key != "effort"}
            document["output_config"] = output
            if not output:
                del document["output_config"]
    for holder, key in (
        (obj(obj(document.get("generationConfig")).get("thinkingConfig")), "thinkingBudget"),
        (obj(document.get("thinking")), "budget_tokens"),
    ):
        stated = holder.get(key)
        if budget and isinstance(stated, int) and stated > 0:
            holder[key] = min(budget, stated) if key == "budget_tokens" else budget


# Messages


def _split_messages(document: JsonObject, _: Conversion) -> None:
    """Give every text or image of a message that the model did not write a message of its own."""
    split: list[JsonObject] = []
    for message in objs(document.get("messages")):
        content = message.get("content")
        is_split = message.get("role") in ("user", "system") and isinstance(content, list) and "name" not in message
        split += [{**message, "content": [part]} for part in content] if is_split else [message]
    document["messages"] = split


def _join_system(separator: str) -> Change:
    def change(document: JsonObject, conversion: Conversion) -> None:
        blocks = list(objs(conversion.request.get("system")))
        if any(set(block) - {"type", "text"} for block in blocks):
            return
        pieces = [text(block.get("text")) for block in blocks]
        pieces += [
            text(part.get("text")) for part in objs(obj(conversion.request.get("systemInstruction")).get("parts"))
        ]
        messages = list(objs(conversion.request.get("messages")))
        opening = list(takewhile(lambda message: message.get("role") in ("system", "developer"), messages))
        if not any(message.get("role") in ("system", "developer") for message in messages[len(opening) :]):
            pieces += [text(message.get("content")) for message in opening]
        if len(pieces) < 2 or not all(pieces):
            return
        system = [message for message in objs(document.get("messages")) if message.get("role") == "system"]
        if system and len(system) in (1, len(opening)):
            system[0]["content"] = separator.join(pieces)
            document["messages"] = [message for message in objs(document["messages"]) if message not in system[1:]]
        instruction = obj(document.get("systemInstruction"))
        if instruction:
            instruction["parts"] = [{"text": separator.join(pieces)}]
        if document.get("system"):
            document["system"] = separator.join(pieces)

    return change


def _separate_text_from_calls(document: JsonObject, _: Conversion) -> None:
    """Put the text beside calls into a message before theirs."""
    split: list[JsonObject] = []
    for message in objs(document.get("messages")):
        if message.get("role") == "assistant" and message.get("tool_calls") and message.get("content"):
            split.append({"role": "assistant", "content": message["content"]})
            message["content"] = None
        split.append(message)
    document["messages"] = split


# Tools


def _functions(document: JsonObject) -> Iterator[JsonObject]:
    yield from find_objects(document, "tools[].functionDeclarations[]")
    yield from find_objects(document, "tools[].function")
    yield from (tool for tool in find_objects(document, "tools[]") if "input_schema" in tool)


_SCHEMA_KEYS: Final = ("parametersJsonSchema", "parameters", "input_schema")


def _schemas(document: JsonObject) -> Iterator[JsonObject]:
    """Yield the schemas of functions that are plain JSON Schema."""
    for function in _functions(document):
        for key in _SCHEMA_KEYS:
            if isinstance(function.get(key), dict) and not (key == "parameters" and "functionDeclarations" in document):
                yield obj(function[key])


def _state_schema_uri(document: JsonObject, _: Conversion) -> None:
    for schema in _schemas(document):
        schema.setdefault("$schema", "http://json-schema.org/draft-07/schema#")


def _title_schemas(document: JsonObject, _: Conversion) -> None:
    for schema in _schemas(document):
        schema.setdefault("title", "Arguments")
        for name, member in obj(schema.get("properties")).items():
            if isinstance(member, dict) and "$ref" not in member:
                member.setdefault("title", name.replace("_", " ").title())


def _fill_in_tools(document: JsonObject, _: Conversion) -> None:
    for function in _functions(document):
        function.setdefault("description", "")
    for path, key in (("tools[].functionDeclarations[]", "parametersJsonSchema"), ("tools[].function", "parameters")):
        for function in find_objects(document, path):
            if not set(_SCHEMA_KEYS) & function.keys():
                function[key] = {"type": "object", "properties": {}}
    for schema in _schemas(document):
        if schema.get("type") == "object":
            schema.setdefault("properties", {})
            schema.setdefault("required", [])


def _rewrite_schemas(change: Callable[[JsonObject], JsonObject]) -> Change:
    def apply(document: JsonObject, _: Conversion) -> None:
        for schema in _schemas(document):
            changed = map_schema(schema, change)
            schema.clear()
            schema.update(obj(changed))

    return apply


def _swap_const_and_enum(node: JsonObject) -> JsonObject:
    """Write a constant as an enum of one, and an enum of one as a constant."""
    values = node.get("enum")
    if "const" in node and "enum" not in node:
        return {"enum" if key == "const" else key: [item] if key == "const" else item for key, item in node.items()}
    if not isinstance(values, list) or len(values) != 1:
        return node
    return {"const" if key == "enum" else key: values[0] if key == "enum" else item for key, item in node.items()}


_ALL: Final[tuple[Dialect, ...]] = ("gemini", "openai-chat", "anthropic")
_ANNOTATION: Final = "It says nothing about instances."

MORE_REQUEST_LIBERTIES: Final[tuple[Liberty, ...]] = (
    _liberty("gemini-defaults-of-chat", ("openai-chat",), ("gemini",), _CHAT,
             "By the client's API a setting that is absent has this value.", _state_defaults_of_chat),
    _liberty("anthropic-temperature-stated", (), ("anthropic",), "recorded: dd-trace-py/0001",
             "What a request may leave out it may state with the documented default.", _state_temperature),
    _liberty("thinking-by-another-table", (), _ALL, _LITELLM,
             "How many tokens a level of effort stands for is the adapter's choice.", _write_other_budgets),
    _liberty("chat-messages-split", (), ("openai-chat",), "recorded: dd-trace-py/0017",
             "Neighbouring messages may have one role.", _split_messages),
    _liberty("system-joined-by-lines", (), _ALL,
             "https://platform.claude.com/docs/en/api/openai-sdk#system-developer-message-hoisting (2026-11-23)",
             "A prompt of several texts may be one, with line ends between them.", _join_system("\n\n")),
    _liberty("chat-text-before-calls", (), ("openai-chat",), "recorded: llm/0002",
             "Text and calls of the model may stand in two messages.", _separate_text_from_calls),
    _liberty("schema-uri-stated", (), _ALL, "recorded: js-genai/0019", _ANNOTATION, _state_schema_uri),
    _liberty("schema-titles", (), _ALL, "recorded: dd-trace-py/0145", _ANNOTATION, _title_schemas),
    _liberty("tools-filled-in", (), _ALL, "recorded: chatlas/0023, dd-trace-py/0151, chatlas/0071",
             "An empty description, list of required names or object of parameters says nothing.", _fill_in_tools),
    _liberty("constants-otherwise", (), ("openai-chat", "anthropic"), _SCHEMA, "const is an enum of one.",
             _rewrite_schemas(_swap_const_and_enum)),
)  # fmt: skip
