"""GoogleGenAIChatGenerator of google-genai-haystack as bridgecheck asks it: ``run`` of its documentation
(https://docs.haystack.deepset.ai/docs/googlegenaichatgenerator), with a ``streaming_callback`` where it is streamed.

Answers are written down as their ChatMessage says them (https://docs.haystack.deepset.ai/docs/chatmessage), streams as
their StreamingChunks do (https://docs.haystack.deepset.ai/reference/data-classes-api#streamingchunk); ``keep`` is that
message as Haystack stores it. What its messages, its tools and ``generation_kwargs``
(https://docs.haystack.deepset.ai/reference/integrations-google-genai) have no place for is refused by name, or stands
in ``cannot_say``.
"""

import json
import os
import queue
import re
import sys
import threading
from importlib.metadata import version

import httpx
import httpx2
from google.genai.errors import APIError, UnknownApiResponseError
from haystack.dataclasses import ChatMessage, FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from haystack.tools import Tool
from haystack.utils import Secret
from haystack_integrations.components.generators.google_genai import GoogleGenAIChatGenerator
from pydantic import ValidationError
from shim import serve

asked = threading.Event()
"""Set when the provider is asked: nothing that goes wrong later is a refusal."""
sys.addaudithook(lambda event, arguments: asked.set() if event == "socket.connect" else None)

FAILURES = (APIError, UnknownApiResponseError, json.JSONDecodeError, httpx.HTTPError, httpx2.HTTPError)
SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_output_tokens",
    "stop": "stop_sequences",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}
