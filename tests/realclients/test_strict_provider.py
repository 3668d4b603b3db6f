"""The strict provider refuses what its API refuses, and takes every request that a recording shows answered."""

import copy
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final

import pytest

from bridgecheck.wire import DIALECTS, Dialect, JsonObject

from ..scripted_answers import ModelAnswer, ModelCall, answer
from .strict_provider import StrictProvider
from .strict_rules import RULES, ApiRequest, problems

SIGNATURE: Final = "c2lnbmF0dXJlLW9uZQ=="
SCHEMA: Final[JsonObject] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

TAKEN: Final[dict[Dialect, JsonObject]] = {
    "gemini": {
        "contents": [
            {"role": "user", "parts": [{"text": "Weather?"}]},
            {"role": "model", "parts": [
                {"functionCall": {"id": "a", "name": "weather", "args": {"city": "Oslo"}}, "thoughtSignature": SIGNATURE},
                {"functionCall": {"id": "b", "name": "weather", "args": {"city": "Bern"}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "a", "name": "weather", "response": {"output": "mild"}}},
                {"functionResponse": {"id": "b", "name": "weather", "response": {"output": "cold"}}},
            ]},
        ],
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "weather", "parameters": SCHEMA}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]}},
        "generationConfig": {"thinkingConfig": {"include_thoughts": True}},
    },
    "openai-chat": {
        "model": "gpt-5.1-mini",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Weather?"}]},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}},
                {"id": "b", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bern"}'}},
            ]},
            {"role": "tool", "tool_call_id": "a", "content": "mild"},
            {"role": "tool", "tool_call_id": "b", "content": "cold"},
        ],
        "tools": [{"type": "function", "function": {
            "name": "weather", "parameters": {**SCHEMA, "additionalProperties": False}, "strict": True,
        }}],
        "tool_choice": {"type": "function", "function": {"name": "weather"}},
        "stream": True, "stream_options": {"include_usage": True}, "max_completion_tokens": 400,
    },
    "anthropic": {
        "model": "claude-sonnet-4-5", "max_tokens": 4000, "system": "Be brief.",
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "messages": [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Two calls.", "signature": "sig"},
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Oslo"}},
                {"type": "tool_use", "id": "b", "name": "weather", "input": {"city": "Bern"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "mild"},
                {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "cold"}]},
            ]},
        ],
        "tools": [{"name": "weather", "input_schema": SCHEMA}],
        "tool_choice": {"type": "auto"},
    },
}  # fmt: skip
"""A request of each API with calls and their results that it takes."""

_CALLS: Final = "contents.1.parts"
_RESULTS: Final = "contents.2.parts"
REMOVED: Final = object()

