"""The rules that only pairs with Anthropic fire, each with a passing and a failing case."""

from dataclasses import replace

import pytest

from bridgecheck.model.outcome import ErrorInfo, Media, ToolCall, Usage
from bridgecheck.model.prompt import (
    CallPart,
    MediaPart,
    OtherPart,
    ReasoningPart,
    ResponseFormat,
    ResultPart,
    TextPart,
    Thinking,
    Tool,
    ToolChoice,
    Turn,
)

TO_CHAT = {"client": "anthropic", "upstream": "openai-chat"}
TO_GEMINI = {"client": "anthropic", "upstream": "gemini"}
FROM_CHAT = {"client": "openai-chat", "upstream": "anthropic"}
FROM_GEMINI = {"client": "gemini", "upstream": "anthropic"}
WITHOUT = {"client": "openai-chat", "upstream": "gemini"}
TOOL = Tool("f", schema={"type": "object", "properties": {}})


def user(*parts):
    return Turn("user", tuple(TextPart(part) if isinstance(part, str) else part for part in parts))


def model(*parts):
    return Turn("assistant", tuple(TextPart(part) if isinstance(part, str) else part for part in parts))


@pytest.fixture
def judge_request(case, verdicts):
    """Return status, rules and losses of one check on a request of one pair."""

    def judge_pair(check, pair, client_prompt, upstream_prompt):
        evidence = case(
            client_prompt=case.prompt(dialect=pair["client"], **client_prompt),
            upstream_prompt=case.prompt(dialect=pair["upstream"], **upstream_prompt),
            **pair,
        )
        found = verdicts(evidence, check)
        status = next(
            (worst for worst in ("ERROR", "FAIL", "WARN", "NOTE", "PASS") if worst in {v.status for v in found}), ""
        )
        return status, {name for v in found for name in (*v.rules, *(loss.rule for loss in v.losses))}

    return judge_pair


EFFORT = {"thinking": Thinking(level="high")}
ANY = {"tools": (TOOL,), "tool_choice": ToolChoice("required")}
CHAIN = (user("Hi"), model(CallPart(ToolCall("f", {}, "c1"))), user(ResultPart("c1", "f", "x")))
LED = (user("Hi"), model(ReasoningPart("Hm."), *CHAIN[1].parts), CHAIN[2])


@pytest.mark.parametrize(
    ("upstream_prompt", "status", "rule"),
    [
        ({}, "FAIL", None),
        (ANY, "PASS", "thinking.forced_tool"),
        ({"settings": (("max_tokens", 1024),)}, "PASS", "thinking.no_room"),
        ({"settings": (("max_tokens", 4096),)}, "FAIL", None),
        ({"turns": CHAIN}, "PASS", "thinking.not_replayed"),
        ({"turns": LED}, "FAIL", None),
        ({"turns": (*CHAIN, user("And?"))}, "PASS", "thinking.not_replayed"),
        ({"turns": (*LED, user("And?"))}, "FAIL", None),
        ({"turns": (user("Hi"), model("It is"))}, "PASS", "thinking.prefilled"),
        ({"turns": (user("Hi"), model("It is"), user("Go on"))}, "FAIL", None),
        ({"thinking": Thinking(budget=-1, level="high")}, "PASS", None),
        ({"thinking": Thinking(budget=20000)}, "PASS", "effort_bucket"),
        ({"thinking": Thinking(budget=1024), "settings": (("max_tokens", 1025),)}, "PASS", "effort_bucket"),
        ({"thinking": Thinking(budget=1024), "settings": (("max_tokens", 32000),)}, "FAIL", None),
        ({"thinking": Thinking(budget=4096), "settings": (("max_tokens", 32000),)}, "PASS", "effort_bucket"),
    ],
)
def test_thinking_may_be_dropped_only_where_anthropic_refuses_it(judge_request, upstream_prompt, status, rule):
    found, rules = judge_request("request.thinking", FROM_CHAT, EFFORT, upstream_prompt)
    assert found == status
    assert rule is None or rule in rules


