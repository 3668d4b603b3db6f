"""Documents as the bytes that would carry them: for recordings that hold no bytes."""

from typing import Final
from urllib.parse import quote

from bridgecheck.cassette.formats.item import TrafficItem
from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.codec import sse
from bridgecheck.codec.body import encode_array_stream, encode_document
from bridgecheck.model.exchange import Headers, HttpRequest, Request, Response
from bridgecheck.wire import Dialect, Mode
from bridgecheck.wire.facts import RECORDS

_JSON: Final = ("content-type", "application/json")
_BODY_HEADERS: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})
UNKNOWN_MODEL: Final = "unknown"


def recorded_or_encoded(item: TrafficItem) -> RecordedInteraction:
    """Return the interaction as it was recorded, or its documents as the provider of that dialect frames them, in one
    chunk. A request that was not recorded becomes one to the dialect's own address, whose body says whether the answer
    was streamed, where the path does not."""
    if item.recorded is not None:
        return item.recorded
    response = item.interaction.response
    request = _encode_request(item.interaction.request, response)
    host = item.host or RECORDS[response.dialect].host
    body, media_type = _encode_body(response, "json_array_stream" in item.notes)
    headers = (("content-type", media_type), *_without_body_headers(response.headers))
    return RecordedInteraction(
        request, response.status, headers, (body,) if body else (), response.end, origin=f"https://{host}"
    )


def call_path(dialect: Dialect, mode: Mode, model: str) -> str:
    """Return the path of a generating call at the provider."""
    name = quote(model or UNKNOWN_MODEL, safe="/") if RECORDS[dialect].model_in_path else ""
    return RECORDS[dialect].full_path_template(mode).replace("{model}", name)


def _encode_request(request: Request | None, response: Response) -> HttpRequest:
    if request is None:
        mode_only = RECORDS[response.dialect].body_in_mode({}, response.mode)
        body = encode_document(response.dialect, mode_only) if mode_only else b""
        return HttpRequest("POST", call_path(response.dialect, response.mode, ""), (_JSON,), body)
    path = request.path or call_path(request.dialect, request.mode, request.model)
    path = path if path.startswith("/") else f"/{path}"
    return HttpRequest("POST", path, (_JSON,), encode_document(request.dialect, request.body))


def _encode_body(response: Response, is_array: bool) -> tuple[bytes, str]:
    """Return body and media type. What is no JSON (an error page, a stream that broke) is kept as text."""
    media_type = dict(response.headers).get("content-type", "")
    if response.text and not response.documents:
        return response.text.encode(), media_type or "text/plain"
    if is_array:
        return b"".join(encode_array_stream(response.dialect, response.documents, is_whole=True)), _JSON[1]
    if response.mode == "unary" or response.status >= 400:
        return b"".join(encode_document(response.dialect, document) for document in response.documents), _JSON[1]
    frames = b"".join(sse.frame_event(response.dialect, document) for document in response.documents)
    return frames + (b"" if response.terminated is False else sse.terminator(response.dialect)), sse.MEDIA_TYPE


def _without_body_headers(headers: Headers) -> Headers:
    return tuple((name, value) for name, value in headers if name not in {"content-type", *_BODY_HEADERS})
