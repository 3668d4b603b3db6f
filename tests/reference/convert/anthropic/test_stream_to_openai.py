"""Anthropic stream events -> OpenAI chunks."""

import pytest
from openai.types.chat import ChatCompletionChunk

from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream

from .answer_samples import block, deltas, finish, start, stop, text, thinking, to_openai, tool_use

WEATHER = '{"city": "Paris"}'


@pytest.mark.row("S2.91")
def test_text_is_streamed_after_the_role() -> None:
    chunks = to_openai(start(), {"type": "ping"}, text(0, "Hel", "lo"), stop())
    assert deltas(chunks) == [{"role": "assistant", "content": ""}, {"content": "Hel"}, {"content": "lo"}]
    assert finish(chunks) == ["stop"]
    assert chunks[-1]["usage"] == {"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17}
    assert {(chunk["id"], chunk["model"], chunk["object"]) for chunk in chunks} == {
        ("msg_1", "claude", "chat.completion.chunk")
    }
    assert all(ChatCompletionChunk.model_validate(chunk) for chunk in chunks)


def test_the_role_is_sent_before_any_text() -> None:
    assert AnthropicToOpenAIStream().feed(start())[0]["choices"][0]["delta"]["role"] == "assistant"


@pytest.mark.row("S2.91")
def test_calls_are_numbered_among_themselves_and_their_fragments_pass_at_once() -> None:
    stream = AnthropicToOpenAIStream()
    events = [start(), *text(0, "I look."), *tool_use(1, "toolu_1", "weather", '{"city"', ': "Paris"}')]
    content = [stream.feed(event) for event in [*events, *tool_use(2, "toolu_2", "time")]]
    calls = [call for chunks in content for delta in deltas(chunks) for call in delta.get("tool_calls", ())]
    assert calls == [
        {"index": 0, "id": "toolu_1", "type": "function", "function": {"name": "weather", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"city"'}},
        {"index": 0, "function": {"arguments": ': "Paris"}'}},
        {"index": 1, "id": "toolu_2", "type": "function", "function": {"name": "time", "arguments": ""}},
        {"index": 1, "function": {"arguments": "{}"}},
    ]
    assert deltas(content[6]) == [{"tool_calls": [calls[1]]}]


def test_an_input_in_the_start_event_is_sent_whole() -> None:
    block_start = {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1.0}}
    chunks = to_openai(start(), block(0, block_start), stop("tool_use"))
    assert deltas(chunks)[-1]["tool_calls"][0]["function"]["arguments"] == '{"x": 1.0}'
    assert finish(chunks) == ["tool_calls"]


@pytest.mark.row("S2.91")
def test_thinking_is_streamed_and_its_signature_follows() -> None:
    chunks = to_openai(start(), thinking(0, "hmm", "EqQB"), text(1, "Yes."), stop())
    assert deltas(chunks)[1:] == [
        {"reasoning_content": "hmm"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "hmm", "signature": "EqQB", "index": 0}]},
        {"content": "Yes."},
    ]


def test_thinking_that_is_not_shown_keeps_its_signature() -> None:
    hidden = {"type": "redacted_thinking", "data": "xyz"}
    chunks = to_openai(start(), thinking(0, "", "EqQB"), block(1, hidden), stop())
    assert deltas(chunks)[1:] == [
        {"reasoning_details": [{"type": "reasoning.text", "text": "", "signature": "EqQB", "index": 0}]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "data": "xyz", "index": 1}]},
    ]


def test_signatures_can_be_dropped() -> None:
    stream = AnthropicToOpenAIStream(profile=Profile(signatures="drop"))
    chunks = [chunk for event in [start(), *thinking(0, "hmm", "S")] for chunk in stream.feed(event)]
    assert deltas(chunks)[1:] == [{"reasoning_content": "hmm"}]
    assert [loss.path for loss in stream.losses] == ["content[].signature"]


