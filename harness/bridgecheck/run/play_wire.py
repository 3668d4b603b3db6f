"""Plays one case at wire level: documents in, documents out, no HTTP."""

from collections.abc import Sequence

from bridgecheck.drivers import Driver, inprocess
from bridgecheck.drivers.foreign_code import Crashed, Refused
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import NotPlayable, Record, Turn
from bridgecheck.wire import JsonObject


def play(driver: Driver, key: CaseKey, turns: Sequence[Turn]) -> Record:
    """Play one upstream call a turn (a converter does not retry: the first recorded answer counts). Raises
    NotPlayable."""
    record = Record()
    for turn in turns:
        request = record.start_turn(turn)
        if request is None or not _play_turn(driver, key, record, request, turn.answers[0]):
            break
    return record


def _play_turn(driver: Driver, key: CaseKey, record: Record, request: Request, recorded: Response) -> bool:
    """Play one turn; False if the adapter gave up, so that there is no next one."""
    try:
        sent = inprocess.convert_request(driver, request, key.upstream)
        record.upstream.append(Interaction(sent.request, recorded))
        record.losses += sent.losses
        record.repeats.append(_repeat_conversion_unless_identity(driver, key, request))
        answered = inprocess.convert_response(driver, _require_convertible_response(driver, recorded), request)
    except Crashed as crash:
        record.crash, record.crash_kind = str(crash), crash.kind
    except Refused as refusal:
        record.refused = str(refusal)
    else:
        record.losses += answered.losses
        record.add_client_answer(request, answered.response, len(record.upstream) - 1, f"r{answered.arrivals}")
        return not record.crash
    record.break_off_pending_turn()
    return False


def _repeat_conversion_unless_identity(driver: Driver, key: CaseKey, request: Request) -> JsonObject | None:
    """Convert the same request once more; the identity need not show that it changes nothing."""
    return None if driver.identity else inprocess.convert_request(driver, request, key.upstream).request.body


def _require_convertible_response(driver: Driver, recorded: Response) -> Response:
    """Return the answer if this driver can convert it: the identity passes anything, a converter takes only JSON
    objects. Raises NotPlayable."""
    if driver.identity:
        return recorded
    objects = all(isinstance(document, dict) for document in recorded.documents)
    if not objects or (recorded.text and not recorded.documents):
        raise NotPlayable("what the provider sent is no JSON document: a matter of HTTP, not of conversion")
    return recorded
