"""AnthropicChatCompletionClient of autogen-ext as bridgecheck asks it: ``create`` and ``create_stream``
(https://microsoft.github.io/autogen/stable/reference/python/autogen_ext.models.anthropic.html), at the base URL of the
recordings.

Answers are written down as their CreateResult says them
(https://microsoft.github.io/autogen/stable/reference/python/autogen_core.models.html), streams as their strings do and
the CreateResult at the end; ``keep`` is the AssistantMessage that an AssistantAgent makes of it. What its messages,
tools and parameters have no place for is refused by name, or stands in ``cannot_say``.
"""

import asyncio
import json
from importlib.metadata import version

import anthropic
import httpx
from autogen_core import FunctionCall, Image
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    ModelFamily,
    ModelInfo,
    SystemMessage,
    UserMessage,
)
from autogen_core.tools import FunctionTool
from autogen_ext.models.anthropic import AnthropicChatCompletionClient
from shim import serve

FAILURES = (anthropic.APIError, httpx.HTTPError, json.JSONDecodeError)

# FinishReasons: "unknown" is what it says of none
FINISH = {"stop": "stop", "length": "length", "function_calls": "tool_calls", "content_filter": "content_filter"}
USAGE = {"prompt_tokens": "prompt", "completion_tokens": "completion"}
# CreateArguments of AnthropicClientConfiguration
SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "stop": "stop_sequences",
}
DEFAULTS = [("n", 1), ("modalities", ["text"])]  # they say what it does without them
PARAMETERS = ("type", "properties", "required", "additionalProperties")
"""The fields of a ParametersSchema:
https://microsoft.github.io/autogen/stable/reference/python/autogen_core.tools.html"""


