"""Every documented leaf of a dialect, as paths walked over its TypedDicts.

    generationConfig.temperature             a key below a key
    contents[].parts[].text                  any member of a list
    messages[assistant].refusal              a member of a list that its tag (``role``, ``type``) tells apart
    [content_block_delta].delta(text_delta)  an event of a stream, and an object whose tag says what it is

An object without a TypedDict (JsonObject) is one leaf. A stream is a list of events.
"""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NotRequired, Required, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

from typing_extensions import is_typeddict

from bridgecheck import validate
from bridgecheck.ledger.further import FURTHER
from bridgecheck.ledger.kinds import Kind, Side, Steps
from bridgecheck.wire import Dialect, gemini
from bridgecheck.wire import anthropic_messages as anthropic
from bridgecheck.wire import openai_chat as openai


@dataclass(frozen=True, slots=True)
class Leaf:
    """``steps``: the way to it from the top of the document."""

    dialect: Dialect
    side: Side
    steps: Steps
    kind: Kind

    @property
    def path(self) -> str:
        return path(self.steps)

    @property
    def key(self) -> str:
        """The last key."""
        return self.steps[-1]


@dataclass(frozen=True, slots=True)
class Tagged:
    """What a bare object in a TypedDict may be: the key that tells, and the TypedDict of each tag."""

    key: str
    shapes: Mapping[str, type]


_MESSAGES: Final = Tagged("role", {tag: shape for tag, shape in validate.MESSAGES.items() if tag != "developer"})
_CONTENT: Final = Tagged("type", validate.CONTENT)
_CALLS: Final = Tagged("type", {tag: shape for tag, shape in validate.CALLS.items() if tag})
_TEXT: Final = Tagged("type", {"text": validate.CONTENT["text"]})
_SPOKEN: Final = Tagged("type", {tag: validate.CONTENT[tag] for tag in ("text", "refusal")})


def _blocks(*tags: str) -> Tagged:
    return Tagged("type", {tag: validate.BLOCKS[tag] for tag in tags})


_ANSWER_BLOCKS: Final = _blocks("text", "thinking", "redacted_thinking", "tool_use")

UNIONS: Final[dict[tuple[type, str], Tagged]] = {
    (openai.ChatRequest, "messages"): _MESSAGES,
    (openai.SystemMessage, "content"): _TEXT,
    (openai.UserMessage, "content"): Tagged("type", {k: v for k, v in validate.CONTENT.items() if k != "refusal"}),
    (openai.AssistantMessage, "content"): _SPOKEN,
    (openai.AssistantMessage, "tool_calls"): _CALLS,
    (openai.ToolMessage, "content"): _TEXT,
    (openai.Message, "tool_calls"): _CALLS,
    (anthropic.MessagesRequest, "system"): _blocks("text"),
    (anthropic.RequestMessage, "content"): Tagged("type", validate.BLOCKS),
    (anthropic.ToolResultBlock, "content"): _blocks("text", "image", "document"),
    (anthropic.Message, "content"): _ANSWER_BLOCKS,
    (anthropic.ContentBlockStart, "content_block"): _ANSWER_BLOCKS,
    (anthropic.ContentBlockDelta, "delta"): Tagged("type", validate.DELTAS),
}
"""(TypedDict, key) -> what the objects there are. Where the dialect's answers hold fewer kinds than its requests, only
those."""

EVENTS: Final = Tagged("type", validate.EVENTS)

_TOPS: Final[dict[tuple[Dialect, Side], tuple[type, ...]]] = {
    ("gemini", "request"): (gemini.GenerateContentRequest,),
    ("gemini", "response"): (gemini.GenerateContentResponse, gemini.ErrorDocument),
    ("gemini", "stream"): (gemini.GenerateContentResponse,),
    ("openai-chat", "request"): (openai.ChatRequest,),
    ("openai-chat", "response"): (openai.ChatCompletion, openai.ErrorDocument),
    ("openai-chat", "stream"): (openai.ChatCompletionChunk,),
    ("anthropic", "request"): (anthropic.MessagesRequest,),
    ("anthropic", "response"): (anthropic.Message, anthropic.ErrorDocument),
    ("anthropic", "stream"): (),
}
"""The documents of each side. Anthropic's events are a union, see ``EVENTS``."""

_KINDS: Final[dict[object, Kind]] = {str: "text", int: "integer", float: "number", bool: "flag"}


def leaves(dialect: Dialect, side: Side) -> tuple[Leaf, ...]:
    """All of them, in the order of the TypedDicts, each once; then those of ``further``."""
    top: Steps = ("[]",) if side == "stream" else ()
    found = [one for shape in _TOPS[dialect, side] for one in _shape(shape, top)]
    if (dialect, side) == ("anthropic", "stream"):
        found += _members(EVENTS, (), ())
    found += FURTHER.get((dialect, side), {}).items()
    return tuple(dict.fromkeys(Leaf(dialect, side, steps, kind) for steps, kind in found))


def path(steps: Steps) -> str:
    """``contents[].parts[].text``"""
    made = "".join(step if step[0] in "[(" else f".{step}" for step in steps)
    return made.removeprefix(".")


Found: TypeAlias = Iterator[tuple[Steps, Kind]]


def _shape(shape: type, at: Steps) -> Found:
    for key, hint in get_type_hints(shape, include_extras=False).items():
        yield from _value(shape, key, hint, (*at, key))


def _value(shape: type, key: str, hint: object, at: Steps) -> Found:
    """One value of a TypedDict; of a union every member that may hold something."""
    origin = get_origin(hint)
    if origin in (Required, NotRequired):
        yield from _value(shape, key, get_args(hint)[0], at)
    elif origin in (Union, types.UnionType):
        for member in _distinct(get_args(hint)):
            yield from _value(shape, key, member, at)
    elif origin is Literal:
        yield at, "text"
    elif origin is list:
        yield from _list(shape, key, get_args(hint)[0], at)
    elif is_typeddict(hint):
        yield from _shape(cast(type, hint), at)
    elif origin is dict:
        yield from _object(UNIONS.get((shape, key)), at)
    else:
        yield at, _KINDS[hint]


def _distinct(members: tuple[object, ...]) -> list[object]:
    """Without null, and without the number that stands for a word: where text is allowed, text is what is written."""
    said = [member for member in members if member is not type(None)]
    return [member for member in said if not (member is int and str in said)]


def _list(shape: type, key: str, item: object, at: Steps) -> Found:
    tagged = UNIONS.get((shape, key))
    if tagged is not None:
        yield from _members(tagged, at, ("[]",))
    elif is_typeddict(item):
        yield from _shape(cast(type, item), (*at, "[]"))
    else:
        yield at, "texts" if item is str else "objects"


def _object(tagged: Tagged | None, at: Steps) -> Found:
    if tagged is None:
        yield at, "object"
        return
    for tag, shape in tagged.shapes.items():
        yield from _shape(shape, (*at, f"({tag})"))


def _members(tagged: Tagged, at: Steps, any_member: Steps) -> Found:
    """Members of a list of tagged objects. The tag itself is one leaf for all of them."""
    if any_member:
        yield (*at, *any_member, tagged.key), "text"
    for tag, shape in tagged.shapes.items():
        yield from (
            one for one in _shape(shape, (*at, f"[{tag}]")) if one[0][-1] != tagged.key or one[0][-2] != f"[{tag}]"
        )
