"""``outcome`` answers -> Outcome. A stream is folded first, so that unary and stream are read by the same rules."""

from dataclasses import replace
from typing import Final, cast, get_args

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.outcome import Choice, ErrorInfo, ErrorKind, Finish, FinishClass, Outcome, Usage
from bridgecheck.normalise import errors
from bridgecheck.normalise.choice import ChoiceBuilder, with_signature
from bridgecheck.normalise.outcome.fold import fold
from bridgecheck.normalise.outcome.parts import call_of, media_of
from bridgecheck.normalise.tree import Fields, other_leaves, without_empty
from bridgecheck.wire import JsonObject

_OF_A_CHOICE: Final = ("parts", "refusal", "citations", "finish", "finish_native")


def outcome(response: Response) -> Outcome:
    """Never raises: what cannot be read stands in ``other``; what the library wants back (``keep``) is its own affair
    and stands nowhere."""
    top = Fields(_document(response))
    error = _error(response, top)
    usage = _usage(top)
    choices, rests = _choices(response, top, error is not None)
    top.put_back("choices", without_empty(rests))
    top.take("keep")
    return Outcome(
        dialect="outcome",
        choices=choices,
        usage=usage,
        error=error,
        model=top.take_text("model"),
        response_id=top.take_text("id"),
        other=other_leaves(top.rest),
        notes=_notes(response, choices),
    )


def _document(response: Response) -> JsonObject:
    if response.mode == "stream" and response.status < 400:
        return fold(response.documents)
    return obj(response.documents[0]) if response.documents else {}


def _choices(response: Response, top: Fields, failed: bool) -> tuple[tuple[Choice, ...], list[JsonObject]]:
    """The document is one answer, also one that says nothing; a mere failure is none."""
    if top.has("choices"):
        fields = [Fields(item) for item in top.take_items("choices")]
        made = [_choice(_index(one, at), one) for at, one in enumerate(fields)]
        return tuple(sorted(made, key=lambda choice: choice.index)), [one.rest for one in fields]
    answered = response.status < 400 and not failed and (bool(response.documents) or response.mode == "stream")
    return ((_choice(0, top),) if answered or any(top.has(key) for key in _OF_A_CHOICE) else ()), []


def _index(choice: Fields, at: int) -> int:
    given = choice.take_integer("index")
    return at if given is None else given


def _choice(index: int, fields: Fields) -> Choice:
    """Takes what belongs to the choice; what was not understood is put back."""
    builder = ChoiceBuilder(index)
    parts = [Fields(item) for item in fields.take_items("parts")]
    for part in parts:
        _part(builder, part)
    fields.put_back("parts", without_empty(part.rest for part in parts))
    builder.add_refusal(fields.take_text("refusal"))
    for citation in fields.take_items("citations"):
        builder.add_citation(citation)
    fields.take("keep")
    return builder.build(_finish(fields))


def _part(builder: ChoiceBuilder, part: Fields) -> None:
    signature = part.take_text("signature")
    part.take("keep")
    if part.has("text"):
        builder.add_text(part.take_text("text"), signature)
    elif part.has("reasoning"):
        builder.add_reasoning(part.take_text("reasoning"), signature)
    elif part.has("redacted"):
        builder.add_redacted(part.take_text("redacted"))
    elif part.has("tool_call"):
        builder.add_call(with_signature(call_of(part), signature))
    elif part.has("media"):
        builder.add_media(media_of(part), signature)
    elif part.has("code"):
        code = part.take_child("code")
        builder.add_code(code.take_text("kind"), code.take_text("text"), signature)
        part.put_back("code", code.rest)
    else:
        builder.end_segment()


def _finish(fields: Fields) -> Finish:
    word, native = fields.take_text("finish"), fields.take_text("finish_native")
    if word not in get_args(FinishClass):
        fields.put_back("finish", word)
        return Finish(native, "incomplete")
    return Finish(native or ("" if word == "incomplete" else word), cast(FinishClass, word))


def _usage(top: Fields) -> Usage | None:
    said = top.take_child("usage")
    counted = Usage(**{name: said.take_integer(name) for name in Usage.__slots__})
    top.put_back("usage", said.rest)
    return counted if counted != Usage() else None


def _error(response: Response, top: Fields) -> ErrorInfo | None:
    """The kind is the shim's own word for it, where it has one."""
    if not top.has("error"):
        if response.status >= 400 and response.documents:
            return errors.error_info(response, (), "", None, "")
        return errors.error_without_document(response)
    said = top.take_child("error")
    kind, native = said.take_text("kind"), said.take_text("native")
    info = errors.error_info(response, [native], said.take_text("message"), said.take_integer("status"), native)
    hint = said.take("retry_after")
    if isinstance(hint, int | float) and not isinstance(hint, bool):
        info = replace(info, retry_after=float(hint))
    if kind in get_args(ErrorKind):
        info = replace(info, kind=cast(ErrorKind, kind))
    top.put_back("error", said.rest)
    return info


def _notes(response: Response, choices: tuple[Choice, ...]) -> tuple[str, ...]:
    """Names of the rules that changed something."""
    usages = [obj(obj(event).get("usage")) for event in response.documents]
    fired = {
        "text.segments": any(choice.text or choice.reasoning for choice in choices) and len(response.documents) > 1,
        "usage.last_non_null": sum(map(bool, usages)) > 1,
        "no_args": any(not call.args and call.bad_args is None for choice in choices for call in choice.tool_calls),
    }
    return tuple(name for name, used in fired.items() if used)
