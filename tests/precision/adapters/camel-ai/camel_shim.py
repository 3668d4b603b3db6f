"""camel-ai as bridgecheck asks it: ``run`` of the model backend that its ModelFactory makes, one model call of a
ChatAgent (https://docs.camel-ai.org/reference/camel.models.base_model), at the base URL of the recordings.

A ChatAgent would run the tools itself and ask again, and its stream has no calls of external tools. Requests are made
of its BaseMessages and FunctionCallingMessages, each as the OpenAI message that it converts itself to
(https://docs.camel-ai.org/key_modules/messages), and of schemas of tools; answers are ChatCompletions and their chunks.
``keep`` is what a ChatAgent keeps of an answer: its content and the calls of its meta_dict. What its types have no
field for is refused by name, or stands in ``cannot_say``.
"""

import json
from importlib.metadata import version

import anthropic
import httpx
import openai
from camel.configs import AnthropicConfig, ChatGPTConfig
from camel.messages import BaseMessage, FunctionCallingMessage
from camel.models import ModelFactory
from camel.types import ModelPlatformType, OpenAIBackendRole, RoleType
from pydantic import BaseModel
from shim import serve

FAILURES = (openai.OpenAIError, anthropic.AnthropicError, httpx.HTTPError, json.JSONDecodeError)

PLATFORMS = {"openai-chat": ModelPlatformType.OPENAI, "anthropic": ModelPlatformType.ANTHROPIC}
# https://docs.camel-ai.org/reference/camel.configs.openai_config
OPENAI_SETTINGS = {
    name: name
    for name in (
        *("temperature", "top_p", "presence_penalty", "frequency_penalty"),
        *("max_tokens", "stop", "n", "user"),
    )
}
# https://docs.camel-ai.org/reference/camel.configs.anthropic_config
ANTHROPIC_SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "stop": "stop_sequences",
}
DEFAULTS = [("n", 1), ("modalities", ["text"])]  # they say what it does without them
EFFORTS = ("low", "medium", "high")  # of reasoning_effort
DETAILS = ("auto", "low", "high")  # of image_detail
FINISH = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}
FINISH_OF_CLAUDE = {"refusal": "content_filter", "pause_turn": "pause", "model_context_window_exceeded": "length"}