@pytest.mark.parametrize(
    ("client_prompt", "upstream_prompt", "status", "rule"),
    [
        ({"temperature": 0.3}, {}, "FAIL", None),
        ({"temperature": 0.3}, {"thinking": Thinking(budget=2048)}, "PASS", "settings.thinking_excludes"),
        ({"stop": ("x",)}, {"thinking": Thinking(budget=2048)}, "FAIL", None),
        ({"temperature": 0.3}, {"thinking": Thinking(budget=0)}, "FAIL", None),
        ({"temperature": 1.6}, {"settings": (("temperature", 1),)}, "PASS", "settings.temperature_range"),
        ({"temperature": 1.6}, {"settings": (("temperature", 0.8),)}, "FAIL", None),
        ({"temperature": 0.6}, {"settings": (("temperature", 1),)}, "FAIL", None),
        ({"seed": 3}, {}, "PASS", "chat.settings"),
        ({"stop": ("x", "\n")}, {"settings": (("stop", ("x",)),)}, "PASS", "settings.blank_stops"),
        ({"stop": ("\n",)}, {}, "PASS", "settings.blank_stops"),
        ({"user": "u" * 65}, {}, "PASS", "settings.user_length"),
        ({"user": "u" * 64}, {}, "FAIL", None),
        ({"stop": ("x", "y")}, {"settings": (("stop", ("x",)),)}, "FAIL", None),
    ],
)
def test_settings_may_be_dropped_only_where_anthropic_refuses_them(
    judge_request, client_prompt, upstream_prompt, status, rule
):
    found, rules = judge_request(
        "request.settings", FROM_CHAT, {"settings": tuple(client_prompt.items())}, upstream_prompt
    )
    assert found == status
    assert rule is None or rule in rules


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-sonnet-4-5", "PASS"),
        ("anthropic.claude-opus-4-1-20250805-v1:0", "PASS"),
        ("claude-sonnet-4-20250514", "FAIL"),
        ("claude-3-7-sonnet-latest", "FAIL"),
        ("gpt-4o", "FAIL"),
    ],
)
def test_newer_models_accept_temperature_or_top_p_but_not_both(case, status, model, expected):
    both = (("temperature", 0.3), ("top_p", 0.9))
    client_prompt = case.prompt(dialect="openai-chat", settings=both)
    upstream_prompt = replace(case.prompt(dialect="anthropic", settings=both[:1]), model=model)
    assert (
        status(case(client_prompt=client_prompt, upstream_prompt=upstream_prompt, **FROM_CHAT), "request.settings")
        == expected
    )


@pytest.mark.parametrize(
    ("pair", "client_prompt", "upstream_prompt", "status", "rule"),
    [
        (FROM_CHAT, model("So: \n"), model("So:"), "PASS", "prefill_end"),
        (FROM_GEMINI, model("So: \n"), model("So:"), "PASS", "prefill_end"),
        (FROM_CHAT, model("So: \n"), model("So"), "FAIL", None),
        (FROM_CHAT, model(" So:"), model("So:"), "FAIL", None),
        (FROM_CHAT, user("So: \n"), user("So:"), "FAIL", None),
        (WITHOUT, model("So: \n"), model("So:"), "FAIL", None),
    ],
)
def test_a_prefilled_response_loses_its_trailing_white_space(
    judge_request, pair, client_prompt, upstream_prompt, status, rule
):
    found, rules = judge_request(
        "request.turns", pair, {"turns": (user("Hi"), client_prompt)}, {"turns": (user("Hi"), upstream_prompt)}
    )
    assert found == status
    assert rule is None or rule in rules


SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("pair", "client_prompt", "upstream_prompt", "status", "rule"),
    [
        (FROM_CHAT, ResponseFormat("json_object"), None, "PASS", "chat.json_object"),
        (FROM_GEMINI, ResponseFormat("json_object"), None, "PASS", "gemini.json_object"),
        (FROM_CHAT, ResponseFormat("json_schema", SCHEMA), None, "FAIL", None),
        (
            FROM_CHAT,
            ResponseFormat("json_schema", SCHEMA, "answer", True),
            ResponseFormat("json_schema", {**SCHEMA, "additionalProperties": False}),
            "PASS",
            "chat.format_extras",
        ),
        (
            FROM_CHAT,
            ResponseFormat("json_schema", {"type": "object"}),
            ResponseFormat("json_schema", {"type": "object", "additionalProperties": False}),
            "PASS",
            "schema.closed",
        ),
        (
            {"client": "openai-chat", "upstream": "gemini"},
            ResponseFormat("json_schema", {"type": "object"}),
            ResponseFormat("json_schema", {"type": "object", "additionalProperties": False}),
            "FAIL",
            None,
        ),
    ],
)
def test_response_format(judge_request, pair, client_prompt, upstream_prompt, status, rule):
    found, rules = judge_request(
        "request.response_format", pair, {"response_format": client_prompt}, {"response_format": upstream_prompt}
    )
    assert found == status
    assert rule is None or rule in rules


