"""Requests between Anthropic and Gemini: what both can express survives, and signatures return to the part they signed."""

import copy
from pathlib import Path

import pytest
from hypothesis import given, settings

from bridgecheck import accept, validate
from bridgecheck_reference.conversion_profile import MEMORY
from bridgecheck_reference.convert import signatures
from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
from bridgecheck_reference.convert.anthropic.request_to_openai import anthropic_request_to_openai
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.errors import ConversionError

from ..samples import paths
from .dialogue import PNG, Json, assistant, image, request_body, result, text, thinking, use, user
from .test_request_laws import read_recordings, requests

BLOB: Json = {"inlineData": {"mimeType": "image/png", "data": PNG}}
SIGNED = {"type": "reasoning.text", "text": "T", "signature": "c2ln"}


def to_gemini(request: Json) -> tuple[Json, set[str]]:
    there = anthropic_request_to_openai(request, profile=MEMORY)
    made = openai_request_to_gemini(there.value, profile=MEMORY)
    assert validate.request("gemini", made.value) == []
    return made.value, paths((*there.losses, *made.losses))


def to_anthropic(request: Json, model: str = "any") -> tuple[Json, set[str]]:
    there = gemini_request_to_openai(request, model=model, profile=MEMORY)
    made = openai_request_to_anthropic(there.value, profile=MEMORY)
    assert validate.request("anthropic", made.value) == []
    assert accept.refusals("anthropic", made.value) == []
    return made.value, paths((*there.losses, *made.losses))


def anthropic_blocks_of(*parts: Json) -> list[Json]:
    """Return the assistant's blocks of a Gemini history that ends with these parts of the model."""
    contents = [{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": list(parts)}]
    content = to_anthropic({"contents": contents})[0]["messages"][1]["content"]
    return [text(content)] if isinstance(content, str) else content


def gemini_parts_of(*blocks: Json) -> list[Json]:
    """Return the model's parts of an Anthropic history that ends with these blocks of the assistant."""
    return to_gemini(request_body(user("x"), assistant(*blocks), user("y")))[0]["contents"][1]["parts"]


def function_call(name: str = "f", **rest: object) -> Json:
    return {"functionCall": {"id": "a", "name": name, "args": {}}, **rest}


def test_order_thoughts_and_media_reach_gemini() -> None:
    shown = {"type": "document", "source": {"type": "url", "url": "https://x.test/a.pdf"}}
    request = request_body(
        user(image(), text("x"), shown),
        assistant(text("a"), thinking("T", ""), use("a"), text("b"), use("b", "g")),
        user(result("b", [text("B"), image()]), result("a", "A", is_error=True), text("more")),
        top_k=3, thinking={"type": "enabled", "budget_tokens": 2000},
    )  # fmt: skip
    made, losses = to_gemini(request)
    assert [content["parts"] for content in made["contents"]] == [
        [BLOB, {"text": "x"}, {"fileData": {"mimeType": "application/pdf", "fileUri": "https://x.test/a.pdf"}}],
        [
            {"text": "a"},
            {"text": "T", "thought": True},
            function_call(),
            {"text": "b"},
            {"functionCall": {"id": "b", "name": "g", "args": {}}},
        ],
        [
            {"functionResponse": {"id": "a", "name": "f", "response": {"error": "A"}}},
            {"functionResponse": {"id": "b", "name": "g", "response": {"output": "B"}, "parts": [BLOB]}},
            {"text": "more"},
        ],
    ]
    assert [content["role"] for content in made["contents"]] == ["user", "model", "user"]
    assert made["generationConfig"]["topK"] == 3
    assert made["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 2000, "includeThoughts": True}
    assert not losses


def test_images_follow_a_result_where_the_model_takes_none_in_it() -> None:
    request = {
        **request_body(user("x"), assistant(use("a")), user(result("a", [image()]))),
        "model": "gemini-2.5-flash",
    }
    parts = to_gemini(request)[0]["contents"][2]["parts"]
    assert ["functionResponse" in part for part in parts] == [True, False] and parts[1] == BLOB


def test_order_errors_and_media_reach_anthropic() -> None:
    request = {
        "contents": [
            {"role": "user", "parts": [BLOB, {"text": "x"}]},
            {"role": "model", "parts": [{"text": "a"}, function_call(), {"text": "b"}]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "a", "name": "f", "response": {"error": "E"}, "parts": [BLOB]}}, {"text": "c"}]},
        ],
        "generationConfig": {"topK": 3, "temperature": 0.5},
    }  # fmt: skip
    made, losses = to_anthropic(request)
    assert made["messages"] == [
        user(image(), text("x")),
        assistant(text("a"), use("a"), text("b")),
        user(result("a", [text("E"), image()], is_error=True), text("c")),
    ]
    assert (made["top_k"], made["temperature"]) == (3, 0.5)
    assert not losses


def test_a_document_without_a_title_gets_none() -> None:
    plain = {"inlineData": {"mimeType": "text/plain", "data": "w6Q="}}
    block = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "ä"}}
    assert to_anthropic({"contents": [{"parts": [plain]}]})[0]["messages"] == [user(block)]
    assert to_gemini(request_body(user(block)))[0]["contents"][0]["parts"] == [plain]