def test_a_cited_page_is_an_annotation_of_its_text_and_a_cited_document_a_loss() -> None:
    page = {"type": "web_search_result_location", "url": "https://a.example", "title": "A", "cited_text": "x"}
    cite = {"type": "citations_delta", "citation": page}
    paper = {"type": "citations_delta", "citation": {"type": "char_location", "document_index": 0}}
    cited = block(1, {"type": "text", "text": "", "citations": []}, {"type": "text_delta", "text": "fact"}, cite, paper)
    stream = AnthropicToOpenAIStream()
    content = [chunk for event in [start(), *text(0, "So: "), *cited] for chunk in stream.feed(event)]
    assert deltas(content)[-1]["annotations"] == [
        {
            "type": "url_citation",
            "url_citation": {"start_index": 4, "end_index": 8, "title": "A", "url": "https://a.example"},
        }
    ]
    assert [loss.path for loss in stream.losses] == ["content[].citations"]


def test_server_tools_are_a_loss_and_never_text_or_a_call() -> None:
    query = {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srv", "content": []}
    stream = AnthropicToOpenAIStream()
    more = {"type": "input_json_delta", "partial_json": '{"query": "x"}'}
    events = [start(), *block(0, query, more), *block(1, found), *text(2, "ok"), *stop()]
    chunks = [chunk for event in events for chunk in stream.feed(event)] + stream.close()
    assert deltas(chunks)[1:] == [{"content": "ok"}]
    assert finish(chunks) == ["stop"]
    assert [loss.path for loss in stream.losses] == ["content[].server_tool_use", "content[].web_search_tool_result"]


def test_an_error_event_ends_the_stream_and_is_no_clean_finish() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    chunks = to_openai(start(), text(0, "Hel"), error, text(1, "lost"), stop())
    assert deltas(chunks[:-1])[-1] == {"content": "Hel"}
    assert chunks[-1]["error"]["message"] == "Overloaded"
    assert chunks[-1]["error"]["code"] == "overloaded"
    assert finish(chunks) == []


@pytest.mark.parametrize("cut", [1, 3, 5])
def test_a_cut_stream_is_an_error(cut: int) -> None:
    chunks = to_openai([start(), *text(0, "Hel", "lo")][:cut])
    assert chunks[-1]["error"]["code"] == "stream_truncated"
    assert finish(chunks) == []


def test_no_event_at_all_is_an_error() -> None:
    assert to_openai()[-1]["error"]["code"] == "empty_response"


@pytest.mark.parametrize("kind", ["message_start", "content_block_start", "content_block_delta"])
def test_an_event_that_cannot_be_read_is_an_error_and_text_before_it_stays(kind: str) -> None:
    chunks = to_openai(start(), text(0, "Hel"), {"type": kind, "index": 1}, stop())
    assert {"content": "Hel"} in deltas(chunks)
    assert chunks[-1]["error"]["code"] == "malformed_event"


def test_an_unknown_event_is_a_loss() -> None:
    stream = AnthropicToOpenAIStream()
    chunks = [chunk for event in [start(), {"type": "novelty"}, *stop()] for chunk in stream.feed(event)]
    assert finish(chunks + stream.close()) == ["stop"]
    assert [loss.path for loss in stream.losses] == ["novelty"]


def test_the_usage_chunk_is_sent_only_on_request() -> None:
    assert all("usage" not in chunk for chunk in to_openai(start(), stop(), include_usage=False))


def test_renamed_functions_get_their_names_back() -> None:
    request = {"messages": [], "tools": [{"type": "function", "function": {"name": "fs.read"}}]}
    chunks = to_openai(start(), tool_use(0, "a", "fs_read"), stop("tool_use"), request=request)
    assert deltas(chunks)[1]["tool_calls"][0]["function"]["name"] == "fs.read"


def test_a_stream_without_message_start_is_converted() -> None:
    chunks = to_openai(text(0, "Hi"), stop(), model="claude-x")
    assert deltas(chunks) == [{"role": "assistant", "content": ""}, {"content": "Hi"}]
    assert chunks[0]["model"] == "claude-x"
    assert chunks[0]["id"].startswith("chatcmpl-")
