"""pydantic-ai as bridgecheck asks it: its direct model requests (https://ai.pydantic.dev/direct/), with the model and
provider classes of its documentation, at the base URL of the recordings.

Answers are written down as its ModelResponse says them; ``keep`` is that response, so what it hides in its parts comes
back with the next request as an agent would send it. Histories go through its ``repair_messages``, as an agent's do
before every request (https://ai.pydantic.dev/message-history/). Retries are off: each error is judged as it comes.
"""

import base64
import json
from importlib.metadata import version

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request_stream_sync, model_request_sync
from pydantic_ai.exceptions import AgentRunError, ModelHTTPError, UserError
from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
    repair_messages,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition
from shim import serve

FINISH = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_call": "tool_calls",
    "error": "error",
}
URLS = {"image": ImageUrl, "video": VideoUrl, "audio": AudioUrl}
SETTINGS = ("max_tokens", "temperature", "top_p", "top_k", "seed", "presence_penalty", "frequency_penalty")


class PydanticAi:
    name, version = "pydantic-ai", version("pydantic-ai-slim")
    routes = [("outcome", upstream) for upstream in ("gemini", "openai-chat", "anthropic")]
    claims = ["tools", "parallel_tools", "thinking", "signatures", "media_input", "json_schema", "relay"]
    cannot_say = ["citations", "code", "refusal", "response_format.name", "turns.name", "usage.total"]
    cannot_say += ["settings.user", "settings.modalities", "tool_choice.validated", "turns.media.detail"]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        asked_of = named(upstream, model, base_url, api_key)
        asked = (asked_of, messages(body, asked_of.system))
        said = {"model_settings": settings(body, upstream), "model_request_parameters": parameters(body)}
        return stream(asked, said) if mode == "stream" else unary(asked, said)


def named(upstream, model, base_url, api_key):
    if upstream == "gemini":
        return GoogleModel(model, provider=GoogleProvider(api_key=api_key, base_url=base_url))
    if upstream == "anthropic":
        client = AsyncAnthropic(api_key=api_key, base_url=base_url, max_retries=0)
        return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client))
    client = AsyncOpenAI(api_key=api_key, base_url=base_url, max_retries=0)
    # off by default, for hosts that never send a finish reason:
    # https://ai.pydantic.dev/api/profiles/#pydantic_ai.profiles.openai.OpenAIModelProfile
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client), profile=profile)


def unary(asked, said):
    try:
        return answer(model_request_sync(*asked, **said))
    except (AgentRunError, UserError) as error:
        return {"error": failure(error)}


def stream(asked, said):
    own = set()  # the indices of calls to the caller's functions: a provider runs its built-in tools itself
    try:
        with model_request_stream_sync(*asked, **said) as events:
            for event in events:
                parts = piece(event, own)
                if parts:
                    yield {"parts": parts}
            whole = answer(events.response)
        yield {name: value for name, value in whole.items() if name != "parts"}
    except (AgentRunError, UserError) as error:
        yield {"error": failure(error)}


def piece(event, own):
    """What an event of the stream adds. A call that begins in pieces is told with its index."""
    if isinstance(event, PartStartEvent):
        if isinstance(event.part, ToolCallPart):
            own.add(event.index)
            return [{"tool_call": {"index": event.index, **called(event.part, pieces=True)}}]
        return parts_of([event.part])
    if not isinstance(event, PartDeltaEvent):
        return []
    delta = event.delta
    if delta.part_delta_kind == "text":
        return [{"text": delta.content_delta}] if delta.content_delta else []
    if delta.part_delta_kind == "thinking":
        return [{"reasoning": delta.content_delta}] if delta.content_delta else []
    if event.index not in own:
        return []
    text = delta.args_delta if isinstance(delta.args_delta, str) else json.dumps(delta.args_delta or {})
    return [{"tool_call": {"index": event.index, "args_text": text}}] if delta.args_delta else []


def answer(response):
    said = {"parts": parts_of(response.parts), "model": response.model_name, "id": response.provider_response_id}
    said |= {"finish": FINISH.get(response.finish_reason), "usage": usage(response.usage)}
    if response.state == "suspended":
        said["finish"] = "pause"
    said["finish_native"] = (response.provider_details or {}).get("finish_reason")
    said["keep"] = json.loads(ModelMessagesTypeAdapter.dump_json([response]))
    return {name: value for name, value in said.items() if value not in (None, {}, [])}


def parts_of(parts):
    found = []
    for part in parts:
        if isinstance(part, TextPart) and part.content:
            found.append({"text": part.content})
        elif isinstance(part, ThinkingPart) and part.content:
            found.append({"reasoning": part.content})
        elif isinstance(part, ToolCallPart):
            found.append({"tool_call": called(part)})
    return found


def called(part, pieces=False):
    args = {}
    if part.args is not None:
        whole = isinstance(part.args, dict) and not pieces
        args = (
            {"args": part.args}
            if whole
            else {"args_text": part.args if isinstance(part.args, str) else json.dumps(part.args)}
        )
    return {"id": part.tool_call_id, "name": part.tool_name, **args}


def usage(counts):
    details = counts.details or {}
    said = {"prompt": counts.input_tokens, "completion": counts.output_tokens}
    said |= {"cached": counts.cache_read_tokens, "cache_write": counts.cache_write_tokens}
    reasoning = ("thoughts_tokens", "thinking_tokens", "reasoning_tokens")
    said["reasoning"] = next((details[name] for name in reasoning if name in details), None)
    said["tool_prompt"] = details.get("tool_use_prompt_tokens")
    return {name: value for name, value in said.items() if value}


