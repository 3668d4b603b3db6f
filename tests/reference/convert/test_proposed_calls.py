"""Tool calls as public bridges were seen to get them wrong: fragments, arguments, names."""

import json
import re

import pytest

from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai

from .answers import case, chunks_of, outcome_of_chunks, outcome_of_events, read_outcome, select_fields
from .samples import Json, call, chunk, event, paths, tool_call


def pieces(*made: Json, finish: str = "tool_calls") -> list[Json]:
    """One chunk a piece of a call, and the end."""
    return [*(chunk({"tool_calls": [piece]}) for piece in made), chunk({}, finish)]


def piece(id: object, name: object, arguments: object, **index: int) -> Json:
    return {**index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


CALC = [["calc", {"e": "3"}]]


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        case("tools-id-name-empty-string-continuation",
             pieces(piece("call_7", "calc", '{"e"', index=0), piece("", "", ':"3"}', index=0)),
             {"calls": CALC, "call_ids": ["call_7"], "native": "STOP"}),
        case("tools-id-name-null-continuation",
             pieces(piece("call_7", "calc", "", index=0), piece(None, None, '{"e":"3"}', index=0)),
             {"calls": CALC, "call_ids": ["call_7"]}),
        case("tools-id-name-repeated-continuation",
             pieces(piece("call_7", "calc", '{"e"', index=0), piece("call_7", "calc", ':"3"}', index=0)),
             {"calls": CALC, "call_ids": ["call_7"]}),
        case("tools-index-missing", pieces(piece("a", "f", '{"x":1}'), piece("b", "g", "{}")),
             {"calls": [["f", {"x": 1}], ["g", {}]], "call_ids": ["a", "b"]}),
        case("tools-arguments-null-early",
             pieces(piece("a", "web", None, index=0), {"index": 0, "function": {"arguments": '{"q":"x"}'}}),
             {"calls": [["web", {"q": "x"}]]}),
        case("tools-arguments-truncated-by-length",
             pieces(piece("a", "delete_file", '{"path":"/tm', index=0), finish="length"),
             {"calls": [], "finish": "length"}),
        case("tools-arguments-invalid-json-upstream", pieces(piece("a", "f", '{"q": "unclosed', index=0)),
             {"calls": [], "native": "MALFORMED_FUNCTION_CALL"}),
    ],
)  # fmt: skip
def test_streamed_calls_towards_gemini(chunks: list[Json], expected: Json) -> None:
    assert select_fields(outcome_of_events(*chunks), expected) == expected


END = {"candidates": [{"index": 0, "finishReason": "STOP"}]}
PARTIAL: Json = {"jsonPath": "$.text", "stringValue": "ab", "willContinue": True}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        case("tools-gemini-nameless-arg-update",
             [event(call("edit", {})), event({"functionCall": {"args": {"p": "a"}}}), END],
             {"calls": [["edit", {"p": "a"}]], "finish": "tool_calls"}),
        case("tools-gemini-partial-args",
             [event({"functionCall": {"name": "write", "willContinue": True}}),
              event({"functionCall": {"partialArgs": [PARTIAL], "willContinue": True}}),
              event({"functionCall": {"partialArgs": [{"jsonPath": "$.text", "stringValue": "cd"}],
                                      "willContinue": True}}),
              event({"functionCall": {}}, finish="STOP")],
             {"calls": [["write", {"text": "abcd"}]], "finish": "tool_calls"}),
    ],
)  # fmt: skip
def test_streamed_calls_towards_openai(events: list[Json], expected: Json) -> None:
    assert select_fields(outcome_of_chunks(*events), expected) == expected


def history(arguments: str) -> list[Json]:
    """A question, a call with these arguments, its result."""
    requested = {"role": "assistant", "content": None, "tool_calls": [tool_call("c", "f", arguments)]}
    return [{"role": "user", "content": "x"}, requested, {"role": "tool", "tool_call_id": "c", "content": "r"}]


@pytest.mark.proposal("tools-arguments-null-literal")
def test_arguments_that_are_the_word_null_are_an_empty_object() -> None:
    converted = openai_request_to_gemini({"model": "m", "messages": history("null")}).value
    assert converted["contents"][1]["parts"][0]["functionCall"]["args"] == {}


@pytest.mark.proposal("tools-arguments-invalid-json-history")
def test_unreadable_arguments_of_the_history_lose_neither_the_call_nor_its_result() -> None:
    converted = openai_request_to_gemini({"model": "m", "messages": history('{"a":1}{"b":2}')})
    _, requested, answered = converted.value["contents"]
    [made] = requested["parts"]
    assert made["functionCall"]["name"] == "f"
    assert '{"a":1}{"b":2}' in made["functionCall"]["args"].values()
    assert answered["parts"][0]["functionResponse"]["response"] == {"output": "r"}
    assert "messages[].tool_calls[].function.arguments" in paths(converted.losses)


LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")


@pytest.mark.proposal("tools-name-sanitised-roundtrip")
@pytest.mark.parametrize("name", ["1c_reload", "srv/get item", "grüße", "x" * 80])
def test_a_name_gemini_refuses_is_the_clients_own_again_in_the_answer(name: str) -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    names = [name, "other"]
    tools = [{"type": "function", "function": {"name": item, "parameters": schema}} for item in names]
    request: Json = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": tools}
    [declared] = openai_request_to_gemini(request).value["tools"]
    sent = [item["name"] for item in declared["functionDeclarations"]]
    assert len(set(sent)) == 2 and all(LEGAL.fullmatch(item) for item in sent)
    made = chunks_of(event(call(sent[0], {"q": "a"}), finish="STOP"), request=request)
    assert read_outcome("openai-chat", "stream", made)["calls"] == [[name, {"q": "a"}]]


@pytest.mark.proposal("uni-not-ascii-escaped-args")
def test_letters_of_arguments_and_results_come_back_as_they_were() -> None:
    content = "東京 – é"
    made = chunks_of(event(call("say", {"t": content}, id="c"), finish="STOP"))
    assert read_outcome("openai-chat", "stream", made)["calls"] == [["say", {"t": content}]]
    requested = {"role": "assistant", "tool_calls": made[0]["choices"][0]["delta"]["tool_calls"]}
    result = {"role": "tool", "tool_call_id": "c", "content": json.dumps({"t": content})}
    messages = [{"role": "user", "content": content}, requested, result]
    contents = openai_request_to_gemini({"model": "m", "messages": messages}).value["contents"]
    assert contents[0]["parts"] == [{"text": content}]
    assert contents[1]["parts"][0]["functionCall"]["args"] == {"t": content}
    assert contents[2]["parts"][0]["functionResponse"]["response"] == {"t": content}


def test_an_id_that_openai_refuses_is_cut_in_call_and_result_alike() -> None:
    long = "call_" + "a" * 900
    contents = [
        {"role": "model", "parts": [{"functionCall": {"id": f"{long}{end}", "name": "f", "args": {}}} for end in "xy"]},
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": f"{long}{end}", "name": "f", "response": {"at": end}}} for end in "yx"
            ],
        },
    ]
    messages = gemini_request_to_openai({"contents": contents}, model="m").value["messages"]
    first, second = (call["id"] for call in messages[0]["tool_calls"])
    assert first != second
    assert max(len(first), len(second)) <= 40
    assert [(item["tool_call_id"], item["content"]) for item in messages[1:]] == [
        (second, '{"at": "y"}'),
        (first, '{"at": "x"}'),
    ]
