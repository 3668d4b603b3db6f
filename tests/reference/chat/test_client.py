"""A client's events, requests and history, conversation by conversation."""

import asyncio
import tracemalloc

import pytest

from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.chat import Chat
from bridgecheck_reference.chat.client import CONTINUE, ChatClient
from bridgecheck_reference.chat.events import (
    ChatCompressed,
    Citation,
    Content,
    Error,
    Finished,
    InvalidStream,
    ThoughtEvent,
    ToolCallRequest,
    UsageMetadata,
)
from bridgecheck_reference.chat.history import INTERRUPTED
from bridgecheck_reference.chat.settings import ChatSettings
from bridgecheck_reference.chat.thoughts import Thought
from bridgecheck_reference.chat.turn import Turn, Unauthorized
from bridgecheck_reference.errors import ProviderError

from .conversation import MODEL, Script, Time, call, contents_as_texts, event, kinds, play, refusal, result, text

SAYS_MODEL = {"candidates": [{"content": {"parts": [{"text": '{"reasoning": "x", "next_speaker": "model"}'}]}}]}
SAYS_USER = {"candidates": [{"content": {"parts": [{"text": '```json\n{"next_speaker": "user"}\n```'}]}}]}
CHECKED = ChatSettings(next_speaker_check=True)


@pytest.mark.row("S4.28", "S4.29", "S4.30")
def test_of_one_event_thoughts_come_first_then_text_then_calls() -> None:
    mixed = event(
        {"functionCall": {"name": "f", "args": {"a": 1}, "id": "1"}}, {"text": "a"},
        {"text": "**Plan** x", "thought": True}, {"text": "b"}, {"text": "c", "thought": True},
        finish="STOP", responseId="r",
    )  # fmt: skip
    (events,), _ = play(Script([mixed]), "hi")
    assert events[1:] == [
        ThoughtEvent(Thought("Plan", "x"), "r"),
        ThoughtEvent(Thought("", "c"), "r"),
        Content("ab", "r"),
        ToolCallRequest("f__1", "f", {"a": 1}, "p1", "r"),
        Finished("STOP"),
    ]


@pytest.mark.row("S4.14", "S4.16", "S4.17")
def test_the_stream_of_events_names_its_turn() -> None:
    client = ChatClient(Script(call()), MODEL, around=Time().surroundings())

    async def main() -> Turn | None:
        stream = client.send("hi", prompt_id="p")
        assert kinds([item async for item in stream]) == ["model_info", "tool_call_request", "finished"]
        return stream.turn

    turn = asyncio.run(main())
    assert turn is not None
    assert (turn.finish_reason, [item.name for item in turn.pending_tool_calls]) == ("STOP", ["f"])


@pytest.mark.row("S4.31")
def test_usage_comes_with_the_finish_and_on_request_by_itself() -> None:
    events = [event({"text": "a"}, usageMetadata={"n": 1}), event(finish="STOP", usageMetadata={"n": 2})]
    assert play(Script(events), "hi")[0][0][-1] == Finished("STOP", {"n": 2})
    (found,), _ = play(Script(events), "hi", settings=ChatSettings(usage_event=True))
    assert found[-2:] == [Finished("STOP", {"n": 2}), UsageMetadata({"n": 2}, 0)]


@pytest.mark.parametrize("member", ["citationSources", "citations"])
def test_sources_come_sorted_before_the_finish(member: str) -> None:
    cited = event({"text": "x"}, finish="STOP")
    cited["candidates"][0]["citationMetadata"] = {member: [{"uri": "u"}, {"uri": "t", "title": "T"}, {}]}
    assert play(Script([cited]), "hi")[0][0][-2] == Citation("Citations:\n(T) t\nu")


@pytest.mark.row("S4.32")
@pytest.mark.parametrize(
    ("status", "code", "shown"),
    [(400, "", 400), (401, "", 401), (403, "", 403), (404, "", None), (429, "", 429), (500, "", 500),
     (503, "connection_error", None)],
)  # fmt: skip
def test_failures_are_events(status: int, code: str, shown: int | None) -> None:
    script = Script(*[refusal(status, "not today", code=code)] * 10)
    (events,), client = play(script, "hi")
    assert events[1:] == [Error("not today", shown)]
    assert client.chat.history() == []


@pytest.mark.row("S4.32")
def test_unauthorized_is_raised_on_request() -> None:
    with pytest.raises(Unauthorized, match="not today"):
        play(Script(refusal(401, "not today")), "hi", settings=ChatSettings(raise_unauthorized=True))