def test_a_file_that_only_gemini_reaches_is_named_after_the_result() -> None:
    files = [{"fileData": {"mimeType": "image/png", "fileUri": "gs://b/x"}}, BLOB]
    answered = {"functionResponse": {"id": "a", "name": "f", "response": {"output": "1"}, "parts": files}}
    contents = [{"parts": [{"text": "x"}]}, {"role": "model", "parts": [function_call()]}, {"parts": [answered]}]
    made = to_anthropic({"contents": contents})[0]["messages"][2]["content"]
    assert made == [result("a", [text("1"), image()]), text("[fileData: mimeType=image/png, uri=gs://b/x]")]


def test_types_by_number_and_whole_floats() -> None:
    declared = [{"name": "f", "parameters": {"type": 6, "properties": {"a": {"type": 5, "items": {"type": 1}}}}}]
    request = {"contents": [{"parts": [{"text": "x"}]}], "tools": [{"functionDeclarations": declared}],
               "generationConfig": {"topK": 40.0}}  # fmt: skip
    made, losses = to_anthropic(request)
    assert made["tools"][0]["input_schema"] == {
        "type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}},
    }  # fmt: skip
    assert made["top_k"] == 40 and isinstance(made["top_k"], int)
    assert not losses


@pytest.mark.proposal("an-gemini-client-tool-ids")
def test_calls_without_ids_are_answered_by_their_results() -> None:
    contents = [
        {"role": "user", "parts": [{"text": "x"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}, {"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"n": 1}}},
                                   {"functionResponse": {"name": "f", "response": {"n": 2}}}]},
    ]  # fmt: skip
    made = to_anthropic({"contents": contents})[0]["messages"]
    assert [block["id"] for block in made[1]["content"]] == [block["tool_use_id"] for block in made[2]["content"]]
    assert [block["content"] for block in made[2]["content"]] == ['{"n": 1}', '{"n": 2}']


@pytest.mark.proposal("an-parameters-json-schema")
def test_a_json_schema_reaches_anthropic() -> None:
    schema = {"type": "object", "properties": {"d": {"type": "string"}}}
    declared = [{"name": "ls", "parametersJsonSchema": schema}]
    made = to_anthropic({"contents": [{"parts": [{"text": "x"}]}], "tools": [{"functionDeclarations": declared}]})[0]
    assert made["tools"][0]["input_schema"] == schema


@pytest.mark.proposal("an-max-tokens-vs-budget")
def test_a_budget_fits_into_the_limit() -> None:
    config = {"maxOutputTokens": 1000, "thinkingConfig": {"thinkingBudget": 24576}}
    made, losses = to_anthropic({"contents": [{"parts": [{"text": "x"}]}], "generationConfig": config})
    assert made["thinking"] == {"type": "disabled"} and made["max_tokens"] == 1000
    assert losses == {"reasoning_effort"}


@pytest.mark.parametrize(
    ("config", "thinking_", "effort"),
    [
        ({"thinkingBudget": 2000}, {"type": "enabled", "budget_tokens": 2000}, None),
        ({"thinkingBudget": 2000, "includeThoughts": True},
         {"type": "enabled", "budget_tokens": 2000, "display": "summarized"}, None),
        ({"thinkingBudget": 2000, "includeThoughts": False},
         {"type": "enabled", "budget_tokens": 2000, "display": "omitted"}, None),
        ({"thinkingBudget": 0}, {"type": "disabled"}, None),
        ({"thinkingBudget": -1}, {"type": "adaptive"}, None),
        ({"thinkingLevel": "HIGH", "includeThoughts": True}, {"type": "adaptive", "display": "summarized"}, "high"),
        ({"includeThoughts": True}, None, None),
        ({"includeThoughts": False}, None, None),
    ],
)  # fmt: skip
def test_thinking_reaches_anthropic(config: Json, thinking_: Json | None, effort: str | None) -> None:
    request = {"contents": [{"parts": [{"text": "x"}]}], "generationConfig": {"thinkingConfig": config}}
    made = to_anthropic(request)[0]
    assert made.get("thinking") == thinking_
    assert made.get("output_config", {}).get("effort") == effort


@pytest.mark.parametrize(
    ("options", "config"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 2000, "display": "omitted"}},
         {"thinkingBudget": 2000, "includeThoughts": False}),
        ({"thinking": {"type": "adaptive"}}, {"thinkingBudget": -1, "includeThoughts": True}),
        ({"thinking": {"type": "disabled"}}, {"thinkingBudget": 0}),
        ({"output_config": {"effort": "low"}}, {"thinkingBudget": 1024}),
        ({}, None),
    ],
)  # fmt: skip
def test_thinking_reaches_gemini(options: Json, config: Json | None) -> None:
    made = to_gemini(request_body(user("x"), **options))[0]
    assert made["generationConfig"].get("thinkingConfig") == config


SIGN = signatures.prefix_gemini_signature


