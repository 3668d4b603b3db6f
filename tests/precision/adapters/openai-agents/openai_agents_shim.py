"""openai-agents as bridgecheck asks it: one call of its OpenAIChatCompletionsModel
(https://openai.github.io/openai-agents-python/models/), made with an AsyncOpenAI client at the base URL of the
recordings: ``get_response`` and ``stream_response`` of a Model
(https://openai.github.io/openai-agents-python/ref/models/interface/), which is what a Runner calls in each turn.

A Runner would run the tools itself and ask again. ``keep`` is ``to_input_items`` of the answer, which a Runner adds to
its history. What its types have no field for is refused by name, or stands in ``cannot_say``.
"""

import asyncio
import json
import re
from importlib.metadata import version

import httpx2
import openai
from agents import (
    AgentOutputSchemaBase,
    FunctionTool,
    ModelResponse,
    ModelSettings,
    ModelTracing,
    OpenAIChatCompletionsModel,
    Usage,
    set_tracing_disabled,
)
from agents.exceptions import AgentsException, ModelBehaviorError, UserError
from agents.models.fake_id import FAKE_RESPONSES_ID
from agents.retry import ModelRetryAdviceRequest
from openai.types.shared import Reasoning
from pydantic import ValidationError
from shim import serve

FAILURES = (openai.OpenAIError, httpx2.HTTPError, json.JSONDecodeError, AgentsException)
TIMEOUTS = (openai.APITimeoutError, httpx2.TimeoutException)
CUT = "finish_reason='length'"
"""What its error says of an answer that was cut before its first word."""
SETTINGS = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "max_tokens")
ARGUMENTS = ("stop", "seed", "user")
"""Parameters of Chat Completions that stand in extra_args:
https://openai.github.io/openai-agents-python/models/#passing-extra_args"""
DEFAULTS = [("n", 1), ("modalities", ["text"])]  # they say what it does without them
LEAST_EFFORT = {
    "gpt-5(-mini|-nano)?(-20|$)": "minimal",
    "o[134](-|$)": "low",
    "gpt-[34]": None,
    "gemini-(2.5-pro|[3-9])": "minimal",
}
"""Models that cannot stop reasoning, and the least that they take (None: they never reason, and take no effort); others
take none: https://platform.openai.com/docs/api-reference/chat/create#chat_create-reasoning_effort and
https://ai.google.dev/gemini-api/docs/openai#thinking (2026-11-23)"""
SOUNDS = {"audio/wav": "wav", "audio/mpeg": "mp3"}
"""The formats of ResponseInputAudioParam, which the model's input takes."""


