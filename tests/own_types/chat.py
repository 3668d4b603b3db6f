"""Conversion between the library's own types and Chat Completions."""

import json
from dataclasses import replace
from typing import Any

from .library_types import (
    Call,
    CallDelta,
    EncryptedThought,
    Failure,
    Function,
    Media,
    Message,
    Piece,
    Prompt,
    Replies,
    Reply,
    Text,
    Thought,
    ToolResult,
    Usage,
)


def write_request(prompt: Prompt, *, stream: bool) -> dict[str, Any]:
    body: dict[str, Any] = {"model": prompt.model, "messages": _chat_messages(prompt)}
    if prompt.functions is not None:
        body["tools"] = [_tool_definition(function) for function in prompt.functions]
    body |= (
        _tool_choice_fields(prompt)
        | _settings_fields(prompt)
        | _reasoning_fields(prompt.thinking)
        | _response_format_field(prompt)
    )
    return body | ({"stream": True, "stream_options": {"include_usage": True}} if stream else {})


EFFORTS = ((0, "none"), (4096, "low"), (16384, "medium"))
REASONING_MODELS = ("gpt-5", "o1", "o3", "o4")
"""They refuse max_tokens, whether or not an effort is requested."""


def for_openai(body: dict[str, Any]) -> dict[str, Any]:
    """Adapt a body for OpenAI itself, which takes fewer fields than other Chat hosts."""
    made = {key: value for key, value in body.items() if key != "top_k"}
    made["messages"] = _move_media_after_results(body["messages"])
    if not made.get("tools"):
        made.pop("tool_choice", None)
    reasoning = made.pop("reasoning", {})
    budget = reasoning.get("max_tokens")
    if reasoning.get("effort"):
        made["reasoning_effort"] = reasoning["effort"]
    elif budget is not None:
        made["reasoning_effort"] = next((word for most, word in EFFORTS if budget <= most), "high")
    if ("reasoning_effort" in made or made["model"].startswith(REASONING_MODELS)) and "max_tokens" in made:
        made["max_completion_tokens"] = made.pop("max_tokens")
    return made


