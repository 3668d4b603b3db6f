"""What the harness judges of a recording, with the reference and with nothing between its client and its provider."""

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from bridgecheck.cassette.formats.item import TrafficItem
from bridgecheck.drivers import Driver
from bridgecheck.drivers.resolve import DEFAULT_TARGET, load_python_object
from bridgecheck.model.verdict import Status
from bridgecheck.run import traffic
from bridgecheck.run.plan import Selection
from bridgecheck.wire import Dialect


class Judged(NamedTuple):
    """One verdict, and of which case it is, without what differs between two recordings of the same."""

    path: str
    client: Dialect
    upstream: Dialect
    check: str
    status: Status
    message: str


def judge_recording(item: TrafficItem, with_request: bool) -> Iterator[Judged]:
    """Yield all verdicts. ``with_request``: False to judge the response alone, where the request was made up."""
    if not with_request:
        item = replace(item, interaction=replace(item.interaction, request=None))
    for case in traffic.plan(item, _reference(), Selection()):
        for verdict in traffic.run_case(case, item, _reference()).verdicts:
            key = case.key
            yield Judged(key.path, key.client, key.upstream, verdict.check, verdict.status, verdict.message)


@functools.cache
def _reference() -> Driver:
    return load_python_object(DEFAULT_TARGET.partition(":")[2])
