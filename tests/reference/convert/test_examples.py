"""Five whole exchanges, from the plainest to thinking and tools, as the mapping's own examples have them."""

from bridgecheck_reference.convert.gemini_request import gemini_request_to_openai
from bridgecheck_reference.convert.openai_response import openai_response_to_gemini
from bridgecheck_reference.profile import LETTER

from .samples import call, model, result, user

WEATHER = {
    "name": "get_weather",
    "description": "Weather of a place",
    "parameters": {"type": "OBJECT", "properties": {"location": {"type": "STRING"}}, "required": ["location"]},
}
WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a place",
        "parameters": {"type": "object", "properties": {"location": {"type": "string"}}, "required": ["location"]},
    },
}


def test_basic() -> None:
    request = {
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "contents": [user("Hello")],
        "generationConfig": {"temperature": 0.7, "maxOutputTokens": 1000},
    }
    assert gemini_request_to_openai(request, model="gpt-4").value == {
        "model": "gpt-4",
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}],
        "temperature": 0.7,
        "max_tokens": 1000,
    }


def test_tools_by_default_and_by_the_letter() -> None:
    request = {"contents": [user("Weather?")], "tools": [{"functionDeclarations": [WEATHER]}]}
    plain = {"model": "m", "messages": [{"role": "user", "content": "Weather?"}], "tools": [WEATHER_TOOL]}
    assert gemini_request_to_openai(request, model="m").value == plain
    assert gemini_request_to_openai(request, model="m", profile=LETTER).value == {**plain, "tool_choice": "auto"}


def test_tool_response() -> None:
    request = {
        "contents": [
            user("Weather?"),
            model(call("get_weather", {"location": "Beijing"})),
            {"role": "user", "parts": [result("get_weather", {"content": "Sunny, 25"})]},
        ]
    }
    told = gemini_request_to_openai(request, model="m", profile=LETTER).value["messages"]
    assert told[1:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_get_weather_0001",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"location": "Beijing"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_get_weather_0001", "content": "Sunny, 25"},
    ]


def test_thinking() -> None:
    config = {"thinkingConfig": {"thinkingBudget": 10000}, "maxOutputTokens": 4096}
    told = gemini_request_to_openai({"contents": [user("Hard?")], "generationConfig": config}, model="o-x").value
    assert told == {
        "model": "o-x",
        "messages": [{"role": "user", "content": "Hard?"}],
        "reasoning_effort": "medium",
        "max_completion_tokens": 4096,
    }


def test_response_by_default_and_by_the_letter() -> None:
    called = {
        "id": "call_xyz",
        "type": "function",
        "function": {"name": "get_weather", "arguments": '{"location": "Beijing"}'},
    }
    message = {"role": "assistant", "content": "I look.", "tool_calls": [called]}
    response = {
        "id": "chatcmpl-1",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 20, "total_tokens": 70},
    }
    usage = {"promptTokenCount": 50, "candidatesTokenCount": 20, "totalTokenCount": 70}
    native = openai_response_to_gemini(response).value
    assert native["candidates"][0]["finishReason"] == "STOP"
    assert native["candidates"][0]["content"]["parts"][1]["functionCall"]["id"] == "call_xyz"
    assert (native["responseId"], native["usageMetadata"]) == ("chatcmpl-1", usage)
    letter = openai_response_to_gemini(response, profile=LETTER).value
    parts = [{"text": "I look."}, {"functionCall": {"name": "get_weather", "args": {"location": "Beijing"}}}]
    candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": "MODEL_REQUESTED_TOOL", "index": 0}
    assert letter == {"candidates": [candidate], "usageMetadata": usage}
