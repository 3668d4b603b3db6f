"""google-genai: the files of its replay client (``DebugConfig(client_mode="record" | "replay")``).

A JSON object with the address, the body and the answer's documents of each call, and what the SDK made of them, which
its replay compares. The file REPLAYS/a/b/mldev.json is the replay id ``a/b/mldev``. Addresses are kept without host,
version, project and location. Source: google/genai/_replay_api_client.py 3.4.0, read 2026-11-23.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from bridgecheck.cassette.formats.interaction_list import list_interactions
from bridgecheck.cassette.formats.item import Found, TrafficItem
from bridgecheck.cassette.formats.output import Written, items_of_cassette, why_no_call
from bridgecheck.cassette.formats.sdk_objects import sdk_objects
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.errors import BadTraffic
from bridgecheck.model.exchange import Headers, Interaction, Request, Response
from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.wire import JsonObject
from bridgecheck.wire.facts import endpoint

SHAPE: Final = "a replay file of google-genai"
_GEMINI: Final = "{MLDEV_URL_PREFIX}"
_VERTEX: Final = "{VERTEX_URL_PREFIX}"
_PREFIXES: Final = {_GEMINI: "/v1beta", _VERTEX: "/v1beta1/projects/REDACTED/locations/REDACTED"}
_BEFORE_MODEL: Final = re.compile(r"^.*?/(?:v\d[^/]*)/(?:projects/[^/]+/locations/[^/]+/)?")


def read_google_genai(data: bytes, file: str, stem: str) -> Iterator[Found]:
    """Yield the items of a replay file. ``stem``: the beginning of their ids."""
    for raw in list_interactions(data, file, SHAPE):
        if raw.bad is not None:
            yield raw.bad
            continue
        try:
            yield _item(raw.value, raw.where, f"{stem}/{raw.number:04d}")
        except ValueError as error:
            yield BadTraffic(str(error), raw.where, SHAPE)


def write_google_genai(cassette: Cassette) -> Written:
    """Return the generating calls of the Gemini API. Its replay id is that of a file two folders deep."""
    interactions: list[JsonObject] = []
    left_out: Counter[str] = Counter()
    for item in items_of_cassette(cassette):
        written = _interaction_or_reason(item)
        if isinstance(written, str):
            left_out[written] += 1
        else:
            interactions.append(written)
    replay = {"replay_id": "bridgecheck/cassette/mldev", "interactions": interactions}
    return Written(json.dumps(replay, indent=2) + "\n", len(interactions), left_out)


def _item(raw: object, where: str, item_id: str) -> TrafficItem:
    request, response = obj(obj(raw).get("request")), obj(obj(raw).get("response"))
    path, is_assumed = _find_path(text(request.get("url")))
    matched = endpoint(path, "generativelanguage.googleapis.com")
    mode = matched.mode if matched and matched.mode else "unary"
    status = integer(_member(response, "status_code", 200))
    if not response or status is None:
        raise ValueError("an interaction needs a response whose status_code is a number")
    headers: Headers = tuple((name.lower(), str(value)) for name, value in obj(response.get("headers")).items())
    bodies = list(objs(_member(request, "body_segments")))
    sent = Request("gemini", mode, bodies[0], matched.model if matched else "", path=path) if bodies else None
    answer = Response("gemini", mode, tuple(arr(_member(response, "body_segments"))), status, headers)
    return TrafficItem(
        id=item_id, where=where, interaction=Interaction(sent, answer),
        operation=matched.operation if matched else "other", title=f"google-genai {path}",
        group=item_id.rpartition("/")[0],
        notes=(*(["url_assumed"] if is_assumed else []), *([] if matched else ["unmodelled_endpoint"])),
    )  # fmt: skip


def _member(mapping: JsonObject, name: str, default: object = None) -> object:
    """Return a member in the Python SDK's spelling or in that of the others."""
    head, *rest = name.split("_")
    camel = head + "".join(word.capitalize() for word in rest)
    return mapping.get(name, mapping.get(camel, default))


def _find_path(url: str) -> tuple[str, bool]:
    """Return the path with its query, and whether version and project had to be assumed."""
    if not url:
        raise ValueError("request.url is missing")
    for prefix, path in _PREFIXES.items():
        if url.startswith(prefix):
            return path + url.removeprefix(prefix), True
    return "/" + url.partition("://")[2].partition("/")[2], False


def _interaction_or_reason(item: Found) -> JsonObject | str:
    """Return what the file holds of an interaction, or why it cannot hold it."""
    reason = why_no_call(item, "gemini")
    if reason or isinstance(item, BadTraffic):
        return reason
    request, response = item.interaction.request, item.interaction.response
    if item.operation != "generate" or request is None:
        return "no generating call"
    failed = response.status >= 400
    sdk = [] if failed else sdk_objects(item)
    if isinstance(sdk, str):
        return sdk
    return {
        "request": {
            "method": "post", "url": _redact_url(request), "headers": {"Content-Type": "application/json"},
            "body_segments": [request.body],
        },
        "response": {
            "status_code": response.status, "headers": dict(response.headers),
            "body_segments": list(response.documents), "byte_segments": [], "sdk_response_segments": sdk,
        },
    }  # fmt: skip


def _redact_url(request: Request) -> str:
    path = request.path.partition("?")[0]
    prefix = _VERTEX if "/projects/" in path or "/publishers/" in path else _GEMINI
    return f"{prefix}/{_BEFORE_MODEL.sub('', path, count=1)}" + ("?alt=sse" if request.mode == "stream" else "")
