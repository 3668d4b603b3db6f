"""The types of the example library: what its callers write and read. None of them belongs to a wire format."""

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass
class Text:
    text: str
    signature: str = ""


@dataclass
class Thought:
    text: str
    signature: str = ""


@dataclass
class EncryptedThought:
    """A thought that only its provider can decrypt."""

    data: str


@dataclass
class Call:
    """A tool call. ``raw``: the text of the arguments, where it is not a JSON object."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    signature: str = ""
    raw: str | None = None


@dataclass
class CallDelta:
    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""
    signature: str = ""


@dataclass
class Media:
    """An image, sound, video or file. ``data``: base64; "" where ``uri`` refers to it."""

    mime: str
    data: str = ""
    uri: str = ""
    detail: dict[str, Any] = field(default_factory=dict)
    signature: str = ""


@dataclass
class CodePart:
    """Code that the provider ran, or its output."""

    kind: Literal["executable", "result"]
    text: str


@dataclass
class ToolResult:
    call_id: str
    name: str
    value: Any
    media: list[Media] = field(default_factory=list)
    is_error: bool | None = None
    cited: list[str] = field(default_factory=list)


Piece = Text | Thought | EncryptedThought | Call | CallDelta | Media | CodePart | ToolResult


@dataclass
class Message:
    """A turn. ``details``: data of the provider that the library stores and sends back."""

    role: Literal["user", "assistant", "system"]
    pieces: list[Piece]
    name: str = ""
    details: Any = None


@dataclass
class Function:
    name: str
    description: str = ""
    schema: dict[str, Any] | None = None
    strict: bool | None = None


@dataclass
class ResponseFormat:
    kind: str
    schema: dict[str, Any] | None = None
    name: str = ""
    strict: bool | None = None


@dataclass
class Prompt:
    model: str
    system: list[str]
    messages: list[Message]
    functions: list[Function] | None = None
    choice_mode: str = ""
    choice_names: list[str] = field(default_factory=list)
    parallel: bool | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    thinking: dict[str, Any] = field(default_factory=dict)
    response_format: ResponseFormat | None = None


@dataclass
class Usage:
    prompt: int | None = None
    completion: int | None = None
    total: int | None = None
    from_cache: int | None = None
    to_cache: int | None = None
    reasoning: int | None = None


@dataclass
class Failure:
    message: str
    status: int | None = None
    code: str = ""
    retry_after: float | None = None


@dataclass
class Reply:
    """One answer, or a part of a streamed one. ``stop_reason``: the provider's own, "" while the answer goes on."""

    pieces: list[Piece] = field(default_factory=list)
    refusal: str = ""
    citations: list[Any] = field(default_factory=list)
    stop_reason: str = ""
    index: int = 0
    details: Any = None


@dataclass
class Replies:
    """The answers to one request."""

    replies: list[Reply] = field(default_factory=list)
    usage: Usage | None = None
    error: Failure | None = None
    model: str = ""
    id: str = ""
