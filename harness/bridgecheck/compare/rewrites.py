"""Requests: many encodings, one meaning. ``canonical`` applies a closed, named list of rewrites to both sides.

Each rewrite brings two legal encodings of the same request to one; none of them may bring two different requests
together. They are confluent: canonical(canonical(x)) == canonical(x), and canonical(r(x)) == canonical(x) for every
legal re-encoding r. Signatures are dropped: what carries them is free, and the relay checks judge them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.compare.classes import effort_level, usable_tools
from bridgecheck.compare.schema import normal_schema
from bridgecheck.compare.tool_results import map_parts, pair_results, unwrap_result
from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import (
    CallPart,
    MediaPart,
    OtherPart,
    Part,
    Prompt,
    ReasoningPart,
    ResponseFormat,
    ResultPart,
    TextPart,
    Thinking,
    Turn,
)

MIME_ALIASES: Final[dict[str, str]] = {
    "image/jpg": "image/jpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/mp3": "audio/mpeg",
    "audio/x-m4a": "audio/mp4", "video/mov": "video/quicktime",
}  # fmt: skip
DEFAULTS: Final[dict[str, object]] = {"n": 1, "logprobs": False, "stop": (), "user": "", "modalities": ("text",)}
"""setting -> the value that means the same as its absence. An explicit 0 is no default."""
_LAST: Final = 10**9
"""Position of a result that answers no call."""


def canonical(prompt: Prompt) -> Prompt:
    """Return the one encoding that stands for all equal ones. ``notes`` are dropped."""
    return canonical_with_rules(prompt)[0]


def canonical_with_rules(prompt: Prompt) -> tuple[Prompt, tuple[str, ...]]:
    """Return the canonical prompt and the names of the rewrites that changed something."""
    current, rules = replace(prompt, turns=map_parts(prompt.turns, _part_without_signature), notes=()), []
    for name, rewrite in REWRITES.items():
        changed = rewrite(current)
        if changed != current:
            rules.append(name)
        current = changed
    return current, tuple(rules)


def canonical_turns(turns: Sequence[Turn], *, join: bool = True) -> tuple[Turn, ...]:
    """Return the turns of ``canonical``. Without ``join``, texts of neighbouring turns that were merged stay separate:
    between such pieces white space may be added."""
    tidied = tidy_turns_leaving_texts_unjoined(_join_adjacent_texts(_rewrite_parts(turns)))
    return _join_adjacent_texts(tidied) if join else tidied


def canonical_turns_of_single_texts(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns of ``canonical`` with each text that was written by itself still separate, in results too."""
    return tidy_turns_leaving_texts_unjoined(_rewrite_parts(turns))