def failure(error):
    """Its exceptions: ModelHTTPError has the status."""
    said = {"message": str(error)}
    if isinstance(error, ModelHTTPError):
        said |= {"status": error.status_code}
        if error.retry_after is not None:
            said["retry_after"] = error.retry_after
    return said


def messages(body, system):
    found = [ModelRequest(parts=[SystemPromptPart(text) for text in body["system"]])] if body.get("system") else []
    for turn in body["turns"]:
        if turn["role"] == "assistant":
            kept = turn.get("keep")
            found += ModelMessagesTypeAdapter.validate_python(kept) if kept else [said_before(turn)]
        else:
            found.append(ModelRequest(parts=request_parts(turn, system)))
    return repair_messages(found)


def said_before(turn):
    """A history that the caller states himself. Claude signs thoughts, Gemini calls and texts; each part names the
    provider that signed it (https://ai.pydantic.dev/api/messages/#pydantic_ai.messages.ThinkingPart.provider_name)."""
    parts = []
    for part in turn["parts"]:
        signature, details = part.get("signature"), {}
        if signature:
            details = {"provider_name": "google", "provider_details": {"thought_signature": signature}}
        if "text" in part:
            parts.append(TextPart(part["text"], **details))
        elif "reasoning" in part:
            signed = {"signature": signature, "provider_name": "anthropic"} if signature else {}
            parts.append(ThinkingPart(part["reasoning"], **signed))
        elif "redacted" in part:
            data = part["redacted"]
            parts.append(ThinkingPart("", id="redacted_thinking", signature=data, provider_name="anthropic"))
        elif "tool_call" in part:
            call = part["tool_call"]
            args = call.get("args_text", call.get("args"))
            parts.append(ToolCallPart(call["name"], args, call.get("id") or call["name"], **details))
        else:
            raise NotImplementedError(f"in the model's turn: {', '.join(part)}")
    return ModelResponse(parts=parts)


def request_parts(turn, system):
    parts, prompt = [], []
    for part in turn["parts"]:
        if "tool_result" in part:
            parts.append(returned(part["tool_result"], system))
        elif "text" in part and turn["role"] == "system":
            parts.append(SystemPromptPart(part["text"]))
        elif "text" in part:
            prompt.append(part["text"])
        elif "media" in part:
            prompt.append(media(part["media"], system))
        else:
            raise NotImplementedError(f"in the user's turn: {', '.join(part)}")
    if prompt:
        parts.append(UserPromptPart(prompt[0] if len(prompt) == 1 and isinstance(prompt[0], str) else prompt))
    return parts


def returned(result, system):
    with_it = [media(one, system) for one in result.get("media") or []]
    content = [result["value"], *with_it] if with_it else result["value"]
    outcome = "failed" if result.get("is_error") else "success"
    return ToolReturnPart(result.get("name", ""), content, result.get("id") or result.get("name", ""), outcome=outcome)


def media(one, system):
    mime = one["mime"]
    if "data" in one:
        return BinaryContent(base64.b64decode(one["data"]), media_type=mime)
    known = {"media_type": mime} if mime and "*" not in mime else {}
    if "://" not in one["uri"]:
        return UploadedFile(one["uri"], provider_name=system, **known)
    return URLS.get(mime.split("/")[0], DocumentUrl)(one["uri"], **known)


def settings(body, upstream):
    said = body.get("settings", {})
    asked = {name: said[name] for name in SETTINGS if name in said}
    if said.get("stop"):
        asked["stop_sequences"] = said["stop"]
    choice = body.get("tool_choice", {})
    if "parallel" in choice:
        asked["parallel_tool_calls"] = choice["parallel"]
    if "mode" in choice:
        asked["tool_choice"] = list(choice["names"]) if choice["mode"] in ("named", "allowed") else choice["mode"]
        if choice["mode"] == "validated":
            raise NotImplementedError("tool_choice validated")
    return asked | thinking(body.get("thinking", {}), upstream)


def thinking(said, upstream):
    """Its unified setting, which asks Gemini for thoughts beside every effort; a budget, and whether there are thoughts
    to read, have only the settings of the provider it is for, which stand in its place."""
    level, budget, include = (said.get(name) for name in ("level", "budget", "include"))
    if level is not None:
        if include is False and upstream == "gemini":
            raise NotImplementedError("thinking.include false beside a level: the unified setting asks for thoughts")
        return {"thinking": level}
    has_include = include is not None and budget != 0
    if upstream == "gemini" and ((budget or 0) > 0 or has_include):
        config = {"thinking_budget": budget, "include_thoughts": include}
        return {"google_thinking_config": {name: value for name, value in config.items() if value is not None}}
    if budget in (0, -1):
        return {"thinking": budget == -1}
    if budget is not None and upstream == "anthropic":
        return {"anthropic_thinking": {"type": "enabled", "budget_tokens": budget}}
    if budget is not None:
        raise NotImplementedError("thinking.budget: no setting of this provider")
    return {}


def parameters(body):
    tools = [
        ToolDefinition(
            name=tool["name"], description=tool.get("description"), strict=tool.get("strict"),
            parameters_json_schema=tool.get("parameters") or {"type": "object", "properties": {}},
        )
        for tool in body.get("tools", [])
    ]  # fmt: skip
    wanted = body.get("response_format", {"kind": "text"})
    if wanted["kind"] == "json_object":
        raise NotImplementedError("JSON without a schema")
    if wanted["kind"] == "json_schema":
        output = OutputObjectDefinition(
            json_schema=wanted["schema"], name=wanted.get("name"), strict=wanted.get("strict")
        )
        return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=output)
    return ModelRequestParameters(function_tools=tools)


if __name__ == "__main__":
    serve(PydanticAi())
