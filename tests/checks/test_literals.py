"""Literal expectations state a meaning: what is spelt in another right form passes, what is missing or wrong does not."""

from typing import Any

import pytest

from bridgecheck.files.schemas import PredicateFile
from bridgecheck.model.literals import (
    OPERATORS,
    WIDER_OPERATORS,
    check_values,
    find_violation,
    is_refusal,
    pair_calls_and_results,
    select,
    takes_instance,
)
from bridgecheck.wire import JsonObject

MIXED: JsonObject = {
    "generationConfig": {"thinkingConfig": {"thinking_budget": 0}},
    "contents": [{"parts": [{"inlineData": {"mime_type": "image/png"}}]}],
}


def _holds(operator: str, operand: object, document: object, path: str = "", on: str = "upstream_request") -> bool:
    return find_violation(operator, operand, document, path, on, False) == ""


def test_the_schema_of_scenarios_has_every_operator() -> None:
    assert set(PredicateFile.model_fields) - {"on", "path", "turn", "dialect", "mode"} == {*OPERATORS, *WIDER_OPERATORS}


@pytest.mark.parametrize(
    ("values", "wrong"), [([], False), ([None, "error"], False), ([None, "stop"], True), (["STOP"], False)]
)
def test_none_of_forbids_values_and_requires_no_value(values: list[object], wrong: bool) -> None:
    assert bool(check_values("none_of", ["stop", "length"], values)) is wrong


@pytest.mark.parametrize(
    ("path", "value"),
    [("generationConfig.thinkingConfig.thinkingBudget", 0), ("contents[].parts[].inlineData.mimeType", "image/png")],
)
def test_a_camel_case_key_matches_its_snake_case_spelling_in_requests_alone(path: str, value: object) -> None:
    assert select(MIXED, path, "upstream_request") == [value]
    assert select(MIXED, path, "client_response") == []


@pytest.mark.parametrize(
    ("values", "wrong"), [([None, "stop", None], False), (["stop", "length"], True), ([None], True), ([], True)]
)
def test_last_is_the_last_value_that_is_present(values: list[object], wrong: bool) -> None:
    assert bool(check_values("last", {"equals": "stop"}, values)) is wrong


@pytest.mark.parametrize(
    ("operator", "operand", "values", "right"),
    [
        ("absent", True, [None], True),
        ("absent", True, [0], False),
        ("present", True, [None], False),
        ("count", 1, ["STOP", None, None], True),
        ("count", 2, ["STOP", None], False),
        ("equals", "ring", ["ring", None], True),
        ("equals", "ring", [None], False),
        ("equals", None, [], True),
        ("one_of", ["", None], [], True),
        ("each", {"equals": None}, [None, "end_turn"], False),
        ("none_of", [None], [None], False),
        ("distinct", True, ["a", "b", None, None], True),
        ("distinct", True, ["a", "b", "a"], False),
        ("distinct", True, [], False),
    ],
)
def test_null_is_as_good_as_no_value(operator: str, operand: object, values: list[object], right: bool) -> None:
    assert (check_values(operator, operand, values) == "") is right


TEXT: JsonObject = {"messages": [{"role": "user", "content": "Any mail?"}]}
PIECES = [{"type": "text", "text": "Any "}, {"type": "text", "text": "mail?"}]
PARTS: JsonObject = {"messages": [{"role": "user", "content": PIECES}]}


@pytest.mark.parametrize("document", [TEXT, PARTS])
@pytest.mark.parametrize(
    ("operator", "operand", "right"),
    [
        ("equals", "Any mail?", True),
        ("equals", "Any mail", False),
        ("one_of", ["Any mail?"], True),
        ("none_of", ["Any mail?"], False),
        ("contains", "y m", True),
        ("matches", "mail.$", True),
        ("text", "Any mail?", True),
        ("text", {"matches": "^Any"}, True),
        ("text", {"equals": "Any"}, False),
    ],
)
def test_a_text_and_its_parts_are_one(document: JsonObject, operator: str, operand: object, right: bool) -> None:
    assert _holds(operator, operand, document, "messages[0].content") is right


def test_parts_are_found_in_a_text() -> None:
    assert select(TEXT, "messages[0].content[0].text", "upstream_request") == ["Any mail?"]
    assert select({"items": {"type": "STRING"}}, "items.type[]", "upstream_request") == []