class OpenAiAgents:
    name, version = "openai-agents", version("openai-agents")
    routes = [("outcome", "openai-chat")]
    claims = ["tools", "parallel_tools", "thinking", "media_input", "json_schema", "relay"]
    cannot_say = [
        *("code", "finish", "response_format.name", "settings.modalities", "settings.top_k", "thinking.include"),
        *("tool_choice.validated", "turns.name", "turns.results.is_error", "usage.tool_prompt"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        asked = Asked(model, base_url, api_key)
        wanted = parameters(body, model)
        return stream(asked, wanted) if mode == "stream" else unary(asked, wanted)


class Asked:
    """The model, and whether the provider was asked: nothing that goes wrong later is a refusal. With strict validation
    it raises what it drops otherwise:
    https://openai.github.io/openai-agents-python/models/#chat-completions-compatibility-options"""

    def __init__(self, model, base_url, api_key):
        self.was_asked = False
        client = openai.DefaultAsyncHttpxClient(event_hooks={"request": [self.note]})
        self.model = OpenAIChatCompletionsModel(
            model,
            openai.AsyncOpenAI(base_url=base_url, api_key=api_key, max_retries=0, http_client=client),
            strict_feature_validation=True,
        )

    async def note(self, request):
        self.was_asked = True

    def failure(self, error, mode):
        """Its own exceptions, and those of the SDK, which it lets through. The hint is that of its retry advice:
        https://openai.github.io/openai-agents-python/models/#runner-managed-retries"""
        if isinstance(error, UserError) and not self.was_asked:
            raise NotImplementedError(str(error)) from error
        found = {"message": str(error)}
        if isinstance(error, openai.APIError):
            found |= {"native": error.code or error.type, "status": getattr(error, "status_code", None)}
        if isinstance(error, TIMEOUTS):
            found["kind"] = "timeout"
        elif isinstance(error, ModelBehaviorError) and CUT in str(error):
            found["kind"] = "truncated"
        advice = self.model.get_retry_advice(ModelRetryAdviceRequest(error, 1, mode == "stream"))
        found |= {"retry_after": advice.retry_after} if advice else {}
        return {"error": {name: value for name, value in found.items() if value is not None}}


def unary(asked, wanted):
    try:
        found = asyncio.run(asked.model.get_response(**wanted))
    except FAILURES as error:
        return asked.failure(error, "unary")
    usage = found.usage if found.raw_usage is not None else None
    return {**said(found.output), **end(found, usage)}


def stream(asked, wanted):
    with asyncio.Runner() as runner:
        events = asked.model.stream_response(**wanted)
        while True:
            try:
                event = runner.run(anext(events))
            except StopAsyncIteration:
                return
            except FAILURES as error:
                yield asked.failure(error, "stream")
                return
            if event.type == "response.completed":
                found = ModelResponse(output=event.response.output, usage=Usage(), response_id=None)
                yield {**cited(found.output), **end(found, event.response.usage)}
            elif told := piece(event):
                yield told


# The answer ---------------------------------------------------------------------------------------------------------


def said(items):
    """https://openai.github.io/openai-agents-python/ref/items/#agents.items.ModelResponse.output"""
    parts, refused = [], []
    for item in items:
        if item.type == "reasoning":
            parts += [{"reasoning": one.text} for one in item.summary or item.content or ()]
        elif item.type == "function_call":
            parts.append({"tool_call": {**called(item), "args_text": item.arguments}})
        elif item.type == "message":
            parts += [{"text": one.text} for one in item.content if one.type == "output_text"]
            refused += [one.refusal for one in item.content if one.type == "refusal"]
    return {"parts": parts, **({"refusal": "".join(refused)} if refused else {}), **cited(items)}


def called(item):
    """Of a call without an id the id is empty."""
    return {**({"id": item.call_id} if item.call_id else {}), "name": item.name}


def cited(items):
    texts = [one for item in items if item.type == "message" for one in item.content if one.type == "output_text"]
    found = [annotation.model_dump(mode="json") for text in texts for annotation in text.annotations]
    return {"citations": found} if found else {}


def piece(event):
    """What an event adds: https://openai.github.io/openai-agents-python/streaming/#raw-response-events"""
    if event.type == "response.output_text.delta":
        return {"parts": [{"text": event.delta}]}
    if event.type in ("response.reasoning_summary_text.delta", "response.reasoning_text.delta"):
        return {"parts": [{"reasoning": event.delta}]}
    if event.type == "response.refusal.delta":
        return {"refusal": event.delta}
    if event.type == "response.output_item.added" and event.item.type == "function_call":
        return {"parts": [{"tool_call": {"index": event.output_index, **called(event.item)}}]}
    if event.type == "response.function_call_arguments.delta":
        return {"parts": [{"tool_call": {"index": event.output_index, "args_text": event.delta}}]}
    return {}


def end(found, usage):
    """Its answers have no finish reason (``finish``): ModelResponse has output, usage and ids, and of every answer that
    it hands over messages, and the last event of a stream, are "completed", also of one that was cut
    (chatcmpl_converter.py and chatcmpl_stream_handler.py of 0.24.0). Of details of the usage that the provider does not
    give it says 0."""
    kept = found.to_input_items()
    return {**({"keep": kept} if kept else {}), **({"usage": counted(usage)} if usage else {})}


def counted(usage):
    read, written = usage.input_tokens_details, usage.output_tokens_details
    details = {
        "cached": read.cached_tokens,
        "cache_write": read.cache_write_tokens,
        "reasoning": written.reasoning_tokens,
    }
    whole = {"prompt": usage.input_tokens, "completion": usage.output_tokens, "total": usage.total_tokens}
    return whole | {name: value for name, value in details.items() if value}


# The request --------------------------------------------------------------------------------------------------------


def parameters(body, model):
    """Instructions are one text, as those of an Agent."""
    return {
        "system_instructions": "\n".join(body["system"]) if body.get("system") else None,
        "input": [item for turn in body["turns"] for item in items(turn)],
        "model_settings": model_settings(body, model),
        "tools": [tool(**one) for one in body.get("tools", [])],
        "output_schema": output_schema(**body.get("response_format", {"kind": "text"})),
        "handoffs": [],
        "tracing": ModelTracing.DISABLED,
        "previous_response_id": None,
        "conversation_id": None,
        "prompt": None,
    }


def model_settings(body, model):
    """https://openai.github.io/openai-agents-python/ref/model_settings/. Other hosts than OpenAI's give the usage of a
    stream with include_usage alone; preserve_raw_usage tells a usage that is not there from one of 0."""
    known = body.get("settings", {})
    unknown = [name for name in known if name not in SETTINGS + ARGUMENTS and (name, known[name]) not in DEFAULTS]
    if unknown:
        raise NotImplementedError(f"settings.{unknown[0]}: ModelSettings has none")
    found = {name: known[name] for name in SETTINGS if name in known}
    arguments = {name: known[name] for name in ARGUMENTS if name in known}
    if body.get("response_format", {}).get("kind") == "json_object":
        arguments["response_format"] = {"type": "json_object"}
    if body.get("thinking"):
        found["reasoning"] = reasoning(model, **body["thinking"])
    choice = body.get("tool_choice", {})
    return ModelSettings(
        **found,
        tool_choice=tool_choice(**choice),
        parallel_tool_calls=choice.get("parallel"),
        extra_args=arguments or None,
        include_usage=True,
        preserve_raw_usage=True,
    )


def reasoning(model, level=None, budget=None, include=None):
    """Chat Completions uses only its effort: https://openai.github.io/openai-agents-python/models/#gpt-5-models"""
    if include is not None:
        raise NotImplementedError("thinking.include: Chat Completions takes the effort of Reasoning alone")
    if budget == 0:
        level = next((least for name, least in LEAST_EFFORT.items() if re.match(name, model)), "none")
    elif budget is not None:
        raise NotImplementedError("thinking.budget: Reasoning has an effort")
    try:
        return Reasoning(effort=level)
    except ValidationError as error:
        raise NotImplementedError(f"thinking.level: {level} is no effort of Reasoning") from error


def tool_choice(mode=None, names=(), parallel=None):
    if mode in ("allowed", "validated"):
        raise NotImplementedError(f"tool_choice.{mode}: it is auto, required, none or the name of a tool")
    return names[0] if mode == "named" else mode


def tool(name, description="", parameters=None, strict=None):
    """https://openai.github.io/openai-agents-python/tools/#custom-function-tools. A strict tool has a schema that it
    rewrites; one that was not asked for is not, as tools of MCP servers are by default:
    https://openai.github.io/openai-agents-python/ref/mcp/util/"""

    async def never_called(context, arguments):
        raise RuntimeError(f"{name} was called with {arguments}")

    schema = parameters or {"type": "object", "properties": {}}
    try:
        return FunctionTool(name, description, schema, never_called, strict_json_schema=bool(strict))
    except UserError as error:
        raise NotImplementedError(f"tools.strict: {error}") from error


class OutputSchema(AgentOutputSchemaBase):
    """A schema that is no Python type: https://openai.github.io/openai-agents-python/ref/agent_output/"""

    def __init__(self, schema, strict):
        self.schema, self.strict = schema, strict

    def is_plain_text(self):
        return False

    def name(self):
        return "final_output"

    def json_schema(self):
        return self.schema

    def is_strict_json_schema(self):
        return self.strict

    def validate_json(self, json_str):
        return json.loads(json_str)


def output_schema(kind, schema=None, name=None, strict=False):
    return OutputSchema(schema or {}, strict) if kind == "json_schema" else None


def items(turn):
    """Input items are those of the Responses API: https://openai.github.io/openai-agents-python/ref/items/. The results
    of parallel calls are an item each."""
    if turn.get("name"):
        raise NotImplementedError("turns.name: a message has no name")
    if turn["role"] == "assistant":
        return turn.get("keep") or [*said_before(turn["parts"])]
    found = [] if turn["parts"] else [{"role": turn["role"], "content": []}]
    for part in turn["parts"]:
        if "tool_result" in part:
            found.append(tool_output(**part["tool_result"]))
            continue
        if not found or "content" not in found[-1]:
            found.append({"role": turn["role"], "content": []})
        found[-1]["content"].append(content(**part))
    return [one if "content" not in one else message(**one) for one in found]


def message(role, content):
    is_text = len(content) == 1 and content[0]["type"] == "input_text"
    return {"role": role, "content": content[0]["text"] if is_text else content}


def said_before(parts):
    """A history that the caller states himself, as items of an answer. Texts that follow each other are one message."""
    texts = []
    for part in parts:
        if part.get("signature"):
            raise NotImplementedError("turns.signatures: the signature of a part")
        if "text" in part:
            texts.append({"type": "output_text", "text": part["text"], "annotations": []})
            continue
        if texts:
            yield answered(texts)
        texts = []
        if "reasoning" in part:
            summary = [{"type": "summary_text", "text": part["reasoning"]}]
            yield {"type": "reasoning", "id": FAKE_RESPONSES_ID, "summary": summary}
        elif "tool_call" in part:
            yield function_call(**part["tool_call"])
        else:
            raise NotImplementedError(f"in the turn of the assistant: {', '.join(part)}")
    if texts or not parts:
        yield answered(texts)


def answered(texts):
    known = {"type": "message", "role": "assistant", "status": "completed"}
    return {"id": FAKE_RESPONSES_ID, **known, "content": texts}


def function_call(name, id="", args=None, args_text=None):
    text = args_text if args_text is not None else json.dumps(args or {}, ensure_ascii=False)
    return {"type": "function_call", "call_id": id, "name": name, "arguments": text}


def tool_output(value, id="", name=None, media=(), is_error=None, cited=()):
    """Text, or with media the items that it makes of ToolOutputText, ToolOutputImage and ToolOutputFileContent:
    https://openai.github.io/openai-agents-python/tools/#returning-images-or-files-from-function-tools"""
    if cited:
        raise NotImplementedError("search results in the result of a call")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    output = text
    if media:
        output = [*([{"type": "input_text", "text": text}] if text else []), *(medium(**one) for one in media)]
    return {"type": "function_call_output", "call_id": id, "output": output}


def content(text=None, media=None, detail=None, signature=None, keep=None, **other):
    if signature:
        raise NotImplementedError("turns.signatures: the signature of a part")
    if other:
        raise NotImplementedError(f"in the turn of the user: {', '.join(other)}")
    return {"type": "input_text", "text": text} if media is None else medium(**media, **(detail or {}))


def medium(mime, data=None, uri=None, **known):
    """Images by address or as data, files by id, address or as data, and sounds as data:
    https://openai.github.io/openai-agents-python/ref/items/#agents.items.TResponseInputItem"""
    kind = mime.split("/")[0]
    if kind == "image":
        of_its_own = {"detail"}
        found = {"type": "input_image", **source(mime, data, uri, "image_url", "image_url")}
    elif kind == "audio" and data is not None and mime in SOUNDS:
        of_its_own = set()
        found = {"type": "input_audio", "input_audio": {"data": data, "format": SOUNDS[mime]}}
    elif kind in ("audio", "video"):
        raise NotImplementedError(f"media of the type {mime}: an input_audio has data, wav or mp3")
    else:
        of_its_own = {"filename", "detail"}
        found = {"type": "input_file", **source(mime, data, uri, "file_data", "file_url")}
    if known.keys() - of_its_own:
        raise NotImplementedError(f"turns.media.detail: {known}: {found['type']} has {of_its_own or 'none'}")
    return found | known


def source(mime, data, uri, for_data, for_address):
    if data is None:
        return {for_address: uri} if "://" in uri else {"file_id": uri}
    if not mime or mime.endswith("*"):
        raise NotImplementedError("media whose type is not known")
    return {for_data: f"data:{mime};base64,{data}"}


if __name__ == "__main__":
    set_tracing_disabled(True)  # traces go to OpenAI: https://openai.github.io/openai-agents-python/tracing/
    serve(OpenAiAgents())
