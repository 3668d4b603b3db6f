"""The documents can say what any provider says: written again without loss, every recorded answer reads the same, and
no check complains. Where one did, the judge would be wrong."""

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
from bridgecheck.upstream.outcome_document import bytes_by_digest

from .ideal import document, evidence

APART = {
    "interleaved/redacted-between-calls": "where opaque reasoning stood among the calls",
    "interleaved/two-thoughts-in-a-row": "two thoughts that follow one another",
    "server-tools/container-of-anthropic": "texts with a tool of the provider's between them",
    "server-tools/search-of-anthropic": "texts with a tool of the provider's between them",
}
"""What an Outcome does not tell, so that it cannot be written again from one. What follows from it is judged all the
same."""

RECORDINGS = Library(cassettes_root())
CORPUS = scenarios(scenarios_root())


def answers(what: Scenario) -> Iterator[tuple[str, Response, Response]]:
    """(how it is recorded, what the provider said, the same as a document)."""
    for dialect, mode in expected_recordings(what):
        for one in RECORDINGS.cassette(what.id, dialect, mode).decode_interactions(dialect, mode):
            said = one.response
            media = bytes_by_digest({"all": [normalise.fold(dialect, said.documents), *said.documents]})
            made = document(normalise.response(said), media)
            yield f"{dialect}.{mode}", said, Response("outcome", "unary", (made,), said.status, said.headers)


def plain(outcome: Outcome) -> Outcome:
    """What is left of an outcome beside its dialect: notes tell how it was read, ``other`` has no word."""
    choices = tuple(replace(one, citations=(), order=(), finish=_known(one)) for one in outcome.choices)
    return replace(outcome, dialect="outcome", other=(), notes=(), choices=choices)


def _known(choice: Choice) -> object:
    return replace(choice.finish, native="") if choice.finish.kind == "incomplete" else choice.finish


def test_every_recorded_answer_reads_the_same() -> None:
    failures = []
    for scenario in CORPUS:
        if scenario.id in APART:
            continue
        for recording, upstream, made in answers(scenario):
            if problems := find_response_problems(made):
                failures.append((scenario.id, recording, problems))
            elif plain(normalise.response(made)) != plain(normalise.response(upstream)):
                failures.append((scenario.id, recording, "reads differently"))
    assert failures == []


def test_no_check_complains() -> None:
    failures = [
        (scenario.id, recording, verdict.check, verdict.message)
        for scenario in CORPUS
        for recording, upstream, made in answers(scenario)
        for verdict in judge(evidence(upstream, made))
        if verdict.status in ("FAIL", "WARN", "ERROR")
    ]
    assert failures == []
