"""GoogleGenAI of llama-index-llms-google-genai as bridgecheck asks it: ``chat``, ``stream_chat``, ``chat_with_tools``
and ``stream_chat_with_tools`` of its documentation (https://developers.llamaindex.ai/python/examples/llm/google_genai/),
at the base URL of the recordings.

Answers are written down as the blocks of their ChatMessage say them
(https://developers.llamaindex.ai/python/framework-api-reference/prompts/#llama_index.core.base.llms.types.ChatMessage);
``keep`` is that message, pickled, as its blocks hold bytes. What its blocks and parameters have no place for is refused
by name, or stands in ``cannot_say``.
"""

import base64
import json
import pickle
import re
from importlib.metadata import version

import httpx
import requests
from google.genai import types
from google.genai.errors import APIError, UnknownApiResponseError
from llama_index.core.base.llms.types import (
    AudioBlock,
    ChatMessage,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    VideoBlock,
)
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.llms.google_genai import GoogleGenAI
from pydantic import BaseModel, ValidationError
from shim import serve

FAILURES = (APIError, UnknownApiResponseError, httpx.HTTPError)
# What it says of an answer that it does not give, as a RuntimeError and a ValueError
ENDED_EARLY = ("Response was terminated early", "Response has no candidates")

# The finish reason is Gemini's own, in ``raw``; with any other than STOP it raises a RuntimeError.
FINISH = {"STOP": "stop", "FINISH_REASON_UNSPECIFIED": "other"}
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
PARAMETERS = {"temperature": "temperature", "max_output_tokens": "max_tokens"}  # its own, beside generation_config
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


