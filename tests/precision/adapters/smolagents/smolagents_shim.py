"""smolagents as bridgecheck asks it: ``generate`` and ``generate_stream`` of its OpenAIModel
(https://huggingface.co/docs/smolagents/reference/models#smolagents.OpenAIModel), one model call of its agents, at the
base URL of the recordings.

Requests are made of its ChatMessages and Tools; a round of calls and results is an ActionStep of an agent's memory
(https://huggingface.co/docs/smolagents/tutorials/memory), and says what its ``to_messages`` makes of it. Answers are
written down as their ChatMessage says them, and why they ended or what was refused as ``raw`` does, "the raw output
from the API"; streams as their ChatMessageStreamDeltas do, which have neither (``stream.finish``, ``refusal``). Images
are those of PIL, as in the TaskStep of a run with images
(https://huggingface.co/docs/smolagents/examples/web_browser). They are not claimed: it writes the same picture anew, as
a PNG of other bytes. What its types have no field for is refused by name, or stands in ``cannot_say``.
"""

import base64
import io
import json
from importlib.metadata import version

import httpx2
import openai
import PIL.Image
from shim import serve
from smolagents import ActionStep, ChatMessage, MessageRole, OpenAIModel, Tool
from smolagents.memory import ToolCall
from smolagents.models import parse_json_if_needed
from smolagents.monitoring import Timing

FAILURES = (openai.OpenAIError, httpx2.HTTPError, json.JSONDecodeError)

FINISH = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}
SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "max_tokens": "max_completion_tokens",
    "seed": "seed",
    "user": "user",
}
""" "Additional keyword arguments to forward to the underlying OpenAI API completion call":
https://platform.openai.com/docs/api-reference/chat/create"""
DEFAULTS = [("n", 1), ("modalities", ["text"])]  # they say what it does without them


class Smolagents:
    name, version = "smolagents", version("smolagents")
    routes = [("outcome", "openai-chat")]
    claims = ["tools", "parallel_tools", "json_schema"]
    cannot_say = [
        *("citations", "code", "order", "refusal", "stream.finish", "text.segments"),
        *("tools.strict", "tool_choice.validated", "turns.name"),
        *("turns.media.detail", "turns.media.uri", "turns.results.is_error"),
        *("usage.cached", "usage.cache_write", "usage.reasoning", "usage.tool_prompt"),
    ]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        options = {"client_kwargs": {"max_retries": 0}, "retry": False}
        llm = OpenAIModel(model, api_base=base_url, api_key=api_key, **options, **parameters(body))
        asked = {
            "messages": messages(body),
            "stop_sequences": body.get("settings", {}).get("stop"),
            "response_format": response_format(**body.get("response_format", {})),
            "tools_to_call_from": [tool(**one) for one in body.get("tools", [])] or None,
            "tool_choice": tool_choice(**body.get("tool_choice", {})),
        }
        return stream(llm, asked) if mode == "stream" else unary(llm, asked)


def unary(llm, asked):
    try:
        message = llm.generate(**asked)
    except FAILURES as error:
        return {"error": failure(error)}
    calls = [{"tool_call": call(one)} for one in message.tool_calls or []]
    text = [{"text": message.content}] if message.content else []
    said, reason = message.raw.choices[0].message, message.raw.choices[0].finish_reason
    refused = {"refusal": said.refusal} if said.refusal else {}
    ended = {"finish": FINISH.get(reason), "finish_native": reason} if reason else {}
    identity = {"id": message.raw.id, "model": message.raw.model}
    return {"parts": text + calls, **refused, **ended, **counted(message), **identity}


def stream(llm, asked):
    try:
        for delta in llm.generate_stream(**asked):
            parts = [{"text": delta.content}] if delta.content else []
            parts += [{"tool_call": call(one)} for one in delta.tool_calls or []]
            if parts or delta.token_usage:
                yield {**({"parts": parts} if parts else {}), **counted(delta)}
    except FAILURES as error:
        yield {"error": failure(error)}
    except ValueError as error:
        if not str(error).startswith("No content or tool calls in event"):
            raise
        yield {"error": {"message": str(error)}}


# The answer ---------------------------------------------------------------------------------------------------------


def call(one):
    """A ChatMessageToolCall, or a piece of one, which has an index."""
    function = one.function
    said = {
        "index": getattr(one, "index", None),
        "id": one.id,
        "name": function.name if function else None,
        "args_text": function.arguments if function else None,
    }
    return {name: value for name, value in said.items() if value is not None}


def counted(said):
    """Its TokenUsage."""
    counts = said.token_usage
    if counts is None:
        return {}
    found = {"prompt": counts.input_tokens, "completion": counts.output_tokens, "total": counts.total_tokens}
    return {"usage": {name: value for name, value in found.items() if value is not None}}


def failure(error):
    """The exceptions of the SDK, which it lets through."""
    response, status = getattr(error, "response", None), getattr(error, "status_code", None)
    said = {
        "message": str(error),
        "kind": "timeout" if isinstance(error, openai.APITimeoutError) else None,
        "status": status,
        "native": getattr(error, "code", None) or getattr(error, "type", None),
        "retry_after": seconds(response.headers.get("retry-after")) if response is not None else None,
    }
    said["native"] = said["native"] if isinstance(said["native"], str) else None
    return {name: value for name, value in said.items() if value is not None}


