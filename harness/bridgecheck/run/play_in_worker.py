"""Plays one case above the wire layer in the process of a Python adapter (run/python_worker), and puts its record
together here: of the requests that were made here, of what the adapter answered, and of what the recording answers to
the requests that it sent."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.playback import Playback
from bridgecheck.drivers import Driver
from bridgecheck.drivers import python_frames as frames
from bridgecheck.drivers.foreign_code import Crashed, Refused
from bridgecheck.drivers.python_frames import BadFrame, FailedInProcess
from bridgecheck.model.counts import plural
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import arr, integer, objs, text
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import NotPlayable, Record, Turn
from bridgecheck.upstream.relay import NothingReceived
from bridgecheck.wire import JsonObject

PLAIN_FIELDS: Final = ("crash", "crash_kind", "refused", "no_method", "stopped", "answered_by", "arrivals")
"""Fields of a record that are texts, or lists of texts or numbers."""


def play(driver: Driver, key: CaseKey, turns: Sequence[Turn], cassette: Cassette, *, in_step: bool) -> Record:
    """Play all turns. Raises NotPlayable."""
    return _play_in_worker(driver, key, turns, cassette, in_step=in_step, twice=False)[0]


def play_twice(driver: Driver, key: CaseKey, turn: Turn, cassette: Cassette) -> tuple[Record, Record]:
    """Play the same turn twice at once; the recording holds an answer for each. Raises NotPlayable."""
    first, second = _play_in_worker(driver, key, [turn], cassette, in_step=False, twice=True)
    return first, second


def _play_in_worker(
    driver: Driver, key: CaseKey, turns: Sequence[Turn], cassette: Cassette, *, in_step: bool, twice: bool
) -> list[Record]:
    process = driver.process
    assert process is not None
    making = _RequestMaking(key, turns)
    count = 2 if twice else 1
    leaves_after = [turn.leaves_after for turn in turns]
    try:
        result = process.request(
            "play", key, driver.info.name, leaves_after, cassette, in_step, twice, seconds=driver.timeout,
            answer_turn=making.answer,
        )  # fmt: skip
        process.edge_url = text(result.get("edge_url"))
        found = list(objs(result.get("records")))
        dialect = key.upstream if driver.over_socket or key.layer == "http" else None
        records = [making.read_record(record, Playback(cassette, dialect)) for record in found]
        if len(records) != count:
            raise BadFrame(f"it gave {plural(len(records), 'record')}, expected {count}")
    except FailedInProcess as error:
        if error.kind == NotPlayable.code:
            raise NotPlayable(error.what) from error
        raise
    except BadFrame as error:
        return making.make_crashed_records(Crashed(str(error)), count)
    except (Crashed, Refused) as error:
        return making.make_crashed_records(error, count)
    if any(record.crash_kind == "hung" for record in records) or result.get("is_settled") is not True:
        process.close()  # something of it may still run; the next case starts another
    return records


class _RequestMaking:
    """The requests of a case, made as the adapter's process needs them."""

    def __init__(self, key: CaseKey, turns: Sequence[Turn]) -> None:
        self._key = key
        self._turns = turns
        self._made: dict[int, Request] = {}
        self._received: list[Response] = []

    def answer(self, question: JsonObject) -> tuple[object]:
        """Return the request of a turn, or why there is none; or the recorded answer of a turn. Raises Crashed."""
        number = integer(question.get("turn"))
        if number is None or not 0 <= number < len(self._turns):
            raise Crashed(f"it needs the request of turn {number}, and there are {len(self._turns)}")
        turn = self._turns[number]
        if "recorded" in question:
            return (turn.recorded_answer(),)
        try:
            self._received = self._read_responses(question.get("received"))
            self._made[number] = turn.make_request(self._received)
        except NothingReceived as error:
            return (error.what,)
        except BadFrame as error:
            raise Crashed(str(error)) from error
        return (self._made[number],)

    def read_record(self, found: JsonObject, playback: Playback) -> Record:
        """Return a record of what the process tells. Raises BadFrame."""
        responses, with_headers = self._read_responses(found.get("responses")), arr(found.get("with_headers"))
        requests = [
            request if has_headers else replace(request, headers=())
            for request, has_headers in zip(map(self._made.get, range(len(responses))), with_headers, strict=False)
            if request is not None
        ]
        answered_by = [integer(call) for call in arr(found.get("answered_by"))]
        arrivals = list(map(text, arr(found.get("arrivals"))))
        if not len(responses) == len(requests) == len(answered_by) == len(arrivals):
            raise BadFrame("its record does not fit together")
        for sent in objs(found.get("upstream")):
            playback.answer_host(frames.http_request_from_json(sent), text(sent.get("host")))
        record = Record(
            client=list(map(Interaction, requests, responses)), arrivals=arrivals,
            answered_by=[-1 if call is None or call >= len(playback.exchanges) else call for call in answered_by],
            crash=text(found.get("crash")), crash_kind="hung" if found.get("crash_kind") == "hung" else "",
            refused=text(found.get("refused")), no_method=text(found.get("no_method")),
            stopped=text(found.get("stopped")), unanswered=_numbers_below(found.get("unanswered"), len(responses)),
            recorded_history=_numbers_below(found.get("recorded_history"), len(responses) + 1),
        )  # fmt: skip
        record.add_upstream_calls_and_misses(self._turns, playback)
        return record

    def make_crashed_records(self, error: Crashed | Refused, count: int) -> list[Record]:
        """Return the records of a play of which the process tells nothing any more: the turns before the last one as
        far as they are known."""
        records = [Record() for _ in range(count)]
        for record in records:
            for number, request in sorted(self._made.items()):
                record.pending = request
                if number < len(self._received):
                    record.add_client_answer(request, self._received[number], -1)
                record.break_off_pending_turn()
            record.add_failure(error)
            record.unfetched = len(self._turns)
        return records

    def _read_responses(self, values: object) -> list[Response]:
        """Raises BadFrame."""
        return [frames.response_from_json(value, self._key.client, self._key.mode) for value in arr(values)]


def _numbers_below(values: object, limit: int) -> set[int]:
    numbers = map(integer, arr(values))
    return {number for number in numbers if number is not None and 0 <= number < limit}
