"""One recorded interaction, whatever format it was read from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from bridgecheck.cassette import store
from bridgecheck.cassette.interactions import RecordedInteraction, decode_recorded_request
from bridgecheck.errors import BadTraffic, BridgecheckError
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.wire import Mode
from bridgecheck.wire.facts import MOST_SPOKEN, Endpoint, endpoint

UNMODELLED: Final = "unmodelled_endpoint"
SDK_LEVEL: Final = "sdk_level"


@dataclass(frozen=True, slots=True)
class TrafficItem:
    """One recorded interaction. ``where``: file and line. ``operation``: generate, count_tokens, embed, models or
    other. ``title``: short text for a report; ``group``: recordings of one conversation share it, "" if unknown.
    ``notes``: what to know of it: sdk_level (objects of an SDK, not of the wire), url_assumed, synthetic_suspect,
    json_array_stream, unmodelled_endpoint. ``recorded``: the bytes, None where the file holds documents only.
    ``recorded_at``: when, as the file has it, "" if it does not say. ``host``: of the provider, where ``recorded`` is
    None and the file names it."""

    id: str
    where: str
    interaction: Interaction
    operation: str = "generate"
    source: Literal["traffic"] = "traffic"
    title: str = ""
    group: str = ""
    notes: tuple[str, ...] = ()
    recorded: RecordedInteraction | None = None
    recorded_at: str = ""
    host: str = ""


Found: TypeAlias = TrafficItem | BadTraffic
"""What a reader yields: an interaction, or what is wrong with one."""


def item_of_bytes(
    parse: Callable[[], RecordedInteraction], where: str, item_id: str, expected: str, recorded_at: str = ""
) -> Found:
    """Return the item of an interaction that a file holds as HTTP. ``parse`` may raise MalformedInteraction."""
    try:
        recorded = parse()
        matched = endpoint(recorded.request.path, urlsplit(recorded.origin).netloc)
        interaction = _decode_item(recorded, matched)
    except store.MalformedInteraction as error:
        return BadTraffic(str(error), where, expected)
    except BridgecheckError as error:
        return BadTraffic(error.what, where, error.expected)
    return TrafficItem(
        id=item_id, where=where, interaction=interaction, operation=matched.operation if matched else "other",
        title=f"{recorded.request.method} {urlsplit(recorded.request.path).path}", group=item_id.rpartition("/")[0],
        notes=() if matched else (UNMODELLED,), recorded=recorded, recorded_at=recorded_at,
    )  # fmt: skip


def _decode_item(recorded: RecordedInteraction, matched: Endpoint | None) -> Interaction:
    if matched is None:
        # No dialect is known, and nobody will judge it: it is kept to be counted.
        return Interaction(None, Response(MOST_SPOKEN, "unary", (), recorded.status, recorded.headers))
    request = _decode_request_or_raise_for_generation(recorded, matched)
    mode: Mode = request.mode if request else matched.mode or "unary"
    return Interaction(request, recorded.response(matched.dialect, mode))


def _decode_request_or_raise_for_generation(recorded: RecordedInteraction, matched: Endpoint) -> Request | None:
    """Return the request, None for one without a body. Only a generation must have one that is understood."""
    if not recorded.request.body:
        return None
    try:
        return decode_recorded_request(recorded.request)
    except BridgecheckError:
        if matched.operation == "generate":
            raise
        return None
