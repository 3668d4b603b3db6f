"""Chat Completions answers -> Outcome: OpenAI, Azure, and the hosts that speak its dialect.

A stream is folded first (``openai_fold``), so that unary and stream are read by the same rules.
"""

from dataclasses import replace
from typing import Final

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import canonical, obj, text
from bridgecheck.model.outcome import Choice, ErrorInfo, Outcome, Usage
from bridgecheck.normalise import errors, finish
from bridgecheck.normalise.choice import ChoiceBuilder
from bridgecheck.normalise.openai_chat import message as openai_message
from bridgecheck.normalise.openai_chat.fold import fold
from bridgecheck.normalise.openai_chat.usage import usage
from bridgecheck.normalise.tree import Fields, other_leaves, without_empty
from bridgecheck.wire import JsonObject

NUMBERS: Final = ("code", "status", "status_code")
"""Where an error object may repeat the HTTP status."""


def outcome(response: Response) -> Outcome:
    """Never raises: what cannot be read stands in ``other`` or in ``error``."""
    notes: set[str] = set()
    document = _document(response, notes)
    top = Fields(document)
    top.drop_expected("object", "chat.completion", "chat.completion.chunk", "")
    error = _error(response, top)
    choices, errors_in_choices = _choices(top, notes)
    counted = _usage(top, notes)
    return Outcome(
        dialect="openai-chat",
        choices=choices,
        usage=counted,
        error=error or _first_error(response, errors_in_choices),
        model=top.take_text("model"),
        response_id=top.take_text("id"),
        other=other_leaves(top.rest),
        notes=tuple(sorted(notes)),
    )


def _document(response: Response, notes: set[str]) -> JsonObject:
    """The one document, or the stream folded; an error body that is a list (Google's endpoint) is its first member."""
    if response.mode == "stream":
        if len({canonical(obj(event).get("usage")) for event in response.documents if obj(event).get("usage")}) > 1:
            notes.add("usage.last_non_null")
        return fold(response.documents)
    document = response.documents[0] if response.documents else None
    if isinstance(document, list) and len(document) == 1:
        document = document[0]
    if isinstance(document, dict):
        return obj(document)
    return {} if document is None else {"unread": document}


def _choices(top: Fields, notes: set[str]) -> tuple[tuple[Choice, ...], list[JsonObject]]:
    made: list[Choice] = []
    rests: list[JsonObject] = []
    failures: list[JsonObject] = []
    citations = top.take_items("citations")
    for position, value in enumerate(top.take_items("choices")):
        fields = Fields(value)
        index = fields.take_integer("index")
        builder = ChoiceBuilder(position if index is None else index)
        for citation in citations if not made else ():
            builder.add_citation(citation)
        failures += [fields.take_child("error").rest] if fields.has("error") else []
        made.append(_choice(builder, fields, notes))
        rests.append(fields.rest if isinstance(value, dict) else {"unread": value})
    top.put_back("choices", without_empty(rests))
    if not made:
        top.put_back("citations", citations)
    return tuple(sorted(made, key=lambda choice: choice.index)), failures


def _choice(builder: ChoiceBuilder, fields: Fields, notes: set[str]) -> Choice:
    """``delta`` in a unary answer is read only where there is no message."""
    name = "message" if fields.has("message") else "delta"
    message = fields.take_child(name)
    openai_message.read(builder, message, notes)
    fields.put_back("message", message.rest)
    return builder.build(finish.openai_finish(fields.take("finish_reason")))


def _usage(top: Fields, notes: set[str]) -> Usage | None:
    """``usage``, or Groq's place for it in a stream. The same figures at both places are said once."""
    groq = top.take_child("x_groq")
    own, beside = top.take_child("usage"), groq.take_child("usage")
    if beside.rest and (not own.rest or own.rest == beside.rest):
        own = beside
    else:
        groq.put_back("usage", beside.rest)
    counted = usage(own, notes)
    top.put_back("usage", own.rest)
    top.put_back("x_groq", groq.rest)
    return counted


def _error(response: Response, top: Fields) -> ErrorInfo | None:
    if top.has("error") and not isinstance(top.rest["error"], dict):
        return errors.error_info(response, (), _words(top.take("error")), None, "")
    if top.has("error"):
        error = top.take_child("error")
        info = _info(response, error)
        top.put_back("error", error.rest)
        return info
    if response.status >= 400 and response.documents:
        return _info(response, top)
    if list(top.rest) == ["unread"]:
        return errors.error_info(response, (), "nothing of the answer could be read", None, "")
    return errors.error_without_document(response)


def _first_error(response: Response, failures: list[JsonObject]) -> ErrorInfo | None:
    return _info(response, Fields(failures[0])) if failures else None


def _info(response: Response, error: Fields) -> ErrorInfo:
    """An error object of any host: ``message`` or ``detail``; ``code`` (word or number), ``type``."""
    words = [text(error.rest.get("code")), text(error.rest.get("type"))]
    native = next((word for word in words if word and not word.isdigit()), "")
    message = error.take_text("message") or _words(error.take("detail")) or response.text[:500]
    info = errors.error_info(response, words, message, _status(error), native)
    for name in ("code", "type"):
        if native and error.rest.get(name) == native:
            error.take(name)
    for name in NUMBERS:
        if info.status is not None and errors.http_error_status(error.rest.get(name)) == info.status:
            error.take(name)
    return _with_delay(info, error)


def _status(error: Fields) -> int | None:
    """The HTTP status an error object repeats, wherever a host puts it."""
    found = (errors.http_error_status(error.rest.get(name)) for name in NUMBERS)
    return next((status for status in found if status is not None), None)


def _with_delay(info: ErrorInfo, error: Fields) -> ErrorInfo:
    """OpenRouter says how long to wait in ``metadata.retry_after_seconds``."""
    delay = obj(error.rest.get("metadata")).get("retry_after_seconds")
    if info.retry_after is not None or isinstance(delay, bool) or not isinstance(delay, int | float):
        return info
    return replace(info, retry_after=float(delay))


def _words(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else canonical(value)