PIC = Media("image/png", uri="https://example.org/a.png")
PDF = Media("application/pdf", uri="https://example.org/a.pdf")
CSV = Media("text/csv", "aa")
HELD = Media("", uri="file_011Cd")
FAILED = ResultPart("c1", "f", "boom", (), True)


@pytest.mark.parametrize(
    ("pair", "part", "instead", "status", "rule"),
    [
        (TO_CHAT, MediaPart(PIC), (), "FAIL", None),
        (TO_CHAT, MediaPart(PDF), (), "PASS", "anthropic.document_address"),
        (TO_GEMINI, MediaPart(PDF), (), "FAIL", None),
        (TO_CHAT, MediaPart(HELD), (), "PASS", "anthropic.held_files"),
        (FROM_CHAT, MediaPart(PIC), (), "FAIL", None),
        (FROM_CHAT, MediaPart(HELD), (), "PASS", "chat.held_files"),
        (FROM_CHAT, MediaPart(Media("audio/wav", "aa")), (), "PASS", "chat.sound_and_video"),
        (FROM_CHAT, MediaPart(Media("", uri="https://example.org/a.webm")), (), "PASS", "chat.sound_and_video"),
        (FROM_GEMINI, MediaPart(CSV), (MediaPart(replace(CSV, mime="text/plain")),), "PASS", "media.text_type"),
        (FROM_GEMINI, MediaPart(CSV), (MediaPart(Media("text/plain", "bb")),), "FAIL", None),
        (TO_CHAT, MediaPart(CSV, '{"context":"C"}'), (MediaPart(CSV),), "PASS", "anthropic.media_detail"),
        (TO_CHAT, MediaPart(CSV, '{"filename":"T"}'), (MediaPart(CSV),), "WARN", None),
        (FROM_GEMINI, MediaPart(CSV, '{"filename":"T"}'), (MediaPart(CSV),), "WARN", None),
        (FROM_GEMINI, MediaPart(PIC), (), "FAIL", None),
        (TO_CHAT, OtherPart("server_tool_use", "{}"), (), "PASS", "anthropic.server_tool_parts"),
        (TO_CHAT, OtherPart("compaction", "{}"), (), "PASS", "anthropic.other_parts"),
        (TO_CHAT, OtherPart("something_new", "{}"), (), "NOTE", None),
    ],
)
def test_parts_of_a_user_turn_that_may_be_lost(judge_request, pair, part, instead, status, rule):
    found, rules = judge_request(
        "request.turns", pair, {"turns": (user("See:", part),)}, {"turns": (user("See:", *instead),)}
    )
    assert found == status
    assert rule is None or rule in rules


@pytest.mark.parametrize(
    ("pair", "value", "status", "rule"),
    [
        (TO_CHAT, "boom", "PASS", "anthropic.is_error"),
        (TO_CHAT, '{"error":"boom"}', "PASS", "result_wrap"),
        (TO_GEMINI, {"output": "boom"}, "WARN", "results.error_key"),
        (TO_GEMINI, {"output": "bo"}, "FAIL", None),
        (TO_GEMINI, {"error": "boom"}, "PASS", "result_wrap"),
    ],
)
def test_a_failed_tool_result_stays_failed_where_it_is_expressible(judge_request, pair, value, status, rule):
    client_prompt = (*CHAIN[:2], user(FAILED))
    found, rules = judge_request(
        "request.turns", pair, {"turns": client_prompt}, {"turns": (*CHAIN[:2], user(ResultPart("c1", "f", value)))}
    )
    assert found == status
    assert rule is None or rule in rules


