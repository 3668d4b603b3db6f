"""Every check of a response, with a passing and a failing case."""

from dataclasses import replace

import pytest

from bridgecheck import normalise
from bridgecheck.codec.body import decode_response
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.outcome import Choice, ErrorInfo, Finish, Media, ToolCall, Usage
from bridgecheck.model.prompt import Thinking, Tool
from bridgecheck.secrets import UPSTREAM_KEY

STOP = Finish("STOP", "stop")
CALLS = Finish("tool_calls", "tool_calls")
CALL = ToolCall("weather", {"city": "Bern"}, "call_1")


def test_an_equal_response_passes_every_check(case, verdicts):
    from bridgecheck.checks import judge

    assert {verdict.status for verdict in judge(case())} == {"PASS"}


@pytest.mark.parametrize(
    ("upstream_outcome", "actual", "expected"),
    [
        (("Hello",), ("Hello",), "PASS"),
        (("a ", "b"), ("a b",), "PASS"),
        (("a", "b"), ("a\n\nb",), "PASS"),
        (("a", "b"), ("a-b",), "FAIL"),
        (("ab",), ("a\nb",), "FAIL"),
        (("Hello",), ("Hello ",), "FAIL"),
        (("Hello",), (), "FAIL"),
        (("Ze\u0301ro",), ("Z\u00e9ro",), "FAIL"),
    ],
)
def test_text(case, status, upstream_outcome, actual, expected):
    evidence = case(
        upstream_outcome=case.outcome(text=upstream_outcome),
        client_outcome=case.outcome(dialect="openai-chat", text=actual),
    )
    assert status(evidence, "response.text") == expected


def gemini_answer(*texts, **candidate):
    content = {"role": "model", "parts": [{"text": text} for text in texts]}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0, **candidate}]}


def anthropic_answer(*texts, **block):
    blocks = [{"type": "text", "text": text, **block} for text in texts]
    return {"type": "message", "role": "assistant", "content": blocks, "stop_reason": "end_turn"}


@pytest.mark.parametrize(
    ("provider", "answer", "received", "expected"),
    [
        ("anthropic", anthropic_answer("Bow", "line."), "Bow\nline.", "WARN"),
        ("anthropic", anthropic_answer("Bow", "line."), "Bow line.", "WARN"),
        ("gemini", gemini_answer("Bow", "line."), "Bow\n\nline.", "WARN"),
        ("anthropic", anthropic_answer("Bow", "line."), "Bow, line.", "FAIL"),
        ("anthropic", anthropic_answer("Bow", "line."), "Bow\nli ne.", "FAIL"),
        ("anthropic", anthropic_answer("Bow", "line."), "line.\nBow", "FAIL"),
        ("anthropic", anthropic_answer("Bow", "line.", citations=[{"type": "page_location"}]), "Bow\nline.", "FAIL"),
        ("gemini", gemini_answer("Bow", "line.", groundingMetadata={}), "Bow\nline.", "FAIL"),
        ("gemini", gemini_answer("Bowline."), "Bow\nline.", "FAIL"),
    ],
)
def test_white_space_between_texts_of_a_whole_answer_warns(case, status, provider, answer, received, expected):
    ends = {
        "upstream": provider, "upstream_documents": (answer,),
        "upstream_outcome": case.outcome(dialect=provider, text=("Bowline.",)),
        "client_outcome": case.outcome(dialect="openai-chat", text=(received,)),
    }  # fmt: skip
    assert status(case(**ends), "response.text") == expected
    assert status(case(**ends, mode="stream"), "response.text") == "FAIL"


@pytest.mark.parametrize(
    ("sent", "received", "mode", "expected"),
    [
        ("one\ntwo\n", "one\ntwo", "unary", "WARN"),
        ("\none", "one", "unary", "WARN"),
        ("one\n\n", "one", "unary", "FAIL"),
        ("\none\n", "one", "unary", "FAIL"),
        ("one ", "one", "unary", "FAIL"),
        ("one", "one\n", "unary", "FAIL"),
        ("one\n", "one", "stream", "FAIL"),
    ],
)
def test_one_line_break_at_the_edge_of_a_whole_answer_warns(case, status, sent, received, mode, expected):
    evidence = case(
        mode=mode,
        upstream_outcome=case.outcome(text=(sent,)),
        client_outcome=case.outcome(dialect="openai-chat", text=(received,) if received else ()),
    )
    assert status(evidence, "response.text") == expected


FILTERED, NAMED = Finish("SAFETY", "content_filter"), Finish("content_filter", "content_filter")


@pytest.mark.parametrize(
    ("finish", "end", "received", "expected"),
    [
        (FILTERED, NAMED, (), "WARN"),
        (FILTERED, NAMED, ("Once,",), "WARN"),
        (FILTERED, NAMED, ("I cannot.",), "FAIL"),
        (FILTERED, Finish("stop", "stop"), (), "FAIL"),
        (STOP, NAMED, (), "FAIL"),
        (STOP, Finish("stop", "stop"), (), "FAIL"),
        (Finish("MAX_TOKENS", "length"), Finish("length", "length"), (), "FAIL"),
    ],
)
@pytest.mark.parametrize("mode", ["unary", "stream"])
def test_text_that_a_filter_stopped_may_be_withheld(case, status, finish, end, received, expected, mode):
    evidence = case(
        mode=mode,
        upstream_outcome=case.outcome(text=("Once, a ",), finish=finish),
        client_outcome=case.outcome(dialect="openai-chat", text=received, finish=end),
    )
    assert status(evidence, "response.text") == expected


def test_reasoning_leaked_into_text_is_reported(case, verdicts):
    evidence = case(
        upstream_outcome=case.outcome(reasoning=("let me think",), text=("Hello",)),
        client_outcome=case.outcome(dialect="openai-chat", text=("let me thinkHello",)),
        upstream_prompt=case.prompt(thinking=Thinking(include=True)),
    )
    (found,) = verdicts(evidence, "response.text")
    assert found.status == "FAIL"
    assert "leaked" in found.message


def test_lost_reasoning_warns_and_preserved_reasoning_passes(case, status):
    upstream_outcome = case.outcome(reasoning=("a", "b"))
    requesting = case.prompt(dialect="openai-chat", thinking=Thinking(level="medium"))
    assert status(case(upstream_outcome=upstream_outcome, client_prompt=requesting), "response.reasoning") == "WARN"
    assert status(case(upstream_outcome=upstream_outcome), "response.reasoning") == "PASS"
    preserved = case.outcome(dialect="openai-chat", reasoning=("ab",))
    assert status(case(upstream_outcome=upstream_outcome, client_outcome=preserved), "response.reasoning") == "PASS"


def test_order_is_compared_where_both_dialects_have_one(case, status):
    upstream_outcome = case.outcome(order=(("text", 0), ("call", 0)), tool_calls=(CALL,))
    reordered = case.outcome(order=(("call", 0), ("text", 0)), tool_calls=(CALL,))
    assert (
        status(case(upstream_outcome=upstream_outcome, client_outcome=reordered, client="gemini"), "response.order")
        == "FAIL"
    )
    assert (
        status(
            case(upstream_outcome=upstream_outcome, client_outcome=upstream_outcome, client="gemini"), "response.order"
        )
        == "PASS"
    )
    through_chat = case(
        upstream_outcome=upstream_outcome, client_outcome=reordered, client="gemini", pivot="openai-chat"
    )
    assert status(through_chat, "response.order") == "PASS"


