"""Requests that Chat Completions and Gemini refuse: one invalid example for each rule, made from a valid request."""

from copy import deepcopy

import pytest

from bridgecheck.accept import refusals
from bridgecheck.checks import judge

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CHAT = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    "tool_choice": "auto",
    "stop": ["a", "b", "c", "d"],
    "logprobs": True,
    "top_logprobs": 2,
    "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}},
}
GEMINI = {
    "contents": [
        {"role": "user", "parts": [{"text": "Hi"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}, {"functionCall": {"name": "g"}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "f", "response": {}}}, {"functionResponse": {"name": "g", "response": {}}},
        ]},
    ],
    "tools": [{"functionDeclarations": [{"name": "a.b-c:d"}]}],
    "generationConfig": {
        "responseMimeType": "application/json", "responseSchema": {"type": "OBJECT"},
        "thinkingConfig": {"thinkingBudget": 0},
    },
}  # fmt: skip


def rules_refused(dialect, body):
    return {(refusal.rule, refusal.level) for refusal in refusals(dialect, body)}


def _set_parameters(body, properties, **more):
    body["tools"][0]["function"]["parameters"] = {"type": "object", "properties": properties, **more}


def test_references_that_lead_to_a_schema_are_accepted():
    """A tree contains itself, names of properties and members of enumerations are no keywords, and what another
    document holds is not known."""
    body = deepcopy(CHAT)
    tree = {"type": "object", "properties": {"below": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    named_as_keywords = {"type": {"$ref": "#"}, "$ref": {"enum": ["OBJECT"], "default": {"$ref": "#/no"}}}
    far = {"$ref": "https://example.org/a.json#/b"}
    _set_parameters(
        body, {"root": {"$ref": "#/$defs/tree"}, "far": far, **named_as_keywords}, **{"$defs": {"tree": tree}}
    )
    assert rules_refused("openai-chat", body) == set()


MARK = {"$ref": "#/$defs/mark"}


def gemini_with_property(property_schema):
    body = deepcopy(GEMINI)
    schema = {"type": "object", "properties": {"a": property_schema}, "$defs": {"mark": {"type": "string"}}}
    body["tools"][0]["functionDeclarations"] = [{"name": "log", "parametersJsonSchema": schema}]
    return body


@pytest.mark.parametrize("property_schema", [MARK, {**MARK, "description": "d"}, {"anyOf": [MARK], "minLength": 1}])
def test_gemini_accepts_a_reference_of_its_own(property_schema):
    assert rules_refused("gemini", gemini_with_property(property_schema)) == set()


def test_siblings_of_a_reference_are_refused():
    assert rules_refused("gemini", gemini_with_property({**MARK, "minLength": 1})) == {REFERENCE_SIBLINGS}
    body = deepcopy(GEMINI)
    body["generationConfig"]["responseJsonSchema"] = {"items": {**MARK, "description": "d"}, "$defs": {"mark": {}}}
    body["generationConfig"]["responseMimeType"] = "application/json"
    assert rules_refused("gemini", body) == {REFERENCE_SIBLINGS}


REFERENCE_SIBLINGS = ("gemini.reference_siblings", "SHOULD")


@pytest.mark.parametrize(
    ("response", "refused"),
    [
        ({"schema": [{"$ref": "#/$defs/Mark"}]}, {("gemini.result_reference", "SHOULD")}),
        ({"output": '{"$ref": "#/$defs/Mark"}'}, set()),
        ({"image": {"$ref": "chart.png"}}, set()),
    ],
)
def test_a_reference_in_a_result_names_a_file_of_it(response, refused):
    body = deepcopy(GEMINI)
    result = next(p["functionResponse"] for c in body["contents"] for p in c["parts"] if "functionResponse" in p)
    result.update(response=response, parts=[{"inlineData": {"mimeType": "image/png", "displayName": "chart.png"}}])
    assert rules_refused("gemini", body) == refused


def test_valid_requests_are_accepted():
    assert rules_refused("openai-chat", CHAT) == set()
    assert rules_refused("gemini", GEMINI) == set()


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("tool_name", lambda body: body["tools"][0]["function"].update(name="a.b")),
        ("call_name", lambda body: body["messages"][1]["tool_calls"][0]["function"].update(name="x" * 65)),
        ("many_functions", lambda body: body.update(tools=body["tools"] * 129)),
        ("many_stops", lambda body: body["stop"].append("e")),
        ("alone", lambda body: body.pop("logprobs")),
        ("alone", lambda body: body.update(stream_options={"include_usage": True})),
        ("alone", lambda body: body.pop("tools")),
        ("format_name", lambda body: body["response_format"]["json_schema"].pop("name")),
        ("tool_choice", lambda body: body.update(tool_choice="any")),
        ("schema_type", lambda body: _set_parameters(body, {"a": {"type": ["STRING", "null"]}})),
        ("schema_type", lambda body: body["response_format"]["json_schema"].update(schema={"type": "OBJECT"})),
        ("foreign_argument", lambda body: body.update(model="gpt-4.1-mini", reasoning={"effort": "high"})),
        ("foreign_argument", lambda body: body.update(model="o4-mini", thinking={"type": "enabled"})),
        ("foreign_argument", lambda body: body.update(model="gpt-5-mini", top_k=4)),
        ("schema_reference", lambda body: _set_parameters(body, {"a": {"items": {"$ref": "#/$defs/lost"}}})),
        ("schema_reference", lambda body: _set_parameters(body, {"a": {"$ref": "#/properties/a"}})),
    ],
)
def test_chat_refuses(rule, change):
    body = deepcopy(CHAT)
    change(body)
    assert rules_refused("openai-chat", body) == {(f"chat.{rule}", "MUST")}


