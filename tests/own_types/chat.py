"""The library's own types and Chat Completions."""

import json
from typing import Any

from .shapes import (
    Call,
    CallPiece,
    Cost,
    Message,
    Picture,
    Piece,
    Question,
    Replies,
    Reply,
    Returned,
    Sealed,
    Text,
    Thought,
    Trouble,
)


def request(question: Question, *, stream: bool) -> dict[str, Any]:
    body: dict[str, Any] = {"model": question.model, "messages": _messages(question)}
    if question.functions is not None:
        body["tools"] = [_function(one) for one in question.functions]
    body |= _choice(question) | _knobs(question) | _thinking(question.think) | _shape(question)
    return body | ({"stream": True, "stream_options": {"include_usage": True}} if stream else {})


EFFORTS = ((0, "none"), (4096, "low"), (16384, "medium"))


def for_openai(body: dict[str, Any]) -> dict[str, Any]:
    """As OpenAI itself takes it."""
    made = {key: value for key, value in body.items() if key != "top_k"}
    made["messages"] = _pictures_behind(body["messages"])
    if not made.get("tools"):
        made.pop("tool_choice", None)
    reasoning = made.pop("reasoning", {})
    budget = reasoning.get("max_tokens")
    if reasoning.get("effort"):
        made["reasoning_effort"] = reasoning["effort"]
    elif budget is not None:
        made["reasoning_effort"] = next((word for most, word in EFFORTS if budget <= most), "high")
    if "reasoning_effort" in made and "max_tokens" in made:
        made["max_completion_tokens"] = made.pop("max_tokens")
    return made


def _pictures_behind(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results are text; what they show stands in a message of the user's behind them."""
    made: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] != "tool" and shown:
            made.append({"role": "user", "content": shown})
            shown = []
        if message["role"] == "tool" and isinstance(message["content"], list):
            words, *pictures = message["content"]
            shown += pictures
            message = message | {"content": words["text"]}
        made.append(message)
    return [*made, *([{"role": "user", "content": shown}] if shown else [])]


def _messages(question: Question) -> list[dict[str, Any]]:
    briefing = "".join(question.briefing)
    made: list[dict[str, Any]] = [{"role": "system", "content": briefing}] if briefing else []
    for message in question.messages:
        made += _assistant(message) if message.author == "assistant" else _user(message)
    return made


def _assistant(message: Message) -> list[dict[str, Any]]:
    said: dict[str, Any] = {"role": "assistant", "content": None}
    words = [piece for piece in message.pieces if isinstance(piece, Text)]
    if len(words) == len([piece for piece in message.pieces if isinstance(piece, Text | Picture)]):
        said["content"] = "".join(piece.words for piece in words) or None
    else:
        said["content"] = [_content(piece) for piece in message.pieces if isinstance(piece, Text | Picture)]
    thoughts = "".join(piece.words for piece in message.pieces if isinstance(piece, Thought))
    calls = [_call(piece) for piece in message.pieces if isinstance(piece, Call)]
    said |= {"reasoning_content": thoughts} if thoughts else {}
    said |= {"tool_calls": calls} if calls else {}
    details = [detail for piece in message.pieces for detail in _details(piece)]
    said |= {"reasoning_details": details} if details else {}
    seals = [piece.seal for piece in words if piece.seal]
    if seals:
        google = {"thought_signature": seals[-1]}
        if not words[-1].words:
            google["thought_signature_part"] = "tail"
        said["extra_content"] = {"google": google}
    said |= message.details or {}
    said |= {"name": message.nick} if message.nick else {}
    if said["content"] is None and not calls:
        said["content"] = ""
    return [said]


def _details(piece: Piece) -> list[dict[str, Any]]:
    if isinstance(piece, Thought) and piece.seal:
        return [{"type": "reasoning.text", "text": piece.words, "signature": piece.seal}]
    return [{"type": "reasoning.encrypted", "data": piece.data}] if isinstance(piece, Sealed) else []


def _call(piece: Call) -> dict[str, Any]:
    written = json.dumps(piece.arguments, ensure_ascii=False) if piece.raw is None else piece.raw
    made = {"id": piece.id, "type": "function", "function": {"name": piece.name, "arguments": written}}
    return made | ({"extra_content": {"google": {"thought_signature": piece.seal}}} if piece.seal else {})


