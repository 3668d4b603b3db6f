"""Checks of a whole case: completion, expected calls, the scenario's own expectations, the SDK's view, levels."""

from dataclasses import replace

import pytest

from bridgecheck.checks import CHECKS, judge
from bridgecheck.checks.check import Check
from bridgecheck.checks.same_duty import lower_expectations_of_the_same_duty
from bridgecheck.model.exchange import Interaction, Response
from bridgecheck.model.outcome import ErrorInfo, Finish, Media, ToolCall, Usage
from bridgecheck.model.outcome import Media as Picture
from bridgecheck.model.prompt import (
    CallPart,
    MediaPart,
    ReasoningPart,
    ResponseFormat,
    ResultPart,
    TextPart,
    Thinking,
    Tool,
    ToolChoice,
    Turn,
)
from bridgecheck.model.scenario import STRONG_BASES, TurnRequestsAndScripts, WireDocumentPredicate
from bridgecheck.model.verdict import Difference, Verdict


def test_a_crash_is_one_failure_that_names_the_exception(case):
    found = judge(case(crash="Traceback ...\nValueError: boom"))
    assert [verdict.check for verdict in found if verdict.status == "FAIL"] == ["adapter.completes"]
    assert {
        verdict.check for verdict in found if verdict.check.startswith(("response.", "client.", "stream."))
    } == set()
    assert "ValueError: boom" in found[0].message
    assert "Traceback" not in found[0].message  # it stands in the result's crash, once


def test_a_refusal_passes_where_it_is_allowed(case, status):
    video = case.prompt(dialect="gemini", turns=(Turn("user", (MediaPart(Picture("video/mp4", "aa")), TextPart("x"))),))
    ends = {"client": "gemini", "upstream": "openai-chat"}
    assert (
        status(case(**ends, client_prompt=video, refused="video input is not supported"), "adapter.completes")
        == "REJECTED"
    )
    assert status(case(**ends, client_prompt=video, refused="no"), "adapter.completes") == "FAIL"
    assert status(case(refused="text is not supported"), "adapter.completes") == "FAIL"
    allowed = case.scenario(may_refuse=("text",))
    assert status(case(refused="text is not supported", scenario=allowed), "adapter.completes") == "REJECTED"
    assert status(case(), "adapter.completes") == "PASS"


def test_a_refusal_names_a_field_as_a_whole_word(case, status):
    allowed = case.scenario(may_refuse=("n", "messages[].content[].file"))
    for refusal, expected in [
        ("no", "FAIL"), ("nothing fits", "FAIL"), ("'n' is not supported", "REJECTED"), ("n>1", "REJECTED"),
        ("file: unknown type", "REJECTED"), ("a profile is needed", "FAIL"), ("content parts", "FAIL"),
    ]:  # fmt: skip
        assert status(case(refused=refusal, scenario=allowed), "adapter.completes") == expected, refusal


@pytest.mark.parametrize(("client", "refused", "expected"), [
    ("openai-chat", "n is not supported by anthropic", "REJECTED"),
    ("gemini", "candidateCount is not supported by anthropic", "REJECTED"),
    ("gemini", "candidate_count is not supported by anthropic", "REJECTED"),
    ("openai-chat", "nothing is supported", "FAIL"),
])  # fmt: skip
def test_a_setting_that_the_provider_lacks_may_be_refused_by_any_of_its_names(case, status, client, refused, expected):
    ends = {"client": client, "upstream": "anthropic"}
    several = case.prompt(dialect=client, settings=(("n", 2),))
    assert status(case(**ends, client_prompt=several, refused=refused), "adapter.completes") == expected


@pytest.mark.parametrize(
    ("refused", "expected"),
    [
        ("seed: CompletionParams has no such field", "WARN"),
        ("stream_options: CompletionParams has no such field", "WARN"),
        ("usage is not supported", "FAIL"),
        ("answered 400: {'error': {'message': 'Unsupported parameter: seed'}}", "WARN"),
        ("answered 400: {'error': {'message': 'seed should be a string'}}", "FAIL"),
        ("create() got an unexpected keyword argument 'seed'", "FAIL"),
        ("no settings are supported", "FAIL"),
        ("temperature is not supported", "FAIL"),
    ],
)
def test_a_setting_that_clients_rarely_send_is_refused_by_name_with_a_warning(case, status, refused, expected):
    settings = (("seed", 7), ("temperature", 0.5), ("include_usage", True))
    evidence = case(
        client="openai-chat", client_prompt=case.prompt(dialect="openai-chat", settings=settings), refused=refused
    )
    assert status(evidence, "adapter.completes") == expected