def test_text_passes_over_thoughts_and_joins_fragments() -> None:
    parts = [{"text": "Hm.", "thought": True}, {"text": "High "}, {"functionCall": {}}, {"text": "water."}]
    assert _holds("text", "High water.", {"parts": parts}, "parts")
    events = [{"delta": {"content": "High "}}, {"delta": {"content": None}}, {"delta": {"content": "water."}}]
    assert _holds("text", "High water.", events, "delta.content", "client_events")
    assert not _holds("text", "High water.", [], "delta.content", "client_events")


VALUE = {"free": 1, "queue": ["Ada"]}


@pytest.mark.parametrize(
    "result",
    [
        VALUE,
        {"output": VALUE},
        {"name": "look", "content": VALUE},
        {"result": '{"free": 1.0, "queue": ["\\u0041da"]}'},
        '{"queue": ["Ada"], "free": 1}',
        [{"type": "text", "text": '{"queue": ["Ada"],'}, {"type": "text", "text": ' "free": 1}'}],
        {"content": [{"type": "text", "text": '{"output": {"free": 1, "queue": ["Ada"]}}'}]},
    ],
)
def test_holds_finds_a_value_in_every_wrapping(result: object) -> None:
    assert _holds("holds", VALUE, {"response": result}, "response")
    assert _holds("holds", {"contains": "Ada"}, {"response": result}, "response")
    assert not _holds("holds", {"free": 2, "queue": ["Ada"]}, {"response": result}, "response")


def test_any_of_takes_one_of_several_forms() -> None:
    forms = [{"path": "stop", "equals": "END"}, {"path": "stop", "unordered": ["END"], "count": 1}]
    assert _holds("any_of", forms, {"stop": "END"})
    assert _holds("any_of", forms, {"stop": ["END"]})
    assert not _holds("any_of", forms, {"stop": ["END", "AND"]})
    assert not _holds("any_of", forms, {})


def test_refused_or_takes_an_error_in_place_of_the_document() -> None:
    error = [[{"error": {"message": "no such thing"}}]]
    assert is_refusal("client_response", 0, True, error)
    assert is_refusal("upstream_request", 0, False, error)
    assert not is_refusal("upstream_request", 0, True, error)
    assert not is_refusal("client_response", 0, True, [[{"choices": []}]])
    assert find_violation("refused_or", {"equals": "x"}, None, "a", "upstream_request", True) == ""
    assert find_violation("refused_or", {"equals": "x"}, {"a": "x"}, "a", "upstream_request", False) == ""
    assert find_violation("refused_or", {"equals": "x"}, {"a": "y"}, "a", "upstream_request", False) != ""


PAIRS = [
    {"name": "ring", "arguments": {"bell": "bow"}, "result": "ding"},
    {"name": "ring", "arguments": {"bell": "stern"}, "result": "dong"},
]
CALLS = (("a", "bow"), ("b", "stern"))
RIGHT = (("a", "ding"), ("b", "dong"))
WRONG = (("a", "dong"), ("b", "ding"))


def _chat(*results: tuple[str, str]) -> JsonObject:
    calls = [
        {"id": id_, "type": "function", "function": {"name": "ring", "arguments": f'{{"bell": "{bell}"}}'}}
        for id_, bell in CALLS
    ]
    answers = [{"role": "tool", "tool_call_id": id_, "content": text} for id_, text in results]
    return {"messages": [{"role": "assistant", "tool_calls": calls}, *answers]}


def _anthropic(*results: tuple[str, str]) -> JsonObject:
    calls = [{"type": "tool_use", "id": id_, "name": "ring", "input": {"bell": bell}} for id_, bell in CALLS]
    answers = [
        {"type": "tool_result", "tool_use_id": id_, "content": [{"type": "text", "text": text}]}
        for id_, text in results
    ]
    return {"messages": [{"role": "assistant", "content": calls}, {"role": "user", "content": answers}]}


def _gemini(*results: tuple[str, str], ids: bool = True) -> JsonObject:
    calls = [
        {"functionCall": {"name": "ring", "args": {"bell": bell}, **({"id": id_} if ids else {})}}
        for id_, bell in CALLS
    ]
    answers = [
        {"functionResponse": {"name": "ring", "response": {"output": text}, **({"id": id_} if ids else {})}}
        for id_, text in results
    ]
    return {"contents": [{"role": "model", "parts": calls}, {"role": "user", "parts": answers}]}


@pytest.mark.parametrize("document", [
    _chat(*RIGHT), _chat(*RIGHT[::-1]), _anthropic(*RIGHT), _anthropic(*RIGHT[::-1]), _gemini(*RIGHT),
    _gemini(*RIGHT[::-1]), _gemini(*RIGHT, ids=False),
])  # fmt: skip
def test_paired_takes_the_result_of_each_call(document: JsonObject) -> None:
    assert _holds("paired", PAIRS, document)


