"""Toy adapters: a bridge from Chat to Chat that declares a pivot through Gemini and changes documents as instructed."""

from collections.abc import Callable
from typing import Any

from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import describe_adapter

Doc = dict[str, Any]


class Stream:
    def __init__(self, change: Callable[[Doc], Doc]) -> None:
        self._change = change

    def feed(self, event: Doc) -> list[Doc]:
        return [self._change(event)]

    def close(self) -> list[Doc]:
        return []


class ToyAdapter:
    """Passes everything on, after ``change_request`` has changed requests and ``change_response`` responses and events."""

    name, version = "toy", "1"
    routes = (("openai-chat", "openai-chat"),)
    pivots = {("openai-chat", "openai-chat"): "gemini"}  # noqa: RUF012

    def __init__(
        self,
        change_request: Callable[[Doc], Doc] = lambda body: body,
        change_response: Callable[[Doc], Doc] = lambda body: body,
    ) -> None:
        self._change_request, self._change_response = change_request, change_response

    def to_upstream(self, body: Doc, **rest: object) -> Doc:
        return self._change_request(body)

    def from_upstream(self, body: Doc, *, status: int, **rest: object) -> tuple[int, Doc]:
        return status, self._change_response(body)

    def stream(self, **rest: object) -> Stream:
        return Stream(self._change_response)


def make_toy(
    change_request: Callable[[Doc], Doc] = lambda body: body, change_response: Callable[[Doc], Doc] = lambda body: body
) -> Driver:
    return describe_adapter("python:toy:adapter", ToyAdapter(change_request, change_response))
