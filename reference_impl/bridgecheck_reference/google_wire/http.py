"""The HTTP clients of one google-genai client, and the hook that keeps the body of a stream from it."""

import re
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.http_client import async_client, tls_context

if TYPE_CHECKING:
    import httpx2

detached: ContextVar["list[httpx2.Response] | None"] = ContextVar("detached", default=None)
"""Where the hook puts the response of the stream that this task is opening; None when it opens none."""


_PUBLISHER: Final = "/publishers/google"
_PROJECT: Final = re.compile(r"/projects/[^/]+/locations/[^/]+")


def is_vertex(base_url: str | None) -> bool:
    """Whether a base URL names a project and a location, as Vertex AI's do:
    ``https://HOST/v1/projects/P/locations/L``, with or without ``/publishers/google``. The SDK then says
    ``publishers/google/models/...`` behind it and no version."""
    return _PROJECT.search(base_url or "") is not None


class HttpParts:
    """The HTTP clients of one SDK client, and the options that make it use them."""

    def __init__(self, config: ProviderConfig) -> None:
        import httpx2

        self.client, self._owned = async_client(config)
        # The SDK makes a sync client of its own otherwise, with one more TLS context.
        self._unused_sync = httpx2.Client(verify=tls_context())
        hooks = self.client.event_hooks
        if _detach not in hooks["response"]:
            self.client.event_hooks = {**hooks, "response": [*hooks["response"], _detach]}
        self.options: dict[str, object] = {
            "httpx_async_client": self.client,
            "httpx_client": self._unused_sync,
            "async_client_args": {"ssl": tls_context()},
        }
        self.vertex = is_vertex(config.base_url)
        if config.base_url:
            self.options["base_url"] = config.base_url.removesuffix("/").removesuffix(_PUBLISHER)
        if self.vertex:
            self.options["base_url_resource_scope"] = "COLLECTION"
        if config.timeout_s is not None:
            self.options["timeout"] = round(config.timeout_s * 1000)

    async def close(self) -> None:
        self._unused_sync.close()
        if self._owned:
            await self.client.aclose()


async def _detach(response: "httpx2.Response") -> None:
    """Response hook: a good stream opened by ``GoogleWire`` is kept for it, and the SDK is shown an empty body."""
    import httpx2

    slot = detached.get()
    if slot is None or response.status_code != httpx2.codes.OK:
        return
    slot.append(
        httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream, request=response.request
        )
    )
    response.stream = httpx2.ByteStream(b"")
