"""Requests that Anthropic would refuse: one planted fault for each rule, and none in recorded accepted requests."""

import pytest

from bridgecheck.accept import refusals
from bridgecheck.accept.anthropic import RULES
from bridgecheck.cassette import traffic

TOOL = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}
SECOND_CALL, SECOND_RESULT = {**CALL, "id": "toolu_2"}, {**RESULT, "tool_use_id": "toolu_2"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
HI = {"role": "user", "content": "Hi"}
BUDGET = {"type": "enabled", "budget_tokens": 1024}
PIXEL = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def text(value, **more):
    return {"type": "text", "text": value, **more}


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def model(*blocks):
    return {"role": "assistant", "content": list(blocks)}


def body(*messages, **more):
    return {"model": "claude-sonnet-4-5", "max_tokens": 2048, "messages": list(messages), **more}


def image(**source):
    return user({**PIXEL, "source": {**PIXEL["source"], **source}})


def requests_schema(schema):
    return body(HI, output_config={"format": {"type": "json_schema", "schema": schema}})


CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
HISTORY = (HI, model(THOUGHT, text("Let me look."), CALL), user(RESULT, text("And?")))

ACCEPTED = [
    body(HI),
    body(*HISTORY, tools=[TOOL], tool_choice={"type": "auto"}, thinking=BUDGET),
    body(*HISTORY, tools=[TOOL], thinking={"type": "adaptive"}),
    body(HI, HI, model(text("a")), model(text("b"), CALL), user(RESULT), user(text("c"))),
    body(HI, model(CALL, SECOND_CALL), user(RESULT, SECOND_RESULT), user(text("Go on."))),
    body(model(text("Hello")), HI),
    body(HI, model(text("a"), text(" "), text("b")), HI),
    body(HI, model()),
    body(HI, model(text("It is"))),
    body(HI, {"role": "system", "content": "Be brief."}, model(text("Yes."))),
    body(image(), system=[text("Be brief.", cache_control={"type": "ephemeral"})]),
    body(HI, model(CALL), user({**RESULT, "content": ""})),
    body(HI, model(CALL), user({**RESULT, "content": [text(""), PIXEL]})),
    body(HI, temperature=1, thinking=BUDGET, stop_sequences=["x"], top_k=None),
    body(HI, tools=[{"type": "web_search_20250305", "name": "web_search"}, TOOL]),
    body(HI, model({"type": "server_tool_use", "id": "srv:1", "name": "web_search", "input": {}})),
    requests_schema(CLOSED),
    body(HI, output_config={"effort": "high"}),
    body(HI, tools=[TOOL], thinking={"type": "enabled", "budget_tokens": 9000}),
]

REFUSED = [
    ("max_tokens", {"messages": [HI]}),
    ("max_tokens", body(HI, max_tokens=-1)),
    ("messages", body()),
    ("role", body(HI, {"role": "tool", "content": "x"})),
    ("empty", body({"role": "user", "content": ""})),
    ("empty", body(HI, model(), HI)),
    ("blank_text", body(user(text("")))),
    ("blank_text", body(user(text("Hi"), text("")))),
    ("blank_text", body(HI, {"role": "assistant", "content": " \n"}, HI)),
    ("blank_text", body(HI, system=[text(" ")])),
    ("prefill_end", body(HI, model(text("It is ")))),
    ("prefill_end", body(HI, {"role": "assistant", "content": "It is\n"})),
    ("ids", body(HI, model({**CALL, "id": "functions.look:0"}), user({**RESULT, "tool_use_id": "functions.look:0"}))),
    ("ids", body(HI, model({**CALL, "id": ""}), user({**RESULT, "tool_use_id": ""}))),
    ("ids_once", body(HI, model(CALL, CALL), user(RESULT))),
    ("ids_once", body(HI, model(CALL), user(RESULT), model(CALL), user(RESULT))),
    ("input_object", body(HI, model({**CALL, "input": "{}"}), user(RESULT))),
    ("call_without_result", body(HI, model(CALL), HI)),
    ("call_without_result", body(HI, model(CALL))),
    ("result_without_call", body(user(RESULT))),
    ("result_without_call", body(HI, model(CALL), user(RESULT, RESULT))),
    ("results_first", body(HI, model(CALL), user(text("See:"), RESULT))),
    ("results_apart", body(HI, model(CALL, SECOND_CALL), user(RESULT), user(SECOND_RESULT))),
    ("signature", body(HI, model({"type": "thinking", "thinking": "Hm."}), HI)),
    ("signature", body(HI, model({"type": "redacted_thinking", "data": ""}), HI)),
    ("thinking_led", body(HI, model(CALL), user(RESULT), thinking=BUDGET)),
    ("temperature", body(HI, temperature=1.3)),
    ("budget", body(HI, thinking={"type": "enabled", "budget_tokens": 512})),
    ("budget", body(HI, thinking={"type": "enabled", "budget_tokens": 2048})),
    ("thinking_sampling", body(HI, thinking=BUDGET, temperature=0)),
    ("thinking_sampling", body(HI, thinking={"type": "adaptive"}, top_k=3)),
    ("thinking_forced", body(HI, tools=[TOOL], thinking=BUDGET, tool_choice={"type": "any"})),
    ("tool_name", body(HI, tools=[{**TOOL, "name": "files.read"}])),
    ("tool_name", body(HI, tools=[{**TOOL, "name": "a" * 129}])),
    ("tools_once", body(HI, tools=[TOOL, TOOL])),
    ("schema_type", body(HI, tools=[{**TOOL, "input_schema": {"type": "object", "items": {"type": "STRING"}}}])),
    ("schema_reference", body(HI, tools=[{**TOOL, "input_schema": {"type": "object", "items": {"$ref": "#/no"}}}])),
    ("input_schema", body(HI, tools=[{"name": "look"}])),
    ("tool_choice", body(HI, tools=[TOOL], tool_choice="auto")),
    ("tool_choice", body(HI, tools=[TOOL], tool_choice={"type": "required"})),
    ("cache_marks", body(user(*(text("x", cache_control={"type": "ephemeral"}) for _ in range(5))))),
    ("image_type", body(image(media_type="image/bmp"))),
    ("base64", body(image(data="a-_b"))),
    ("base64", body(image(data=""))),
    ("format", requests_schema({"type": "object"})),
    ("format", requests_schema({**CLOSED, "properties": {"a": {"type": "array", "items": {"type": "object"}}}})),
    ("effort", body(HI, model="claude-opus-4-6", output_config={"effort": "xhigh"})),
    ("effort", body(HI, output_config={"effort": "minimal"})),
    ("stops", body(HI, stop_sequences=["END", "\n\n"])),
    ("foreign_key", body(HI, stop=["x"])),
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_valid_requests_are_accepted(body):
    assert refusals("anthropic", body) == []


@pytest.mark.parametrize(("rule", "body"), REFUSED)
def test_each_fault_is_refused_by_its_rule_alone(rule, body):
    assert {found.rule for found in refusals("anthropic", body)} == {f"anthropic.{rule}"}


def test_every_rule_has_a_planted_fault():
    assert {f"anthropic.{rule}" for rule, _ in REFUSED} == {rule.name for rule in RULES}


def test_a_refusal_names_the_path():
    assert [found.path for found in refusals("anthropic", body(HI, model(CALL, text("")), user(RESULT)))] == [
        "messages[1].content[1]"
    ]


OF_2024 = ("dd-trace-py/0078", "dd-trace-py/0079")
"""Accepted with results that name other calls."""


@pytest.mark.traffic
def test_rules_agree_with_recorded_responses(traffic_folder):
    wrong = []
    for item in traffic.read_traffic(traffic_folder):
        request, answer = item.interaction.request, item.interaction.response
        if answer.dialect != "anthropic" or request is None or item.operation != "generate" or item.id in OF_2024:
            continue
        found = [refusal for refusal in refusals("anthropic", request.body) if refusal.level == "MUST"]
        if answer.status != 404 and bool(found) != (answer.status == 400):
            wrong.append((item.id, answer.status, [refusal.rule for refusal in found]))
    assert wrong == []


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((user(RESULT), user(SECOND_RESULT)), "WARN"),
        ((user(RESULT, SECOND_RESULT),), "PASS"),
        ((user(RESULT), model(text("Hm.")), user(SECOND_RESULT)), "FAIL"),
        ((user(RESULT),), "FAIL"),
    ],
)
def test_results_of_one_round_in_two_messages_warn(case, status, messages, expected):
    sent = body(HI, model(CALL, SECOND_CALL), *messages)
    evidence = case(client="openai-chat", upstream="anthropic", upstream_body=sent)
    assert status(evidence, "request.acceptable") == expected


