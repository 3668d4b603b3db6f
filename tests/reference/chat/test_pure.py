"""What of the chat is pure: thoughts, validity, the two histories, ids, the end of an answer, loops, token counts."""

import pytest

from bridgecheck_reference.chat.answer import AnswerFold, InvalidStreamError, has_visible_text
from bridgecheck_reference.chat.compression import cut_results, find_split
from bridgecheck_reference.chat.events import Content, Event, EventType, ToolCallRequest
from bridgecheck_reference.chat.history import (
    STAND_IN_SIGNATURE,
    coalesce,
    curate,
    is_valid_content,
    request_contents,
    view,
    with_tool_ids,
)
from bridgecheck_reference.chat.loops import LoopDetector
from bridgecheck_reference.chat.next_speaker import next_speaker_by_rule
from bridgecheck_reference.chat.thoughts import Thought, parse_thought
from bridgecheck_reference.chat.tokens import estimate_parts, token_limit

from .conversation import event, result


def user(*parts: object) -> dict[str, object]:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: object) -> dict[str, object]:
    return {**user(*parts), "role": "model"}


CALL = {"functionCall": {"name": "f", "args": {}, "id": "f__1"}}


@pytest.mark.row("S4.27")
@pytest.mark.parametrize(
    ("text", "subject", "description"),
    [
        ("**Plan** first this", "Plan", "first this"),
        ("before **Plan** after", "Plan", "before  after"),
        ("**two\nlines** x", "two\nlines", "x"),
        ("**unclosed", "", "**unclosed"),
        ("plain", "", "plain"),
        ("**a** and **b**", "a", "and **b**"),
        ("****", "", ""),
        ("", "", ""),
    ],
)
def test_thoughts(text: str, subject: str, description: str) -> None:
    assert parse_thought(text) == Thought(subject, description)


@pytest.mark.row("S4.20")
@pytest.mark.parametrize(
    ("content", "valid"),
    [
        (model("x"), True),
        (model(), True),
        ({"role": "model"}, True),
        (user(), False),
        (model(""), False),
        (model("x", ""), False),
        (model({}), False),
        (model({"text": "", "thoughtSignature": "s"}), True),
        (model({"text": "", "thought": True}), True),
        (model({"text": "", **CALL}), True),
    ],
)
def test_valid_contents(content: dict[str, object], valid: bool) -> None:
    assert is_valid_content(content) is valid


@pytest.mark.row("S4.20")
@pytest.mark.parametrize(
    ("full", "curated"),
    [
        ([user("a"), model("b"), user("c")], [user("a"), model("b"), user("c")]),
        ([user("a"), model(""), user("c")], [user("a"), user("c")]),
        ([user("a"), model("b"), model(""), user("c")], [user("a"), user("c")]),
        ([user("a"), model()], [user("a"), model()]),
        ([], []),
    ],
)
def test_the_curated_history_leaves_out_runs_with_an_invalid_content(full: list[object], curated: list[object]) -> None:
    assert curate(full) == curated


def test_thoughts_are_left_out_for_later_models_and_their_signature_is_replaced() -> None:
    thought = {"text": "hm", "thought": True, "thoughtSignature": "s"}
    history = [user("a"), model(thought, CALL), model({"text": "x", "thought": True}), user("b")]
    signed = {**CALL, "thoughtSignature": STAND_IN_SIGNATURE}
    for name in ("gemini-2.5-pro", "gemini-3", "gpt-4o"):
        assert view(history, name, curated=True) == [user("a"), model(signed), user("b")]
    assert view(history, "gemini-1.5-pro", curated=True) == history


def test_an_answer_without_parts_is_left_out_for_later_models() -> None:
    history = [user(result()[0]), model(), user("and?")]
    assert view(history, "gemini-2.5-pro", curated=True) == [user(result()[0], "and?")]
    assert view(history, "gemini-1.5-pro", curated=True) == history


def test_requests_have_bare_ids_signed_calls_and_no_blank_texts() -> None:
    history = [user("a"), model(CALL, ""), user(result()[0]), user("go on"), model({"text": "", **CALL})]
    bare = {"functionCall": {"name": "f", "args": {}, "id": "1"}}
    answer = {"functionResponse": {"name": "f", "id": "1", "response": {"output": "ok"}}}
    assert request_contents(history, "gemini-2.5-pro") == [
        user("a"),
        model({**bare, "thoughtSignature": STAND_IN_SIGNATURE}),
        user(answer, "go on"),
        model({**bare, "thoughtSignature": STAND_IN_SIGNATURE}),
    ]
    assert "thoughtSignature" not in str(request_contents(history, "gemini-1.5-pro"))


