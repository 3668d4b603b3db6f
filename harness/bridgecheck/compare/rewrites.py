"""Requests: many encodings, one meaning. ``canonical`` applies a closed, named list of rewrites to both sides.

Each rewrite brings two legal encodings of the same request to one; none of them may bring two different requests
together. They are confluent: canonical(canonical(x)) == canonical(x), and canonical(r(x)) == canonical(x) for every
legal re-encoding r. Signatures are left out: what carries them is free, and the relay checks judge them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.compare.classes import effort_level, usable_tools
from bridgecheck.compare.schema import normal_schema
from bridgecheck.compare.tool_results import pair_results, unwrap_result
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
    Tool,
    Turn,
)

MIME_ALIASES: Final[dict[str, str]] = {
    "image/jpg": "image/jpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/mp3": "audio/mpeg",
    "audio/x-m4a": "audio/mp4",
    "video/mov": "video/quicktime",
}
DEFAULTS: Final[dict[str, object]] = {
    "n": 1,
    "logprobs": False,
    "stop": (),
    "user": "",
    "modalities": ("text",),
}
"""setting -> the value that says as much as its absence. An explicit 0 is no default."""


def canonical(prompt: Prompt) -> Prompt:
    """The one encoding that stands for all equal ones. ``notes`` are left out."""
    return canonical_with_rules(prompt)[0]


def canonical_with_rules(prompt: Prompt) -> tuple[Prompt, tuple[str, ...]]:
    """``canonical``, and the names of the rewrites that changed something."""
    current, used = _unsigned(prompt), []
    for name, rewrite in REWRITES.items():
        changed = rewrite(current)
        if changed != current:
            used.append(name)
        current = changed
    return current, tuple(used)


def canonical_turns(turns: Sequence[Turn], *, join: bool = True) -> tuple[Turn, ...]:
    """The turns of ``canonical``. Without ``join``, texts of neighbouring turns that were merged stay apart: between
    such pieces white space may be added."""
    found = tuple(_unsigned_turn(turn) for turn in turns)
    for rewrite in (pair_results, _level_results, _alias_media, _join_text):
        found = rewrite(found)
    return _join_text(tidy_turns(found)) if join else tidy_turns(found)


def tidy_turns(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Empty parts and turns dropped, neighbours of one role merged, results before the rest, thoughts that follow one
    another joined; texts are not."""
    return join_reasoning(_results_first(_drop_blank(_merge_roles(turns))))


