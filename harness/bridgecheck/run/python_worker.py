"""The process of a Python adapter (drivers/python_process): imports it, drives it and plays recordings to it.

It judges nothing, and holds nothing that the judge would miss: the harness states the requests of the turns, has the
recordings, and works out by itself what the provider answered to the requests that the adapter is seen to send.
"""

import faulthandler
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import IO, NoReturn

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.drivers import Driver, foreign_code, inprocess, sdk_clients
from bridgecheck.drivers import python_frames as frames
from bridgecheck.drivers.foreign_code import Crashed, Refused
from bridgecheck.drivers.python_process import description_to_json
from bridgecheck.drivers.resolve import load_python_object
from bridgecheck.errors import BridgecheckError, HarnessError, MissingSdk
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.library import Library
from bridgecheck.run.play_in_worker import PLAIN_FIELDS
from bridgecheck.run.record import Record, Turn
from bridgecheck.run.strategy import choose_strategy_above_wire
from bridgecheck.upstream.relay import NothingReceived
from bridgecheck.wire import Dialect, JsonObject


def main(target: str) -> None:
    """Serve requests until the harness ends the process."""
    connection = Connection(*_take_standard_streams())
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    foreign_code.on_import_after_limit = connection.tell_alive
    try:
        driver = load_python_object(target)
    except BridgecheckError as error:
        connection.send({"failed": frames.failure_to_json(error)})
        return
    connection.send({"result": description_to_json(driver)})
    operations = Operations(driver, connection)
    while True:
        operation, *arguments = connection.receive()
        connection.send(_run(operations, operation, arguments))


def _take_standard_streams() -> tuple[IO[bytes], int]:
    """Return what the harness writes to, and reads from; leave the adapter an empty input, and the log for output."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


class Connection:
    """The pipes to the harness. One question at a time: an adapter may play two turns in two threads."""

    def __init__(self, requests: IO[bytes], answers: int) -> None:
        self._requests = requests
        self._answers = answers
        self._lock = Lock()

    def receive(self) -> tuple[object, ...]:
        """Return the next operation. The process ends where the harness has."""
        size = frames.read_exactly(self._requests, frames.HEAD.size)
        if len(size) < frames.HEAD.size:
            self._exit()
        message = pickle.loads(frames.read_exactly(self._requests, frames.HEAD.unpack(size)[0]))
        assert isinstance(message, tuple)
        return message

    def send(self, message: JsonObject) -> None:
        """Send a message; one that cannot be sent is the adapter's crash."""
        try:
            data = frames.encode_message(message)
        except frames.BadFrame as error:
            data = frames.encode_message({"failed": frames.failure_to_json(Crashed(str(error)))})
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._answers, rest) :]
        except OSError:
            self._exit()

    def question(self, message: JsonObject) -> tuple[object, ...]:
        """Send a message and return what the harness answers to it."""
        with self._lock:
            self.send(message)
            return self.receive()

    def tell_alive(self) -> None:
        self.send({"alive": True})

    def _exit(self) -> NoReturn:
        os._exit(1)


class Operations:
    """What the harness may request, by name. The last argument of each is the adapter's time in seconds."""

    def __init__(self, driver: Driver, connection: Connection) -> None:
        self._driver = driver
        self._connection = connection
        self._library = Library(Path())

    def convert_request(self, request: Request, upstream: Dialect, seconds: float) -> JsonObject:
        converted = inprocess.convert_request(self._limit(seconds), request, upstream)
        losses = frames.losses_to_json(converted.losses)
        return {"body": converted.request.body, "model": converted.request.model, "losses": losses}

    def convert_response(
        self, response: Response, request: Request, second: Response | None, seconds: float
    ) -> JsonObject:
        driver = self._limit(seconds)
        if second is None:
            converted = inprocess.convert_response(driver, response, request)
        else:
            converted = inprocess.convert_interleaved(driver, second, response, request)
        losses, answer = frames.losses_to_json(converted.losses), frames.response_to_json(converted.response)
        return {"response": answer, "losses": losses, "arrivals": converted.arrivals}

    def play(
        self, key: CaseKey, name: str, leaves_after: Sequence[int], cassette: Cassette, in_step: bool, twice: bool,
        seconds: float,
    ) -> JsonObject:  # fmt: skip
        """``name``: of the adapter, for messages. ``leaves_after``: of each turn. ``twice``: the first turn, two at
        once."""
        with suppress(MissingSdk):
            sdk_clients.import_sdk(key.upstream)
        driver = self._limit(seconds)
        retired: list[bool] = []
        driver = replace(driver, info=replace(driver.info, name=name), retire=lambda: retired.append(True))
        turns = [self._turn(number, count) for number, count in enumerate(leaves_after)]
        strategy = choose_strategy_above_wire(driver, key, turns, self._library, in_step=in_step)
        self._connection.send({"started": True})
        records: tuple[Record, ...]
        if twice and strategy.play_twice is not None:
            records = strategy.play_twice(cassette)
        else:
            records = (strategy.play(cassette),)
        edge_url = self._library.edge.base_url if driver.over_socket or key.layer == "http" else ""
        return {"records": [_record_to_json(record) for record in records], "edge_url": edge_url,
                "is_settled": not retired}  # fmt: skip

    def _turn(self, number: int, leaves_after: int) -> Turn:
        """Return a turn whose request the harness makes."""

        def make_request(received: Sequence[Response]) -> Request:
            responses = [frames.response_to_json(response) for response in received]
            answer = self._connection.question({"turn": number, "received": responses})[0]
            if isinstance(answer, Request):
                return answer
            raise NothingReceived(str(answer))

        def find_recorded_answer() -> Response | None:
            answer = self._connection.question({"turn": number, "recorded": True})[0]
            return answer if isinstance(answer, Response) else None

        return Turn(make_request, (), leaves_after, find_recorded_answer)

    def _limit(self, seconds: float) -> Driver:
        return replace(self._driver, timeout=seconds)


def _run(operations: Operations, operation: object, arguments: list[object]) -> JsonObject:
    """Return the last message of an operation."""
    run: Callable[..., JsonObject] = getattr(operations, str(operation))
    try:
        return {"result": run(*arguments)}
    except (Crashed, Refused, BridgecheckError) as error:
        return {"failed": frames.failure_to_json(error)}
    except Exception:
        return {"failed": frames.failure_to_json(HarnessError(traceback.format_exc(limit=-12)))}


def _record_to_json(record: Record) -> JsonObject:
    """Return what the adapter did: of the requests that the harness made only whether their headers went with them."""
    return {
        "responses": [frames.response_to_json(interaction.response) for interaction in record.client],
        "with_headers": [bool(turn.request and turn.request.headers) for turn in record.client],
        "upstream": [{**frames.http_request_to_json(sent.request), "host": sent.host} for sent in record.exchanges],
        "unanswered": sorted(record.unanswered), "recorded_history": sorted(record.recorded_history),
        **{name: getattr(record, name) for name in PLAIN_FIELDS},
    }  # fmt: skip
