"""Names of conversations that nobody named: of the model and of what the first request asks. Pure."""

import re
from typing import Final

from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.record.canonical import CanonicalRequest
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import endpoint

_NO_LETTERS: Final = re.compile(r"[^A-Za-z0-9._-]+")
_DIGITS: Final = 8


def model_of(request: CanonicalRequest) -> str:
    """Return the model that a request names, "" if it names none."""
    found = endpoint(request.path)
    return (found.model if found else "") or text(obj(request.document).get("model"))


def name_conversation(request: CanonicalRequest, dialect: Dialect) -> str:
    """Return a name that the same request always gets."""
    model = _NO_LETTERS.sub("-", model_of(request)).strip(".-_")[:60] or dialect
    return f"{model}-{request.key[:_DIGITS]}"
