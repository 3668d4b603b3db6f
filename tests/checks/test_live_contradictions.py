"""A MUST that the provider's own live answer does not meet fails no adapter, and nothing beside it is excused."""

from bridgecheck.checks.live_contradictions import Contradictions, dispute, find_contradictions_by_provider
from bridgecheck.model.verdict import Difference, Verdict

OUTCOME, LITERAL = "expect.outcome", "expect.wire"
KIND = Difference("error.kind", "overloaded", "server")
CODE = Difference("error.status", "529", "500")
IDS = Difference("ids_unique", "true", "false")
PARTS = Difference("client_response[0] candidates[0].content.parts[].text", "distinct true", '"a" stands twice')
CHOICES = Difference("client_response[0] choices[].message.content", "distinct true", '"a" stands twice')


def fail(check: str, *rows: Difference, **fields: object) -> Verdict:
    return Verdict(check, "FAIL", "as it is", rows, **fields)  # type: ignore[arg-type]


def statuses_and_paths(
    verdicts: list[Verdict], contradictions: Contradictions, client: str = "openai-chat"
) -> list[tuple[str, ...]]:
    found = dispute(verdicts, contradictions, client, "m of 2026-11-20")  # type: ignore[arg-type]
    return [(verdict.check, verdict.status, *(row.path for row in verdict.differences)) for verdict in found]


def test_what_a_live_answer_fails_by_itself_is_disputed_for_it_and_for_adapters() -> None:
    contradictions = find_contradictions_by_provider("gemini", [fail(OUTCOME, KIND), Verdict("response.text", "PASS")])
    assert statuses_and_paths([fail(OUTCOME, KIND)], contradictions, "gemini") == [(OUTCOME, "DISPUTED", "error.kind")]
    (verdict,) = dispute([fail(OUTCOME, KIND)], contradictions, "openai-chat", "m of 2026-11-20")
    assert verdict.status == "DISPUTED"
    assert verdict.message.startswith("the live answer of m of 2026-11-20 is not so either: error.kind: expected")


def test_an_adapter_fails_in_what_the_live_answer_meets() -> None:
    contradictions = find_contradictions_by_provider("gemini", [fail(OUTCOME, KIND)])
    found = [fail(OUTCOME, KIND, IDS), fail("response.text", Difference("text", "a", "b"))]
    assert statuses_and_paths(found, contradictions) == [
        (OUTCOME, "DISPUTED", "error.kind"), (OUTCOME, "FAIL", "ids_unique"), ("response.text", "FAIL", "text"),
    ]  # fmt: skip
    agreeing = find_contradictions_by_provider("gemini", [Verdict(OUTCOME, "PASS")])
    assert statuses_and_paths([fail(OUTCOME, KIND)], agreeing) == [(OUTCOME, "FAIL", "error.kind")]


def test_a_client_of_the_same_dialect_is_excused_only_at_the_same_place() -> None:
    contradictions = find_contradictions_by_provider("gemini", [fail(OUTCOME, KIND)])
    assert statuses_and_paths([fail(OUTCOME, CODE)], contradictions, "gemini") == [(OUTCOME, "FAIL", "error.status")]
    assert statuses_and_paths([fail(OUTCOME, CODE)], contradictions) == [(OUTCOME, "DISPUTED", "error.status")]


def test_a_literal_in_another_dialect_is_disputed_with_those_of_its_kind() -> None:
    native = fail(LITERAL, PARTS, rules=("client_response distinct",))
    contradictions = find_contradictions_by_provider("gemini", [native])
    same, another = (fail(LITERAL, CHOICES, rules=(f"client_response {name}",)) for name in ("distinct", "bind"))
    assert [status for _, status, _ in statuses_and_paths([same, another], contradictions)] == ["DISPUTED", "FAIL"]


def test_rules_about_answers_are_disputed_on_the_native_path_alone() -> None:
    shape = fail("client.wire_shape", Difference("candidates[0].finishReason", "a string", "7"))
    contradictions = find_contradictions_by_provider("gemini", [shape])
    assert [status for _, status, *_ in statuses_and_paths([shape], contradictions, "gemini")] == ["DISPUTED"]
    assert [status for _, status, *_ in statuses_and_paths([shape], contradictions)] == ["FAIL"]


def test_no_provider_contradicts_what_is_sent_to_it_nor_a_should() -> None:
    literal = fail(
        LITERAL, Difference("upstream_request[0] model", "present true", "-"), rules=("upstream_request present",)
    )
    for native in (
        literal,
        fail("request.turns", KIND),
        fail("expect.prompt", KIND),
        Verdict(OUTCOME, "WARN", "", (KIND,)),
    ):
        assert find_contradictions_by_provider("gemini", [native]) == Contradictions("gemini")


def test_a_failure_in_words_alone_is_disputed_where_the_words_are_the_same() -> None:
    contradictions = find_contradictions_by_provider("gemini", [fail("stream.terminates_once")])
    failures = [fail("stream.terminates_once"), Verdict("stream.terminates_once", "FAIL", "something else")]
    assert [status for _, status in statuses_and_paths(failures, contradictions, "gemini")] == ["DISPUTED", "FAIL"]
