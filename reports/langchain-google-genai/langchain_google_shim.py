"""ChatGoogleGenerativeAI of langchain-google-genai as bridgecheck asks it: ``invoke`` and ``stream`` of its
documentation, at the base URL of the recordings.

Answers are written down as the standard content blocks of their message say them
(https://docs.langchain.com/oss/python/langchain/messages); ``keep`` is that message, as its own dict, so that it comes
back with the next request as an agent would send it.
"""

import base64
import json
import re
from importlib.metadata import version

import httpx
import requests
from google.genai.errors import APIError, UnknownApiResponseError
from langchain_core.exceptions import LangChainException
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_chunk_to_message,
    message_to_dict,
    messages_from_dict,
)
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_google_genai._common import GoogleGenerativeAIError
from pydantic import ValidationError
from shim import serve

FAILURES = (GoogleGenerativeAIError, LangChainException, APIError, UnknownApiResponseError, httpx.HTTPError)

# finish_reason of response_metadata is Gemini's own word.
FINISH = {"STOP": "stop", "MAX_TOKENS": "length", "MALFORMED_FUNCTION_CALL": "malformed_call"}
FILTERED = (
    "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
    "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
)  # fmt: skip
SETTINGS = ("temperature", "top_p", "top_k", "max_tokens", "seed", "presence_penalty", "frequency_penalty", "stop")
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
SIGNATURES = "__gemini_function_call_thought_signatures__"  # where its messages keep those of calls


