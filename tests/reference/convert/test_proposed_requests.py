"""Requests as public bridges were seen to get them wrong: tool rounds, messages, media."""

from typing import Any

import pytest

from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.errors import ConversionError

from .answers import case
from .samples import Json, call, model, paths, result, tool_call, user

HI: Json = {"role": "user", "content": "x"}
PNG = "iVBORw0KGgo="


def towards_openai(*contents: Json, profile: Profile = NATIVE, **body: object) -> Any:
    return gemini_request_to_openai({"contents": list(contents), **body}, model="m", profile=profile).value


def towards_gemini(*messages: Json, **body: object) -> Any:
    return openai_request_to_gemini({"model": "m", "messages": list(messages), **body}).value


def result_of(content: object) -> Any:
    """The functionResponse.response that a tool message with this content becomes."""
    request = {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "f")]}
    made = towards_gemini(HI, request, {"role": "tool", "tool_call_id": "a", "content": content})
    return made["contents"][2]["parts"][0]["functionResponse"]["response"]


@pytest.mark.proposal("corr-missing-ids-g2o", "corr-response-role-function-or-tool")
@pytest.mark.parametrize("role", ["user", "function", "tool"])
def test_a_result_of_any_role_answers_the_call_without_an_id(role: str) -> None:
    answer = {"role": role, "parts": [result("w", {"t": 1})]}
    _, request, answered = towards_openai(user("w?"), model(call("w", {"c": "A"})), answer)["messages"]
    assert request["tool_calls"][0]["id"] == answered["tool_call_id"] != ""
    assert answered["role"] == "tool"


@pytest.mark.proposal("corr-client-ids-respected")
def test_ids_decide_over_the_order_of_results() -> None:
    calls = model(call("w", {"c": "A"}, id="id-a"), call("w", {"c": "B"}, id="id-b"))
    answers = {"role": "user", "parts": [result("w", {"t": "b"}, id="id-b"), result("w", {"t": "a"}, id="id-a")]}
    _, request, *answered = towards_openai(user("w?"), calls, answers)["messages"]
    assert [item["id"] for item in request["tool_calls"]] == ["id-a", "id-b"]
    assert {item["tool_call_id"]: item["content"] for item in answered} == {"id-a": '{"t": "a"}', "id-b": '{"t": "b"}'}


@pytest.mark.proposal("corr-ids-unique-across-turns", "corr-ids-deterministic")
def test_one_function_called_in_two_turns_has_two_ids_and_they_are_the_same_each_time() -> None:
    turns = [user("1"), model(call("w")), {"role": "user", "parts": [result("w", {"n": 1})]}, model({"text": "ok"}),
             user("2"), model(call("w")), {"role": "user", "parts": [result("w", {"n": 2})]}]  # fmt: skip
    made = towards_openai(*turns)["messages"]
    ids = [message["tool_calls"][0]["id"] for message in made if "tool_calls" in message]
    assert len(set(ids)) == 2
    assert [message["tool_call_id"] for message in made if message["role"] == "tool"] == ids
    assert towards_openai(*turns)["messages"] == made


@pytest.mark.proposal("corr-response-scalar-wrapped", "corr-empty-tool-content")
@pytest.mark.parametrize("content", ["sunny", "42", "true", "null", '"quoted"', ""])
def test_a_result_that_is_no_object_is_the_output(content: str) -> None:
    assert result_of(content) == {"output": content}


@pytest.mark.proposal("corr-response-object-kept", "corr-response-array-wrapped")
def test_objects_stay_and_lists_are_wrapped() -> None:
    assert result_of('{"temp":3,"nested":{"k":[1,null]}}') == {"temp": 3, "nested": {"k": [1, None]}}
    assert result_of('[{"file":"a"},{"file":"b"}]') == {"output": [{"file": "a"}, {"file": "b"}]}


@pytest.mark.proposal("corr-response-error-key")
def test_a_failed_tool_stays_recognisable() -> None:
    answer = {"role": "user", "parts": [result("f", {"error": "boom"})]}
    assert towards_openai(user("x"), model(call("f")), answer)["messages"][2]["content"] == '{"error": "boom"}'


