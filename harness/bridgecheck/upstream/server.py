"""An edge server for scripts: answers in order of arrival, in the loop that runs it. For recording and for tests;
``edge.Edge`` plays cassettes to adapters."""

from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from bridgecheck.model.exchange import HttpRequest
from bridgecheck.upstream.listener import HOST, Listener, Reply
from bridgecheck.upstream.script import Answer

_NO_MORE: Final = Answer(404, (("content-type", "application/json"),), (b'{"error": {"message": "no more answers"}}',))


class EdgeServer:
    """``async with EdgeServer(answers) as server``: the n-th request gets the n-th answer, whatever it asks for.

    ``base_path`` is what an SDK's base URL carries behind the host (``/v1`` for OpenAI). ``log``: the requests in
    order of arrival, credentials included; ``misses``: how many came after the last answer and got a 404.
    """

    def __init__(self, answers: Sequence[Answer], base_path: str = "") -> None:
        self.log: list[HttpRequest] = []
        self.misses = 0
        self.base_url = ""
        self._answers = tuple(answers)
        self._base_path = base_path
        self._listener = Listener(self._reply)

    async def __aenter__(self) -> Self:
        self.base_url = f"http://{HOST}:{await self._listener.start()}{self._base_path}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._listener.stop()

    def _reply(self, request: HttpRequest, raw: bytes) -> Reply:
        number = len(self.log)
        self.log.append(request)
        if number < len(self._answers):
            return Reply(self._answers[number])
        self.misses += 1
        return Reply(_NO_MORE)
