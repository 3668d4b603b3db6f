"""Playing one case with the second client of a gateway: the official SDK of the client's dialect, its base URL the
gateway's. An answer that it cannot read is not there for its users: that is the gateway's crash, unless the provider's
own words, passed on, are what it cannot read.
"""

import asyncio
import json

from bridgecheck.drivers import sdk_clients
from bridgecheck.drivers.sdk_answer import SdkAnswer
from bridgecheck.drivers.sdk_http import TooLong
from bridgecheck.drivers.wire_client import NoAnswer
from bridgecheck.model.crash import NO_ANSWER
from bridgecheck.model.exchange import Request, Response
from bridgecheck.run.http import Talk
from bridgecheck.run.record import NotPlayable


class SdkTalk(Talk):
    """The SDK shows no bytes, and no order in which things come and go: of a turn's arrivals nothing can be said."""

    def answered(self, request: Request, leaves_after: int) -> Response:
        """Raises NotPlayable too."""
        if leaves_after:
            raise NotPlayable("the client goes away in the middle: played by the wire client")
        seconds = self.gateway.patience(self.seconds)
        _refuse_unwritable(request)
        try:
            answer = asyncio.run(asyncio.wait_for(self._asked(request), seconds))
        except TimeoutError:
            raise NoAnswer("silent", f"the SDK of {request.dialect} had {NO_ANSWER} {seconds:g} s") from None
        error = answer.error
        if error is not None and error.kind == TooLong.__name__:
            raise NoAnswer("endless", error.message)
        if error is not None and error.end != "complete" and not answer.documents:
            raise NoAnswer("closed", f"the SDK of {request.dialect} got no answer: {error.kind}: {error.message}")
        if answer.unreadable and self.key.client != self.key.upstream:
            words = f"the SDK of {request.dialect} cannot read the answer: {answer.unreadable}"
            raise NoAnswer("garbage", words)
        return answer.response(request.dialect, request.mode)

    async def _asked(self, request: Request) -> SdkAnswer:
        # Where an SDK raises in the middle of a stream, it leaves generators behind that complain of being closed.
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        client = self.gateway.clients[request.dialect]
        model, body = client.named(request, self.key.upstream)
        headers = tuple({**dict(client.headers), **dict(request.headers)}.items())
        url = f"{self.at.url}{client.base_path}"
        return await sdk_clients.call(request.dialect, request.mode, url, client.key, body, model, headers)


def _refuse_unwritable(request: Request) -> None:
    """Raises NotPlayable for text that an SDK cannot send."""
    try:
        json.dumps(request.body, ensure_ascii=False).encode()
    except UnicodeEncodeError as wrong:
        raise NotPlayable("no SDK sends half of a surrogate pair: played by the wire client") from wrong