def test_a_choice_that_the_provider_has_no_word_for_may_be_refused(case, status):
    ends = {"client": "openai-chat", "upstream": "gemini"}
    single = case.prompt(dialect="openai-chat", tool_choice=ToolChoice(parallel=False))
    refused = "[gemini] 'parallel_tool_calls' is not supported for gemini"
    assert status(case(**ends, client_prompt=single, refused=refused), "adapter.completes") == "REJECTED"
    assert status(case(**ends, refused=refused), "adapter.completes") == "FAIL"


@pytest.mark.parametrize(
    ("crash", "expected"),
    [
        ("ValueError: contents are required.", "REJECTED"),
        ("litellm.UnsupportedParamsError: gemini does not support parameters: ['contents']", "REJECTED"),
        ("pydantic_core.ValidationError: 1 validation error for Request\ncontents\n  Extra inputs", "REJECTED"),
        ("ValueError: too bad", "FAIL"),
        ("KeyError: 'contents'", "FAIL"),
        ("AttributeError: 'Contents' object has no attribute 'contents'", "FAIL"),
        ("AssertionError: contents", "FAIL"),
    ],
)
def test_what_a_library_raises_before_it_sends_may_be_a_refusal(case, status, crash, expected):
    """Its own exceptions and ValueError say something to the caller; those of a slip in the code are crashes."""
    traceback = f'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    raise\n{crash}'
    allowed = case.scenario(may_refuse=("contents",))
    unsent = (Interaction(None, case().transcript.upstream[0].response),)
    before = case(crash=traceback, scenario=allowed, upstream_sides=unsent)
    assert status(before, "adapter.completes") == expected
    assert status(case(crash=traceback, scenario=allowed), "adapter.completes") == "FAIL"  # the request was sent
    assert status(case(crash=traceback, upstream_sides=unsent), "adapter.completes") == "FAIL"


BY_ADDRESS = Turn("user", (MediaPart(Picture("image/png", "", "https://example.com/buoy.png")),))
JSON_MODE = {"response_format": ResponseFormat("json_object")}
SCHEMA = {"response_format": ResponseFormat("json_schema", {"type": "object"})}
REDACTED = {"turns": (Turn("user", (TextPart("Hi"),)), Turn("assistant", (ReasoningPart("", "", "UmVk"),)))}
TOP_K = {"settings": (("top_k", 17),)}
SINGLE = {"tool_choice": ToolChoice(parallel=False)}
LEVEL = {"thinking": Thinking(level="high")}
REFERRED = {"tools": (Tool("log", schema={"$defs": {"a": {}}, "properties": {"b": {"$ref": "#/$defs/a"}}}),)}
SIGNED = {"turns": (Turn("user", (TextPart("Hi"),)), Turn("assistant", (TextPart("Ho", "c2ln"),)))}
UNKNOWN = "Messages.create() got an unexpected keyword argument "


@pytest.mark.parametrize(("client", "upstream", "requested", "refused", "expected"), [
    ("outcome", "openai-chat", JSON_MODE, "JSON without a schema", "REJECTED"),
    ("openai-chat", "gemini", JSON_MODE, '{"error": {"message": "JSON mode is not supported"}}', "REJECTED"),
    ("openai-chat", "gemini", JSON_MODE, '{"error": {"message": "the request is no JSON"}}', "FAIL"),
    ("outcome", "openai-chat", SCHEMA, "JSON with a schema of its own only", "REJECTED"),
    ("outcome", "openai-chat", SCHEMA, "response_format: it has none", "FAIL"),
    ("outcome", "openai-chat", {}, '{"error": {"message": "JSON without a schema"}}', "FAIL"),
    ("openai-chat", "openai-chat", {}, "JSON without a schema", "FAIL"),
    ("outcome", "gemini", REDACTED, "in the model's turn: redacted", "REJECTED"),
    ("anthropic", "anthropic", REDACTED, "in the model's turn: redacted", "FAIL"),
    ("outcome", "openai-chat", TOP_K, f"{UNKNOWN}'top_k'", "REJECTED"),
    ("outcome", "openai-chat", TOP_K, f'{{"error": {{"message": "{UNKNOWN}\'top_k\'"}}}}', "REJECTED"),
    ("outcome", "gemini", {"settings": (("temperature", 1),)}, '{"error": {"message": "temperature"}}', "FAIL"),
    ("outcome", "openai-chat", TOP_K, f"{UNKNOWN}'messages'", "FAIL"),
    ("outcome", "anthropic", SINGLE, f"{UNKNOWN}'parallel_tool_calls'", "REJECTED"),
    ("openai-chat", "anthropic", {}, f"{UNKNOWN}'parallel_tool_calls'", "FAIL"),
    ("outcome", "anthropic", {"settings": (("max_tokens", 9),)}, f"{UNKNOWN}'max_completion_tokens'", "FAIL"),
    ("openai-chat", "anthropic", {"settings": (("max_tokens", 9),)}, f"{UNKNOWN}'max_completion_tokens'", "FAIL"),
    ("outcome", "anthropic", LEVEL, "thinking.level: claude-sonnet-4-5 has budgets", "REJECTED"),
    ("outcome", "gemini", {"tool_choice": ToolChoice("required")}, "tool_choice: its calls have none", "REJECTED"),
    ("openai-chat", "gemini", {"tool_choice": ToolChoice("required")}, "tool_choice: its calls have none", "FAIL"),
    ("outcome", "anthropic", {"thinking": Thinking(budget=2000)}, "thinking.budget: it has levels", "REJECTED"),
    ("openai-chat", "anthropic", LEVEL, "thinking.level: claude-sonnet-4-5 has budgets", "FAIL"),
    ("outcome", "gemini", REFERRED, "$defs of log: a function has a list of parameters", "REJECTED"),
    ("openai-chat", "gemini", REFERRED, "$defs of log: a function has a list of parameters", "FAIL"),
    ("outcome", "gemini", SIGNED, "a signature that is not of a call", "REJECTED"),
    ("openai-chat", "gemini", SIGNED, "a signature that is not of a call", "FAIL"),
    ("outcome", "gemini", {"turns": (BY_ADDRESS,)}, "turns.media: text only", "FAIL"),
    ("outcome", "gemini", {}, "tools: Input should be a valid dictionary", "FAIL"),
    ("openai-chat", "gemini", {}, "Tool 'x' has an invalid parameters schema: Input should be a string", "FAIL"),
])  # fmt: skip
def test_what_no_capability_covers_may_be_refused(case, status, client, upstream, requested, refused, expected):
    prompt = case.prompt(dialect=client, **requested)
    source = case.interaction("openai-chat", "unary", None, None).request
    sent = replace(source, dialect=client, made_from=source) if client == "outcome" else replace(source, dialect=client)
    sides = (Interaction(sent, case().transcript.client[0].response),)
    evidence = case(client=client, upstream=upstream, client_prompt=prompt, client_sides=sides, refused=refused)
    assert status(evidence, "adapter.completes") == expected


