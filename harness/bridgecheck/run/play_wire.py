"""Plays one case at wire level: documents in, documents out, no HTTP."""

from collections.abc import Sequence

from bridgecheck.drivers import Driver, inprocess
from bridgecheck.drivers.foreign_code import Crashed, NoMethod, Refused
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import NotPlayable, Record, Turn
from bridgecheck.wire import JsonObject


def play(driver: Driver, key: CaseKey, turns: Sequence[Turn]) -> Record:
    """Play one upstream call a turn (a converter does not retry: the first recorded answer counts). What fails in one
    conversion hides nothing of another, so every request and every answer is converted; only a refused request gets no
    answer, and nothing follows a conversion that hangs. Raises NotPlayable."""
    record = Record()
    for turn in turns:
        request = record.start_turn(turn)
        if request is None:
            break
        _play_turn(driver, key, record, request, turn.answers[0])
        if record.crash_kind == "hung":
            break
    return record


def _play_turn(driver: Driver, key: CaseKey, record: Record, request: Request, recorded: Response) -> None:
    is_refused = not _send_request(driver, key, record, request, recorded)
    call = len(record.upstream) - 1
    if not is_refused and record.crash_kind != "hung":
        try:
            answered = inprocess.convert_response(driver, _require_convertible_response(driver, recorded), request)
        except (Crashed, Refused) as failure:
            record.add_failure(failure)
        except NotPlayable:
            if not record.crash:
                raise
        else:
            record.losses += answered.losses
            record.add_client_answer(request, answered.response, call, f"r{answered.arrivals}")
    record.break_off_pending_turn(call)


def _send_request(driver: Driver, key: CaseKey, record: Record, request: Request, recorded: Response) -> bool:
    """Convert the request; record it with its answer, or the answer alone if that fails; False for a refusal."""
    sent: Request | None = None
    repeated: JsonObject | None = None
    is_refused = False
    try:
        converted = inprocess.convert_request(driver, request, key.upstream)
        sent = converted.request
        record.losses += converted.losses
        # The identity need not show that it changes nothing.
        repeated = None if driver.identity else inprocess.convert_request(driver, request, key.upstream).request.body
    except (Crashed, Refused) as failure:
        record.add_failure(failure)
        is_refused = isinstance(failure, Refused) and not isinstance(failure, NoMethod)
    record.upstream.append(Interaction(sent, recorded))
    record.repeats.append(repeated)
    return not is_refused


def _require_convertible_response(driver: Driver, recorded: Response) -> Response:
    """Return the answer if this driver can convert it: a converter takes only JSON objects. Raises NotPlayable."""
    if driver.identity:
        return recorded
    objects = all(isinstance(document, dict) for document in recorded.documents)
    if not objects or (recorded.text and not recorded.documents):
        raise NotPlayable("what the provider sent is no JSON document: a matter of HTTP, not of conversion")
    return recorded
