"""One defect, one finding."""

from collections.abc import Callable
from typing import Final

from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.report import Report
from bridgecheck.report.findings import group_findings, repeat_command
from bridgecheck.report.fingerprint import crash_shape, fingerprint, fingerprints, path_shape, split_by_kind
from bridgecheck.report.message_shape import message_shape

FINISH: Final = "The client learns why the response ended, in a class that is right for it."


def test_the_same_defect_in_many_cases_is_one_finding(report: Report) -> None:
    found = {finding.check: finding for finding in report.findings}
    assert len(report.findings) == 5
    assert found["response.tool_calls"].cases == (
        "tools/parallel::bridged-gemini-to-openai-chat-stream-wire",
        "tools/three-calls::bridged-gemini-to-openai-chat-unary-sdk",
    )


def test_the_worst_come_first_then_the_commonest(report: Report) -> None:
    assert [finding.status for finding in report.findings] == ["ERROR", "FAIL", "FAIL", "FAIL", "WARN"]
    assert report.findings[1].check == "response.tool_calls"


def test_passes_notes_and_refusals_are_not_findings(report: Report) -> None:
    assert not {finding.status for finding in report.findings} - {"ERROR", "FAIL", "WARN"}


def test_indices_values_and_hashes_do_not_split_findings() -> None:
    assert path_shape("choices[0].tool_calls[12].args") == "tool_calls[].args"
    assert path_shape("tool_calls[0].args.city[1].name") == path_shape("tool_calls[3].args[2]") == "tool_calls[].args"
    assert message_shape("call 3 of 'x' lost 0123456789abcdef") == message_shape('call 4 of "y" lost fedcba9876543210')
    assert message_shape("text is lost") != message_shape("text is doubled")


def test_names_in_a_schema_do_not_split_findings() -> None:
    """Names of parameters and definitions differ between tools, but the fault is the same."""
    types = ("properties.remark.type", "properties.rows.items.type", "$defs.row.anyOf[1].type")
    assert {path_shape(f"tools[0].parameters.{path}") for path in types} == {"tools.schema type"}
    assert path_shape("tools[0].parameters.$schema") != path_shape("tools[0].parameters.type")
    assert path_shape("tools.read_log.schema.rows[].required") == path_shape("tools[0].input_schema.required")


def test_a_response_and_stream_events_share_a_location() -> None:
    assert path_shape("client_response[0] error.type") == path_shape("client_events[0] [3].error.type")
    assert path_shape("client_response[0] error.type") != path_shape("upstream_request[0] error.type")


def test_different_finish_reasons_split_findings(passing) -> None:
    """An accepted filter that ends as stop must not hide a cut stream that does."""

    def verdict(expected: str, actual: str) -> Verdict:
        message = f"finish: expected {expected}, got {actual}"
        return Verdict("response.finish", "FAIL", message, (Difference("finish", expected, actual),))

    pairs = [
        ("content_filter (provider: SPII)", "stop (stop)"),
        ("content_filter (provider: RECITATION)", "stop (end_turn)"),
        ("error or incomplete (provider: none)", "stop (stop)"),
    ]
    found = group_findings([passing(f"a/{i}", verdict(*pair)) for i, pair in enumerate(pairs)])
    assert [(finding.one_line_summary, len(finding.cases)) for finding in found] == [
        (f"the reason why the answer ended: content_filter became stop. {FINISH}", 2),
        (f"an answer that broke off ends as stop. {FINISH}", 1),
    ]


def test_the_location_of_the_first_difference_splits_findings(passing) -> None:
    paths = ("usage.cached", "usage.reasoning")
    at = [Verdict("x", "FAIL", "differs", (Difference(path, "1", "2"),)) for path in paths]
    assert len(group_findings([passing("a/b", *at)])) == 2


def test_differing_values_do_not_split_findings_but_kinds_of_change_do(passing) -> None:
    def verdict(expected: str, actual: str) -> Verdict:
        message = f"usage.cached: expected {expected}, got {actual}"
        return Verdict("x", "FAIL", message, (Difference("usage.cached", expected, actual),))

    pairs = [("1", "2"), ('{"a":[true]}', "word"), ("1", "(absent)"), ("(absent)", "null")]
    found = group_findings([passing(f"a/{i}", verdict(*pair)) for i, pair in enumerate(pairs)])
    assert sorted((finding.one_line_summary, len(finding.cases)) for finding in found) == [
        ("the count of cached tokens is 2, expected 1", 2),
        ("the count of cached tokens is added: null", 1),
        ("the count of cached tokens is lost (expected 1)", 1),
    ]


