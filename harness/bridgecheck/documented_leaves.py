"""Finds every documented leaf of a dialect, as paths walked over its TypedDicts, and tells which paths they are.

    generationConfig.temperature             a key below a key
    contents[].parts[].text                  any member of a list
    messages[assistant].refusal              a member of a list that its tag (``role``, ``type``) identifies
    [content_block_delta].delta(text_delta)  an event of a stream, and an object whose tag identifies it

An object without a TypedDict (JsonObject) is one leaf: what is below it is free. A stream is a list of events.
"""

import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NotRequired, Required, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

from typing_extensions import is_typeddict

from bridgecheck import validate
from bridgecheck.wire import Dialect
from bridgecheck.wire import anthropic_documents as anthropic
from bridgecheck.wire import gemini_documents as gemini
from bridgecheck.wire import openai_chat_documents as openai

Side: TypeAlias = Literal["request", "response", "stream"]
SIDES: Final[tuple[Side, ...]] = ("request", "response", "stream")

Kind: TypeAlias = Literal["text", "integer", "number", "flag", "object", "texts", "objects", "tag"]
"""What a leaf holds. ``tag``: a word that is always the same, or that says which shape an object has."""

Steps: TypeAlias = tuple[str, ...]
"""Keys, ``[]`` or ``[tag]`` for members of lists, ``(tag)`` for an object of this tag."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One documented value. ``steps``: the path to it from the top of the document."""

    dialect: Dialect
    side: Side
    steps: Steps
    kind: Kind

    @property
    def path(self) -> str:
        return leaf_path(self.steps)

    @property
    def key(self) -> str:
        return self.steps[-1]


@dataclass(frozen=True, slots=True)
class Tagged:
    """What a bare object in a TypedDict may be: the key that tells, and the TypedDict of each tag."""

    key: str
    shapes: Mapping[str, type]


SERVER_TAG: Final = "server_tool_use"
"""Stands for every block that only Anthropic's servers write."""
_MESSAGES: Final = Tagged("role", {tag: shape for tag, shape in validate.MESSAGES.items() if tag != "developer"})
_CONTENT: Final = Tagged("type", validate.CONTENT)
_CALLS: Final = Tagged("type", {tag: shape for tag, shape in validate.CALLS.items() if tag})
_TEXT: Final = Tagged("type", {"text": validate.CONTENT["text"]})
_ASSISTANT_CONTENT: Final = Tagged("type", {tag: validate.CONTENT[tag] for tag in ("text", "refusal")})


_ANSWER_TAGS: Final = ("text", "thinking", "redacted_thinking", "tool_use")
_ANSWER_BLOCKS: Final = Tagged(
    "type", {tag: validate.BLOCKS[tag] for tag in _ANSWER_TAGS} | {SERVER_TAG: anthropic.ServerBlock}
)
_REQUEST_SHAPES: Final[dict[str, type]] = {
    **validate.BLOCKS, "text": anthropic.RequestTextBlock, "tool_use": anthropic.RequestToolUseBlock,
    SERVER_TAG: anthropic.ServerBlock,
}  # fmt: skip


def _request_blocks(*tags: str) -> Tagged:
    return Tagged("type", {tag: _REQUEST_SHAPES[tag] for tag in tags})