@pytest.mark.parametrize(("pair", "value", "status"), [
    (TO_CHAT, "", "FAIL"), (TO_CHAT, "The tool failed.", "PASS"), (TO_GEMINI, {"output": ""}, "FAIL"),
    (TO_GEMINI, {"error": ""}, "PASS"),
])  # fmt: skip
def test_a_failure_without_a_text_does_not_become_a_success(judge_request, pair, value, status):
    failed = (*CHAIN[:2], user(ResultPart("c1", "f", "", (), True)))
    sent = (*CHAIN[:2], user(ResultPart("c1", "f", value)))
    assert judge_request("request.turns", pair, {"turns": failed}, {"turns": sent})[0] == status


def test_a_mark_that_gemini_may_lack_is_told_apart_from_another_fault(case, verdicts):
    sent = (user("Speak."), *CHAIN[:2], user(ResultPart("c1", "f", {"output": "boom"})))
    evidence = case(
        **TO_GEMINI, client_prompt=case.prompt(dialect="anthropic", turns=(*CHAIN[:2], user(FAILED))),
        upstream_prompt=case.prompt(turns=sent),
    )  # fmt: skip
    found = {
        verdict.status: {row.path for row in verdict.differences} for verdict in verdicts(evidence, "request.turns")
    }
    assert found["WARN"] == {"turns[2].parts[0].is_error"}
    assert not any(path.endswith("is_error") for path in found["FAIL"])


def test_a_failed_tool_result_of_gemini_stays_failed(judge_request):
    client_prompt = (*CHAIN[:2], user(ResultPart("", "f", {"error": "boom"})))
    for is_error, status in ((True, "PASS"), (False, "FAIL")):
        upstream_prompt = (*CHAIN[:2], user(ResultPart("c1", "f", "boom", (), is_error)))
        assert (
            judge_request("request.turns", FROM_GEMINI, {"turns": client_prompt}, {"turns": upstream_prompt})[0]
            == status
        )


@pytest.mark.parametrize(
    ("pair", "client_prompt", "upstream_prompt", "status", "rule"),
    [
        (TO_GEMINI, {"strict": True}, {}, "PASS", "anthropic.strict"),
        (TO_CHAT, {"strict": True}, {}, "FAIL", None),
        (FROM_CHAT, {"strict": True}, {}, "FAIL", None),
    ],
)
def test_strict_tools(judge_request, pair, client_prompt, upstream_prompt, status, rule):
    found, rules = judge_request(
        "request.tools",
        pair,
        {"tools": (replace(TOOL, **client_prompt),)},
        {"tools": (replace(TOOL, **upstream_prompt),)},
    )
    assert found == status
    assert rule is None or rule in rules


SHOWN = {"thinking": Thinking(-1, "high", True)}


def test_thoughts_are_requested_from_gemini_but_not_from_chat(judge_request):
    assert judge_request("request.thinking", TO_CHAT, SHOWN, EFFORT) == (
        "PASS",
        {"effort_bucket", "anthropic.thinking_shown"},
    )
    assert judge_request("request.thinking", TO_GEMINI, SHOWN, EFFORT)[0] == "FAIL"
    assert judge_request("request.thinking", TO_GEMINI, SHOWN, {"thinking": Thinking(-1, None, True)})[0] == "PASS"


def test_disabled_thinking_may_be_omitted_for_chat(judge_request):
    off = {"thinking": Thinking(budget=0)}
    assert judge_request("request.thinking", TO_CHAT, off, {}) == ("PASS", {"anthropic.thinking_off"})
    assert judge_request("request.thinking", TO_GEMINI, off, {})[0] == "FAIL"


@pytest.mark.parametrize(("opening", "status"), [(".", "PASS"), ("x" * 50, "FAIL")])
def test_a_history_that_starts_with_the_model_may_get_an_opening_message(judge_request, opening, status):
    history = (model("Hello!"), user("Hi"))
    found, rules = judge_request("request.turns", FROM_CHAT, {"turns": history}, {"turns": (user(opening), *history)})
    assert found == status
    assert ("opening_turn" in rules) == (status == "PASS")
    assert (
        judge_request("request.turns", FROM_CHAT, {"turns": history[1:]}, {"turns": (user("."), *history)})[0] == "FAIL"
    )
    assert judge_request("request.turns", FROM_CHAT, {"turns": ()}, {"turns": (user(opening),)})[0] == status