def _tool(**depth: object) -> dict[str, object]:
    return {"tools": (Tool("log", schema={"type": "object", "properties": {"depth": {"type": "number", **depth}}}),)}


@pytest.mark.parametrize(("client", "requested", "failure", "expected"), [
    ("outcome", _tool(exclusiveMinimum=0), {"refused": "properties.depth.exclusiveMinimum: Extra inputs"}, "WARN"),
    ("outcome", _tool(type=["number", "null"]), {"refused": "properties.depth.type: Input should be 'NUMBER'"}, "WARN"),
    ("outcome", _tool(enum=[1, 2]), {"refused": "properties.depth.enum.0: Input should be a valid string"}, "WARN"),
    ("outcome", _tool(enum=["a"]), {"refused": "properties.depth.enum.0: Input should be a valid string"}, "FAIL"),
    ("outcome", _tool(enum=[1, 2]), {"refused": "properties.depth: Input should be valid"}, "FAIL"),
    ("outcome", _tool(enum=[1, 2]), {"crash": "AttributeError: 'int' object has no attribute 'upper'"}, "FAIL"),
    ("openai-chat", _tool(enum=[1, 2]), {"refused": "properties.depth.enum.0: Input should be a valid string"}, "FAIL"),
    ("outcome", _tool(const=1), {"refused": "properties.depth: Extra inputs"}, "FAIL"),
    ("openai-chat", _tool(const=1), {"refused": "properties.depth.const: Extra inputs"}, "FAIL"),
    ("outcome", _tool(type=["number", "null"]), {"crash": "AttributeError: 'list' object has no attribute 'type'"}, "FAIL"),
])  # fmt: skip
def test_a_library_that_refuses_a_keyword_of_json_schema_names_it(case, status, client, requested, failure, expected):
    prompt = case.prompt(dialect=client, **requested)
    source = case.interaction("openai-chat", "unary", None, None).request
    sent = replace(source, dialect=client, made_from=source) if client == "outcome" else replace(source, dialect=client)
    sides = (Interaction(sent, case().transcript.client[0].response),)
    evidence = case(client=client, client_prompt=prompt, client_sides=sides, **failure)
    assert status(evidence, "adapter.completes") == expected