class AutogenExt:
    name, version = "autogen-ext", version("autogen-ext")
    routes = [("outcome", "anthropic")]
    claims = ["tools", "parallel_tools", "thinking", "media_input", "relay"]
    cannot_say = [
        *("citations", "code", "order", "refusal", "text.segments", "usage.cached", "usage.cache_write", "usage.total"),
        *("usage.reasoning", "usage.tool_prompt", "settings.seed", "settings.presence_penalty", "settings.modalities"),
        *("settings.frequency_penalty", "thinking.include", "tool_choice.parallel", "tool_choice.validated"),
        *("turns.media.detail", "turns.media.uri"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        asked = {"messages": messages(body), "tools": [tool_schema(**one) for one in body.get("tools", [])]}
        asked |= tool_choice(**body.get("tool_choice", {})) | json_output(**body.get("response_format", {}))
        thinking = thinking_config(**body.get("thinking", {}))
        options = {"model": model, "api_key": api_key, "base_url": base_url, "max_retries": 0}
        chat = make_client(**options, **settings(body), **thinking)
        is_thinking = thinking.get("thinking", {}).get("type") == "enabled"
        return stream(chat, asked, is_thinking) if mode == "stream" else unary(chat, asked, is_thinking)


def make_client(**options):
    """ "model_info is required when model name is not recognized"."""
    try:
        return AnthropicChatCompletionClient(**options)
    except ValueError as error:
        if "model_info" not in str(error):
            raise
    known = {"vision": True, "function_calling": True, "json_output": True, "structured_output": False}
    return AnthropicChatCompletionClient(**options, model_info=ModelInfo(family=ModelFamily.UNKNOWN, **known))


def unary(chat, asked, is_thinking):
    try:
        result = asyncio.run(create(chat, asked))
    except FAILURES as error:
        return {"error": failure(error)}
    return {"parts": [*said_in_content(result, is_thinking), *called(result)], **end(result)}


async def create(chat, asked):
    try:
        return await chat.create(**asked)
    finally:
        await chat.close()


def stream(chat, asked, is_thinking):
    """ "A generator that yields string chunks and ends with a CreateResult"."""
    with asyncio.Runner() as runner:
        chunks, result = chat.create_stream(**asked), None
        try:
            while result is None:
                chunk = runner.run(anext(chunks))
                if isinstance(chunk, str):
                    yield {"parts": [{"text": chunk}]}
                else:
                    result = chunk
        except FAILURES as error:
            yield {"error": failure(error)}
            return
        finally:
            runner.run(chat.close())
    thoughts = [part for part in said_in_content(result, is_thinking) if "reasoning" in part]
    yield {"parts": [*thoughts, *called(result)], **end(result)}


# The answer ---------------------------------------------------------------------------------------------------------


def said_in_content(result, is_thinking):
    """A thought is "the reasoning text", and "additional text content besides function calls": that, where there are
    calls and no thinking was asked for."""
    has_calls = isinstance(result.content, list)
    kind = "text" if has_calls and not is_thinking else "reasoning"
    found = [{kind: result.thought}] if result.thought else []
    return found + ([{"text": result.content}] if not has_calls and result.content else [])


def called(result):
    calls = result.content if isinstance(result.content, list) else []
    return [{"tool_call": {"id": one.id, "name": one.name, "args_text": one.arguments}} for one in calls]


def end(result):
    """What an AssistantAgent adds to its context: thought and content
    (https://microsoft.github.io/autogen/stable/reference/python/autogen_agentchat.agents.html)."""
    kept = AssistantMessage(content=result.content, thought=result.thought, source="assistant")
    finish = {"finish": FINISH[result.finish_reason]} if result.finish_reason in FINISH else {}
    usage = {said: getattr(result.usage, name) for name, said in USAGE.items()}
    return {**finish, "usage": usage, "keep": kept.model_dump(mode="json")}


def failure(error):
    """Its exceptions are those of the anthropic SDK, with its status, type and response."""
    found = {"message": str(error)}
    if isinstance(error, anthropic.APITimeoutError):
        found["kind"] = "timeout"
    if isinstance(error, anthropic.APIStatusError):
        hint = error.response.headers.get("retry-after", "")
        found |= {"status": error.status_code} if error.status_code >= 400 else {}  # an error in a stream has 200
        found |= {"native": error.type} if error.type else {}
        found |= {"retry_after": float(hint)} if hint.replace(".", "", 1).isdigit() else {}
    return found


# The request --------------------------------------------------------------------------------------------------------


def settings(body):
    """Parameters of the client. metadata is Anthropic's: https://platform.claude.com/docs/en/api/messages/create"""
    asked = dict(body.get("settings", {}))
    user = {"metadata": {"user_id": asked.pop("user")}} if "user" in asked else {}
    unknown = [name for name in asked if name not in SETTINGS and (name, asked[name]) not in DEFAULTS]
    if unknown:
        raise NotImplementedError(f"{', '.join(f'settings.{name}' for name in unknown)}: no parameter of the client")
    return {SETTINGS[name]: value for name, value in asked.items() if name in SETTINGS} | user


def thinking_config(budget=None, level=None, include=None):
    """Its ThinkingConfig has the types enabled and disabled, and budget_tokens; thoughts are in the answer then."""
    if level is not None or (budget or 0) < 0:
        raise NotImplementedError(
            f"thinking.{'budget' if level is None else 'level'}: a ThinkingConfig has budget_tokens"
        )
    if include is not None and include != bool(budget):
        raise NotImplementedError("thinking.include: a ThinkingConfig does not say it")
    if budget is None:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget} if budget else {"type": "disabled"}}


def json_output(kind="text", schema=None, name=None, strict=None):
    if kind == "json_schema":
        raise NotImplementedError("response_format.schema: structured output is not supported for Anthropic models")
    return {"json_output": True} if kind == "json_object" else {}


def tool_choice(mode=None, names=(), parallel=None):
    """ "A single Tool object to force the model to use"; only its name is read."""
    if mode in ("allowed", "validated") or parallel is False:
        raise NotImplementedError(f"tool_choice.{'parallel' if parallel is False else mode}: none of its tool choices")
    if mode == "named":
        return {"tool_choice": FunctionTool(execute, description="", name=names[0])}
    return {"tool_choice": mode} if mode else {}


def execute() -> str:
    return ""


