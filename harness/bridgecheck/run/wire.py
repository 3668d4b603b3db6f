"""Playing one case at wire level: documents in, documents out, no HTTP."""

from collections.abc import Sequence

from bridgecheck.drivers import Driver, inprocess
from bridgecheck.drivers.supervise import Crashed, Refused
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import NotPlayable, Record, Turn
from bridgecheck.wire import JsonObject


def play(driver: Driver, key: CaseKey, turns: Sequence[Turn]) -> Record:
    """One upstream call a turn (a converter does not retry: the first recorded answer counts). Raises NotPlayable."""
    record = Record()
    for turn in turns:
        request = record.ask(turn)
        if request is None or not _step(driver, key, record, request, turn.answers[0]):
            break
    return record


def _step(driver: Driver, key: CaseKey, record: Record, request: Request, recorded: Response) -> bool:
    """One turn; False if the adapter gave up, so that there is no next one."""
    try:
        sent = inprocess.to_upstream(driver, request, key.upstream)
        record.upstream.append(Interaction(sent.request, recorded))
        record.losses += sent.losses
        record.again.append(_again(driver, key, request))
        answered = inprocess.from_upstream(driver, _playable(driver, recorded), request)
    except Crashed as crash:
        record.crash = str(crash)
    except Refused as refusal:
        record.refused = str(refusal)
    else:
        record.losses += answered.losses
        record.answer(request, answered.response, len(record.upstream) - 1, f"r{answered.arrivals}")
        return not record.crash
    record.break_off()
    return False


def _again(driver: Driver, key: CaseKey, request: Request) -> JsonObject | None:
    """The same request, converted once more; the identity need not show that it does nothing."""
    return None if driver.identity else inprocess.to_upstream(driver, request, key.upstream).request.body


def _playable(driver: Driver, recorded: Response) -> Response:
    """The identity passes anything; a converter is only ever given JSON objects."""
    if driver.identity:
        return recorded
    objects = all(isinstance(document, dict) for document in recorded.documents)
    if not objects or (recorded.text and not recorded.documents):
        raise NotPlayable("what the provider sent is no JSON document: a matter of HTTP, not of conversion")
    return recorded