REFUSED: Final[list[tuple[Dialect, str, dict[str, Any]]]] = [
    ("gemini", "gemini.unknown_name", {"max_tokens": 5}),
    ("gemini", "gemini.unknown_name", {f"{_CALLS}.0.extra_content": {}}),
    ("gemini", "gemini.unknown_name", {"tools.0.functionDeclarations.0.parameters": {"type": "object", "$defs": {}}}),
    ("gemini", "gemini.required", {f"{_RESULTS}.0.functionResponse.name": REMOVED}),
    ("gemini", "gemini.value", {f"{_RESULTS}.0.functionResponse.response": "mild"}),
    ("gemini", "gemini.value", {f"{_CALLS}.0.thoughtSignature": "not base64!"}),
    ("gemini", "gemini.contents", {"contents": []}),
    ("gemini", "gemini.no_parts", {"contents.0.parts": []}),
    ("gemini", "gemini.no_data", {"contents.0.parts": [{}]}),
    ("gemini", "gemini.two_data", {"contents.0.parts": [{"text": "a", "inlineData": {"mimeType": "image/png", "data": ""}}]}),
    ("gemini", "gemini.role_word", {"contents.0.role": "assistant"}),
    ("gemini", "gemini.call_order", {"contents.0": REMOVED}),
    ("gemini", "gemini.result_order", {"contents.1": REMOVED}),
    ("gemini", "gemini.result_count", {f"{_RESULTS}.1": REMOVED}),
    ("gemini", "gemini.result_count", {f"{_RESULTS}.2": {"functionResponse": {"id": "a", "name": "weather", "response": {}}}}),
    ("gemini", "gemini.results_apart", {_RESULTS: [{"text": "never mind"}]}),
    ("gemini", "gemini.result_id", {f"{_RESULTS}.1.functionResponse.id": "c"}),
    ("gemini", "gemini.result_id", {f"{_RESULTS}.1.functionResponse.id": "a"}),
    ("gemini", "gemini.signature", {f"{_CALLS}.0.thoughtSignature": REMOVED}),
    ("gemini", "gemini.corrupted_signature", {f"{_CALLS}.0.thoughtSignature": "b3RoZXI="}),
    ("gemini", "gemini.required_property", {"tools.0.functionDeclarations.0.parameters.required": ["town"]}),
    ("gemini", "gemini.declared_twice", {"tools.1": {"functionDeclarations": [{"name": "weather"}]}}),
    ("gemini", "gemini.mode", {"toolConfig.functionCallingConfig.mode": "REQUIRED"}),
    ("gemini", "gemini.allowed_names", {"toolConfig.functionCallingConfig.mode": "AUTO"}),
    ("gemini", "gemini.allowed_names", {"toolConfig.functionCallingConfig.allowedFunctionNames": ["clock"]}),
    ("openai-chat", "chat.unknown_parameter", {"thinking": {"type": "enabled"}}),
    ("openai-chat", "chat.unknown_parameter", {"tools.0.input_schema": {}}),
    ("openai-chat", "chat.required", {"messages.3.tool_call_id": REMOVED}),
    ("openai-chat", "chat.value", {"messages.1.role": "model"}),
    ("openai-chat", "chat.value", {"messages.2.tool_calls.0.function.arguments": {"city": "Oslo"}}),
    ("openai-chat", "chat.value", {"tool_choice": "any"}),
    ("openai-chat", "chat.value", {"messages.3.content": None}),
    ("openai-chat", "chat.result_without_call", {"messages.3.tool_call_id": "c"}),
    ("openai-chat", "chat.call_without_result", {"messages.4": {"role": "user", "content": "Well?"}}),
    ("openai-chat", "chat.open_calls", {"messages.4": REMOVED}),
    ("openai-chat", "chat.answered_twice", {"messages.5": {"role": "tool", "tool_call_id": "a", "content": "mild"}}),
    ("openai-chat", "chat.ids", {"messages.2.tool_calls.1.id": "a", "messages.4": REMOVED}),
    ("openai-chat", "chat.no_content", {"messages.2.tool_calls": REMOVED, "messages.4": REMOVED, "messages.3": REMOVED}),
    ("openai-chat", "chat.empty_array", {"messages.1.content": []}),
    ("openai-chat", "chat.old_limit", {"max_tokens": 400}),
    ("openai-chat", "chat.strict_schema", {"tools.0.function.parameters.additionalProperties": True}),
    ("openai-chat", "chat.strict_schema", {"tools.0.function.parameters.required": []}),
    ("openai-chat", "chat.choice", {"tool_choice.function.name": "clock"}),
    ("anthropic", "anthropic.shape", {"reasoning_effort": "low"}),
    ("anthropic", "anthropic.shape", {"messages.1.content.3.extra_content": {}}),
    ("anthropic", "anthropic.shape", {"messages.1.content.0.signature": REMOVED}),
    ("anthropic", "anthropic.shape", {"messages.0.role": "tool"}),
    ("anthropic", "anthropic.shape", {"messages.1.content.1.type": "output_text"}),
    ("anthropic", "anthropic.max_tokens", {"max_tokens": REMOVED}),
    ("anthropic", "anthropic.signature", {"messages.1.content.0.signature": ""}),
    ("anthropic", "anthropic.blank_text", {"messages.1.content.1.text": ""}),
    ("anthropic", "anthropic.empty", {"messages.0.content": ""}),
    ("anthropic", "anthropic.ids_once", {"messages.1.content.3.id": "a"}),
    ("anthropic", "anthropic.call_without_result", {"messages.2.content.1": REMOVED}),
    ("anthropic", "anthropic.result_without_call", {"messages.2.content.1.tool_use_id": "c"}),
    ("anthropic", "anthropic.result_without_call", {"messages.2.content.2": {"type": "tool_result", "tool_use_id": "a"}}),
    ("anthropic", "anthropic.results_first", {"messages.2.content": [
        {"type": "text", "text": "here"}, {"type": "tool_result", "tool_use_id": "a"},
        {"type": "tool_result", "tool_use_id": "b"},
    ]}),
    ("anthropic", "anthropic.final_thinking", {"messages.1.content.4": {"type": "thinking", "thinking": "x", "signature": "sig"}}),
    ("anthropic", "anthropic.leading_thinking", {"messages.1.content.0": {"type": "text", "text": "Well."}}),
    ("anthropic", "anthropic.modified", {"messages.1.content.0.thinking": "Other."}),
    ("anthropic", "anthropic.choice", {"tool_choice": {"type": "tool", "name": "clock"}}),
]  # fmt: skip
"""Rule, and what is put at which paths of the request that is taken, each later path in what the earlier ones left."""


