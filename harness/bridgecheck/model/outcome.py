"""Outcome: the normal form of a response, the union of what the three dialects can express.

A normaliser never drops: a leaf that has no place here goes to ``other`` with its path and canonical JSON. Nothing is
promoted or repaired (STOP beside calls stays ``stop``): that would hide the very bugs this project looks for."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bridgecheck.wire import Dialect, JsonObject

FinishClass: TypeAlias = Literal[
    "stop", "tool_calls", "length", "content_filter", "malformed_call", "pause", "incomplete", "error", "other"
]
"""``incomplete``: the answer ended without a finish reason. ``pause``: the model wants to go on (Anthropic)."""

ErrorKind: TypeAlias = Literal[
    "auth", "permission", "not_found", "invalid", "too_large", "rate_limit", "overloaded", "server", "timeout",
    "truncated", "content", "unknown",
]  # fmt: skip
"""``unknown``: neither a status nor any word says which."""

Channel: TypeAlias = Literal["text", "reasoning", "call", "media", "code", "refusal"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call. ``args``: the decoded arguments (absent, null, "" and {} are all {}); ``bad_args``: the raw text when
    it is no JSON object, else None. ``id`` "" if the upstream gave none. ``signature`` "" if unsigned."""

    name: str
    args: JsonObject = field(default_factory=dict)
    id: str = ""
    bad_args: str | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Media:
    """One image, sound, video or file: by the sha256 of its decoded bytes (hex), or by ``uri``. ``mime`` in lower case;
    ``image/*`` where the dialect names the kind only, "" where it names none."""

    mime: str
    sha256: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True)
class Finish:
    """``native``: the provider's own word, "" if none was given. ``kind``: its class, never promoted."""

    native: str
    kind: FinishClass


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts; None where the document gave none.

    ``prompt`` includes cached input and cache writes; ``completion`` includes reasoning. Gemini: prompt as given
    (tool-use prompt apart in ``tool_prompt``), completion = candidates + thoughts. Anthropic: prompt = input +
    cache_read + cache_creation, no total. xAI: completion += reasoning iff total == prompt + completion +
    reasoning. In a stream: per field the last non-null value."""

    prompt: int | None = None
    completion: int | None = None
    total: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    tool_prompt: int | None = None


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An error document or event. ``status``: HTTP status, or the code in the event, None if neither.
    ``retry_after``: seconds from Retry-After or RetryInfo, None if no hint."""

    kind: ErrorKind
    message: str = ""
    status: int | None = None
    native: str = ""
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One candidate.

    ``text`` and ``reasoning`` are segments: adjacent parts of one channel join with nothing; any other part between
    them opens a new segment; empty segments are left out. ``order``: (channel, position in that channel) in arrival
    order, one entry per segment, call, media or code item. ``signatures``: (where, value), where is
    ``text:<segment>``, ``reasoning:<segment>``, ``media:<n>``, ``code:<n>``, ``redacted:<n>`` (opaque reasoning data
    that has to come back) or ``tail`` (an empty last text part that carries one); signatures of calls stand in the
    call. ``code``: (kind, text) with kind ``executable`` (Gemini executableCode) or ``result``. ``citations``:
    canonical JSON of each. ``refusal`` "" if none."""

    index: int = 0
    text: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    media: tuple[Media, ...] = ()
    code: tuple[tuple[str, str], ...] = ()
    citations: tuple[str, ...] = ()
    refusal: str = ""
    finish: Finish = Finish("", "incomplete")
    signatures: tuple[tuple[str, str], ...] = ()
    order: tuple[tuple[Channel, int], ...] = ()

    @property
    def joined_text(self) -> str:
        """All segments as one string: what a dialect with a single content string can hold."""
        return "".join(self.text)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One response, normalised. ``other``: (path with list indices as ``[]``, canonical JSON) of every leaf not
    placed elsewhere, sorted by path; leaves of one path in document order. null is absent. Of a stream: per path the
    last value, and the paths are those of the unary document it folds to. ``notes``: names of normal-form rules that
    changed something (counted in the report). An answer blocked before any candidate (Gemini promptFeedback) is one
    choice with finish content_filter and the native block reason."""

    dialect: Dialect
    choices: tuple[Choice, ...] = ()
    usage: Usage | None = None
    error: ErrorInfo | None = None
    model: str = ""
    response_id: str = ""
    other: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> Choice:
        """Choice 0, or an empty incomplete one where there is none."""
        return self.choices[0] if self.choices else Choice()