def seconds(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


# The request --------------------------------------------------------------------------------------------------------


def parameters(body):
    """What is given at instantiation: https://huggingface.co/docs/smolagents/reference/models#models"""
    found = {}
    for name, value in body.get("settings", {}).items():
        if name in SETTINGS:
            found[SETTINGS[name]] = value
        elif name != "stop" and (name, value) not in DEFAULTS:
            raise NotImplementedError(f"settings.{name}: an answer is one ChatMessage, and Chat has no {name}")
    thinking = body.get("thinking", {})
    if thinking.keys() - {"level"}:
        raise NotImplementedError(f"thinking.{min(thinking.keys() - {'level'})}: Chat has a reasoning_effort")
    if thinking:
        found["reasoning_effort"] = thinking["level"]
    parallel = body.get("tool_choice", {}).get("parallel")
    return found | ({"parallel_tool_calls": parallel} if parallel is not None else {})


def tool_choice(mode=None, names=(), parallel=None):
    if mode == "named":
        return {"type": "function", "function": {"name": names[0]}}
    if mode not in (None, "auto", "none", "required"):
        raise NotImplementedError(f"tool_choice {mode}")
    return mode


def response_format(kind="text", schema=None, name=None, strict=None):
    """As its own CODEAGENT_RESPONSE_FORMAT."""
    if kind != "json_schema":
        return {"type": kind} if kind == "json_object" else None
    known = {"strict": strict} if strict is not None else {}
    return {"type": "json_schema", "json_schema": {"name": name or "answer", "schema": schema, **known}}


class DeclaredTool(Tool):
    """A tool that only describes itself; its inputs are the properties of a JSON Schema, as those of the tools that
    ToolCollection.from_mcp makes (https://huggingface.co/docs/smolagents/reference/tools#smolagents.ToolCollection)."""

    output_type = "any"
    skip_forward_signature_validation = True

    def __init__(self, name, description, inputs):
        self.name, self.description, self.inputs = name, description, inputs
        super().__init__()


def tool(name, description="", parameters=None, strict=None):
    """An input has a type and a description; one that is not required is nullable."""
    schema = {key: value for key, value in (parameters or {}).items() if key != "$schema"}
    others = schema.keys() - {"type", "properties", "required"}
    if others or schema.get("type", "object") != "object":
        raise NotImplementedError(f"tools.parameters: {', '.join(sorted(others)) or 'type'}: a Tool has inputs alone")
    required = schema.get("required", [])
    try:
        inputs = {
            key: {"description": "", **value, **({} if key in required else {"nullable": True})}
            for key, value in schema.get("properties", {}).items()
        }
        return DeclaredTool(name, description, inputs)
    except Exception as error:  # it looks at what it is given, and says in exceptions of many kinds what is wrong
        raise NotImplementedError(f"tools.{name}: {error}") from error


def messages(body):
    system = [text_element(text) for text in body.get("system", [])]
    found = [ChatMessage(MessageRole.SYSTEM, system)] if system else []
    turns = list(body["turns"])
    check_results(turns)
    for at, turn in enumerate(turns):
        if turn["role"] == "assistant":
            following = turns[at + 1]["parts"] if at + 1 < len(turns) else []
            results = [part["tool_result"] for part in following if "tool_result" in part]
            found += assistant_messages(at, turn["parts"], results)
            continue
        content = [
            image(**part["media"]) if "media" in part else element(part)
            for part in turn["parts"]
            if "tool_result" not in part
        ]
        found += [ChatMessage(MessageRole(turn["role"]), content)] if content else []
    return found


def check_results(turns):
    """They stand in the step of their calls."""
    for before, turn in zip([{"parts": []}, *turns], turns, strict=False):
        called = {part["tool_call"].get("id", "") for part in before["parts"] if "tool_call" in part}
        if any(part["tool_result"].get("id", "") not in called for part in turn["parts"] if "tool_result" in part):
            raise NotImplementedError("turns.results: a result without a call: an ActionStep has both")


def text_element(text):
    return {"type": "text", "text": text}


def element(part):
    if "text" not in part:
        kind = next(name for name in part if name not in ("detail", "signature", "keep"))
        raise NotImplementedError(f"turns.{kind}: the content of a ChatMessage is text, and images of the user's")
    if part.get("signature"):
        raise NotImplementedError("turns.signatures: a ChatMessage has no signature")
    return text_element(part["text"])


def image(mime, data=None, uri=None):
    if not mime.startswith("image/") or data is None:
        raise NotImplementedError(f"turns.media: {uri or mime}: a ChatMessage has text, and images of PIL")
    try:
        return {"type": "image", "image": PIL.Image.open(io.BytesIO(base64.b64decode(data)))}
    except OSError as error:
        raise NotImplementedError(f"turns.media: {mime}: no image that PIL reads") from error


def assistant_messages(at, parts, results):
    """What the model said, or the step of an agent: its words, its calls, and what they gave."""
    calls = [tool_call(**part["tool_call"]) for part in parts if "tool_call" in part]
    if any(part.get("signature") for part in parts):
        raise NotImplementedError("turns.signatures: a ChatMessage has no signature")
    content = [element(part) for part in parts if "tool_call" not in part]
    if not calls:
        return [ChatMessage(MessageRole.ASSISTANT, content)] if content else []
    ids = [one.id for one in calls]
    observed = [observation(**one) for one in sorted(results, key=lambda one: ids.index(one.get("id", "")))]
    step = ActionStep(
        step_number=at,
        timing=Timing(start_time=0.0),
        model_output="".join(one["text"] for one in content) or None,
        tool_calls=calls,
        observations="\n".join(observed) if observed else None,
    )
    return step.to_messages()


def tool_call(name, id="", args=None, args_text=None):
    return ToolCall(name, parse_json_if_needed(args_text) if args_text is not None else args or {}, id)


def observation(value, id=None, name=None, media=(), is_error=None, cited=()):
    """As a ToolCallingAgent observes a result, in the order of the calls."""
    if media or cited:
        raise NotImplementedError(f"turns.results.{'media' if media else 'cited'}: observations are a text")
    return str(value).strip()


if __name__ == "__main__":
    serve(Smolagents())
