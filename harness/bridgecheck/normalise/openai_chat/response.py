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
from bridgecheck.normalise.tree import Fields, other, without_empty
from bridgecheck.wire import JsonObject

NUMBERS: Final = ("code", "status", "status_code")
"""Where an error object may repeat the HTTP status."""


def outcome(response: Response) -> Outcome:
    """Never raises: what cannot be read stands in ``other`` or in ``error``."""
    notes: set[str] = set()
    document = _document(response, notes)
    top = Fields(document)
    top.expect("object", "chat.completion", "chat.completion.chunk", "")
    error = _error(response, top)
    choices, errors_in_choices = _choices(top, notes)
    counted = _usage(top, notes)
    return Outcome(
        dialect="openai-chat",
        choices=choices,
        usage=counted,
        error=error or _first_error(response, errors_in_choices),
        model=top.text("model"),
        response_id=top.text("id"),
        other=other(top.left),
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
    citations = top.items("citations")
    for position, value in enumerate(top.items("choices")):
        fields = Fields(value)
        index = fields.integer("index")
        builder = ChoiceBuilder(position if index is None else index)
        for citation in citations if not made else ():
            builder.cite(citation)
        failures += [fields.child("error").left] if fields.has("error") else []
        made.append(_choice(builder, fields, notes))
        rests.append(fields.left if isinstance(value, dict) else {"unread": value})
    top.put("choices", without_empty(rests))
    if not made:
        top.put("citations", citations)
    return tuple(sorted(made, key=lambda choice: choice.index)), failures


def _choice(builder: ChoiceBuilder, fields: Fields, notes: set[str]) -> Choice:
    """``delta`` in a unary answer is read only where there is no message."""
    name = "message" if fields.has("message") else "delta"
    message = fields.child(name)
    openai_message.read(builder, message, notes)
    fields.put("message", message.left)
    return builder.build(finish.openai(fields.raw("finish_reason")))


def _usage(top: Fields, notes: set[str]) -> Usage | None:
    """``usage``, or Groq's place for it in a stream. The same figures at both places are said once."""
    groq = top.child("x_groq")
    own, beside = top.child("usage"), groq.child("usage")
    if beside.left and (not own.left or own.left == beside.left):
        own = beside
    else:
        groq.put("usage", beside.left)
    counted = usage(own, notes)
    top.put("usage", own.left)
    top.put("x_groq", groq.left)
    return counted


def _error(response: Response, top: Fields) -> ErrorInfo | None:
    if top.has("error") and not isinstance(top.left["error"], dict):
        return errors.error_info(response, (), _words(top.raw("error")), None, "")
    if top.has("error"):
        error = top.child("error")
        info = _info(response, error)
        top.put("error", error.left)
        return info
    if response.status >= 400 and response.documents:
        return _info(response, top)
    if list(top.left) == ["unread"]:
        return errors.error_info(response, (), "nothing of the answer could be read", None, "")
    return errors.undecodable(response)


def _first_error(response: Response, failures: list[JsonObject]) -> ErrorInfo | None:
    return _info(response, Fields(failures[0])) if failures else None


def _info(response: Response, error: Fields) -> ErrorInfo:
    """An error object of any host: ``message`` or ``detail``; ``code`` (word or number), ``type``."""
    words = [text(error.left.get("code")), text(error.left.get("type"))]
    native = next((word for word in words if word and not word.isdigit()), "")
    message = error.text("message") or _words(error.raw("detail")) or response.text[:500]
    info = errors.error_info(response, words, message, _status(error), native)
    for name in ("code", "type"):
        if native and error.left.get(name) == native:
            error.raw(name)
    for name in NUMBERS:
        if info.status is not None and errors.http_code(error.left.get(name)) == info.status:
            error.raw(name)
    return _with_delay(info, error)


def _status(error: Fields) -> int | None:
    """The HTTP status an error object repeats, wherever a host puts it."""
    found = (errors.http_code(error.left.get(name)) for name in NUMBERS)
    return next((status for status in found if status is not None), None)


def _with_delay(info: ErrorInfo, error: Fields) -> ErrorInfo:
    """OpenRouter says how long to wait in ``metadata.retry_after_seconds``."""
    delay = obj(error.left.get("metadata")).get("retry_after_seconds")
    if info.retry_after is not None or isinstance(delay, bool) or not isinstance(delay, int | float):
        return info
    return replace(info, retry_after=float(delay))


def _words(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else canonical(value)
