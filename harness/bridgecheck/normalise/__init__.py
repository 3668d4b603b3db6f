"""Wire documents -> normal form: answers to Outcome, requests to Prompt, streams to the unary document they amount to,
and back.

Nothing is dropped (what has no place goes to ``other``), nothing is repaired, nothing raises on a surprising document.
Each dialect has its own modules, which know nothing of the others; ``tree``, ``choice``, ``media``, ``finish``,
``errors`` and ``calls`` are shared."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

from bridgecheck.codec.rechunk import Cut
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.outcome import Outcome
from bridgecheck.model.prompt import Prompt, Role
from bridgecheck.normalise import anthropic, gemini, openai_chat
from bridgecheck.normalise import outcome as own_types_documents
from bridgecheck.wire import Dialect, JsonObject


class _Reader(Protocol):
    """What every package of this folder has."""

    def read_response(self, response: Response) -> Outcome: ...
    def read_request(self, request: Request) -> Prompt: ...
    def fold(self, events: Sequence[object]) -> JsonObject: ...


class _Writer(Protocol):
    """What the packages of the providers' dialects have too."""

    def unfold(self, document: JsonObject, cut: Cut) -> list[JsonObject]: ...
    def error_document(self, status: int, message: str, wait: int | None, kind: str, /) -> JsonObject: ...
    def text_message(self, role: Role, text: str) -> JsonObject: ...


_WRITERS: Final[dict[Dialect, _Writer]] = {"gemini": gemini, "openai-chat": openai_chat, "anthropic": anthropic}
_READERS: Final[dict[Dialect, _Reader]] = {
    "gemini": gemini, "openai-chat": openai_chat, "anthropic": anthropic, "outcome": own_types_documents,
}  # fmt: skip

ERROR_STATUSES: Final = (400, 401, 404, 429, 500, 503)
"""The HTTP statuses that ``error_document`` can write."""


UNDECODABLE: Final = "(undecodable)"
"""The path in ``other`` of what the codec could not decode beside the documents."""


def setting_fields(name: str) -> tuple[str, ...]:
    """Return how the dialects spell a setting of the normal form."""
    tables = (gemini.request.SETTINGS, openai_chat.request.SETTINGS, anthropic.request.SETTINGS)
    return tuple(dict.fromkeys(field for table in tables for field, setting in table.items() if setting == name))


def response(response: Response) -> Outcome:
    """Return the response in normal form. What the codec could not decode beside the documents stands in ``other``."""
    made = _READERS[response.dialect].read_response(response)
    if response.text and response.documents:
        return replace(made, other=((UNDECODABLE, canonical(response.text)), *made.other))
    return made


def request(request: Request) -> Prompt:
    """Return the request in normal form."""
    return _READERS[request.dialect].read_request(request)


def find_response_problems(response: Response) -> list[str]:
    """Return what makes a response no document of its dialect, ``path: expected, got``. Only ``outcome`` is judged so:
    wire formats are open, and ``validate`` lists where a document departs from them."""
    return own_types_documents.find_response_problems(response) if response.dialect == "outcome" else []


def fold(dialect: Dialect, events: Sequence[object]) -> JsonObject:
    """Return the unary document of the same dialect with the content of these stream events, in the same order."""
    return _READERS[dialect].fold(events)


def unfold(dialect: Dialect, document: JsonObject, cut: Cut) -> list[JsonObject]:
    """Return stream events of the same dialect with the content of this unary document: fold gives it back."""
    return _WRITERS[dialect].unfold(document, cut)


def error_document(dialect: Dialect, status: int, message: str, wait: int | None = None, kind: str = "") -> JsonObject:
    """Return the document in which a provider of this dialect reports an error.

    ``status``: one of ERROR_STATUSES. ``wait``: seconds until the client may try again, None if unknown. ``kind``: the
    error's type in place of the usual one for the status, where the dialect has a free one."""
    return _WRITERS[dialect].error_document(status, message, wait, kind)


def text_message(dialect: Dialect, role: Role, text: str) -> JsonObject:
    """Return a message of a request's history that holds only this text."""
    return _WRITERS[dialect].text_message(role, text)