@pytest.mark.parametrize(
    ("provider", "client", "expected"),
    [
        ("call text", "text call", "WARN"),
        ("call reasoning text", "call reasoning text", "PASS"),
        ("reasoning call text", "reasoning text call", "WARN"),
        ("text call", "call text", "FAIL"),
        ("call reasoning text", "text call reasoning", "FAIL"),
        ("reasoning call", "call reasoning", "FAIL"),
        ("call media", "media call", "FAIL"),
    ],
)
def test_text_that_came_behind_a_call_may_stand_before_it(case, status, provider, client, expected):
    def outcome(dialect, channels):
        order = tuple((channel, 0) for channel in channels.split())
        calls = (CALL,) if "call" in channels else ()
        finish = Finish("tool_use", "tool_calls") if dialect == "anthropic" and calls else None
        return case.outcome(dialect=dialect, order=order, tool_calls=calls, finish=finish)

    evidence = case(
        client="anthropic", upstream_outcome=outcome("gemini", provider), client_outcome=outcome("anthropic", client)
    )
    assert status(evidence, "response.order") == expected
    ends = {"upstream_outcome": outcome("gemini", provider), "client_outcome": outcome("gemini", client)}
    assert status(case(client="gemini", **ends), "response.order") == expected
    native = "PASS" if provider == client else "FAIL"
    assert status(case(client="gemini", path="native", **ends), "response.order") == native


@pytest.mark.parametrize(("actual", "expected"), [(("I will not",), "PASS"), (("Hello",), "FAIL"), ((), "FAIL")])
def test_a_refusal_becomes_text(case, status, actual, expected):
    upstream_outcome = case.outcome(dialect="openai-chat", text=(), refusal="I will not")
    evidence = case(
        upstream="openai-chat",
        client="gemini",
        upstream_outcome=upstream_outcome,
        client_outcome=case.outcome(text=actual),
    )
    assert status(evidence, "response.refusal") == expected


def test_a_refusal_reduced_to_its_finish_reason_is_a_declared_loss(case, verdicts):
    upstream_outcome = case.outcome(dialect="openai-chat", text=(), refusal="I will not")
    finish_only = case.outcome(text=(), finish=Finish("SAFETY", "content_filter"))
    (found,) = verdicts(
        case(upstream="openai-chat", client="gemini", upstream_outcome=upstream_outcome, client_outcome=finish_only),
        "response.refusal",
    )
    assert (found.status, bool(found.losses)) == ("PASS", True)


@pytest.mark.parametrize(("native", "kind", "expected"), [("SAFETY", "content_filter", "PASS"), ("STOP", "stop", "PASS"),
    ("MAX_TOKENS", "length", "FAIL")])  # fmt: skip
def test_a_refusal_may_end_in_the_clients_own_word_for_one(case, status, native, kind, expected):
    """Chat ends a refusal in stop, for want of another word."""
    upstream_outcome = case.outcome(dialect="openai-chat", text=(), refusal="I will not")
    named = case.outcome(text=("I will not",), finish=Finish(native, kind))
    evidence = case(upstream="openai-chat", client="gemini", upstream_outcome=upstream_outcome, client_outcome=named)
    assert status(evidence, "response.finish") == expected


def test_a_refusal_lost_in_its_own_dialect_fails(case, status):
    upstream_outcome = case.outcome(dialect="openai-chat", refusal="I will not")
    evidence = case(
        upstream="openai-chat", upstream_outcome=upstream_outcome, client_outcome=case.outcome(dialect="openai-chat")
    )
    assert status(evidence, "response.refusal") == "FAIL"


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ((CALL,), "PASS"),
        ((ToolCall("weather", {"city": "Bern"}, "x"),), "PASS"),
        ((ToolCall("weather", {"city": "Basel"}, "x"),), "FAIL"),
        ((ToolCall("wetter", {"city": "Bern"}, "x"),), "FAIL"),
        ((ToolCall("weather", {"city": "Bern"}, ""),), "FAIL"),
        ((CALL, CALL), "FAIL"),
        ((), "FAIL"),
    ],
)
def test_tool_calls(case, status, calls, expected):
    upstream_outcome = case.outcome(tool_calls=(CALL,))
    actual = case.outcome(dialect="openai-chat", tool_calls=calls, finish=CALLS)
    assert status(case(upstream_outcome=upstream_outcome, client_outcome=actual), "response.tool_calls") == expected


def test_two_calls_with_one_id_fail_unless_the_provider_did_it(case, status):
    twice = (CALL, ToolCall("weather", {"city": "Chur"}, "call_1"))
    actual = case.outcome(dialect="openai-chat", tool_calls=twice, finish=CALLS)
    gemini = case.outcome(tool_calls=tuple(ToolCall(call.name, call.args) for call in twice))
    assert status(case(upstream_outcome=gemini, client_outcome=actual), "response.tool_calls") == "FAIL"
    assert (
        status(case(upstream_outcome=actual, client_outcome=actual, upstream="openai-chat"), "response.tool_calls")
        == "INHERITED"
    )


def test_lost_number_precision_has_its_own_check(case, status):
    upstream_outcome = case.outcome(tool_calls=(ToolCall("f", {"big": 2**53 + 1, "one": 1.0}, "a"),))
    for args, expected in [({"big": 2**53, "one": 1}, "WARN"), ({"big": 2**53 + 1, "one": 1.0}, "")]:
        actual = case.outcome(dialect="openai-chat", tool_calls=(ToolCall("f", args, "a"),), finish=CALLS)
        evidence = case(upstream_outcome=upstream_outcome, client_outcome=actual)
        assert status(evidence, "response.tool_calls") == "PASS"
        assert status(evidence, "response.number_text") == expected


def test_true_is_not_one(case, status):
    upstream_outcome = case.outcome(tool_calls=(ToolCall("f", {"on": True}, "a"),))
    actual = case.outcome(dialect="openai-chat", tool_calls=(ToolCall("f", {"on": 1}, "a"),), finish=CALLS)
    assert status(case(upstream_outcome=upstream_outcome, client_outcome=actual), "response.tool_calls") == "FAIL"


def test_media_by_bytes(case, verdicts):
    png, jpeg = Media("image/png", "aa"), Media("image/png", "bb")
    for actual, expected in [((png, jpeg), "PASS"), ((png,), "FAIL"), ((jpeg, png), "FAIL")]:
        client_outcome = case.outcome(dialect="openai-chat", media=actual)
        (found,) = verdicts(
            case(upstream_outcome=case.outcome(media=(png, jpeg)), client_outcome=client_outcome), "response.media"
        )
        assert found.status == expected
    sound = case(upstream_outcome=case.outcome(media=(Media("audio/l16", "cc"), png)), client_outcome=client_outcome)
    assert verdicts(sound, "response.media")[0].status == "FAIL"
    preserved = case.outcome(dialect="openai-chat", media=(png,))
    (lost,) = verdicts(
        case(upstream_outcome=case.outcome(media=(Media("audio/l16", "cc"), png)), client_outcome=preserved),
        "response.media",
    )
    assert lost.status == "PASS"
    assert [loss.rule for loss in lost.losses] == ["gemini.raw_audio"]


