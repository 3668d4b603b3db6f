"""GoogleAIChatCompletion of semantic-kernel as bridgecheck asks it: ``get_chat_message_contents`` and
``get_streaming_chat_message_contents`` of its documentation
(https://learn.microsoft.com/en-us/semantic-kernel/concepts/ai-services/chat-completion/), with a Client of google-genai
at the base URL of the recordings, which is its parameter ``client``.

Functions are offered with ``auto_invoke=False``, so that their calls come back
(https://learn.microsoft.com/en-us/semantic-kernel/concepts/ai-services/chat-completion/function-calling/function-invocation#manual-function-invocation).
Answers are written down as the items, the finish reason and the metadata of their ChatMessageContent say them; ``keep``
is that message, pickled, as its metadata hold bytes. What its types have no field for is refused by name, or stands in
``cannot_say``.
"""

import asyncio
import base64
import json
import pickle
import sys
import threading
from functools import reduce
from importlib.metadata import version
from operator import add

import aiohttp
import httpx
from google.genai import Client
from google.genai.errors import APIError, UnknownApiResponseError
from pydantic import ValidationError
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai.function_choice_behavior import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.google.google_ai import GoogleAIChatCompletion, GoogleAIChatPromptExecutionSettings
from semantic_kernel.contents import (
    AudioContent,
    AuthorRole,
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    ImageContent,
    TextContent,
)
from semantic_kernel.contents.binary_content import BinaryContent
from semantic_kernel.exceptions import KernelException
from semantic_kernel.functions import (
    KernelFunctionFromMethod,
    KernelParameterMetadata,
    KernelPlugin,
    kernel_function,
)
from shim import serve

asked_provider = threading.Event()
"""Set when the provider is asked: nothing that goes wrong later is a refusal."""
sys.addaudithook(lambda event, arguments: asked_provider.set() if event == "socket.connect" else None)

FAILURES = (APIError, UnknownApiResponseError, json.JSONDecodeError, httpx.HTTPError, aiohttp.ClientError)

# Its FinishReason
FINISH = {"stop": "stop", "length": "length", "content_filter": "content_filter", "tool_calls": "tool_calls"}
# https://learn.microsoft.com/en-us/python/api/semantic-kernel/semantic_kernel.connectors.ai.google.google_ai.googleaichatpromptexecutionsettings
SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_output_tokens",
    "stop": "stop_sequences",
    "n": "candidate_count",
}
DEFAULTS = [("modalities", ["text"])]  # they say what it does without them
# https://learn.microsoft.com/en-us/semantic-kernel/concepts/ai-services/chat-completion/function-calling/function-choice-behaviors
BEHAVIORS = {
    "auto": FunctionChoiceBehavior.Auto,
    "none": FunctionChoiceBehavior.NoneInvoke,
    "required": FunctionChoiceBehavior.Required,
}
MEDIA = {"image": ImageContent, "audio": AudioContent}
SEPARATOR = "__"  # between the names of a plugin and of its function, as its Google connectors send them
LISTED = {"type", "properties", "required", "$schema"}  # what a list of parameters says of a schema