def test_a_call_before_the_users_last_words_is_not_signed() -> None:
    history = [user("a"), model(CALL), user(result()[0]), model("b"), user("c")]
    assert "thoughtSignature" not in str(request_contents(history, "gemini-2.5-pro"))


def test_contents_of_one_role_are_one() -> None:
    assert coalesce([user("a"), user("b"), model("c")]) == [user("a", "b"), model("c")]


def test_missing_ids_are_paired_by_name_and_always_the_same() -> None:
    bare = {"functionCall": {"name": "f", "args": {}}}
    answer = {"functionResponse": {"name": "f", "response": {}}}
    history = [model(bare, bare), user(answer, answer, {"functionResponse": {"name": "g", "response": {}}})]
    found = with_tool_ids(history)
    ids = [[next(iter(part.values()))["id"] for part in content["parts"]] for content in found]
    assert ids[0] == ids[1][:2] and len(set(ids[0])) == 2 and ids[0][0].startswith("synth_f_")
    assert ids[1][2].startswith("synth_orph_g_")
    assert with_tool_ids(history) == found and with_tool_ids(found) == found
    assert history[0]["parts"][0] == {"functionCall": {"name": "f", "args": {}}}


THOUGHT = {"text": "hm", "thought": True}


@pytest.mark.row("S4.20", "S4.24")
@pytest.mark.parametrize(
    ("events", "behind_result", "expected"),
    [
        ([event({"text": "a"}), event({"text": "b"}, finish="STOP")], False, [{"text": "ab"}]),
        ([event(THOUGHT, {"text": "a"}, finish="STOP")], False, [{"text": "a"}]),
        ([event({"text": "a"}, {"text": ""}), event({"text": "b"}, finish="STOP")], False, [{"text": "b"}]),
        ([event({"text": "a"}), event(CALL), event({"text": "b"})], False, [{"text": "a"}, CALL, {"text": "b"}]),
        ([event({"text": "a"})], False, "NO_FINISH_REASON"),
        ([event({"text": "a"})], True, [{"text": "a"}]),
        ([event(finish="STOP")], False, "NO_RESPONSE_TEXT"),
        ([event(finish="STOP")], True, []),
        ([event(THOUGHT, finish="STOP")], True, "THINKING_ONLY_RESPONSE"),
        ([event({"text": "<!-- x -->\u200b "}, finish="STOP")], False, "NO_RESPONSE_TEXT"),
        ([event({"text": "a"}, finish="MALFORMED_FUNCTION_CALL")], False, "MALFORMED_FUNCTION_CALL"),
        ([event({"text": "a"}, finish="UNEXPECTED_TOOL_CALL")], False, "UNEXPECTED_TOOL_CALL"),
        ([event(CALL, finish="MALFORMED_FUNCTION_CALL")], False, [CALL]),
        ([event({"text": "a"}, finish="MAX_TOKENS")], False, [{"text": "a"}]),
        ([event(finish="MAX_TOKENS")], False, "MAX_TOKENS_EXCEEDED"),
        ([event(finish="SAFETY")], True, "SAFETY_BLOCKED"),
        ([event(finish="RECITATION")], False, "RECITATION_BLOCKED"),
        ([event(finish="OTHER")], False, "OTHER_BLOCKED"),
    ],
)
def test_the_end_of_an_answer(events: list[dict[str, object]], behind_result: bool, expected: object) -> None:
    fold = AnswerFold(behind_result=behind_result, make_id=str)
    for item in events:
        fold.feed(item)
    try:
        found: object = fold.close()["parts"]
    except InvalidStreamError as error:
        found = error.reason
    assert found == expected


@pytest.mark.row("S4.30")
def test_ids_of_calls_have_the_name_before_them() -> None:
    fold = AnswerFold(make_id=lambda name: f"made-for-{name}")
    calls = [{"functionCall": {"name": name, "args": {}, **more}} for name, more in
             ((" f ", {"id": "1"}), ("f", {"id": "f__1"}), ("f", {}), ("", {"id": "2"}))]  # fmt: skip
    fold.feed(event(*calls))
    ids = [part["functionCall"]["id"] for part in fold.close()["parts"]]
    assert ids == ["f__1", "f__1", "f__made-for-f", "generic_tool__2"]