@pytest.mark.proposal("corr-orphan-call-history")
def test_an_unanswered_call_gets_an_error_result() -> None:
    request = {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "f")]}
    _, called, answered = towards_gemini(HI, request, {"role": "user", "content": "go on"})["contents"]
    assert [part["functionCall"]["name"] for part in called["parts"]] == ["f"]
    assert answered["parts"] == [
        {"functionResponse": {"id": "a", "name": "f", "response": {"error": "no result was given for this call"}}},
        {"text": "go on"},
    ]


@pytest.mark.proposal("corr-orphan-result-history")
def test_a_result_without_its_call_is_the_clients_error_and_named() -> None:
    with pytest.raises(ConversionError, match="tool_call_id") as caught:
        towards_gemini(HI, {"role": "tool", "tool_call_id": "zz", "content": "1"}, HI)
    assert caught.value.field == "messages[].tool_call_id"


@pytest.mark.proposal("corr-no-foreign-id-on-vertex")
def test_no_ids_towards_an_upstream_that_knows_none() -> None:
    request = {"role": "assistant", "content": None, "tool_calls": [tool_call("call_9", "f")]}
    body: Json = {"model": "m", "messages": [HI, request, {"role": "tool", "tool_call_id": "call_9", "content": "r"}]}
    made = openai_request_to_gemini(body, profile=Profile(emit_ids=False)).value["contents"]
    assert made[1]["parts"] == [{"functionCall": {"name": "f", "args": {}}}]
    assert made[2]["parts"] == [{"functionResponse": {"name": "f", "response": {"output": "r"}}}]


@pytest.mark.proposal("msg-mid-conversation-system")
def test_a_later_system_message_becomes_user_text_at_its_position() -> None:
    made = towards_gemini({"role": "system", "content": "S1"}, HI, {"role": "assistant", "content": "b"},
                          {"role": "system", "content": "S2"}, {"role": "user", "content": "c"})  # fmt: skip
    assert made["systemInstruction"] == {"parts": [{"text": "S1"}]}
    assert made["contents"][2] == {"role": "user", "parts": [{"text": "S2"}, {"text": "c"}]}
    assert [content["role"] for content in made["contents"]] == ["user", "model", "user"]


@pytest.mark.proposal("msg-system-only", "msg-empty-system")
def test_only_a_system_message_and_a_blank_one() -> None:
    made = towards_gemini({"role": "system", "content": "Say hi"})
    assert made["contents"] == [{"role": "user", "parts": [{"text": " "}]}]
    for blank in ("", "  \n", [], [{"type": "text", "text": ""}]):
        assert "systemInstruction" not in towards_gemini({"role": "system", "content": blank}, HI)


@pytest.mark.proposal("msg-consecutive-user-merge")
def test_turns_of_one_role_in_a_row_are_one_content() -> None:
    sent = [("user", "a"), ("user", "b"), ("assistant", "c"), ("assistant", "d"), ("user", "e")]
    made = towards_gemini(*({"role": role, "content": text} for role, text in sent))["contents"]
    assert made == [user("a", "b"), model({"text": "c"}, {"text": "d"}), user("e")]


@pytest.mark.proposal("msg-assistant-first")
def test_a_history_that_opens_with_a_call_gets_a_user_turn_before_it() -> None:
    request = {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "f")]}
    answered = {"role": "tool", "tool_call_id": "a", "content": "1"}
    converted = openai_request_to_gemini(
        {"model": "m", "messages": [{"role": "system", "content": "S"}, request, answered]}
    )
    assert [content["role"] for content in converted.value["contents"]] == ["user", "model", "user"]
    assert converted.value["contents"][0]["parts"] == [{"text": " "}]
    assert "messages" in paths(converted.losses)
    assert towards_gemini({"role": "assistant", "content": "Hello!"}, HI)["contents"][0]["role"] == "model"


@pytest.mark.proposal("msg-trailing-assistant")
def test_a_request_that_ends_with_the_assistant_is_passed_on_as_it_is() -> None:
    made = towards_gemini({"role": "user", "content": "a"}, {"role": "assistant", "content": "partial"})
    assert made["contents"] == [user("a"), model({"text": "partial"})]


@pytest.mark.proposal("msg-system-instruction-forms-g2o")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"systemInstruction": {"parts": [{"text": "A"}, {"text": "B"}]}}, "AB"),
        ({"system_instruction": {"parts": {"text": "A"}}}, "A"),
        ({"systemInstruction": {"role": "user", "parts": [{"text": "A"}]}}, "A"),
        ({"systemInstruction": "A"}, "A"),
    ],
)
def test_a_system_instruction_in_every_form(body: Json, expected: str) -> None:
    assert towards_openai(user("x"), **body)["messages"] == [{"role": "system", "content": expected}, HI]


