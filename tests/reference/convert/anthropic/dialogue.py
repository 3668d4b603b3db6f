"""Small builders of Anthropic and OpenAI requests."""

from bridgecheck import accept, validate
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
from bridgecheck_reference.convert.anthropic.request_to_openai import anthropic_request_to_openai
from bridgecheck_reference.loss import Loss

Json = dict[str, object]
CACHE: Json = {"type": "ephemeral"}
PNG = "iVBORw0KGgo="


def text(content: str, **rest: object) -> Json:
    return {"type": "text", "text": content, **rest}


def use(id: str, name: str = "f", arguments: Json | None = None, **rest: object) -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments or {}, **rest}


def result(id: str, content: object = "ok", **rest: object) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **rest}


def thinking(content: str, signature: str = "c2ln") -> Json:
    return {"type": "thinking", "thinking": content, "signature": signature}


def image(data: str = PNG) -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def user(*content: Json | str) -> Json:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def assistant(*content: Json | str) -> Json:
    return {**user(*content), "role": "assistant"}


def request_body(*messages: Json, **rest: object) -> Json:
    return {"model": "claude-x", "max_tokens": 100, "messages": list(messages), **rest}


def tool(name: str = "f", **rest: object) -> Json:
    return {"name": name, "description": "d", "input_schema": {"type": "object", "properties": {}}, **rest}


def call(id: str, name: str = "f", arguments: str = "{}", **rest: object) -> Json:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **rest}


def calls(*made: Json, content: object = None, **rest: object) -> Json:
    return {"role": "assistant", "content": content, "tool_calls": list(made), **rest}


def answer(id: str, content: object = "ok", **rest: object) -> Json:
    return {"role": "tool", "tool_call_id": id, "content": content, **rest}


def function(name: str = "f", **rest: object) -> Json:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}, **rest}}


def chat(*messages: Json, **rest: object) -> Json:
    return {"model": "claude-x", "messages": list(messages), **rest}


def to_openai(request: Json, profile: Profile = NATIVE) -> tuple[Json, tuple[Loss, ...]]:
    """The converted request, which OpenAI's definition allows."""
    made = anthropic_request_to_openai(request, profile=profile)
    assert validate.request("openai-chat", made.value) == []
    return made.value, made.losses


def to_anthropic(request: Json, profile: Profile = NATIVE) -> tuple[Json, tuple[Loss, ...]]:
    """The converted request, which Anthropic's definition allows and its API does not refuse."""
    made = openai_request_to_anthropic(request, profile=profile)
    assert validate.request("anthropic", made.value) == []
    assert accept.refusals("anthropic", made.value) == []
    return made.value, made.losses
