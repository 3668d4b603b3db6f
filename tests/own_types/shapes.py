"""The types of a library of its own: what its callers write and read. They are no wire format's."""

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass
class Text:
    words: str
    seal: str = ""


@dataclass
class Thought:
    words: str
    seal: str = ""


@dataclass
class Sealed:
    """A thought that only its provider can read."""

    data: str


@dataclass
class Call:
    """``raw``: the arguments as they came, where they are no object."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    seal: str = ""
    raw: str | None = None


@dataclass
class CallPiece:
    number: int
    id: str = ""
    name: str = ""
    arguments: str = ""
    seal: str = ""


@dataclass
class Picture:
    """``data``: base64, or ``address``."""

    mime: str
    data: str = ""
    address: str = ""
    hints: dict[str, Any] = field(default_factory=dict)
    seal: str = ""


@dataclass
class Ran:
    """Code that the provider ran, or its output."""

    kind: Literal["executable", "result"]
    text: str


@dataclass
class Returned:
    call: str
    name: str
    value: Any
    pictures: list[Picture] = field(default_factory=list)
    failed: bool | None = None
    quotes: list[str] = field(default_factory=list)


Piece = Text | Thought | Sealed | Call | CallPiece | Picture | Ran | Returned


@dataclass
class Message:
    """``details``: what the provider said about it that the library keeps and gives back."""

    author: Literal["user", "assistant", "system"]
    pieces: list[Piece]
    nick: str = ""
    details: Any = None


@dataclass
class Function:
    name: str
    what: str = ""
    schema: dict[str, Any] | None = None
    strict: bool | None = None


@dataclass
class Shape:
    kind: str
    schema: dict[str, Any] | None = None
    name: str = ""
    strict: bool | None = None


@dataclass
class Question:
    model: str
    briefing: list[str]
    messages: list[Message]
    functions: list[Function] | None = None
    must: str = ""
    choose: list[str] = field(default_factory=list)
    at_once: bool | None = None
    knobs: dict[str, Any] = field(default_factory=dict)
    think: dict[str, Any] = field(default_factory=dict)
    shape: Shape | None = None


@dataclass
class Cost:
    read: int | None = None
    written: int | None = None
    whole: int | None = None
    from_cache: int | None = None
    to_cache: int | None = None
    thinking: int | None = None


@dataclass
class Trouble:
    what: str
    status: int | None = None
    word: str = ""
    wait: float | None = None


@dataclass
class Reply:
    """One answer, or a part of one as it streams in. ``why``: the provider's reason to stop, "" as long as it goes
    on."""

    pieces: list[Piece] = field(default_factory=list)
    refused: str = ""
    sources: list[Any] = field(default_factory=list)
    why: str = ""
    number: int = 0
    details: Any = None


@dataclass
class Replies:
    """What one request gave."""

    replies: list[Reply] = field(default_factory=list)
    cost: Cost | None = None
    trouble: Trouble | None = None
    model: str = ""
    id: str = ""
