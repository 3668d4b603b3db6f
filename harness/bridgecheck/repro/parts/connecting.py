"""An adapter with an HTTP client of its own, pointed at the played provider."""

import asyncio
import copy
import inspect
import traceback
from typing import Any

from bridgecheck.repro.parts.data import ASKED, BASE_PATH, CLIENT, MODE, PORT, RECORDED, UPSTREAM
from bridgecheck.repro.parts.plain_turns import said_by_client
from bridgecheck.repro.parts.provider import Provider
from bridgecheck.repro.parts.reading import documents_in


def play(adapter: Any) -> dict[str, Any]:
    """What went to the provider and came to the client, turn by turn."""
    provider = Provider(RECORDED, PORT)
    provider.start()
    return asyncio.run(converse(adapter, provider))


async def converse(adapter: Any, provider: Provider) -> dict[str, Any]:
    seen: dict[str, Any] = {"asked": [], "sent": [], "received": [], "status": [], "raw": [], "raised": ""}
    where = {"base_url": provider.url + BASE_PATH, "api_key": "a-key-for-nobody"}
    session = adapter.connect(client=CLIENT, upstream=UPSTREAM, **where)
    for turn in ASKED:
        try:
            body = said_by_client(turn["body"], seen["received"])
        except LookupError:
            break  # the client has nothing to go on with
        seen["asked"].append(body)
        try:
            status, given = await answer(session, copy.deepcopy(body), turn)
        except Exception:
            seen["raised"] = traceback.format_exc()
            break
        seen["status"].append(status)
        seen["raw"].append(given.decode("latin-1") if isinstance(given, bytes) else "")
        seen["received"].append(documents_in(given) if isinstance(given, bytes) else given)
    seen["sent"] = provider.asked
    await settled(session.close())
    return seen


async def answer(session: Any, body: Any, turn: dict[str, Any]) -> tuple[int, Any]:
    """One turn: the status and the documents that the client receives, or the bytes of them."""
    if hasattr(session, "exchange"):
        return await answered(session, body, turn)
    method = session.stream if MODE == "stream" else session.generate
    headers = {"headers": turn["headers"]} if "headers" in inspect.signature(method).parameters else {}
    documents: list[Any] = []
    try:
        given = await settled(method(body, model=turn["model"], **headers))
        if MODE != "stream":
            return 200, [given]
        if hasattr(given, "__aiter__"):
            async for event in given:
                documents.append(event)
        else:
            documents.extend(given)
    except Exception as error:
        status = getattr(error, "status", None) or getattr(error, "status_code", None)
        failed = getattr(error, "body", None)
        if isinstance(error, NotImplementedError) or (status is None and failed is None):
            raise
        return int(200 if documents else status or 200), [*documents, *([failed] if failed is not None else [])]
    return 200, b"".join(documents) if documents and isinstance(documents[0], bytes) else documents


async def answered(session: Any, body: Any, turn: dict[str, Any]) -> tuple[int, Any]:
    """By one that gives all of an answer at once."""
    try:
        status, given = await settled(session.exchange(body, turn))
        return int(status), given
    except Exception as error:
        status, failed = getattr(error, "status_code", None), getattr(error, "body", None)
        if status is None or failed is None:
            raise
        return int(status), [failed]


async def settled(value: Any) -> Any:
    """The result, awaited where the method is async."""
    return await value if inspect.isawaitable(value) else value
