"""Telling the requests of several scenarios apart, by something that an adapter passes on: a part of the API key, say,
or of what the user says last."""

import re
import secrets
from typing import Final
from urllib.parse import unquote

from bridgecheck.codec.body import plain
from bridgecheck.errors import HarnessError
from bridgecheck.model.exchange import HttpRequest

_MARKER: Final = re.compile(r"[A-Za-z0-9-]{6,}")


def fresh() -> str:
    """One that no other is a part of: letters and digits, which need no escape in any place."""
    return f"bc{secrets.token_hex(8)}"


def refuse_unfit(marker: str, others: list[str]) -> None:
    """Raises HarnessError if requests with this marker could not be told from others: "" stands for all requests."""
    if marker and not _MARKER.fullmatch(marker):
        raise HarnessError(
            f"no marker: {marker!r}", "", "six or more letters, digits and hyphens: they survive adapters"
        )
    for other in others:
        if other in marker or marker in other:
            raise HarnessError(
                f"two scenarios at once with the markers {other!r} and {marker!r}",
                expected="one scenario, or markers of which none holds another",
            )


def stands_in(marker: str, request: HttpRequest) -> bool:
    """Whether it stands in the path, in a header's value or in the body, whatever that is packed in."""
    return (
        marker in unquote(request.path)
        or any(marker in value for _, value in request.headers)
        or marker.encode() in plain(request.body, request.headers)
    )