def test_code_arrives_as_text_or_as_a_declared_loss(case, verdicts, status):
    upstream_outcome = case.outcome(text=("a", "b"), code=(("executable", "print(1)"),))
    fenced = case.outcome(dialect="openai-chat", text=("a```python\nprint(1)\n```b",))
    assert status(case(upstream_outcome=upstream_outcome, client_outcome=fenced), "response.text") == "PASS"
    assert verdicts(case(upstream_outcome=upstream_outcome, client_outcome=fenced), "response.code")[0].rules == (
        "code_as_text",
    )
    plain = case.outcome(dialect="openai-chat", text=("ab",))
    assert verdicts(case(upstream_outcome=upstream_outcome, client_outcome=plain), "response.code")[0].losses
    gemini = case(upstream_outcome=upstream_outcome, client_outcome=case.outcome(text=("a", "b")), client="gemini")
    assert status(gemini, "response.code") == "FAIL"


def test_web_citations_of_anthropic_have_a_place_in_chat(case, status):
    ends = {"upstream": "anthropic", "client_outcome": case.outcome(dialect="openai-chat")}
    of_web = case.outcome(dialect="anthropic", citations=('{"title":"T","url":"https://example.org/"}',))
    of_document = case.outcome(dialect="anthropic", citations=('{"document_index":0,"start_char_index":1}',))
    assert status(case(upstream_outcome=of_web, **ends), "response.citations") == "WARN"
    assert status(case(upstream_outcome=of_document, **ends), "response.citations") == "PASS"


def test_citations(case, verdicts, status):
    upstream_outcome = case.outcome(citations=('{"uri":"https://example.org/"}',))
    assert verdicts(case(upstream_outcome=upstream_outcome), "response.citations")[0].losses
    assert (
        status(
            case(upstream_outcome=upstream_outcome, client_outcome=case.outcome(), client="gemini"),
            "response.citations",
        )
        == "FAIL"
    )
    assert (
        status(
            case(upstream_outcome=upstream_outcome, client_outcome=upstream_outcome, client="gemini"),
            "response.citations",
        )
        == "PASS"
    )


@pytest.mark.parametrize(
    ("kind", "calls", "actual", "expected"),
    [
        ("stop", False, "stop", "PASS"),
        ("stop", False, "length", "FAIL"),
        ("stop", True, "tool_calls", "PASS"),
        ("stop", True, "stop", "FAIL"),
        ("length", True, "length", "PASS"),
        ("length", True, "tool_calls", "FAIL"),
        ("content_filter", False, "stop", "FAIL"),
        ("malformed_call", False, "stop", "FAIL"),
        ("malformed_call", False, "content_filter", "PASS"),
        ("incomplete", False, "stop", "FAIL"),
        ("incomplete", False, "incomplete", "PASS"),
    ],
)
def test_finish(case, status, kind, calls, actual, expected):
    found = (CALL,) if calls else ()
    upstream_outcome = case.outcome(tool_calls=found, finish=Finish("X", kind))
    client_outcome = case.outcome(dialect="openai-chat", tool_calls=found, finish=Finish("y", actual))
    assert status(case(upstream_outcome=upstream_outcome, client_outcome=client_outcome), "response.finish") == expected


def test_a_named_tool_makes_stop_right(case, status):
    from bridgecheck.model.prompt import Tool, ToolChoice

    upstream_outcome = case.outcome(tool_calls=(CALL,))
    actual = case.outcome(dialect="openai-chat", tool_calls=(CALL,), finish=Finish("stop", "stop"))
    client_prompt = {"tools": (Tool("weather"),), "tool_choice": ToolChoice("named", ("weather",))}
    evidence = case(
        upstream_outcome=upstream_outcome,
        client_outcome=actual,
        client_prompt=case.prompt(dialect="openai-chat", **client_prompt),
        upstream_prompt=case.prompt(**client_prompt),
    )
    assert status(evidence, "response.finish") == "PASS"


@pytest.mark.parametrize(
    ("provider", "calls", "client", "expected"),
    [
        ("stop", True, "tool_calls", "WARN"),
        ("tool_calls", True, "stop", "FAIL"),
        ("stop", False, "tool_calls", "FAIL"),
        ("length", True, "tool_calls", "FAIL"),
        ("stop", True, "length", "FAIL"),
    ],
)
def test_stop_beside_calls_may_be_corrected_where_nothing_is_converted(case, status, provider, calls, client, expected):
    found = (CALL,) if calls else ()
    ends = [case.outcome(dialect="openai-chat", tool_calls=found, finish=Finish(k, k)) for k in (provider, client)]
    evidence = case(upstream="openai-chat", upstream_outcome=ends[0], client_outcome=ends[1])
    assert status(evidence, "response.finish") == expected


def test_a_gemini_client_gets_stop_with_calls(case, status):
    upstream_outcome = case.outcome(dialect="openai-chat", tool_calls=(CALL,), finish=CALLS)
    evidence = case(
        upstream="openai-chat",
        client="gemini",
        upstream_outcome=upstream_outcome,
        client_outcome=case.outcome(tool_calls=(CALL,)),
    )
    assert status(evidence, "response.finish") == "PASS"


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (Usage(10, 15, 32, reasoning=5, cached=4), "PASS"),
        (Usage(17, 15, 32, reasoning=5, cached=4), "PASS"),
        (Usage(10, 10, 32, reasoning=5, cached=4), "FAIL"),
        (Usage(10, 15, 64, reasoning=5, cached=4), "FAIL"),
        (Usage(10, 15, 32, reasoning=5), "WARN"),
        (Usage(10, 15, 32), "WARN"),
        (Usage(10, 15, 32, reasoning=5, cached=0), "FAIL"),
        (Usage(10, 15, 32, reasoning=0), "FAIL"),
        (Usage(10, 10, 32, cached=4), "FAIL"),
        (Usage(6, 15, 32, reasoning=5), "FAIL"),
        (None, "FAIL"),
    ],
)
def test_usage(case, status, actual, expected):
    upstream_outcome = case.outcome(usage=Usage(10, 15, 32, cached=4, reasoning=5, tool_prompt=7))
    client_outcome = case.outcome(dialect="openai-chat", usage=actual)
    assert status(case(upstream_outcome=upstream_outcome, client_outcome=client_outcome), "response.usage") == expected


@pytest.mark.parametrize(
    ("upstream", "client", "actual", "expected"),
    [
        ("gemini", "outcome", Usage(10, 1, 15, reasoning=4), "WARN"),
        ("gemini", "outcome", Usage(10, 1, 15), "FAIL"),
        ("gemini", "outcome", Usage(10, 2, 15, reasoning=4), "FAIL"),
        ("gemini", "outcome", Usage(9, 1, 15, reasoning=4), "FAIL"),
        ("gemini", "openai-chat", Usage(10, 1, 15, reasoning=4), "FAIL"),
        ("openai-chat", "outcome", Usage(10, 1, 15, reasoning=4), "FAIL"),
    ],
)
def test_a_library_may_count_geminis_thoughts_beside_completion(case, status, upstream, client, actual, expected):
    evidence = case(
        upstream=upstream,
        client=client,
        upstream_outcome=case.outcome(dialect=upstream, usage=Usage(10, 5, 15, reasoning=4)),
        client_outcome=case.outcome(dialect=client, usage=actual),
        scenario=case.scenario(outcome={"usage": {"prompt": 10, "completion": 5}}),
    )
    assert status(evidence, "response.usage") == expected
    if (actual.prompt, actual.reasoning) == (10, 4):
        assert status(evidence, "expect.outcome") == expected


