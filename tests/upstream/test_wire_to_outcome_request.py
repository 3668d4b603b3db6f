"""Requests of scenarios as documents for libraries with their own types."""

import base64
from dataclasses import replace

import pytest

from bridgecheck import normalise
from bridgecheck.compare.rewrites import canonical
from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.scenario import ClientRequest, Scenario, TurnRequestsAndScripts
from bridgecheck.normalise.outcome.problems import find_object_problems
from bridgecheck.upstream import relay
from bridgecheck.upstream.wire_to_outcome_request import (
    SOURCES,
    InexpressibleRequest,
    first_expressible_dialect,
    write_outcome_request,
)
from bridgecheck.wire import JsonObject

IMAGE = base64.b64encode(b"\x89PNG....").decode()
CORPUS = scenarios(scenarios_root())


def chat(messages: list[JsonObject], **read_rest: object) -> Request:
    return Request("openai-chat", "unary", {"model": "gpt-x", "messages": messages, **read_rest}, "gpt-x")


def gemini(contents: list[JsonObject], **read_rest: object) -> Request:
    return Request("gemini", "unary", {"contents": contents, **read_rest}, "gemini-x")


def test_a_chat_request_becomes_a_document() -> None:
    source = chat(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}", "detail": "low"}},
            ]},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"at\": 1}"}},
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "a gull"},
        ],
        tools=[{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
        tool_choice="auto", temperature=0, stop="x", stream_options={"include_usage": True}, store=None,
    )  # fmt: skip
    assert write_outcome_request(source) == {
        "version": 1,
        "model": "gpt-x",
        "turns": [
            {"role": "user", "parts": [
                {"text": "What is this?"},
                {"media": {"mime": "image/png", "data": IMAGE}, "detail": {"detail": "low"}},
            ]},
            {"role": "assistant", "parts": [{"tool_call": {"id": "c1", "name": "look", "args": {"at": 1}}}]},
            {"role": "user", "parts": [{"tool_result": {"id": "c1", "name": "look", "value": "a gull"}}]},
        ],
        "system": ["Be brief."],
        "tool_choice": {"mode": "auto"},
        "settings": {"temperature": 0, "stop": ["x"]},
        "tools": [{"name": "look", "parameters": {"type": "object"}}],
    }  # fmt: skip


def test_results_that_follow_each_other_stand_in_one_turn() -> None:
    def call_message(*ids: str) -> JsonObject:
        calls = [{"id": id_, "type": "function", "function": {"name": "look", "arguments": "{}"}} for id_ in ids]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def result(id_: str) -> JsonObject:
        return {"role": "tool", "tool_call_id": id_, "content": id_}

    messages = [
        call_message("a", "b"),
        result("a"),
        result("b"),
        {"role": "user", "content": "And?"},
        call_message("c"),
        result("c"),
    ]
    turns = [
        (turn["role"], ["".join(part.get("tool_result", {}).get("id", "-") for part in turn["parts"])])
        for turn in write_outcome_request(chat(messages))["turns"]
    ]
    assert turns == [("assistant", ["--"]), ("user", ["ab"]), ("user", ["-"]), ("assistant", ["-"]), ("user", ["c"])]


def test_gemini_fields_become_neutral_terms() -> None:
    parameters = {
        "type": "OBJECT",
        "properties": {"at": {"type": "INTEGER", "nullable": True, "minimum": 0},
                       "kinds": {"type": "ARRAY", "minItems": "1", "items": {"type": "STRING", "format": "enum", "enum": ["b", "a"]}}},
        "required": ["kinds", "at"],
        "propertyOrdering": ["at", "kinds"],
    }  # fmt: skip
    source = gemini(
        [
            {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}, {"functionCall": {"name": "look", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"output": {"seen": 2}}}},
                                       {"functionResponse": {"name": "look", "response": {"error": "dark"}}}]},
        ],
        tools=[{"functionDeclarations": [{"name": "look", "parameters": parameters}]}],
    )  # fmt: skip
    made = write_outcome_request(source)
    calls, results = made["turns"]
    assert [part["tool_call"]["id"] for part in calls["parts"]] == ["call_1", "call_2"]
    assert [part["tool_result"] for part in results["parts"]] == [
        {"id": "call_1", "name": "look", "value": {"seen": 2}},
        {"id": "call_2", "name": "look", "value": {"error": "dark"}, "is_error": True},
    ]
    assert made["tools"][0]["parameters"] == {
        "type": "object",
        "properties": {
            "at": {"type": ["integer", "null"], "minimum": 0},
            "kinds": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["b", "a"]}},
        },
        "required": ["kinds", "at"],
    }


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (chat([{"role": "user", "content": "x"}], service_tier="flex"), "no word for service_tier"),
        (chat([{"role": "user", "content": "x"}], logprobs=True), "no word for logprobs"),
        (chat([{"role": "user", "content": "x"}], tools=[{"type": "web_search"}]), "no word for the tool web_search"),
        (gemini([{"parts": [{"executableCode": {"code": "1"}}]}]), "no word for a part executableCode"),
        (
            replace(chat([{"role": "user", "content": "x"}]), headers=(("openai-beta", "one"),)),
            "no word for the header openai-beta: one",
        ),
        (
            chat([{"role": "user", "content": "x"}], temperature="warm"),
            "cannot say settings.temperature: expected a number",
        ),
    ],
)
def test_inexpressible_content_is_reported(source: Request, message: str) -> None:
    with pytest.raises(InexpressibleRequest, match=message):
        write_outcome_request(source)


