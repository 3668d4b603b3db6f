"""Prompt: the normal form of a request, the union of what the three dialects can express.

As with Outcome nothing is dropped (``other``) and nothing is judged here: equivalences (system joining, id bijection,
result wrapping, ...) are named rewrites in ``compare/rewrites``."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.wire import Dialect, JsonObject

Role: TypeAlias = Literal["user", "assistant", "system"]
"""Tool results stand in user turns. ``system`` only for a system message in mid-conversation."""

ChoiceMode: TypeAlias = Literal["absent", "auto", "none", "required", "named", "allowed", "validated"]


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """Reasoning replayed in history. ``redacted``: opaque data in place of text (Anthropic), "" if none."""

    text: str
    signature: str = ""
    redacted: str = ""


@dataclass(frozen=True, slots=True)
class MediaPart:
    """``detail``: fidelity hints (image detail, media resolution, video metadata) as canonical JSON, "" if none."""

    media: Media
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CallPart:
    call: ToolCall


@dataclass(frozen=True, slots=True)
class ResultPart:
    """The result of a call. ``id`` is the call's id, "" if the dialect gave none; ``name`` the function's, "" if not
    stated. ``value``: the result as sent: a JSON object (Gemini's response) or a string (text content); ``media``: what
    came with it; ``is_error``: None where it cannot be expressed; ``cited``: texts of search results (Anthropic);
    ``texts``: the separate texts that ``value`` joins, () if it is one."""

    id: str
    name: str
    value: object
    media: tuple[Media, ...] = ()
    is_error: bool | None = None
    cited: tuple[str, ...] = ()
    texts: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class OtherPart:
    """A part the normal form has no type for (server tools, executable code, ...): its kind and canonical JSON."""

    kind: str
    value: str


Part: TypeAlias = TextPart | ReasoningPart | MediaPart | CallPart | ResultPart | OtherPart


@dataclass(frozen=True, slots=True)
class Turn:
    """``name``: the participant's name (OpenAI ``name``), "" if none."""

    role: Role
    parts: tuple[Part, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function with its JSON Schema as sent (None: no parameters given), or a built-in tool (``builtin`` is its
    canonical JSON, name its key)."""

    name: str
    description: str = ""
    schema: JsonObject | None = None
    builtin: str = ""
    strict: bool | None = None


@dataclass(frozen=True, slots=True)
class ToolChoice:
    mode: ChoiceMode = "absent"
    names: tuple[str, ...] = ()
    parallel: bool | None = None


@dataclass(frozen=True, slots=True)
class Thinking:
    """What the client requested of the model's thinking. ``budget``: tokens (0 off, -1 dynamic); ``level``: lower-case
    word; ``include``: whether thoughts should be returned. None = not stated."""

    budget: int | None = None
    level: str | None = None
    include: bool | None = None


@dataclass(frozen=True, slots=True)
class ResponseFormat:
    """``kind``: text, json_object or json_schema."""

    kind: Literal["text", "json_object", "json_schema"] = "text"
    schema: JsonObject | None = None
    name: str = ""
    strict: bool | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request, normalised.

    ``settings``: name -> value with OpenAI's names where it has one (temperature, top_p, top_k, max_tokens, stop
    (tuple), seed, n, presence_penalty, frequency_penalty, logprobs, top_logprobs, user, ...); null counts as absent,
    explicit 0 does not. ``tools`` None: the key was absent; (): it was there and empty. ``features``: beta and
    organisation headers."""

    dialect: Dialect
    model: str = ""
    system: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    tools: tuple[Tool, ...] | None = None
    tool_choice: ToolChoice = ToolChoice()
    settings: tuple[tuple[str, object], ...] = ()
    thinking: Thinking | None = None
    response_format: ResponseFormat | None = None
    features: tuple[str, ...] = ()
    other: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = field(default=())