@pytest.mark.parametrize(("failure", "expected"), [
    ({"refused": "Failed to download https://example.com/buoy.png: TypeError: fetch failed"}, "REJECTED"),
    ({"refused": "an address that it downloads: the run is offline"}, "REJECTED"),
    ({"refused": "example.com: [Errno -2] Name or service not known"}, "REJECTED"),
    ({"refused": "the message has no text"}, "FAIL"),
    ({"crash": "requests.exceptions.ConnectionError: Failed to resolve 'example.com'"}, "REJECTED"),
    ({"crash": "ConnectionError: Cannot connect to host example.com:443"}, "REJECTED"),
    ({"crash": "TypeError: fetch failed"}, "REJECTED"),
    ({"crash": 'answered 500 without calling the provider: {"error": "dial tcp: lookup: no such host"}'}, "REJECTED"),
    ({"crash": "KeyError: 'url'"}, "FAIL"),
    ({"crash": "AttributeError: 'NoneType' object has no attribute 'fetch'"}, "FAIL"),
    ({"crash": 'answered 500 without calling the provider: {"error": "KeyError: url"}'}, "FAIL"),
])  # fmt: skip
def test_media_that_cannot_be_fetched_may_be_refused(case, status, failure, expected):
    """The run is offline. Only where the request names an address, and in whatever words."""
    unsent = (Interaction(None, case().transcript.upstream[0].response),)
    prompt = case.prompt(dialect="openai-chat", turns=(BY_ADDRESS,))
    found = case(client_prompt=prompt, upstream_sides=unsent, unplayed=1, **failure)
    assert status(found, "adapter.completes") == expected
    assert status(found, "relay.expected_calls") == ""
    assert status(case(upstream_sides=unsent, **failure), "adapter.completes") == "FAIL"


def test_a_refusal_of_what_is_not_claimed_is_not_judged(case, status):
    shown = case.prompt(dialect="openai-chat", turns=(BY_ADDRESS,))
    picture = case(refused="messages[].content: media is not supported", client_prompt=shown)
    assert status(picture, "adapter.completes") == "FAIL"
    assert status(replace(picture, unclaimed=frozenset({"turns.media"})), "adapter.completes") == "NOT_APPLICABLE"
    assert status(replace(picture, unclaimed=frozenset({"reasoning"})), "adapter.completes") == "FAIL"


@pytest.mark.parametrize("refused", [
    'answered 415 without calling the provider: {"message": "Unsupported Media Type"}',
    '{"error": {"message": "1 validation error for Part\\n  Input should be a valid string"}}',
    '{"error": {"message": "KeyError: \'choices\'"}}',
])  # fmt: skip
@pytest.mark.parametrize(("settings", "expected"), [((), "FAIL"), ((("n", 2),), "NOT_APPLICABLE")])
def test_a_refusal_names_a_feature_only_where_the_case_has_it(case, status, refused, settings, expected):
    """Whatever the words of an error remind of."""
    unclaimed = frozenset({"turns.media", "turns.results.media", "media", "settings.n", "choices"})
    prompt = case.prompt(dialect="openai-chat", settings=settings)
    evidence = replace(case(refused=refused, client_prompt=prompt), unclaimed=unclaimed)
    assert status(evidence, "adapter.completes") == ("FAIL" if "Media" in refused else expected)


@pytest.mark.parametrize(("model", "expected"), [("gpt-4.1-mini", "WARN"), ("gpt-5-mini", "FAIL")])
def test_an_expectation_is_no_stricter_than_the_check_of_its_duty(case, status, model, expected):
    literal = WireDocumentPredicate("upstream_request", "reasoning_effort", "present", True)
    evidence = case(
        client="gemini", upstream="openai-chat", scenario=case.scenario(wire=(literal,)),
        client_prompt=case.prompt(dialect="gemini", thinking=Thinking(level="high")),
        upstream_prompt=replace(case.prompt(dialect="openai-chat"), model=model),
    )  # fmt: skip
    assert status(evidence, "expect.wire") == expected


LIMIT = Verdict("request.acceptable", "WARN", rules=("anthropic.stops",))
DESCRIBED = Verdict("request.turns", "WARN", rules=("turns.told",))
IDS = Verdict("relay.ids", "FAIL")
LITERAL = Verdict("expect.wire", "FAIL", rules=("upstream_request equals",))
OF_RESPONSE = Verdict("expect.wire", "FAIL", rules=("client_response equals",))


@pytest.mark.parametrize(("client", "warning", "failure", "expected"), [
    ("outcome", LIMIT, LITERAL, "WARN"), ("outcome", LIMIT, IDS, "FAIL"), ("outcome", LIMIT, OF_RESPONSE, "FAIL"),
    ("outcome", DESCRIBED, IDS, "WARN"), ("outcome", DESCRIBED, LITERAL, "WARN"),
    ("openai-chat", LIMIT, LITERAL, "FAIL"), ("openai-chat", DESCRIBED, IDS, "FAIL"),
])  # fmt: skip
def test_only_what_states_the_same_duty_is_lowered_with_it(client, warning, failure, expected):
    assert lower_expectations_of_the_same_duty(client, (warning, failure))[1].status == expected


SEAMS = Verdict("request.turns", "WARN", rules=("adjacent_text", "turns.seams"))
TWO_MESSAGES = Verdict("request.acceptable", "WARN", rules=("anthropic.results_apart",))
WITHHELD = Verdict("response.text", "WARN", rules=("text.withheld",))
BREAKDOWN = Verdict("response.usage", "WARN", rules=("usage.breakdown",))


