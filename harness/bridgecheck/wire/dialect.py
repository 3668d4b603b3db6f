"""The record of a dialect: all that code which serves every dialect knows of one of them, apart from its bodies.

Each stands beside the types of its dialect (``wire.gemini_documents.RECORD``); ``wire.facts.RECORDS`` holds all."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from bridgecheck.wire import Dialect, JsonObject, Mode

Operation: TypeAlias = Literal["generate", "count_tokens", "embed", "models", "other"]


class OperationPattern(NamedTuple):
    """Paths of one operation. ``pattern``: searched in the path without its query; a group ``model`` holds the model
    where the path names one. ``mode``: None where the body names it, and for everything that generates nothing."""

    pattern: re.Pattern[str]
    operation: Operation
    mode: Mode | None = None


@dataclass(frozen=True, slots=True)
class Framing:
    """How a dialect's provider writes documents and streams of them.

    ``indent``: of a document by itself, which ends in a line end then; None: compact, without one. ``after_key``: what
    stands between key and value in an event.
    ``line_end``: of every line. ``event_member``: the member of a document that names its event in an ``event:`` line,
    "" for a dialect without such lines. ``escaped``: characters that are escaped in JSON although JSON allows them.
    ``done_marker``: the data of the marker that ends a whole stream, "" for none. ``last_type``: the ``type`` of the
    document that ends a whole stream, "" where no document does. ``also_array``: a stream may come as a JSON array too.
    """

    indent: int | None = 2
    after_key: str = ":"
    line_end: str = "\n"
    event_member: str = ""
    escaped: str = ""
    done_marker: str = ""
    last_type: str = ""
    also_array: bool = False


@dataclass(frozen=True, slots=True)
class SdkPackage:
    """The official Python SDK. ``extra``: the extra of bridgecheck that installs it, "" if bridgecheck itself does."""

    distribution: str
    module: str
    extra: str = ""


@dataclass(frozen=True, slots=True)
class DialectRecord:
    """The facts of one dialect.

    Names: ``title`` on pages and in messages, ``letter`` in the head of a table.
    Addresses: ``host`` of the provider ("" if no provider speaks the dialect), ``domain`` that its hosts share,
    ``base_path`` of a base URL as the official SDK takes it, ``paths`` of a generating call behind the base URL with
    ``{model}`` to be filled in, ``endpoints`` of all operations (first match wins), ``served_paths`` matches the end of
    each path at which the API generates, version included.
    Headers: ``key_header`` holds the API key behind ``key_prefix``; ``headers`` are sent with every request.
    Requests: ``model_in_path`` instead of in the body; ``stream_members`` of the body belong to a stream only, the
    first one, if true, requests it (none: the path does); ``usage_members`` make a stream count its tokens;
    ``turns_member`` holds the history; ``smallest_request`` is a body without model; ``function_name`` matches names
    that the provider takes for functions; ``example_model`` is used where a scenario names none.
    ``arguments_are_text``: a tool call holds its arguments as JSON in a text, not as an object.
    Responses: ``framing`` of a stream; ``model_member`` of a document names the model; ``shared_members`` have one
    value in all events of a stream; ``token_count_member`` holds the answer to a token count.
    ``recording_labels``: names that lines of recorded traffic have for it.
    ``numbered_enums``: field -> number -> member, for writers that send numbers."""

    name: Dialect
    title: str
    letter: str
    host: str = ""
    domain: str = ""
    base_path: str = ""
    paths: Mapping[Mode, str] = field(default_factory=dict)
    endpoints: tuple[OperationPattern, ...] = ()
    served_paths: re.Pattern[str] = re.compile(r".+")
    key_header: str = ""
    key_prefix: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    model_in_path: bool = False
    stream_members: tuple[str, ...] = ()
    usage_members: JsonObject = field(default_factory=dict)
    turns_member: str = "messages"
    smallest_request: JsonObject = field(default_factory=dict)
    function_name: re.Pattern[str] = re.compile(r".+", re.DOTALL)
    example_model: str = ""
    arguments_are_text: bool = False
    framing: Framing = Framing()
    model_member: str = "model"
    shared_members: tuple[str, ...] = ()
    token_count_member: str = ""
    sdk: SdkPackage | None = None
    recording_labels: tuple[str, ...] = ()
    numbered_enums: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    @property
    def base_url(self) -> str:
        """The provider's own base URL, as the official SDK takes it."""
        return f"https://{self.host}{self.base_path}"

    def body_with_model(self, body: JsonObject, model: str) -> JsonObject:
        """Return a request body that names the model, unless the path does."""
        return dict(body) if self.model_in_path else {"model": model, **body}

    def body_in_mode(self, body: JsonObject, mode: Mode) -> JsonObject:
        """Return the same request body for this mode. A body without ``stream_members`` serves both."""
        if not self.stream_members:
            return body
        if mode == "stream":
            return body | {self.stream_members[0]: True}
        return {name: value for name, value in body.items() if name not in self.stream_members}

    def full_path_template(self, mode: Mode) -> str:
        """Return the path of a generating call at the provider; ``{model}`` is to be filled in."""
        return f"{self.base_path}{self.paths[mode]}"