def change(body: JsonObject, path: str, value: Any) -> None:
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
    target: Any = body
    for step in steps:
        target = target[step]
    if value is REMOVED:
        del target[last]
    elif isinstance(last, int) and last == len(target):
        target.append(value)
    else:
        target[last] = value


def request(dialect: Dialect, body: JsonObject) -> ApiRequest:
    known: frozenset[object] = frozenset({b"signature-one", ("Two calls.", "sig"), ("x", "sig")})
    model = "gemini-3.5-flash" if dialect == "gemini" else str(body.get("model"))
    return ApiRequest(dialect, body, model, "generate", known)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_request_with_calls_is_taken(dialect: Dialect) -> None:
    assert list(problems(request(dialect, TAKEN[dialect]))) == []


@pytest.mark.parametrize(
    ("dialect", "rule", "changes"), REFUSED, ids=[f"{rule}-{next(iter(changes))}" for _, rule, changes in REFUSED]
)
def test_a_fault_is_refused(dialect: Dialect, rule: str, changes: dict[str, Any]) -> None:
    body = copy.deepcopy(TAKEN[dialect])
    for path, value in changes.items():
        change(body, path, value)
    assert rule in [problem.rule for problem in problems(request(dialect, body))]


def test_every_rule_has_a_fault_and_a_source() -> None:
    finders = {rule.find: rule for dialect in DIALECTS for rule in RULES[dialect]}
    caught = set()
    for dialect, _rule, changes in REFUSED:
        body = copy.deepcopy(TAKEN[dialect])
        for path, value in changes.items():
            change(body, path, value)
        try:
            caught |= {rule.name for rule in RULES[dialect] if list(rule.find(request(dialect, body)))}
        except (ValueError, TypeError):
            continue  # another shape: what a rule finds in it does not count
    assert caught == {rule.name for rule in finders.values()}
    assert all("http" in rule.source or "recorded" in rule.source for rule in finders.values())


@pytest.mark.parametrize("model", ["gemini-3.5-flash", "gemini-3-flash-preview", "gemini-pro-latest"])
def test_a_signature_is_needed_by_gemini_3_alone_and_in_the_current_turn(model: str) -> None:
    body = copy.deepcopy(TAKEN["gemini"])
    del body["contents"][1]["parts"][0]["thoughtSignature"]  # type: ignore[index, call-overload]
    assert [problem.rule for problem in problems(ApiRequest("gemini", body, model))] == ["gemini.signature"]
    assert list(problems(ApiRequest("gemini", body, "gemini-2.5-flash"))) == []
    later = [{"role": "model", "parts": [{"text": "Mild."}]}, {"role": "user", "parts": [{"text": "And now?"}]}]
    assert list(problems(ApiRequest("gemini", {**body, "contents": [*body["contents"], *later]}, model))) == []  # type: ignore[misc]


@pytest.mark.parametrize(
    "placeholder", ["skip_thought_signature_validator", "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="]
)
def test_a_documented_placeholder_is_a_signature(placeholder: str) -> None:
    body = copy.deepcopy(TAKEN["gemini"])
    change(body, f"{_CALLS}.0.thoughtSignature", placeholder)
    assert list(problems(request("gemini", body))) == []