@pytest.mark.parametrize(
    ("expected_usage", "actual", "status_"),
    [
        (Usage(10, 5, 15), Usage(10, 5, 15, reasoning=0), "NOTE"),
        (Usage(10, 5, 15, cached=0), Usage(10, 5, 15), "NOTE"),
        (Usage(10, 5, 15), Usage(10, 5, 15, reasoning=1), "WARN"),
        (Usage(10, 5, 15), Usage(10, 5, 15, reasoning=5), "WARN"),
        (Usage(10, 5, 15, cached=4), Usage(10, 5, 15, reasoning=0), "WARN"),
        (Usage(10, 5, 15, cached=4), Usage(10, 5, 15, cached=0), "FAIL"),
        (Usage(10, 0, 10), Usage(10, None, 10), "WARN"),
    ],
)
def test_a_detail_of_0_is_as_good_as_none_within_a_dialect(case, status, expected_usage, actual, status_):
    evidence = case(
        upstream="openai-chat",
        client="openai-chat",
        upstream_outcome=case.outcome(dialect="openai-chat", usage=expected_usage),
        client_outcome=case.outcome(dialect="openai-chat", usage=actual),
    )
    assert status(evidence, "response.usage") == status_


def test_usage_that_was_not_requested_in_a_chat_stream(case, status, verdicts):
    upstream_outcome = case.outcome(usage=Usage(10, 5, 15))
    for usage, expected in [(None, "PASS"), (Usage(10, 5, 15), "NOTE")]:
        client_outcome = case.outcome(dialect="openai-chat", usage=usage)
        assert (
            status(
                case(upstream_outcome=upstream_outcome, client_outcome=client_outcome, mode="stream"), "response.usage"
            )
            == expected
        )
    client_prompt = case.prompt(dialect="openai-chat", other=(("stream_options.include_usage", "true"),))
    requested = case(
        upstream_outcome=upstream_outcome,
        client_outcome=case.outcome(dialect="openai-chat"),
        mode="stream",
        client_prompt=client_prompt,
    )
    assert status(requested, "response.usage") == "FAIL"


def test_falling_counts_may_be_the_last_or_the_highest_but_never_the_sum(case, status):
    documents = tuple({"usageMetadata": {"promptTokenCount": count}} for count in (169, 79))
    upstream_outcome = case.outcome(usage=Usage(prompt=79))
    for prompt, expected in [(79, "PASS"), (169, "PASS"), (248, "FAIL")]:
        client_outcome = case.outcome(dialect="openai-chat", usage=Usage(prompt=prompt))
        client_prompt = case.prompt(dialect="openai-chat", other=(("stream_options.include_usage", "true"),))
        evidence = case(
            upstream_outcome=upstream_outcome,
            client_outcome=client_outcome,
            mode="stream",
            upstream_documents=documents,
            client_prompt=client_prompt,
        )
        assert status(evidence, "response.usage") == expected


USED = Usage(prompt=3, completion=2, total=5)


def test_usage_on_several_chunks_is_a_warning_unless_the_provider_did_it(case, status):
    def stream(*counts):
        return tuple({"choices": [{"index": 0, "delta": {}}], "usage": n and {"total_tokens": n}} for n in counts)

    def judge(*counts, requested=True, client=USED, **more):
        leaves = (("stream_options.include_usage", "true"),) if requested else ()
        prompt = case.prompt(dialect="openai-chat", other=leaves)
        ends = {"client_outcome": case.outcome(dialect="openai-chat", usage=client), "client_prompt": prompt}
        ends |= {"upstream_outcome": case.outcome(usage=USED), "client_documents": stream(*counts)}
        return status(case(mode="stream", **ends, **more), "response.usage")

    assert judge(None, 5) == judge(5) == "PASS"
    assert judge(4, 5) == "WARN"
    assert judge(4, 5, requested=False) == "NOTE"
    assert judge(4, 5, upstream="openai-chat", upstream_documents=stream(4, 5)) == "PASS"
    assert judge(4, 3, client=Usage(prompt=2, completion=1, total=3)) == "FAIL"
    assert judge(client=None) == "FAIL"


ERROR = ErrorInfo("rate_limit", "slow down", 429, "RESOURCE_EXHAUSTED", 7.0)


def make_failed_outcome(case, dialect, error):
    from dataclasses import replace

    return replace(case.outcome(dialect=dialect), choices=(), error=error)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (ErrorInfo("rate_limit", "x", 429, "", 7.0), "PASS"),
        (ErrorInfo("rate_limit", "x", 429), "WARN"),
        (ErrorInfo("server", "x", 500, "", 7.0), "FAIL"),
        (ErrorInfo("rate_limit", "", 429, "", 7.0), "FAIL"),
    ],
)
def test_errors_keep_their_class(case, status, actual, expected):
    evidence = case(
        upstream_outcome=make_failed_outcome(case, "gemini", ERROR),
        client_outcome=make_failed_outcome(case, "openai-chat", actual),
    )
    assert status(evidence, "response.error") == expected


IN_WORDS = "Error code: 429 - {'error': {'message': 'slow down'}}"


@pytest.mark.parametrize(("client", "actual", "expected"), [
    ("outcome", ErrorInfo("unknown", IN_WORDS), "WARN"),
    ("outcome", ErrorInfo("server", IN_WORDS), "FAIL"),
    ("outcome", ErrorInfo("server", IN_WORDS, 500), "FAIL"),
    ("outcome", ErrorInfo("unknown", "slow down"), "FAIL"),
    ("outcome", ErrorInfo("unknown", "Error code: 429"), "FAIL"),
    ("openai-chat", ErrorInfo("unknown", IN_WORDS), "FAIL"),
])  # fmt: skip
def test_an_exception_without_a_class_is_a_warning_where_its_words_have_all(case, status, client, actual, expected):
    evidence = case(
        client=client,
        upstream_outcome=make_failed_outcome(case, "gemini", ERROR),
        client_outcome=make_failed_outcome(case, client, actual),
        scenario=case.scenario(outcome={"error": {"kind": "rate_limit"}}),
    )
    assert status(evidence, "response.error") == expected
    assert status(evidence, "expect.outcome") in (expected, "")


NO_MODEL = ErrorInfo("not_found", "models/tide-1 is not found", 404, "NOT_FOUND")
ENVELOPE = {"error": {"message": "upstream error", "type": "upstream_error"}}


