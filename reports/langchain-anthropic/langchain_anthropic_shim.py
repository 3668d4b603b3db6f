"""ChatAnthropic of langchain-anthropic as bridgecheck asks it: ``invoke`` and ``stream`` of its documentation
(https://docs.langchain.com/oss/python/integrations/chat/anthropic), at the base URL of the recordings.

Answers are written down as the standard content blocks of their message say them
(https://docs.langchain.com/oss/python/langchain/messages#standard-content-blocks); ``keep`` is that message as its own
dict, so that it comes back with the next request as an agent would send it. What ChatAnthropic has no parameter, block
or field for is refused by name, or stands in ``cannot_say``.
"""

import base64
import json
from importlib.metadata import version

import anthropic
import httpx2
from langchain_anthropic import ChatAnthropic
from langchain_core.exceptions import LangChainException, ModelTimeoutError
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_chunk_to_message,
    message_to_dict,
    messages_from_dict,
)
from pydantic import ValidationError
from shim import serve

FAILURES = (anthropic.APIError, LangChainException, httpx2.HTTPError)
EMPTY_STREAM = "No generation chunks were returned"  # the one ValueError that tells of an answer

# stop_reason of response_metadata is Claude's own word: https://platform.claude.com/docs/en/api/handling-stop-reasons
FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "pause_turn": "pause",
    "refusal": "content_filter",
}
# https://reference.langchain.com/python/integrations/langchain_anthropic/ChatAnthropic/
SETTINGS = ("temperature", "top_p", "top_k", "max_tokens", "stop")
CACHE_WRITES = ("cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
CHOICES = {"auto": {"type": "auto"}, "required": {"type": "any"}, "none": {"type": "none"}}


class LangChainAnthropic:
    name, version = "langchain-anthropic", version("langchain-anthropic")
    routes = [("outcome", "anthropic")]
    claims = ["tools", "parallel_tools", "thinking", "signatures", "media_input", "json_schema", "relay"]
    cannot_say = [
        *("code", "refusal", "response_format.name", "response_format.strict", "tool_choice.validated"),
        *("settings.seed", "settings.presence_penalty", "settings.frequency_penalty", "settings.user"),
        *("settings.modalities", "turns.media.detail", "usage.tool_prompt"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        chat = bind_options(make_chat(model=model, api_key=api_key, base_url=base_url, **parameters(body)), body)
        history = messages(body)
        return stream(chat, history) if mode == "stream" else unary(chat, history)


def unary(chat, history):
    try:
        return answer(chat.invoke(history))
    except FAILURES as error:
        return {"error": failure(error)}
    except ValueError as error:
        raise refusal(error) from error


def stream(chat, history):
    """Its documentation adds the chunks up: https://docs.langchain.com/oss/python/langchain/models#stream"""
    whole = None
    try:
        for chunk in chat.stream(history):
            whole = chunk if whole is None else whole + chunk
            if parts := parts_of(chunk):
                yield {"parts": parts}
    except FAILURES as error:
        yield {"error": failure(error)}
        return
    except ValueError as error:
        if str(error) != EMPTY_STREAM:
            raise refusal(error) from error
        yield {"error": {"message": str(error)}}
        return
    last = answer(message_chunk_to_message(whole)) if whole is not None else {}
    yield {name: value for name, value in last.items() if name != "parts"}


def refusal(error):
    """What it does not take, it says in a ValueError before it asks; those of Python and of pydantic are subclasses."""
    return NotImplementedError(str(error)) if type(error) is ValueError else error


# The answer ---------------------------------------------------------------------------------------------------------


def answer(message):
    metadata = message.response_metadata
    native = metadata.get("stop_reason")
    found = {
        "parts": parts_of(message),
        "citations": [one for block in message.content_blocks for one in block.get("annotations", [])],
        "finish": FINISH.get(native),
        "finish_native": native,
        "usage": usage(message.usage_metadata or {}),
        "model": metadata.get("model_name"),
        "id": metadata.get("id"),
        "keep": json.loads(json.dumps(message_to_dict(message), default=str)),
    }
    return {name: value for name, value in found.items() if value not in (None, {}, [], "")}


def parts_of(message):
    return [part for block in message.content_blocks for part in part_of(block)]


def part_of(block):
    """What a standard content block says; redacted thinking has none, and comes as Claude's own."""
    kind = block["type"]
    if kind == "text":
        return [{"text": block["text"]}] if block["text"] else []
    if kind == "reasoning":
        signature = block.get("extras", {}).get("signature")
        signed = {"signature": signature} if signature else {}
        return [{"reasoning": block["reasoning"], **signed}] if block["reasoning"] or signed else []
    if kind == "non_standard" and block["value"].get("type") == "redacted_thinking":
        return [{"redacted": block["value"]["data"]}]
    if kind == "tool_call":
        return [{"tool_call": {"id": block.get("id"), "name": block["name"], "args": block["args"]}}]
    if kind in ("tool_call_chunk", "invalid_tool_call"):
        known = {"index": block.get("index"), "id": block.get("id"), "name": block.get("name")}
        call = {name: value for name, value in known.items() if value is not None}
        return [{"tool_call": {**call, "args_text": block.get("args") or ""}}]
    return []  # what Claude's own tools did


def usage(counts):
    details = counts.get("input_token_details", {})
    writes = [details[name] for name in CACHE_WRITES if name in details]
    found = {
        "prompt": counts.get("input_tokens"),
        "completion": counts.get("output_tokens"),
        "total": counts.get("total_tokens"),
        "cached": details.get("cache_read"),
        "cache_write": sum(writes) if writes else None,
        "reasoning": counts.get("output_token_details", {}).get("reasoning"),
    }
    return {name: value for name, value in found.items() if value is not None}


def failure(error):
    """Its exceptions are those of the anthropic SDK, with its status, type and response."""
    found = {"message": str(error)}
    if isinstance(error, ModelTimeoutError):
        found["kind"] = "timeout"
    if isinstance(error, anthropic.APIStatusError):
        hint = error.response.headers.get("retry-after", "")
        found |= {"status": error.status_code} if error.status_code >= 400 else {}  # an error in a stream has 200
        found |= {"native": error.type} if error.type else {}
        found |= {"retry_after": float(hint)} if hint.isdigit() else {}
    return found


# The request --------------------------------------------------------------------------------------------------------


def make_chat(**options):
    try:
        return ChatAnthropic(**options)
    except ValidationError as error:  # it looks at its parameters, and says which one it does not take
        errors = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise NotImplementedError("; ".join(errors)) from error


def parameters(body):
    """What its constructor takes. max_retries=0: none."""
    settings = body.get("settings", {})
    unknown = [name for name in settings if name not in SETTINGS and (name, settings[name]) not in DEFAULTS]
    if unknown:
        raise NotImplementedError(f"{', '.join(unknown)}: ChatAnthropic has no such parameter")
    options = {"max_retries": 0} | {name: settings[name] for name in SETTINGS if name in settings}
    return options | thinking_options(**body.get("thinking", {}))


DEFAULTS = [("n", 1), ("modalities", ["text"])]  # they say what it does without them


def thinking_options(budget=None, level=None, include=None):
    """https://docs.langchain.com/oss/python/integrations/chat/anthropic#extended-thinking, and #effort"""
    options = {"reasoning_effort": level} if level else {}
    display = {} if include is None else {"display": "summarized" if include else "omitted"}
    if budget == 0:
        return options | {"thinking": {"type": "disabled"}}
    if budget is not None and budget > 0:
        return options | {"thinking": {"type": "enabled", "budget_tokens": budget, **display}}
    if budget is not None or include or (display and level):
        return options | {"thinking": {"type": "adaptive", **display}}
    if display:
        raise NotImplementedError("thinking.include: display stands in a thinking that is switched on")
    return options


def bind_options(chat, body):
    """bind_tools, which says in a ValueError what it does not take. The form of the answer goes with it as
    create_agent's ProviderStrategy sends it: https://docs.langchain.com/oss/python/langchain/structured-output"""
    options = response_format(**body.get("response_format", {"kind": "text"}))
    choice = body.get("tool_choice", {})
    if chosen := tool_choice(**choice):
        options["tool_choice"] = chosen
    if not body.get("tools"):
        if choice.get("parallel") is False:
            raise NotImplementedError("tool_choice.parallel: it is a parameter of bind_tools")
        return chat.bind(**options) if options else chat
    if "parallel" in choice:
        options["parallel_tool_calls"] = choice["parallel"]
    try:
        return chat.bind_tools([anthropic_tool(**tool) for tool in body["tools"]], **options)
    except ValueError as error:
        raise refusal(error) from error


def response_format(kind, schema=None, name=None, strict=None):
    if kind == "json_object":
        raise NotImplementedError("response_format json_object: with_structured_output takes a schema")
    if kind == "text":
        return {}
    named = {"name": name} if name else {}
    return {"response_format": {"type": "json_schema", "json_schema": {**named, "schema": schema}}}


def tool_choice(mode=None, names=(), parallel=None):
    """As a dict, in Anthropic's form."""
    if mode == "named":
        return {"type": "tool", "name": names[0]}
    if mode is not None and mode not in CHOICES:
        raise NotImplementedError(f"tool_choice {mode}")
    return dict(CHOICES[mode]) if mode else None


def anthropic_tool(name, description=None, parameters=None, strict=None):
    """Its AnthropicTool, "Anthropic format tool schemas" of bind_tools."""
    tool = {"name": name, "input_schema": parameters or {"type": "object", "properties": {}}}
    tool |= {"description": description} if description is not None else {}
    return tool | ({"strict": strict} if strict is not None else {})


def messages(body):
    found = [SystemMessage(text) for text in body.get("system", [])]
    for turn in body["turns"]:
        if turn["role"] == "assistant":
            found += messages_from_dict([turn["keep"]]) if turn.get("keep") else [assistant_message(turn)]
        elif turn["role"] == "system":
            found += [SystemMessage(text_of(part)) for part in turn["parts"]]
        else:
            found += user_messages(turn)
    return found


def text_of(part):
    if "text" not in part:
        raise NotImplementedError(f"in a system turn: {', '.join(part)}")
    return part["text"]


def user_messages(turn):
    """A ToolMessage for each result, and a HumanMessage for what stands between them."""
    found, blocks = [], []
    for part in turn["parts"]:
        if "tool_result" in part:
            found += human_message(turn, blocks)
            found.append(tool_message(**part["tool_result"]))
            blocks = []
        else:
            blocks.append(user_block(part))
    return [*found, *human_message(turn, blocks)]


def human_message(turn, blocks):
    named = {"name": turn["name"]} if turn.get("name") else {}
    if len(blocks) == 1 and blocks[0]["type"] == "text":
        return [HumanMessage(blocks[0]["text"], **named)]
    return [HumanMessage(blocks, **named)] if blocks else []


def user_block(part):
    if "text" in part:
        return {"type": "text", "text": part["text"]}
    if "media" in part:
        return media_block(**part["media"])
    raise NotImplementedError(f"in the user's turn: {', '.join(part)}")


def tool_message(value, id="", name=None, media=(), is_error=False, cited=()):
    if cited:
        raise NotImplementedError("search results in the result of a call: their source and title are unknown")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    words = [{"type": "text", "text": text}] if text else []
    content = [*words, *(media_block(**one) for one in media)] if media else text
    return ToolMessage(content, tool_call_id=id, name=name, status="error" if is_error else "success")


def media_block(mime, data=None, uri=None):
    """https://docs.langchain.com/oss/python/langchain/messages#multimodal: image, text-plain, file, audio and video."""
    kind = mime.partition("/")[0]
    known = {"mime_type": mime} if mime and not mime.endswith("*") else {}
    if data is not None and kind == "text":
        return {"type": "text-plain", "text": utf8(data), **known}
    block = {"type": kind if kind in ("image", "audio", "video") else "file", **known}
    if data is not None:
        return block | {"base64": data}
    return block | ({"url": uri} if "://" in uri else {"file_id": uri})


def utf8(data):
    try:
        return base64.b64decode(data).decode()
    except UnicodeDecodeError as error:
        raise NotImplementedError("media: a text in another encoding than UTF-8") from error


def assistant_message(turn):
    """A message of the model that the caller wrote down: Anthropic's own blocks, as its answers have them, and the
    calls beside them. Thinking of Claude is signed; reasoning that is not is a standard block."""
    blocks, calls, invalid = [], [], []
    for part in turn["parts"]:
        signature = part.get("signature")
        extras = {"extras": {"signature": signature}} if signature else {}
        if "text" in part:
            blocks.append({"type": "text", "text": part["text"], **extras})
        elif "reasoning" in part and signature:
            blocks.append({"type": "thinking", "thinking": part["reasoning"], "signature": signature})
        elif "reasoning" in part:
            blocks.append({"type": "reasoning", "reasoning": part["reasoning"]})
        elif "redacted" in part:
            blocks.append({"type": "redacted_thinking", "data": part["redacted"]})
        elif "media" in part:
            blocks.append(media_block(**part["media"]))
        elif "tool_call" in part:
            call = called(**part["tool_call"])
            (calls if call["type"] == "tool_call" else invalid).append(call)
            if call["type"] == "tool_call":
                known = {"id": call["id"], "name": call["name"], "input": call["args"]}
                blocks.append({"type": "tool_use", **known})
        else:
            raise NotImplementedError(f"in the model's turn: {', '.join(part)}")
    plain = len(blocks) == 1 and set(blocks[0]) == {"type", "text"}
    return AIMessage(blocks[0]["text"] if plain else blocks, tool_calls=calls, invalid_tool_calls=invalid)


def called(name, id=None, args=None, args_text=None):
    """A tool call, or an invalid one: https://docs.langchain.com/oss/python/langchain/messages#tool-calling"""
    try:
        found = json.loads(args_text or "{}") if args_text is not None else args or {}
    except ValueError:
        found = None
    if isinstance(found, dict):
        return {"type": "tool_call", "id": id, "name": name, "args": found}
    return {"type": "invalid_tool_call", "id": id, "name": name, "args": args_text, "error": "no JSON object"}


if __name__ == "__main__":
    serve(LangChainAnthropic())
