"""gemini-cli: what ``--record-responses FILE`` writes and ``--fake-responses FILE`` plays.

JSON lines, one call of the SDK a line: its method, and the response object or, of a stream, the list of its events.
Requests, statuses and failures are not in it. Recorded are ``candidates`` and ``usageMetadata`` alone, with ids of
calls as the CLI has renamed them; played is whatever a response holds. Source: FakeContentGenerator and
RecordingContentGenerator of @google/gemini-cli 0.61.0, read 2026-11-23.
"""

from collections import Counter
from collections.abc import Iterator
from typing import IO, Final

from bridgecheck.cassette.formats.item import SDK_LEVEL, Found, TrafficItem
from bridgecheck.cassette.formats.json_lines import items_of_lines
from bridgecheck.cassette.formats.output import Written, items_of_cassette, why_no_call
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.codec.sse import dump_json_escaping_surrogates
from bridgecheck.errors import BadTraffic
from bridgecheck.model.exchange import Interaction, Response
from bridgecheck.wire import JsonObject, Mode
from bridgecheck.wire.dialect import Operation

MEMBERS: Final = frozenset({"method", "response"})
SHAPE: Final = 'a line {"method": "generateContent", "response": {...}}, as gemini-cli --record-responses writes it'
_METHODS: Final[dict[str, tuple[Operation, Mode]]] = {
    "generateContent": ("generate", "unary"),
    "generateContentStream": ("generate", "stream"),
    "countTokens": ("count_tokens", "unary"),
    "embedContent": ("embed", "unary"),
}
_METHOD_OF: Final = {operation_and_mode: method for method, operation_and_mode in _METHODS.items()}


def read_gemini_cli(lines: IO[bytes], file: str, stem: str) -> Iterator[Found]:
    """Return an item a line. ``stem``: the beginning of their ids."""
    return items_of_lines(lines, file, SHAPE, lambda row, where, number: _item(row, where, f"{stem}/{number:04d}"))


def write_gemini_cli(cassette: Cassette) -> Written:
    """Return the calls of the Gemini API that were answered, in order."""
    lines: list[str] = []
    left_out: Counter[str] = Counter()
    for item in items_of_cassette(cassette):
        if reason := _why_left_out(item):
            left_out[reason] += 1
            continue
        assert isinstance(item, TrafficItem)
        lines.append(dump_json_escaping_surrogates(_line(item), None, ":"))
    return Written("".join(f"{line}\n" for line in lines), len(lines), left_out)


def _item(row: JsonObject, where: str, item_id: str) -> TrafficItem:
    method = row.get("method")
    if not isinstance(method, str) or method not in _METHODS:
        raise ValueError(f"`method` is {method!r}, expected one of {', '.join(_METHODS)}")
    operation, mode = _METHODS[method]
    response = row.get("response")
    if not isinstance(response, list if mode == "stream" else dict):
        raise ValueError(f"`response` of {method} is no {'list' if mode == 'stream' else 'object'}")
    documents = tuple(response) if isinstance(response, list) else (response,)
    return TrafficItem(
        id=item_id, where=where, interaction=Interaction(None, Response("gemini", mode, documents)),
        operation=operation, title=f"gemini-cli {method}", group=item_id.rpartition("/")[0],
        notes=(SDK_LEVEL, "url_assumed"),
    )  # fmt: skip


def _why_left_out(item: Found) -> str:
    reason = why_no_call(item, "gemini")
    if reason or isinstance(item, BadTraffic):
        return reason
    if item.interaction.response.status >= 400:
        return "gemini-cli cannot play a failure"
    if _operation_and_mode(item) not in _METHOD_OF:
        return "no method of gemini-cli's"
    return "" if item.interaction.response.documents else "the answer is empty"


def _operation_and_mode(item: TrafficItem) -> tuple[str, Mode]:
    return item.operation, item.interaction.response.mode


def _line(item: TrafficItem) -> JsonObject:
    response = item.interaction.response
    documents = list(response.documents)
    played: object = documents if response.mode == "stream" else documents[0]
    return {"method": next(m for key, m in _METHOD_OF.items() if key == _operation_and_mode(item)), "response": played}