@pytest.mark.parametrize(("sent", "code", "document", "expected"), [
    (NO_MODEL, 502, ENVELOPE, "WARN"),
    (NO_MODEL, 502, {"detail": "upstream error"}, "FAIL"),
    (replace(NO_MODEL, message="no such file"), 502, ENVELOPE, "FAIL"),
    (ErrorInfo("auth", "bad key", 401), 503, ENVELOPE, "WARN"),
    (ErrorInfo("invalid", "bad field of the model", 400), 502, ENVELOPE, "FAIL"),
    (ErrorInfo("too_large", "too long for the model", 413), 502, ENVELOPE, "FAIL"),
    (ErrorInfo("rate_limit", "slow down", 429), 502, ENVELOPE, "FAIL"),
    (NO_MODEL, 429, ENVELOPE, "FAIL"),
])  # fmt: skip
def test_a_gateway_may_call_a_key_or_model_of_its_operator_its_own_failure(
    case, status, sent, code, document, expected
):
    actual = ErrorInfo("rate_limit" if code == 429 else "server", "upstream error", code)
    request = Request("openai-chat", "unary", {}, "m")
    evidence = case(
        upstream_outcome=make_failed_outcome(case, "gemini", sent),
        client_outcome=make_failed_outcome(case, "openai-chat", actual),
        client_sides=(Interaction(request, Response("openai-chat", "unary", (document,), code)),),
        scenario=case.scenario(outcome={"error": {"kind": sent.kind, "status": sent.status}}),
    )
    assert status(evidence, "response.error") == expected
    if expected == "WARN":
        assert status(evidence, "expect.outcome") in ("WARN", "PASS")


@pytest.mark.parametrize("client", ["openai-chat", "anthropic", "outcome"])
@pytest.mark.parametrize(("headers", "expected"), [((), "WARN"), ((("Retry-After", "7"),), "FAIL")])
def test_a_retry_hint_in_a_header_reaches_clients_of_every_dialect(case, status, client, headers, expected):
    lost = replace(ERROR, retry_after=None)
    evidence = case(
        client=client,
        upstream_outcome=make_failed_outcome(case, "gemini", ERROR),
        client_outcome=make_failed_outcome(case, client, lost),
        upstream_sides=(
            Interaction(Request("gemini", "unary", {}, "m"), Response("gemini", "unary", ({},), 429, headers)),
        ),
    )
    assert status(evidence, "response.error") == expected


def test_a_retry_hint_is_not_lost_within_a_dialect(case, status):
    failed = {
        "upstream_outcome": make_failed_outcome(case, "gemini", ERROR),
        "client_outcome": make_failed_outcome(case, "gemini", replace(ERROR, retry_after=None)),
    }
    assert status(case(client="gemini", **failed), "response.error") == "FAIL"
    assert status(case(client="gemini", pivot="openai-chat", **failed), "response.error") == "FAIL"


@pytest.mark.parametrize(
    ("finish", "client", "error", "shown", "expected"),
    [
        (("SAFETY", "content_filter"), "openai-chat, a library", ErrorInfo("content", "SAFETY"), True, "PASS"),
        (("SAFETY", "content_filter"), "openai-chat, a library", ErrorInfo("content", "SAFETY"), False, "WARN"),
        (("SAFETY", "content_filter"), "openai-chat, a library", ErrorInfo("server", "oops"), False, "FAIL"),
        (("STOP", "stop"), "openai-chat, a library", ErrorInfo("content", "blocked"), False, "FAIL"),
        (("SAFETY", "content_filter"), "outcome", ErrorInfo("server", "ended early: SAFETY"), False, "WARN"),
        (("SAFETY", "content_filter"), "outcome", ErrorInfo("content", "blocked"), False, "WARN"),
        (("refusal", "content_filter"), "outcome", ErrorInfo("server", "Stopped by the content filter"), False, "WARN"),
        (("SAFETY", "content_filter"), "outcome", ErrorInfo("content", "blocked"), True, "PASS"),
        (("SAFETY", "content_filter"), "outcome", ErrorInfo("server", "internal error"), True, "FAIL"),
        (("SAFETY", "content_filter"), "openai-chat", ErrorInfo("content", "SAFETY"), True, "FAIL"),
        (("STOP", "stop"), "outcome", ErrorInfo("content", "ended early: STOP"), True, "FAIL"),
        (("MAX_TOKENS", "length"), "outcome", ErrorInfo("content", "MAX_TOKENS"), True, "FAIL"),
    ],
)
def test_a_library_may_raise_for_a_stop_by_policy_that_it_names(case, status, finish, client, error, shown, expected):
    client, _, is_library = client.partition(", ")
    answer = case.outcome(text=("Once",), finish=Finish(*finish))
    received = replace(answer, dialect=client, error=error, choices=answer.choices if shown else ())
    scenario = case.scenario(outcome={"text": "Once", "finish": finish[1]})
    layer = "sdk" if is_library else "wire"
    evidence = case(client=client, upstream_outcome=answer, client_outcome=received, scenario=scenario, layer=layer)
    assert status(evidence, "response.error") == expected
    assert status(evidence, "expect.outcome") == ("PASS" if shown else expected)
    through_sdk = replace(evidence, through_sdk=True)
    assert status(through_sdk, "response.error") == (expected if client == "outcome" else "FAIL")


@pytest.mark.parametrize(("finish", "expected"), [(Finish("stop", "stop"), "FAIL"), (Finish("", "incomplete"), "PASS")])
def test_a_library_that_raises_for_a_stop_told_no_success_before(case, status, finish, expected):
    stopped = case.outcome(text=("Once",), finish=Finish("SAFETY", "content_filter"))
    raised = case.outcome(dialect="openai-chat", text=("Once",), finish=finish)
    raised = replace(raised, error=ErrorInfo("unknown", "Candidate was blocked due to SAFETY"))
    evidence = case(upstream_outcome=stopped, client_outcome=raised, mode="stream", layer="sdk")
    assert (status(evidence, "response.error"), status(evidence, "response.finish")) == ("WARN", expected)


@pytest.mark.parametrize(
    ("finish", "error", "received", "expected"),
    [
        (("PROHIBITED_CONTENT", "content_filter"), "No content. Finish reason: PROHIBITED_CONTENT", Usage(9), "PASS"),
        (("PROHIBITED_CONTENT", "content_filter"), "No content. Finish reason: PROHIBITED_CONTENT", None, "WARN"),
        (("PROHIBITED_CONTENT", "content_filter"), "list index out of range", None, "FAIL"),
        (("MAX_TOKENS", "length"), "No content. Finish reason: MAX_TOKENS", None, "WARN"),
        (("MAX_TOKENS", "length"), "list index out of range", None, "FAIL"),
        (("STOP", "stop"), "No content. Finish reason: STOP", None, "FAIL"),
    ],
)
def test_a_library_may_raise_for_an_answer_without_content_that_it_explains(
    case, status, finish, error, received, expected
):
    answer = case.outcome(text=(), order=(), finish=Finish(*finish), usage=Usage(9))
    failed = replace(answer, dialect="outcome", error=ErrorInfo("server", error), usage=received)
    evidence = case(client="outcome", upstream_outcome=answer, client_outcome=failed)
    assert status(evidence, "response.error") == expected


def test_an_error_does_not_match_an_answer(case, status):
    assert status(case(upstream_outcome=make_failed_outcome(case, "gemini", ERROR)), "response.error") == "FAIL"
    invented = case(client_outcome=make_failed_outcome(case, "openai-chat", ERROR))
    assert status(invented, "response.error") == "FAIL"
    assert status(invented, "response.text") == ""


def test_a_cut_stream_may_end_in_an_error_after_its_content(case, status):
    from dataclasses import replace

    cut = case.outcome(text=("Hel",), finish=Finish("", "incomplete"))
    shown = replace(cut, dialect="openai-chat", error=ErrorInfo("truncated", "cut"))
    evidence = case(upstream_outcome=cut, client_outcome=shown, mode="stream")
    assert [status(evidence, check) for check in ("response.error", "response.text", "response.finish")] == ["PASS"] * 3
    cleaned = case.outcome(dialect="openai-chat", text=("Hel",))
    assert status(case(upstream_outcome=cut, client_outcome=cleaned, mode="stream"), "response.finish") == "FAIL"