@pytest.mark.parametrize(("warning", "check", "path", "expected"), [
    (SEAMS, "expect.prompt", "turns[0].text", "WARN"), (SEAMS, "expect.prompt", "turns[0].role", "FAIL"),
    (SEAMS, "expect.wire", "upstream_request[0] messages[0].content", "WARN"),
    (SEAMS, "expect.wire", "upstream_request[0] messages[0].role", "FAIL"),
    (SEAMS, "expect.wire", "client_response[0] choices[0].message.content", "FAIL"),
    (TWO_MESSAGES, "expect.wire", "upstream_request[0] messages[2].content[].type", "WARN"),
    (TWO_MESSAGES, "expect.wire", "upstream_request[0] tools[0].name", "FAIL"),
    (WITHHELD, "expect.wire", "client_response[0] choices[0].message.content", "WARN"),
    (WITHHELD, "expect.outcome", "text", "WARN"), (WITHHELD, "expect.outcome", "finish", "FAIL"),
    (WITHHELD, "expect.wire", "upstream_request[0] messages[0].content", "FAIL"),
    (BREAKDOWN, "expect.outcome", "usage.reasoning", "WARN"), (BREAKDOWN, "expect.outcome", "usage.total", "FAIL"),
    (BREAKDOWN, "expect.wire", "client_response[0] usage.prompt_tokens_details.cached_tokens", "WARN"),
    (BREAKDOWN, "expect.wire", "client_events[0] [].usageMetadata.thoughtsTokenCount", "WARN"),
    (BREAKDOWN, "expect.wire", "client_response[0] usage.total_tokens", "FAIL"),
])  # fmt: skip
def test_an_expectation_is_lowered_only_where_its_duty_stands(warning, check, path, expected):
    rules = (path.partition("[")[0],)
    failure = Verdict(check, "FAIL", differences=(Difference(path, "a", "b"),), rules=rules)
    assert lower_expectations_of_the_same_duty("openai-chat", (warning, failure))[1].status == expected


def test_what_else_an_expectation_found_stays_a_failure():
    """The count of thoughts is one duty, the reason why the answer ended another."""
    rows = tuple(Difference(path, "a", "b") for path in ("usage.reasoning", "finish"))
    found = Verdict("expect.outcome", "FAIL", "usage.reasoning: expected a, got b", rows)
    _, rest, lowered = lower_expectations_of_the_same_duty("anthropic", (BREAKDOWN, found))
    assert (rest.status, rest.differences, rest.message) == ("FAIL", rows[1:], "finish: expected a, got b")
    assert (lowered.status, lowered.differences) == ("WARN", rows[:1])


def test_a_missing_method_is_not_judged(case, status):
    assert status(case(no_method="the adapter has no stream()"), "adapter.completes") == "NOT_APPLICABLE"


def test_unexpected_and_missing_upstream_calls_fail(case, status):
    assert status(case(), "relay.expected_calls") == "PASS"
    missed = case(misses=("POST /v1/other",))
    assert status(missed, "relay.expected_calls") == "FAIL"
    assert status(missed, "response.text") == ""
    assert status(case(unplayed=1), "relay.expected_calls") == "FAIL"


def ends(upstream_outcome, client_outcome):
    """Return evidence with Chat on both sides."""
    return {"upstream": "openai-chat", "upstream_documents": (upstream_outcome,), "client_documents": (client_outcome,)}


def test_wire_shape(case, status):
    bad = {"id": 7, "object": "chat.completion", "choices": "none"}
    assert status(case(), "client.wire_shape") == "PASS"
    assert status(case(client_documents=(bad,)), "client.wire_shape") == "FAIL"
    same = case(upstream="openai-chat", upstream_documents=(bad,), client_documents=(bad,))
    assert status(same, "client.wire_shape") == "INHERITED"
    absent = {"id": "c1", "object": "chat.completion", "model": "m", "choices": []}
    null, text, number = ({**absent, "created": value} for value in (None, "now", 1.5))
    assert status(case(**ends(absent, null)), "client.wire_shape") == "INHERITED"
    assert status(case(**ends(text, text)), "client.wire_shape") == "INHERITED"
    assert status(case(**ends(text, number)), "client.wire_shape") == "FAIL"
    assert status(case(**ends(absent, text)), "client.wire_shape") == "FAIL"
    assert status(case(), "upstream.wire_shape") == "PASS"
    assert status(case(upstream_body={"contents": "x", "tools": 5}), "upstream.wire_shape") == "FAIL"