def join_reasoning(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Neighbouring thoughts as one: Chat has a single text for what Anthropic keeps in blocks."""
    return tuple(replace(turn, parts=_one_thought(turn.parts)) for turn in turns)


def _one_thought(parts: Sequence[Part]) -> tuple[Part, ...]:
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, ReasoningPart) and isinstance(last, ReasoningPart):
            found[-1] = ReasoningPart(last.text + part.text)
        else:
            found.append(part)
    return tuple(found)


def canonical_media(media: Media) -> Media:
    """Its MIME type by the usual name, without parameters. Of what is only named by its address the type is a guess."""
    mime = media.mime.split(";", 1)[0].strip().lower()
    if media.uri and not media.sha256:
        return replace(media, mime="")
    return replace(media, mime=MIME_ALIASES.get(mime, mime))


def _unsigned(prompt: Prompt) -> Prompt:
    return replace(prompt, turns=tuple(_unsigned_turn(turn) for turn in prompt.turns), notes=())


def _unsigned_turn(turn: Turn) -> Turn:
    """Signatures taken off; a thought without text, which only carries one or opaque data, goes with it."""
    return replace(turn, parts=tuple(_unsigned_part(part) for part in turn.parts if not _carrier(part)))


def _carrier(part: Part) -> bool:
    opaque = isinstance(part, ReasoningPart) and not part.text
    return opaque or (isinstance(part, OtherPart) and part.kind == "thought")


def _unsigned_part(part: Part) -> Part:
    if isinstance(part, TextPart | ReasoningPart):
        return replace(part, signature="")
    if isinstance(part, CallPart):
        call = part.call
        return CallPart(ToolCall(call.name, call.args, call.id, call.bad_args))
    return part


def _level_results(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Results by value; what came with a result stands behind it as media of the same turn."""
    found: list[Turn] = []
    for turn in turns:
        parts: list[Part] = []
        for part in turn.parts:
            parts += _level(part) if isinstance(part, ResultPart) else [part]
        found.append(replace(turn, parts=tuple(parts)))
    return tuple(found)


def _level(part: ResultPart) -> list[Part]:
    value, is_error = unwrap_result(part.value, part.is_error)
    return [replace(part, value=value, is_error=is_error, media=()), *(MediaPart(media) for media in part.media)]


def _alias_media(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    return tuple(replace(turn, parts=tuple(_aliased(part) for part in turn.parts)) for turn in turns)


def _aliased(part: Part) -> Part:
    return replace(part, media=canonical_media(part.media)) if isinstance(part, MediaPart) else part


def _join_text(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    return tuple(replace(turn, parts=_joined(turn.parts)) for turn in join_reasoning(turns))


def _joined(parts: Sequence[Part]) -> tuple[Part, ...]:
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, TextPart) and isinstance(last, TextPart):
            found[-1] = TextPart(last.text + part.text)
        else:
            found.append(part)
    return tuple(found)


def _drop_blank(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """A turn of nothing but blank text may be left out or sent as a space; what then stands together is one."""
    return _merge_roles(tuple(turn for turn in turns if not all(_blank(part) for part in turn.parts)))


def _empty(part: Part) -> bool:
    return (isinstance(part, TextPart) and not part.text) or part == ReasoningPart("")


def _blank(part: Part) -> bool:
    return isinstance(part, TextPart) and not part.text.strip()


def _merge_roles(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Neighbours of one role (and one name) are one turn; empty texts say nothing, and turns of nothing are none."""
    found: list[Turn] = []
    for turn in turns:
        parts = tuple(part for part in turn.parts if not _empty(part))
        last = found[-1] if found else None
        if last is not None and parts and last.role == turn.role and last.name == turn.name:
            found[-1] = replace(last, parts=last.parts + parts)
        elif parts:
            found.append(replace(turn, parts=parts))
    return tuple(found)


def _results_first(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    return tuple(replace(turn, parts=_sorted_results(turn.parts)) for turn in turns)


def _sorted_results(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Results stand before the rest, in the order of their calls."""
    results = [part for part in parts if isinstance(part, ResultPart)]
    others = [part for part in parts if not isinstance(part, ResultPart)]
    return (*sorted(results, key=lambda part: int(part.id) if part.id.isdigit() else 10**9), *others)


def _turns(change: Callable[[Sequence[Turn]], tuple[Turn, ...]]) -> Callable[[Prompt], Prompt]:
    return lambda prompt: replace(prompt, turns=change(prompt.turns))


def _join_system(prompt: Prompt) -> Prompt:
    whole = "".join(prompt.system)
    return replace(prompt, system=(whole,) if whole.strip() else ())


def _tool_choice(prompt: Prompt) -> Prompt:
    tools, choice = usable_tools(prompt.tools, prompt.tool_choice)
    return replace(prompt, tools=tools or None, tool_choice=choice)


def _schemas(prompt: Prompt) -> Prompt:
    tools = prompt.tools and tuple(_plain_tool(tool) for tool in prompt.tools)
    wanted = prompt.response_format
    if wanted is not None and wanted.schema is not None:
        wanted = replace(wanted, schema=normal_schema(wanted.schema))
    return replace(prompt, tools=tools, response_format=wanted)


def _plain_tool(tool: Tool) -> Tool:
    return tool if tool.builtin else replace(tool, schema=normal_schema(tool.schema))


def _effort(prompt: Prompt) -> Prompt:
    found = effort_level(prompt.thinking) or None
    include = True if prompt.thinking is not None and prompt.thinking.include else None
    nothing = found is None and include is None
    return replace(prompt, thinking=None if nothing else Thinking(None, found, include))


def _settings(prompt: Prompt) -> Prompt:
    """Sorted by name; a stop text is a list of one."""
    named = {name: _setting(name, value) for name, value in prompt.settings}
    return replace(prompt, settings=tuple(sorted(named.items())))


def _setting(name: str, value: object) -> object:
    if name == "stop" and isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _defaults(prompt: Prompt) -> Prompt:
    settings = tuple(
        (name, value) for name, value in prompt.settings if value is not None and not _default(name, value)
    )
    tools = prompt.tools and tuple(replace(tool, strict=tool.strict or None) for tool in prompt.tools)
    wanted = prompt.response_format
    if wanted is not None:
        wanted = None if wanted.kind == "text" else replace(wanted, strict=wanted.strict or None)
        wanted = ResponseFormat("json_object") if wanted is not None and wanted.schema is None else wanted
    other = tuple(sorted(prompt.other))
    features = tuple(sorted(prompt.features))
    return replace(prompt, settings=settings, tools=tools, response_format=wanted, other=other, features=features)


def _default(name: str, value: object) -> bool:
    return name in DEFAULTS and value == DEFAULTS[name] and isinstance(value, type(DEFAULTS[name]))


REWRITES: Final[dict[str, Callable[[Prompt], Prompt]]] = {
    "system_join": _join_system,
    "id_bijection": _turns(pair_results),
    "result_wrap": _turns(_level_results),
    "media_bytes": _turns(_alias_media),
    "alias": _settings,
    "role_merge": _turns(_merge_roles),
    "default_fill": lambda prompt: _defaults(_turns(_drop_blank)(prompt)),
    "result_order": _turns(_results_first),
    "adjacent_text": _turns(_join_text),
    "tool_choice_class": _tool_choice,
    "schema_equiv": _schemas,
    "effort_bucket": _effort,
}
"""name -> rewrite, in the order of application."""