def test_a_message_without_differences_is_preserved(report: Report) -> None:
    assert "call 1 has the index 0 of call 0" in [finding.one_line_summary for finding in report.findings]


def test_crashes_are_split_by_exception_and_function(passing) -> None:
    crash = 'Traceback ...\n  File "/a/b/parts.py", line {}, in {}\n    x\nKeyError: {}\n'
    assert crash_shape(crash.format(1, "convert", "'a'")) == "KeyError: '_' in parts.py:convert"
    verdict = Verdict("adapter.completes", "FAIL", "it raised")
    marks = {
        fingerprint(passing("a/b", verdict, crash=crash.format(*path)), verdict)
        for path in ((1, "convert", "'a'"), (9, "convert", "'b'"), (1, "other", "'a'"))
    }
    assert len(marks) == 2


def test_what_a_process_wrote_last_names_no_crash(passing) -> None:
    """Its lines are of whatever it did before, mostly other cases."""
    crash = "the SDK cannot read the answer: ValidationError: 1 error\nits last lines:\n{}"
    verdict = Verdict("adapter.completes", "FAIL", "the adapter failed")
    traceback = 'Traceback (most recent call last):\n  File "/a/b/logging.py", line 3, in write\nValueError: x\n'
    of_first, of_second = (passing("a/b", verdict, crash=crash.format(last)) for last in ("", traceback))
    assert fingerprint(of_first, verdict) == fingerprint(of_second, verdict)
    assert of_first.crash != of_second.crash


def test_the_ends_of_several_choices_that_were_mixed_up_are_one_defect(passing) -> None:
    def mark(path: str, expected: str, actual: str) -> str:
        verdict = Verdict("response.finish", "FAIL", "", (Difference(path, expected, actual),))
        return fingerprint(passing("a/b", verdict), verdict)

    assert mark("choices[0].finish", "stop", "length") == mark("choices[1].finish", "length", "incomplete")
    assert mark("finish", "stop", "length") != mark("finish", "length", "incomplete")


def test_a_fingerprint_is_stable(passing) -> None:
    """Other people's CI may store fingerprints: a change of their form must be intended."""
    verdict = Verdict("response.text", "FAIL", "segment 2 differs", (Difference("choices[0].text[2]", "a", "b"),))
    assert fingerprint(passing("a/b", verdict), verdict) == "7b5461f553"


def test_the_example_is_the_simplest_case(passing) -> None:
    verdict = Verdict("x", "FAIL", "differs")
    cases = [passing("a/a", verdict, layer="sdk"), passing("a/b", verdict, mode="stream"), passing("a/c", verdict)]
    (finding,) = group_findings(cases)
    assert finding.example.startswith("a/c::")
    assert len(finding.cases) == 3


def test_the_command_repeats_only_that_case(passing) -> None:
    case = passing("tools/parallel", mode="stream")
    address = "tools/parallel::bridged-gemini-to-openai-chat-stream-wire"
    assert repeat_command(case) == ("bridgecheck", "run", "--scenario", address)
    assert repeat_command(case, ("--adapter", "native:"))[2:4] == ("--adapter", "native:")


def test_the_command_for_a_relation_enables_all_relations(passing) -> None:
    assert repeat_command(passing("a/a", Verdict("relation.crlf", "FAIL")))[-2:] == ("--relations", "all")
    assert "--relations" not in repeat_command(passing("a/a", Verdict("relation.crlf", "PASS")))


def test_traffic_is_repeated_by_file_and_id(passing) -> None:
    case = passing("vendor/0007", source="traffic", where="some folder/vendor.jsonl:7")
    (finding,) = group_findings([passing("vendor/0007", Verdict("x", "FAIL"), source="traffic", where=case.where)])
    assert repeat_command(case)[2:] == (
        "--traffic", "some folder/vendor.jsonl::vendor/0007::bridged-gemini-to-openai-chat-unary-wire"
    )  # fmt: skip
    assert "'some folder/vendor.jsonl::vendor/0007::bridged-" in finding.command_line


