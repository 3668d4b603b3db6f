"""Playing what the laws of ``checks/laws`` compare: the second way round, next to the case itself."""

from collections.abc import Iterator
from dataclasses import replace

from bridgecheck import normalise
from bridgecheck.checks import CHECKS, laws
from bridgecheck.checks.calls import apart
from bridgecheck.drivers import Driver, inprocess
from bridgecheck.drivers.supervise import Crashed, Refused
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.outcome import Outcome
from bridgecheck.model.transcript import Transcript
from bridgecheck.model.verdict import CaseKey, Verdict
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import RECORDS


def verdicts(found: Evidence, driver: Driver) -> Iterator[Verdict]:
    """The laws that apply to this case of recorded traffic (one turn). A crash is the case's own finding."""
    yield from of_answers(found, driver)
    key = found.key
    if found.transcript.crash or found.transcript.refused:
        return
    if key.client != key.upstream and (key.upstream, key.client) in driver.info.routes:
        yield from _roundtrip(found, driver)


def of_answers(found: Evidence, driver: Driver) -> Iterator[Verdict]:
    """A stream against the unary answer that says the same, of a case of one turn."""
    if found.transcript.crash or found.transcript.refused or len(found.transcript.upstream) != 1:
        return
    upstream = found.transcript.upstream[0].response
    if upstream.mode == "stream" and not _one_message(upstream) and whole(found.upstream_outcomes[0], found.key.client):
        yield _fold(upstream, found) if driver.identity else _square(upstream, found, driver)


def _one_message(stream: Response) -> bool:
    """Whether Anthropic was asked for a stream and gave the message in one piece, which is no event."""
    return any(obj(document).get("type") == "message" for document in stream.documents)


def whole(outcome: Outcome, client: Dialect) -> bool:
    """An answer that came to its end: only that has a unary counterpart. Nor has one whose calls ran together because
    they share an index: folding it loses the ids by which a stream can tell them apart; nor, but between ends that
    speak Chat, where arguments are text, one whose arguments are no object; nor one whose sound came in pieces."""
    finished = all(choice.finish.kind != "incomplete" for choice in outcome.choices)
    clear = all(len(apart(choice.tool_calls)) == len(choice.tool_calls) for choice in outcome.choices)
    calls = [call for choice in outcome.choices for call in choice.tool_calls]
    text_arguments = all(RECORDS[dialect].arguments_are_text for dialect in (outcome.dialect, client))
    arguments = text_arguments or all(call.bad_args is None for call in calls)
    sounds = [one for choice in outcome.choices for one in choice.media if one.mime.startswith("audio/")]
    return outcome.error is None and bool(outcome.choices) and finished and clear and arguments and len(sounds) < 2


def folded(stream: Response) -> Response:
    """The unary response that says what the stream says."""
    document = normalise.fold(stream.dialect, stream.documents)
    return replace(stream, mode="unary", documents=(document,), terminated=None, chunks=None)


def _fold(stream: Response, found: Evidence) -> Verdict:
    return laws.fold(found.upstream_outcomes[0], normalise.response(folded(stream)))


def _square(stream: Response, found: Evidence, driver: Driver) -> Verdict:
    """The other way round: fold first, then convert."""
    streamed = found.transcript.client[0]
    if streamed.request is None:
        raise AssertionError("a bridged case always has a request")
    body = RECORDS[found.key.client].body_in_mode(streamed.request.body, "unary")
    try:
        answered = inprocess.from_upstream(driver, folded(stream), replace(streamed.request, mode="unary", body=body))
    except (Crashed, Refused) as error:
        return Verdict(laws.FOLD_SQUARE, "FAIL", f"the folded answer is not converted: {error}")
    converted = normalise.response(folded(streamed.response))
    in_chat = found.pivot is not None and RECORDS[found.pivot].arguments_are_text
    return laws.fold_square(converted, normalise.response(answered.response), in_chat=in_chat)


def _roundtrip(found: Evidence, driver: Driver) -> Iterator[Verdict]:
    """The request on its way back. A refusal of what the adapter itself has made is a broken law too."""
    asked, sent = found.transcript.client[0].request, found.transcript.upstream[0].request
    if asked is None or sent is None:
        return
    try:
        returned = inprocess.to_upstream(driver, sent, asked.dialect).request
    except (Crashed, Refused) as error:
        yield Verdict(laws.REQUEST_ROUNDTRIP, "FAIL", f"its own request is not converted back: {error}")
        return
    compared = _there_and_back(found, asked, returned)
    verdicts = [one for check in CHECKS if check.id.startswith("request.") for one in check.run(compared)]
    yield laws.request_roundtrip(verdicts)


def _there_and_back(found: Evidence, asked: Request, returned: Request) -> Evidence:
    """As if the two were the ends of one case that goes through the dialect between."""
    key = found.key
    answer: Response = found.transcript.client[0].response
    seen = Transcript((Interaction(asked, answer),), (Interaction(returned, answer),))
    outcome: Outcome = found.client_outcomes[0]
    return Evidence(
        key=CaseKey(key.scenario, "bridged", key.client, key.client, key.mode, "wire"),
        transcript=seen,
        scenario=None,
        client_prompts=(normalise.request(asked),),
        upstream_prompts=(normalise.request(returned),),
        upstream_outcomes=(outcome,),
        client_outcomes=(outcome,),
        pivot=key.upstream,
        answered_by=(0,),
    )