@pytest.mark.parametrize("document", [
    _chat(*WRONG), _anthropic(*WRONG), _gemini(*WRONG), _gemini(*WRONG, ids=False), _chat(RIGHT[0]),
    _chat(RIGHT[0], RIGHT[0]), {},
])  # fmt: skip
def test_paired_refuses_results_of_another_call(document: JsonObject) -> None:
    assert not _holds("paired", PAIRS, document)


def test_an_id_used_again_means_the_latest_call() -> None:
    request = [_chat(("a", "ding")), _chat(("a", "dong"))]
    assert [result for _, _, result in pair_calls_and_results(request)] == ["ding", "dong"]


LOWERED: dict[str, Any] = {
    "type": "OBJECT", "required": ["lines"],
    "properties": {
        "lines": {"type": "ARRAY", "minItems": "1", "items": {"type": "STRING", "enum": ["bow", "stern"]}},
        "remark": {"type": "STRING", "nullable": True}, "level": {"type": "INTEGER", "minimum": 1},
    },
}  # fmt: skip
AS_IT_CAME: dict[str, Any] = {
    "type": "object", "required": ["lines"], "$defs": {"line": {"enum": ["bow", "stern"]}},
    "properties": {
        "lines": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/line"}},
        "remark": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "level": {"type": "integer", "minimum": 1},
    },
}  # fmt: skip


@pytest.mark.parametrize("schema", [LOWERED, AS_IT_CAME])
def test_instances_take_every_spelling_of_a_schema(schema: JsonObject) -> None:
    operand = {
        "accepts": [{"lines": ["bow"], "remark": None}, {"lines": ["stern", "bow"], "remark": "x", "level": 2}],
        "rejects": [{}, {"lines": []}, {"lines": ["mast"]}, {"lines": "bow"}, {"lines": ["bow"], "remark": 3}],
    }
    assert _holds("instances", operand, {"parameters": schema}, "parameters")
    assert not _holds("instances", operand, {"parameters": {"type": "object"}}, "parameters")
    assert not _holds("instances", operand, {}, "parameters")
    assert not takes_instance(schema, {"lines": ["bow"], "level": 0}, (schema,))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"enum": ["red"]}},
        {"anyOf": [{"type": "null"}, {"type": "array", "items": {"enum": ["red"]}}]},
        {"$ref": "#/$defs/list", "$defs": {"list": {"items": {"enum": ["red"]}}}},
    ],
)
def test_a_path_goes_into_the_branches_and_references_of_a_schema(schema: JsonObject) -> None:
    document = {"tools": [{"parameters": {"properties": {"colours": schema}, **schema}}]}
    assert select(document, "tools[].parameters.properties.colours.items.enum[]", "upstream_request") == ["red"]


def test_a_circular_reference_ends() -> None:
    node = {"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [{"$ref": "#/$defs/node"}]}}}
    assert select(node, "properties.name", "upstream_request") == []
    deep = {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/a"}}}}}
    assert takes_instance(deep, {"b": {"b": {}}}, (deep,))


def test_a_single_object_stands_for_a_list_in_requests() -> None:
    assert select({"tools": {"googleSearch": {}}}, "tools[].googleSearch", "upstream_request") == [{}]
    assert select({"content": {"text": "x"}}, "content[].text", "client_response") == []


@pytest.mark.parametrize("path", ["a[", 'a."b', "a]"])
def test_a_path_that_cannot_be_read_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="cannot read the path"):
        select({}, path, "client_response")


@pytest.mark.parametrize(("mode", "is_same"), [("ANY", True), ("any", True), ("AUTO", False), ("anything", False)])
def test_the_case_of_a_mode_of_gemini_does_not_matter(mode: str, is_same: bool) -> None:
    body = {"contents": [], "tool_config": {"function_calling_config": {"mode": mode}}}
    path = "toolConfig.functionCallingConfig"
    assert (select(body, f"{path}.mode", "upstream_request") == ["ANY"]) is is_same
    assert (select(body, path, "upstream_request") == [{"mode": "ANY"}]) is is_same


def test_the_case_of_other_words_matters() -> None:
    call = {"name": "a", "args": {"mode": "any"}}
    body = {"contents": [{"parts": [{"functionCall": call}]}]}
    assert select(body, "contents[0].parts[0].functionCall.args.mode", "upstream_request") == ["any"]
    assert select(body, "contents[0].parts[0].functionCall", "upstream_request") == [call]
    assert select({"toolConfig": {"mode": "any"}}, "toolConfig.mode", "upstream_request") == ["any"]  # not Gemini's
