"""The closed schema of a scenario file: an unknown key is a mistake, and every rule that one file can break alone.

The shape is told in ``model/scenario``; these classes only check it. What they let through, ``scenario_file`` turns
into a ``Scenario`` without looking again.
"""

import re
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from bridgecheck.model.capability import CAPABILITIES
from bridgecheck.model.exchange import End
from bridgecheck.model.outcome import ErrorKind, FinishClass
from bridgecheck.model.scenario import STRONG_BASES, BasisKind
from bridgecheck.model.verdict import Level
from bridgecheck.wire import Mode, WireDialect

Id: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$")]
Said: TypeAlias = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Document: TypeAlias = dict[str, object]
"""Wire documents and values are not looked into here: they may be wrong on purpose, down to lone surrogates."""

Word: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([-_.][a-z0-9]+)*$")]
Date: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Version: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]


def _known_capability(name: str) -> str:
    if name not in CAPABILITIES:
        raise ValueError(f"no such capability; known: {', '.join(CAPABILITIES)}")
    return name


Capability: TypeAlias = Annotated[str, AfterValidator(_known_capability)]


def _regex(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as wrong:
        raise ValueError(f"no regular expression: {wrong}") from wrong
    return pattern


Regex: TypeAlias = Annotated[str, AfterValidator(_regex)]


class Closed(BaseModel):
    """No keys but those named. The own check runs first because it can say which ones there are."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: object) -> object:
        for key in data if isinstance(data, dict) else ():
            if key not in cls.model_fields:
                known = ", ".join(sorted(cls.model_fields))
                raise PydanticCustomError("unknown_key", "one of the keys {known}", {"key": str(key), "known": known})
        return data


class BasisFile(Closed):
    kind: BasisKind
    ref: Said
    date: Date | Literal[""] = ""


class SourceFile(Closed):
    ref: Said
    url: str = ""
    note: str = ""


class ClientFile(Closed):
    body: Document
    model: str = ""
    headers: dict[str, str] = {}


class Base64File(Closed):
    base64: str


class AnswerFile(Closed):
    """One scripted upstream answer: exactly one of ``body``, ``events``, ``raw``."""

    body: object = None
    events: list[object] | None = None
    raw: list[str | Base64File] | None = None
    status: Annotated[int, Field(ge=100, le=599)] = 200
    headers: dict[str, str] = {}
    end: End = "complete"
    done: bool = True
    split: str | list[int] = ""

    @model_validator(mode="after")
    def _one_kind(self) -> "AnswerFile":
        if len(self.model_fields_set & {"body", "events", "raw"}) != 1:
            raise ValueError("exactly one of body, events and raw")
        return self


Answers: TypeAlias = Annotated[list[AnswerFile], Field(min_length=1)]
UpstreamFile: TypeAlias = Annotated[
    dict[WireDialect, Annotated[dict[Mode, Answers], Field(min_length=1)]], Field(min_length=1)
]
ClientsFile: TypeAlias = Annotated[dict[WireDialect, ClientFile], Field(min_length=1)]


LeavesAfter: TypeAlias = Annotated[int, Field(ge=0)]


class TurnFile(Closed):
    client: ClientsFile
    upstream: UpstreamFile
    leaves_after: LeavesAfter = 0


class UsageFile(Closed):
    prompt: int | None = None
    completion: int | None = None
    total: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    tool_prompt: int | None = None


class ErrorFile(Closed):
    kind: ErrorKind | list[ErrorKind] | None = None
    status: int | list[int] | None = None
    retry_after: Literal[True] | float | int | None = None


class OutcomeFile(Closed):
    """Partial: only the keys given are judged."""

    turn: int = 0
    text: str | list[str] | None = None
    reasoning: str | list[str] | None = None
    tool_calls: list[Annotated[list[object], Field(min_length=2, max_length=2)]] | None = None
    ids_unique: bool | None = None
    finish: FinishClass | None = None
    finish_in: list[FinishClass] | None = None
    finish_not: FinishClass | list[FinishClass] | None = None
    native_finish: str | None = None
    usage: UsageFile | None = None
    choices: int | list[Document] | None = None
    refusal: str | None = None
    media: list[Annotated[list[str], Field(min_length=2, max_length=2)]] | None = None
    signatures: list[Annotated[list[str], Field(min_length=2, max_length=2)]] | None = None
    error: ErrorFile | None = None
    code: list[Annotated[list[str], Field(min_length=2, max_length=2)]] | None = None


class PromptTurnFile(Closed):
    role: Literal["user", "assistant", "system"] | None = None
    text: str | list[str] | None = None
    calls: list[object] | None = None
    results: list[object] | None = None
    media: list[object] | None = None


class PromptFile(Closed):
    """Partial: only the keys given are judged."""

    turn: int = 0
    system: str | list[str] | None = None
    turns: list[PromptTurnFile] | None = None
    tools: list[str] | None = None
    tool_choice: str | Document | None = None
    settings: Document | None = None


OPERATORS = (
    "equals", "one_of", "none_of", "absent", "present", "count", "contains", "matches", "each", "last", "unordered",
    "bind",
)  # fmt: skip
Place: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^(upstream_request\[\d+\]|client_response|client_events)$")
]


class PredicateFile(Closed):
    """A literal expectation: where, and exactly one operator."""

    on: Place
    path: str
    turn: int = 0
    dialect: WireDialect | None = None
    mode: Mode | None = None
    equals: object = None
    one_of: list[object] | None = None
    none_of: list[object] | None = None
    absent: Literal[True] | None = None
    present: Literal[True] | None = None
    count: int | None = None
    contains: object = None
    matches: Regex | None = None
    each: Document | None = None
    last: Document | None = None
    unordered: list[object] | None = None
    bind: str | None = None

    @model_validator(mode="after")
    def _one_operator(self) -> "PredicateFile":
        if len(self.model_fields_set & set(OPERATORS)) != 1:
            raise ValueError(f"exactly one operator of {', '.join(OPERATORS)}")
        return self


class ExpectFile(Closed):
    outcome: OutcomeFile | None = None
    prompt: PromptFile | None = None
    wire: list[PredicateFile] = []


class ScenarioFile(Closed):
    id: Id
    title: Said
    description: Said
    why: Said
    level: Level
    basis: BasisFile
    sources: list[SourceFile] = []
    evidence: list[str] = []
    tags: list[Word] = []
    requires: list[Capability] = []
    since: Version
    may_refuse: list[str] = []
    modes: Annotated[list[Mode], Field(min_length=1)]
    client: ClientsFile
    upstream: UpstreamFile
    leaves_after: LeavesAfter = 0
    turns: list[TurnFile] = []
    expect: ExpectFile

    @model_validator(mode="after")
    def _supported(self) -> "ScenarioFile":
        if self.level == "MUST" and self.basis.kind not in STRONG_BASES:
            raise ValueError(f"a MUST rests on one of {', '.join(sorted(STRONG_BASES))}, not on {self.basis.kind}")
        if self.level == "MUST" and not self.expect.wire:
            raise ValueError("a MUST has at least one literal expectation in expect.wire")
        for mode in self.modes:
            if not any(mode in answers for answers in self.upstream.values()):
                raise ValueError(f"the mode {mode} is listed, but no upstream dialect has an answer in it")
        return self
