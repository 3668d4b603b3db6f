"""aisuite as bridgecheck asks it: the quick start of its README, at the base URL of the recordings.

    client = aisuite.Client(); client.chat.completions.create(model="gemini:...", messages=[...])

Requests are OpenAI-shaped, as its README has them. What it returns are OpenAI-shaped objects, its own or those of the
openai SDK, and what it raises are its own exceptions or those of the SDKs: what stands in either is written down.
"""

import json
from importlib.metadata import version

import aisuite
import anthropic  # noqa: F401 - aisuite imports the SDKs when it needs them: here, so that no call waits for that
import google.genai  # noqa: F401
import openai  # noqa: F401
from shim import serve

PROVIDERS = {"gemini": "gemini", "anthropic": "anthropic", "openai-chat": "openai"}
FINISH = {"stop": "stop", "tool_calls": "tool_calls", "length": "length", "content_filter": "content_filter"}
FINISH["function_call"] = "tool_calls"  # of the deprecated functions
SETTINGS = ("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "max_tokens", "stop", "seed")
SETTINGS += ("n", "user", "modalities")


class Aisuite:
    name, version = "aisuite", version("aisuite")
    routes = [("outcome", upstream) for upstream in PROVIDERS]
    claims = ["tools", "parallel_tools", "media_input", "relay"]
    cannot_say = ["order", "text.segments", "code", "citations", "turns.results.is_error", "tool_choice.validated"]
    cannot_say += ["usage.tool_prompt", "usage.cache_write"]  # its types, like those of OpenAI, have no place for these

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        provider = PROVIDERS[upstream]
        suite = aisuite.Client({provider: settings(upstream, base_url, api_key)})
        asked = {"model": f"{provider}:{model}", **request(body)}
        return stream(suite, asked) if mode == "stream" else unary(suite, asked)


def settings(upstream, base_url, api_key):
    """What each provider of aisuite hands on to its SDK. Retries are the SDK's, not aisuite's."""
    if upstream == "gemini":
        return {"api_key": api_key, "http_options": {"base_url": base_url}}
    return {"api_key": api_key, "base_url": base_url, "max_retries": 0}


def unary(suite, asked):
    try:
        answer = suite.chat.completions.create(**asked)
    except Exception as error:
        return {"error": failure(error)}
    choices = [{**told(one.message), **finish(one)} for one in answer.choices]
    one = choices[0] if len(choices) == 1 else {"choices": [{"index": at, **each} for at, each in enumerate(choices)]}
    return {**one, **usage(answer)}


def stream(suite, asked):
    try:
        for chunk in suite.chat.completions.create(stream=True, **asked):
            for choice in chunk.choices or ():
                yield {
                    "choice": choice.index,
                    **(told(choice.delta, {"index": 0}) if choice.delta else {}),
                    **finish(choice),
                }
            if chunk.usage:
                yield usage(chunk)
    except Exception as error:
        yield {"error": failure(error)}


def told(message, place=None):
    """A message, or what is new of one. ``place``: which call of a stream an old ``function_call`` is a piece of."""
    parts = [{"reasoning": message.reasoning_content}] if getattr(message, "reasoning_content", None) else []
    parts += [{"text": message.content}] if message.content else []
    parts += [{"tool_call": call(one.model_dump())} for one in message.tool_calls or ()]
    if getattr(message, "function_call", None):  # of the deprecated functions: one call, without an id
        parts += [{"tool_call": call({**(place or {}), "function": message.function_call.model_dump()})}]
    refusal = {"refusal": message.refusal} if getattr(message, "refusal", None) else {}
    return {**({"parts": parts} if parts else {}), **refusal}


def finish(choice):
    """Where it has no word of its own it passes the provider's on, in small letters."""
    reason = choice.finish_reason
    if not reason or reason in FINISH:
        return {"finish": FINISH[reason]} if reason else {}
    return {"finish_native": reason}


def call(one):
    named = one.get("function") or one.get("custom") or {}
    said = {"index": one.get("index"), "id": one.get("id"), "name": named.get("name")}
    said["args_text"] = named.get("arguments", named.get("input"))
    return {name: value for name, value in said.items() if value is not None}


def usage(answer):
    counts = getattr(answer, "usage", None)
    if counts is None:
        return {}
    read, written = counts.prompt_tokens_details, counts.completion_tokens_details
    said = {"prompt": counts.prompt_tokens, "completion": counts.completion_tokens, "total": counts.total_tokens}
    said |= {"cached": read and read.cached_tokens, "reasoning": written and written.reasoning_tokens}
    return {"usage": {name: value for name, value in said.items() if value is not None}}


def failure(error):
    """An exception as its caller sees it: its words, and of an SDK's own, or from which the library raised its own, the
    status and when to try again. What no caller could mean to catch is raised again: it is no answer, but a crash."""
    if refuses(error):
        raise NotImplementedError(str(error)) from error
    if isinstance(error, (LookupError, AttributeError, TypeError)):
        raise error
    chain = list(causes(error))
    statuses = [getattr(cause, name, None) for cause in chain for name in ("status_code", "code")]
    status = next((status for status in statuses if isinstance(status, int)), None)
    said = {"message": str(error), "status": status, "retry_after": next(filter(None, map(wait, chain)), None)}
    return {name: value for name, value in said.items() if value is not None}


def causes(error):
    """The exception and those that it was raised from, as the library says; not what was handled when it was raised."""
    while error is not None:
        yield error
        error = error.__cause__


def refuses(error):
    """Whether it says before it asks anybody that it does not take something, and what."""
    unknown = isinstance(error, TypeError) and "unexpected keyword argument" in str(error)
    return unknown or (isinstance(error, ValueError) and str(error).startswith("Unsupported "))


def wait(error):
    """Seconds: of the header, for the SDKs of OpenAI and Anthropic; of RetryInfo, for that of Google."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    details = getattr(error, "details", None)
    details = details.get("error", {}).get("details", []) if isinstance(details, dict) else []
    told = [headers["retry-after"]] if "retry-after" in headers else []
    told += [one["retryDelay"].removesuffix("s") for one in details if "retryDelay" in one]
    return float(told[0]) if told else None


def request(body):
    """OpenAI-shaped, as the README of aisuite asks."""
    messages = [{"role": "system", "content": "\n".join(body["system"])}] if body.get("system") else []
    messages += [message for turn in body["turns"] for message in said(turn)]
    asked = {
        "messages": messages,
        **{key: body["settings"][key] for key in SETTINGS if key in body.get("settings", {})},
    }
    if body.get("tools"):
        asked["tools"] = [{"type": "function", "function": tool} for tool in body["tools"]]
    if "tool_choice" in body:
        asked["tool_choice"] = choice(body["tool_choice"])
        if "parallel" in body["tool_choice"]:
            asked["parallel_tool_calls"] = body["tool_choice"]["parallel"]
    if "response_format" in body:
        asked["response_format"] = form(body["response_format"])
    if "level" in body.get("thinking", {}):
        asked["reasoning_effort"] = body["thinking"]["level"]
    return asked


def said(turn):
    results = [part["tool_result"] for part in turn["parts"] if "tool_result" in part]
    for result in results:
        if result.get("media"):
            raise NotImplementedError("media in the result of a tool")
        value = result["value"]
        text = value if isinstance(value, str) else json.dumps(value)
        yield {"role": "tool", "tool_call_id": result.get("id", ""), "content": text}
    parts = [content(part) for part in turn["parts"] if "text" in part or "media" in part]
    calls = [part["tool_call"] for part in turn["parts"] if "tool_call" in part]
    if parts or calls:
        joins = all(part["type"] == "text" for part in parts) and (len(parts) < 2 or turn["role"] == "assistant")
        text = "".join(part["text"] for part in parts) or None if joins else parts
        message = {"role": turn["role"], "content": text}
        message |= {"name": turn["name"]} if turn.get("name") else {}
        yield {**message, "tool_calls": [called(one) for one in calls]} if calls else message


def content(part):
    if "text" in part:
        return {"type": "text", "text": part["text"]}
    media = part["media"]
    if not media["mime"].startswith("image/"):
        raise NotImplementedError(f"media of type {media['mime']}")
    url = media.get("uri") or f"data:{media['mime']};base64,{media['data']}"
    detail = {key: value for key, value in part.get("detail", {}).items() if key == "detail"}
    return {"type": "image_url", "image_url": {"url": url, **detail}}


def called(one):
    text = one["args_text"] if "args_text" in one else json.dumps(one.get("args", {}))
    return {"id": one.get("id", ""), "type": "function", "function": {"name": one["name"], "arguments": text}}


def choice(wanted):
    mode = wanted.get("mode", "auto")
    if mode == "named":
        return {"type": "function", "function": {"name": wanted["names"][0]}}
    if mode == "allowed":
        tools = [{"type": "function", "function": {"name": name}} for name in wanted["names"]]
        return {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": tools}}
    if mode == "validated":
        raise NotImplementedError("tool_choice validated")
    return mode


def form(wanted):
    if wanted["kind"] != "json_schema":
        return {"type": wanted["kind"]}
    named = {"name": wanted.get("name", "answer"), "schema": wanted["schema"]}
    return {
        "type": "json_schema",
        "json_schema": {**named, **({"strict": wanted["strict"]} if "strict" in wanted else {})},
    }


if __name__ == "__main__":
    serve(Aisuite())