class SemanticKernel:
    name, version = "semantic-kernel", version("semantic-kernel")
    routes = [("outcome", "gemini")]
    claims = ["tools", "parallel_tools", "signatures", "media_input", "json_schema", "multiple_choices", "relay"]
    cannot_say = [
        *("citations", "code", "order", "refusal", "error.retry_after", "usage.total", "usage.tool_prompt"),
        *("response_format.name", "response_format.strict", "settings.seed", "settings.user", "settings.modalities"),
        *("settings.presence_penalty", "settings.frequency_penalty", "tool_choice.parallel", "tool_choice.validated"),
        *("tools.strict", "turns.media.detail", "turns.results.is_error"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        asked_provider.clear()
        genai = Client(api_key=api_key, http_options={"base_url": base_url})
        try:
            tools = [Tool(**tool) for tool in body.get("tools", [])]
            asked = {
                "chat_history": ChatHistory(messages=messages(body)),
                "settings": execution_settings(body, tools),
                "kernel": kernel_of(tools),
            }
            service = GoogleAIChatCompletion(gemini_model_id=model, api_key=api_key, client=genai)
        except (KernelException, ValidationError) as error:  # its types look at what they hold
            raise refusal(error) from error
        names = {tool.function.fully_qualified_name: tool.name for tool in tools}
        return stream(genai, service, asked, names) if mode == "stream" else unary(genai, service, asked, names)


def unary(genai, service, asked, names):
    try:
        with asyncio.Runner() as runner:
            try:
                found = runner.run(service.get_chat_message_contents(**asked))
            finally:
                runner.run(genai.aio.aclose())
    except FAILURES as error:
        return {"error": failure(error)}
    except (KernelException, ValueError) as error:
        raise refusal(error) from error
    answers = [{"parts": parts_of(message, names), **end(message)} for message in found]
    if not answers:
        return {"parts": []}
    if len(answers) == 1:
        return answers[0] | counted(found[0]) | {"keep": kept(found[0])}
    return {"choices": [{"index": at, **one} for at, one in enumerate(answers)], **counted(found[0])}


def stream(genai, service, asked, names):
    """Texts as they come. Of a call its documentation waits for the whole message, which is the sum of the chunks:
    chat_completion_with_manual_function_calling_streaming.py of
    https://github.com/microsoft/semantic-kernel/tree/main/python/samples/concepts/auto_function_calling"""
    told = {}
    try:
        for chunk in (one for chunks in steps(genai, service, asked) for one in chunks):
            told.setdefault(chunk.choice_index, []).append(chunk)
            if parts := [part for part in parts_of(chunk, names) if "text" in part]:
                yield {"choice": chunk.choice_index, "parts": parts}
    except FAILURES as error:
        yield {"error": failure(error)}
        return
    except (KernelException, ValueError) as error:
        raise refusal(error) from error
    for choice, chunks in sorted(told.items()):
        message = reduce(add, chunks)
        calls = [part for part in parts_of(message, names) if "tool_call" in part]
        keep = {"keep": kept(message)} if len(told) == 1 else {}
        yield {"choice": choice, **({"parts": calls} if calls else {}), **end(message), **counted(message), **keep}


def steps(genai, service, asked):
    events = service.get_streaming_chat_message_contents(**asked)
    with asyncio.Runner() as runner:
        try:
            while True:
                yield runner.run(anext(events))
        except StopAsyncIteration:
            return
        finally:
            runner.run(events.aclose())
            runner.run(genai.aio.aclose())


# The answer ---------------------------------------------------------------------------------------------------------


def parts_of(message, names):
    return [part for item in message.items for part in part_of(item, names)]


def part_of(item, names):
    if isinstance(item, TextContent):
        return [{"text": item.text}] if item.text else []
    if not isinstance(item, FunctionCallContent):
        raise TypeError(f"an item of the type {type(item).__name__}")
    known = item.arguments
    args = {"args_text": known} if isinstance(known, str) else {"args": dict(known or {})}
    call = {"id": item.id, "name": names.get(item.name, item.name), **args}
    signature = item.metadata.get("thought_signature")
    return [{"tool_call": call, **({"signature": base64.b64encode(signature).decode()} if signature else {})}]


def end(message):
    """Its finish reason: "The raw value will be available in metadata", alone where it has none for Gemini's word."""
    native = message.metadata.get("finish_reason")
    reason = message.finish_reason
    word = native or reason
    known = {"finish_native": word.value} if word else {}
    return known | ({"finish": FINISH[reason.value]} if reason and reason.value in FINISH else {})


def counted(message):
    """Its CompletionUsage."""
    counts = message.metadata["usage"]
    read, written = counts.prompt_tokens_details, counts.completion_tokens_details
    known = {
        "prompt": counts.prompt_tokens,
        "completion": counts.completion_tokens,
        "cached": read.cached_tokens if read else None,
        "reasoning": written.reasoning_tokens if written else None,
    }
    found = {name: value for name, value in known.items() if value is not None}
    return {"usage": found} if found else {}


def kept(message):
    return base64.b64encode(pickle.dumps(message)).decode()


def failure(error):
    """Those of google-genai and of its HTTP clients: the connector lets them through."""
    found = {"message": str(error)}
    return found | ({"status": error.code, "native": error.status or ""} if isinstance(error, APIError) else {})


def refusal(error):
    """Its own exceptions are of what it does not take, and so are a ValidationError and a ValueError of google-genai,
    where they are raised before it asks. Those of Python are subclasses."""
    if asked_provider.is_set():
        return error
    if isinstance(error, ValidationError):
        said = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        return NotImplementedError("; ".join(said))
    if isinstance(error, KernelException) or type(error) is ValueError:
        return NotImplementedError(str(error))
    return error


# The request --------------------------------------------------------------------------------------------------------


def execution_settings(body, tools):
    settings = body.get("settings", {})
    unknown = [name for name in settings if name not in SETTINGS and (name, settings[name]) not in DEFAULTS]
    unknown += ["thinking"] if body.get("thinking") else []
    if unknown:
        raise NotImplementedError(f"{', '.join(unknown)}: GoogleAIChatPromptExecutionSettings has no such field")
    options = {SETTINGS[name]: value for name, value in settings.items() if name in SETTINGS}
    wanted = body.get("response_format", {"kind": "text"})
    if wanted["kind"] != "text":
        options["response_mime_type"] = "application/json"
    if wanted["kind"] == "json_schema":
        options["response_schema"] = wanted["schema"]
    choice = behavior(tools, **body.get("tool_choice", {}))
    return GoogleAIChatPromptExecutionSettings(function_choice_behavior=choice, **options)


def behavior(tools, mode=None, names=(), parallel=None):
    """A behavior is of all functions that it offers: those that must not be called are not offered."""
    if mode in ("named", "allowed") and {tool.name for tool in tools} == set(names):
        mode = "required"
    if mode is not None and mode not in BEHAVIORS:
        raise NotImplementedError(f"tool_choice {mode}: a FunctionChoiceBehavior is of all functions that it offers")
    return BEHAVIORS[mode or "auto"](auto_invoke=False) if tools or mode else None


class Tool:
    """A function that only describes itself, with the parameters that semantic-kernel makes of a JSON Schema where it
    offers the tools of an MCP server."""

    def __init__(self, name, description=None, parameters=None, strict=None):
        self.name = name
        self.plugin = named(name)["plugin_name"]
        schema = parameters or {}
        unknown = {key for key in schema if key not in LISTED and (key, schema[key]) != ("additionalProperties", False)}
        if unknown or schema.get("type", "object") != "object":
            raise NotImplementedError(f"{', '.join(sorted(unknown))} of {name}: a function has a list of parameters")
        method = kernel_function(name=named(name)["function_name"], description=description)(lambda: None)
        required = schema.get("required", ())
        listed = [parameter(name, value, name in required) for name, value in schema.get("properties", {}).items()]
        self.function = KernelFunctionFromMethod(method=method, plugin_name=self.plugin, parameters=listed)


def parameter(name, schema, is_required):
    kind = schema.get("type") if isinstance(schema, dict) else None
    return KernelParameterMetadata(
        name=name,
        type_=kind if isinstance(kind, str) else None,
        is_required=is_required,
        default_value=schema.get("default") if isinstance(schema, dict) else None,
        schema_data=schema,
    )


def named(name):
    """A function has the name of its plugin before its own where the client's name has two such halves. Any other
    function has no plugin, as the plugin's name would be sent as a part of its name."""
    plugin, separator, function = name.partition(SEPARATOR)
    if separator and plugin and function:
        return {"plugin_name": plugin, "function_name": function}
    return {"plugin_name": None, "function_name": name}


def kernel_of(tools):
    kernel = Kernel()
    for tool in tools:
        if tool.plugin:
            kernel.add_function(tool.plugin, tool.function)
            continue
        plugin = kernel.plugins.get("tools") or kernel.add_plugin(KernelPlugin(name="tools"))
        plugin.functions[tool.name] = tool.function  # __setitem__ would give it the name of the plugin
    return kernel


def messages(body):
    """One system message: its Google connectors expect no more."""
    text = "\n".join(body.get("system", []))
    system = [ChatMessageContent(role=AuthorRole.SYSTEM, content=text)] if text else []
    return [*system, *(message for turn in body["turns"] for message in turn_messages(turn))]


def turn_messages(turn):
    """A message of the role tool for each result, as its own loop adds them, and one for what stands between them."""
    if turn["role"] == "assistant" and turn.get("keep"):
        return [pickle.loads(base64.b64decode(turn["keep"]))]
    found, items = [], []
    for part in turn["parts"]:
        if "tool_result" in part:
            found += message_of(turn, items)
            found.append(tool_result(**part["tool_result"]).to_chat_message_content())
            items = []
        else:
            items.append(item_of(**part))
    return [*found, *message_of(turn, items)]


def message_of(turn, items):
    return [ChatMessageContent(role=AuthorRole(turn["role"]), items=items, name=turn.get("name"))] if items else []


def item_of(signature=None, detail=None, keep=None, **part):
    """The signature of a call stands in its metadata, as in its own messages."""
    ((kind, value),) = part.items()
    if kind == "tool_call":
        return function_call(**value, signature=signature)
    if signature:
        raise NotImplementedError("a signature that is not of a call")
    if kind == "text":
        return TextContent(text=value)
    if kind == "media":
        return media(**value)
    raise NotImplementedError(f"in a turn: {kind}")


def function_call(name, id=None, args=None, args_text=None, signature=None):
    known = {"metadata": {"thought_signature": signature_bytes(signature)}} if signature else {}
    whose = named(name)
    full = name if whose["plugin_name"] is None else None
    return FunctionCallContent(id=id, name=full, **whose, arguments=args_text if args is None else args, **known)


def signature_bytes(signature):
    """Bytes in JSON are base64, standard or URL-safe, with or without padding:
    https://protobuf.dev/programming-guides/json (2026-11-23)"""
    standard = signature.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except ValueError as error:
        raise NotImplementedError("a signature that is no base64: its messages hold bytes") from error


def tool_result(value, id=None, name=None, media=(), is_error=None, cited=()):
    """Its result is what the function gave back."""
    if media or cited:
        raise NotImplementedError("media or search results in the result of a call")
    return FunctionResultContent(id=id, **named(name or ""), result=value)


def media(mime, data=None, uri=None):
    """https://learn.microsoft.com/en-us/semantic-kernel/concepts/ai-services/chat-completion/multi-modal-chat-completion"""
    kind = MEDIA.get(mime.partition("/")[0], BinaryContent)
    if uri is not None:
        if "://" not in uri:
            raise NotImplementedError(f"turns.media.uri: {uri}: its contents have addresses, no ids of files")
        return kind(uri=uri)
    if not mime or mime.endswith("*"):
        raise NotImplementedError("media whose type is not known")
    return kind(data=data, data_format="base64", mime_type=mime)


if __name__ == "__main__":
    serve(SemanticKernel())
