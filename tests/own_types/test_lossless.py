"""Documents of ``outcome`` can express every recorded answer: rewritten as a document it reads the same, and no check
complains. If one did, the judge would be wrong."""

from collections.abc import Iterator
from dataclasses import replace

from bridgecheck import normalise
from bridgecheck.checks import judge
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.files.corpus import expected_recordings
from bridgecheck.model.exchange import Response
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.model.scenario import Scenario
from bridgecheck.normalise.outcome import find_response_problems
from bridgecheck.run.library import Library
from bridgecheck.upstream.outcome_document import base64_of_all_texts_by_digest

from .lossless import make_evidence, write_document

NOT_REWRITABLE = {
    "interleaved/redacted-between-calls": "where opaque reasoning stood among the calls",
    "interleaved/two-thoughts-in-a-row": "two thoughts that follow one another",
    "server-tools/container-of-anthropic": "texts with a tool of the provider's between them",
    "server-tools/search-of-anthropic": "texts with a tool of the provider's between them",
    "thinking/around-server-tools": "thoughts and texts with a tool of the provider's between them",
}
"""Scenario -> what an Outcome does not hold, so that the answer cannot be rewritten from one. The rest of it is judged."""

RECORDINGS = Library(cassettes_root())
CORPUS = [scenario for scenario in scenarios(scenarios_root()) if not scenario.client_model]


def recorded_answers(scenario: Scenario) -> Iterator[tuple[str, Response, Response]]:
    """Yield (recording, the provider's response, the same as a document)."""
    for dialect, mode in expected_recordings(scenario):
        for interaction in RECORDINGS.load_recorded_cassette(scenario.id, dialect, mode).decode_interactions(
            dialect, mode
        ):
            response = interaction.response
            media = base64_of_all_texts_by_digest(
                {"all": [normalise.fold(dialect, response.documents), *response.documents]}
            )
            made = write_document(normalise.response(response), media)
            yield (
                f"{dialect}.{mode}",
                response,
                Response("outcome", "unary", (made,), response.status, response.headers),
            )


def strip_dialect(outcome: Outcome) -> Outcome:
    """Return an outcome without what depends on its dialect: notes, and ``other``, which documents have no field for."""
    choices = tuple(
        replace(choice, citations=(), order=(), finish=comparable_finish(choice)) for choice in outcome.choices
    )
    return replace(outcome, dialect="outcome", other=(), notes=(), choices=choices)


def comparable_finish(choice: Choice) -> object:
    return replace(choice.finish, native="") if choice.finish.kind == "incomplete" else choice.finish


def test_every_recorded_answer_reads_the_same() -> None:
    failures = []
    for scenario in CORPUS:
        if scenario.id in NOT_REWRITABLE:
            continue
        for recording, upstream, made in recorded_answers(scenario):
            if problems := find_response_problems(made):
                failures.append((scenario.id, recording, problems))
            elif strip_dialect(normalise.response(made)) != strip_dialect(normalise.response(upstream)):
                failures.append((scenario.id, recording, "reads differently"))
    assert failures == []


def test_no_check_complains() -> None:
    failures = [
        (scenario.id, recording, verdict.check, verdict.message)
        for scenario in CORPUS
        for recording, upstream, made in recorded_answers(scenario)
        for verdict in judge(make_evidence(upstream, made))
        if verdict.status in ("FAIL", "WARN", "ERROR")
    ]
    assert failures == []
