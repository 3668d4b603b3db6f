"""A small bridge: Chat Completions in front, the Gemini API behind. Text, tools and the usual settings; nothing else.

What it cannot carry it refuses by name; what clients will miss is in deviations.toml.
"""

import json
import time
import uuid

SETTINGS = {  # Chat Completions -> generationConfig
    "temperature": "temperature", "top_p": "topP", "seed": "seed",
    "max_tokens": "maxOutputTokens", "max_completion_tokens": "maxOutputTokens",
    "presence_penalty": "presencePenalty", "frequency_penalty": "frequencyPenalty",
}  # fmt: skip
ASIDE = {
    "model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stop", "response_format", "stream",
    "stream_options", "user",
}  # fmt: skip
MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
ERRORS = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}


def to_gemini(body):
    """A Chat Completions request as a Gemini one. Raises NotImplementedError for what has no place there."""
    for field, value in body.items():
        if field not in SETTINGS and field not in ASIDE and value is not None:
            raise NotImplementedError(f"{field} is not supported")
    if body.get("parallel_tool_calls") is False:
        raise NotImplementedError("parallel_tool_calls cannot be switched off")
    system = [part for message in body["messages"] if is_system(message) for part in texts(message["content"])]
    sent = {"contents": contents(body["messages"]) or [{"role": "user", "parts": [{"text": " "}]}]}
    if system:
        sent["systemInstruction"] = {"parts": system}
    if body.get("tools"):
        sent["tools"] = [{"functionDeclarations": [declaration(tool) for tool in body["tools"]]}]
    if body.get("tool_choice"):
        sent["toolConfig"] = {"functionCallingConfig": choice(body["tool_choice"])}
    config = {SETTINGS[field]: value for field, value in body.items() if field in SETTINGS and value is not None}
    if body.get("stop"):
        config["stopSequences"] = [body["stop"]] if isinstance(body["stop"], str) else body["stop"]
    kind = (body.get("response_format") or {}).get("type", "text")
    if kind == "json_schema":
        raise NotImplementedError("response_format: json_schema is not supported")
    if kind == "json_object":
        config["responseMimeType"] = "application/json"
    return sent | ({"generationConfig": config} if config else {})


def is_system(message):
    return message["role"] in ("system", "developer")


def contents(messages):
    """The turns; the results of tools that were called together are one turn, in the order of the calls."""
    turns, names = [], {}
    for message in messages:
        if is_system(message):
            continue
        role = "model" if message["role"] == "assistant" else "user"
        parts = [] if message["role"] == "tool" else texts(message.get("content") or message.get("refusal"))
        for call in message.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
            parts.append({"functionCall": {"id": call["id"], "name": names[call["id"]], "args": arguments(call)}})
        if message["role"] == "tool":
            parts.append({"functionResponse": result(message, names)})
        if turns and turns[-1]["role"] == role:
            turns[-1]["parts"] += parts
        elif parts:
            turns.append({"role": role, "parts": parts})
    order = {name: place for place, name in enumerate(names)}
    for turn in turns:
        turn["parts"].sort(key=lambda part: order.get(part.get("functionResponse", {}).get("id"), len(order)))
    return turns


def texts(content):
    for part in content if isinstance(content, list) else ():
        if part["type"] not in ("text", "refusal"):
            raise NotImplementedError(f"messages[].content: {part['type']} is not supported")
    found = [content] if isinstance(content, str) else [part[part["type"]] for part in content or ()]
    return [{"text": text} for text in found if text]


def arguments(call):
    try:
        found = json.loads(call["function"]["arguments"] or "{}")
    except ValueError:
        found = call["function"]["arguments"]
    return found if isinstance(found, dict) else {"arguments": found} if found is not None else {}


def result(message, names):
    if message["tool_call_id"] not in names:
        raise NotImplementedError("messages[].tool_call_id names no call of the conversation")
    content = "".join(part["text"] for part in texts(message["content"]))
    try:
        value = json.loads(content)
    except ValueError:
        value = content
    response = value if isinstance(value, dict) else {"output": content}
    return {"id": message["tool_call_id"], "name": names[message["tool_call_id"]], "response": response}


def declaration(tool):
    if tool.get("type") != "function":
        raise NotImplementedError(f"tools[]: {tool.get('type') or ', '.join(tool)} is not supported")
    function = tool["function"]
    document = {"name": function["name"], "description": function.get("description", "")}
    return document | ({"parametersJsonSchema": function["parameters"]} if function.get("parameters") else {})