class LlamaIndex:
    name, version = "llama-index-llms-google-genai", version("llama-index-llms-google-genai")
    routes = [("outcome", "gemini")]
    claims = [
        "tools",
        "parallel_tools",
        "thinking",
        "signatures",
        "media_input",
        "media_output",
        "json_schema",
        "relay",
    ]
    cannot_say = [
        *("citations", "code", "refusal", "error.retry_after", "usage.cache_write"),
        *("response_format.name", "response_format.strict", "settings.user"),
        *("tool_choice.parallel", "tool_choice.validated", "tools.strict"),
        *("turns.media.detail", "turns.name", "turns.results.is_error"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        tools = [function_tool(**tool) for tool in body.get("tools", [])]
        options = tool_options(tools, **body.get("tool_choice", {}))
        try:
            llm = language_model(body, model=model, api_key=api_key, http_options={"base_url": base_url})
            history = messages(body)
        except ValidationError as error:  # its types look at what they hold, and say what they do not take
            raise NotImplementedError(problems(error)) from error
        if mode == "stream":
            ask = llm.stream_chat_with_tools if tools else llm.stream_chat
        else:
            ask = llm.chat_with_tools if tools else llm.chat
        given = {"tools": tools, "chat_history": history, **options} if tools else {"messages": history}
        return stream(ask, given) if mode == "stream" else unary(ask, given)


def unary(ask, given):
    try:
        return answer(ask(**given))
    except Exception as error:
        return {"error": failure(error)}


def stream(ask, given):
    """Each ChatResponse has the whole message so far: what is new of its blocks is an event."""
    last, told = None, []
    try:
        for response in ask(**given):
            last = response
            if parts := new_parts(response.message.blocks, told):
                yield {"parts": parts}
    except Exception as error:
        yield {"error": failure(error)}
        return
    if last is not None:
        yield {name: value for name, value in answer(last).items() if name != "parts"}


def new_parts(blocks, told):
    """What was not told yet; a text may have grown."""
    found = []
    for at, block in enumerate(blocks):
        text = block.text if isinstance(block, TextBlock) else None
        if at == len(told):
            told.append(text)
            found += parts_of(block)
        elif text is not None and len(text) > len(told[at]):
            found.append({"text": text[len(told[at]) :]})
            told[at] = text
    return found


# The answer ---------------------------------------------------------------------------------------------------------


def answer(response):
    raw = response.raw or {}
    native = getattr(raw.get("finish_reason"), "name", None)
    found = {
        "parts": [part for block in response.message.blocks for part in parts_of(block)],
        "finish": FINISH.get(native),
        "finish_native": native,
        "usage": usage(response.additional_kwargs, raw.get("usage_metadata") or {}),
        "keep": base64.b64encode(pickle.dumps(response.message)).decode(),
    }
    return {name: value for name, value in found.items() if value not in (None, {}, [])}


def parts_of(block):
    if isinstance(block, TextBlock):
        return [{"text": block.text}] if block.text else []
    if isinstance(block, ThinkingBlock):
        signature = block.additional_information.get("thought_signature")
        signed = {"signature": base64.b64encode(signature).decode()} if signature else {}
        return [{"reasoning": block.content or "", **signed}]
    if isinstance(block, ToolCallBlock):
        return [{"tool_call": {"id": block.tool_call_id, "name": block.tool_name, "args": block.tool_kwargs}}]
    if isinstance(block, ImageBlock):
        data = block.resolve_image(as_base64=True).read().decode()
        return [{"media": {"mime": block.image_mimetype or "", "data": data}}]
    return []


def usage(counts, raw):
    """Its own three counts; what else was counted stands in ``raw`` alone."""
    found = {
        "prompt": counts.get("prompt_tokens"),
        "completion": counts.get("completion_tokens"),
        "total": counts.get("total_tokens"),
        "cached": raw.get("cached_content_token_count"),
        "reasoning": raw.get("thoughts_token_count"),
        "tool_prompt": raw.get("tool_use_prompt_token_count"),
    }
    return {name: value for name, value in found.items() if value is not None}


def failure(error):
    """An error as its caller has it. What it does not take, it says in a ValueError before it asks; those of Python are
    subclasses. It downloads addresses, and the run is offline."""
    if isinstance(error, requests.RequestException):
        raise NotImplementedError(f"an address that it downloads: {type(error).__name__}") from error
    if isinstance(error, ValidationError):
        raise NotImplementedError(problems(error)) from error
    if type(error) in (RuntimeError, ValueError) and str(error).startswith(ENDED_EARLY):
        return {"message": str(error)}
    if type(error) is ValueError:
        raise NotImplementedError(str(error)) from error
    if not isinstance(error, FAILURES):
        raise error
    found = {"message": str(error)}
    return found | ({"status": error.code, "native": error.status or ""} if isinstance(error, APIError) else {})


def problems(error):
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())


# The request --------------------------------------------------------------------------------------------------------


def language_model(body, **options):
    """temperature and max_tokens are parameters; anything else is one of generation_config, which then holds them all:
    with it the parameters do not count. max_retries=0: none. Without a window it asks for the model's own first."""
    config = generation_config(body, options["model"])
    options |= {"max_retries": 0} | {own: config[name] for name, own in PARAMETERS.items() if name in config}
    if config.keys() - PARAMETERS:
        options["generation_config"] = types.GenerateContentConfig(**config)
    return GoogleGenAI(**options)


def generation_config(body, model):
    """https://googleapis.github.io/python-genai/genai.html#genai.types.GenerateContentConfig"""
    settings = body.get("settings", {})
    if settings.get("n", 1) > 1 or "user" in settings:
        raise NotImplementedError("n, user: a ChatResponse is one message, and Gemini has no user")
    found = {SETTINGS[name]: value for name, value in settings.items() if name in SETTINGS}
    if "modalities" in settings:
        found["response_modalities"] = [word.upper() for word in settings["modalities"]]
    if body.get("thinking"):
        found["thinking_config"] = thinking_options(model, **body["thinking"])
    wanted = body.get("response_format", {"kind": "text"})
    if wanted["kind"] != "text":
        found["response_mime_type"] = "application/json"
    if wanted["kind"] == "json_schema":
        found["response_json_schema"] = wanted["schema"]
    return found


def thinking_options(model, level=None, budget=None, include=None):
    """A level for Gemini 3 and later, a budget for models before it: https://ai.google.dev/gemini-api/docs/thinking"""
    if budget == 0:
        least = next((least for name, least in LEAST_THINKING.items() if re.search(name, model)), {"budget": 0})
        level, budget = least.get("level"), least.get("budget")
    if budget is None and level in THINKING_BUDGETS and re.search(r"gemini-[12]\b", model):
        level, budget = None, THINKING_BUDGETS[level]
    named = {"thinking_level": level, "thinking_budget": budget, "include_thoughts": include}
    return {name: value for name, value in named.items() if value is not None}


def tool_options(tools, mode=None, names=(), parallel=None):
    """https://developers.llamaindex.ai/python/framework/understanding/agent/: of chat_with_tools."""
    if mode in ("allowed", "validated"):
        raise NotImplementedError(f"tool_choice {mode}")
    if mode is not None and not tools:
        raise NotImplementedError("tool_choice without tools: it is a parameter of chat_with_tools")
    found = {"allow_parallel_tool_calls": parallel is not False}
    if mode == "required":
        return found | {"tool_required": True}
    return found | ({"tool_choice": names[0] if mode == "named" else mode} if mode else {})


def function_tool(name, description="", parameters=None, strict=None):
    """A tool that only describes itself. Its fn_schema is a class of pydantic, whose JSON Schema is asked for: the
    client's (https://docs.pydantic.dev/latest/concepts/json_schema/#customizing-the-json-schema-generation-process)."""
    schema = json.dumps(spelled_by_pydantic(parameters or {"type": "object", "properties": {}}))

    class Arguments(BaseModel):
        @classmethod
        def model_json_schema(cls, *args, **options):
            return json.loads(schema)

    metadata = ToolMetadata(description=description, name=name, fn_schema=Arguments)
    return FunctionTool(fn=lambda: None, metadata=metadata)


def spelled_by_pydantic(schema):
    """The same schema, with anyOf where the type is a list: no class of pydantic has such a list
    (https://docs.pydantic.dev/latest/concepts/json_schema/)."""
    if isinstance(schema, list):
        return [spelled_by_pydantic(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: spelled_by_pydantic(value) if name in SCHEMAS else value for name, value in schema.items()}
    for name in found.keys() & MAPS_OF_SCHEMAS:
        found[name] = {key: spelled_by_pydantic(value) for key, value in found[name].items()}
    if not isinstance(schema.get("type"), list) or "anyOf" in schema:
        return found
    outer = {name: found.pop(name) for name in ANNOTATIONS if name in found}
    return {"anyOf": [branch(found, kind) for kind in found["type"]], **outer}


def branch(schema, kind):
    """What it says of one type."""
    if kind == "null":
        return {"type": "null"}
    values = {"enum": [value for value in schema["enum"] if value is not None]} if "enum" in schema else {}
    return {**schema, **values, "type": kind}


SCHEMAS = ("items", "prefixItems", "anyOf", "allOf", "oneOf", "not", "additionalProperties")
MAPS_OF_SCHEMAS = {"properties", "patternProperties", "$defs", "definitions"}
ANNOTATIONS = ("title", "description", "default", "examples")


def messages(body):
    """The pieces of the system instruction are the blocks of one message: the first message alone is Gemini's."""
    system = [TextBlock(text=text) for text in body.get("system", [])]
    found = [ChatMessage(role="system", blocks=system)] if system else []
    for turn in body["turns"]:
        if turn["role"] == "assistant":
            found.append(pickle.loads(base64.b64decode(turn["keep"])) if turn.get("keep") else assistant_message(turn))
        else:
            found += user_messages(turn)
    return found


def user_messages(turn):
    """A message of the role tool for each result, and one of the turn's own role for what stands between them."""
    found, blocks = [], []
    for part in turn["parts"]:
        if "tool_result" in part:
            found += [ChatMessage(role=turn["role"], blocks=blocks)] if blocks else []
            found.append(tool_message(**part["tool_result"]))
            blocks = []
        elif "text" in part:
            blocks.append(TextBlock(text=part["text"]))
        elif "media" in part:
            blocks.append(media_block(**part["media"]))
        else:
            raise NotImplementedError(f"in the user's turn: {', '.join(part)}")
    return [*found, *([ChatMessage(role=turn["role"], blocks=blocks)] if blocks else [])]


def tool_message(value, id="", name=None, media=(), is_error=None, cited=()):
    """As its FunctionAgent hands over the blocks of a ToolOutput."""
    if cited:
        raise NotImplementedError("search results in the result of a call")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    said = [] if media and not text else [TextBlock(text=text)]
    blocks = [*said, *(media_block(**one) for one in media)]
    return ChatMessage(role="tool", blocks=blocks, additional_kwargs={"tool_call_id": id})


def media_block(mime, data=None, uri=None):
    """Bytes, which may be base64, or an address."""
    if uri is not None and "://" not in uri:
        raise NotImplementedError(f"turns.media.uri: {uri}: its blocks have addresses and paths, no ids of files")
    kind = mime.partition("/")[0]
    known = mime if mime and "*" not in mime else None
    content = data.encode() if data is not None else None
    if kind == "image":
        return ImageBlock(image=content, url=uri, image_mimetype=known)
    if kind == "video":
        return VideoBlock(video=content, url=uri, video_mimetype=known)
    if kind == "audio":
        return AudioBlock(audio=content, url=uri, format=mime.partition("/")[2] or None)
    return DocumentBlock(data=content, url=uri, document_mimetype=known)


def assistant_message(turn):
    """A message of the model that the caller wrote down: its blocks, and their signatures in the order of the blocks,
    as its own messages have them. Claude signs thoughts, Gemini calls and texts: that of a thought stands where
    llama-index-llms-anthropic has it (its base.py)."""
    blocks, signatures = [], []
    for part in turn["parts"]:
        is_signed_by_gemini = part.get("signature") and "reasoning" not in part
        signature = base64.b64decode(part["signature"]) if is_signed_by_gemini else None
        if "text" in part:
            blocks.append(TextBlock(text=part["text"]))
        elif "reasoning" in part:
            known = {"signature": part["signature"]} if part.get("signature") else {}
            blocks.append(ThinkingBlock(content=part["reasoning"], additional_information=known))
        elif "tool_call" in part:
            blocks.append(tool_call_block(**part["tool_call"]))
        elif "media" in part:
            blocks.append(media_block(**part["media"]))
        else:
            raise NotImplementedError(f"in the model's turn: {', '.join(part)}")
        signatures.append(signature)
    known = {"thought_signatures": signatures} if any(signatures) else {}
    return ChatMessage(role="assistant", blocks=blocks, additional_kwargs=known)


def tool_call_block(name, id=None, args=None, args_text=None):
    """Its tool_kwargs are an object or a text."""
    try:
        found = json.loads(args_text or "{}") if args_text is not None else args or {}
    except ValueError:
        found = args_text
    return ToolCallBlock(tool_call_id=id, tool_name=name, tool_kwargs=found if isinstance(found, dict) else args_text)


if __name__ == "__main__":
    serve(LlamaIndex())