class CamelAi:
    name, version = "camel-ai", version("camel-ai")
    routes = [("outcome", upstream) for upstream in PLATFORMS]
    claims = ["tools", "parallel_tools", "media_input", "relay"]
    cannot_say = [
        *("citations", "code", "order", "text.segments", "usage.cache_write", "usage.tool_prompt"),
        *("settings.modalities", "settings.seed", "tool_choice.validated"),
        *("turns.media.detail", "turns.name", "turns.results.is_error"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        known = openai_config(body) if upstream == "openai-chat" else anthropic_config(body)
        backend = ModelFactory.create(
            model_platform=PLATFORMS[upstream],
            model_type=model,
            model_config_dict=known | streamed(upstream, mode),
            api_key=api_key,
            url=base_url,
            max_retries=0,
            client=openai_client(base_url, api_key) if upstream == "openai-chat" else None,
        )
        asked = {"messages": messages(body), "tools": [tool_schema(**tool) for tool in body.get("tools", [])] or None}
        asked["response_format"] = answer_type(**body.get("response_format", {}))
        return stream(backend, asked) if mode == "stream" else unary(backend, asked)


def openai_client(base_url, api_key):
    """OpenAIModel repeats 3 times whatever its max_retries says; with a client of the caller's, that one decides."""
    return openai.OpenAI(api_key=api_key, base_url=base_url, max_retries=0)


def streamed(upstream, mode):
    """With the usage of the stream, as its documentation asks OpenAI for it:
    https://docs.camel-ai.org/reference/camel.agents.chat_agent"""
    if mode != "stream":
        return {}
    usage = {"stream_options": {"include_usage": True}} if upstream == "openai-chat" else {}
    return {"stream": True, **usage}


def unary(backend, asked):
    try:
        found = backend.run(**asked)
    except FAILURES as error:
        return failure(error)
    answers = [{**told(one.message), **ended(one), "keep": kept([one.message])} for one in found.choices]
    if len(answers) == 1:
        return {**answers[0], **counted(found), **named(found)}
    return {"choices": [{"index": at, **one} for at, one in enumerate(answers)], **counted(found), **named(found)}


def stream(backend, asked):
    deltas, known = {}, {}
    try:
        for chunk in chunks(backend.run(**asked)):
            for choice in chunk.choices or ():
                said = told(choice.delta) if choice.delta else {}
                deltas.setdefault(choice.index, []).append(choice.delta)
                if said or choice.finish_reason:
                    yield {"choice": choice.index, **said, **ended(choice)}
            whole = {**counted(chunk), **named(chunk)}
            if any(known.get(name) != value for name, value in whole.items()):
                yield whole
            known |= whole
    except FAILURES as error:
        yield failure(error)
        return
    if len(deltas) == 1:
        yield {"keep": kept([one for delta in deltas.values() for one in delta if one])}


def chunks(found):
    """With a response_format it gives the manager of a stream, whose events hold the chunks."""
    if hasattr(found, "__iter__"):
        yield from found
        return
    with found as events:
        yield from (event.chunk for event in events if event.type == "chunk")


# The answer ---------------------------------------------------------------------------------------------------------


def told(message):
    """A message, or what a chunk adds to one."""
    thoughts = getattr(message, "reasoning_content", None)
    parts = [{"reasoning": thoughts}] if thoughts else []
    parts += [{"text": message.content}] if message.content else []
    parts += [{"tool_call": call(one)} for one in message.tool_calls or ()]
    refusal = {"refusal": message.refusal} if getattr(message, "refusal", None) else {}
    return {**({"parts": parts} if parts else {}), **refusal}


def call(one):
    function = one.function
    said = {
        "index": getattr(one, "index", None),
        "id": one.id,
        "name": function.name if function else None,
        "args_text": function.arguments if function else None,
    }
    return {name: value for name, value in said.items() if value is not None}


def ended(choice):
    """A word that is none of OpenAI's is Claude's own."""
    reason = choice.finish_reason
    if not reason or reason in FINISH:
        return {"finish": FINISH[reason]} if reason else {}
    return {"finish": FINISH_OF_CLAUDE.get(reason), "finish_native": reason}


def counted(found):
    """Its CompletionUsage."""
    counts = found.usage
    if counts is None:
        return {}
    read, written = counts.prompt_tokens_details, counts.completion_tokens_details
    said = {
        "prompt": counts.prompt_tokens,
        "completion": counts.completion_tokens,
        "total": counts.total_tokens,
        "cached": read.cached_tokens if read else None,
        "reasoning": written.reasoning_tokens if written else None,
    }
    return {"usage": {name: value for name, value in said.items() if value is not None}}


def named(found):
    return {name: value for name, value in (("id", found.id), ("model", found.model)) if value}


def kept(messages):
    """The content, and the calls as a ChatAgent writes them into the meta_dict of its message: of a stream, put
    together by their index."""
    calls = {}
    for message in messages:
        for place, one in enumerate(message.tool_calls or ()):
            at = getattr(one, "index", None)
            found = calls.setdefault(place if at is None else at, {"id": "", "name": "", "arguments": ""})
            found["id"] = one.id or found["id"]
            found["name"] += (one.function.name if one.function else None) or ""
            found["arguments"] += (one.function.arguments if one.function else None) or ""
            if extra := getattr(one, "extra_content", None):
                found["extra_content"] = extra
    content = "".join(message.content or "" for message in messages)
    return {"content": content, "tool_calls": [written_call(**one) for one in calls.values()]}


def written_call(id, name, arguments, extra_content=None):
    extra = {"extra_content": extra_content} if extra_content else {}
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **extra}


def failure(error):
    """The exceptions of the SDKs, which it lets through. An answer that is not of the form that was asked for has a
    reason of its own."""
    response, status = getattr(error, "response", None), getattr(error, "status_code", 0)
    detail = getattr(error, "body", None)
    inner = detail.get("error", detail) if isinstance(detail, dict) else {}
    said = {
        "message": str(error),
        "status": status if status >= 400 else None,  # an error in a stream comes with 200
        "native": inner.get("code") or inner.get("type") if isinstance(inner, dict) else None,
        "retry_after": seconds(response.headers.get("retry-after")) if response is not None else None,
    }
    known = {name: value for name, value in said.items() if value is not None}
    reasons = {openai.LengthFinishReasonError: "length", openai.ContentFilterFinishReasonError: "content_filter"}
    finish = {"finish": reasons[type(error)]} if type(error) in reasons else {}
    return {"error": known, **finish}


def seconds(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


# The request --------------------------------------------------------------------------------------------------------


def openai_config(body):
    """https://docs.camel-ai.org/reference/camel.configs.openai_config"""
    config = settings(body, OPENAI_SETTINGS, "ChatGPTConfig")
    thinking = body.get("thinking", {})
    if thinking and (thinking.keys() - {"level"} or thinking["level"] not in EFFORTS):
        raise NotImplementedError("thinking: ChatGPTConfig has a reasoning_effort, which is low, medium or high")
    config |= {"reasoning_effort": thinking["level"]} if thinking else {}
    if body.get("response_format", {}).get("kind") == "json_object":
        config["response_format"] = {"type": "json_object"}
    choice = body.get("tool_choice", {})
    config |= {"parallel_tool_calls": choice["parallel"]} if choice.get("parallel") is not None else {}
    mode = choice.get("mode")
    if mode == "named":
        config["tool_choice"] = {"type": "function", "function": {"name": choice["names"][0]}}
    elif mode in ("auto", "none", "required"):
        config["tool_choice"] = mode
    elif mode:
        raise NotImplementedError(f"tool_choice {mode}: the tool_choice of ChatGPTConfig has none")
    return ChatGPTConfig(**config).as_dict()


def answer_type(kind="text", schema=None, name=None, strict=None):
    """What ``run`` takes (https://docs.camel-ai.org/reference/camel.models.base_model): a class of pydantic, whose JSON
    Schema is the client's. In ChatGPTConfig it would break streams."""
    if kind != "json_schema":
        return None

    def model_json_schema(cls, *args, **options):
        return json.loads(json.dumps(schema))

    return type(
        name or "Answer", (BaseModel,), {"__module__": __name__, "model_json_schema": classmethod(model_json_schema)}
    )


def anthropic_config(body):
    """https://docs.camel-ai.org/reference/camel.configs.anthropic_config"""
    config = settings(body, ANTHROPIC_SETTINGS, "AnthropicConfig", user=True)
    if body.get("thinking"):
        raise NotImplementedError("thinking: AnthropicConfig has none")
    if body.get("response_format", {"kind": "text"})["kind"] != "text":
        raise NotImplementedError("response_format: AnthropicModel documents that it is not supported")
    user = body.get("settings", {}).get("user")
    config |= {"metadata": {"user_id": user}} if user is not None else {}
    choice = claude_choice(**body.get("tool_choice", {}))
    return AnthropicConfig(**config, **({"tool_choice": choice} if choice else {})).as_dict()


def claude_choice(mode=None, names=(), parallel=None):
    """The API's own: "How the model should use the provided tools"."""
    kinds = {"auto": "auto", "none": "none", "required": "any", "named": "tool"}
    if mode and mode not in kinds:
        raise NotImplementedError(f"tool_choice {mode}: Anthropic's tool_choice has none")
    if mode is None and parallel is None:
        return None
    name = {"name": names[0]} if mode == "named" else {}
    once = {"disable_parallel_tool_use": not parallel} if parallel is not None and mode != "none" else {}
    return {"type": kinds[mode or "auto"], **name, **once}


def settings(body, names, config, user=False):
    found = {}
    for name, value in body.get("settings", {}).items():
        if name in names:
            found[names[name]] = value
        elif (name, value) not in DEFAULTS and not (user and name == "user"):
            raise NotImplementedError(f"settings.{name}: {config} has no such field")
    return found


def tool_schema(name, description=None, parameters=None, strict=None):
    """What ``run`` takes, and a FunctionTool makes of itself."""
    found = {"name": name, "description": description, "strict": strict}
    known = {key: value for key, value in found.items() if value is not None}
    return {"type": "function", "function": {**known, "parameters": parameters or {"type": "object", "properties": {}}}}


def messages(body):
    """One system message, as a ChatAgent has it."""
    first = [system_message("\n".join(body["system"]))] if body.get("system") else []
    return [*first, *(message for turn in body["turns"] for message in turn_messages(turn))]


def system_message(text):
    message = BaseMessage.make_system_message(text)
    return message.to_openai_message(OpenAIBackendRole.SYSTEM)


def turn_messages(turn):
    if turn["role"] == "system":
        return [system_message("".join(text_of(part) for part in turn["parts"]))]
    if turn["role"] == "assistant":
        return [assistant_message(**(turn["keep"] if turn.get("keep") else stated(turn["parts"])))]
    return user_messages(turn["parts"])


def text_of(part):
    if "text" not in part:
        raise NotImplementedError(f"in a turn of the system: {', '.join(part)}")
    return part["text"]


def assistant_message(content, tool_calls):
    """As a ChatAgent adds an answer to its memory: its calls stand in the meta_dict."""
    known = {"tool_calls": tool_calls} if tool_calls else None
    message = BaseMessage("assistant", RoleType.ASSISTANT, known, content)
    return message.to_openai_message(OpenAIBackendRole.ASSISTANT)


def stated(parts):
    """A turn of the model that the caller wrote down: one content, and the calls."""
    texts, calls = [], []
    for part in parts:
        if part.get("signature"):
            raise NotImplementedError("turns.signatures: a BaseMessage has no signature")
        if "text" in part:
            texts.append(part["text"])
        elif "tool_call" in part:
            calls.append(stated_call(**part["tool_call"]))
        else:
            raise NotImplementedError(f"in the model's turn: {', '.join(part)}: no message converts itself to it")
    return {"content": "".join(texts), "tool_calls": calls}


def stated_call(name, id="", args=None, args_text=None):
    arguments = args_text if args_text is not None else json.dumps(args or {}, ensure_ascii=False)
    return written_call(id, name, arguments)


def user_messages(parts):
    """A FunctionCallingMessage for each result, as a ChatAgent adds them, and one of the user for what stands between
    them. It has one content beside its images: a text behind images begins the next."""
    found, latest = [], None
    for part in parts:
        if "tool_result" in part:
            found.append(function_message(**part["tool_result"]).to_openai_message(OpenAIBackendRole.FUNCTION))
            latest = None
            continue
        detail = image_detail(part)
        if latest is None or not fits(latest, part, detail):
            latest = {"role_name": "user", "content": None, "image_list": []}
            found.append(latest)
        if "text" in part:
            latest["content"] = (latest["content"] or "") + part["text"]
        elif "media" in part:
            latest["image_list"].append(image(**part["media"]))
            latest |= {"image_detail": detail} if detail else {}
        else:
            raise NotImplementedError(f"in the user's turn: {', '.join(part)}")
    return [user_message(**one) if "role_name" in one else one for one in found]


def fits(message, part, detail):
    """Whether it stands in the same BaseMessage."""
    if "text" in part:
        return message["content"] is None or not message["image_list"]
    return not message["image_list"] or message.get("image_detail") == detail


def user_message(content, image_list, **known):
    message = BaseMessage.make_user_message(content=content or "", image_list=image_list or None, **known)
    return message.to_openai_message(OpenAIBackendRole.USER)


def image_detail(part):
    known = part.get("detail") or {}
    wanted = known.get("detail")
    if wanted not in (None, *DETAILS) or known.keys() - {"detail"}:
        raise NotImplementedError(f"turns.media.detail: {known}: a BaseMessage has an image_detail: auto, low or high")
    return wanted


def image(mime, data=None, uri=None):
    """A string is an address (https://docs.camel-ai.org/reference/camel.messages.base); a PIL Image would be written
    anew."""
    if not mime.startswith("image/"):
        raise NotImplementedError(f"media of the type {mime or 'that is not known'}: a BaseMessage has images")
    if uri is not None:
        if "://" not in uri:
            raise NotImplementedError(f"turns.media.uri: {uri}: image_list has addresses, no ids of files")
        return uri
    if mime.endswith("*"):
        raise NotImplementedError("media whose type is not known")
    return f"data:{mime};base64,{data}"


def function_message(value, id=None, name=None, media=(), is_error=None, cited=()):
    """Its result is what the function gave back."""
    if media or cited:
        raise NotImplementedError("media or search results in the result of a call: it has one result, as a text")
    if not name:
        raise NotImplementedError("the result of a call that is not known: a FunctionCallingMessage has a func_name")
    known = {"func_name": name, "result": value, "tool_call_id": id}
    return FunctionCallingMessage("assistant", RoleType.ASSISTANT, None, "", **known)


if __name__ == "__main__":
    serve(CamelAi())