def choice(requested):
    if isinstance(requested, str):
        return {"mode": MODES[requested]}
    if requested["type"] != "function":
        raise NotImplementedError(f"tool_choice.type: {requested['type']} is not supported")
    return {"mode": "ANY", "allowedFunctionNames": [requested["function"]["name"]]}


class Answer:
    """One answer of Gemini as Chat Completions sees it: fed with its events, of which a unary answer is one."""

    def __init__(self, model, with_usage):
        self.model, self.with_usage = model, with_usage
        self.id, self.created = f"chatcmpl-{uuid.uuid4().hex}", int(time.time())
        self.begun, self.calls, self.finish, self.usage = False, 0, None, {}

    def deltas(self, event):
        """What an event adds, as (delta, finish reason or None)."""
        self.usage |= event.get("usageMetadata") or {}
        for candidate in event.get("candidates", ())[:1]:
            for part in (candidate.get("content") or {}).get("parts", ()):
                if "functionCall" in part:
                    yield {"tool_calls": [self.call(part["functionCall"])]}
                elif part.get("text") and not part.get("thought"):
                    yield {"content": part["text"]}
            if candidate.get("finishReason"):
                self.finish = FINISH.get(candidate["finishReason"], "content_filter")
        if "blockReason" in event.get("promptFeedback", ()):
            self.finish = "content_filter"

    def call(self, function):
        self.calls += 1
        called = {"name": function["name"], "arguments": json.dumps(function.get("args") or {})}
        name = function.get("id") or f"call_{uuid.uuid4().hex[:24]}"
        return {"index": self.calls - 1, "id": name, "type": "function", "function": called}

    def reason(self):
        return "tool_calls" if self.calls and self.finish == "stop" else self.finish

    def document(self, kind, choices):
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model, "choices": choices}

    def chunk(self, delta, reason=None):
        return self.document("chat.completion.chunk", [{"index": 0, "delta": delta, "finish_reason": reason}])

    def feed(self, event):
        first = [] if self.begun else [self.chunk({"role": "assistant", "content": ""})]
        self.begun = True
        return first + [self.chunk(delta) for delta in self.deltas(event)]

    def close(self):
        if self.finish is None:
            return []
        last = [self.chunk({}, self.reason())]
        return last + ([self.document("chat.completion.chunk", []) | tokens(self.usage)] if self.with_usage else [])

    def whole(self, event):
        parts = list(self.deltas(event))
        calls = [call for part in parts for call in part.get("tool_calls", ())]
        calls = [{key: value for key, value in call.items() if key != "index"} for call in calls]
        text = "".join(part.get("content", "") for part in parts)
        message = {"role": "assistant", "content": text or None} | ({"tool_calls": calls} if calls else {})
        document = self.document("chat.completion", [{"index": 0, "message": message, "finish_reason": self.reason()}])
        return document | tokens(self.usage)


def tokens(usage):
    """Google counts thinking and what built-in tools read apart, Chat Completions counts them in."""
    if not usage:
        return {}
    thought, cached = usage.get("thoughtsTokenCount", 0), usage.get("cachedContentTokenCount", 0)
    completion = usage.get("candidatesTokenCount", 0) + thought
    prompt = usage.get("promptTokenCount", 0) + usage.get("toolUsePromptTokenCount", 0)
    counted = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    details = {"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}
    details |= {"completion_tokens_details": {"reasoning_tokens": thought}} if thought else {}
    return {"usage": counted | details}


class TinyBridge:
    """The shape that bridgecheck drives; it needs nothing of bridgecheck."""

    name, version = "tiny-bridge", "0.3.0"
    routes = (("openai-chat", "gemini"),)

    def to_upstream(self, body, **rest):
        return to_gemini(body)

    def from_upstream(self, body, *, status, model, **rest):
        if status >= 400:
            error = body.get("error") or {}
            kind = ERRORS.get(status, "server_error")
            return status, {"error": {"message": error.get("message", ""), "type": kind, "param": None, "code": None}}
        return status, Answer(model, True).whole(body)

    def stream(self, *, model, request, **rest):
        return Answer(model, (request.get("stream_options") or {}).get("include_usage"))


adapter = TinyBridge()
