"""Chat Completions responses -> Outcome: OpenAI, Azure, and the hosts that speak its dialect.

A stream is folded first (``stream``), so that unary and stream are read by the same rules.

Token counts are read from whichever field a host uses. Rule ``usage.xai_reasoning_outside``: where total = prompt +
completion + reasoning, reasoning stands outside completion (api.x.ai, recorded); the normal form has it inside, as
OpenAI documents it.
Source: https://platform.openai.com/docs/api-reference/chat/object (stored copy read 2026-11-21)."""

from dataclasses import replace
from typing import Final

from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import canonical, integer, obj, text
from bridgecheck.model.outcome import Choice, ErrorInfo, Outcome, Usage
from bridgecheck.normalise import errors, finish
from bridgecheck.normalise.choice import ChoiceBuilder
from bridgecheck.normalise.openai_chat import message as openai_message
from bridgecheck.normalise.openai_chat.stream import fold
from bridgecheck.normalise.tree import Fields, non_empty_rests, other_leaves
from bridgecheck.wire import JsonObject

STATUS_FIELDS: Final = ("code", "status", "status_code")
"""Where an error object may repeat the HTTP status."""


def read_response(response: Response) -> Outcome:
    """Return the response in normal form; never raises: what cannot be read stands in ``other`` or in ``error``."""
    applied_rules: set[str] = set()
    top = Fields(_folded_or_unary_document(response, applied_rules))
    top.drop_expected("object", "chat.completion", "chat.completion.chunk", "")
    error = _read_top_level_error(response, top)
    choices, errors_in_choices = _read_choices_and_errors(top, applied_rules)
    usage = _read_usage_or_groq_usage(top, applied_rules)
    return Outcome(
        dialect="openai-chat", choices=choices, usage=usage,
        error=error or next((_read_error_object(response, Fields(item)) for item in errors_in_choices), None),
        model=top.take_text("model"), response_id=top.take_text("id"), other=other_leaves(top.rest),
        notes=tuple(sorted(applied_rules)),
    )  # fmt: skip


def _folded_or_unary_document(response: Response, applied_rules: set[str]) -> JsonObject:
    """Return the one document, or the stream folded; of an error in a list (Google's endpoint), the first member."""
    if response.mode == "stream":
        if len({canonical(obj(event).get("usage")) for event in response.documents if obj(event).get("usage")}) > 1:
            applied_rules.add("usage.last_non_null")
        return fold(response.documents)
    document = response.documents[0] if response.documents else None
    if isinstance(document, list) and len(document) == 1:
        document = document[0]
    if isinstance(document, dict):
        return obj(document)
    return {} if document is None else {"unread": document}


def _read_choices_and_errors(top: Fields, applied_rules: set[str]) -> tuple[tuple[Choice, ...], list[JsonObject]]:
    choices_so_far: list[Choice] = []
    unread_choices: list[JsonObject] = []
    failures: list[JsonObject] = []
    citations = top.take_list("citations")
    for position, value in enumerate(top.take_list("choices")):
        fields = Fields(value)
        index = fields.take_integer("index")
        builder = ChoiceBuilder(position if index is None else index)
        for citation in citations if not choices_so_far else ():
            builder.add_citation(citation)
        failures += [fields.take_child("error").rest] if fields.has("error") else []
        choices_so_far.append(_read_choice(builder, fields, applied_rules))
        unread_choices.append(fields.rest if isinstance(value, dict) else {"unread": value})
    top.put_back("choices", non_empty_rests(unread_choices))
    if not choices_so_far:
        top.put_back("citations", citations)
    return tuple(sorted(choices_so_far, key=lambda choice: choice.index)), failures


def _read_choice(builder: ChoiceBuilder, fields: Fields, applied_rules: set[str]) -> Choice:
    """Read the message and the finish; ``delta`` in a unary response only where there is no message."""
    message = fields.take_child("message" if fields.has("message") else "delta")
    openai_message.read_message(builder, message, applied_rules)
    fields.put_back("message", message.rest)
    return builder.build(finish.openai_finish(fields.take("finish_reason")))


