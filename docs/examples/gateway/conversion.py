"""Chat Completions documents as Gemini's, and Gemini's answers as Chat Completions. Nothing here does HTTP."""

import json
import time
import uuid

SETTINGS = {  # Chat Completions -> generationConfig
    "temperature": "temperature", "top_p": "topP", "seed": "seed",
    "max_tokens": "maxOutputTokens", "max_completion_tokens": "maxOutputTokens",
    "presence_penalty": "presencePenalty", "frequency_penalty": "frequencyPenalty",
}  # fmt: skip
MEMBERS = {"model", "messages", "tools", "tool_choice", "stop", "response_format", "stream", "stream_options", "user"}
DEFAULTS = {"n": 1, "logprobs": False, "parallel_tool_calls": True, "store": False}  # any other value is refused
MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}  # for any other reason Gemini held something back
BROKEN = {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"}
UNSIGNED = "skip_thought_signature_validator"  # Gemini 3 refuses a turn whose first call has no signature
KINDS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


class Failure(Exception):
    """What a client gets in place of a completion."""

    def __init__(self, status, message, param=None, code=None, retry_after=None):
        self.status, self.retry_after = status, retry_after
        kind = KINDS.get(status, "server_error" if status >= 500 else "invalid_request_error")
        self.document = {"error": {"message": message, "type": kind, "param": param, "code": code}}


def refuse(param, reason="is not supported"):
    raise Failure(400, f"{param} {reason}", param, "unsupported_parameter")


def to_gemini(body):
    """A Chat Completions request as a Gemini one."""
    for field in body.keys() - SETTINGS.keys() - MEMBERS:
        if body[field] is not None and (field not in DEFAULTS or body[field] != DEFAULTS[field]):
            refuse(field)
    system, contents = turns(body["messages"])
    request = {"contents": contents or refuse("messages", "holds nothing but system messages")}
    if system:
        request["systemInstruction"] = {"parts": system}
    if body.get("tools"):
        request["tools"] = [{"functionDeclarations": [declaration(tool) for tool in body["tools"]]}]
        if body.get("tool_choice"):
            request["toolConfig"] = {"functionCallingConfig": choice(body["tool_choice"])}
    config = {SETTINGS[field]: value for field, value in body.items() if field in SETTINGS and value is not None}
    if body.get("stop"):
        config["stopSequences"] = [body["stop"]] if isinstance(body["stop"], str) else body["stop"]
    form = body.get("response_format") or {"type": "text"}
    if form["type"] != "text":
        config["responseMimeType"] = "application/json"
    if form["type"] == "json_schema" and "schema" in form["json_schema"]:
        config["responseJsonSchema"] = form["json_schema"]["schema"]
    return request | ({"generationConfig": config} if config else {})


def turns(messages):
    """System parts and contents. Neighbours of one role are one content; results stand in the order of their calls."""
    system, contents, names = [], [], {}
    for message in messages:
        added = [result(message, names)] if message["role"] == "tool" else parts(message)
        for call in message.get("tool_calls") or ():
            added.append(function_call(call))
            names[call["id"]] = call["function"]["name"]
        role = "model" if message["role"] == "assistant" else "user"
        if message["role"] in ("system", "developer"):
            system += added
        elif contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += added
        elif added:
            contents.append({"role": role, "parts": added})
    order = {name: position for position, name in enumerate(names)}
    for content in contents:
        content["parts"].sort(key=lambda part: order.get(part.get("functionResponse", {}).get("id"), len(order)))
        for call in [part for part in content["parts"] if "functionCall" in part][:1]:
            call.setdefault("thoughtSignature", UNSIGNED)
    return system, contents


def parts(message):
    """The parts of a message's content, which is a text, or a list of texts and images."""
    content, found = message.get("content") or message.get("refusal") or [], []
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if part["type"] in ("text", "refusal"):
            found += [{"text": part[part["type"]]}] if part[part["type"]] else []
        elif part["type"] == "image_url" and message["role"] == "user":
            head, base64, data = part["image_url"]["url"].partition(";base64,")
            if not head.startswith("data:") or not base64:
                refuse("messages[].content[].image_url", "has to be a data URL in base64")
            found.append({"inlineData": {"mimeType": head.removeprefix("data:"), "data": data}})
        else:
            refuse(f"messages[].content[].{part['type']}", f"is not supported where the role is {message['role']}")
    return found


def function_call(call):
    """A call of the history, with the signature that Gemini gave it, if the client kept that."""
    if call["type"] != "function":
        refuse(f"messages[].tool_calls[].{call['type']}")
    arguments = as_object(call["function"]["arguments"] or "{}", "arguments")
    part = {"functionCall": {"id": call["id"], "name": call["function"]["name"], "args": arguments}}
    signature = ((call.get("extra_content") or {}).get("google") or {}).get("thought_signature")
    return part | ({"thoughtSignature": signature} if signature else {})


def result(message, names):
    called = message["tool_call_id"]
    if called not in names:
        refuse("messages[].tool_call_id", f"names no call before it: {called}")
    text = "".join(part["text"] for part in parts(message))
    # Gemini takes "$ref" in a result for the name of a file.
    response = {"output": text} if '"$ref"' in text else as_object(text, "output")
    return {"functionResponse": {"id": called, "name": names[called], "response": response}}


def as_object(text, key):
    """The JSON object that a text is, or one that holds the text."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return value if isinstance(value, dict) else {} if value is None else {key: text}


def declaration(tool):
    if tool["type"] != "function":
        refuse(f"tools[].{tool['type']}")
    function = tool["function"]
    declared = {"name": function["name"], "description": function.get("description") or ""}
    return declared | ({"parametersJsonSchema": function["parameters"]} if function.get("parameters") else {})


def choice(requested):
    if isinstance(requested, str):
        return {"mode": MODES[requested]}
    if requested["type"] != "function":
        refuse(f"tool_choice.{requested['type']}")
    return {"mode": "ANY", "allowedFunctionNames": [requested["function"]["name"]]}


class Answer:
    """One answer of Gemini as Chat Completions sees it: made of its events, of which a whole answer is one."""

    def __init__(self, model):
        self.head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": model}
        self.calls, self.finish, self.usage = 0, None, {}

    def deltas(self, event):
        """What an event adds to the message."""
        if "error" in event:
            raise provider_failure(502, event)
        self.usage |= event.get("usageMetadata") or {}
        for candidate in event.get("candidates") or ():
            for part in (candidate.get("content") or {}).get("parts") or ():
                if "functionCall" in part:
                    yield {"tool_calls": [self.call(part["functionCall"], part.get("thoughtSignature"))]}
                elif part.get("text") and not part.get("thought"):  # thoughts come to those who ask for them; none do
                    yield {"content": part["text"]}
                elif "text" not in part:
                    raise Failure(502, f"Gemini answered with {', '.join(part)}, which has no place in a completion")
            reason = candidate.get("finishReason")
            if reason in BROKEN:
                raise Failure(502, f"Gemini ended with {reason}: {candidate.get('finishMessage', '')}")
            self.finish = FINISH.get(reason, "content_filter") if reason else self.finish
        if "blockReason" in (event.get("promptFeedback") or ()):
            self.finish = "content_filter"

    def call(self, function, signature):
        if "name" not in function or "partialArgs" in function:
            raise Failure(502, "Gemini sent the arguments of a call in pieces, which this gateway does not ask for")
        called = {"name": function["name"], "arguments": json.dumps(function.get("args") or {}, ensure_ascii=False)}
        call = {"index": self.calls, "id": function.get("id") or f"call_{uuid.uuid4().hex}", "type": "function"}
        self.calls += 1
        carrier = {"extra_content": {"google": {"thought_signature": signature}}} if signature else {}
        return call | {"function": called} | carrier

    def finish_reason(self):
        if self.finish is None:
            raise Failure(502, "Gemini's answer broke off")
        return "tool_calls" if self.calls and self.finish == "stop" else self.finish

    def completion(self, event):
        message = {"role": "assistant", "content": None}
        for delta in self.deltas(event):
            for field, value in delta.items():
                message[field] = message[field] + value if message.get(field) else value
        for call in message.get("tool_calls", ()):
            del call["index"]
        choices = [{"index": 0, "message": message, "finish_reason": self.finish_reason()}]
        return self.head | {"object": "chat.completion", "choices": choices} | self.tokens()

    def chunks(self, events, with_usage):
        yield self.chunk({"role": "assistant", "content": ""})
        for event in events:
            yield from map(self.chunk, self.deltas(event))
        yield self.chunk({}, self.finish_reason())
        if with_usage:
            yield self.head | {"object": "chat.completion.chunk", "choices": []} | self.tokens()

    def chunk(self, delta, finish_reason=None):
        choices = [{"index": 0, "delta": delta, "finish_reason": finish_reason}]
        return self.head | {"object": "chat.completion.chunk", "choices": choices}

    def tokens(self):
        """The counts. Gemini counts thinking and what its own tools read apart, Chat Completions counts them in."""
        if not self.usage:
            return {}
        count = {field: value for field, value in self.usage.items() if value}.get
        thoughts, cached = count("thoughtsTokenCount", 0), count("cachedContentTokenCount", 0)
        prompt = count("promptTokenCount", 0) + count("toolUsePromptTokenCount", 0)
        completion = count("candidatesTokenCount", 0) + thoughts
        counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
        details = {"completion_tokens_details": {"reasoning_tokens": thoughts}}
        return {"usage": counts | details | {"prompt_tokens_details": {"cached_tokens": cached}}}


def provider_failure(status, document, retry_after=None):
    """An error of Gemini's. When to try again stands in a header, or in the error's details."""
    error = document["error"]
    for detail in error.get("details") or ():
        retry_after = retry_after or detail.get("retryDelay", "").removesuffix("s")
    return Failure(error.get("code") or status, error.get("message", ""), None, error.get("status"), retry_after)
