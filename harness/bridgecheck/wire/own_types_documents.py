"""The documents of the client dialect ``outcome``: what a library with types of its own receives, and what it returns.

No provider speaks it. A shim turns the request document into the library's own objects, and what the library gives back
into an answer document or, of a stream, into events. The tables below are all there is: the reader
(``normalise.outcome``), the JSON schemas and docs/outcome.md are made from them. Objects are closed: a member that no
table names is a mistake. null stands for absent, everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bridgecheck.wire.dialect import DialectRecord

RECORD: Final = DialectRecord(
    name="outcome", title="own types", letter="T", turns_member="turns", shared_members=("id", "model")
)
"""T: types of the library's own."""

VERSION: Final = 1
"""Of these documents. A member may be added to requests without a new one; anything else makes a new one."""

FINISHES: Final = (
    "stop", "tool_calls", "length", "content_filter", "malformed_call", "pause", "incomplete", "error", "other",
)  # fmt: skip
ERRORS: Final = (
    "auth", "permission", "not_found", "invalid", "too_large", "rate_limit", "overloaded", "server", "timeout",
    "truncated", "content", "unknown",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Member:
    """``type``: ``text``, ``integer``, ``number``, ``flag``, ``object`` (any JSON object), ``any`` (any JSON value),
    the name of one of ``OBJECTS``, or one of these in brackets: a list. ``values``: the only texts it may be, () for
    any. ``absent``: what its absence, or an empty list or text, says."""

    name: str
    type: str
    meaning: str
    absent: str = ""
    required: bool = False
    values: tuple[str, ...] = ()


_KEEP: Final = Member(
    "keep", "any", "whatever the library wants back with its next request: its own message object, provider details",
    "nothing",
)  # fmt: skip
_SIGNATURE: Final = Member("signature", "text", "the provider's opaque signature of this part", "not signed")


def _part_members(*more: Member, call_type: str = "tool_call") -> tuple[Member, ...]:
    return (
        Member("text", "text", "visible text; empty beside a signature: the signed end of an answer"),
        Member("reasoning", "text", "the model's reasoning, in words"),
        Member("redacted", "text", "reasoning as opaque data, which has to come back as it is"),
        Member("tool_call", call_type, "the model calls a function"), *more,
        Member("media", "media", "an image, sound, video or file"),
        Member("code", "code", "code that the provider ran itself, or its output"), _SIGNATURE, _KEEP,
    )  # fmt: skip


_CHOICE: Final = (
    Member("refusal", "text", "the words in which the model refused, where the library keeps them apart", "none"),
    Member("citations", "[any]", "what the answer cites, one value each, in the library's own form", "none"),
    Member("finish", "text",
           "why it ended. `stop`: it was complete, beside calls `tool_calls` or `stop`; `length`: the limit of tokens; "
           "`incomplete`: it broke off",
           "by `finish_native`, else the same as `incomplete`", values=FINISHES),
    Member("finish_native", "text",
           "the provider's own word for it, where the library keeps it; alone where the library has no class for it",
           "not kept"),
)  # fmt: skip
_ANSWER: Final = (
    Member("usage", "usage", "token counts", "none were given"),
    Member("error", "error", "what went wrong; beside parts: after those had been delivered", "nothing"),
    Member("model", "text", "the model that answered", "unspecified"),
    Member("id", "text", "the provider's id of the answer", "unspecified"),
)  # fmt: skip
_ID: Final = Member("id", "text", "pairs a call with its result", "the provider gave none")

OBJECTS: Final[Mapping[str, tuple[Member, ...]]] = {
    "request": (
        Member("version", "integer", "of these documents, 1", required=True),
        Member("model", "text", "the model to ask, as the provider names it", required=True),
        Member("system", "[text]", "the system instruction, piece by piece, in order", "none"),
        Member("turns", "[turn]", "the conversation so far, oldest first", required=True),
        Member("tools", "[tool]", "the functions that the model may call; empty: explicitly none", "unspecified"),
        Member("tool_choice", "tool_choice", "whether and what it has to call", "unspecified"),
        Member("settings", "settings", "how it is to answer", "the provider's own defaults"),
        Member("thinking", "thinking", "how much it is to think", "the provider's own default"),
        Member("response_format", "response_format", "the form of the answer", "text"),
    ),
    "turn": (
        Member("role", "text", "who speaks; results of calls stand in the user's turns; `system`: in mid-conversation",
               required=True, values=("user", "assistant", "system")),
        Member("parts", "[request_part]", "the content, in order", required=True),
        Member("name", "text", "the participant's name", "none"),
        Member("keep", "any", "the `keep` of the answer that this turn is, unchanged", "it had none"),
    ),
    "request_part": _part_members(
        Member("tool_result", "tool_result", "what a function gave back"),
        Member("detail", "object", "beside media: its file name, fidelity and the like, as the client's API has it",
               "nothing"),
    ),
    "answer_part": _part_members(),
    "event_part": _part_members(call_type="call_piece"),
    "tool_call": (
        _ID,
        Member("name", "text", "the function", required=True),
        Member("args", "object", "its arguments", "none, if there is no `args_text` either"),
        Member("args_text", "text", "in place of `args`: the arguments as JSON text, or what the model wrote instead"),
    ),
    "call_piece": (
        Member("index", "integer", "counts the calls of one answer; pieces with one index are one call: `args_text` is "
               "put together, anything else is stated once", "a whole call"),
        _ID,
        Member("name", "text", "the function; required in a whole call and in the first piece of one",
               "stated by an earlier piece"),
        Member("args", "object", "its arguments", "none, if there is no `args_text` either"),
        Member("args_text", "text", "in place of `args`: the arguments as JSON text, or the next piece of it"),
    ),
    "tool_result": (
        Member("id", "text", "of the call", "the provider gave the call none"),
        Member("name", "text", "the function that was called", "no call has this id"),
        Member("value", "any", "what it gave back: text or a JSON object", required=True),
        Member("media", "[media]", "what came with it", "nothing"),
        Member("is_error", "flag", "whether it failed", "unspecified"),
        Member("cited", "[text]", "texts of search results that it holds", "none"),
    ),
    "media": (
        Member("mime", "text", "MIME type in lower case; `image/*` where only the kind is known, empty: unknown",
               required=True),
        Member("data", "text", "the bytes in base64; either this or `uri`"),
        Member("uri", "text", "the address, or the provider's id of the file"),
    ),
    "code": (
        Member("kind", "text", "the code, or its output", required=True, values=("executable", "result")),
        Member("text", "text", "its text", required=True),
    ),
    "tool": (
        Member("name", "text", "the function", required=True),
        Member("description", "text", "what it does", "none"),
        Member("parameters", "object", "JSON Schema of its arguments", "none was given"),
        Member("strict", "flag", "whether arguments have to obey the schema", "unspecified"),
    ),
    "tool_choice": (
        Member("mode", "text", "`named`: the one of `names`; `allowed`: any of `names`; `validated`: as Gemini's",
               "unspecified: auto", values=("auto", "none", "required", "named", "allowed", "validated")),
        Member("names", "[text]", "functions", "all"),
        Member("parallel", "flag", "whether several may be called at once", "unspecified"),
    ),
    "settings": (
        *(Member(name, "number", name.replace("_", " "), "unspecified; 0 is a value")
          for name in ("temperature", "top_p", "presence_penalty", "frequency_penalty")),
        Member("top_k", "integer", "top k", "unspecified"),
        Member("max_tokens", "integer", "the most tokens to answer with", "unspecified"),
        Member("stop", "[text]", "texts at which the answer ends", "none"),
        Member("seed", "integer", "seed of the sampler", "unspecified"),
        Member("n", "integer", "how many answers", "1"),
        Member("user", "text", "an id of the end user", "none"),
        Member("modalities", "[text]", "text, image, audio: what the answer may consist of", "text"),
    ),
    "thinking": (
        Member("budget", "integer", "tokens; 0: off, -1: as many as the model likes", "unspecified"),
        Member("level", "text", "minimal, low, medium, high or another word of the client's API", "unspecified"),
        Member("include", "flag", "whether reasoning is wanted in the answer", "unspecified"),
    ),
    "response_format": (
        Member("kind", "text", "the form", required=True, values=("text", "json_object", "json_schema")),
        Member("schema", "object", "of json_schema: the JSON Schema of the answer", "none"),
        Member("name", "text", "of the schema", "none"),
        Member("strict", "flag", "whether the answer has to obey it", "unspecified"),
    ),
    "answer": (
        Member("parts", "[answer_part]", "the content, in order", "nothing"),
        *_CHOICE,
        *_ANSWER,
        _KEEP,
        Member("choices", "[choice]", "several answers (`n`): each with what above stands for one", "one answer"),
    ),
    "choice": (
        Member("index", "integer", "its number, from 0", "its place in the list"),
        Member("parts", "[answer_part]", "the content, in order", "nothing"),
        *_CHOICE,
        _KEEP,
    ),
    "event": (
        Member("parts", "[event_part]", "what came next; neighbouring texts join with nothing between", "nothing"),
        *_CHOICE,
        *_ANSWER,
        _KEEP,
        Member("choice", "integer", "the answer it belongs to, where there are several (`n`)", "0"),
    ),
    "usage": (
        Member("prompt", "integer", "tokens read, with those from a cache and those written to one", "not reported"),
        Member("completion", "integer", "tokens written, with those of reasoning", "not reported"),
        Member("total", "integer", "the sum, where the library gives one", "not reported"),
        Member("cached", "integer", "of prompt: read from a cache", "not reported"),
        Member("cache_write", "integer", "of prompt: written to a cache", "not reported"),
        Member("reasoning", "integer", "of completion: reasoning", "not reported"),
        Member("tool_prompt", "integer", "prompt tokens of built-in tools, beside prompt", "not reported"),
    ),
    "error": (
        Member("kind", "text", "what kind of failure the library lets its caller see", "by `status`, else unknown",
               values=ERRORS),
        Member("message", "text", "the text of the error", "none"),
        Member("status", "integer", "HTTP status", "unspecified"),
        Member("native", "text", "the provider's own word for it", "not kept"),
        Member("retry_after", "number", "seconds to wait", "no hint"),
    ),
}  # fmt: skip
"""name of an object -> its members."""

PART_KINDS: Final = ("text", "reasoning", "redacted", "tool_call", "tool_result", "media", "code")

EXACTLY_ONE: Final[Mapping[str, tuple[str, ...]]] = {
    "request_part": PART_KINDS, "answer_part": tuple(kind for kind in PART_KINDS if kind != "tool_result"),
    "event_part": tuple(kind for kind in PART_KINDS if kind != "tool_result"), "media": ("data", "uri"),
}  # fmt: skip
"""object -> members of which it has exactly one."""

NOT_BOTH: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "tool_call": (("args", "args_text"),), "call_piece": (("args", "args_text"),),
    "answer": tuple(("choices", member.name) for member in (*_CHOICE, _KEEP, Member("parts", "", ""))),
}  # fmt: skip
"""object -> pairs of members that exclude each other."""
