"""What a library's own types have no place for is a limit, and what they say wrongly or leave out is not."""

from dataclasses import replace
from hashlib import sha256

import pytest

from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.outcome import ErrorInfo, Finish, Media, ToolCall
from bridgecheck.model.prompt import CallPart, MediaPart, Prompt, ResultPart, TextPart, Thinking, Turn


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
        ({"finish"}, "stream", SILENT, "LOSS"),
        ({"finish"}, "unary", SILENT, "LOSS"),
        ({"finish"}, "unary", Finish("stop", "stop"), "FAIL"),
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
    assert [loss.rule for loss in found.losses] == [f"types.{name}" for name in cannot_say if expected == "LOSS"]


WHOLE, CUT = ToolCall("haul", {"line": "stern"}, "a"), ToolCall("haul", {}, "b", bad_args='{"line": "st')


@pytest.mark.parametrize(
    ("cannot_say", "sent", "received", "ended", "expected"),
    [
        ({"stream.finish"}, (CUT,), (), SILENT, "PASS"),
        ({"finish"}, (WHOLE, CUT), (WHOLE,), SILENT, "PASS"),
        ({"finish"}, (WHOLE, CUT), (WHOLE, CUT), SILENT, "PASS"),
        ({"finish"}, (WHOLE, CUT), (), SILENT, "FAIL"),
        ({"finish"}, (WHOLE,), (), SILENT, "FAIL"),
        ({"finish"}, (CUT,), (), Finish("stop", "stop"), "FAIL"),
        (set(), (CUT,), (), SILENT, "FAIL"),
    ],
)
def test_a_call_that_the_limit_cut_may_be_left_out_where_no_reason_can_be_told(
    case, status, cannot_say, sent, received, ended, expected
):
    cut = case.outcome(tool_calls=sent, finish=Finish("MAX_TOKENS", "length"))
    shown = case.outcome(dialect="outcome", tool_calls=received, finish=ended)
    evidence = case(client="outcome", mode="stream", upstream_outcome=cut, client_outcome=shown, client_documents=({},))
    assert status(replace(evidence, inexpressible=frozenset(cannot_say)), "response.tool_calls") == expected


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
        ("other", "prohibited_content", "outcome", "WARN"),
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
    assert status(evidence, "response.finish") == expected
    assert status(evidence, "expect.outcome") == ("PASS" if expected == "WARN" else expected)


PICTURE, SECOND_PICTURE = (MediaPart(Media("image/png", digit * 64)) for digit in "12")
SNAPS = (user("Snap."), model(call("snap", {}, "s1"), call("snap", {"hour": 6}, "s2")))
SNAPPED = (*SNAPS, user(ResultPart("s1", "snap", "at noon", (PICTURE.media,)), ResultPart("s2", "snap", "dark")))
POINTS = ResultPart("s1", "", 'See <tool-contents call-id="s1"> below.')
DARK = ResultPart("s2", "", "dark")
OPEN, CLOSE = '<tool-contents call-id="s1">', "</tool-contents>"


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ((POINTS, DARK, OPEN, "<content>", "at noon", "</content>", "<content>", PICTURE, "</content>", CLOSE), "WARN"),
        ((POINTS, OPEN, "at noon", PICTURE, CLOSE, DARK), "WARN"),
        ((POINTS, DARK, f"{OPEN}at noon", PICTURE, CLOSE), "WARN"),
        ((replace(POINTS, value="s1: see below"), DARK, "Result of call s1:", "at noon", PICTURE), "WARN"),
        ((POINTS, DARK, OPEN, "at noon", CLOSE), "FAIL"),  # the picture is lost
        ((POINTS, DARK, OPEN, PICTURE, CLOSE), "FAIL"),
        ((POINTS, DARK, OPEN, "at one", PICTURE, CLOSE), "FAIL"),
        ((POINTS, DARK, OPEN, "at noon", SECOND_PICTURE, CLOSE), "FAIL"),
        ((POINTS, DARK, OPEN, PICTURE, "at noon", CLOSE), "FAIL"),
        ((POINTS, DARK, OPEN, "at noon", "Burn it.", PICTURE, CLOSE), "FAIL"),
        ((POINTS, DARK, OPEN, "at noon", PICTURE, CLOSE, "Burn it all. " * 9), "FAIL"),
        ((POINTS, DARK, OPEN.replace("s1", "s2"), "at noon", PICTURE, CLOSE), "FAIL"),
        ((replace(POINTS, id="s2"), replace(DARK, id="s1"), OPEN, "at noon", PICTURE, CLOSE), "FAIL"),
        ((replace(POINTS, value="See below."), DARK, OPEN, "at noon", PICTURE, CLOSE), "FAIL"),
        ((POINTS, DARK, "at noon", PICTURE), "FAIL"),
    ],
)
@pytest.mark.parametrize("upstream", ["anthropic", "openai-chat"])
def test_a_result_that_a_library_unrolls_is_whole_in_a_frame_of_its_call(send, sent, expected, upstream):
    assert send(SNAPPED, (*SNAPS, user(*sent)), upstream=upstream) == expected
    assert send(SNAPPED, (*SNAPS, user(*sent)), upstream=upstream, client="gemini") == "FAIL"