def test_a_stream_without_use_is_opened_four_times() -> None:
    time, script = Time(), Script(*[[event(finish="STOP")]] * 4)
    (events,), client = play(script, "hi", time=time)
    assert kinds(events) == ["model_info", *["finished", "retry"] * 3, "finished", "invalid_stream"]
    assert isinstance(events[-1], InvalidStream) and events[-1].reason == "NO_RESPONSE_TEXT"
    assert (time.waits, client.chat.history()) == ([1, 2, 4], [])
    first, second = (request["contents"] for _, request in script.requests[:2])
    assert second[0]["parts"][0] == first[0]["parts"][0] and len(second[0]["parts"]) == 2


def test_behind_a_result_the_model_is_told_in_a_message_of_its_own() -> None:
    thought = [event({"text": "hm", "thought": True}, finish="STOP")]
    script = Script(call(), thought, text("ok"))
    play(script, "hi", result())
    assert [content["role"] for content in script.contents()] == ["user", "model", "user", "model", "user"]


def test_an_error_event_in_a_stream_is_tried_again() -> None:
    script = Script([*text("half", ""), refusal(503)], text("whole"))
    (events,), client = play(script, "hi")
    assert kinds(events) == ["model_info", "content", "retry", "content", "finished"]
    assert contents_as_texts(client.chat.history()) == ["hi", "whole"]


def test_a_failure_behind_a_result_keeps_it_and_closes_it() -> None:
    script = Script(call(), refusal(400), text("yes"))
    _, client = play(script, "hi", result(), "and now?")
    assert contents_as_texts(client.chat.history())[3:] == [INTERRUPTED, "and now?", "yes"]
    assert contents_as_texts(script.contents())[3:] == [INTERRUPTED, "and now?"]


@pytest.mark.row("S4.10", "S4.26")
def test_cancelling_takes_the_whole_prompt_back() -> None:
    token = CancelToken()
    script = Script(text("one"), call(), [event({"text": "a"}), event({"text": "b"}), *text("c")])
    client = ChatClient(script, MODEL, around=Time().surroundings())

    async def main() -> list[str]:
        _ = [item async for item in client.send("first", prompt_id="p1")]
        _ = [item async for item in client.send("second", token, prompt_id="p2")]
        found = []
        async for item in client.send(result(), token, prompt_id="p2"):
            found.append(item)
            token.cancel()
        return kinds(found)

    assert asyncio.run(main()) == ["content", "user_cancelled"]
    assert contents_as_texts(client.chat.history()) == ["first", "one"]


@pytest.mark.row("S4.18")
def test_the_model_goes_on_until_its_turns_are_used_up_and_then_falls_silent() -> None:
    script = Script(*[item for number in range(100) for item in (text(f"part {number} of 100"), SAYS_MODEL)])
    (events,), client = play(script, "go", settings=CHECKED)
    assert kinds(events) == ["model_info", *["content", "finished"] * 100]
    assert contents_as_texts(client.chat.history())[-2] == CONTINUE == "Please continue."


@pytest.mark.row("S4.18")
def test_the_user_is_next() -> None:
    script = Script(text("a"), SAYS_USER)
    assert kinds(play(script, "go", settings=CHECKED)[0][0]) == ["model_info", "content", "finished"]
    method, request = script.requests[1]
    assert (method, request["generationConfig"]["responseMimeType"]) == ("unary", "application/json")
    assert contents_as_texts(request["contents"])[:2] == ["go", "a"]


@pytest.mark.row("S4.40")
@pytest.mark.parametrize("answer", [refusal(400), {"candidates": [{"content": {"parts": [{"text": '{"x": 1}'}]}}]}])
def test_a_check_that_fails_says_nothing(answer: object) -> None:
    assert kinds(play(Script(text("a"), answer), "go", settings=CHECKED)[0][0])[-1] == "finished"


def test_nobody_is_asked_while_a_tool_is_to_run() -> None:
    script = Script(call())
    play(script, "go", settings=CHECKED)
    assert len(script.requests) == 1


@pytest.mark.row("S4.18")
def test_the_limit_of_a_session() -> None:
    script = Script(text("a"), text("b"))
    events, _ = play(script, "one", "two", "three", settings=ChatSettings(max_session_turns=2))
    assert kinds(events[2]) == ["max_session_turns"]
    assert len(script.requests) == 2