def test_hangs_with_different_limits_are_one_finding() -> None:
    stood = (
        'It stood here (most recent call last):\n  File "/a/b.py", line 3, in wait\n    sleep(9)\nno answer within {} s'
    )
    assert crash_shape(stood.format(10)) == crash_shape(stood.format(1))


def test_a_headline_is_one_line_and_the_rest_is_the_body(passing) -> None:
    traceback = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x\nKeyError: 1\n'
    messages = {"[bad-traffic] broken JSON\n  at: a.jsonl:2": "[bad-traffic] broken JSON", traceback: "KeyError: 1"}
    for message, headline in messages.items():
        (finding,) = group_findings([passing("a/b", Verdict("harness.error", "ERROR", message))])
        assert finding.one_line_summary == headline
        assert finding.crash_or_message_rest


def test_unreadable_traffic_is_repeated_by_its_file(passing) -> None:
    broken = Verdict("harness.error", "ERROR", "broken")
    case = passing("a.jsonl:2", broken, source="traffic", where="in/a.jsonl:2")
    assert repeat_command(case)[2:] == ("--traffic", "in/a.jsonl")


def test_wildcards_in_the_id_of_traffic_are_quoted(passing) -> None:
    case = passing("run[1]/*", source="traffic", where="a.jsonl:7")
    assert repeat_command(case)[3] == "a.jsonl::run[[]1]/[*]::bridged-gemini-to-openai-chat-unary-wire"


def make_refusal_fingerprint(passing: Callable[..., CaseResult], message: str) -> str:
    verdict = Verdict("adapter.completes", "FAIL", message)
    return fingerprint(passing("a/b", verdict), verdict)


def make_error_answer(status: int, message: str) -> str:
    return f'the adapter failed: answered {status} without asking the provider: {{"error": {{"message": "{message}"}}}}'


def test_error_answers_are_told_apart_by_status_and_words(passing) -> None:
    marks = [
        make_refusal_fingerprint(passing, make_error_answer(status, message))
        for status, message in ((500, "no route"), (503, "no route"), (500, "the image cannot be fetched"))
    ]
    assert len(set(marks)) == 3


def test_ids_addresses_times_models_and_values_are_no_difference(passing) -> None:
    texts = [
        "call call_a81 of 'get_tide' failed at 12:03, url=https://a.example/1 in model 'gemini/gpt-4.1' {'x': 1}",
        "call call_b9 of 'get_wind' failed at 9:15, url=https://b.example/2?x=y in model 'openai/gemini-2.5' {'y': {}}",
    ]
    assert len({make_refusal_fingerprint(passing, make_error_answer(500, text)) for text in texts}) == 1


def test_a_quoted_name_of_a_dialect_is_a_difference() -> None:
    assert message_shape("no 'top_logprobs' here") != message_shape("no 'functions' here")
    assert message_shape("no 'get_tide' here") == message_shape("no 'get_wind' here")


def test_one_error_in_the_forms_of_two_dialects_is_one_cause() -> None:
    chat = 'refused: {"error": {"message": "no image", "type": "x", "code": "400"}}'
    anthropic = 'refused: {"type": "error", "error": {"type": "api_error", "message": "no image"}}'
    assert message_shape(chat) == message_shape(anthropic) == "refused:: no image"


def test_a_verdict_with_two_kinds_of_difference_is_two_failures(passing) -> None:
    rows = (Difference("settings.n", "2", "(absent)"), Difference("settings.seed", "0", "(absent)"))
    verdict = Verdict("request.settings", "FAIL", "settings.n: expected 2, got (absent)", rows)
    case = passing("a/b", verdict)
    found = group_findings([case])
    assert [finding.differences for finding in found] in ([(rows[0],), (rows[1],)], [(rows[1],), (rows[0],)])
    assert set(fingerprints(case, verdict)) == {finding.first_fingerprint for finding in found}
    assert [part.differences for part in split_by_kind(case, verdict)] == [(rows[0],), (rows[1],)]
    assert {finding.one_line_summary for finding in found} == {
        f"the setting {name} is lost (expected {value}). Settings arrive with their values."
        for name, value in (("n", 2), ("seed", 0))
    }