@pytest.mark.parametrize(
    ("client", "last", "expected"),
    [
        ("anthropic", {"type": "error", "message": {"type": "api_error", "message": "upstream"}}, ("PASS", "FAIL")),
        ("anthropic", {"type": "content_block_stop", "index": 0}, ("FAIL", "PASS")),
        ("openai-chat", {"type": "error", "message": "upstream"}, ("FAIL", "FAIL")),
    ],
)
def test_a_stream_that_ends_in_an_event_of_an_error_does_not_end_quietly(case, status, client, last, expected):
    """Its form is one finding, of the shape; the SDK of Chat looks for the member ``error`` alone."""
    cut = case.outcome(text=("Hel",), finish=Finish("", "incomplete"))
    failed = replace(cut, error=ErrorInfo("server", "upstream"))
    first = case.interaction(client, "stream", None, None).response.documents
    evidence = case(
        client=client, mode="stream", layer="sdk", upstream_outcome=failed,
        client_outcome=replace(cut, dialect=client), client_documents=(*first, last),
    )  # fmt: skip
    assert (status(evidence, "response.error"), status(evidence, "client.wire_shape")) == expected


@pytest.mark.parametrize(("kind", "expected"), [("incomplete", "PASS"), ("stop", "FAIL"), ("length", "FAIL")])
def test_a_broken_stream_may_be_reported_as_broken(case, status, kind, expected):
    cut = case.outcome(text=("Hel",), finish=Finish("", kind))
    reported = replace(
        case.outcome(text=("Hel",), finish=Finish("", "incomplete")), error=ErrorInfo("truncated", "cut")
    )
    unconverted = case(upstream_outcome=cut, client_outcome=reported, mode="stream", client="gemini")
    assert status(unconverted, "response.finish" if kind == "incomplete" else "response.error") == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (f"wrong key {UPSTREAM_KEY}.", "PASS"),
        ("wrong key [redacted].", "PASS"),
        ("wrong key .", "PASS"),
        (f"openai said: wrong key {UPSTREAM_KEY}. Try another.", "PASS"),
        ("wrong password [redacted].", "WARN"),
        ("[redacted]", "WARN"),
    ],
)
def test_a_forwarded_error_keeps_the_provider_s_words_perhaps_without_its_key(case, status, message, expected):
    upstream_outcome = replace(ERROR, message=f"wrong key {UPSTREAM_KEY}.")
    actual = make_failed_outcome(case, "gemini", replace(upstream_outcome, message=message))
    evidence = case(
        upstream_outcome=make_failed_outcome(case, "gemini", upstream_outcome), client_outcome=actual, client="gemini"
    )
    assert status(evidence, "response.error") == expected


def test_a_clean_end_after_an_error_event_fails(case, status):
    from dataclasses import replace

    upstream_outcome = replace(case.outcome(text=("Hel",), finish=Finish("", "incomplete")), error=ERROR)
    actual = case.outcome(dialect="openai-chat", text=("Hel",))
    evidence = case(upstream_outcome=upstream_outcome, client_outcome=actual, mode="stream")
    assert status(evidence, "response.error") == "FAIL"
    assert status(evidence, "response.finish") == "FAIL"


def test_choices(case, status, verdicts):
    both = case.outcome(choices=(Choice(0, ("a",), finish=STOP), Choice(1, ("b",), finish=STOP)))
    single = case.outcome(dialect="openai-chat", text=("a",))
    assert status(case(upstream_outcome=both, client_outcome=single), "response.choices") == "FAIL"
    assert status(case(upstream_outcome=both, client_outcome=both, client="gemini"), "response.choices") == "PASS"
    (lost,) = verdicts(
        case(upstream_outcome=both, client_outcome=case.outcome(text=("a",)), client="gemini", pivot="anthropic"),
        "response.choices",
    )
    assert [loss.rule for loss in lost.losses] == ["gemini.choices"]


def test_unknown_leaves_are_preserved_declared_or_a_silent_loss(case, status, verdicts):
    known = case.outcome(unmapped=(("candidates[].avgLogprobs", "-0.1"),))
    (found,) = verdicts(case(upstream_outcome=known), "response.other")
    assert (found.status, found.losses[0].rule) == ("PASS", "gemini.avg_logprobs")
    unknown = case.outcome(unmapped=(("candidates[].brandNew", '"x1"'),))
    (noted,) = (each for each in verdicts(case(upstream_outcome=unknown), "response.other") if each.status == "NOTE")
    assert noted.message == "1 values that gemini does not document did not arrive: candidates[].brandNew"
    native = case(upstream_outcome=unknown, client_outcome=case.outcome(), client="gemini")
    assert status(native, "response.other") == "WARN"
    pivoted = case(upstream_outcome=known, client_outcome=case.outcome(), client="gemini", pivot="openai-chat")
    assert status(pivoted, "response.other") == "WARN"
    assert status(replace(case(upstream_outcome=unknown), through_sdk=True), "response.other") == ""
    carried = case.outcome(dialect="openai-chat", unmapped=(("extra_content.google.brandNew", '"x1"'),))
    assert status(case(upstream_outcome=unknown, client_outcome=carried), "response.other") == "PASS"
    assert (
        status(case(upstream_outcome=known, client_outcome=case.outcome(), client="gemini"), "response.other") == "WARN"
    )


@pytest.mark.parametrize(
    ("upstream", "lost", "arrived", "expected"),
    [
        ("openai-chat", ("created", "1700000000"), None, "WARN"),
        ("openai-chat", ("created", "0"), None, "PASS"),
        ("openai-chat", ("created", "1700000000"), ("createTime", '"2026-11-23T00:00:00Z"'), "PASS"),
        ("openai-chat", ("choices[].logprobs.content[].logprob", "-0.5"), None, "WARN"),
        (
            "openai-chat",
            ("choices[].logprobs.content[].bytes[]", "65"),
            ("candidates[].logprobsResult.chosenCandidates[].token", '"A"'),
            "PASS",
        ),
        ("openai-chat", ("choices[].logprobs.refusal[].logprob", "-0.5"), None, "PASS"),
        ("anthropic", ("stop_sequence", '"AVAST"'), None, "PASS"),
    ],
)
def test_a_loss_that_the_client_has_a_place_for_is_a_warning(case, verdicts, upstream, lost, arrived, expected):
    answers = case.outcome(dialect=upstream, unmapped=(lost,)), case.outcome(unmapped=(arrived,) if arrived else ())
    evidence = case(client="gemini", upstream=upstream, upstream_outcome=answers[0], client_outcome=answers[1])
    assert verdicts(evidence, "response.other")[-1].status == expected