@pytest.mark.parametrize("name", ["openai/gpt-5", "claude-sonnet-4-5", "gemini-2.5-flash", "m", "olmo-3"])
def test_other_hosts_of_chat_take_arguments_of_their_own(name):
    assert rules_refused("openai-chat", {**deepcopy(CHAT), "model": name, "reasoning": {"effort": "high"}}) == set()


def test_long_ids_are_disputed(case, status):
    body = deepcopy(CHAT)
    body["messages"][1]["tool_calls"][0]["id"] = body["messages"][2]["tool_call_id"] = "c" * 41
    assert rules_refused("openai-chat", body) == {("chat.id_length", "SHOULD")}
    assert status(case(client="gemini", upstream="openai-chat", upstream_body=body), "request.acceptable") == "WARN"
    own = case(client="openai-chat", upstream="openai-chat", upstream_body=body, client_body=body)
    assert status(own, "request.acceptable") == "PASS"


@pytest.mark.parametrize(("role", "expected"), [("user", "PASS"), ("tool", "WARN"), ("developer", "FAIL")])
def test_results_with_the_role_of_the_sdks_examples_warn(case, role, expected):
    body = deepcopy(GEMINI)
    answered = next(content for content in body["contents"] if any("functionResponse" in p for p in content["parts"]))
    answered["role"] = role
    found = {verdict.check: verdict.status for verdict in judge(case(upstream_body=body)) if verdict.status != "PASS"}
    checks = {found.get(check, "PASS") for check in ("request.acceptable", "upstream.wire_shape")}
    assert checks - {"PASS"} == {expected} - {"PASS"}


@pytest.mark.parametrize(("mode", "refused"), [("AUTO", set()), ("auto", {("gemini.mode_case", "SHOULD")})])
def test_a_mode_in_small_letters_is_disputed(mode, refused):
    body = {**GEMINI, "toolConfig": {"functionCallingConfig": {"mode": mode}}}
    assert rules_refused("gemini", body) == refused


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("tool_name", lambda body: body["tools"][0]["functionDeclarations"][0].update(name="7a")),
        ("level_and_budget", lambda body: body["generationConfig"]["thinkingConfig"].update(thinkingLevel="low")),
        ("untyped_schema", lambda body: body["generationConfig"].pop("responseMimeType")),
        ("cached_beside", lambda body: body.update(cachedContent="cachedContents/1")),
        ("results_apart", lambda body: body["contents"][2]["parts"].reverse()),
        ("results_apart", lambda body: body["contents"][2]["parts"].pop()),
        ("results_apart", lambda body: body["contents"].insert(2, body["contents"][0])),
    ],
)
def test_gemini_refuses(rule, change):
    body = deepcopy(GEMINI)
    change(body)
    assert rules_refused("gemini", body) == {(f"gemini.{rule}", "MUST")}