class LangChainGoogle:
    name, version = "langchain-google-genai", version("langchain-google-genai")
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
        *("code", "refusal", "error.retry_after", "response_format.name", "response_format.strict", "settings.user"),
        *("order", "tool_choice.parallel", "tool_choice.validated", "tools.strict"),
        *("turns.media.detail", "usage.tool_prompt"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        chat = bound(chat_model(model=model, api_key=api_key, base_url=base_url, **parameters(body, model)), body)
        history = messages(body)
        return stream(chat, history) if mode == "stream" else unary(chat, history)


def chat_model(**parameters):
    try:
        return ChatGoogleGenerativeAI(**parameters)
    except ValidationError as error:  # it looks at its parameters, and says which one it does not take
        raise NotImplementedError("; ".join(one["msg"] for one in error.errors())) from error


def unary(chat, history):
    try:
        return answer(chat.invoke(history))
    except requests.ConnectionError as error:
        raise NotImplementedError("an address that it downloads: the run is offline") from error
    except FAILURES as error:
        return {"error": failure(error)}


def stream(chat, history):
    whole = None
    try:
        for chunk in chat.stream(history):
            whole = chunk if whole is None else whole + chunk
            if parts := parts_of(chunk):
                yield {"parts": parts}
    except FAILURES as error:
        yield {"error": failure(error)}
        return
    said = answer(message_chunk_to_message(whole)) if whole is not None else {}
    yield {name: value for name, value in said.items() if name != "parts"}


def answer(message):
    metadata = message.response_metadata
    native = metadata.get("finish_reason")
    said = {
        "parts": parts_of(message),
        "model": metadata.get("model_name"),
        "usage": usage(message.usage_metadata or {}),
    }
    if native:
        said |= {
            "finish_native": native,
            "finish": "content_filter" if native in FILTERED else FINISH.get(native),
        }
    elif blocked := (metadata.get("prompt_feedback") or {}).get("block_reason"):
        said |= {"finish_native": str(getattr(blocked, "value", blocked)), "finish": "content_filter"}
    said["keep"] = json.loads(json.dumps(message_to_dict(message), default=plain))
    return {name: value for name, value in said.items() if value not in (None, {}, [], "")}


def plain(value):
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def parts_of(message):
    signatures = message.additional_kwargs.get(SIGNATURES, {})
    return [part for block in message.content_blocks for part in heard(block, signatures)]


def heard(block, signatures):
    """What a standard content block says."""
    kind, signature = block["type"], block.get("extras", {}).get("signature")
    signed = {"signature": signature} if signature else {}
    if kind == "text":
        return [{"text": block["text"], **signed}] if block["text"] or signed else []
    if kind == "reasoning":
        return [{"reasoning": block["reasoning"], **signed}] if block.get("reasoning") or signed else []
    if kind in ("image", "audio", "video", "file"):
        return [{"media": {"mime": block.get("mime_type", ""), "data": block["base64"]}, **signed}]
    if kind not in ("tool_call", "tool_call_chunk", "invalid_tool_call"):
        return []
    args = block.get("args")
    call = {"id": block.get("id"), "name": block["name"], "args" if isinstance(args, dict) else "args_text": args}
    signature = signatures.get(block.get("id"))
    return [{"tool_call": call, **({"signature": signature} if signature else {})}]


def usage(counts):
    said = {"prompt": counts.get("input_tokens"), "completion": counts.get("output_tokens")}
    said |= {"total": counts.get("total_tokens"), "cached": counts.get("input_token_details", {}).get("cache_read")}
    said["reasoning"] = counts.get("output_token_details", {}).get("reasoning")
    return {name: value for name, value in said.items() if value is not None}


def failure(error):
    """Its exceptions; the status is that of the SDK's error, which they are or were raised from."""
    status = next((one.code for one in (error, error.__cause__) if isinstance(one, APIError)), None)
    return {"message": str(error), **({"status": status} if status else {})}


def parameters(body, model):
    """What its constructor takes. max_retries=1: none."""
    said = body.get("settings", {})
    if said.get("n", 1) > 1:
        raise NotImplementedError("n: invoke gives one message")
    asked = {"max_retries": 1} | {name: said[name] for name in SETTINGS if name in said}
    if "modalities" in said:
        asked["response_modalities"] = [word.upper() for word in said["modalities"]]
    asked |= thinking_options(model, **body.get("thinking", {}))
    wanted = body.get("response_format", {"kind": "text"})
    if wanted["kind"] != "text":
        asked["response_mime_type"] = "application/json"
    if wanted["kind"] == "json_schema":
        asked["response_schema"] = wanted["schema"]
    return asked


def thinking_options(model, level=None, budget=None, include=None):
    """A level for Gemini 3 and later, a budget for models before it: https://ai.google.dev/gemini-api/docs/thinking"""
    if budget == 0:
        least = next((least for name, least in LEAST_THINKING.items() if re.search(name, model)), {"budget": 0})
        level, budget = least.get("level"), least.get("budget")
    if budget is None and level in THINKING_BUDGETS and re.search(r"gemini-[12]\b", model):
        level, budget = None, THINKING_BUDGETS[level]
    named = {"thinking_level": level, "thinking_budget": budget, "include_thoughts": include}
    return {name: value for name, value in named.items() if value is not None}


def bound(chat, body):
    choice = body.get("tool_choice", {})
    if choice.get("mode") == "validated":
        raise NotImplementedError("tool_choice validated")
    names = choice.get("mode") in ("named", "allowed")
    chosen = {"tool_choice": list(choice["names"]) if names else choice["mode"]} if "mode" in choice else {}
    if body.get("tools"):
        return chat.bind_tools([{"type": "function", "function": declared(tool)} for tool in body["tools"]], **chosen)
    return chat.bind(**chosen) if chosen else chat


def declared(tool):
    given = {name: tool[name] for name in ("name", "description") if name in tool}
    return {"description": "", **given, "parameters": tool.get("parameters") or {"type": "object", "properties": {}}}


def messages(body):
    found = [SystemMessage(text) for text in body.get("system", [])]
    for turn in body["turns"]:
        if turn["role"] == "assistant":
            found += messages_from_dict([turn["keep"]]) if turn.get("keep") else [said_before(turn)]
        elif turn["role"] == "system":
            found += [SystemMessage(part["text"]) for part in turn["parts"]]
        else:
            found += asked(turn)
    return found


def asked(turn):
    results = [returned(part["tool_result"]) for part in turn["parts"] if "tool_result" in part]
    blocks = [said(part) for part in turn["parts"] if "tool_result" not in part]
    named = {"name": turn["name"]} if turn.get("name") else {}
    if len(blocks) == 1 and blocks[0]["type"] == "text":
        return [*results, HumanMessage(blocks[0]["text"], **named)]
    return [*results, *([HumanMessage(blocks, **named)] if blocks else [])]


def said(part):
    if "text" in part:
        return {"type": "text", "text": part["text"]}
    if "media" in part:
        return media(part["media"])
    raise NotImplementedError(f"in the user's turn: {', '.join(part)}")


def said_before(turn):
    """A message of the model that the caller wrote down: blocks, and the calls beside them. Claude signs thoughts and
    redacts them, Gemini signs calls and texts: a message with a signed or redacted thought is Claude's."""
    blocks, calls, signatures, metadata = [], [], {}, {}
    for part in turn["parts"]:
        extras = {"extras": {"signature": part["signature"]}} if part.get("signature") else {}
        if "text" in part:
            blocks.append({"type": "text", "text": part["text"], **extras})
        elif "reasoning" in part:
            signed = {"signature": part["signature"]} if part.get("signature") else {}
            blocks.append({"type": "thinking", "thinking": part["reasoning"], **signed})
            metadata |= {"model_provider": "anthropic"} if signed else {}
        elif "media" in part:
            blocks.append({**media(part["media"]), **extras})
        elif "redacted" in part:
            blocks.append({"type": "redacted_thinking", "data": part["redacted"]})
            metadata |= {"model_provider": "anthropic"}
        elif "tool_call" in part:
            calls.append(called(part["tool_call"]))
            signatures |= {calls[-1]["id"]: part["signature"]} if part.get("signature") else {}
        else:
            raise NotImplementedError(f"in the model's turn: {', '.join(part)}")
    kwargs = {SIGNATURES: signatures} if signatures else {}
    plain_text = len(blocks) == 1 and set(blocks[0]) == {"type", "text"}
    content = blocks[0]["text"] if plain_text else blocks
    return AIMessage(content or "", tool_calls=calls, additional_kwargs=kwargs, response_metadata=metadata)


def called(call):
    try:
        args = json.loads(call["args_text"] or "{}") if "args_text" in call else call.get("args", {})
    except ValueError:
        args = None
    if not isinstance(args, dict):
        raise NotImplementedError("arguments in the history that are no object")
    return {"type": "tool_call", "id": call.get("id"), "name": call["name"], "args": args}


def returned(result):
    if result.get("cited"):
        raise NotImplementedError("search results in the result of a call")
    value = result["value"] if isinstance(result["value"], str) else json.dumps(result["value"], ensure_ascii=False)
    files = [media(one) for one in result.get("media", [])]
    content = [{"type": "text", "text": value}, *files] if files else value
    status = "error" if result.get("is_error") else "success"
    return ToolMessage(content, tool_call_id=result.get("id", ""), name=result.get("name"), status=status)


def media(one):
    """A standard block of data. It downloads addresses that Gemini does not read itself; the run is offline."""
    kind = one["mime"].partition("/")[0]
    block = {"type": kind if kind in ("image", "audio", "video") else "file"}
    block |= {"mime_type": one["mime"]} if one["mime"] and not one["mime"].endswith("*") else {}
    if "data" in one:
        return block | {"base64": one["data"]}
    if "://" not in one["uri"] or "googleapis.com" in one["uri"]:
        return block | {"type": "file", "file_id": one["uri"]}
    return block | {"url": one["uri"]}


if __name__ == "__main__":
    serve(LangChainGoogle())
