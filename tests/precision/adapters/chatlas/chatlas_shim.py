"""chatlas as bridgecheck asks it: one model call of a Chat, at the base URL of the recordings
(https://posit-dev.github.io/chatlas/reference/Chat.html).

``chat`` and ``stream`` would run the tools and ask again. They can be left at the first ContentToolRequest, but they do
not take results: to contents that follow calls they add an error for each call, and that wins over the result. What
they and ``chat_structured`` do for one call is ``_submit_turns``, with the turn that they make of the user's contents,
or of the results of its tools. Answers are written down as the contents of ``get_last_turn`` say them, streams as
``stream(content="all")`` yields them; what a turn does not say itself, as its ``completion`` does, "useful if there's
information returned by the provider that chatlas doesn't otherwise expose"
(https://posit-dev.github.io/chatlas/reference/Turn.html). ``keep`` is that Turn, by pydantic. What its contents
(https://posit-dev.github.io/chatlas/reference/), parameters and chat parameters
(https://posit-dev.github.io/chatlas/get-started/parameters.html) have no place for is refused by name, or stands in
``cannot_say``.
"""

import base64
import json
import re
import sys
from importlib.metadata import version

import anthropic
import httpx
import httpx2
import openai
from chatlas import (
    AssistantTurn,
    ChatAnthropic,
    ChatGoogle,
    ChatOpenAICompletions,
    StreamController,
    Tool,
    Turn,
    UserTurn,
    content_document_url,
    content_image_url,
    content_pdf_url,
)
from chatlas._turn import user_turn
from chatlas.types import (
    ContentCitation,
    ContentDocument,
    ContentImageInline,
    ContentJson,
    ContentPDF,
    ContentText,
    ContentThinking,
    ContentThinkingDelta,
    ContentToolRequest,
    ContentToolResult,
    ContentUploaded,
)
from google.genai.errors import APIError, UnknownApiResponseError
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ValidationError
from shim import serve

SDK_ERRORS = (anthropic.APIError, openai.APIError, APIError, UnknownApiResponseError)
FAILURES = (*SDK_ERRORS, httpx.HTTPError, httpx2.HTTPError)
"""It passes on those of the SDKs under it."""
TIMEOUTS = (anthropic.APITimeoutError, openai.APITimeoutError, httpx.TimeoutException, httpx2.TimeoutException)

