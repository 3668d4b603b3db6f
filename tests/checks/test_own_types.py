"""What a library's own types have no place for is a limit, and what they say wrongly or leave out is not."""

from dataclasses import replace
from hashlib import sha256

import pytest

from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.outcome import ErrorInfo, Finish, Media, ToolCall
from bridgecheck.model.prompt import CallPart, MediaPart, Prompt, ResultPart, TextPart, Turn


def user(*parts):
    return Turn("user", tuple(TextPart(part) if isinstance(part, str) else part for part in parts))


def model(*parts):
    return Turn("assistant", tuple(TextPart(part) if isinstance(part, str) else part for part in parts))


def call(name, args=None, id=""):
    return CallPart(ToolCall(name, args or {}, id))


SAFETY = Finish("SAFETY", "content_filter")
SILENT = Finish("", "incomplete")


@pytest.mark.parametrize(
    ("cannot_say", "mode", "described", "expected"),
    [
        ({"stream.finish"}, "stream", SILENT, "LOSS"),
        ({"stream.finish"}, "stream", Finish("stop", "stop"), "FAIL"),
        ({"stream.finish"}, "unary", SILENT, "FAIL"),
        (set(), "stream", SILENT, "FAIL"),
    ],
)
def test_pieces_without_a_place_for_the_finish_lose_it_by_declaration(
    case, verdicts, cannot_say, mode, described, expected
):
    stopped, client_outcome = case.outcome(finish=SAFETY), case.outcome(dialect="outcome", finish=described)
    evidence = case(
        client="outcome", mode=mode, upstream_outcome=stopped, client_outcome=client_outcome, client_documents=({},)
    )
    (found,) = verdicts(replace(evidence, inexpressible=frozenset(cannot_say)), "response.finish")
    assert ("LOSS" if found.losses else found.status) == expected
    assert [loss.rule for loss in found.losses] == ["types.stream.finish"] * (expected == "LOSS")


@pytest.mark.parametrize(
    ("documents", "error", "expected"),
    [
        (({"parts": [{"text": "Hel"}]},), None, "FAIL"),
        (({"parts": [{"text": "Hel"}]}, {"finish": "incomplete"}), None, "PASS"),
        (({"parts": [{"text": "Hel"}]},), ErrorInfo("truncated", "cut"), "PASS"),
    ],
)
def test_a_cut_has_to_be_an_error_where_no_piece_tells_the_finish(case, status, documents, error, expected):
    """Its caller takes an end in silence for the end of the answer."""
    broken, client_outcome = (
        case.outcome(finish=SILENT),
        replace(case.outcome(dialect="outcome", finish=SILENT), error=error),
    )
    chunks = ({"candidates": [{"content": {"parts": [{"text": "Hel"}]}}]},)
    cut = Interaction(Request("gemini", "stream", {}, "m"), Response("gemini", "stream", chunks, end="cut"))
    evidence = case(
        client="outcome", mode="stream", layer="sdk", upstream_outcome=broken, client_outcome=client_outcome,
        client_documents=documents, upstream_sides=(cut,),
    )  # fmt: skip
    assert status(replace(evidence, inexpressible=frozenset({"stream.finish"})), "response.error") == expected


@pytest.mark.parametrize(
    ("client", "cannot_say", "text", "expected"),
    [
        ("outcome", {"refusal"}, (), "WARN"),
        ("outcome", {"refusal"}, ("I will not.",), "PASS"),
        ("outcome", {"refusal"}, ("All done.",), "FAIL"),
        ("outcome", set(), (), "FAIL"),
        ("gemini", set(), (), "FAIL"),
    ],
)
def test_a_refusal_without_a_place_is_missed_by_warning(case, status, client, cannot_say, text, expected):
    refused = case.outcome(dialect="openai-chat", refusal="I will not.", text=(), order=(("refusal", 0),))
    client_outcome = case.outcome(dialect=client, text=text, order=())
    evidence = case(client=client, upstream="openai-chat", upstream_outcome=refused, client_outcome=client_outcome)
    assert status(replace(evidence, inexpressible=frozenset(cannot_say)), "response.refusal") == expected


@pytest.fixture
def send(case, status):
    """Judge the turns that a library sends in place of those it was called with."""

    def judge_turns(turns, sent, *cannot_say, client="outcome", upstream="anthropic", relayed=False):
        prompts = [Prompt(dialect, "m", turns=found) for dialect, found in ((client, turns), (upstream, sent))]
        pairs = [(prompt, prompt) if relayed else prompt for prompt in prompts]
        outcomes = [(case.outcome(dialect=dialect),) * (1 + relayed) for dialect in (client, upstream)]
        evidence: Evidence = case(
            client=client, upstream=upstream, client_prompt=pairs[0], upstream_prompt=pairs[1],
            client_outcome=outcomes[0], upstream_outcome=outcomes[1],
        )  # fmt: skip
        return status(replace(evidence, inexpressible=frozenset(cannot_say)), "request.turns")

    return judge_turns


EXCHANGE = (
    user("Ring it."),
    model("At once.", call("ring", {"bell": "fog"}, "b1")),
    user(ResultPart("b1", "ring", "rung")),
)