def test_all_that_a_lost_schema_loses_is_one_finding(passing) -> None:
    def make_verdict(tool: str, *paths: str) -> Verdict:
        rows = [Difference(f"tools.{tool}.schema.{path}", "declared", "(absent)") for path in paths]
        rows.append(Difference(f"tools.{tool}.schema.required", '["a"]', "null"))
        message = f"tools.{tool}.schema.{paths[0]}: expected declared, got (absent)"
        return Verdict("request.tools", "FAIL", message, tuple(rows))

    verdicts = (make_verdict("log", "depth", "tags[]"), make_verdict("read_file", "path"))
    assert len(group_findings([passing(f"a/{at}", verdict) for at, verdict in enumerate(verdicts)])) == 1


def test_what_a_scenario_expects_is_told_apart_by_its_topic(passing) -> None:
    verdict = Verdict("expect.wire", "FAIL", "finish", (Difference("client_response[0] stop_reason", "a", "b"),))
    cases = [passing(f"{topic}/{at}", verdict) for topic in ("finish", "safety") for at in (1, 2)]
    assert sorted(len(finding.cases) for finding in group_findings(cases)) == [2, 2]


def test_a_consequence_that_shows_only_with_its_cause_is_no_finding(passing) -> None:
    turns = Verdict("request.turns", "FAIL", "a turn is lost")
    tools = Verdict("request.tools", "FAIL", "a tool is lost")
    together = [passing(f"a/{at}", turns, tools) for at in (1, 2)]
    (finding,) = group_findings([*together, passing("a/3", turns)])
    assert (finding.check, finding.explained_checks) == ("request.turns", (("request.tools", 2),))
    assert len(finding.fingerprints) == 2
    assert len(group_findings([*together, passing("a/3", tools), passing("a/4", turns)])) == 2
    assert len(group_findings(together[:1])) == 2


def test_calls_and_content_come_before_metadata(passing) -> None:
    usage, text = Verdict("response.usage", "FAIL", "lost"), Verdict("response.text", "FAIL", "lost")
    found = group_findings([passing("a/1", usage), passing("a/2", usage), passing("a/3", usage), passing("a/4", text)])
    assert [finding.check for finding in found] == ["response.text", "response.usage"]


def test_the_command_for_a_law_of_a_scenario_enables_relations(passing) -> None:
    broken = Verdict("law.fold_square", "FAIL")
    assert repeat_command(passing("a/a", broken))[-2:] == ("--relations", "all")
    assert "--relations" not in repeat_command(passing("v/7", broken, source="traffic", where="v.jsonl:7"))


def test_what_comes_back_of_a_wrong_answer_is_no_finding(passing) -> None:
    """A client sends back what it received: the history of its next request is wrong where the answer was."""
    text = Verdict("response.text", "FAIL", "text is lost", (Difference("text", '"a"', "(absent)"),))
    history = Verdict("request.turns", "FAIL", "x", (Difference("turns[1].parts[0]", "{}", "(absent)"),), turn=1)
    literal = Verdict(
        "expect.wire",
        "FAIL",
        "x",
        (Difference("upstream_request[1] messages[1].content", '"a"', "(absent)"),),
        rules=("upstream_request equals",),
    )
    first = Verdict("request.turns", "FAIL", "x", (Difference("turns[1].parts[0]", "{}", "(absent)"),))
    (finding,) = group_findings([passing("a/1", text, history), passing("b/2", text, literal), passing("a/3", text)])
    assert finding.explained_checks == (("request.turns", 1), ("expect.wire", 1))
    assert len(finding.fingerprints) == 3
    assert len(group_findings([passing("a/1", text, first)])) == 2
    assert len(group_findings([passing("a/1", text, history), passing("a/2", history)])) == 2


def test_a_wrong_answer_explains_no_lost_setting_of_the_next_request(passing) -> None:
    text = Verdict("response.text", "FAIL", "text is lost", (Difference("text", '"a"', "(absent)"),))
    setting = Verdict("request.settings", "FAIL", "x", (Difference("settings.seed", "1", "(absent)"),), turn=1)
    assert len(group_findings([passing("a/1", text, setting), passing("a/2", text, setting)])) == 2