def test_a_failure_in_no_form_of_the_dialect_is_one_finding(case, verdicts):
    """The body of a web framework: nothing of an answer is missing in it."""
    request = case().transcript.client[0].request
    body = {"detail": "no healthy upstream"}
    for dialect in ("openai-chat", "anthropic", "gemini"):
        answer = Response(dialect, "unary", (body,), status=500)
        evidence = case(client=dialect, client_sides=(Interaction(request, answer),))
        (shape,) = verdicts(evidence, "client.wire_shape")
        assert [(row.path, row.actual) for row in shape.differences] == [("error", "is missing")]
        assert not [verdict for verdict in verdicts(evidence, "response.identity") if verdict.status == "FAIL"]


@pytest.mark.parametrize(
    ("expected", "right"),
    [
        ({"text": "Hello"}, True),
        ({"text": "Bye"}, False),
        ({"reasoning": "hm"}, True),
        ({"reasoning": "no"}, False),
        ({"tool_calls": [["f", {"a": 1}]]}, True),
        ({"tool_calls": [["f", {"a": 2}]]}, False),
        ({"ids_unique": True}, True),
        ({"ids_unique": False}, False),
        ({"finish": "tool_calls"}, True),
        ({"finish": "stop"}, False),
        ({"finish_in": ["stop", "tool_calls"]}, True),
        ({"finish_not": ["tool_calls"]}, False),
        ({"usage": {"prompt": 3, "tool_prompt": 9}}, True),
        ({"usage": {"prompt": 4}}, False),
        ({"choices": 1}, True),
        ({"choices": 2}, False),
        ({"media": [["image/png", "aa"]]}, True),
        ({"media": []}, False),
        ({"refusal": "no"}, False),
        ({"error": {"kind": "auth"}}, False),
    ],
)
def test_expected_outcome(case, status, expected, right):
    actual = case.outcome(
        dialect="openai-chat",
        reasoning=("hm",),
        tool_calls=(ToolCall("f", {"a": 1}, "c"),),
        media=(Media("image/png", "aa"),),
        finish=Finish("tool_calls", "tool_calls"),
        usage=Usage(3),
    )
    evidence = case(
        upstream_outcome=replace(actual, dialect="gemini"),
        client_outcome=actual,
        upstream_prompt=case.prompt(thinking=Thinking(include=True)),
        scenario=case.scenario(outcome=expected),
    )
    assert status(evidence, "expect.outcome") == ("PASS" if right else "FAIL")


def test_expected_outcome_of_a_gemini_client(case, status):
    signed = ToolCall("f", {}, "c", signature="s")
    actual = case.outcome(tool_calls=(signed,), signatures=(("tail", "t"),), code=(("executable", "x=1"),))
    for expected, right in [
        ({"finish": "tool_calls"}, "PASS"),
        ({"signatures": [["call:0", "s"], ["tail", "t"]]}, "PASS"),
        ({"signatures": [["call:0", "t"]]}, "FAIL"),
        ({"native_finish": "STOP"}, "PASS"),
        ({"native_finish": "OTHER"}, "FAIL"),
        ({"code": [["executable", "x=1"]]}, "PASS"),
        ({"code": []}, "FAIL"),
    ]:
        evidence = case(
            upstream_outcome=actual, client_outcome=actual, client="gemini", scenario=case.scenario(outcome=expected)
        )
        assert status(evidence, "expect.outcome") == right


def test_expected_error(case, status):
    actual = replace(case.outcome(dialect="openai-chat"), choices=(), error=ErrorInfo("rate_limit", "x", 429, "", 2.0))
    for expected, right in [
        ({"kind": "rate_limit", "status": 429, "retry_after": 2}, "PASS"),
        ({"kind": ["server", "rate_limit"], "retry_after": True}, "PASS"),
        ({"kind": "server"}, "FAIL"),
        ({"status": 500}, "FAIL"),
        ({"retry_after": 3}, "FAIL"),
    ]:
        evidence = case(
            upstream_outcome=replace(actual, dialect="gemini"),
            client_outcome=actual,
            scenario=case.scenario(outcome={"error": expected}),
        )
        assert status(evidence, "expect.outcome") == right


@pytest.mark.parametrize(
    ("kind", "expected", "right"),
    [
        ("unknown", ["server", "overloaded"], "PASS"),
        ("unknown", "timeout", "PASS"),
        ("unknown", "rate_limit", "FAIL"),
        ("unknown", ["invalid", "not_found"], "FAIL"),
        ("overloaded", "timeout", "FAIL"),
    ],
)
def test_an_expected_failure_of_the_provider_may_arrive_without_a_class(case, status, kind, expected, right):
    sent = replace(case.outcome(dialect="gemini"), choices=(), error=ErrorInfo("server", "x", 500))
    received = replace(sent, dialect="outcome", error=ErrorInfo(kind, "x"))
    scenario = case.scenario(outcome={"error": {"kind": expected}})
    evidence = case(client="outcome", upstream_outcome=sent, client_outcome=received, scenario=scenario)
    assert status(evidence, "expect.outcome") == right


