"""Which conversation a request belongs to."""

import json

from bridgecheck.model.exchange import HttpRequest
from bridgecheck.record.canonical import CanonicalRequest, canonical_request
from bridgecheck.record.grouping import ConversationGrouper
from bridgecheck.record.naming import name_conversation
from bridgecheck.wire import Dialect


def request(*texts: str, path: str = "/v1/chat/completions", **members: object) -> CanonicalRequest:
    roles = ("user", "assistant")
    messages = [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]
    return canonical_request(HttpRequest("POST", path, (), json.dumps({"messages": messages, **members}).encode()))


def grouper() -> ConversationGrouper:
    used: dict[str, int] = {}

    def new_name(asked_for: CanonicalRequest, dialect: Dialect) -> str:
        base = name_conversation(asked_for, dialect)
        used[base] = used.get(base, 0) + 1
        return base if used[base] == 1 else f"{base}-{used[base]}"

    return ConversationGrouper(new_name)


def test_a_longer_history_continues_its_conversation() -> None:
    groups = grouper()
    first = groups.place(request("hi"), "openai-chat")
    groups.finish(first, failed=False)
    second = groups.place(request("hi", "hello", "more"), "openai-chat")
    unrelated = groups.place(request("ho", "hello", "more"), "openai-chat")
    assert second.conversation == first.conversation != unrelated.conversation


def test_a_marked_cache_breakpoint_does_not_end_a_conversation() -> None:
    groups = grouper()
    marked = {"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]}
    plain = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    bodies = [{"messages": [marked]}, {"messages": [plain, {"role": "assistant", "content": "a"}, marked]}]
    requests = [
        canonical_request(HttpRequest("POST", "/v1/messages", (), json.dumps(body).encode())) for body in bodies
    ]
    placed = [groups.place(sent, "anthropic") for sent in requests]
    assert placed[0].conversation == placed[1].conversation


def test_another_system_instruction_is_another_conversation() -> None:
    groups = grouper()
    first = groups.place(request("hi", path="/v1/messages", system="a"), "anthropic")
    second = groups.place(request("hi", "b", "c", path="/v1/messages", system="b"), "anthropic")
    assert first.conversation != second.conversation


def test_attempts_are_counted_after_failures_only() -> None:
    groups = grouper()
    first = groups.place(request("hi"), "openai-chat")
    groups.finish(first, failed=True)
    again = groups.place(request("hi"), "openai-chat")
    groups.finish(again, failed=False)
    separate = groups.place(request("hi"), "openai-chat")
    assert (again.conversation, again.attempt) == (first.conversation, 2)
    assert (separate.attempt, separate.conversation != first.conversation) == (1, True)


def test_a_request_while_the_same_is_under_way_is_another_conversation() -> None:
    groups = grouper()
    placed = [groups.place(request("hi"), "openai-chat") for _ in range(3)]
    assert len({turn.conversation for turn in placed}) == 3


def test_of_equal_histories_the_answer_tells_them_apart() -> None:
    groups = grouper()
    left, right = (groups.place(request("hi"), "openai-chat") for _ in range(2))
    groups.finish(left, failed=False, reply=lambda: ("left",))
    groups.finish(right, failed=False, reply=lambda: ("right",))
    assert groups.place(request("hi", "right", "and"), "openai-chat").conversation == right.conversation
    assert groups.place(request("hi", "left", "and"), "openai-chat").conversation == left.conversation


def test_a_name_decides_and_dialects_stay_separate() -> None:
    groups = grouper()
    named = [groups.place(request(text), "openai-chat", "mine") for text in ("a", "b")]
    elsewhere = groups.place(request("a", path="/v1/messages"), "anthropic", "mine")
    assert named[0].conversation == named[1].conversation == ("mine", "openai-chat")
    assert elsewhere.conversation == ("mine", "anthropic")


def test_gemini_may_change_model_and_mode_within_a_conversation() -> None:
    groups = grouper()

    def contents(*texts: str, model: str) -> CanonicalRequest:
        turns = [{"role": "user", "parts": [{"text": text}]} for text in texts]
        return canonical_request(
            HttpRequest("POST", f"/v1beta/models/{model}", (), json.dumps({"contents": turns}).encode())
        )

    first = groups.place(contents("hi", model="a:generateContent"), "gemini")
    second = groups.place(contents("hi", "x", "y", model="b:streamGenerateContent?alt=sse"), "gemini")
    assert first.conversation == second.conversation