# "Providers may also surface a reason chatlas doesn't yet recognize": https://posit-dev.github.io/chatlas/reference/Turn.html
FINISH = {
    "success": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "context_window": "length",
    "content_filter": "content_filter",
    "pause_turn": "pause",
    "MALFORMED_FUNCTION_CALL": "malformed_call",
}
INCOMPLETE = {"Response was truncated": "truncated", "Response was filtered": "content"}
"""How the ValueErrors begin that it raises where structured data would be incomplete."""
# https://posit-dev.github.io/chatlas/reference/Chat.html#chatlas.Chat.set_model_params
SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "stop": "stop_sequences",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}
DEFAULTS = [("n", 1), ("modalities", ["text"])]  # they say what it does without them
EFFORTS = ("low", "medium", "high", "xhigh", "max")  # of ChatAnthropic
THINKING_BUDGETS = {"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576}
"""What stands for a level with models that have none, by Google's own table:
https://ai.google.dev/gemini-api/docs/openai#thinking (2026-11-23)"""
TIMEOUT = 600
"""Seconds, as long as the anthropic SDK waits by default; said, it does not refuse large max_tokens without a stream:
https://platform.claude.com/docs/en/cli-sdks-libraries/sdks/python#long-requests (2026-11-23)"""
CLAUDE_WITHOUT_LEVELS = r"claude-(3|[a-z]+-4(-[015])?(-\d{8})?$)"
"""Models before adaptive thinking:
https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking (2026-11-23)"""
LEAST_THINKING = {
    "gemini-2.5-pro": {"budget": 128},
    "gemini-[3-9].*-pro": {"level": "low"},
    "gemini-[3-9]": {"level": "minimal"},
}
"""Models that cannot stop thinking, the first that fits, and the least that each takes:
https://ai.google.dev/gemini-api/docs/thinking (2026-11-23)"""
LEVELS_OF_PRO = {"gemini-3-pro": {"minimal": "low", "medium": "high"}, "gemini-[3-9].*-pro": {"minimal": "low"}}
"""Models that lack levels, the first that fits, and the nearest to each: the same page says which a model has."""
MODEL_OF_OPENAI = r"^(gpt|chatgpt|o\d)"
GEMINI_MODES = {
    "auto": "AUTO",
    "none": "NONE",
    "required": "ANY",
    "named": "ANY",
    "allowed": "ANY",
    "validated": "VALIDATED",
}
HOSTS = {
    "gs://": "google",
    "https://generativelanguage.googleapis.com": "google",
    "file_": "anthropic",
    "file-": "openai",
}
"""How a reference to an uploaded file begins, and the provider that has it."""

asked = {"address": "", "is_asked": False}
"""Whether the provider was asked: what goes wrong with its answer is its failure, or a breakdown, and no refusal."""


def note_connection(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        asked["is_asked"] |= "{}:{}".format(*arguments[1][:2]) in asked["address"]


sys.addaudithook(note_connection)


class Chatlas:
    name, version = "chatlas", version("chatlas")
    routes = [("outcome", "anthropic"), ("outcome", "gemini"), ("outcome", "openai-chat")]
    claims = ["tools", "parallel_tools", "thinking", "signatures", "media_input", "json_schema", "relay"]
    cannot_say = [
        *("code", "response_format.name", "response_format.strict", "settings.modalities"),
        *("tool_choice.validated", "turns.media.detail", "turns.name"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        asked.update(address=base_url, is_asked=False)
        try:
            chat = make_chat(upstream, model, base_url, api_key, body)
            events = submit(chat, upstream, mode == "stream", body)
        except ValidationError as error:  # its types look at what they hold, and say what they do not take
            raise NotImplementedError(problems(error)) from error
        return stream(chat, events) if mode == "stream" else unary(chat, events)


def unary(chat, events):
    with chat:
        try:
            list(events)
        except Exception as error:
            return {"error": failure(error)}
    turn = chat.get_last_turn()
    return {"parts": [part for one in turn.contents for part in parts_of(one, turn.completion)], **end(turn)}


def stream(chat, events):
    """What is yielded, and at the end what the turn alone has: the signature of its last thought, its calls and images.
    It holds the text and the thoughts again."""
    with chat:
        try:
            for one in events:
                yield from piece(one)
        except Exception as error:
            yield {"error": failure(error)}
            return
    turn = chat.get_last_turn()
    rest = [one for one in turn.contents if not isinstance(one, (ContentText, ContentJson, ContentThinking))]
    signatures = [signed(one.extra) for one in turn.contents if isinstance(one, ContentThinking)][-1:]
    parts = [{"reasoning": "", **signature} for signature in signatures if signature]
    yield {"parts": [*parts, *(part for one in rest for part in parts_of(one))], **end(turn, streamed=True)}


# The answer ---------------------------------------------------------------------------------------------------------


def parts_of(content, completion=None):
    """What a content of the turn says: https://posit-dev.github.io/chatlas/reference/"""
    if isinstance(content, ContentText):
        return [{"text": content.text}]
    if isinstance(content, ContentJson):
        return [{"text": spelled_by_model(content.value, completion)}]
    if isinstance(content, ContentThinking):
        return [{"reasoning": content.thinking, **signed(content.extra)}]
    if isinstance(content, ContentToolRequest):
        known = content.arguments
        args = {"args": known} if isinstance(known, dict) else {} if known is None else {"args_text": json.dumps(known)}
        return [{"tool_call": {"id": content.id, "name": content.name, **args}, **signed(content.extra)}]
    if isinstance(content, ContentImageInline):
        return [{"media": {"mime": content.image_content_type, "data": content.data}}]
    return []


def spelled_by_model(value, completion):
    """The JSON of structured data, in the model's own words where ``completion`` has them: a dict has no spelling."""
    same = (text for text in texts_of(completion) if decoded_json(text) == value)
    return next(same, json.dumps(value, ensure_ascii=False))


def texts_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseModel):
        yield from texts_of(value.model_dump())
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts_of(one)


def decoded_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def signed(extra):
    """Claude's signature of a thought is a text, Gemini's are bytes."""
    if found := (extra or {}).get("signature"):
        return {"signature": found}
    found = (extra or {}).get("thought_signature")
    return {"signature": base64.b64encode(found).decode()} if found else {}


def piece(one):
    """What is yielded: https://posit-dev.github.io/chatlas/get-started/reasoning.html#programmatic-access"""
    if isinstance(one, str):
        yield {"parts": [{"text": one}]}
    elif isinstance(one, ContentThinkingDelta) and one.thinking:
        yield {"parts": [{"reasoning": one.thinking}]}
    elif isinstance(one, ContentCitation):
        yield {"citations": [one.model_dump(mode="json")]}


def end(turn, streamed=False):
    """tokens are input without what came from a cache, output, and what came from a cache: 0 where nothing did."""
    said, counts, cited = said_by_provider(turn.completion)
    if not streamed:
        cited = [*(one.model_dump(mode="json") for one in turn.contents if isinstance(one, ContentCitation)), *cited]
    found = {"keep": turn.model_dump(mode="json"), **given(said)} | ({"citations": cited} if cited else {})
    if reason := turn.finish_reason:
        found["finish"] = FINISH.get(reason)
        if reason not in FINISH:  # passed through unchanged
            found["finish_native"] = reason
    if turn.tokens:
        prompt, completion, cached = turn.tokens
        whole = {"prompt": prompt + cached, "completion": completion} | ({"cached": cached} if cached else {})
        found["usage"] = whole | given(counts)
    return found


def said_by_provider(completion):
    """What a turn does not say itself: the reason in the provider's word and the like, counts, and citations. It is the
    answer of the provider's SDK, of Gemini as a dict."""
    if isinstance(completion, anthropic.types.Message):
        usage, written = completion.usage, completion.usage.output_tokens_details
        said = {"id": completion.id, "model": completion.model, "finish_native": completion.stop_reason}
        counts = {"cache_write": usage.cache_creation_input_tokens, "reasoning": written and written.thinking_tokens}
        return said, counts, []
    if isinstance(completion, ChatCompletion):
        choice = completion.choices[0]
        said = {"id": completion.id, "model": completion.model, "finish_native": choice.finish_reason}
        cited = [one.model_dump(mode="json") for one in choice.message.annotations or ()]
        return said | {"refusal": choice.message.refusal or None}, openai_counts(completion.usage), cited
    found = completion or {}
    usage, candidates = found.get("usage_metadata") or {}, found.get("candidates") or [{}]
    native = candidates[-1].get("finish_reason")
    said = {
        "id": found.get("response_id"),
        "model": found.get("model_version"),
        "finish_native": native and native.value,
    }
    counts = {
        "total": usage.get("total_token_count"),
        "reasoning": usage.get("thoughts_token_count"),
        "tool_prompt": usage.get("tool_use_prompt_token_count"),
    }
    return said, counts, []


def openai_counts(usage):
    if usage is None:
        return {}
    read, written = usage.prompt_tokens_details, usage.completion_tokens_details
    details = {
        "cache_write": read and read.cache_write_tokens,
        "reasoning": written and written.reasoning_tokens,
    }
    return {"total": usage.total_tokens, **details}


def given(fields):
    return {name: value for name, value in fields.items() if value is not None}


def failure(error):
    """An error as its caller has it. What it does not take, it says in a ValueError or a NotImplementedError before it
    asks."""
    if not asked["is_asked"]:
        if isinstance(error, ValidationError):
            raise NotImplementedError(problems(error)) from error
        if type(error) is ValueError:
            raise NotImplementedError(str(error)) from error
    elif isinstance(error, NotImplementedError):  # it says so of an answer: no refusal
        raise RuntimeError(f"NotImplementedError: {error}") from error
    elif type(error) is ValueError:  # it says so of an answer that it does not give
        kinds = [kind for words, kind in INCOMPLETE.items() if str(error).startswith(words)]
        return {"message": str(error)} | ({"kind": kinds[0]} if kinds else {})
    is_unreadable = isinstance(error, json.JSONDecodeError) and asked["is_asked"]
    if not isinstance(error, FAILURES) and not is_unreadable:
        raise error
    found = {"message": str(error), **told(error)}
    return {name: value for name, value in found.items() if value is not None}


def told(error):
    """The status, the provider's word, and how long to wait: a header, and before it a detail of Google's
    (https://docs.cloud.google.com/apis/design/errors#retry_info)."""
    if isinstance(error, TIMEOUTS):
        return {"kind": "timeout"}
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    waits = [headers.get("retry-after") or ""]
    found = {}
    if isinstance(error, anthropic.APIStatusError):
        found = {"native": error.type, "status": error.status_code}
    elif isinstance(error, openai.APIError):
        found = {"native": error.code or error.type, "status": getattr(error, "status_code", None)}
    elif isinstance(error, APIError):
        document = error.details.get("error") if isinstance(error.details, dict) else None
        details = document.get("details") if isinstance(document, dict) else None
        hints = [str(one.get("retryDelay")).removesuffix("s") for one in details or () if isinstance(one, dict)]
        found, waits = {"native": error.status, "status": error.code}, [*hints, *waits]
    if isinstance(found.get("status"), int) and found["status"] < 400:  # in a stream it has 200
        found["status"] = None
    known = [float(wait) for wait in waits if re.fullmatch(r"\d+(\.\d+)?", wait)]
    return found | {"retry_after": known[0] if known else None}


def problems(error):
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())


# The request --------------------------------------------------------------------------------------------------------


def make_chat(upstream, model, base_url, api_key, body):
    """Its parameter ``reasoning`` takes the provider's own form, too:
    https://posit-dev.github.io/chatlas/get-started/reasoning.html"""
    known = {"model": model, "api_key": api_key}
    if body.get("system"):
        known["system_prompt"] = "\n".join(body["system"])
    thinking = body.get("thinking")
    if upstream == "gemini":
        known["reasoning"] = gemini_thinking(model, **thinking) if thinking else None
        return ChatGoogle(**known, kwargs={"http_options": {"base_url": base_url}})
    if upstream == "anthropic":
        if thinking:
            known |= claude_thinking(model, body.get("settings", {}).get("max_tokens"), **thinking)[0]
        client = {"base_url": base_url, "max_retries": 0, "timeout": TIMEOUT}
        return ChatAnthropic(**known, structured_output_mode="native", kwargs=client)
    is_replayed = not re.search(MODEL_OF_OPENAI, model)
    return ChatOpenAICompletions(**known, base_url=base_url, preserve_thinking=is_replayed, kwargs={"max_retries": 0})


def gemini_thinking(model, level=None, budget=None, include=None):
    """A level for Gemini 3 and later, a budget for models before it: https://ai.google.dev/gemini-api/docs/thinking"""
    if budget == 0:
        least = next((least for name, least in LEAST_THINKING.items() if re.search(name, model)), {"budget": 0})
        level, budget = least.get("level"), least.get("budget")
    if level not in (None, *THINKING_BUDGETS):
        raise NotImplementedError(f"thinking.level {level}: ChatGoogle has {', '.join(THINKING_BUDGETS)}")
    if budget is None and level and re.search(r"gemini-[12]\b", model):
        level, budget = None, THINKING_BUDGETS[level]
    levels = next((levels for name, levels in LEVELS_OF_PRO.items() if re.search(name, model)), {})
    level = levels.get(level, level)
    named = {"thinking_level": level and level.upper(), "thinking_budget": budget, "include_thoughts": include}
    return {name: value for name, value in named.items() if value is not None}


def claude_thinking(model, max_tokens, level=None, budget=None, include=None):
    """Parameters of ChatAnthropic, and chat parameters. ``reasoning`` is a level, or a budget "≥1024 and less than
    max_tokens"; what it cannot say beside a level is said as it says a level itself. Claude tells its thoughts unasked,
    but for display: https://platform.claude.com/docs/en/build-with-claude/thinking"""
    if budget == 0 or (level is None and budget is None and not include):
        return {}, {}  # it thinks only where it is told to
    display = {} if include is None else {"display": "summarized" if include else "omitted"}
    is_without_levels = re.search(CLAUDE_WITHOUT_LEVELS, model)
    if budget is None and level in THINKING_BUDGETS and is_without_levels:
        budget = THINKING_BUDGETS[level]
        budget = budget if max_tokens is None else max(1024, min(budget, max_tokens // 2))
    if budget is not None and budget > 0:
        if budget < 1024 or (max_tokens is not None and budget >= max_tokens):
            raise NotImplementedError(f"thinking: a budget of {budget} is below 1024, or leaves nothing of max_tokens")
        room = {"max_tokens": budget + 4096} if max_tokens is None else {}
        return {"reasoning": {"type": "enabled", "budget_tokens": budget, **display}, **room}, {}
    if is_without_levels or level not in (None, *EFFORTS):
        said = f".level {level}: {model} has no such level" if level else f": {model} thinks within a budget alone"
        raise NotImplementedError(f"thinking{said}")
    if level and not display:
        return {"reasoning": level}, {}
    effort = {"output_config": {"effort": level}} if level else {}
    return {}, {"thinking": {"type": "adaptive", **display}, **effort}


def submit(chat, upstream, streamed, body):
    """One model call, which begins when it is iterated. ``user_turn`` is what chat and stream make of the user's
    contents; results of tools are a turn of their own in the loop."""
    contents = set_history(chat, body["turns"], upstream)
    chat.set_tools([tool(**one) for one in body.get("tools", [])])
    set_parameters(chat, upstream, body.get("settings", {}))
    has_results = any(isinstance(one, ContentToolResult) for one in contents)
    try:
        turn = UserTurn(contents) if has_results else user_turn(*contents, prior_turns=chat.get_turns())
    except ValueError as error:
        raise NotImplementedError(f"turns: {error}") from error
    return chat._submit_turns(
        turn,
        echo="none",
        stream=streamed,
        data_model=data_model(**body.get("response_format", {})),
        kwargs=chat_parameters(chat, upstream, body),
        content_mode="all",
        controller=StreamController(),
    )


def set_parameters(chat, upstream, settings):
    """It warns of those that a provider does not have, and leaves them out."""
    if upstream != "gemini":
        settings = {name: value for name, value in settings.items() if name != "user"}  # a chat parameter
    unknown = [name for name in settings if name not in SETTINGS and (name, settings[name]) not in DEFAULTS]
    if unknown:
        raise NotImplementedError(f"{', '.join(f'settings.{name}' for name in unknown)}: no parameter of this Chat")
    chat.set_model_params(**{SETTINGS[name]: value for name, value in settings.items() if name in SETTINGS})


def chat_parameters(chat, upstream, body):
    """ "Provider-specific chat parameters": those of the SDK's own call. A config for Gemini takes the place of all
    that ChatGoogle and set_model_params say, so it says it again."""
    choice, wanted = body.get("tool_choice", {}), body.get("response_format", {}).get("kind")
    thinking = body.get("thinking", {})
    if upstream == "gemini":
        config = gemini_tool_config(**choice) if choice else {}
        config |= {"response_mime_type": "application/json"} if wanted == "json_object" else {}
        if not config:
            return None
        return {"config": {**gemini_settings(body.get("settings", {})), **chat.kwargs_chat.get("config", {}), **config}}
    if upstream == "anthropic":
        if wanted == "json_object":
            raise NotImplementedError("response_format json_object: Claude has no such form")
        max_tokens = body.get("settings", {}).get("max_tokens")
        found = claude_thinking(chat.model, max_tokens, **thinking)[1] if thinking else {}
        user = body.get("settings", {}).get("user")
        found |= {"metadata": {"user_id": user}} if user is not None else {}
        return found | (claude_tool_choice(**choice) if choice else {})
    found = openai_tool_choice(**choice) if choice else {}
    found |= {"response_format": {"type": "json_object"}} if wanted == "json_object" else {}
    found |= {name: value for name, value in body.get("settings", {}).items() if name == "user"}
    if thinking == {"budget": 0}:
        thinking = {"level": "none"}
    if thinking.keys() - {"level"}:
        raise NotImplementedError(f"{', '.join(f'thinking.{name}' for name in thinking)}: OpenAI has a level alone")
    return found | ({"reasoning_effort": thinking["level"]} if thinking else {})


def gemini_settings(settings):
    """https://googleapis.github.io/python-genai/genai.html#genai.types.GenerateContentConfig"""
    names = SETTINGS | {"max_tokens": "max_output_tokens"}
    return {names[name]: value for name, value in settings.items() if name in names}


def gemini_tool_config(mode=None, names=(), parallel=None):
    if parallel is False:
        raise NotImplementedError("tool_choice.parallel: Gemini has no such setting")
    allowed = {"allowed_function_names": list(names)} if names else {}
    calling = {"mode": GEMINI_MODES[mode], **allowed} if mode else None
    return {"tool_config": {"function_calling_config": calling}} if calling else {}


def claude_tool_choice(mode="auto", names=(), parallel=None):
    if mode in ("allowed", "validated"):
        raise NotImplementedError(f"tool_choice {mode}: Claude has none")
    alone = {"disable_parallel_tool_use": not parallel} if parallel is not None and mode != "none" else {}
    named = {"name": names[0]} if mode == "named" else {}
    kind = {"required": "any", "named": "tool"}.get(mode, mode)
    return {"tool_choice": {"type": kind, **named, **alone}}


def openai_tool_choice(mode=None, names=(), parallel=None):
    found = {} if parallel is None else {"parallel_tool_calls": parallel}
    if mode == "validated":
        raise NotImplementedError("tool_choice validated: OpenAI has none")
    functions = [{"type": "function", "function": {"name": name}} for name in names]
    if mode == "named":
        return found | {"tool_choice": functions[0]}
    if mode == "allowed":
        allowed = {"mode": "required", "tools": functions}
        return found | {"tool_choice": {"type": "allowed_tools", "allowed_tools": allowed}}
    return found | ({"tool_choice": mode} if mode else {})


def tool(name, description="", parameters=None, strict=None):
    """https://posit-dev.github.io/chatlas/reference/Tool.html; its function is never called here."""
    schema = parameters or {"type": "object", "properties": {}}
    return Tool(func=lambda **arguments: None, name=name, description=description, parameters=schema, strict=strict)


def data_model(kind="text", schema=None, name=None, strict=None):
    """https://posit-dev.github.io/chatlas/get-started/structured-data.html: a class of pydantic, whose JSON Schema is
    asked for: the client's (https://docs.pydantic.dev/latest/concepts/json_schema/#customizing-json-schema)."""
    if kind != "json_schema":
        return None
    written = json.dumps(spelled_by_pydantic(schema))

    class Answer(BaseModel):
        @classmethod
        def model_json_schema(cls, *args, **options):
            return json.loads(written)

    return Answer


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


def set_history(chat, turns, upstream):
    """The turns before the last one (https://posit-dev.github.io/chatlas/reference/Chat.html#chatlas.Chat.set_turns);
    gives the contents of the last one, which is the user's."""
    if any(turn["role"] == "system" for turn in turns):
        raise NotImplementedError("turns.system: the system prompt stands before the turns")
    if turns[-1]["role"] != "user":
        raise NotImplementedError("turns: the last is the model's, and a Chat sends one of the user's")
    made = [assistant_turn(turn) if turn["role"] == "assistant" else UserTurn(user_contents(turn)) for turn in turns]
    chat.set_turns(made[:-1])
    return made[-1].contents


def assistant_turn(turn):
    if turn.get("keep"):
        return Turn.model_validate(turn["keep"])
    return AssistantTurn([assistant_content(**part) for part in turn["parts"]])


def assistant_content(signature=None, detail=None, keep=None, **part):
    """Claude signs thoughts, Gemini calls and texts; a signature stands where its own turns have it."""
    ((kind, value),) = part.items()
    if kind == "text" and not signature:
        return ContentText(text=value)
    if kind == "reasoning":
        return ContentThinking(thinking=value, extra={"signature": signature} if signature else None)
    if kind == "tool_call":
        return tool_request(**value, extra={"thought_signature": decoded(signature)} if signature else {})
    if kind == "media":
        return medium(value, {})
    raise NotImplementedError(f"in the model's turn: {kind}{', signed' if signature else ''}: no field of its contents")


def tool_request(name, id=None, args=None, args_text=None, extra=None):
    """Without an id of the provider's it has the function's name for one, as in its own turns."""
    try:
        found = json.loads(args_text or "{}") if args_text is not None else args or {}
    except ValueError as error:
        raise NotImplementedError("tool_call.args_text: arguments in the history that are no JSON") from error
    return ContentToolRequest(id=id or name, name=name, arguments=found, extra=extra or {})


def user_contents(turn):
    return [user_content(**part) for part in turn["parts"]]


def user_content(detail=None, signature=None, keep=None, **part):
    ((kind, value),) = part.items()
    if kind == "text":
        return ContentText(text=value)
    if kind == "media":
        return medium(value, detail or {})
    if kind == "tool_result":
        return tool_result(**value)
    raise NotImplementedError(f"in the user's turn: {kind}")


def tool_result(value, id="", name="", media=(), is_error=False, cited=()):
    """https://posit-dev.github.io/chatlas/reference/types.ContentToolResult.html, as the loop makes it of what a tool
    returns (https://posit-dev.github.io/chatlas/tool-calling/how-it-works.html), or of what it raises."""
    if cited:
        raise NotImplementedError("turns.results.cited: search results in the result of a call")
    request = ContentToolRequest(id=id or name, name=name or "", arguments={})
    if is_error:
        if media:
            raise NotImplementedError("turns.results.media: an error has a text alone")
        said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return ContentToolResult(value=None, error=RuntimeError(said), request=request)
    if not media:
        return ContentToolResult(value=value, request=request)
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    shown = [medium(one, {}) for one in media]
    found = [*([said] if said else []), *shown]
    return ContentToolResult(value=found[0] if len(found) == 1 else found, request=request)


def medium(media, detail):
    """https://posit-dev.github.io/chatlas/get-started/files.html, and the contents of which it makes them."""
    mime, kind = media["mime"], media["mime"].partition("/")[0]
    if "uri" in media:
        return remote_medium(mime, media["uri"], detail)
    if kind == "image":
        return ContentImageInline(image_content_type=mime, data=media["data"])
    if kind in ("audio", "video") or "/" not in mime or "*" in mime:
        raise NotImplementedError(f"turns.media: {mime or 'an unknown type'}: it has images, PDFs and documents")
    data = decoded(media["data"])
    if mime == "application/pdf":
        return ContentPDF(data=data, filename=detail.get("filename") or "document.pdf")
    return ContentDocument(data=data, filename=detail.get("filename") or "document", mime_type=mime)


def remote_medium(mime, uri, detail):
    """An address; or a file that a provider has, as https://posit-dev.github.io/chatlas/get-started/files.html says."""
    host = next((host for begin, host in HOSTS.items() if uri.startswith(begin)), None)
    if host == "google" and ("/" not in mime or "*" in mime):
        raise NotImplementedError("turns.media: a file of Google's has a type")
    if host:
        return ContentUploaded(id=uri, mime_type=mime, provider=host)
    if "://" not in uri:
        raise NotImplementedError(f"turns.media.uri: {uri}: no address, and no known provider's file")
    if mime.startswith("image/"):
        known = {"detail": detail["detail"]} if "detail" in detail else {}
        return content_image_url(uri, **known)
    if mime == "application/pdf":
        return content_pdf_url(uri)
    if mime.startswith(("audio/", "video/")) or "/" not in mime:
        raise NotImplementedError(f"turns.media.uri: {mime or 'an unknown type'}: it has images, PDFs and documents")
    return content_document_url(uri, mime)


def decoded(data):
    """Bytes in JSON may be URL-safe, and have no padding: https://protobuf.dev/programming-guides/json (2026-11-23)"""
    known = data.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(known + "=" * (-len(known) % 4), validate=True)
    except ValueError as error:
        raise NotImplementedError("data that is no base64: its contents hold bytes") from error


if __name__ == "__main__":
    serve(Chatlas())
