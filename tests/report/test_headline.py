"""A headline says what the bytes of the case that is shown say: the whole where the whole is lost, and no other cause."""

import json
from collections.abc import Callable
from typing import TypeAlias

import pytest

from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.report.findings import group_findings

MakeCase: TypeAlias = Callable[..., CaseResult]
Row: TypeAlias = tuple[str, ...]
ABSENT = "(absent)"
CALL = json.dumps({"args": {"port": "Husum"}, "id": "1", "name": "get_tide", "signature": ""})
WHOLE_CALL = f'{{"call":{CALL}}}'
RESULT = json.dumps({"cited": [], "id": "1", "is_error": None, "media": [], "name": "get_tide", "value": "high at six"})


def make_verdict(check: str, *rows: Row) -> Verdict:
    message = f"{rows[0][0]}: expected {rows[0][1]}, got {rows[0][2]}"
    return Verdict(check, "FAIL", message, tuple(Difference(*row) for row in rows))


def make_turn(role: str, text: str) -> str:
    return json.dumps({"name": "", "parts": [{"signature": "", "text": text}], "role": role})


def headlines(passing: MakeCase, *verdicts: Verdict) -> list[str]:
    """Return the headlines of one case, without the requirement."""
    found = group_findings([passing("a/1", *verdicts)])
    return sorted(finding.one_line_summary.partition(". ")[0] for finding in found)


@pytest.mark.parametrize(
    ("check", "rows", "headline"),
    [
        ("response.usage", [("usage.prompt", "9", ABSENT), ("usage.completion", "3", ABSENT), ("usage.cached", "1", ABSENT)],
            "usage is missing altogether"),
        ("response.usage", [("usage.reasoning", "407", ABSENT)], "the count of reasoning tokens is lost (expected 407)"),
        ("response.usage", [("usage.prompt", "8", "0"), ("usage.total", "13", "5", "not the sum of what the provider gave")],
            "the count of prompt tokens is 0, expected 8; the count of total tokens is 5, expected 13"),
        ("response.identity", [("id", "some text", "null"), ("model", "some text", "null"), ("created", "whole seconds", "null")],
            "the answer has no id, model and created"),
        ("client.wire_shape", [("error", "a document of this dialect", "is missing")],
            "the error is not in the form of the dialect's error"),
        ("request.tool_choice", [("tool_choice.mode", '"named"', '"absent"', "silent loss: nothing of the choice is sent")],
            'the choice of tools is missing altogether, expected "named"'),
        ("request.tool_choice",
            [("tool_choice.mode", '"named"', '"required"', 'sent as "any", which is no value of this dialect'),
             ("tool_choice.names[0]", '"steer"', ABSENT)],
            'the choice of tools is sent as "any", which is no value of this dialect, expected "named"'),
        ("client.framing", [("line 24", "an event: line before it", "data: [DONE]")],
            "line 24 is data: [DONE], expected an event: line before it"),
        ("response.error", [("error.kind", "rate_limit", "unknown")], "the error has no class or status, expected rate_limit"),
        ("response.finish", [("finish", "length (provider: length)", "incomplete (none)")],
            "the reason why the answer ended is not told, expected length"),
        ("response.error", [("error", "an error, or a connection that breaks", "an end in order, without a finish")],
            "a failure in the stream becomes an end in order, without a finish"),
        ("response.error", [("error", ABSENT, '{"message":"blocked"}', "an error for the stop SAFETY")],
            "the stop SAFETY arrives as an error: blocked"),
        ("response.finish", [("finish", "content_filter (provider: refusal)", "other (unknown)")],
            "the reason why the answer ended: content_filter became other (unknown)"),
        ("response.tool_calls", [("tool_calls[0].args", '{"a":1,"b":2}', ABSENT, "every argument")],
            "all arguments of a tool call are lost"),
        ("response.tool_calls", [("tool_calls[0]", '{"args":{},"bad_args":"{","name":"f"}', ABSENT)],
            "a tool call whose arguments are cut is lost"),
        ("relay.ids", [("ids", "paired and unique", "a result for an unknown call", 'of the id "tide"')],
            'the ids of calls: a result for an unknown call of the id "tide"'),
        ("client.wire_shape", [("type", "a document of this dialect", "is missing")], "the document's own type is missing"),
        ("response.text", [("text", '"Bowline."', '"Bow"')], 'text of the answer is "Bow", expected "Bowline."'),
        ("stream.blocks", [("events[3]", "an event that may stand here", "message_delta", "message_delta inside a block")],
            "message_delta inside a block"),
        ("client.framing", [("body", "the last chunk, of no bytes", "572 bytes, and the end of the connection")],
            "the response is 572 bytes, and the end of the connection, expected the last chunk, of no bytes"),
        ("request.deterministic", [("body", "the same bytes", "the same keys in another order")],
            "the request is the same keys in another order, expected the same bytes"),
    ],
)  # fmt: skip
def test_a_headline_says_what_the_bytes_show(passing, check: str, rows: list[Row], headline: str) -> None:
    assert headlines(passing, make_verdict(check, *rows)) == [headline]


