"""``outcome`` responses -> Outcome. A stream is folded first, so that unary and stream are read by the same rules."""

from dataclasses import replace
from typing import Final, cast, get_args

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.outcome import Choice, ErrorInfo, ErrorKind, Finish, FinishClass, Outcome, Usage
from bridgecheck.normalise import errors
from bridgecheck.normalise.choice import ChoiceBuilder, with_signature
from bridgecheck.normalise.finish import any_finish
from bridgecheck.normalise.outcome.parts import read_call_without_signature, read_media
from bridgecheck.normalise.outcome.stream import fold
from bridgecheck.normalise.tree import Fields, other_leaves

_CHOICE_KEYS: Final = ("parts", "refusal", "citations", "finish", "finish_native")


def read_response(response: Response) -> Outcome:
    """Return the response in normal form; never raises: what cannot be read stands in ``other``.

    What the library wants back (``keep``) is its own affair and stands nowhere."""
    if response.mode == "stream" and response.status < 400:
        top = Fields(fold(response.documents))
    else:
        top = Fields(response.documents[0] if response.documents else None)
    error = _read_error(response, top)
    usage = _read_usage(top)
    choices = _read_choices(response, top, error is not None)
    top.take("keep")
    return Outcome(
        dialect="outcome", choices=choices, usage=usage, error=error, model=top.take_text("model"),
        response_id=top.take_text("id"), other=other_leaves(top.rest),
        notes=_find_rules_that_changed_something(response, choices),
    )  # fmt: skip


def _read_choices(response: Response, top: Fields, failed: bool) -> tuple[Choice, ...]:
    """Read the choices: the document is one, even an empty one; a mere failure has none."""
    if top.has("choices"):
        made = [_read_choice(at, fields) for at, fields in enumerate(top.members("choices"))]
        return tuple(sorted(made, key=lambda choice: choice.index))
    answered = response.status < 400 and not failed and (bool(response.documents) or response.mode == "stream")
    return (_read_choice(0, top),) if answered or any(top.has(key) for key in _CHOICE_KEYS) else ()


def _read_choice(position: int, fields: Fields) -> Choice:
    """Take what belongs to the choice. ``position``: its index, unless it has one of its own."""
    index = fields.take_integer("index")
    builder = ChoiceBuilder(position if index is None else index)
    for part in fields.members("parts"):
        _read_part(builder, part)
    builder.add_refusal(fields.take_text("refusal"))
    for citation in fields.take_list("citations"):
        builder.add_citation(citation)
    fields.take("keep")
    return builder.build(_read_finish_texts(fields))


def _read_part(builder: ChoiceBuilder, part: Fields) -> None:
    signature = part.take_text("signature")
    part.take("keep")
    if part.has("text"):
        builder.add_text(part.take_text("text"), signature)
    elif part.has("reasoning"):
        builder.add_reasoning(part.take_text("reasoning"), signature)
    elif part.has("redacted"):
        builder.add_redacted(part.take_text("redacted"))
    elif part.has("tool_call"):
        builder.add_call(with_signature(read_call_without_signature(part), signature))
    elif part.has("media"):
        builder.add_media(read_media(part), signature)
    elif part.has("code"):
        with part.child("code") as code:
            builder.add_code(code.take_text("kind"), code.take_text("text"), signature)
    else:
        builder.end_segment()


def _read_finish_texts(fields: Fields) -> Finish:
    word, native = fields.take_text("finish"), fields.take_text("finish_native")
    if word not in get_args(FinishClass):
        fields.put_back("finish", word)
        return Finish(native, "incomplete") if word else any_finish(native)
    return Finish(native or ("" if word == "incomplete" else word), cast(FinishClass, word))


def _read_usage(top: Fields) -> Usage | None:
    with top.child("usage") as usage:
        usage_counts = Usage(**{name: usage.take_integer(name) for name in Usage.__slots__})
    return usage_counts if usage_counts != Usage() else None


def _read_error(response: Response, top: Fields) -> ErrorInfo | None:
    """Read the error; its kind is the shim's own word, where it has one."""
    if not top.has("error"):
        if response.status >= 400 and response.documents:
            return errors.error_info(response, (), "", None, "")
        return errors.error_without_document(response)
    value = top.take_child("error")
    kind, native = value.take_text("kind"), value.take_text("native")
    info = errors.error_info(response, [native], value.take_text("message"), value.take_integer("status"), native)
    hint = value.take("retry_after")
    if isinstance(hint, int | float) and not isinstance(hint, bool):
        info = replace(info, retry_after=float(hint))
    if kind in get_args(ErrorKind):
        info = replace(info, kind=cast(ErrorKind, kind))
    top.put_back("error", value.rest)
    return info


def _find_rules_that_changed_something(response: Response, choices: tuple[Choice, ...]) -> tuple[str, ...]:
    usages = [obj(obj(event).get("usage")) for event in response.documents]
    applied = {
        "text.segments": any(choice.text or choice.reasoning for choice in choices) and len(response.documents) > 1,
        "usage.last_non_null": sum(map(bool, usages)) > 1,
        "no_args": any(not call.args and call.bad_args is None for choice in choices for call in choice.tool_calls),
    }
    return tuple(name for name, used in applied.items() if used)