def test_text_that_shows() -> None:
    assert [has_visible_text(content) for content in ("x", " ", "<!-- <!-- a -->b --> ", "<!-- a -->b")] == [
        True, False, True, True,
    ]  # fmt: skip


@pytest.mark.row("S4.40")
@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ([], None),
        ([user("a"), model(CALL), user(result()[0])], "model"),
        ([user("a"), model()], "model"),
        ([user("a")], None),
        ([user("a"), model("b")], "ask"),
    ],
)
def test_who_speaks_next_by_rule(history: list[dict[str, object]], expected: str | None) -> None:
    assert next_speaker_by_rule(curate(history), history) == expected


@pytest.mark.row("S4.34")
def test_every_kind_of_event_that_the_cli_has() -> None:
    assert {str(kind) for kind in EventType} == {
        "content", "tool_call_request", "tool_call_response", "tool_call_confirmation", "user_cancelled", "error",
        "chat_compressed", "thought", "max_session_turns", "finished", "loop_detected", "citation", "retry",
        "context_window_will_overflow", "invalid_stream", "model_info", "agent_execution_stopped",
        "agent_execution_blocked", "usage_metadata",
    }  # fmt: skip


@pytest.mark.row("S4.38")
def test_every_event_has_a_kind_of_its_own() -> None:
    members = Event.__args__
    assert len({member.type for member in members}) == len(members) == 15


def request(name: str, **args: object) -> ToolCallRequest:
    return ToolCallRequest("id", name, args)


def loops(*events: Event) -> list[int]:
    detector = LoopDetector()
    return [detector.feed(item) for item in events]


def test_a_call_is_a_loop_at_its_fifth_repetition() -> None:
    assert loops(*[request("f", a=1)] * 5) == [0, 0, 0, 0, 1]
    assert loops(*[request("f", a=number) for number in range(9)]) == [0] * 9


def test_a_cycle_of_calls_is_a_loop_at_its_fifth_repetition() -> None:
    assert loops(*[request("f"), request("g")] * 5)[-2:] == [0, 1]


def test_repeated_text_is_a_loop_but_not_in_code() -> None:
    sentence = "I will now look at the file again and then go on. "
    assert sum(loops(*[Content(sentence)] * 12)) >= 1
    assert sum(loops(Content("```\n"), *[Content(sentence)] * 12)) == 0
    assert sum(loops(*[Content(f"- item {sentence}")] * 12)) == 0
    assert sum(loops(*[Content(f"{number} {sentence * 1}{number * 7}") for number in range(12)])) == 0


def test_a_loop_is_found_again_after_it_was_told() -> None:
    detector = LoopDetector()
    assert [detector.feed(request("f")) for _ in range(5)][-1] == 1
    assert detector.feed(Content("x")) == 1
    detector.resume()
    assert detector.feed(Content("x")) == 0
    assert detector.feed(request("f")) == 2


@pytest.mark.parametrize(
    ("parts", "tokens"),
    [
        ([{"text": "abcdefgh"}], 2),
        ([{"text": "é" * 2}], 3),
        ([{"text": "é" * 100_001}], 25_000),
        ([{"inlineData": {"mimeType": "image/png", "data": ""}}], 3000),
        ([{"fileData": {"mimeType": "application/pdf"}}], 25800),
        ([{"functionResponse": {"name": "abcd", "response": {"output": "xyz"}}}], 5),
    ],
)
def test_estimated_tokens(parts: list[dict[str, object]], tokens: int) -> None:
    assert estimate_parts(parts) == tokens


def test_windows() -> None:
    assert (token_limit("gemini-2.5-pro"), token_limit("gemma-4-31b-it")) == (1_048_576, 256_000)


@pytest.mark.row("S4.15")
def test_a_history_is_split_before_a_message_of_the_user() -> None:
    history = [user("a" * 100), model("b" * 100), user("c" * 100), model("d" * 100), user("e"), model("f")]
    assert find_split(history, 0.7) == 4
    assert find_split([user("a"), model("b" * 500)], 0.7) == 2
    assert find_split([user("a"), model("b"), user("c"), model(CALL)], 0.99) == 2
    assert find_split([], 0.7) == 0


def test_old_results_of_tools_are_cut() -> None:
    long = "\n".join(["line " * 20] * 2500)
    history = [user(result(output=long)[0]), user(result(output=long[:100])[0])]
    cut = cut_results(history)
    assert cut[1] == history[1]
    assert cut[0]["parts"][0]["functionResponse"]["response"]["output"].count("\n") == 30