DEFAULTS = [("n", 1), ("modalities", ["text"])]  # they say what it does without them
THINKING_BUDGETS = {"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576}
"""What stands for a level with models before Gemini 3, which have no levels, by Google's own table:
https://ai.google.dev/gemini-api/docs/openai#thinking (2026-11-23)"""
LEAST_THINKING = {
    "gemini-2.5-pro": {"budget": 128},
    "gemini-[3-9].*-pro": {"level": "low"},
    "gemini-[3-9]": {"level": "minimal"},
}
"""Models that cannot stop thinking, the first that fits, and the least that each takes:
https://ai.google.dev/gemini-api/docs/thinking (2026-11-23)"""
# functionCallingConfig: https://ai.google.dev/api/caching#FunctionCallingConfig
TOOL_CONFIG_MODES = {
    "auto": "AUTO",
    "none": "NONE",
    "required": "ANY",
    "named": "ANY",
    "allowed": "ANY",
    "validated": "VALIDATED",
}
USAGE = {
    "prompt_tokens": "prompt",
    "completion_tokens": "completion",
    "total_tokens": "total",
    "cached_content_token_count": "cached",
    "thoughts_token_count": "reasoning",
    "tool_use_prompt_token_count": "tool_prompt",
}


class Haystack:
    name = "google-genai-haystack"
    version = f"{version('google-genai-haystack')}, haystack-ai {version('haystack-ai')}"
    routes = [("outcome", "gemini")]
    claims = ["tools", "parallel_tools", "thinking", "signatures", "media_input", "json_schema", "relay"]
    cannot_say = [
        *("citations", "code", "order", "refusal", "text.segments", "error.retry_after", "usage.cache_write"),
        *("response_format.name", "response_format.strict", "settings.user", "settings.modalities"),
        *("tool_choice.parallel", "tools.strict", "turns.media.detail", "turns.media.uri", "turns.name"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        os.environ["GOOGLE_GEMINI_BASE_URL"] = base_url  # https://googleapis.github.io/python-genai/#custom-base-url
        refuse(body)
        options = {"model": model, "generation_kwargs": generation_kwargs(body, model)}
        try:
            options["tools"] = [tool(**one) for one in body.get("tools", [])] or None
            history = messages(body)
        except ValueError as error:  # its types look at what they hold, and say what they do not take
            raise NotImplementedError(str(error)) from error
        asked.clear()
        generator = GoogleGenAIChatGenerator(api_key=Secret.from_token(api_key), **options)
        return stream(generator, history) if mode == "stream" else unary(generator, history)


def unary(generator, history):
    try:
        (reply,) = generator.run(messages=history)["replies"]
    except Exception as error:
        return {"error": failure(error)}
    return {"parts": parts_of(reply), **end(reply)}


def stream(generator, history):
    """``run`` calls back with each chunk, and returns the whole message."""
    found = queue.SimpleQueue()

    def run():
        try:
            found.put(generator.run(messages=history, streaming_callback=found.put))
        except Exception as error:
            found.put(error)

    threading.Thread(target=run, daemon=True).start()
    while not isinstance(chunk := found.get(), dict | Exception):
        if parts := pieces(chunk):
            yield {"parts": parts}
    if isinstance(chunk, Exception):
        yield {"error": failure(chunk)}
        return
    (reply,) = chunk["replies"]
    yield end(reply)


# The answer ---------------------------------------------------------------------------------------------------------


def parts_of(reply):
    """Its reasoning, its text and its calls, in the order in which a ChatMessage of the assistant has them."""
    return [
        *({"reasoning": one.reasoning_text} for one in reply.reasonings if one.reasoning_text),
        *({"text": text} for text in reply.texts if text),
        *({"tool_call": {"id": one.id, "name": one.tool_name, "args": one.arguments}} for one in reply.tool_calls),
    ]


def pieces(chunk):
    """What a StreamingChunk adds. "index: The index of the Tool call in the list of Tool calls"."""
    found = [{"text": chunk.content}] if chunk.content else []
    if chunk.reasoning and chunk.reasoning.reasoning_text:
        found.append({"reasoning": chunk.reasoning.reasoning_text})
    for one in chunk.tool_calls or []:
        call = {"index": one.index, "id": one.id, "name": one.tool_name, "args_text": one.arguments}
        found.append({"tool_call": {name: value for name, value in call.items() if value is not None}})
    return found


def end(reply):
    """finish_reason is one of Haystack's words, or none: those that it shares with OpenAI."""
    found = {"finish": reply.meta.get("finish_reason"), "usage": usage(reply.meta.get("usage") or {})}
    return {name: value for name, value in found.items() if value} | {"keep": reply.to_dict()}


def usage(counts):
    return {USAGE[name]: value for name, value in counts.items() if name in USAGE and value is not None}


def failure(error):
    """It raises a RuntimeError from the error of google-genai. What it does not take, it or google-genai says in a
    ValueError before it asks; so do the types of google-genai. Anything else is a breakdown, and told as one."""
    causes = [error]
    while causes[-1].__cause__:
        causes.append(causes[-1].__cause__)
    for cause in causes:
        if isinstance(cause, FAILURES):
            known = {"status": cause.code, "native": cause.status or ""} if isinstance(cause, APIError) else {}
            return {"message": str(error), **known}
        if isinstance(cause, ValidationError) and not asked.is_set():
            problems = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in cause.errors())
            raise NotImplementedError(f"{cause.title}: {problems}") from error
        if type(cause) is ValueError and not asked.is_set():
            raise NotImplementedError(str(error)) from error
    raise error


# The request --------------------------------------------------------------------------------------------------------


def refuse(body):
    settings = body.get("settings", {})
    unknown = [name for name in settings if name not in SETTINGS and (name, settings[name]) not in DEFAULTS]
    if unknown:
        raise NotImplementedError(
            f"{', '.join(f'settings.{name}' for name in unknown)}: a reply is one message of text"
        )


def generation_kwargs(body, model):
    """Haystack's own names for thinking and structured output, and besides the configuration that google-genai takes:
    "Additional keyword arguments for the model. For details, see model documentation."
    (https://docs.cloud.deepset.ai/docs/googlegenaichatgenerator)"""
    found = {SETTINGS[name]: value for name, value in body.get("settings", {}).items() if name in SETTINGS}
    wanted = body.get("response_format", {})
    if wanted.get("kind") == "json_schema":
        found["response_format"] = wanted["schema"]
    elif wanted.get("kind") == "json_object":
        found["response_mime_type"] = "application/json"
    found |= tool_config(**body.get("tool_choice", {}))
    return found | (thinking_options(model, **body["thinking"]) if body.get("thinking") else {})


def tool_config(mode=None, names=(), parallel=None):
    if mode is None:
        return {}
    allowed = {"allowed_function_names": list(names)} if names else {}
    return {"tool_config": {"function_calling_config": {"mode": TOOL_CONFIG_MODES[mode], **allowed}}}


def thinking_options(model, level=None, budget=None, include=None):
    """A level for Gemini 3 and later, a budget for models before it: https://ai.google.dev/gemini-api/docs/thinking.
    Its documentation names four levels, and its own include_thoughts stands beside a level or a budget only."""
    if budget == 0:
        least = next((least for name, least in LEAST_THINKING.items() if re.search(name, model)), {"budget": 0})
        level, budget = least.get("level"), least.get("budget")
    if budget is None and level in THINKING_BUDGETS and re.search(r"gemini-[12]\b", model):
        level, budget = None, THINKING_BUDGETS[level]
    if level not in (None, *THINKING_BUDGETS):
        raise NotImplementedError(f"thinking.level {level}")
    if include is not None and level is None and budget is None:
        return {"thinking_config": {"include_thoughts": include}}
    named = {"thinking_level": level, "thinking_budget": budget, "include_thoughts": include}
    return {name: value for name, value in named.items() if value is not None}


def tool(name, description="", parameters=None, strict=None):
    """https://docs.haystack.deepset.ai/docs/tool: its function is for an Agent, and never called here."""
    schema = parameters or {"type": "object", "properties": {}}
    return Tool(name=name, description=description, parameters=schema, function=lambda **arguments: None)


def messages(body):
    """One system message, with one text, which has to be the first."""
    found = [ChatMessage.from_system("\n".join(body["system"]))] if body.get("system") else []
    for turn in body["turns"]:
        if turn["role"] == "assistant":
            found.append(ChatMessage.from_dict(turn["keep"]) if turn.get("keep") else assistant_message(turn["parts"]))
        elif turn["role"] == "system":
            found.append(ChatMessage.from_system("\n".join(part["text"] for part in turn["parts"])))
        else:
            found += user_messages(turn["parts"], found)
    return found


def user_messages(parts, history):
    """A message for each result, as an Agent makes them, and one of the user for what stands between them."""
    found, content = [], []
    calls = list(history[-1].tool_calls) if history else []
    for part in parts:
        if "tool_result" in part:
            found += [ChatMessage.from_user(content_parts=content)] if content else []
            found.append(tool_message(calls, **part["tool_result"]))
            content = []
        elif "text" in part:
            content.append(TextContent(part["text"]))
        elif "media" in part:
            content.append(media_content(**part["media"]))
        else:
            raise NotImplementedError(f"in the user's turn: {', '.join(part)}")
    return [*found, *([ChatMessage.from_user(content_parts=content)] if content else [])]


def tool_message(calls, value, id=None, name="", media=(), is_error=False, cited=()):
    """The result of the call that it answers. An Agent writes one that is no text as JSON, and passes on a list of
    contents that a tool returns (https://docs.haystack.deepset.ai/docs/tool: raw_result of outputs_to_string)."""
    if cited:
        raise NotImplementedError("search results in the result of a call")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    contents = [*([TextContent(text)] if text else []), *(media_content(**one) for one in media)]
    return ChatMessage.from_tool(contents if media else text, origin(calls, id, name), error=bool(is_error))


def origin(calls, id, name):
    """The call that a result answers, of those that the message before has and that no result answered yet."""
    for at, call in enumerate(calls):
        if call.id == id if id else call.tool_name == name:
            return calls.pop(at)
    return ToolCall(tool_name=name, arguments={}, id=id)


def media_content(mime, data=None, uri=None):
    """Both hold base64. from_url of theirs would download an address, and nothing takes the id of a file."""
    if uri is not None:
        raise NotImplementedError(f"turns.media.uri: {uri}: its contents hold bytes")
    known = mime if mime and "*" not in mime else None
    if mime.startswith("image/"):
        return ImageContent(base64_image=data, mime_type=known)
    return FileContent(base64_data=data, mime_type=known)


def assistant_message(parts):
    """A message of the model that the caller wrote down: one text, one reasoning, its calls, and the signatures where
    its own messages have them. Gemini signs texts and calls; thoughts that are signed or redacted are Claude's, and
    stand where its messages have them (chat/utils.py of
    https://github.com/deepset-ai/haystack-core-integrations/tree/main/integrations/anthropic)."""
    texts, thoughts, calls, signatures, claude = [], [], [], [], []
    for at, part in enumerate(parts):
        if "text" in part:
            texts.append(part["text"])
        elif "reasoning" in part:
            thoughts.append(part["reasoning"])
            if part.get("signature"):
                signed = {"text": part["reasoning"], "signature": part["signature"]}
                claude.append({"reasoning_content": {"reasoning_text": signed}})
            continue
        elif "redacted" in part:
            thoughts.append("[REDACTED]")
            claude.append({"reasoning_content": {"redacted_thinking": part["redacted"]}})
            continue
        elif "tool_call" in part:
            calls.append(tool_call(**part["tool_call"]))
        else:
            raise NotImplementedError(f"in the model's turn: {', '.join(part)}")
        if part.get("signature"):
            kinds = {"has_text": "text" in part, "has_function_call": "tool_call" in part, "is_thought": False}
            signatures.append({"part_index": at, "signature": part["signature"], **kinds})
    return ChatMessage.from_assistant(
        "".join(texts) if texts else None,
        meta={"thought_signatures": signatures} if signatures else None,
        tool_calls=calls,
        reasoning=ReasoningContent("".join(thoughts), {"reasoning_contents": claude} if claude else {})
        if thoughts
        else None,
    )


def tool_call(name, id=None, args=None, args_text=None):
    """Its arguments are an object."""
    try:
        found = json.loads(args_text or "{}") if args_text is not None else args or {}
    except ValueError as error:
        raise NotImplementedError("arguments in the history that are no JSON") from error
    if not isinstance(found, dict):
        raise NotImplementedError("arguments in the history that are no object")
    return ToolCall(tool_name=name, arguments=found, id=id)


if __name__ == "__main__":
    serve(Haystack())