@pytest.mark.parametrize(
    ("rows", "headline"),
    [
        ([("turns[1].parts[0]", RESULT, ABSENT), ("turns[0].parts[0].text", '"Tide?"', '"Tide?\\nhigh at six"')],
            "a tool result is sent as text of a user"),
        ([("turns[1].parts[0].call", CALL, ABSENT), ("turns[1].parts[0].text", ABSENT, '"Tool: get_tide"'),
          ("turns[1].parts[0].id", '"1"', ABSENT)], "a tool call is sent as text"),
        ([("turns[1].parts[0]", WHOLE_CALL, ABSENT), ("turns[0].parts[0].text", '"Ask get_tide."', '"Ask\\nget_tide."')],
            "a tool call in a turn is lost"),
        ([("turns[1].parts[0]", RESULT, ABSENT)], "the result of a tool call is lost"),
        ([("turns[1].parts[0]", RESULT, ABSENT), ("turns[0].parts[0].text", '"Tide?"', '"Tide? Soon."')],
            "the result of a tool call is lost|text in a turn is \"Tide? Soon.\", expected \"Tide?\""),
        ([("turns[0].parts[0].text", '"First.Second."', '"First."'), ("turns[1]", ABSENT, make_turn("assistant", "--//--")),
          ("turns[2]", ABSENT, make_turn("user", "Second."))], "a turn was made up (assistant: \"--//--\")"),
        ([("turns[0].parts[0].text", '"One.Two."', '"One."'), ("turns[1].parts[0].text", '"Three.Four."', '"--//--"'),
          ("turns[2]", ABSENT, make_turn("user", "Two."))], "a turn was made up (\"--//--\")"),
        ([("turns[2].parts[0].value", '"taken"', '"[taken]"')],
            'the result of a tool call is "[taken]", expected "taken"'),
        ([("turns[2].parts[1]", '{"signature":"","text":"And at low water?"}', ABSENT),
          ("turns[0].parts[0].text", '"Tide?"', '"Tide?And at low water?"')], "text in a turn is joined to other text"),
        ([("turns[0].parts[0]", WHOLE_CALL, ABSENT), ("turns[2].parts[1]", ABSENT, WHOLE_CALL)],
            "a tool call in a turn stands at another place"),
    ],
)  # fmt: skip
def test_what_became_of_a_part_is_said_once(passing, rows: list[Row], headline: str) -> None:
    found = headlines(passing, make_verdict("request.turns", *rows))
    assert set(found) >= set(headline.split("|"))


def test_a_call_that_is_lost_with_its_turn_and_beside_text_is_one_finding(passing) -> None:
    alone = make_verdict("request.turns", ("turns[1]", f'{{"parts":[{WHOLE_CALL}],"role":"assistant"}}', ABSENT))
    partly = make_verdict("request.turns", ("turns[1].parts[1]", WHOLE_CALL, ABSENT))
    (finding,) = group_findings([passing("a/1", alone), passing("a/2", partly)])
    assert finding.one_line_summary.startswith("a tool call in a turn is lost. ")