def test_the_first_fully_expressible_dialect_is_used() -> None:
    plain = ClientRequest({"contents": [{"parts": [{"text": "x"}]}]}, "gemini-x")
    special = ClientRequest({"model": "m", "messages": [{"role": "user", "content": "x"}], "store": True})
    turn = TurnRequestsAndScripts({"gemini": plain, "openai-chat": special}, {})
    assert first_expressible_dialect([turn]) == "gemini"
    assert (
        first_expressible_dialect(
            [
                TurnRequestsAndScripts(
                    {"gemini": plain, "openai-chat": ClientRequest({**special.body, "store": None})}, {}
                )
            ]
        )
        == "openai-chat"
    )
    with pytest.raises(InexpressibleRequest, match="no word for store"):
        first_expressible_dialect([TurnRequestsAndScripts({"openai-chat": special}, {})])
    with pytest.raises(InexpressibleRequest, match="no dialect states every turn"):
        first_expressible_dialect([turn, TurnRequestsAndScripts({"anthropic": plain}, {})])


ANSWER = {
    "parts": [
        {"text": "Let me look."},
        {"tool_call": {"id": "c7", "name": "look", "args": {}}, "signature": "s", "keep": [1]},
    ],
    "refusal": "Not that.",
    "finish": "tool_calls",
    "keep": {"message": 1},
}


@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_a_response_is_sent_back_unchanged(mode: str) -> None:
    source = chat(
        [
            {"role": "user", "content": "x"},
            {"$received": 0, "fields": "known"},
            {"role": "tool", "tool_call_id": "$id:0.0", "content": "a gull"},
        ]
    )
    events = [
        {"parts": [{"text": "Let me "}]},
        {"parts": [{"text": "look."}, ANSWER["parts"][1]]},
        {**ANSWER, "parts": None},
    ]
    received = [Response("outcome", mode, (ANSWER,) if mode == "unary" else tuple(events))]
    document = relay.resolve_placeholders(write_outcome_request(source), received)
    assert document["turns"][1:] == [
        {"role": "assistant", "parts": [*ANSWER["parts"], {"text": "Not that."}], "keep": {"message": 1}},
        {"role": "user", "parts": [{"tool_result": {"id": "c7", "name": "look", "value": "a gull"}}]},
    ]
    assert find_object_problems("request", document) == []


def test_a_call_without_an_id_leaves_its_result_without_one() -> None:
    source = gemini(
        [
            {"$received": 0},
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": "$id:0.0", "name": "look", "response": {"output": 1}}}],
            },
        ]
    )
    received = [Response("outcome", "unary", ({"parts": [{"tool_call": {"name": "look"}}]},))]
    turns = relay.resolve_placeholders(write_outcome_request(source), received)["turns"]
    assert turns[1]["parts"] == [{"tool_result": {"name": "look", "value": 1}}]


@pytest.mark.parametrize("answer", [{}, {"finish": "stop"}, {"error": {"kind": "server"}}])
def test_a_conversation_cannot_continue_without_a_response(answer: JsonObject) -> None:
    with pytest.raises(relay.NothingReceived, match="no assistant message"):
        relay.resolve_placeholders(
            write_outcome_request(chat([{"$received": 0}])), [Response("outcome", "unary", (answer,))]
        )


def express_scenario(what: Scenario) -> str:
    try:
        return first_expressible_dialect(what.turns)
    except InexpressibleRequest:
        return ""


def test_most_of_the_corpus_is_expressible() -> None:
    found = {what.id: express_scenario(what) for what in CORPUS}
    assert [dialect for dialect in SOURCES if dialect not in found.values()] == []
    assert sum(not dialect for dialect in found.values()) < len(CORPUS) / 10


def test_a_document_has_the_meaning_of_its_request() -> None:
    """Written and read again, the request is the same in canonical form."""
    failures = []
    for scenario in CORPUS:
        dialect = express_scenario(scenario)
        for turn in scenario.turns if dialect else ():
            client = turn.client[dialect]
            if "$received" in str(client.body):
                continue
            request = Request(dialect, "unary", client.body, client.model)
            written = Request("outcome", "unary", write_outcome_request(request))
            expected, actual = (canonical(normalise.request(each)) for each in (request, written))
            settings = tuple(pair for pair in expected.settings if pair[0] != "include_usage")
            if replace(expected, dialect="outcome", settings=settings, other=()) != actual:
                failures.append((scenario.id, expected, actual))
    assert failures == []
