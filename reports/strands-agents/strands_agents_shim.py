"""strands-agents as bridgecheck asks it: one model call of an Agent's event loop, ``stream_messages``
(https://strandsagents.com/docs/api/python/strands.event_loop.streaming/), with GeminiModel as its documentation makes
it (https://strandsagents.com/docs/user-guide/concepts/model-providers/google/), at the base URL of the recordings.

An Agent would run the tools itself and ask again, and has no parameter for a tool choice; the loop's own call has. It
always streams; a call that is not streamed is answered with the message at its end. ``keep`` is that message, which an
Agent adds to its history. What its types (https://strandsagents.com/docs/api/python/strands.types.content/) have no
field for is refused by name, or stands in ``cannot_say``.
"""

import asyncio
import base64
import json
import re
from importlib.metadata import version

import httpx
import httpx2
from google.genai.errors import APIError, UnknownApiResponseError
from pydantic import ValidationError
from shim import serve
from strands.event_loop.streaming import stream_messages
from strands.models.gemini import GeminiModel
from strands.types.content import split_system_prompt
from strands.types.exceptions import ContextWindowOverflowException, ModelThrottledException

KINDS = {ModelThrottledException: "rate_limit", ContextWindowOverflowException: "too_large"}
FAILURES = (*KINDS, APIError, UnknownApiResponseError, httpx.HTTPError, httpx2.HTTPError)

# https://strandsagents.com/docs/api/python/strands.types.event_loop/#stopreason
FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
}
USAGE = {
    "inputTokens": "prompt",
    "outputTokens": "completion",
    "totalTokens": "total",
    "cacheReadInputTokens": "cached",
    "cacheWriteInputTokens": "cache_write",
}
# params of GeminiConfig are those of https://ai.google.dev/api/generate-content#generationconfig
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
TOOL_CONFIG_MODES = {"none": "NONE", "allowed": "ANY", "validated": "VALIDATED"}
# The formats of https://strandsagents.com/docs/api/python/strands.types.media/
IMAGES = {f"image/{name}": name for name in ("png", "jpeg", "gif", "webp")}
VIDEOS = {
    "video/x-flv": "flv",
    "video/x-matroska": "mkv",
    "video/quicktime": "mov",
    "video/mpeg": "mpeg",
    "video/mp4": "mp4",
    "video/3gpp": "three_gp",
    "video/webm": "webm",
    "video/x-ms-wmv": "wmv",
}
AUDIOS = {"audio/wav": "wav", "audio/mpeg": "mp3", "audio/aac": "aac", "audio/flac": "flac", "audio/ogg": "ogg"}
DOCUMENTS = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
FORMATS = {"image": IMAGES, "video": VIDEOS, "audio": AUDIOS, "document": DOCUMENTS}