def tool_schema(name, description=None, parameters=None, strict=None):
    """https://microsoft.github.io/autogen/stable/reference/python/autogen_core.tools.html: ToolSchema"""
    known = {field: value for field, value in (parameters or {}).items() if field != "$schema"}
    others = [field for field in known if field not in PARAMETERS]
    if others or not isinstance(known.get("additionalProperties", True), bool):
        raise NotImplementedError(
            f"tools.parameters: {', '.join(others) or 'additionalProperties'}: no ParametersSchema"
        )
    found = {"name": name, "description": description, "parameters": known or None, "strict": strict}
    return {field: value for field, value in found.items() if value is not None}


def messages(body):
    found = [SystemMessage(content=text) for text in body.get("system", [])]
    for turn in body["turns"]:
        if turn["role"] == "system":
            found += [SystemMessage(content=part["text"]) for part in turn["parts"]]
        elif turn["role"] == "assistant":
            kept = turn.get("keep")
            found.append(AssistantMessage.model_validate(kept) if kept else assistant_message(**turn))
        else:
            found += user_messages(**turn)
    return found


def user_messages(parts, role="user", name=None):
    """One message for the results that follow each other, as an AssistantAgent makes it, and one for what stands
    between them. The source is the name of who speaks."""
    found = []
    for part in parts:
        if "tool_result" in part:
            if not found or not isinstance(found[-1], FunctionExecutionResultMessage):
                found.append(FunctionExecutionResultMessage(content=[]))
            found[-1].content.append(execution_result(**part["tool_result"]))
            continue
        if not found or not isinstance(found[-1], UserMessage):
            found.append(UserMessage(content=[], source=name or "user"))
        found[-1].content.append(user_content(part))
    for one in found:
        if isinstance(one, UserMessage) and len(one.content) == 1 and isinstance(one.content[0], str):
            one.content = one.content[0]
    return found


def user_content(part):
    """A text, or an Image: https://microsoft.github.io/autogen/stable/reference/python/autogen_core.html"""
    if "text" in part:
        return part["text"]
    if "media" not in part:
        raise NotImplementedError(f"in the user's turn: {', '.join(part)}")
    mime, data = part["media"]["mime"], part["media"].get("data")
    if data is None:
        raise NotImplementedError(f"turns.media.uri: {part['media']['uri']}: an Image holds what it shows")
    if not mime.startswith("image/"):
        raise NotImplementedError(f"turns.media: {mime}: a UserMessage has texts and Images")
    return Image.from_base64(data)


def execution_result(value, id="", name="", media=(), is_error=None, cited=()):
    if media or cited:
        raise NotImplementedError(
            f"turns.results.{'media' if media else 'cited'}: a FunctionExecutionResult has a text"
        )
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return FunctionExecutionResult(content=text, name=name, call_id=id, is_error=is_error)


def assistant_message(parts, role="assistant", name=None):
    """A message of the model that the caller wrote down: a text and a thought, or calls and a thought, which is its
    reasoning, or the text beside them."""
    texts, thoughts, calls = [], [], []
    for part in parts:
        if part.get("signature"):
            raise NotImplementedError("turns.signatures: an AssistantMessage has none")
        if "text" in part:
            texts.append(part["text"])
        elif "reasoning" in part:
            thoughts.append(part["reasoning"])
        elif "tool_call" in part:
            calls.append(function_call(**part["tool_call"]))
        else:
            raise NotImplementedError(f"in the model's turn: {', '.join(part)}: no content of an AssistantMessage")
    if calls and texts and thoughts:
        raise NotImplementedError(
            "turns.reasoning: beside calls an AssistantMessage has one thought, and there is a text"
        )
    thought = "".join(thoughts or texts) if calls else "".join(thoughts)
    content = calls or "".join(texts)
    return AssistantMessage(content=content, thought=thought or None, source=name or "assistant")


def function_call(name, id="", args=None, args_text=None):
    arguments = args_text if args_text is not None else json.dumps(args or {}, ensure_ascii=False)
    return FunctionCall(id=id, name=name, arguments=arguments)


if __name__ == "__main__":
    serve(AutogenExt())