def _read_usage_or_groq_usage(top: Fields, applied_rules: set[str]) -> Usage | None:
    """Read ``usage``, or ``x_groq.usage`` of Groq's streams. The same figures in both are counted once."""
    groq = top.take_child("x_groq")
    own_usage, groq_usage = top.take_child("usage"), groq.take_child("usage")
    if groq_usage.rest and (not own_usage.rest or own_usage.rest == groq_usage.rest):
        own_usage = groq_usage
    else:
        groq.put_back("usage", groq_usage.rest)
    usage = read_usage(own_usage, applied_rules)
    top.put_back("usage", own_usage.rest)
    top.put_back("x_groq", groq.rest)
    return usage


def _read_top_level_error(response: Response, top: Fields) -> ErrorInfo | None:
    if top.has("error") and not isinstance(top.rest["error"], dict):
        return errors.error_info(response, (), _error_message_or_its_json(top.take("error")), None, "")
    if top.has("error"):
        with top.child("error") as error:
            return _read_error_object(response, error)
    if response.status >= 400 and response.documents:
        return _read_error_object(response, top)
    if list(top.rest) == ["unread"]:
        return errors.error_info(response, (), "nothing of the answer could be read", None, "")
    return errors.error_without_document(response)


def _read_error_object(response: Response, error: Fields) -> ErrorInfo:
    """Read an error object of any host: ``message`` or ``detail``; ``code`` (word or number), ``type``."""
    codes = [text(error.rest.get("code")), text(error.rest.get("type"))]
    native = next((word for word in codes if word and not word.isdigit()), "")
    message = error.take_text("message") or _error_message_or_its_json(error.take("detail")) or response.text[:500]
    statuses = (errors.http_error_status(error.rest.get(name)) for name in STATUS_FIELDS)
    info = errors.error_info(response, codes, message, next(filter(None, statuses), None), native)
    for name in ("code", "type"):
        if native and error.rest.get(name) == native:
            error.take(name)
    for name in STATUS_FIELDS:
        if info.status is not None and errors.http_error_status(error.rest.get(name)) == info.status:
            error.take(name)
    return _add_delay_of_metadata(info, error)


def _add_delay_of_metadata(info: ErrorInfo, error: Fields) -> ErrorInfo:
    """Add the wait that OpenRouter sends in ``metadata.retry_after_seconds``."""
    delay = obj(error.rest.get("metadata")).get("retry_after_seconds")
    if info.retry_after is not None or isinstance(delay, bool) or not isinstance(delay, int | float):
        return info
    return replace(info, retry_after=float(delay))


def _error_message_or_its_json(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else canonical(value)


CACHED_TOKEN_FIELDS = ("cached_tokens", "prompt_cache_hit_tokens", "num_cached_tokens", "cache_read_input_tokens")
"""Where Moonshot, DeepSeek, Z.ai and Anthropic-backed hosts put ``prompt_tokens_details.cached_tokens``."""


def read_usage(fields: Fields, applied_rules: set[str]) -> Usage | None:
    """Return the counts, or None if there are none; what is counted nowhere else stays in ``fields.rest``."""
    prompt_details = fields.take_child("prompt_tokens_details")
    completion_details = fields.take_child("completion_tokens_details")
    prompt, completion = fields.take_integer("prompt_tokens"), fields.take_integer("completion_tokens")
    total = fields.take_integer("total_tokens")
    reasoning = _take_first_count((completion_details, "reasoning_tokens"), (fields, "reasoning_tokens"))
    if prompt is not None and completion is not None and reasoning and total == prompt + completion + reasoning:
        completion += reasoning
        applied_rules.add("usage.xai_reasoning_outside")
    counted = Usage(
        prompt=prompt,
        completion=completion,
        total=total,
        cached=_take_first_count((prompt_details, "cached_tokens"), *((fields, name) for name in CACHED_TOKEN_FIELDS)),
        cache_write=_take_first_count((prompt_details, "cache_write_tokens"), (fields, "cache_creation_input_tokens")),
        reasoning=reasoning,
    )
    fields.put_back("prompt_tokens_details", prompt_details.rest)
    fields.put_back("completion_tokens_details", completion_details.rest)
    return counted if counted != Usage() else None


def _take_first_count(*places: tuple[Fields, str]) -> int | None:
    """Return the first count given; equal counts in other fields are dropped, a different one stays unread."""
    found: int | None = None
    for fields, name in places:
        if found is None:
            found = fields.take_integer(name)
        elif integer(fields.rest.get(name)) == found:
            fields.take(name)
    return found