@pytest.mark.parametrize(
    ("blocks", "parts"),
    [
        ([thinking("T", SIGN("S", "call")), use("a")], [{"text": "T", "thought": True}, function_call(thoughtSignature="S")]),
        ([thinking("", SIGN("S", "call")), use("a")], [function_call(thoughtSignature="S")]),
        ([thinking("", SIGN("S", "text")), text("t"), use("a")], [{"text": "t", "thoughtSignature": "S"}, function_call()]),
        ([text("t"), thinking("", SIGN("S", "tail"))], [{"text": "t"}, {"text": "", "thoughtSignature": "S"}]),
        ([thinking("T", SIGN("S", "thought")), text("t")],
         [{"text": "T", "thought": True, "thoughtSignature": "S"}, {"text": "t"}]),
        ([thinking("T", SIGN("S", "call")), text("t")], [{"text": "T", "thought": True}, {"text": "t"}]),
        ([thinking("T", "c2ln"), text("t")], [{"text": "T", "thought": True}, {"text": "t"}]),
        ([{"type": "redacted_thinking", "data": "D"}, text("t")], [{"text": "t"}]),
    ],
)  # fmt: skip
def test_a_signature_of_gemini_returns_to_its_part(blocks: list[Json], parts: list[Json]) -> None:
    expected = [copy.deepcopy(part) for part in parts]
    if any("functionCall" in part for part in expected):
        made = to_gemini(request_body(user("x"), assistant(*blocks), user(result("a"))))[0]["contents"][1]["parts"]
    else:
        made = gemini_parts_of(*blocks)
    assert made == expected


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([function_call(thoughtSignature=signatures.encode_reasoning_carrier([SIGNED]))], [thinking("T"), use("a")]),
        ([{"text": "T", "thought": True}, function_call(thoughtSignature=signatures.encode_reasoning_carrier([SIGNED]))], [thinking("T"), use("a")]),
        ([{"text": "abc"}, function_call(thoughtSignature=signatures.encode_reasoning_carrier([{**SIGNED, "ahead": 2}]))],
         [text("a"), thinking("T"), text("bc"), use("a")]),
        ([{"text": "a"}, {"text": "bc"}, {"text": "", "thoughtSignature": signatures.encode_reasoning_carrier([{**SIGNED, "ahead": 3}])}],
         [thinking("T"), text("a"), text("bc")]),
        ([{"text": "t", "thoughtSignature": signatures.encode_reasoning_carrier([{"type": "reasoning.encrypted", "data": "D"}, SIGNED])}],
         [{"type": "redacted_thinking", "data": "D"}, thinking("T"), text("t")]),
        ([{"text": "T", "thought": True}, function_call(thoughtSignature="UzE=")], [use("a")]),
    ],
)  # fmt: skip
def test_carried_signatures_become_thinking_again(parts: list[Json], expected: list[Json]) -> None:
    assert anthropic_blocks_of(*parts) == expected


def test_a_running_turn_keeps_thinking_through_a_client_that_drops_thoughts() -> None:
    contents = [
        {"role": "user", "parts": [{"text": "x"}]},
        {"role": "model", "parts": [function_call(thoughtSignature=signatures.encode_reasoning_carrier([SIGNED]))]},
        {"role": "user", "parts": [{"functionResponse": {"id": "a", "name": "f", "response": {"output": "1"}}}]},
    ]
    request = {"contents": contents, "generationConfig": {"thinkingConfig": {"thinkingBudget": 2000}}}
    assert to_anthropic(request)[0]["thinking"]["type"] == "enabled"
    del contents[1]["parts"][0]["thoughtSignature"]
    assert to_anthropic(request)[0]["thinking"]["type"] == "disabled"


@pytest.mark.traffic
def test_every_recorded_request_reaches_gemini(traffic_folder: Path) -> None:
    refused_ids = set()
    for id, body in read_recordings(traffic_folder, "anthropic"):
        before = copy.deepcopy(body)
        try:
            made = to_gemini(body)[0]
        except ConversionError:
            refused_ids.add(id)
            continue
        assert body == before, id
        assert accept.refusals("gemini", made) == [], id
    assert refused_ids == {"dd-trace-py/0078", "dd-trace-py/0079"}


@settings(deadline=None)
@given(requests())
def test_any_request_comes_back_from_gemini(request: Json) -> None:
    """Texts and calls come back in their order; Gemini shows no thinking of Anthropic's own."""
    request["messages"].append(user("bye"))
    before = copy.deepcopy(request)
    made = to_gemini(request)[0]
    assert request == before
    assert accept.refusals("gemini", made) == []
    back = to_anthropic(made, "any")[0]
    assert assistant_output(back) == assistant_output(request)


def assistant_output(request: Json) -> list[object]:
    """Return the texts and calls of the assistant."""
    found: list[object] = []
    for message in request["messages"]:
        content = message["content"] if isinstance(message["content"], list) else [text(message["content"])]
        for block in content:
            if block["type"] == "text" and message["role"] == "assistant":
                if found and isinstance(found[-1], str):
                    found[-1] += block["text"]
                else:
                    found.append(block["text"])
            elif block["type"] == "tool_use":
                found.append((block["name"], block["input"]))
    return found
