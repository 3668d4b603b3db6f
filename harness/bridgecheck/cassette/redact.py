"""What never reaches a cassette: headers outside an allow-list and keys in addresses; what else looks like a credential
is refused.

This happens when a cassette is made and never when it is played. An error names the kind of secret and the place, never
the secret.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.errors import SecretFound
from bridgecheck.model.exchange import Headers, HttpRequest
from bridgecheck.secrets import PROJECT_ID, REDACTED, find_secret_kinds

REQUEST_HEADERS: Final[frozenset[str]] = frozenset({"accept", "anthropic-beta", "content-type", "openai-beta"})
RESPONSE_HEADERS: Final[frozenset[str]] = frozenset({
    "content-encoding", "content-type", "retry-after", "retry-after-ms", "x-should-retry",
})  # fmt: skip

_QUERY_SECRET: Final = re.compile(r"(?<=[?&])(key|api[-_]?key|access_token|token|code|sig)=[^&]*", re.IGNORECASE)
_PATH_ID: Final = re.compile(r"(?<=/)(projects|accounts)/([^/?]+)")


def allowed_request_headers(headers: Headers) -> Headers:
    return _filter_headers(headers, REQUEST_HEADERS)


def allowed_response_headers(headers: Headers) -> Headers:
    return _filter_headers(headers, RESPONSE_HEADERS)


def mask_request(request: HttpRequest) -> HttpRequest:
    """Return a request with the headers of the allow-list, and keys in its address masked."""
    path = _QUERY_SECRET.sub(rf"\1={REDACTED}", request.path)
    return replace(request, path=path, headers=allowed_request_headers(request.headers))


def mask_interaction(recorded: RecordedInteraction) -> RecordedInteraction:
    """Return an interaction without headers and keys that never reach a file; ids (prepare) and bodies as they are."""
    headers = allowed_response_headers(recorded.headers)
    return replace(recorded, request=mask_request(recorded.request), headers=headers)


def mask_keys_and_project_ids(path: str) -> str:
    """Return a request path with the keys in its query and its project ids masked."""
    return replace_project_ids(_QUERY_SECRET.sub(rf"\1={REDACTED}", path), lambda true: REDACTED)


def replace_project_ids(path: str, stand_in: Callable[[str], str]) -> str:
    """Return a request path with something else for each project id, whatever that looks like; a masked one stays."""
    return _PATH_ID.sub(lambda found: f"{found[1]}/{found[2] if found[2] == REDACTED else stand_in(found[2])}", path)


def refuse_secrets(cassette: Cassette, where: str) -> None:
    """Raise SecretFound with the place and the kind of a credential in the cassette. Ids are none (prepare.py)."""
    for number, recorded in enumerate(cassette.interactions):
        for part, data in _interaction_parts(recorded):
            if found := [kind for kind in find_secret_kinds(data) if kind != PROJECT_ID]:
                what = f"something that looks like a credential: {', '.join(found)}"
                place, next_step = (
                    f"{where}: interactions[{number}].{part}",
                    "take it out of the scenario or the recording",
                )
                raise SecretFound(what, place, "no credential in a cassette", next_step)


def _filter_headers(headers: Headers, names: frozenset[str]) -> Headers:
    return tuple((name.lower(), value) for name, value in headers if name.lower() in names)


def _interaction_parts(recorded: RecordedInteraction) -> Iterator[tuple[str, bytes]]:
    yield "request.uri", (recorded.origin + recorded.request.path).encode()
    yield "request.headers", _join_headers(recorded.request.headers)
    yield "request.body", recorded.request.body
    yield "response.headers", _join_headers(recorded.headers)
    yield "response.body", recorded.body


def _join_headers(headers: Headers) -> bytes:
    return "\n".join(f"{name}: {value}" for name, value in headers).encode()