def test_search_results_may_be_sent_as_text(judge_request):
    cited = ResultPart("c1", "f", "", (), None, ("Ruby is a language.", "It is from 1995."))
    for value, status in (("a.org\nRuby is a language.\nIt is from 1995.", "PASS"), ("Ruby is a language.", "FAIL")):
        upstream_prompt = (*CHAIN[:2], user(ResultPart("c1", "f", value)))
        assert (
            judge_request("request.turns", TO_CHAT, {"turns": (*CHAIN[:2], user(cited))}, {"turns": upstream_prompt})[0]
            == status
        )


def test_a_file_in_a_result_may_be_named_in_its_text(judge_request):
    held = MediaPart(Media("application/pdf", uri="gs://b/a.pdf"))
    client_prompt = (*CHAIN[:2], user(ResultPart("", "f", {"output": "got it"}, (held.media,))))
    for value, status in (("got it[file gs://b/a.pdf]", "PASS"), ("got[file gs://b/a.pdf]", "FAIL")):
        upstream_prompt = (*CHAIN[:2], user(ResultPart("c1", "f", value)))
        assert (
            judge_request("request.turns", FROM_GEMINI, {"turns": client_prompt}, {"turns": upstream_prompt})[0]
            == status
        )


def test_a_request_that_the_clients_provider_refuses_may_be_refused(case, status):
    body = {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t9", "content": "x"}]}]}
    reason = "messages[].content[].tool_use_id: 't9' answers no call"
    for client_prompt, expected in ((body, "REJECTED"), (None, "FAIL")):
        assert status(case(client_body=client_prompt, refused=reason, **TO_CHAT), "adapter.completes") == expected


def test_thinking_blocks_are_joined_for_chat(judge_request):
    client_prompt = {
        "turns": (
            user("Hi"),
            model(ReasoningPart("a", "s1"), "x", ReasoningPart("b", "s2"), ReasoningPart("", "", "d")),
            user("go"),
        )
    }
    upstream_prompt = {"turns": (user("Hi"), model(ReasoningPart("ab"), "x"), user("go"))}
    assert judge_request("request.turns", TO_CHAT, client_prompt, upstream_prompt)[0] == "PASS"
    assert judge_request("request.turns", FROM_CHAT, upstream_prompt, client_prompt)[0] == "PASS"


@pytest.mark.parametrize(
    ("pair", "upstream_outcome", "actual", "expected"),
    [
        (FROM_CHAT, Usage(20, 5, None, 8, 2), Usage(20, 5, 25, 8, 2), "PASS"),
        (FROM_CHAT, Usage(20, 5, None, 8, 2), Usage(10, 5, 15, 8, 2), "FAIL"),
        (FROM_CHAT, Usage(20, 5, None, 8, 2), Usage(20, 5, 15, 8, 2), "FAIL"),
        (FROM_CHAT, Usage(20, 5, None, 8, 2), Usage(20, 5, 25, 8), "WARN"),
        (FROM_GEMINI, Usage(20, 5, None, 8, 2), Usage(20, 5, 25, 8), "PASS"),
        (FROM_CHAT, Usage(20, 5, reasoning=3), Usage(20, 5, 25), "WARN"),
        (TO_GEMINI, Usage(20, 5, 25, reasoning=3), Usage(20, 5, reasoning=0), "FAIL"),
        (TO_GEMINI, Usage(20, 5, 25, reasoning=3), Usage(20, 5, reasoning=3), "PASS"),
        (TO_GEMINI, Usage(20, 5, 25, reasoning=3), Usage(20, 5), "WARN"),
        (TO_GEMINI, Usage(20, 5, 25, 8), Usage(20, 5), "FAIL"),
        (TO_CHAT, Usage(10, 5, 15, 161), Usage(161, 5, None, 161), "PASS"),
        (TO_CHAT, Usage(10, 5, 15, 161), Usage(10, 5, None, 10), "PASS"),
        (TO_CHAT, Usage(200, 5, 205, 161), Usage(161, 5, None, 161), "FAIL"),
    ],
)
def test_usage(case, status, pair, upstream_outcome, actual, expected):
    evidence = case(
        upstream_outcome=case.outcome(dialect=pair["upstream"], usage=upstream_outcome),
        client_outcome=case.outcome(dialect=pair["client"], usage=actual),
        **pair,
    )
    assert status(evidence, "response.usage") == expected


def test_a_retry_hint_is_preserved_without_headers(case, status):
    upstream_outcome = replace(
        case.outcome(choices=()), error=ErrorInfo("rate_limit", "slow down", 429, retry_after=3.0)
    )
    for actual, expected in ((3.0, "PASS"), (None, "WARN")):
        answer = case.outcome(dialect="anthropic", choices=())
        client_outcome = replace(answer, error=ErrorInfo("rate_limit", "slow down", 429, retry_after=actual))
        assert (
            status(
                case(upstream_outcome=upstream_outcome, client_outcome=client_outcome, **TO_GEMINI), "response.error"
            )
            == expected
        )


THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s1"}
HIDDEN = {"type": "redacted_thinking", "data": "d1"}
CALL = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
ANSWER = {"type": "message", "role": "assistant", "content": [THOUGHT, HIDDEN, CALL], "stop_reason": "tool_use"}
PARTS = (ReasoningPart("Hm.", "s1"), ReasoningPart("", "", "d1"), CallPart(ToolCall("f", {}, "t1")))
RESULT = user(ResultPart("t1", "f", "x"))


@pytest.fixture
def second_turn(case, verdicts):
    """Return the worst status of relay.thinking when turn 2 sends these parts for the response of turn 1."""

    def judge_turn(parts, pair, more=(RESULT,)):
        history = (user("Hi"), Turn("assistant", tuple(parts)), *more)
        client_prompt = case.prompt(dialect=pair["client"], turns=(user("Hi"), model("x"), *more))
        evidence = case(
            client_prompt=(case.prompt(dialect=pair["client"]), client_prompt),
            upstream_prompt=(case.prompt(dialect="anthropic"), case.prompt(dialect="anthropic", turns=history)),
            upstream_outcome=(case.outcome(dialect="anthropic"),) * 2,
            client_outcome=(case.outcome(dialect=pair["client"]),) * 2,
            upstream_documents=(ANSWER,),
            **pair,
        )
        found = {verdict.status for verdict in verdicts(evidence, "relay.thinking")}
        return next((worst for worst in ("FAIL", "WARN", "PASS") if worst in found), "")

    return judge_turn


@pytest.mark.parametrize(
    ("parts", "chat", "gemini"),
    [
        (PARTS, "PASS", "PASS"),
        (PARTS[1:], "FAIL", "FAIL"),
        ((PARTS[0], PARTS[2]), "FAIL", "FAIL"),
        ((PARTS[1], PARTS[0], PARTS[2]), "FAIL", "FAIL"),
        ((ReasoningPart("Hm.", "s2"), *PARTS[1:]), "FAIL", "FAIL"),
        ((ReasoningPart("Hm!", "s1"), *PARTS[1:]), "FAIL", "FAIL"),
        ((PARTS[2], *PARTS[:2]), "PASS", "FAIL"),
    ],
)
def test_thinking_is_sent_back_unmodified(second_turn, parts, chat, gemini):
    assert second_turn(parts, FROM_CHAT) == chat
    assert second_turn(parts, FROM_GEMINI) == gemini


@pytest.mark.parametrize(
    ("delivered", "upstream_prompt", "expected"),
    [
        (("Hm.",), PARTS[2:], "PASS"),
        (("Hm.",), PARTS, "PASS"),
        (("Hm.",), PARTS[1:], "FAIL"),  # half of it
        ((), PARTS[2:], "FAIL"),  # the adapter lost it, not the client
    ],
)
def test_thinking_that_the_client_lost_need_not_be_sent_back(case, verdicts, delivered, upstream_prompt, expected):
    client_prompt = case.prompt(dialect="openai-chat", turns=(user("Hi"), model("x"), RESULT))
    history = (user("Hi"), Turn("assistant", tuple(upstream_prompt)), RESULT)
    evidence = case(
        client_prompt=(case.prompt(dialect="openai-chat"), client_prompt),
        upstream_prompt=(case.prompt(dialect="anthropic"), case.prompt(dialect="anthropic", turns=history)),
        upstream_outcome=(case.outcome(dialect="anthropic"),) * 2,
        client_outcome=(case.outcome(dialect="openai-chat", reasoning=delivered),) * 2,
        upstream_documents=(ANSWER,),
        **FROM_CHAT,
    )
    found = [verdict.status for verdict in verdicts(evidence, "relay.thinking")]
    assert found == [expected]


@pytest.mark.parametrize(
    ("signatures", "sent_again", "expected"),
    [
        ((("reasoning:0", "s1"),), ReasoningPart("Hm."), "PASS"),
        ((("reasoning:0", "s1"),), ReasoningPart("Hm.", "s1"), "FAIL"),
        ((), ReasoningPart("Hm."), "FAIL"),  # the adapter gave the client no signature
    ],
)
def test_a_client_that_keeps_thinking_without_its_signature_lost_it(case, verdicts, signatures, sent_again, expected):
    """What it sends again cannot be signed, and Anthropic accepts no thinking that is not."""
    turns = (user("Hi"), Turn("assistant", (sent_again, PARTS[2])), RESULT)
    received = case.outcome(dialect="openai-chat", reasoning=("Hm.",), signatures=signatures)
    evidence = case(
        client_prompt=(case.prompt(dialect="openai-chat"), case.prompt(dialect="openai-chat", turns=turns)),
        upstream_prompt=(
            case.prompt(dialect="anthropic"),
            case.prompt(dialect="anthropic", turns=(user("Hi"), Turn("assistant", PARTS[2:]), RESULT)),
        ),
        upstream_outcome=(case.outcome(dialect="anthropic"),) * 2,
        client_outcome=(received,) * 2,
        upstream_documents=(ANSWER,),
        **FROM_CHAT,
    )
    assert [verdict.status for verdict in verdicts(evidence, "relay.thinking")] == [expected]


def test_thinking_of_a_finished_chain_should_be_sent_back(second_turn):
    over = (user("Never mind."),)
    assert second_turn(PARTS, FROM_CHAT, over) == "PASS"
    assert second_turn(PARTS[2:], FROM_CHAT, over) == "WARN"


def test_thinking_that_a_client_replays_survives_a_pivot(case, status):
    client_prompt = case.prompt(dialect="anthropic", turns=(user("Hi"), Turn("assistant", PARTS), RESULT))
    ends = {"client": "anthropic", "upstream": "anthropic", "pivot": "openai-chat"}
    assert status(case(client_prompt=client_prompt, upstream_prompt=client_prompt, **ends), "relay.thinking") == "PASS"
    bare = replace(client_prompt, turns=(user("Hi"), Turn("assistant", PARTS[2:]), RESULT))
    assert status(case(client_prompt=client_prompt, upstream_prompt=bare, **ends), "relay.thinking") == "FAIL"
    assert (
        status(
            case(client_prompt=client_prompt, upstream_prompt=client_prompt, **{**ends, "pivot": None}),
            "relay.thinking",
        )
        == ""
    )


def test_thinking_that_a_client_dropped_may_be_restored(case, verdicts):
    history = (user("Hi"), model("Let me look."), user("Go on."))
    restored = (user("Hi"), model(ReasoningPart("Hm.", "s1"), "Let me look."), user("Go on."))
    client_prompt = case.prompt(dialect="gemini", turns=history)
    upstream_prompt = case.prompt(dialect="anthropic", turns=restored)
    first = case.prompt(dialect="gemini"), case.prompt(dialect="anthropic")
    later = case(client_prompt=(first[0], client_prompt), upstream_prompt=(first[1], upstream_prompt), upstream_outcome=(case.outcome(dialect="anthropic"),) * 2,
                 client_outcome=(case.outcome(),) * 2, **FROM_GEMINI)  # fmt: skip
    found = verdicts(later, "request.turns")[-1]
    assert (found.status, "reasoning_restored" in found.rules) == ("PASS", True)
    at_once = verdicts(
        case(client_prompt=client_prompt, upstream_prompt=upstream_prompt, **FROM_GEMINI), "request.turns"
    )[-1]
    assert at_once.status == "FAIL"


def start(index, kind):
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind}}