def _rewrite_parts(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    rewritten = map_parts(turns, _part_without_signature)
    for rewrite in (pair_results, _unwrap_results, _canonical_media_types):
        rewritten = rewrite(rewritten)
    return rewritten


def tidy_turns_leaving_texts_unjoined(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Drop empty parts and turns, merge neighbours of one role, move results first and join neighbouring thoughts."""
    return join_reasoning(_move_results_first(_drop_blank_turns(_merge_roles(turns))))


def join_reasoning(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Join neighbouring thoughts: Chat has a single text for what Anthropic keeps in blocks."""
    return _join_neighbours(turns, ReasoningPart)


def _join_neighbours(turns: Sequence[Turn], kind: type[TextPart | ReasoningPart]) -> tuple[Turn, ...]:
    """Join the texts of neighbouring parts of this kind within each turn."""
    joined_turns: list[Turn] = []
    for turn in turns:
        joined: list[Part] = []
        for part in turn.parts:
            last = joined[-1] if joined else None
            if isinstance(part, kind) and isinstance(last, kind):
                joined[-1] = kind(last.text + part.text)
            else:
                joined.append(part)
        joined_turns.append(replace(turn, parts=tuple(joined)))
    return tuple(joined_turns)


def media_with_canonical_mime(media: Media) -> Media:
    """Return the media with its MIME type by the usual name, without parameters, and without one where only an address
    is known: there the type is a guess."""
    mime = media.mime.split(";", 1)[0].strip().lower()
    if media.uri and not media.sha256:
        return replace(media, mime="")
    return replace(media, mime=MIME_ALIASES.get(mime, mime))


def _part_without_signature(part: Part) -> Part | None:
    """Return the part without its signature, None for a thought without text, which only carries one or opaque data."""
    if (isinstance(part, ReasoningPart) and not part.text) or (isinstance(part, OtherPart) and part.kind == "thought"):
        return None
    if isinstance(part, TextPart | ReasoningPart):
        return replace(part, signature="")
    if isinstance(part, CallPart):
        call = part.call
        return CallPart(ToolCall(call.name, call.args, call.id, call.bad_args))
    return part


def _unwrap_results(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Replace results by their values; media in a result stand behind it in the same turn."""
    unwrapped: list[Turn] = []
    for turn in turns:
        parts: list[Part] = []
        for part in turn.parts:
            parts += _unwrap_value_of_result(part) if isinstance(part, ResultPart) else [part]
        unwrapped.append(replace(turn, parts=tuple(parts)))
    return tuple(unwrapped)


def _unwrap_value_of_result(part: ResultPart) -> list[Part]:
    value, is_error = unwrap_result(part.value, part.is_error)
    return [replace(part, value=value, is_error=is_error, media=()), *(MediaPart(media) for media in part.media)]


def _canonical_media_types(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    return map_parts(
        turns,
        lambda part: (
            replace(part, media=media_with_canonical_mime(part.media)) if isinstance(part, MediaPart) else part
        ),
    )


def _join_adjacent_texts(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    joined = map_parts(turns, lambda part: replace(part, texts=()) if isinstance(part, ResultPart) else part)
    return _join_neighbours(join_reasoning(joined), TextPart)


def _drop_blank_turns(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Drop turns of blank text alone, which may be omitted or sent as a space, and merge their neighbours."""
    return _merge_roles(
        [turn for turn in turns if not all(isinstance(part, TextPart) and not part.text.strip() for part in turn.parts)]
    )


def _merge_roles(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Merge neighbours of one role (and one name), and drop empty texts and turns."""
    merged: list[Turn] = []
    for turn in turns:
        parts_with_text = (part for part in turn.parts if not isinstance(part, TextPart) or part.text)
        parts = tuple(part for part in parts_with_text if part != ReasoningPart(""))
        last = merged[-1] if merged else None
        if last is not None and parts and last.role == turn.role and last.name == turn.name:
            merged[-1] = replace(last, parts=last.parts + parts)
        elif parts:
            merged.append(replace(turn, parts=parts))
    return tuple(merged)


def _move_results_first(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Move the results of a turn before the rest, in the order of their calls, each once: gemini-cli --resume repeats
    those of earlier turns, and what repeats a result says nothing."""
    ordered = (sorted(turn.parts, key=_call_number_of_result_or_last) for turn in turns)
    return tuple(replace(turn, parts=_drop_repeated(parts)) for turn, parts in zip(turns, ordered, strict=True))


def _drop_repeated(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Drop each result that is equal to the part before it."""
    pairs = zip(parts, (None, *parts), strict=False)
    return tuple(part for part, before in pairs if part != before or not isinstance(part, ResultPart))


def _call_number_of_result_or_last(part: Part) -> int:
    if not isinstance(part, ResultPart):
        return _LAST + 1
    return int(part.id) if part.id.isdigit() else _LAST


def _rewrite_turns(change: Callable[[Sequence[Turn]], tuple[Turn, ...]]) -> Callable[[Prompt], Prompt]:
    return lambda prompt: replace(prompt, turns=change(prompt.turns))


def _join_system(prompt: Prompt) -> Prompt:
    whole = "".join(prompt.system)
    return replace(prompt, system=(whole,) if whole.strip() else ())


def _classify_tool_choice(prompt: Prompt) -> Prompt:
    tools, choice = usable_tools(prompt.tools, prompt.tool_choice)
    return replace(prompt, tools=tools or None, tool_choice=choice)


def _normalise_schemas(prompt: Prompt) -> Prompt:
    tools = prompt.tools and tuple(
        tool if tool.builtin else replace(tool, schema=normal_schema(tool.schema)) for tool in prompt.tools
    )
    response_format = prompt.response_format
    if response_format is not None and response_format.schema is not None:
        response_format = replace(response_format, schema=normal_schema(response_format.schema))
    return replace(prompt, tools=tools, response_format=response_format)


def _classify_effort(prompt: Prompt) -> Prompt:
    level = effort_level(prompt.thinking) or None
    include = True if prompt.thinking is not None and prompt.thinking.include else None
    is_unset = level is None and include is None
    return replace(prompt, thinking=None if is_unset else Thinking(None, level, include))


def _normalise_settings(prompt: Prompt) -> Prompt:
    """Sort settings by name, and make a single stop text a list."""
    values = {name: _setting_as_tuple_or_whole_number(name, value) for name, value in prompt.settings}
    return replace(prompt, settings=tuple(sorted(values.items())))


def _setting_as_tuple_or_whole_number(name: str, value: object) -> object:
    if name == "stop" and isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _drop_defaults(prompt: Prompt) -> Prompt:
    settings = tuple(
        (key, value) for key, value in prompt.settings if value is not None and not _is_default(key, value)
    )
    tools = prompt.tools and tuple(replace(tool, strict=tool.strict or None) for tool in prompt.tools)
    form = prompt.response_format
    if form is not None and form.kind == "text":
        form = None
    elif form is not None:
        form = ResponseFormat("json_object") if form.schema is None else replace(form, strict=form.strict or None)
    changed = replace(prompt, settings=settings, tools=tools, response_format=form)
    return replace(changed, other=tuple(sorted(prompt.other)), features=tuple(sorted(prompt.features)))


def _is_default(name: str, value: object) -> bool:
    return name in DEFAULTS and value == DEFAULTS[name] and isinstance(value, type(DEFAULTS[name]))


REWRITES: Final[dict[str, Callable[[Prompt], Prompt]]] = {
    "system_join": _join_system, "id_bijection": _rewrite_turns(pair_results),
    "result_wrap": _rewrite_turns(_unwrap_results), "media_bytes": _rewrite_turns(_canonical_media_types),
    "alias": _normalise_settings, "role_merge": _rewrite_turns(_merge_roles),
    "default_fill": lambda prompt: _drop_defaults(_rewrite_turns(_drop_blank_turns)(prompt)),
    "result_order": _rewrite_turns(_move_results_first), "adjacent_text": _rewrite_turns(_join_adjacent_texts),
    "tool_choice_class": _classify_tool_choice, "schema_equiv": _normalise_schemas, "effort_bucket": _classify_effort,
}  # fmt: skip
"""name -> rewrite, in the order of application."""