@pytest.mark.traffic
def test_every_recorded_request_that_was_answered_is_taken(traffic_folder: Path) -> None:
    """Requests to OpenAI-compatible hosts are left out: each has rules of its own."""
    dialects: dict[str, Dialect] = {
        "gemini": "gemini", "vertex": "gemini", "openai": "openai-chat", "anthropic": "anthropic",
    }  # fmt: skip
    refused, count = [], 0
    for file in sorted(traffic_folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").split("\n"):
            recorded = json.loads(line) if line else {}
            body = recorded.get("request_body")
            if recorded.get("provider") not in dialects or recorded["status"] != 200 or not isinstance(body, dict):
                continue
            counts = "count" in recorded["url_path"].lower()
            body = body.get("generateContentRequest", body)
            model = recorded["model"] or body.get("model") or ""
            dialect = dialects[recorded["provider"]]
            found = list(problems(ApiRequest(dialect, body, model, "count" if counts else "generate")))
            refused += [(recorded["id"], problem.rule, problem.message) for problem in found[:1]]
            count += 1
    assert refused == []
    assert count > 1500


_PATH: Final[dict[Dialect, str]] = {
    "gemini": "/v1beta/models/gemini-3.5-flash:generateContent", "openai-chat": "/chat/completions",
    "anthropic": "/v1/messages",
}  # fmt: skip
_HEADERS: Final = {
    "content-type": "application/json", "authorization": "Bearer k", "x-goog-api-key": "k", "anthropic-version": "2023-06-01",
}  # fmt: skip


def post(
    provider: StrictProvider, body: JsonObject, path: str = "", headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    url = provider.base_url + (path or _PATH[provider.dialect])
    sent = urllib.request.Request(url, json.dumps(body).encode(), _HEADERS if headers is None else headers)
    try:
        with urllib.request.urlopen(sent) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_refusal_is_the_apis_own_error_and_takes_no_answer(dialect: Dialect) -> None:
    body = copy.deepcopy(TAKEN[dialect])
    body["messages" if dialect != "gemini" else "contents"][0]["role"] = "narrator"  # type: ignore[index, call-overload]
    # Signatures of TAKEN were not given by this provider, so the history is left out.
    first = {"gemini": {"contents": TAKEN["gemini"]["contents"][:1]}}.get(dialect)  # type: ignore[index]
    taken = first or {
        **TAKEN[dialect],
        "thinking": {"type": "disabled"},
        "messages": [{"role": "user", "content": "Hi"}],
    }
    if dialect != "anthropic":
        taken.pop("thinking", None)
    with StrictProvider(dialect) as provider:
        provider.play(answer(dialect, ModelAnswer("Hi."), "unary"))
        status, document = post(provider, body)
        assert status == 400
        error = document["error"]
        if dialect == "gemini":
            assert error == {
                "code": 400,
                "message": "Please use a valid role: user, model.",
                "status": "INVALID_ARGUMENT",
            }
        else:
            assert error["type"] == "invalid_request_error"
        assert (len(provider.refused), provider.log) == (1, [])
        assert post(provider, taken)[0] == 200
        assert (len(provider.refused), len(provider.log)) == (1, 1)


@pytest.mark.parametrize(("dialect", "status"), [("gemini", 403), ("openai-chat", 401), ("anthropic", 401)])
def test_a_key_is_needed(dialect: Dialect, status: int) -> None:
    with StrictProvider(dialect) as provider:
        assert post(provider, {}, headers={"content-type": "application/json"})[0] == status
        assert post(provider, {}, path="/v1/nothing")[0] == 404


def test_anthropic_needs_its_version() -> None:
    with StrictProvider("anthropic") as provider:
        status, document = post(provider, {}, headers={"x-api-key": "k"})
        assert (status, document["error"]["message"]) == (400, "anthropic-version: header is required")


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_a_signature_is_known_once_it_was_given(mode: Any) -> None:
    call = ModelCall("weather", {"city": "Oslo"}, "a")
    contents = [
        {"role": "user", "parts": [{"text": "Weather?"}]},
        {"role": "model", "parts": [
            {"functionCall": {"id": "a", "name": "weather", "args": {}}, "thoughtSignature": SIGNATURE}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "a", "name": "weather", "response": {}}}]},
    ]  # fmt: skip
    with StrictProvider("gemini") as provider:
        provider.play(
            answer("gemini", ModelAnswer(calls=(call,)), "unary"), answer("gemini", ModelAnswer("Mild."), "unary")
        )
        assert post(provider, {"contents": contents})[0] == 400
        assert provider.refused[0].problem.message == "Corrupted thought signature."
        assert post(provider, {"contents": contents[:1]})[0] == 200
        assert post(provider, {"contents": contents})[0] == 200