UNIONS: Final[dict[tuple[type, str], Tagged]] = {
    (openai.ChatRequest, "messages"): _MESSAGES,
    (openai.SystemMessage, "content"): _TEXT,
    (openai.UserMessage, "content"): Tagged("type", {k: v for k, v in validate.CONTENT.items() if k != "refusal"}),
    (openai.AssistantMessage, "content"): _ASSISTANT_CONTENT,
    (openai.AssistantMessage, "tool_calls"): _CALLS,
    (openai.ToolMessage, "content"): _TEXT,
    (openai.Message, "tool_calls"): _CALLS,
    (anthropic.MessagesRequest, "system"): _request_blocks("text"),
    (anthropic.RequestMessage, "content"): _request_blocks(*_REQUEST_SHAPES),
    (anthropic.ToolResultBlock, "content"): _request_blocks("text", "image", "document"),
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


_MEMBERS: Final[Mapping[Dialect, Mapping[str, str]]] = {
    "gemini": {
        "candidates.content.parts.toolcall": "args* id tooltype",
        "candidates.content.parts.toolresponse": "id response* tooltype",
        "candidates.content.parts.videometadata": "contentlayers endoffset fps startoffset",
        "candidates.content.parts.mediaresolution": "level numtokens",
        "candidates.citationmetadata": "citations day endindex license month publicationdate startindex title uri year",
        "candidates.groundingmetadata":
            "authorattribution chunkid confidencescores custommetadata displayname distancemeters documentname domain "
            "duration encodedpolyline endindex fileid filesearchstore firstpage flagcontenturi googlemapsuri "
            "googlemapswidgetcontexttoken googlesearchdynamicretrievalscore groundingchunkindices groundingchunks "
            "groundingsupports image imagesearchqueries imageuri key lastpage maps mediaid numericvalue pagenumber "
            "pagespan partindex photouri placeanswersources placeid ragchunk relativepublishtimedescription "
            "renderedcontent renderedparts retrievalmetadata retrievalqueries retrievedcontext review reviewid "
            "reviewsnippet reviewsnippets route sdkblob searchentrypoint segment sourceflagginguris sourceid sourceuri "
            "startindex stringlistvalue stringvalue text title uri values web websearchqueries",
        "candidates.urlcontextmetadata": "retrievedurl urlmetadata urlretrievalstatus",
        "candidates.logprobsresult":
            "candidates chosencandidates logprobability logprobabilitysum token tokenid topcandidates",
        "modelstatus": "message modelstage retirementtime",
    },
    "openai-chat": {
        "choices.message.annotations": "endindex startindex title type url urlcitation",
        "choices.logprobs": "bytes content logprob refusal token toplogprobs",
        "moderation":
            "categories* categoryappliedinputtypes* categoryscores* code flagged input message model output results "
            "type",
    },
    "anthropic": {
        "content.citations":
            "citedtext documentindex documenttitle encryptedindex endblockindex endcharindex endpagenumber fileid "
            "searchresultindex source startblockindex startcharindex startpagenumber title type url",
        "content.caller": "toolid type",
        "content.content":
            "citations citedtext content data documentindex documenttitle enabled encryptedcontent encryptedindex "
            "encryptedstdout endblockindex endcharindex endpagenumber errorcode errormessage fileid filetype "
            "isfileupdate lines mediatype newlines newstart numlines oldlines oldstart pageage retrievedat returncode "
            "searchresultindex source startblockindex startcharindex startline startpagenumber stderr stdout "
            "stopreason text title toolname toolreferences totallines type url",
        "content.from": "model",
        "content.to": "model",
        "content.trigger": "category type",
        "stopdetails": "category explanation fallbackcredittoken fallbackhasprefillclaim recommendedmodel type",
        "container": "expiresat id skillid skills type version",
        "contextmanagement": "appliededits clearedinputtokens clearedthinkingturns clearedtooluses type",
        "usage.cachecreation": "ephemeral1hinputtokens ephemeral5minputtokens",
        "usage.servertooluse": "webfetchrequests websearchrequests",
        "usage.outputtokensdetails": "thinkingtokens",
        "usage.iterations":
            "cachecreation cachecreationinputtokens cachereadinputtokens ephemeral1hinputtokens ephemeral5minputtokens "
            "inputtokens model outputtokens type",
    },
}  # fmt: skip
"""What the types of google-genai 3.4.0, openai 3.52.0 and anthropic 2.11.0 (beta) name, as ``path_keys`` spells it;
below a member with ``*`` everything is free. A test derives it from the SDKs."""

MEMBERS_BELOW: Final[Mapping[Dialect, Mapping[str, frozenset[str]]]] = {
    dialect: {path: frozenset(names.split()) for path, names in rows.items()} for dialect, rows in _MEMBERS.items()
}
"""Dialect -> path of an object without a TypedDict in a response -> the members anywhere below it."""


def find_leaves(dialect: Dialect, side: Side) -> tuple[Leaf, ...]:
    """Return all leaves in the order of the TypedDicts, each once."""
    top: Steps = ("[]",) if side == "stream" else ()
    found = [leaf for shape in _TOPS[dialect, side] for leaf in _shape_leaves(shape, top)]
    if (dialect, side) == ("anthropic", "stream"):
        found += _member_leaves(EVENTS, (), ())
    return tuple(dict.fromkeys(Leaf(dialect, side, steps, kind) for steps, kind in found))


def leaf_path(steps: Steps) -> str:
    """Return ``contents[].parts[].text`` and the like."""
    made = "".join(step if step[0] in "[(" else f".{step}" for step in steps)
    return made.removeprefix(".")


@lru_cache(maxsize=4096)
def is_documented(dialect: Dialect, side: Literal["request", "response"], path: str) -> bool:
    """Return whether a path of a leaf in ``other`` is one that the dialect documents: one of its leaves, an object that
    leaves are in, or anything below an object without members of its own (arguments, metadata, schemas) that
    ``MEMBERS_BELOW`` allows. The documents of ``outcome`` have no free members: all of them are documented."""
    if dialect == "outcome":
        return True
    keys, known = path_keys(path), _documented_keys(dialect, side)
    free = (end for end in range(1, len(keys)) if known.get(keys[:end]) in ("object", "objects"))
    return keys in known or any(_is_member_below(dialect, side, keys[:end], keys[end:]) for end in free)


def _is_member_below(dialect: Dialect, side: Side, at: tuple[str, ...], below: tuple[str, ...]) -> bool:
    """Return whether all keys below an object without a TypedDict are members that its SDK's type has; where the SDK
    has none, all are."""
    members = MEMBERS_BELOW.get(dialect, {}).get(".".join(at)) if side == "response" else None
    if members is None:
        return True
    for key in below:
        if f"{key}*" in members:
            return True
        if key not in members:
            return False
    return True


def drop_undocumented_members(dialect: Dialect, value: object) -> object:
    """Return JSON out of an object without a TypedDict without the members that no such object of the dialect has."""
    if isinstance(value, list):
        return [drop_undocumented_members(dialect, item) for item in value]
    if not isinstance(value, dict):
        return value
    known = frozenset[str]().union(*MEMBERS_BELOW.get(dialect, {}).values())
    return {key: drop_undocumented_members(dialect, item) for key, item in value.items() if {*path_keys(key)} <= known}


def is_documented_tag(dialect: Dialect, side: Literal["request", "response"], path: str) -> bool:
    """Return whether a path, with or without ``other:``, is a tag: it says which shape an object has, no more."""
    return _documented_keys(dialect, side).get(path_keys(path.removeprefix("other:"))) == "tag"


def is_documented_part(dialect: Dialect, kind: str) -> bool:
    """Return whether the dialect documents content of this kind: a ``type``, or the key of a part of Gemini."""
    types = {*validate.BLOCKS, *get_args(anthropic.ServerBlockType)}
    kinds = {"gemini": gemini.Part.__annotations__, "openai-chat": {*validate.CONTENT, "audio"}, "anthropic": types}
    return dialect not in kinds or kind in kinds[dialect]


@lru_cache(maxsize=8)
def _documented_keys(dialect: Dialect, side: Literal["request", "response"]) -> dict[tuple[str, ...], Kind | None]:
    """Return the keys of every leaf with its kind, and of every object on the way to one with None. Of a stream only
    what stands at the top of an event: the rest is folded into what an answer has."""
    leaves = [(path_keys(leaf.path), leaf.kind) for leaf in find_leaves(dialect, side)]
    if side == "response":
        in_events = [(path_keys(leaf.path), leaf.kind) for leaf in find_leaves(dialect, "stream")]
        leaves += [(keys, kind) for keys, kind in in_events if len(keys) == 1]
    known: dict[tuple[str, ...], Kind | None] = {}
    for keys, kind in leaves:
        known.update({keys[:end]: None for end in range(1, len(keys)) if keys[:end] not in known})
        known[keys] = kind if known.get(keys) not in ("object", "objects") else known[keys]
    return known


@lru_cache(maxsize=4096)
def path_keys(path: str) -> tuple[str, ...]:
    """Return the keys of a path in lower case, without list indices, tags and underscores."""
    bare = re.sub(r"\[[^\]]*\]|\([^)]*\)", "", path)
    return tuple(key.replace("_", "").lower() for key in re.split(r"[.:]", bare) if key)


Found: TypeAlias = Iterator[tuple[Steps, Kind]]


def _shape_leaves(shape: type, at: Steps) -> Found:
    for key, hint in get_type_hints(shape, include_extras=False).items():
        yield from _value_leaves(shape, key, hint, (*at, key))


def _value_leaves(shape: type, key: str, hint: object, at: Steps) -> Found:
    """Yield the leaves of one value of a TypedDict; of a union every member that may hold something."""
    origin = get_origin(hint)
    if origin in (Required, NotRequired):
        yield from _value_leaves(shape, key, get_args(hint)[0], at)
    elif origin in (Union, types.UnionType):
        for member in _drop_null_and_enum_number(get_args(hint)):
            yield from _value_leaves(shape, key, member, at)
    elif origin is Literal:
        yield at, "text" if len(get_args(hint)) > 1 else "tag"
    elif origin is list:
        yield from _list_leaves(shape, key, get_args(hint)[0], at)
    elif is_typeddict(hint):
        yield from _shape_leaves(cast(type, hint), at)
    elif origin is dict:
        yield from _object_leaves(UNIONS.get((shape, key)), at)
    else:
        yield at, _KINDS[hint]


def _drop_null_and_enum_number(members: tuple[object, ...]) -> list[object]:
    """Return the members without null, and without the number that stands for an enum's name: where text is allowed,
    text is written."""
    kinds = [member for member in members if member is not type(None)]
    return [member for member in kinds if not (member is int and str in kinds)]


def _list_leaves(shape: type, key: str, item: object, at: Steps) -> Found:
    tagged = UNIONS.get((shape, key))
    if tagged is not None:
        yield from _member_leaves(tagged, at, ("[]",))
    elif is_typeddict(item):
        yield from _shape_leaves(cast(type, item), (*at, "[]"))
    else:
        yield at, "texts" if item is str else "objects"


def _object_leaves(tagged: Tagged | None, at: Steps) -> Found:
    if tagged is None:
        yield at, "object"
        return
    for tag, shape in tagged.shapes.items():
        yield from _shape_leaves(shape, (*at, f"({tag})"))


def _member_leaves(tagged: Tagged, at: Steps, wildcard: Steps) -> Found:
    """Yield the leaves of a list of tagged objects. The tag itself is one leaf for all of them."""
    if wildcard:
        yield (*at, *wildcard, tagged.key), "tag"
    for tag, shape in tagged.shapes.items():
        member = (*at, f"[{tag}]")
        yield from ((steps, kind) for steps, kind in _shape_leaves(shape, member) if steps != (*member, tagged.key))