def test_a_loop_is_told_once_and_then_ends() -> None:
    same = [{"functionCall": {"name": "f", "args": {}, "id": str(number)}} for number in range(6)]
    script = Script([event(*same, finish="STOP")], [event(*same, finish="STOP")])
    (events,), client = play(script, "go")
    assert kinds(events) == ["model_info", *["tool_call_request"] * 4, "loop_detected"]
    assert "repeat" in contents_as_texts(script.contents())[0]
    assert client.chat.history() == []


@pytest.mark.row("S4.15")
def test_a_full_window_is_summarised_before_the_message() -> None:
    big = {"promptTokenCount": 600_000}
    summary = {"candidates": [{"content": {"parts": [{"text": "<state_snapshot>s</state_snapshot>"}]}}]}
    script = Script(text(" ".join(map(str, range(50))), usageMetadata=big), summary, summary, text("two"))
    events, client = play(script, "first " * 50, "second", preamble=[{"role": "user", "parts": [{"text": "where"}]}])
    assert isinstance(events[1][0], ChatCompressed) and events[1][0].original_tokens == 600_000
    assert [method for method, _ in script.requests] == ["stream", "unary", "unary", "stream"]
    assert contents_as_texts(script.contents()) == [
        "where<state_snapshot>s</state_snapshot>", "Understood.", "second",
    ]  # fmt: skip
    assert contents_as_texts(client.chat.history())[-1] == "two"


def test_a_message_that_does_not_fit_is_not_sent() -> None:
    script = Script()
    (events,), _ = play(script, "x" * 4_300_000)
    assert kinds(events) == ["context_window_will_overflow"]
    assert script.requests == []


@pytest.mark.row("S4.21")
def test_settings_of_one_message_go_over_those_of_the_chat() -> None:
    script = Script(text("a"))
    chat = Chat(script, MODEL, request={"generationConfig": {"temperature": 1, "topK": 2}})

    async def main() -> None:
        _ = [item async for item in await chat.stream("hi", config={"temperature": 0})]

    asyncio.run(main())
    assert script.requests[0][1]["generationConfig"] == {"temperature": 0, "topK": 2}


@pytest.mark.row("S4.41")
def test_the_history_is_the_next_requests() -> None:
    script = Script(text("Hello Ida."), text("Ida."))
    play(script, "I am Ida.", "Who am I?")
    assert contents_as_texts(script.contents()) == ["I am Ida.", "Hello Ida.", "Who am I?"]


@pytest.mark.row("S4.19", "S4.35")
def test_two_hundred_conversations_at_once() -> None:
    """Each keeps its own order; what a conversation holds is its history, not the stream."""
    conversations, pieces, turns = 200, 20, 3

    async def converse(number: int) -> list[object]:
        script = Script(*[
            [event({"text": f"{number}.{turn}.{piece} "}, finish="STOP" if piece == pieces - 1 else "")
             for piece in range(pieces)]
            for turn in range(turns)
        ])  # fmt: skip
        client = ChatClient(script, MODEL, around=Time().surroundings())
        for turn in range(turns):
            found = []
            async for item in client.send(f"{number}/{turn}", prompt_id=f"{number}/{turn}"):
                found.append(item)
                await asyncio.sleep(0)
            texts = [item.text for item in found if isinstance(item, Content)]
            assert texts == [f"{number}.{turn}.{piece} " for piece in range(pieces)]
        return contents_as_texts(client.chat.history())

    async def main() -> list[list[object]]:
        return await asyncio.gather(*map(converse, range(conversations)))

    tracemalloc.start()
    histories = asyncio.run(main())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    for number, history in enumerate(histories):
        assert history[::2] == [f"{number}/{turn}" for turn in range(turns)]
        assert all(str(answer).startswith(f"{number}.{turn}.0 ") for turn, answer in enumerate(history[1::2]))
    assert peak / conversations < 200_000


@pytest.mark.row("S4.35")
def test_an_event_is_there_before_the_answer_ends() -> None:
    class Broken(Exception):
        pass

    script = Script([event({"text": "first"}), Broken()])
    client = ChatClient(script, MODEL, around=Time().surroundings())

    async def main() -> None:
        stream = client.send("hi", prompt_id="p")
        await anext(stream)
        assert await anext(stream) == Content("first")
        with pytest.raises(Broken):
            await anext(stream)

    asyncio.run(main())
    assert client.chat.history() == []


def test_provider_errors_keep_their_cause() -> None:
    with pytest.raises(Unauthorized) as caught:
        play(Script(refusal(401)), "hi", settings=ChatSettings(raise_unauthorized=True))
    assert isinstance(caught.value.__cause__, ProviderError)