def test_a_system_prompt_in_a_turn_is_one_finding(passing) -> None:
    system = make_verdict("request.system", ("system", '"Speak like a pilot."', '""'))
    turn = make_verdict("request.turns", ("turns[0].parts[0].text", '"Wind?"', '"Speak like a pilot.Wind?"'))
    changed = make_verdict("request.turns", ("turns[0].parts[0].text", '"Wind?"', '"Wind??"'))
    assert headlines(passing, system, turn) == ["the system prompt is sent as text of a turn"]
    assert headlines(passing, system, changed) == [
        'text in a turn is "Wind??", expected "Wind?"',
        "the system prompt is lost",
    ]


def test_a_system_prompt_said_by_the_model_is_named_before_the_turn_beside_it(passing) -> None:
    system = make_verdict("request.system", ("system", '"Speak like a pilot."', '""'))
    turns = make_verdict(
        "request.turns", ("turns[0]", ABSENT, make_turn("user", "Empty")),
        ("turns[1]", ABSENT, make_turn("assistant", "Speak like a pilot.")),
    )  # fmt: skip
    assert headlines(passing, system, turns) == ["the system prompt is sent as words of the assistant"]


@pytest.mark.parametrize(
    ("rows", "headline"),
    [
        ([("turns[1]", make_turn("assistant", "Won."), ABSENT), ("turns[2]", make_turn("user", "Two?"), ABSENT),
          ("turns[0].parts[0].text", '"One?"', '"One?Two?"')], "text in a turn is lost"),
        ([("turns[2].parts[0].value", '"taken"', '"taken {\\"source\\":{\\"type\\":\\"base64\\"}}"'),
          ("turns[2].parts[1]", '{"media":{"mime":"image/png","uri":""}}', ABSENT)],
            "a file or image in a tool result is sent as text in it"),
    ],
)  # fmt: skip
def test_what_follows_from_a_fault_is_not_said_beside_it(passing, rows: list[Row], headline: str) -> None:
    found = headlines(passing, make_verdict("request.turns", *rows))
    assert headline in found
    assert not any("joined" in item or item.startswith("the result of") for item in found)


@pytest.mark.parametrize(
    ("row", "headline"),
    [
        (("tools[0]", ABSENT, '"web_search"', "a tool that the client's provider runs"),
            "a tool that the client's provider runs is declared as a function of the client: \"web_search\""),
        (("tools[0]", ABSENT, '"get_tide"'), 'a tool is added: "get_tide"'),
    ],
)  # fmt: skip
def test_a_tool_of_the_provider_is_not_called_made_up(passing, row: Row, headline: str) -> None:
    assert headlines(passing, make_verdict("request.tools", row)) == [headline]


def test_a_lost_budget_is_called_a_budget(passing) -> None:
    lost = make_verdict("request.thinking", ("thinking.budget", "2048", ABSENT, "silent loss"))
    assert headlines(passing, lost) == ["the budget for thinking is lost (expected 2048)"]


def test_a_failure_told_as_an_answer_is_named_before_its_form(passing) -> None:
    blocks = make_verdict(
        "stream.blocks", ("events[3]", "an event that may stand here", "message_delta", "inside a block")
    )
    outcome = make_verdict("expect.outcome", ("error", "an error", ABSENT))
    (found,) = headlines(passing, blocks, outcome)
    assert found == "a failure is told as an answer; inside a block: message_delta"
    finish = make_verdict("expect.outcome", ("finish", "incomplete or error", "other (overloaded_error)"))
    shape = make_verdict("client.wire_shape", ("choices[0].index", "a document of this dialect", "is missing"))
    assert headlines(passing, shape, finish) == ["a failure is told as an answer; choices.index is missing"]
    assert headlines(passing, blocks) == ["inside a block: message_delta"]


def test_the_case_shown_is_of_the_usual_kind_and_not_about_zero(passing) -> None:
    def make_lost_seed(value: str) -> Verdict:
        return make_verdict("request.settings", ("settings.seed", value, ABSENT))

    (finding,) = group_findings([passing("a/zero", make_lost_seed("0")), passing("a/usual", make_lost_seed("12345"))])
    assert finding.example.startswith("a/usual::")
