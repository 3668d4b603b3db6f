"""The request that a report shows is the one that the SDK wrote on the wire, with its spelling."""

import asyncio

import pytest

from bridgecheck import normalise
from bridgecheck.drivers import sdk_clients
from bridgecheck.model.exchange import Request

SCHEMA = {"type": "object", "properties": {"depth_in_m": {"type": "number"}}, "required": ["depth_in_m"]}
NOBODY_LISTENS = "http://127.0.0.1:9"


def body(tools: str, declarations: str, schema: str) -> dict[str, object]:
    declaration = {"name": "sound", "description": "Sound the depth.", schema: SCHEMA}
    return {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], tools: [{declarations: [declaration]}]}


@pytest.mark.parametrize(
    "request_body",
    [
        body("tools", "functionDeclarations", "parametersJsonSchema"),
        body("tools", "function_declarations", "parameters_json_schema"),
    ],
    ids=["camel-case", "dict-config-in-snake-case"],
)
def test_google_genai_writes_a_schema_in_snake_case(request_body: dict[str, object]) -> None:
    answer = asyncio.run(sdk_clients.call_sdk("gemini", "unary", NOBODY_LISTENS, "k", request_body, "gemini-2.5-flash"))
    assert answer.sent_body is not None
    (tool,) = answer.sent_body["tools"]
    (declaration,) = tool["functionDeclarations"]
    assert declaration["parameters_json_schema"] == SCHEMA
    assert "parametersJsonSchema" not in declaration
    prompt = normalise.request(Request("gemini", "unary", answer.sent_body, "gemini-2.5-flash"))
    assert [(read.name, read.schema) for read in prompt.tools or ()] == [("sound", SCHEMA)]


@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic"])
def test_other_sdks_write_a_body_as_it_is(dialect: str) -> None:
    sent = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], "my_field": {"a_b": 1}}
    answer = asyncio.run(sdk_clients.call_sdk(dialect, "unary", NOBODY_LISTENS, "k", sent, "m"))
    assert answer.sent_body == sent