def test_a_text_keeps_its_exchange_where_types_hold_no_order(send):
    silent = (EXCHANGE[0], model(call("ring", {"bell": "fog"}, "b1")), EXCHANGE[2])
    behind, next_turn = (*silent, model("At once.")), user("And again?")
    assert send(EXCHANGE, behind, "order") == "WARN"
    assert send((*EXCHANGE, next_turn), (*behind, next_turn), "order") == "WARN"
    assert send(EXCHANGE, behind) == "FAIL"  # then the types have an order
    assert send(EXCHANGE, silent, "order") == "FAIL"
    assert send(EXCHANGE, (*silent, model("At once!")), "order") == "FAIL"
    assert send(EXCHANGE, (*silent, user("At once.")), "order") == "FAIL"
    assert send((*EXCHANGE, next_turn), (*silent, next_turn, model("At once.")), "order") == "FAIL"


def test_rounds_that_a_library_got_apart_stay_apart(send):
    first, second = call("ring", {"bell": "fog"}, "b1"), call("ring", {"bell": "tide"}, "b2")
    results = [ResultPart("b1", "ring", "rung"), ResultPart("b2", "ring", "still")]
    rounds = (user("Ring."), model(first), user(results[0]), model(second), user(results[1]))
    assert send(rounds, (user("Ring."), model(first, second), user(*results)), "order") == "FAIL"


VALUES = ({"deep": [1.25, None]}, False)
ROUND = (user("Sound."), model(call("sound", {"hour": 6}, "s1"), call("tide", {}, "t1")),
         user(*(ResultPart(id, "", value) for id, value in zip(("s1", "t1"), VALUES, strict=True))))  # fmt: skip
DESCRIBED_CALLS = "Calling: [{'name': 'sound', 'arguments': {'hour': 6}}, {'name': 'tide', 'arguments': {}}]"


@pytest.mark.parametrize(
    ("described", "observed", "expected"),
    [
        (DESCRIBED_CALLS, "{'deep': [1.25, None]}\nFalse", "WARN"),
        (DESCRIBED_CALLS, '{"deep": [1.25, null]}\nfalse', "WARN"),
        ("sound(hour=6) gave deep = [1.25, null]; tide() gave false", "That is all.", "WARN"),
        (DESCRIBED_CALLS, "False\n{'deep': [1.25, None]}", "FAIL"),  # results that are each other's
        (DESCRIBED_CALLS, "{'deep': [1.2, None]}\nFalse", "FAIL"),
        (DESCRIBED_CALLS, "{'deep': [11.25, None]}\nFalse", "FAIL"),
        (DESCRIBED_CALLS, "{'deep': [1.25, None]}", "FAIL"),
        (DESCRIBED_CALLS.replace("6", "7"), "{'deep': [1.25, None]}\nFalse", "FAIL"),
    ],
)
def test_calls_that_a_library_tells_as_text_are_whole(send, described, observed, expected):
    assert send(ROUND, (ROUND[0], model(described), user(observed)), upstream="openai-chat") == expected
    assert send(ROUND, (ROUND[0], model(described), user(observed)), upstream="openai-chat", relayed=True) == "FAIL"
    assert send(ROUND, (ROUND[0], model(described), user(observed)), upstream="openai-chat", client="gemini") == "FAIL"


TABLE = "light,seconds\nSkagen,4"


@pytest.mark.parametrize("mime", ["text/csv", "application/json"])
@pytest.mark.parametrize(
    ("sent", "client", "expected"),
    [
        (("What light?", TABLE), "outcome", "WARN"),
        ((f"What light?\n\n{TABLE}",), "outcome", "WARN"),
        ((TABLE, "What light?"), "outcome", "WARN"),
        (("What light?", TABLE), "anthropic", "FAIL"),
        (("What light?", TABLE[:-1]), "outcome", "FAIL"),
        (("What light?", TABLE.replace("4", "5")), "outcome", "FAIL"),
        (("What?", TABLE), "outcome", "FAIL"),
    ],
)
def test_a_file_of_text_may_be_sent_as_text_behind_the_question(send, mime, sent, client, expected):
    file = MediaPart(Media(mime, sha256(TABLE.encode()).hexdigest()))
    assert send((user(file, "What light?"),), (user(*sent),), client=client, upstream="gemini") == expected


@pytest.mark.parametrize(
    ("kind", "word", "client", "expected"),
    [
        ("other", "prohibited_content", "outcome", "PASS"),
        ("incomplete", "PROHIBITED_CONTENT", "outcome", "PASS"),
        ("other", "recitation", "outcome", "FAIL"),
        ("other", "", "outcome", "FAIL"),
        ("stop", "prohibited_content", "outcome", "FAIL"),
        ("other", "prohibited_content", "openai-chat", "FAIL"),
    ],
)
def test_a_finish_in_the_provider_s_own_word_is_classed_by_it(case, status, kind, word, client, expected):
    stopped = case.outcome(finish=Finish("PROHIBITED_CONTENT", "content_filter"))
    client_outcome = case.outcome(dialect=client, finish=Finish(word, kind))
    scenario = case.scenario(outcome={"finish": "content_filter"})
    evidence = case(client=client, upstream_outcome=stopped, client_outcome=client_outcome, scenario=scenario)
    assert {status(evidence, check) for check in ("response.finish", "expect.outcome")} == {expected}