@pytest.mark.parametrize(
    ("expected", "right"),
    [
        ({"system": "Be brief."}, True),
        ({"system": ["Be", "brief."]}, True),
        ({"system": "Be long."}, False),
        ({"turns": [{"role": "user", "text": "Hi"}, {"calls": [["f", {"a": 1}]]}, {"results": [["f", "x"]]}]}, True),
        ({"turns": [{"role": "user", "text": "Ho"}, {}, {}]}, False),
        ({"turns": [{}]}, False),
        ({"tools": []}, True),
        ({"tools": ["f"]}, False),
        ({"tool_choice": ["absent", "auto"]}, True),
        ({"tool_choice": "required"}, False),
        ({"settings": {"temperature": 0, "top_k": 5}}, True),
        ({"settings": {"temperature": 1}}, False),
    ],
)
def test_expected_prompt(case, status, expected, right):
    turns = (
        Turn("user", (TextPart("Hi"),)),
        Turn("assistant", (CallPart(ToolCall("f", {"a": 1}, "c")),)),
        Turn("user", (ResultPart("c", "f", {"output": "x"}),)),
    )
    upstream_prompt = case.prompt(turns=turns, system=("Be ", "brief."), settings=(("temperature", 0.0),))
    evidence = case(
        client_prompt=replace(upstream_prompt, dialect="openai-chat"),
        upstream_prompt=upstream_prompt,
        scenario=case.scenario(prompt=expected),
    )
    assert status(evidence, "expect.prompt") == ("PASS" if right else "FAIL")


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (WireDocumentPredicate("upstream_request", "contents[0].parts[0].text", "equals", "Hi"), "PASS"),
        (WireDocumentPredicate("upstream_request", "contents[0].parts[0].text", "equals", "Ho"), "FAIL"),
        (WireDocumentPredicate("upstream_request", "messages", "absent", True), "PASS"),
        (WireDocumentPredicate("upstream_request", "messages", "present", True, dialect="openai-chat"), ""),
        (WireDocumentPredicate("client_response", "choices[0].message.content", "equals", "Hello"), "PASS"),
        (WireDocumentPredicate("client_response", "choices[].index", "count", 2), "FAIL"),
        (WireDocumentPredicate("client_events", "[0].choices", "present", True), ""),
        (WireDocumentPredicate("client_response", "id", "bind", "x"), "PASS"),
    ],
)
def test_wire_predicates(case, status, predicate, expected):
    assert status(case(scenario=case.scenario(wire=(predicate,))), "expect.wire") == expected


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ({"output": "six"}, "PASS"),
        ({"name": "sound", "content": "six"}, "PASS"),
        ({"result": "six"}, "PASS"),
        ({"result": "five"}, "FAIL"),
        ({"depth": "six"}, "PASS"),
    ],
)
def test_a_tool_result_may_be_under_any_key(case, status, response, expected):
    parts = [{"functionResponse": {"name": "sound", "response": response}}]
    path = "contents[0].parts[0].functionResponse.response"
    scenario = case.scenario(wire=(WireDocumentPredicate("upstream_request", path, "holds", "six"),))
    evidence = case(upstream_body={"contents": [{"role": "user", "parts": parts}]}, scenario=scenario)
    assert status(evidence, "expect.wire") == expected


def test_bind_requires_the_same_value_everywhere(case, status):
    bound = WireDocumentPredicate("client_events", "id", "bind", "one")
    for ids, expected in [(("a", "a"), "PASS"), (("a", "b"), "FAIL")]:
        events = tuple({"id": id_, "choices": []} for id_ in ids)
        evidence = case(mode="stream", client_documents=events, scenario=case.scenario(wire=(bound,)))
        assert status(evidence, "expect.wire") == expected


def test_no_verdict_is_worse_than_the_level_of_its_scenario(case, status):
    for level, expected in [("MUST", "FAIL"), ("SHOULD", "WARN"), ("MAY", "NOTE")]:
        scenario = case.scenario(level, outcome={"text": "Bye"})
        assert status(case(scenario=scenario), "expect.outcome") == expected
        wrong = case(client_outcome=case.outcome(dialect="openai-chat", text=("x",)), scenario=scenario)
        assert status(wrong, "response.text") == expected


