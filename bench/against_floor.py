"""A conversion against the floor, ``orjson.loads`` and ``orjson.dumps`` of the same bytes: how many times as long."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import orjson
from figures import Figure
from rounds import best

SLACK: Final = 1.15
"""What a busy machine adds to a ratio of two times that take turns."""

TRIES: Final = 3
"""How often a figure that is beside its target is measured: noise only ever adds, so the best of all counts."""

ROUNDS: Final = 60


def floor(data: bytes) -> bytes:
    return orjson.dumps(orjson.loads(data))


def stream(
    name: str, machine: Callable[[], Any], streams: Iterable[list[bytes]], target: float | None = None
) -> Figure:
    """Streams, event by event, each with a machine of its own. What ``close`` gives is not measured."""
    streams_list = list(streams)

    def convert() -> None:
        for chunks in streams_list:
            running = machine()
            for data in chunks:
                for event in running.feed(orjson.loads(data)):
                    orjson.dumps(event)

    def plain() -> None:
        for chunks in streams_list:
            for data in chunks:
                floor(data)

    return against_floor(name, convert, plain, target, sum(map(len, streams_list)))


def document(
    name: str, converter: Callable[[Any], Any], request: dict[str, Any], target: float | None = None
) -> Figure:
    """A whole document."""
    data = orjson.dumps(request)

    def convert() -> bytes:
        return orjson.dumps(converter(orjson.loads(data)).value)

    return against_floor(name, convert, lambda: floor(data), target, 1)


def against_floor(
    name: str, convert: Callable[[], object], plain: Callable[[], object], target: float | None, pieces: int
) -> Figure:
    """``pieces``: what the times are told for one of."""
    figure = _measure_figure(name, convert, plain, target, pieces)
    for _ in range(TRIES - 1):
        if figure.verdict in ("met", "untargeted"):
            return figure
        figure = min(figure, _measure_figure(name, convert, plain, target, pieces), key=lambda figure: figure.measured)
    return figure


def _measure_figure(
    name: str, convert: Callable[[], object], plain: Callable[[], object], target: float | None, pieces: int
) -> Figure:
    times = best({"convert": convert, "floor": plain}, rounds=ROUNDS)
    detail = f"{times['convert'] / pieces * 1e6:.1f} us, floor {times['floor'] / pieces * 1e6:.1f} us"
    return Figure(name, times["convert"] / times["floor"], target, "x floor", slack=SLACK, detail=detail)