def delta(index, kind):
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind}}


def stop(index):
    return {"type": "content_block_stop", "index": index}


BEGIN = {"type": "message_start", "message": {}}
ENDING = ({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"})
TEXT = (start(0, "text"), delta(0, "text_delta"), stop(0))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((BEGIN, *TEXT, start(1, "tool_use"), delta(1, "input_json_delta"), stop(1), *ENDING), "PASS"),
        ((BEGIN, {"type": "ping"}, *TEXT, *ENDING), "PASS"),
        ((BEGIN, *TEXT[:2], {"type": "error", "error": {"type": "api_error", "message": "x"}}), "PASS"),
        ((BEGIN, *TEXT[:2]), "PASS"),
        ((*TEXT, *ENDING), "FAIL"),
        ((BEGIN, BEGIN, *TEXT, *ENDING), "FAIL"),
        ((BEGIN, start(1, "text"), delta(1, "text_delta"), stop(1), *ENDING), "FAIL"),
        ((BEGIN, *TEXT[:2], start(1, "tool_use"), stop(1), stop(0), *ENDING), "FAIL"),
        ((BEGIN, *TEXT[:2], *ENDING), "FAIL"),
        ((BEGIN, *TEXT, delta(0, "text_delta"), *ENDING), "FAIL"),
        ((BEGIN, start(0, "text"), delta(0, "thinking_delta"), stop(0), *ENDING), "FAIL"),
        ((BEGIN, *TEXT, stop(0), *ENDING), "FAIL"),
    ],
)
def test_the_grammar_of_a_stream(case, status, events, expected):
    assert status(case(mode="stream", client_documents=events, **TO_GEMINI), "stream.blocks") == expected
    same = case(mode="stream", path="native", client="anthropic", upstream="anthropic",
                client_documents=events, upstream_documents=events)  # fmt: skip
    assert status(same, "stream.blocks") == ("INHERITED" if expected == "FAIL" else "PASS")


