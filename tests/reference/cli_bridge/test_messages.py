"""Messages of a conversation as records of a session file, and the prompt behind them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.cli_bridge.messages import MessagesError, split_conversation, to_records

PNG = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
PNG_PART = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
NO_RESULT = {"error": "The conversation went on without a result of this call."}


def user(content: object) -> dict[str, object]:
    return {"role": "user", "content": content, "timestamp": 1}


def assistant(*blocks: object) -> dict[str, object]:
    return {"role": "assistant", "content": list(blocks)}


def text(value: str) -> dict[str, object]:
    return {"type": "text", "text": value}


def call(call_id: str, name: str = "gauge", **more: object) -> dict[str, object]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": {"at": 1}, **more}


def result(call_id: str, *content: object, **more: object) -> dict[str, object]:
    blocks = content or (text(f"result of {call_id}"),)
    return {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": "gauge",
        "content": list(blocks),
        "isError": False,
        **more,
    }


def call_part(call_id: str) -> dict[str, object]:
    return {"functionCall": {"id": call_id, "name": "gauge", "args": {"at": 1}}}


def result_part(call_id: str, response: object = None) -> dict[str, object]:
    return {
        "functionResponse": {"id": call_id, "name": "gauge", "response": response or {"output": f"result of {call_id}"}}
    }


def turns(*messages: object) -> list[tuple[object, object]]:
    """The history in front of one more message of the user."""
    return [(item["role"], item["parts"]) for item in split_conversation([*messages, user("now")]).history]


HISTORIES = {
    "texts": ([user("hi"), assistant(text("yes"), text("?"))], [("user", [{"text": "hi"}]), ("model", [{"text": "yes"}, {"text": "?"}])]),
    "image": ([user([text("see"), PNG])], [("user", [{"text": "see"}, PNG_PART])]),
    "empty texts, which would drop a turn": ([user(""), user([text(""), PNG]), assistant(text(""), text("a")), assistant(text("")), assistant()], [("user", [PNG_PART]), ("model", [{"text": "a"}])]),
    "thinking": ([assistant({"type": "thinking", "thinking": "hm"}, {"type": "thinking", "thinking": ""}, text("a"))], [("model", [{"text": "hm", "thought": True}, {"text": "a"}])]),
    "calls and results": ([assistant(text("look"), call("a"), call("b")), result("a"), result("b")], [("model", [{"text": "look"}, call_part("a"), call_part("b")]), ("user", [result_part("a"), result_part("b")])]),
    "signature": ([assistant(call("a", thoughtSignature="U0lH")), result("a")], [("model", [{**call_part("a"), "thoughtSignature": "U0lH"}]), ("user", [result_part("a")])]),
    "results out of order": ([assistant(call("a"), call("b")), result("b"), result("a")], [("model", [call_part("a"), call_part("b")]), ("user", [result_part("a"), result_part("b")])]),
    "one id twice": ([assistant(call("a")), result("a", text("1")), assistant(call("a")), result("a", text("2"))], [("model", [call_part("a")]), ("user", [result_part("a", {"output": "1"})]), ("model", [call_part("a")]), ("user", [result_part("a", {"output": "2"})])]),
    "one id twice in a message": ([assistant(call("a"), call("a")), result("a", text("1")), result("a", text("2"))], [("model", [call_part("a"), call_part("a")]), ("user", [result_part("a", {"output": "1"}), result_part("a", {"output": "2"})])]),
    "error and image in a result": ([assistant(call("a")), result("a", text("no"), PNG, text("!"), isError=True)], [("model", [call_part("a")]), ("user", [result_part("a", {"error": "no\n!"}), PNG_PART])]),
    "result of text alone": ([assistant(call("a")), {**result("a"), "content": "plain"}], [("model", [call_part("a")]), ("user", [result_part("a", {"output": "plain"})])]),
}  # fmt: skip


@pytest.mark.row("S5.7")
@pytest.mark.parametrize("name", HISTORIES)
def test_turns(name: str) -> None:
    messages, expected = HISTORIES[name]
    assert turns(*messages) == expected


@pytest.mark.row("S5.23")
@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([result("z"), user("hi")], [("user", [{"text": "Result of gauge:\nresult of z"}]), ("user", [{"text": "hi"}])]),
        ([result("z", PNG, isError=True)], [("user", [{"text": "Error of gauge:\n"}, PNG_PART])]),
        ([assistant(call("a"))], [("model", [call_part("a")]), ("user", [result_part("a", NO_RESULT)])]),
        (
            [assistant(call("a"), call("b")), result("b"), result("b"), assistant(text("so"))],
            [
                ("model", [call_part("a"), call_part("b")]), ("user", [result_part("a", NO_RESULT), result_part("b")]),
                ("user", [{"text": "Result of gauge:\nresult of b"}]), ("model", [{"text": "so"}]),
            ],
        ),
        ([result("a"), assistant(call("a"))], [("user", [{"text": "Result of gauge:\nresult of a"}]), ("model", [call_part("a")]), ("user", [result_part("a", NO_RESULT)])]),
    ],
    ids=["orphan result", "orphan error with an image", "call at the cut", "one of two results", "result before its call"],
)  # fmt: skip
def test_pruned_histories_keep_everything_and_pair(messages: list[object], expected: object) -> None:
    """The API refuses a result without its call and a call without its result."""
    assert turns(*messages) == expected


@pytest.mark.row("S5.9", "S5.21")
def test_the_last_message_is_the_prompt_and_no_part_of_the_history() -> None:
    found = split_conversation([user("one"), assistant(text("two")), user([text("thr"), text("ee")])])
    assert found.prompt == "three"
    assert [item["parts"] for item in found.history] == [[{"text": "one"}], [{"text": "two"}]]
    assert split_conversation([user("alone")]).history == ()


@pytest.mark.row("S5.24")
def test_images_of_the_last_message_end_the_history() -> None:
    found = split_conversation([user([text("what is "), PNG, text("this?")])])
    assert (found.prompt, found.history) == ("what is this?", ({"role": "user", "parts": [PNG_PART]},))
    assert split_conversation([user([PNG])]).prompt == " "


def test_what_follows_the_last_user_message_is_told_in_the_prompt() -> None:
    messages = [
        user("how high?"),
        assistant({"type": "thinking", "thinking": "hm"}, text("I look."), call("a")),
        result("a"),
        result("b", isError=True),
    ]
    assert split_conversation(messages).prompt == (
        'how high?\n\nYour answer so far:\nI look.\n\nYou called gauge with {"at": 1}.\n\n'
        "Result of gauge:\nresult of a\n\nError of gauge:\nresult of b"
    )


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        (None, "messages: expected a list, got NoneType"),
        ("text", "messages: expected a list, got str"),
        ([], "expected one of role user, got none"),
        ([assistant(text("a"))], "expected one of role user, got none"),
        ([7], r"messages\[0\]: expected an object, got int"),
        ([{"content": "a"}], r"messages\[0\].role: expected one of user, assistant, toolResult, got None"),
        ([{"role": ["user"], "content": "a"}], r"messages\[0\].role: expected"),
        ([user("a"), {"role": "system", "content": "a"}], r"messages\[1\].role: expected"),
        ([user(None)], r"messages\[0\].content: expected text or a list, got NoneType"),
        (
            [user([text("a"), call("b")])],
            r"messages\[0\].content\[1\].type: expected one of image, text, got 'toolCall'",
        ),
        ([user(["a"])], r"messages\[0\].content\[0\].type: expected"),
        ([user([{"type": "text"}])], r"messages\[0\].content\[0\].text: expected str, got NoneType"),
        ([user([{"type": "image", "data": "a"}])], r"\[0\].mimeType: expected str"),
        ([assistant({**call("a"), "arguments": "{}"})], r"arguments: expected dict, got str"),
        ([{**result("a"), "toolCallId": None}], r"messages\[0\].toolCallId: expected str"),
    ],
)
def test_what_is_no_conversation_is_refused_by_field(messages: object, message: str) -> None:
    with pytest.raises(MessagesError, match=message):
        split_conversation(messages)


@pytest.mark.row("S5.7")
@pytest.mark.parametrize(
    ("value", "is_marked"),
    [("/help", True), ("  ?x", True), ("<session_context>", True), ("\n<hook_context>", True), (" \ufeff ", True), ("a/", False), ("\x1c", False)],
)  # fmt: skip
def test_texts_that_the_program_would_drop_are_marked_and_unchanged(value: str, is_marked: bool) -> None:
    (record,) = to_records(split_conversation([user(value), user("now")]).history, "T")
    assert record == {
        "id": "message-0",
        "timestamp": "T",
        "type": "user",
        "content": [{"text": value, **({"thought": False} if is_marked else {})}],
    }


def test_records_have_ids_of_their_own() -> None:
    history = split_conversation([user("a"), assistant(text("b")), user("c"), user("now")]).history
    records = to_records(history, "T")
    assert [record["type"] for record in records] == ["user", "gemini", "user"]
    assert len({record["id"] for record in records}) == 3


BLOCKS = st.one_of(
    st.builds(text, st.text(max_size=5)), st.builds(call, st.sampled_from("abc")),
    st.builds(lambda thinking: {"type": "thinking", "thinking": thinking}, st.text(max_size=3)),
)  # fmt: skip
MESSAGES = st.lists(
    st.one_of(
        st.builds(user, st.text(max_size=5)), st.builds(user, st.lists(st.one_of(st.builds(text, st.text(max_size=3)), st.just(PNG)), max_size=3)),
        st.lists(BLOCKS, max_size=4).map(lambda blocks: assistant(*blocks)), st.builds(result, st.sampled_from("abc")),
    ),
    max_size=12,
)  # fmt: skip


@given(messages=MESSAGES)
def test_every_call_has_its_result_in_the_next_turn(messages: list[object]) -> None:
    history = split_conversation([*messages, user("now")]).history
    for content, following in zip(history, [*history, None][1:], strict=True):
        ids = [part["functionCall"]["id"] for part in content["parts"] if "functionCall" in part]
        found = [
            part["functionResponse"]["id"]
            for part in (following or {"parts": []})["parts"]
            if "functionResponse" in part
        ]
        assert ids == found
        assert content["parts"] and {"text": ""} not in content["parts"]
    history_text = json.dumps(history)
    results = [message for message in messages if message["role"] == "toolResult"]
    assert history_text.count("result of ") - history_text.count("result of this call") == len(results), (
        "no result is lost, and none is there twice"
    )