def test_sdk_view(case, status):
    upstream_outcome = case.outcome(usage=Usage(3, 4, 7))
    agreed = case(
        upstream_outcome=upstream_outcome,
        client_outcome=replace(upstream_outcome, dialect="openai-chat"),
        native=(upstream_outcome,),
    )
    assert status(agreed, "sdk.agrees") == "PASS"
    assert status(agreed, "sdk.native_equals_bridged") == "PASS"
    evidence = case(
        upstream_outcome=upstream_outcome,
        client_outcome=replace(upstream_outcome, dialect="openai-chat"),
        native=(case.outcome(text=("Bye",)),),
    )
    assert status(evidence, "sdk.agrees") == "ERROR"
    assert status(evidence, "sdk.native_equals_bridged") == "FAIL"
    missed = replace(
        evidence, transcript=replace(evidence.transcript, misses=("the cassette holds no further answer",))
    )
    assert status(missed, "sdk.agrees") == ""


def test_a_check_that_raises_is_an_error_of_its_own(case, monkeypatch):
    import bridgecheck.checks as checks

    broken = Check("x.y", "x", "MUST", CHECKS[0].basis, "r", lambda _: [1 / 0], "case")
    monkeypatch.setattr(checks, "CHECKS", (broken, CHECKS[0]))
    found = judge(case())
    assert [(verdict.check, verdict.status) for verdict in found] == [("x.y", "ERROR"), ("adapter.completes", "PASS")]
    assert "ZeroDivisionError" in found[0].message


def test_the_table_is_in_order():
    ids = [check.id for check in CHECKS]
    assert len(set(ids)) == len(ids)
    for check in CHECKS:
        assert check.requirement.endswith(".")
        assert check.level != "MUST" or check.basis.kind in STRONG_BASES


def test_a_conversation_that_cannot_continue_fails(case, status, verdicts):
    assert status(case(), "relay.next_turn") == ""
    ended = case(stopped="turn 0 gave no assistant message to send back")
    (found,) = verdicts(ended, "relay.next_turn")
    assert (found.status, found.turn) == ("FAIL", 1)
    assert "no assistant message" in found.message
    two = {"upstream_outcome": (case.outcome(),) * 2, "client_outcome": (case.outcome(dialect="openai-chat"),) * 2}
    two |= {"client_prompt": (case.prompt(dialect="openai-chat"),) * 2, "upstream_prompt": (case.prompt(),) * 2}
    assert status(case(**two), "relay.next_turn") == "PASS"
    assert status(case(**two, crash="ValueError"), "relay.next_turn") == ""


def test_nothing_is_expected_of_a_turn_that_a_stopped_conversation_did_not_reach(case, status):
    """relay.next_turn says that it stopped; the answer before is not the last one."""
    turns = (TurnRequestsAndScripts({}, {}),) * 2
    wire = (
        WireDocumentPredicate("upstream_request", "contents", "present", True, index=1),
        WireDocumentPredicate("client_response", "choices", "present", True, turn=1),
    )
    scenario = replace(case.scenario(outcome={"text": "Bye"}, prompt={"system": "x"}, wire=wire), turns=turns)
    stopped = case(scenario=scenario, stopped="turn 0 gave 0 tool calls, call 0 was wanted")
    assert status(stopped, "relay.next_turn") == "FAIL"
    assert [status(stopped, check) for check in ("expect.outcome", "expect.prompt", "expect.wire")] == ["", "", ""]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([{"text": ""}, {"functionCall": {"name": "f", "args": {}}}], "PASS"),
        ([{"text": "x"}, {"functionCall": {"name": "f", "args": {}}}], "FAIL"),
        ([{"text": "", "thoughtSignature": "c2ln"}, {"functionCall": {"name": "f", "args": {}}}], "FAIL"),
        ([{"text": ""}], "FAIL"),
    ],
)
def test_an_empty_text_moves_no_part_that_is_expected_at_a_position(case, status, parts, expected):
    path = "contents[0].parts[0].functionCall.name"
    scenario = case.scenario(wire=(WireDocumentPredicate("upstream_request", path, "equals", "f"),))
    evidence = case(scenario=scenario, upstream_body={"contents": [{"role": "model", "parts": parts}]})
    assert status(evidence, "expect.wire") == expected


@pytest.mark.parametrize(("text", "expected"), [("", "FAIL"), ("x", "PASS")])
def test_an_expectation_that_forbids_an_empty_text_finds_it(case, status, text, expected):
    forbids = WireDocumentPredicate("upstream_request", "contents[].parts[].text", "none_of", ["", "y"])
    parts = [{"text": text}, {"functionCall": {"name": "f", "args": {}}}]
    evidence = case(scenario=case.scenario(wire=(forbids,)), upstream_body={"contents": [{"parts": parts}]})
    assert status(evidence, "expect.wire") == expected


def test_each_of_several_refusals_has_to_be_allowed(case, status):
    """One that is allowed hides no other: a response that is refused says nothing of the next request."""
    allowed = case.scenario(may_refuse=("logprobs",))
    for refused, expected in (("no logprobs", "REJECTED"), ("no logprobs\nand then: a result without a call", "FAIL")):
        assert status(case(refused=refused, scenario=allowed), "adapter.completes") == expected