@pytest.mark.parametrize(
    ("upstream_end", "client_end", "finish", "expected"),
    [
        ("reset", "terminated", "incomplete", "FAIL"),
        ("cut", "terminated", "incomplete", "FAIL"),
        ("cut", "complete", "incomplete", "WARN"),
        ("reset", "reset", "incomplete", "PASS"),
        ("reset", "cut", "incomplete", "PASS"),
        ("reset", "complete", "other", "PASS"),
        ("complete", "complete", "incomplete", ""),
    ],
)
def test_a_stream_that_broke_does_not_end_in_silence(case, status, upstream_end, client_end, finish, expected):
    begun = {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}
    terminated = client_end == "terminated"
    end = "complete" if terminated else client_end
    received = Response("openai-chat", "stream", (begun,), end=end, terminated=terminated)
    sides = {
        "upstream_sides": (Interaction(None, Response("gemini", "stream", ({"candidates": []},), end=upstream_end)),),
        "client_sides": (Interaction(None, received),),
        "upstream_outcome": case.outcome(text=("Hel",), finish=Finish("", "incomplete")),
        "client_outcome": case.outcome(dialect="openai-chat", text=("Hel",), finish=Finish("", finish)),
    }
    assert status(case(mode="stream", layer="http", **sides), "response.error") == expected
    assert status(case(mode="stream", layer="wire", **sides), "response.error") in ("PASS", "")


def test_half_an_event_need_not_be_passed_on(case, status):
    upstream_outcome = case.outcome(unmapped=(("(undecodable)", '"{\\"candi"'),))

    def of(end, layer, path="bridged"):
        turn = Interaction(None, Response("gemini", "stream", ({"candidates": []},), end=end))
        sides = {
            "upstream_sides": (turn,),
            "upstream_outcome": upstream_outcome,
            "client_outcome": case.outcome(),
            "client": "gemini",
        }
        return status(case(mode="stream", layer=layer, path=path, **sides), "response.other")

    assert of("complete", "sdk") == "WARN"
    assert of("cut", "sdk") == of("complete", "wire") == ""
    assert of("cut", "wire", "native") == "WARN"


