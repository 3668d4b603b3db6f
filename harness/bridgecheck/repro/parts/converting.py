"""An adapter that converts documents, driven as its caller would."""

import asyncio
import copy
import inspect
import traceback
from typing import Any

from bridgecheck.repro.parts.data import ASKED, CLIENT, MODE, RECORDED, UPSTREAM
from bridgecheck.repro.parts.plain_turns import said_by_client


def play(adapter: Any) -> dict[str, Any]:
    """What went to the provider and came to the client, turn by turn. ``RECORDED``: the provider's answers."""
    seen: dict[str, Any] = {"asked": [], "sent": [], "received": [], "status": [], "steps": [], "raised": ""}
    for turn, recorded in zip(ASKED, RECORDED, strict=False):
        try:
            body = said_by_client(turn["body"], seen["received"])
        except LookupError:
            break  # the client has nothing to go on with
        try:
            convert(adapter, seen, turn | {"body": body}, recorded)
        except Exception:
            seen["raised"] = traceback.format_exc()
            break
    return seen


def convert(adapter: Any, seen: dict[str, Any], turn: dict[str, Any], recorded: dict[str, Any]) -> None:
    """One turn."""
    body, ends = turn["body"], {"client": CLIENT, "upstream": UPSTREAM}
    seen["asked"].append(body)
    made = adapter.to_upstream(copy.deepcopy(body), mode=MODE, model=turn["model"], **ends)
    seen["sent"].append(settled(made))
    about = {"model": turn["model"], "request": copy.deepcopy(body), **ends}
    documents, status = copy.deepcopy(recorded["documents"]), recorded["status"]
    if MODE == "stream" and status < 400:
        stream = adapter.stream(**about)
        steps = [list(settled(stream.feed(event))) for event in documents]
        steps.append(list(settled(stream.close())))
        seen["steps"].append([len(step) for step in steps])
        seen["received"].append([event for step in steps for event in step])
    else:
        document = documents[0] if documents else {}
        status, answer = settled(adapter.from_upstream(document, status=status, **about))
        seen["received"].append([answer])
    seen["status"].append(status)


def settled(value: Any) -> Any:
    """The result, awaited where the method is async."""
    return LOOP.run_until_complete(value) if inspect.isawaitable(value) else value


LOOP = asyncio.new_event_loop()