def _user(message: Message) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    said: list[dict[str, Any]] = []
    for piece in message.pieces:
        if isinstance(piece, Returned):
            made += _said(message, said)
            said = []
            made.append(_returned(piece))
        elif isinstance(piece, Text | Picture):
            said.append(_content(piece))
    return [*made, *_said(message, said)]


def _said(message: Message, said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not said:
        return []
    plain = len(said) == 1 and said[0]["type"] == "text"
    nick = {"name": message.nick} if message.nick else {}
    return [{"role": message.author, "content": said[0]["text"] if plain else said, **nick}]


def _returned(piece: Returned) -> dict[str, Any]:
    words = piece.value if isinstance(piece.value, str) else json.dumps(piece.value, ensure_ascii=False)
    words = "\n".join([*([words] if words else []), *piece.quotes])
    shown = [_content(one) for one in piece.pictures]
    content = [{"type": "text", "text": words}, *shown] if shown else words
    return {"role": "tool", "tool_call_id": piece.call, "content": content}


def _content(piece: Text | Picture) -> dict[str, Any]:
    if isinstance(piece, Text):
        return {"type": "text", "text": piece.words}
    kind = piece.mime.partition("/")[0]
    if kind == "audio" and piece.data:
        form = {"audio/mpeg": "mp3"}.get(piece.mime, piece.mime.removeprefix("audio/"))
        return {"type": "input_audio", "input_audio": {"data": piece.data, "format": form}}
    url = piece.address or f"data:{piece.mime};base64,{piece.data}"
    if kind == "image":
        return {"type": "image_url", "image_url": {"url": url, **piece.hints}}
    if kind == "video":
        return {"type": "video_url", "video_url": {"url": url, **piece.hints}}
    if piece.address and not piece.address.startswith("http"):
        return {"type": "file", "file": {"file_id": piece.address, **piece.hints}}
    return {"type": "file", "file": {"file_data": url if piece.mime else piece.data, **piece.hints}}


def _function(one: Any) -> dict[str, Any]:
    told = {"description": one.what or None, "parameters": one.schema, "strict": one.strict}
    function = {"name": one.name} | {key: value for key, value in told.items() if value is not None}
    return {"type": "function", "function": function}


def _choice(question: Question) -> dict[str, Any]:
    made: dict[str, Any] = {} if question.at_once is None else {"parallel_tool_calls": question.at_once}
    if question.must in ("auto", "none", "required"):
        made["tool_choice"] = question.must
    elif question.must == "named":
        made["tool_choice"] = {"type": "function", "function": {"name": question.choose[0]}}
    elif question.must == "allowed":
        tools = [{"type": "function", "function": {"name": name}} for name in question.choose]
        made["tool_choice"] = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": tools}}
    return made


def _knobs(question: Question) -> dict[str, Any]:
    return dict(question.knobs)


def _thinking(think: dict[str, Any]) -> dict[str, Any]:
    said = {"effort": think.get("level"), "max_tokens": think.get("budget")}
    made = {key: value for key, value in said.items() if value is not None}
    if think.get("budget") == 0:
        return {"reasoning_effort": "none"}
    if set(made) == {"effort"} and "include" not in think:
        return {"reasoning_effort": made["effort"]}
    if think.get("budget") == -1:
        made = {"enabled": True}
    if "include" in think:
        made["exclude"] = not think["include"]
    return {"reasoning": made} if made else {}


def _shape(question: Question) -> dict[str, Any]:
    shape = question.shape
    if shape is None:
        return {}
    if shape.kind != "json_schema":
        return {"response_format": {"type": shape.kind}}
    told = {"name": shape.name or "answer", "schema": shape.schema, "strict": shape.strict}
    return {
        "response_format": {
            "type": "json_schema",
            "json_schema": {key: value for key, value in told.items() if value is not None},
        }
    }


def replies(document: dict[str, Any], status: int, *, piecewise: bool = False) -> Replies:
    """An answer, or one chunk of a stream (``piecewise``)."""
    made = Replies(model=document.get("model") or "", id=document.get("id") or "")
    error = document.get("error")
    if error or status >= 400:
        error = error if isinstance(error, dict) else {"message": str(error or document)}
        made.trouble = _trouble(error, status)
    for at, choice in enumerate(document.get("choices") or []):
        message = choice.get("delta") or choice.get("message") or {}
        made.replies.append(
            Reply(
                pieces=[*_thoughts(message), *_texts(message), *_pictures(message), *_calls(message, piecewise)],
                refused=message.get("refusal") or "",
                sources=message.get("annotations") or [],
                why=choice.get("finish_reason") or "",
                number=choice.get("index", at),
                details=_kept(message),
            )
        )
    made.cost = _cost(document.get("usage"))
    return made


def _trouble(error: dict[str, Any], status: int) -> Trouble:
    code = error.get("code")
    told = code if isinstance(code, int) else status if status >= 400 else None
    word = str(error.get("type") or "") if not isinstance(code, str) else code
    wait = (error.get("metadata") or {}).get("retry_after_seconds")
    return Trouble(str(error.get("message") or error), told, word, wait)


def _thoughts(message: dict[str, Any]) -> list[Piece]:
    words = message.get("reasoning_content") or message.get("reasoning") or ""
    return [Thought(words)] if words else []


def _texts(message: dict[str, Any]) -> list[Piece]:
    content = message.get("content")
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [Text(part["text"]) for part in content or [] if part.get("type") == "text"]


def _pictures(message: dict[str, Any]) -> list[Piece]:
    found: list[Piece] = []
    for image in message.get("images") or []:
        head, _, data = image["image_url"]["url"].removeprefix("data:").partition(";base64,")
        found.append(Picture(head, data) if data else Picture("image/*", address=image["image_url"]["url"]))
    audio = message.get("audio") or {}
    return [*found, *([Picture("audio/*", audio["data"])] if audio.get("data") else [])]


def _calls(message: dict[str, Any], piecewise: bool) -> list[Piece]:
    found: list[Piece] = []
    calls = message.get("tool_calls") or []
    if message.get("function_call"):
        calls = [{"index": 0, "function": message["function_call"]}]
    for call in calls:
        function = call.get("function") or _custom(call)
        seal = call.get("extra_content", {}).get("google", {}).get("thought_signature", "")
        if piecewise:
            number = call.get("index", -1)
            name, words = function.get("name") or "", function.get("arguments") or ""
            found.append(CallPiece(number, call.get("id") or "", name, words, seal))
        else:
            found.append(_whole(call, function, seal))
    return found


def _whole(call: dict[str, Any], function: dict[str, Any], seal: str) -> Call:
    raw = function.get("arguments") or "{}"
    try:
        arguments = json.loads(raw, parse_constant=int)
    except ValueError:
        arguments = None
    if isinstance(arguments, dict):
        return Call(function["name"], arguments, call.get("id", ""), seal)
    return Call(function["name"], {}, call.get("id", ""), seal, raw)


def _custom(call: dict[str, Any]) -> dict[str, Any]:
    """A call of free text: its one argument."""
    custom = call.get("custom") or {}
    return {"name": custom.get("name"), "arguments": json.dumps({"input": custom["input"]})} if custom else {}


def _kept(message: dict[str, Any]) -> dict[str, Any] | None:
    """What the library hands back as it came."""
    found = {key: message[key] for key in ("reasoning_details", "extra_content") if message.get(key)}
    return found or None


def _cost(usage: dict[str, Any] | None) -> Cost | None:
    if not usage:
        return None
    prompt = usage.get("prompt_tokens_details") or {}
    completion = usage.get("completion_tokens_details") or {}
    written, thinking = usage.get("completion_tokens"), completion.get("reasoning_tokens")
    if thinking and usage.get("total_tokens") == usage.get("prompt_tokens", 0) + written + thinking:
        written += thinking
    return Cost(
        read=usage.get("prompt_tokens"),
        written=written,
        whole=usage.get("total_tokens"),
        from_cache=prompt.get("cached_tokens"),
        to_cache=prompt.get("cache_write_tokens"),
        thinking=thinking,
    )