def test_a_fault_of_the_client_is_inherited_from_anthropic(case, status):
    """Two calls with one id that the client itself sent are not the adapter's fault."""
    call = {"id": "c1", "function": {"name": "f", "arguments": "{}"}}
    client_prompt = {
        "messages": [HI, {"role": "assistant", "tool_calls": [call, call]}, {"role": "tool", "tool_call_id": "c1"}]
    }
    upstream_prompt = body(HI, model({**CALL, "id": "c1"}, {**CALL, "id": "c1"}), user({**RESULT, "tool_use_id": "c1"}))
    ends = {"client": "openai-chat", "upstream": "anthropic"}
    assert (
        status(case(**ends, client_body=client_prompt, upstream_body=upstream_prompt), "request.acceptable")
        == "INHERITED"
    )
    assert status(case(**ends, upstream_body=upstream_prompt), "request.acceptable") == "FAIL"


@pytest.mark.parametrize(("settings", "is_own"), [((), True), ((("max_tokens", 1024),), False)])
def test_a_limit_below_the_budget_that_the_adapter_chose_is_named(case, verdicts, settings, is_own):
    body = {
        "model": "m", "max_tokens": 1024, "thinking": {"type": "enabled", "budget_tokens": 1024},
        "messages": [{"role": "user", "content": "Hi"}],
    }  # fmt: skip
    evidence = case(
        client="gemini", upstream="anthropic", upstream_body=body, client_prompt=case.prompt(settings=settings)
    )
    (found,) = verdicts(evidence, "request.acceptable")
    assert found.status == "FAIL"
    assert [row.expected.endswith("here the adapter's own 1024") for row in found.differences] == [is_own]
