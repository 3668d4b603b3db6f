"""Plays what the laws of ``checks/laws`` compare: the same conversion in another order, next to the case itself."""

from collections.abc import Iterator
from dataclasses import replace

from bridgecheck import normalise
from bridgecheck.checks import CHECKS, laws
from bridgecheck.checks.text import TEXT
from bridgecheck.checks.tool_calls import split_joined_calls
from bridgecheck.drivers import Driver, inprocess
from bridgecheck.drivers.foreign_code import Crashed, NoMethod, Refused
from bridgecheck.model.evidence import CaseTranscript, Evidence
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.outcome import Outcome
from bridgecheck.model.verdict import CaseKey, Verdict
from bridgecheck.run.longer_limits import HangCount
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import RECORDS


def judge_laws(evidence: Evidence, driver: Driver, hangs: HangCount) -> Iterator[Verdict]:
    """Judge a case of recorded traffic (one turn) by the laws that apply. A crash is the case's own finding.
    ``hangs``: counts those of the adapter meanwhile."""
    yield from judge_fold_laws(evidence, driver, hangs)
    key = evidence.key
    if key.client != key.upstream and (key.upstream, key.client) in driver.info.routes:
        yield from _judge_roundtrip(evidence, driver, hangs)


def judge_fold_laws(evidence: Evidence, driver: Driver, hangs: HangCount) -> Iterator[Verdict]:
    """Compare a stream with the unary answer of the same content, in a case of one turn."""
    if evidence.transcript.unanswered or len(evidence.transcript.upstream) != 1:
        return
    upstream = evidence.transcript.upstream[0].response
    # Anthropic may send the message in one piece where a stream was requested, and that is no event.
    is_message = any(obj(document).get("type") == "message" for document in upstream.documents)
    outcome = evidence.upstream_outcomes[0]
    if upstream.mode != "stream" or is_message or not has_unary_counterpart(outcome, evidence.key.client):
        return
    if driver.identity:
        yield laws.judge_harness_fold(outcome, normalise.response(fold_stream(upstream)))
    else:
        yield from _judge_square(upstream, evidence, driver, hangs)


def has_unary_counterpart(outcome: Outcome, client: Dialect) -> bool:
    """Whether a unary answer can say the same as this streamed one: it came to its end.

    Not one whose calls ran together because they share an index: folding it loses the ids by which a stream separates
    them; nor, but between ends that speak Chat, where arguments are text, one whose arguments are no object; nor one
    whose sound came in pieces.
    """
    finished = all(choice.finish.kind != "incomplete" for choice in outcome.choices)
    separate = all(len(split_joined_calls(choice.tool_calls)) == len(choice.tool_calls) for choice in outcome.choices)
    calls = [call for choice in outcome.choices for call in choice.tool_calls]
    text_arguments = all(RECORDS[dialect].arguments_are_text for dialect in (outcome.dialect, client))
    readable = text_arguments or all(call.bad_args is None for call in calls)
    sounds = [media for choice in outcome.choices for media in choice.media if media.mime.startswith("audio/")]
    whole = outcome.error is None and bool(outcome.choices) and finished
    return whole and separate and readable and len(sounds) < 2


def fold_stream(stream: Response) -> Response:
    """Return the unary response with the content of the stream."""
    document = normalise.fold(stream.dialect, stream.documents)
    return replace(stream, mode="unary", documents=(document,), terminated=None, chunks=None)


def _judge_square(stream: Response, evidence: Evidence, driver: Driver, hangs: HangCount) -> Iterator[Verdict]:
    """Compare converting and folding with the other order: fold first, then convert."""
    streamed = evidence.transcript.client[0]
    if streamed.request is None:
        raise AssertionError("a bridged case always has a request")
    body = RECORDS[evidence.key.client].body_in_mode(streamed.request.body, "unary")
    request = replace(streamed.request, mode="unary", body=body)
    whole = fold_stream(stream)
    try:
        unary = inprocess.convert_response(driver, whole, request)
    except NoMethod:
        return
    except (Crashed, Refused) as error:
        hangs.note(error)
        yield Verdict(laws.FOLD_SQUARE, "FAIL", f"the folded answer is not converted: {error}")
        return
    converted = normalise.response(fold_stream(streamed.response))
    in_chat = evidence.pivot is not None and RECORDS[evidence.pivot].arguments_are_text
    folded = normalise.response(unary.response)
    verdict = laws.judge_fold_square(converted, folded, through_chat=in_chat)
    if verdict.status == "FAIL" and _is_text_arguable(whole, Interaction(request, unary.response), folded, evidence):
        verdict = laws.lower_where_only_texts_differ(verdict)
    yield verdict


def _is_text_arguable(whole: Response, unary: Interaction, received: Outcome, evidence: Evidence) -> bool:
    """Return whether the text of the whole answer, judged by itself, is one that a maintainer may defend: joined with
    line ends, trimmed at its end, withheld where it was filtered. ``received``: the normal form of its response."""
    upstream = replace(evidence.transcript.upstream[0], response=whole)
    alone = replace(
        evidence,
        key=replace(evidence.key, mode="unary"),
        transcript=replace(evidence.transcript, client=(unary,), upstream=(upstream,)),
        upstream_outcomes=(normalise.response(whole),),
        client_outcomes=(received,),
    )
    return {verdict.status for verdict in TEXT.judge(alone)} == {"WARN"}


def _judge_roundtrip(evidence: Evidence, driver: Driver, hangs: HangCount) -> Iterator[Verdict]:
    """Convert the request back. A refusal of what the adapter itself has made breaks the law too."""
    ends = [*evidence.transcript.client[:1], *evidence.transcript.upstream[:1]]
    request, sent = ends[0].request, ends[-1].request
    if len(ends) < 2 or request is None or sent is None:
        return
    try:
        returned = inprocess.convert_request(driver, sent, request.dialect).request
    except (Crashed, Refused) as error:
        hangs.note(error)
        yield Verdict(laws.REQUEST_ROUNDTRIP, "FAIL", f"its own request is not converted back: {error}")
        return
    compared = _roundtrip_evidence(evidence, request, returned)
    verdicts = [verdict for check in CHECKS if check.id.startswith("request.") for verdict in check.judge(compared)]
    yield laws.judge_request_roundtrip(verdicts)


def _roundtrip_evidence(evidence: Evidence, request: Request, returned: Request) -> Evidence:
    """Return the two requests as if they were the ends of one case that goes through the dialect between."""
    key = evidence.key
    answer, outcome = evidence.transcript.client[0].response, evidence.client_outcomes[0]
    return Evidence(
        key=CaseKey(key.scenario, "bridged", key.client, key.client, key.mode, "wire"),
        transcript=CaseTranscript((Interaction(request, answer),), (Interaction(returned, answer),)), scenario=None,
        client_prompts=(normalise.request(request),), upstream_prompts=(normalise.request(returned),),
        upstream_outcomes=(outcome,), client_outcomes=(outcome,), pivot=key.upstream, answered_by=(0,),
    )  # fmt: skip