class StrandsAgents:
    name, version = "strands-agents", version("strands-agents")
    routes = [("outcome", "gemini")]
    claims = ["tools", "parallel_tools", "thinking", "signatures", "media_input", "json_schema", "relay"]
    cannot_say = [
        *("citations", "code", "refusal", "error.retry_after", "usage.reasoning", "usage.tool_prompt"),
        *("response_format.name", "response_format.strict", "settings.user", "settings.modalities"),
        *("tool_choice.parallel", "tools.strict", "turns.media.detail", "turns.media.uri", "turns.name"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        events = steps(ask(model, base_url, api_key, body))
        return stream(events) if mode == "stream" else unary(events)


def ask(model, base_url, api_key, body):
    """Ask the provider: an async iterator of the events of the loop."""
    gemini = GeminiModel(
        client_args={"api_key": api_key, "http_options": {"base_url": base_url}},
        model_id=model,
        params=parameters(body, model),
    )
    system, content = split_system_prompt([{"text": text} for text in body.get("system", [])] or None)
    history = messages(body["turns"])
    return stream_messages(
        gemini,
        system,
        history,
        [tool_spec(**tool) for tool in body.get("tools", [])],
        tool_choice=tool_choice(**body.get("tool_choice", {})),
        system_prompt_content=content,
    )


def steps(events):
    """The events one by one. What the provider cannot send it says before it asks."""
    with asyncio.Runner() as runner:
        while True:
            try:
                yield runner.run(anext(events))
            except StopAsyncIteration:
                return
            except ValidationError as error:
                raise NotImplementedError("; ".join(f"{one['loc']}: {one['msg']}" for one in error.errors())) from error
            except TypeError as error:
                if "unsupported" not in str(error):
                    raise
                raise NotImplementedError(str(error)) from error


def unary(events):
    try:
        found = list(events)
    except FAILURES as error:
        return {"error": failure(error)}
    message = found[-1]["stop"][1]
    return {"parts": [part for block in message["content"] for part in parts_of(block)], **end(found)}


def stream(events):
    found, calls = [], 0
    try:
        for event in events:
            found.append(event)
            chunk = event.get("event", {})
            calls += bool(chunk.get("contentBlockStart", {}).get("start", {}).get("toolUse"))
            if parts := piece(chunk, calls):
                yield {"parts": parts}
    except FAILURES as error:
        yield {"error": failure(error)}
        return
    yield end(found)


# The answer ---------------------------------------------------------------------------------------------------------


def parts_of(block):
    """What a content block of its message says."""
    if "text" in block:
        return [{"text": block["text"]}]
    if "toolUse" in block:
        call = block["toolUse"]
        known = call["input"]
        args = {"args": known} if isinstance(known, dict) else {"args_text": json.dumps(known)}
        found = {"tool_call": {"id": call["toolUseId"], "name": call["name"], **args}}
        return [{**found, **signed(call.get("reasoningSignature"))}]
    said = block.get("reasoningContent", {}).get("reasoningText", {})
    return [{"reasoning": said.get("text", ""), **signed(said.get("signature"))}] if said else []


def piece(chunk, calls):
    """What a StreamEvent adds: https://strandsagents.com/docs/api/python/strands.types.streaming/"""
    if call := chunk.get("contentBlockStart", {}).get("start", {}).get("toolUse"):
        known = {"index": calls, "id": call["toolUseId"], "name": call["name"]}
        return [{"tool_call": known, **signed(call.get("reasoningSignature"))}]
    delta = chunk.get("contentBlockDelta", {}).get("delta", {})
    if "toolUse" in delta:
        return [{"tool_call": {"index": calls, "args_text": delta["toolUse"]["input"]}}]
    if "text" in delta:
        return [{"text": delta["text"]}]
    said = delta.get("reasoningContent", {})
    return [{"reasoning": said.get("text") or "", **signed(said.get("signature"))}] if said else []


def signed(signature):
    return {"signature": signature} if signature else {}


def end(events):
    """The stop event of the loop, and the usage of its metadata event: without one the loop says 0."""
    reason, message = events[-1]["stop"][:2]
    counts = [event["event"]["metadata"]["usage"] for event in events if "metadata" in event.get("event", {})]
    usage = {USAGE[name]: value for name, value in counts[-1].items() if name in USAGE} if counts else {}
    ended = {"finish": FINISH[reason]} if reason in FINISH else {"finish_native": reason}
    return {**ended, "keep": message, **({"usage": usage} if usage else {})}


def failure(error):
    """Its own exceptions say what happened; others are those of google-genai."""
    found = {"message": str(error)}
    if kind := KINDS.get(type(error)):
        return found | {"kind": kind}
    return found | ({"status": error.code, "native": error.status or ""} if isinstance(error, APIError) else {})


# The request --------------------------------------------------------------------------------------------------------


def parameters(body, model):
    """What stands in params. A tool config there may say more than a ToolChoice, as ``stream`` of GeminiModel says."""
    settings = body.get("settings", {})
    unknown = [name for name in settings if name not in SETTINGS and (name, settings[name]) not in DEFAULTS]
    if unknown:
        raise NotImplementedError(f"{', '.join(unknown)}: its answers are one message of text, reasoning and calls")
    found = {SETTINGS[name]: value for name, value in settings.items() if name in SETTINGS}
    if body.get("thinking"):
        found["thinking_config"] = thinking_options(model, **body["thinking"])
    wanted = body.get("response_format", {"kind": "text"})
    if wanted["kind"] != "text":
        found["response_mime_type"] = "application/json"
    if wanted["kind"] == "json_schema":
        found["response_json_schema"] = wanted["schema"]
    choice = body.get("tool_choice", {})
    if choice.get("mode") in TOOL_CONFIG_MODES:
        names = {"allowed_function_names": choice["names"]} if choice.get("names") else {}
        config = {"mode": TOOL_CONFIG_MODES[choice["mode"]], **names}
        found["tool_config"] = {"function_calling_config": config}
    return found


DEFAULTS = [("n", 1), ("modalities", ["text"])]  # they say what it does without them


def thinking_options(model, level=None, budget=None, include=None):
    """A level for Gemini 3 and later, a budget for models before it: https://ai.google.dev/gemini-api/docs/thinking"""
    if budget == 0:
        least = next((least for name, least in LEAST_THINKING.items() if re.search(name, model)), {"budget": 0})
        level, budget = least.get("level"), least.get("budget")
    if budget is None and level in THINKING_BUDGETS and re.search(r"gemini-[12]\b", model):
        level, budget = None, THINKING_BUDGETS[level]
    named = {"thinking_level": level, "thinking_budget": budget, "include_thoughts": include}
    return {name: value for name, value in named.items() if value is not None}


def tool_choice(mode=None, names=(), parallel=None):
    """https://strandsagents.com/docs/api/python/strands.types.tools/#toolchoice"""
    if mode == "named":
        return {"tool": {"name": names[0]}}
    return {"auto": {"auto": {}}, "required": {"any": {}}}.get(mode)


def tool_spec(name, description="", parameters=None, strict=None):
    """A ToolSpec has a description."""
    schema = parameters or {"type": "object", "properties": {}}
    return {"name": name, "description": description, "inputSchema": {"json": schema}}


def messages(turns):
    found = []
    for turn in turns:
        if turn["role"] == "system":
            raise NotImplementedError("turns.system: a message is of the user or of the assistant")
        if turn["role"] == "assistant" and turn.get("keep"):
            found.append(turn["keep"])
            continue
        content = [block for part in turn["parts"] for block in content_blocks(**part)]
        found.append({"role": turn["role"], "content": content})
    return found


def content_blocks(signature=None, detail=None, keep=None, **part):
    """The blocks of a part. The signature of a text stands in a reasoning block behind it, as in its own messages."""
    ((kind, value),) = part.items()
    if kind == "text":
        tail = [{"reasoningContent": {"reasoningText": {"text": "", "signature": signature}}}] if signature else []
        return [*([{"text": value}] if value or not tail else []), *tail]
    if kind == "reasoning":
        return [{"reasoningContent": {"reasoningText": {"text": value, **signed(signature)}}}]
    if kind == "redacted":
        return [{"reasoningContent": {"redactedContent": decoded(value)}}]
    if kind == "tool_call":
        return [{"toolUse": tool_use(**value) | ({"reasoningSignature": signature} if signature else {})}]
    if kind == "tool_result":
        return [{"toolResult": tool_result(**value)}]
    if kind == "media":
        return [media_block(**value)]
    raise NotImplementedError(f"in a turn: {kind}")


def tool_use(name, id="", args=None, args_text=None):
    """Its input "can be any JSON-serializable type"."""
    try:
        found = json.loads(args_text or "{}") if args_text is not None else args or {}
    except ValueError as error:
        raise NotImplementedError("arguments in the history that are no JSON") from error
    return {"toolUseId": id, "name": name, "input": found}


def tool_result(value, id="", name=None, media=(), is_error=False, cited=()):
    """https://strandsagents.com/docs/api/python/strands.types.tools/#toolresult"""
    if cited:
        raise NotImplementedError("search results in the result of a call")
    said = {"text": value} if isinstance(value, str) else {"json": value}
    content = [*([] if media and value == "" else [said]), *(media_block(**one) for one in media)]
    return {"toolUseId": id, "status": "error" if is_error else "success", "content": content}


def media_block(mime, data=None, uri=None):
    """Bytes in one of the named formats; a Location is one of Amazon S3."""
    if uri is not None:
        raise NotImplementedError(f"turns.media.uri: {uri}")
    for kind, formats in FORMATS.items():
        if mime in formats:
            return {kind: {"format": formats[mime], "source": {"bytes": decoded(data)}}}
    raise NotImplementedError(f"media: no format for {mime or 'an unknown type'}")


def decoded(data):
    try:
        return base64.b64decode(data)
    except ValueError as error:
        raise NotImplementedError("data that is no base64: its blocks hold bytes") from error


if __name__ == "__main__":
    serve(StrandsAgents())