@pytest.mark.proposal("msg-contents-string-and-roleless")
@pytest.mark.parametrize("content", [{"parts": [{"text": "hi"}]}, {"parts": {"text": "hi"}}, "hi"])
def test_contents_without_a_role_and_parts_without_a_list(content: object) -> None:
    made = gemini_request_to_openai({"contents": [content]}, model="m").value
    assert made["messages"] == [{"role": "user", "content": "hi"}]


@pytest.mark.proposal("msg-text-parts-join")
def test_texts_keep_their_order_and_are_not_moved_around_an_image() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    [plain] = towards_openai(user("a", "b"))["messages"]
    assert plain["content"] in ("ab", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])
    [mixed] = towards_openai({"role": "user", "parts": [{"text": "a"}, image, {"text": "b"}]})["messages"]
    assert [part["type"] for part in mixed["content"]] == ["text", "image_url", "text"]


@pytest.mark.parametrize(
    ("image", "mime"),
    [
        case("mm-data-url-image", {"url": f"data:image/webp;base64,{PNG}"}, "image/webp"),
        case("mm-data-url-odd-forms", {"url": f"data:image/png;charset=utf-8;base64,{PNG}"}, "image/png"),
        case("mm-data-url-odd-forms", {"url": f"data:IMAGE/PNG;base64,{PNG}"}, "image/png"),
        case("mm-data-url-odd-forms", {"url": f"data:image/png;base64,{PNG}\n"}, "image/png"),
        case("mm-data-url-odd-forms", {"url": "data:image/png;base64,iVBORw0KGgo%3D"}, "image/png"),
        case("mm-image-url-string-form", f"data:image/png;base64,{PNG}", "image/png"),
        case("mm-image-url-string-form", {"url": f"data:image/png;base64,{PNG}", "detail": "low"}, "image/png"),
    ],
)
def test_images_in_every_form(image: object, mime: str) -> None:
    content = [{"type": "text", "text": "what"}, {"type": "image_url", "image_url": image}]
    [turn] = towards_gemini({"role": "user", "content": content})["contents"]
    assert turn["parts"] == [{"text": "what"}, {"inlineData": {"mimeType": mime, "data": PNG}}]


@pytest.mark.parametrize(
    ("part", "blob"),
    [
        case("mm-audio-input", {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
             {"mimeType": "audio/wav", "data": "UklGRg=="}),
        case("mm-file-pdf", {"type": "file", "file": {"filename": "a.pdf",
                                                      "file_data": "data:application/pdf;base64,JVBERi0="}},
             {"mimeType": "application/pdf", "data": "JVBERi0="}),
    ],
)  # fmt: skip
def test_sounds_and_documents(part: Json, blob: Json) -> None:
    [made] = towards_gemini({"role": "user", "content": [part]})["contents"][0]["parts"]
    assert {key: made["inlineData"][key] for key in blob} == blob


@pytest.mark.proposal("mm-unsupported-g2o-not-silent")
@pytest.mark.parametrize(
    "part",
    [{"fileData": {"mimeType": "video/mp4", "fileUri": "gs://b/v.mp4"}},
     {"inlineData": {"mimeType": "video/mp4", "data": "AAAA"}}],
)  # fmt: skip
def test_a_video_is_named_where_it_cannot_be_sent(part: Json) -> None:
    converted = gemini_request_to_openai({"contents": [{"parts": [part, {"text": "sum"}]}]}, model="m")
    [message] = converted.value["messages"]
    assert "video/mp4" in str(message["content"]) and "sum" in str(message["content"])
    assert paths(converted.losses)


@pytest.mark.proposal("mm-tool-result-text-not-in-parts")
def test_the_text_of_a_result_is_its_response_and_its_image_a_part_of_the_turn() -> None:
    request = {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "shot")]}
    content = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
    ]
    made = towards_gemini(HI, request, {"role": "tool", "tool_call_id": "a", "content": content})
    first, *rest = made["contents"][2]["parts"]
    assert first["functionResponse"]["response"] == {"output": "see"}
    assert all("text" not in item for item in first["functionResponse"].get("parts", []))
    assert {"inlineData": {"mimeType": "image/png", "data": PNG}} in rest + first["functionResponse"].get("parts", [])
