"""The upstream's models for a client of another dialect, all on one page."""

from typing import Final
from urllib.parse import quote

from bridgecheck.wire import Dialect
from bridgecheck_reference.convert.model_list import (
    Model,
    next_page,
    read_model,
    read_models,
    write_model,
    write_models,
)
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.fetch import fetch
from bridgecheck_reference.gateway.paths import in_path, resource
from bridgecheck_reference.gateway.reply import Reply

_MOST_PAGES: Final = 20
"""Of up to 1,000 models each. An upstream that always has one more page is not followed for ever."""

_PAGES: Final[dict[Dialect, tuple[str, str]]] = {
    "gemini": ("/v1beta/models?pageSize=1000", "&pageToken="),
    "openai-chat": ("/models", ""),
    "anthropic": ("/v1/models?limit=1000", "&after_id="),
}
"""Upstream -> path of the first page, and what goes before the word that asks for another one."""


async def list_models(call: Call, reply: Reply) -> None:
    """Answer ``GET models``."""
    upstream = call.upstream.dialect
    path, more = _PAGES[upstream]
    found: list[Model] = []
    page = ""
    for _ in range(_MOST_PAGES):
        document = await fetch(call, path + (more + quote(page, safe="") if page else ""))
        found += read_models(upstream, document)
        page = next_page(upstream, document)
        if not page or not more:
            break
    await reply.document(write_models(call.client, found))


async def show_model(call: Call, reply: Reply) -> None:
    """Answer ``GET models/{model}``."""
    upstream = call.upstream.dialect
    if upstream == "gemini":
        path = f"/v1beta/{resource(call.model)}"
    else:
        path = ("/v1/models/" if upstream == "anthropic" else "/models/") + in_path(call.model)
    model = read_model(upstream, await fetch(call, path))
    await reply.document(write_model(call.client, model))