def test_a_pivot_may_leave_the_finish_reason_next_to_calls_unchanged(case, status):
    call = ToolCall("f", {}, "t1")
    unchanged = case.outcome(dialect="anthropic", tool_calls=(call,))
    ends = {"client": "anthropic", "upstream": "anthropic", "pivot": "openai-chat"}
    assert status(case(upstream_outcome=unchanged, client_outcome=unchanged, **ends), "response.finish") == "PASS"
    assert (
        status(
            case(upstream_outcome=unchanged, client_outcome=replace(unchanged, dialect="gemini"), **FROM_GEMINI),
            "response.finish",
        )
        == "PASS"
    )
    converted = replace(unchanged, dialect="openai-chat")
    assert status(case(upstream_outcome=unchanged, client_outcome=converted, **FROM_CHAT), "response.finish") == "FAIL"


def test_a_model_that_nobody_named_is_inherited(case, status):
    nameless = {"messages": [{"role": "user", "content": "Hi"}]}
    upstream_prompt = {**nameless, "max_tokens": 9}
    for client_prompt in (nameless, {**nameless, "model": None}):
        assert (
            status(case(client_body=client_prompt, upstream_body=upstream_prompt, **FROM_CHAT), "upstream.wire_shape")
            == "INHERITED"
        )
    assert status(case(upstream_body=upstream_prompt, **FROM_CHAT), "upstream.wire_shape") == "FAIL"


def test_a_limit_added_by_the_second_hop_is_no_addition(judge_request, case, status):
    client_prompt, back = (
        case.prompt(dialect="openai-chat"),
        case.prompt(dialect="openai-chat", settings=(("max_tokens", 9),)),
    )
    ends = {"client": "openai-chat", "upstream": "openai-chat"}
    assert (
        status(case(client_prompt=client_prompt, upstream_prompt=back, pivot="anthropic", **ends), "request.added")
        == "PASS"
    )
    assert (
        status(case(client_prompt=client_prompt, upstream_prompt=back, pivot="gemini", **ends), "request.added")
        == "WARN"
    )