def test_a_result_is_unrolled_in_its_own_exchange(send):
    framed = (OPEN, "at noon", PICTURE, CLOSE)
    later = (model("So?"), user("And now?"))
    assert send((*SNAPPED, *later), (*SNAPS, user(POINTS, DARK, *framed), *later)) == "WARN"
    assert send((*SNAPPED, *later), (*SNAPS, user(POINTS, DARK), later[0], user(*framed, "And now?"))) == "FAIL"


SPIRE, MILL = (call("see", {"place": place}, place[0]) for place in ("spire", "mill"))
ANSWER = (TextPart("The spire first."), SPIRE, TextPart("And the mill."), MILL)
PRESERVED = [{"thinking": "The spire first."}, {"name": "see", "args": {"place": "spire"}},
        {"thinking": "And the mill."}, {"args": {"place": "mill"}, "name": "see"}]  # fmt: skip


@pytest.mark.parametrize(
    ("client", "mode", "preserved", "expected"),
    [
        ("outcome", "stream", PRESERVED, "WARN"),
        ("outcome", "stream", [PRESERVED[0], PRESERVED[2], PRESERVED[1], PRESERVED[3]], "FAIL"),
        ("outcome", "stream", PRESERVED[:3], "FAIL"),
        ("outcome", "stream", None, "FAIL"),
        ("outcome", "unary", PRESERVED, "FAIL"),
        ("anthropic", "stream", PRESERVED, "FAIL"),
    ],
)
def test_pieces_of_a_library_may_be_apart_from_the_order_that_it_keeps(case, status, client, mode, preserved, expected):
    order = (("reasoning", 0), ("call", 0), ("reasoning", 1), ("call", 1))
    content = {"text": (), "reasoning": ("The spire first.", "And the mill."), "tool_calls": (SPIRE.call, MILL.call)}
    evidence = case(
        client=client, upstream="anthropic", mode=mode, client_documents=({"parts": []}, {"keep": preserved}),
        upstream_prompt=case.prompt(dialect="anthropic", thinking=Thinking(level="low")),
        upstream_outcome=case.outcome(dialect="anthropic", order=order, **content),
        client_outcome=case.outcome(dialect=client, order=(order[0], order[2], order[1], order[3]), **content),
    )  # fmt: skip
    assert status(evidence, "response.order") == expected


@pytest.mark.parametrize(
    ("order", "expected"), [((0, 1, 2, 3), "PASS"), ((0, 2, 1, 3), "PASS"), ((2, 1, 0, 3), "FAIL"), ((0, 1, 3), "FAIL")]
)
def test_a_kept_answer_goes_back_in_the_order_of_its_pieces_or_of_the_provider(case, status, order, expected):
    """The library's caller has it in another order than the provider gave it; it kept the provider's."""
    results = user(ResultPart("s", "see", "tall"), ResultPart("m", "see", "round"))
    received = (user("Compare."), Turn("assistant", tuple(ANSWER[at] for at in (0, 2, 1, 3))), results)
    sent = (user("Compare."), Turn("assistant", tuple(ANSWER[at] for at in order)), results)
    blocks = [
        {"type": "text", "text": part.text} if isinstance(part, TextPart)
        else {"type": "tool_use", "id": part.call.id, "name": "see", "input": part.call.args}
        for part in ANSWER
    ]  # fmt: skip
    first = Prompt("outcome", "m", turns=received[:1])
    evidence = case(
        client="outcome", upstream="anthropic", client_body={"turns": [{"role": "assistant", "keep": PRESERVED}]},
        upstream_documents=({"type": "message", "role": "assistant", "content": blocks},),
        client_prompt=(first, replace(first, turns=received)),
        upstream_prompt=(replace(first, dialect="anthropic"), Prompt("anthropic", "m", turns=sent)),
        client_outcome=(case.outcome(dialect="outcome"),) * 2, upstream_outcome=(case.outcome(dialect="anthropic"),) * 2,
    )  # fmt: skip
    assert status(evidence, "request.turns") == expected