def test_stream_ends_once(case, status):
    def chunk(content, finish):
        return {"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish}]}

    for events, expected in [
        ((chunk("a", None), chunk("", "stop")), "PASS"),
        ((chunk("a", "stop"), chunk("", "stop")), "FAIL"),
        ((chunk("a", "stop"), chunk("b", None)), "FAIL"),
    ]:
        evidence = case(mode="stream", client_documents=events)
        assert status(evidence, "stream.terminates_once") == expected
    twice = (chunk("a", "stop"), chunk("", "stop"))
    same = case(mode="stream", upstream="openai-chat", upstream_documents=twice, client_documents=twice)
    assert status(same, "stream.terminates_once") == "INHERITED"


def test_a_usage_chunk_before_the_end_is_a_warning_unless_the_provider_did_it(case, status, verdicts):
    def chunk(content, finish, **more):
        return {"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish}], **more}

    usage = {"choices": [], "usage": {"prompt_tokens": 1}}
    early, late = (chunk("a", None), usage, chunk("", "stop")), (chunk("a", None), chunk("", "stop"), usage)
    assert status(case(mode="stream", client_documents=early), "stream.terminates_once") == "WARN"
    assert status(case(mode="stream", client_documents=late), "stream.terminates_once") == "PASS"
    on_each = (chunk("a", None, usage={"prompt_tokens": 1}), chunk("", "stop", usage={"prompt_tokens": 1}))
    assert status(case(mode="stream", client_documents=on_each), "stream.terminates_once") == "PASS"
    never = (chunk("a", None), usage)
    assert status(case(mode="stream", client_documents=never), "stream.terminates_once") == "PASS"
    same = {"mode": "stream", "upstream": "openai-chat", "client_documents": early}
    assert status(case(**same, upstream_documents=early), "stream.terminates_once") == "INHERITED"
    assert status(case(**same, upstream_documents=late), "stream.terminates_once") == "WARN"
    twice = (*early, chunk("", "stop"))
    found = verdicts(case(mode="stream", client_documents=twice), "stream.terminates_once")
    assert [verdict.status for verdict in found] == ["FAIL", "WARN"]


def test_malformed_arguments_may_be_reported_as_such(case, status):
    bad = ToolCall("f", {}, "c2", bad_args='{"a": 1')
    upstream_outcome = case.outcome(dialect="openai-chat", tool_calls=(CALL, bad), finish=CALLS)
    reported = case.outcome(finish=Finish("MALFORMED_FUNCTION_CALL", "malformed_call"))
    ends = {"upstream": "openai-chat", "client": "gemini", "upstream_outcome": upstream_outcome}
    for actual, expected in [
        (reported, "PASS"),
        (case.outcome(tool_calls=(CALL, ToolCall("f", {}, "c2"))), "PASS"),
        (case.outcome(tool_calls=(CALL,)), "FAIL"),
        (case.outcome(), "FAIL"),
    ]:
        assert status(case(**ends, client_outcome=actual), "response.tool_calls") == expected
    assert status(case(**ends, client_outcome=reported), "response.finish") == "PASS"


def test_an_error_may_replace_calls_that_cannot_be_decoded(case, status):
    bad = ToolCall("f", {}, "c2", bad_args="[1, 2]")
    upstream_outcome = case.outcome(dialect="openai-chat", tool_calls=(bad, CALL), finish=CALLS)
    ends = {"upstream": "openai-chat", "client": "anthropic", "upstream_outcome": upstream_outcome}
    failed = ErrorInfo("server", "malformed arguments", 502)
    for calls, expected in [((CALL,), "PASS"), ((), "PASS"), ((ToolCall("g", {}, "c1"),), "FAIL")]:
        actual = replace(case.outcome(dialect="anthropic", tool_calls=calls), error=failed)
        assert status(case(**ends, client_outcome=actual), "response.tool_calls") == expected


def test_a_stream_that_fails_at_a_broken_call_may_have_started_it(case, status):
    first, second = ToolCall("f", {}, "c1", bad_args='{"a": 1'), ToolCall("f", {}, "c2", bad_args="[1, 2]")
    upstream_outcome = case.outcome(dialect="openai-chat", tool_calls=(first, second), finish=CALLS)
    ends = {"upstream": "openai-chat", "client": "anthropic", "upstream_outcome": upstream_outcome}
    for calls, expected in [((first,), "PASS"), ((), "PASS"), ((CALL,), "FAIL")]:
        failed = ErrorInfo("server", "malformed arguments", 502)
        actual = replace(case.outcome(dialect="anthropic", tool_calls=calls), error=failed)
        assert status(case(**ends, client_outcome=actual), "response.tool_calls") == expected


def test_a_call_cut_by_the_token_limit_may_be_dropped(case, status):
    bad = ToolCall("f", {}, "c2", bad_args='{"a": 1')
    limit = Finish("MAX_TOKENS", "length")
    upstream_outcome = case.outcome(dialect="openai-chat", tool_calls=(CALL, bad), finish=Finish("length", "length"))
    ends = {"upstream": "openai-chat", "client": "gemini", "upstream_outcome": upstream_outcome}
    for actual, expected in [
        (case.outcome(tool_calls=(CALL,), finish=limit), "PASS"),
        (case.outcome(finish=limit), "PASS"),
        (case.outcome(tool_calls=(CALL,)), "FAIL"),
        (case.outcome(tool_calls=(CALL, ToolCall("f", {"a": 1}, "c2")), finish=limit), "FAIL"),
    ]:
        assert status(case(**ends, client_outcome=actual), "response.tool_calls") == expected


def test_reasoning_above_completion_is_counted_separately(case, status):
    upstream_outcome = case.outcome(dialect="openai-chat", usage=Usage(21, 16, 37, reasoning=22))
    for completion, expected in [(16, "PASS"), (38, "PASS"), (22, "FAIL")]:
        actual = case.outcome(usage=Usage(21, completion, 37, reasoning=22))
        assert (
            status(
                case(upstream="openai-chat", client="gemini", upstream_outcome=upstream_outcome, client_outcome=actual),
                "response.usage",
            )
            == expected
        )


@pytest.mark.parametrize(("counted_at", "expected"), [(("content", "finish"), "WARN"), (("finish",), "FAIL")])
def test_counts_that_a_host_repeats_in_every_chunk_may_be_added_up(case, status, counted_at, expected):
    """OpenAI's chunks before the last have none: a host that counts in each was not asked to."""
    kinds = {"content": ({"content": "Hi"}, None), "finish": ({}, "stop")}
    chunks = tuple(
        {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        | ({"usage": {"prompt_tokens": 21, "completion_tokens": 7}} if kind in counted_at else {})
        for kind, (delta, finish) in kinds.items()
    )
    request = case().transcript.upstream[0].request
    answer = Response("openai-chat", "stream", chunks)
    evidence = case(
        client="gemini", upstream="openai-chat", mode="stream",
        upstream_sides=(Interaction(replace(request, dialect="openai-chat"), answer),),
        upstream_outcome=case.outcome(dialect="openai-chat", usage=Usage(21, 7)),
        client_outcome=case.outcome(usage=Usage(42, 14)),
    )  # fmt: skip
    assert status(evidence, "response.usage") == expected


def test_audio_without_an_exact_type(case, status):
    upstream_outcome = case.outcome(dialect="openai-chat", media=(Media("audio/*", "aa"),))
    for actual, expected in [((Media("audio/ogg", "aa"),), "PASS"), ((Media("audio/ogg", "bb"),), "FAIL")]:
        evidence = case(
            upstream="openai-chat",
            client="gemini",
            upstream_outcome=upstream_outcome,
            client_outcome=case.outcome(media=actual),
        )
        assert status(evidence, "response.media") == expected


def test_decoded_json_in_place_of_text(case, status):
    upstream_outcome = case.outcome(
        dialect="openai-chat", text=(), unmapped=(("choices[].message.content.title", '"Apples"'),)
    )
    for text, expected in [(('{"title": "Apples"}',), ""), ((), "WARN")]:
        evidence = case(
            upstream="openai-chat",
            client="gemini",
            upstream_outcome=upstream_outcome,
            client_outcome=case.outcome(text=text),
        )
        assert status(evidence, "response.other") == expected
        assert status(evidence, "response.text") == "PASS"


TOGETHER = ToolCall("tick", {}, "a", bad_args='{"n":1}{"n":2}')
SEPARATE_CALLS = (ToolCall("tick", {"n": 1}, "a"), ToolCall("tick", {"n": 2}, "b"))


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (SEPARATE_CALLS, "PASS"),
        ((TOGETHER,), "PASS"),
        ((SEPARATE_CALLS[1], SEPARATE_CALLS[0]), "FAIL"),
        (SEPARATE_CALLS[:1] * 3, "FAIL"),
    ],
)
def test_merged_calls_may_be_separated(case, status, actual, expected):
    upstream_outcome = case.outcome(tool_calls=(TOGETHER,), finish=CALLS)
    client_outcome = case.outcome(tool_calls=actual, finish=CALLS)
    assert (
        status(case(upstream_outcome=upstream_outcome, client_outcome=client_outcome), "response.tool_calls")
        == expected
    )


def test_a_renamed_function_is_returned_under_the_clients_name(case, status):
    client_prompt, upstream_prompt = (
        case.prompt(tools=(Tool("a.b"),)),
        case.prompt(dialect="openai-chat", tools=(Tool("a_b"),)),
    )
    upstream_outcome = case.outcome(
        dialect="openai-chat", text=(), order=(("call", 0),), tool_calls=(ToolCall("a_b", {}, "1"),)
    )
    for name, expected in (("a.b", "PASS"), ("a_b", "FAIL")):
        client_outcome = case.outcome(text=(), order=(("call", 0),), tool_calls=(ToolCall(name, {}, "1"),))
        evidence = case(
            client="gemini",
            upstream="openai-chat",
            client_prompt=client_prompt,
            upstream_prompt=upstream_prompt,
            upstream_outcome=upstream_outcome,
            client_outcome=client_outcome,
        )
        assert status(evidence, "response.tool_calls") == expected


@pytest.mark.parametrize(("native", "kind", "expected"), [("STOP", "stop", "WARN"), ("MAX_TOKENS", "length", "FAIL")])
def test_a_library_that_tells_of_no_end_loses_what_was_cut(case, status, native, kind, expected):
    sent = case.outcome(finish=Finish(native, kind))
    received = case.outcome(dialect="outcome", finish=Finish("", "incomplete"))
    evidence = case(client="outcome", upstream_outcome=sent, client_outcome=received, client_documents=({"parts": []},))
    assert status(evidence, "response.finish") == expected


@pytest.mark.parametrize(("client", "kind", "expected"), [
    ("outcome", "other", "PASS"), ("outcome", "stop", "FAIL"), ("openai-chat", "other", "FAIL"),
])  # fmt: skip
def test_a_library_may_tell_of_a_stream_that_broke_off_as_another_end(case, status, client, kind, expected):
    sent = case.outcome(finish=Finish("", "incomplete"))
    received = case.outcome(dialect=client, finish=Finish(kind, kind))
    evidence = case(client=client, upstream_outcome=sent, client_outcome=received, client_documents=({"parts": []},))
    assert status(evidence, "response.finish") == expected


NAN = b'{"choices": [{"message": {"content": "Hello"}, "logprobs": NaN}]}'


@pytest.mark.parametrize(
    ("upstream", "of_provider", "status_code", "body", "expected"),
    [
        ("gemini", None, 200, NAN, "FAIL"),
        ("gemini", None, 200, b"<!doctype html><title>Welcome</title>", "FAIL"),
        ("gemini", None, 502, NAN, "PASS"),
        ("gemini", NAN + b" ", 200, NAN, "FAIL"),
        ("openai-chat", NAN + b" ", 200, NAN, "INHERITED"),
        ("gemini", NAN, 200, NAN, "INHERITED"),
    ],
)
def test_no_json_is_no_success_where_an_error_is_right(
    case, status, upstream, of_provider, status_code, body, expected
):
    """None of the provider: its call has arguments that are no JSON."""
    request = case().transcript.client[0].request
    actual = decode_response("openai-chat", "unary", status_code, (), (body,), "complete")
    outcome = case.outcome(dialect=upstream, tool_calls=(ToolCall("depth", {}, "call_1", '{"metres": NaN}'),))
    sides = {}
    if of_provider is not None:
        recorded = decode_response(upstream, "unary", 200, (), (of_provider,), "complete")
        outcome, sides = normalise.response(recorded), {"upstream_sides": (Interaction(request, recorded),)}
    evidence = case(
        client="openai-chat", upstream=upstream, client_sides=(Interaction(request, actual),),
        client_outcome=normalise.response(actual), upstream_outcome=outcome, **sides,
    )  # fmt: skip
    assert status(evidence, "client.wire_shape") == expected