def _move_media_after_results(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Make tool results plain text, and move their media into a user message after them."""
    made: list[dict[str, Any]] = []
    pending: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] != "tool" and pending:
            made.append({"role": "user", "content": pending})
            pending = []
        if message["role"] == "tool" and isinstance(message["content"], list):
            text_part, *media_parts = message["content"]
            pending += media_parts
            message = message | {"content": text_part["text"]}
        made.append(message)
    return [*made, *([{"role": "user", "content": pending}] if pending else [])]


def _chat_messages(prompt: Prompt) -> list[dict[str, Any]]:
    briefing = "".join(prompt.system)
    made: list[dict[str, Any]] = [{"role": "system", "content": briefing}] if briefing else []
    for message in _join_parallel_calls(prompt.messages):
        made += _assistant_message(message) if message.role == "assistant" else _user_messages(message)
    return made


def _join_parallel_calls(messages: list[Message]) -> list[Message]:
    """Join adjacent messages of calls: results have to follow the one message that holds all their calls."""
    made: list[Message] = []
    for message in messages:
        before = made[-1] if made else None
        if before is not None and _calls(before) and _calls(message):
            details = (before.details or {}) | (message.details or {})
            made[-1] = replace(before, pieces=[*before.pieces, *message.pieces], details=details or None)
        else:
            made.append(message)
    return made


def _calls(message: Message) -> bool:
    return message.role == "assistant" and any(isinstance(piece, Call) for piece in message.pieces)


def _assistant_message(message: Message) -> list[dict[str, Any]]:
    body: dict[str, Any] = {"role": "assistant", "content": None}
    texts = [piece for piece in message.pieces if isinstance(piece, Text)]
    signed = [piece for piece in message.pieces if isinstance(piece, Media) and piece.signature]
    shown = [piece for piece in message.pieces if isinstance(piece, Text | Media) and piece not in signed]
    if len(texts) == len(shown):
        body["content"] = "".join(piece.text for piece in texts) or None
    else:
        body["content"] = [_content_part(piece) for piece in shown]
    body |= {"images": [_content_part(piece) | _extra_content(piece.signature) for piece in signed]} if signed else {}
    thoughts = "".join(piece.text for piece in message.pieces if isinstance(piece, Thought))
    calls = [_tool_call(piece) for piece in message.pieces if isinstance(piece, Call)]
    body |= {"reasoning_content": thoughts} if thoughts else {}
    body |= {"tool_calls": calls} if calls else {}
    details = [detail for piece in message.pieces for detail in _reasoning_details(piece)]
    body |= {"reasoning_details": details} if details else {}
    signatures = [piece.signature for piece in texts if piece.signature]
    if signatures:
        google = {"thought_signature": signatures[-1]}
        if not texts[-1].text:
            google["thought_signature_part"] = "tail"
        body["extra_content"] = {"google": google}
    body |= message.details or {}
    body |= {"name": message.name} if message.name else {}
    if body["content"] is None and not calls:
        body["content"] = ""
    return [body]


def _reasoning_details(piece: Piece) -> list[dict[str, Any]]:
    if isinstance(piece, Thought) and piece.signature:
        return [{"type": "reasoning.text", "text": piece.text, "signature": piece.signature}]
    return [{"type": "reasoning.encrypted", "data": piece.data}] if isinstance(piece, EncryptedThought) else []


def _tool_call(piece: Call) -> dict[str, Any]:
    written = json.dumps(piece.arguments, ensure_ascii=False) if piece.raw is None else piece.raw
    made = {"id": piece.id, "type": "function", "function": {"name": piece.name, "arguments": written}}
    return made | (_extra_content(piece.signature) if piece.signature else {})


def _extra_content(signature: str) -> dict[str, Any]:
    return {"extra_content": {"google": {"thought_signature": signature}}}


def _user_messages(message: Message) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    content: list[dict[str, Any]] = []
    for piece in message.pieces:
        if isinstance(piece, ToolResult):
            made += _content_message(message, content)
            content = []
            made.append(_tool_message(piece))
        elif isinstance(piece, Text | Media):
            content.append(_content_part(piece))
    return [*made, *_content_message(message, content)]


def _content_message(message: Message, content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not content:
        return []
    plain = len(content) == 1 and content[0]["type"] == "text"
    name = {"name": message.name} if message.name else {}
    return [{"role": message.role, "content": content[0]["text"] if plain else content, **name}]


def _tool_message(piece: ToolResult) -> dict[str, Any]:
    text = piece.value if isinstance(piece.value, str) else json.dumps(piece.value, ensure_ascii=False)
    text = "\n".join([*([text] if text else []), *piece.cited])
    media = [_content_part(item) for item in piece.media]
    content = [{"type": "text", "text": text}, *media] if media else text
    return {"role": "tool", "tool_call_id": piece.call_id, "content": content}


def _content_part(piece: Text | Media) -> dict[str, Any]:
    if isinstance(piece, Text):
        return {"type": "text", "text": piece.text}
    kind = piece.mime.partition("/")[0]
    if kind == "audio" and piece.data:
        form = {"audio/mpeg": "mp3"}.get(piece.mime, piece.mime.removeprefix("audio/"))
        return {"type": "input_audio", "input_audio": {"data": piece.data, "format": form}}
    url = piece.uri or f"data:{piece.mime};base64,{piece.data}"
    if kind == "image":
        return {"type": "image_url", "image_url": {"url": url, **piece.detail}}
    if kind == "video":
        return {"type": "video_url", "video_url": {"url": url, **piece.detail}}
    if piece.uri and not piece.uri.startswith("http"):
        return {"type": "file", "file": {"file_id": piece.uri, **piece.detail}}
    return {"type": "file", "file": {"file_data": url if piece.mime else piece.data, **piece.detail}}


def _tool_definition(function: Function) -> dict[str, Any]:
    options = {"description": function.description or None, "parameters": function.schema, "strict": function.strict}
    set_options = {key: value for key, value in options.items() if value is not None}
    return {"type": "function", "function": {"name": function.name} | set_options}


def _tool_choice_fields(prompt: Prompt) -> dict[str, Any]:
    made: dict[str, Any] = {} if prompt.parallel is None else {"parallel_tool_calls": prompt.parallel}
    if prompt.choice_mode in ("auto", "none", "required"):
        made["tool_choice"] = prompt.choice_mode
    elif prompt.choice_mode == "named":
        made["tool_choice"] = {"type": "function", "function": {"name": prompt.choice_names[0]}}
    elif prompt.choice_mode == "allowed":
        tools = [{"type": "function", "function": {"name": name}} for name in prompt.choice_names]
        made["tool_choice"] = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": tools}}
    return made


def _settings_fields(prompt: Prompt) -> dict[str, Any]:
    return dict(prompt.settings)


def _reasoning_fields(thinking: dict[str, Any]) -> dict[str, Any]:
    limits = {"effort": thinking.get("level"), "max_tokens": thinking.get("budget")}
    made = {key: value for key, value in limits.items() if value is not None}
    if thinking.get("budget") == 0:
        return {"reasoning_effort": "none"}
    if thinking.get("budget") == -1:
        made = {"enabled": True}
    if made or "include" in thinking:
        made["exclude"] = not thinking.get("include", True)  # who makes the model think is shown what it thought
    return {"reasoning": made} if made else {}


def _response_format_field(prompt: Prompt) -> dict[str, Any]:
    form = prompt.response_format
    if form is None:
        return {}
    if form.kind != "json_schema":
        return {"response_format": {"type": form.kind}}
    fields = {"name": form.name or "answer", "schema": form.schema, "strict": form.strict}
    return {
        "response_format": {
            "type": "json_schema",
            "json_schema": {key: value for key, value in fields.items() if value is not None},
        }
    }


def read_replies(document: dict[str, Any], status: int, *, partial: bool = False) -> Replies:
    """Read an answer, or one chunk of a stream (``partial``)."""
    made = Replies(model=document.get("model") or "", id=document.get("id") or "")
    error = document.get("error")
    if error or status >= 400:
        error = error if isinstance(error, dict) else {"message": str(error or document)}
        made.error = _read_error(error, status)
    for position, choice in enumerate(document.get("choices") or []):
        message = choice.get("delta") or choice.get("message") or {}
        made.replies.append(
            Reply(
                pieces=[
                    *_read_thoughts(message),
                    *_read_texts(message),
                    *_read_media(message),
                    *_read_calls(message, partial),
                ],
                refusal=message.get("refusal") or "",
                citations=message.get("annotations") or [],
                stop_reason=choice.get("finish_reason") or "",
                index=choice.get("index", position),
                details=_provider_details(message),
            )
        )
    made.usage = _read_usage(document.get("usage"))
    return made


def _read_error(error: dict[str, Any], status: int) -> Failure:
    code = error.get("code")
    status_code = code if isinstance(code, int) else status if status >= 400 else None
    code_name = str(error.get("type") or "") if not isinstance(code, str) else code
    retry_after = (error.get("metadata") or {}).get("retry_after_seconds")
    return Failure(str(error.get("message") or error), status_code, code_name, retry_after)


def _read_thoughts(message: dict[str, Any]) -> list[Piece]:
    text = message.get("reasoning_content") or message.get("reasoning") or ""
    return [Thought(text)] if text else []


def _read_texts(message: dict[str, Any]) -> list[Piece]:
    content = message.get("content")
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [Text(part["text"]) for part in content or [] if part.get("type") == "text"]


def _read_media(message: dict[str, Any]) -> list[Piece]:
    found: list[Piece] = []
    for image in message.get("images") or []:
        url, signature = image["image_url"]["url"], _read_signature(image)
        head, _, data = url.removeprefix("data:").partition(";base64,")
        found.append(Media(head, data, "", {}, signature) if data else Media("image/*", "", url, {}, signature))
    audio = message.get("audio") or {}
    return [*found, *([Media("audio/*", audio["data"])] if audio.get("data") else [])]


def _read_signature(carrier: dict[str, Any]) -> str:
    signature: str = carrier.get("extra_content", {}).get("google", {}).get("thought_signature", "")
    return signature


def _read_calls(message: dict[str, Any], partial: bool) -> list[Piece]:
    found: list[Piece] = []
    calls = message.get("tool_calls") or []
    if message.get("function_call"):
        calls = [{"index": 0, "function": message["function_call"]}]
    for call in calls:
        function = call.get("function") or _custom_function(call)
        signature = _read_signature(call)
        if partial:
            index = call.get("index", -1)
            name, arguments = function.get("name") or "", function.get("arguments") or ""
            found.append(CallDelta(index, call.get("id") or "", name, arguments, signature))
        else:
            found.append(_read_whole_call(call, function, signature))
    return found


def _read_whole_call(call: dict[str, Any], function: dict[str, Any], signature: str) -> Call:
    raw = function.get("arguments") or "{}"
    try:
        arguments = json.loads(raw, parse_constant=int)
    except ValueError:
        arguments = None
    if isinstance(arguments, dict):
        return Call(function["name"], arguments, call.get("id", ""), signature)
    return Call(function["name"], {}, call.get("id", ""), signature, raw)


def _custom_function(call: dict[str, Any]) -> dict[str, Any]:
    """Return a custom tool call as a function call whose one argument is the free text."""
    custom = call.get("custom") or {}
    return {"name": custom.get("name"), "arguments": json.dumps({"input": custom["input"]})} if custom else {}


def _provider_details(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the provider data that the library sends back unchanged."""
    found = {key: message[key] for key in ("reasoning_details", "extra_content") if message.get(key)}
    return found or None


def _read_usage(usage: dict[str, Any] | None) -> Usage | None:
    if not usage:
        return None
    prompt = usage.get("prompt_tokens_details") or {}
    completion = usage.get("completion_tokens_details") or {}
    written, thinking = usage.get("completion_tokens"), completion.get("reasoning_tokens")
    if thinking and usage.get("total_tokens") == usage.get("prompt_tokens", 0) + written + thinking:
        written += thinking
    return Usage(
        prompt=usage.get("prompt_tokens"),
        completion=written,
        total=usage.get("total_tokens"),
        from_cache=prompt.get("cached_tokens"),
        to_cache=prompt.get("cache_write_tokens"),
        reasoning=thinking,
    )
