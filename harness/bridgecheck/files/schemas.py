"""The closed schemas of scenario files, requirement sets and ``[[finding]]`` tables: an unknown key is a mistake, and
so is every rule that one file can break alone. ``make schema`` writes the JSON schemas of the first two.

``model/scenario``, ``model/selection`` and ``model/published_finding`` describe the shapes; these classes only check
them. What they let through is turned into those without a second check.
"""

import re
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.exchange import End
from bridgecheck.model.literals import OPERATORS, WIDER_OPERATORS, parse_path
from bridgecheck.model.live import FAMILIES
from bridgecheck.model.outcome import ErrorKind, FinishClass
from bridgecheck.model.published_finding import FindingStatus, Provoked
from bridgecheck.model.scenario import STRONG_BASES, BasisKind, names_a_section, names_an_authority
from bridgecheck.model.verdict import Level
from bridgecheck.wire import JsonObject, Mode, WireDialect

Id: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$")]
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Document: TypeAlias = dict[str, object]
"""Wire documents and values are not checked here: they may be wrong on purpose, down to lone surrogates."""

TagName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([-_.][a-z0-9]+)*$")]
Date: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Version: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]


def _check_capability(name: str) -> str:
    if name not in CAPABILITIES:
        raise ValueError(f"no such capability; known: {', '.join(CAPABILITIES)}")
    return name


Capability: TypeAlias = Annotated[str, AfterValidator(_check_capability)]


def _check_client_model(name: str) -> str:
    if name not in CLIENT_MODELS:
        raise ValueError(f"no such client model; known: {', '.join(CLIENT_MODELS)}")
    return name


ClientModelName: TypeAlias = Annotated[str, AfterValidator(_check_client_model)]


def _check_family(name: str) -> str:
    if name and name not in FAMILIES:
        raise ValueError(f"no such family of models; known: {', '.join(FAMILIES)}")
    return name


FamilyName: TypeAlias = Annotated[str, AfterValidator(_check_family)]


def _check_regex(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as wrong:
        raise ValueError(f"no regular expression: {wrong}") from wrong
    return pattern


Regex: TypeAlias = Annotated[str, AfterValidator(_check_regex)]


class Closed(BaseModel):
    """No keys but those named. The own check runs first because it can list the known ones."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys_listing_known(cls, data: object) -> object:
        keys = {field.alias or name for name, field in cls.model_fields.items()}
        for key in data if isinstance(data, dict) else ():
            if key not in keys:
                known = ", ".join(sorted(keys))
                raise PydanticCustomError("unknown_key", "one of the keys {known}", {"key": str(key), "known": known})
        return data


class BasisFile(Closed):
    kind: BasisKind
    ref: Text
    date: Date | Literal[""] = ""
    duty: str = ""


class CitedSource(Closed):
    ref: Text
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
    terminator: Annotated[bool, Field(alias="done")] = True
    split: str | list[int] = ""

    @model_validator(mode="after")
    def _check_one_of_body_events_raw(self) -> "AnswerFile":
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


class ExpectedUsageFile(Closed):
    prompt: int | None = None
    completion: int | None = None
    total: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    tool_prompt: int | None = None


class ExpectedErrorFile(Closed):
    kind: ErrorKind | list[ErrorKind] | None = None
    status: int | list[int] | None = None
    retry_after: Literal[True] | float | int | None = None


class ExpectedOutcomeFile(Closed):
    """Partial: only the keys present are judged."""

    turn: int = 0
    text: str | list[str] | None = None
    reasoning: str | list[str] | None = None
    tool_calls: list[Annotated[list[object], Field(min_length=2, max_length=2)]] | None = None
    ids_unique: bool | None = None
    finish: FinishClass | None = None
    finish_in: list[FinishClass] | None = None
    finish_not: FinishClass | list[FinishClass] | None = None
    native_finish: str | None = None
    usage: ExpectedUsageFile | None = None
    choices: int | list[Document] | None = None
    refusal: str | None = None
    media: list[Annotated[list[str], Field(min_length=2, max_length=2)]] | None = None
    signatures: list[Annotated[list[str], Field(min_length=2, max_length=2)]] | None = None
    error: ExpectedErrorFile | None = None
    code: list[Annotated[list[str], Field(min_length=2, max_length=2)]] | None = None


class ExpectedPromptTurnFile(Closed):
    role: Literal["user", "assistant", "system"] | None = None
    text: str | list[str] | None = None
    calls: list[object] | None = None
    results: list[object] | None = None
    media: list[object] | None = None


class ExpectedPromptFile(Closed):
    """Partial: only the keys present are judged."""

    turn: int = 0
    system: str | list[str] | None = None
    turns: list[ExpectedPromptTurnFile] | None = None
    tools: list[str] | None = None
    tool_choice: str | Document | None = None
    settings: Document | None = None


Location: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^(upstream_request\[\d+\]|client_response|client_events)$")
]


class PairFile(Closed):
    """A call in a request and its result, each part as ``holds`` takes it."""

    name: str
    arguments: object = None
    result: object = None


class InstancesFile(Closed):
    accepts: Annotated[list[object], Field(min_length=1)]
    rejects: Annotated[list[object], Field(min_length=1)]


class PredicateFile(Closed):
    """A literal expectation: a location, and exactly one operator."""

    on: Location
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
    distinct: Literal[True] | None = None
    text: str | Document | None = None
    holds: object = None
    paired: Annotated[list[PairFile], Field(min_length=1)] | None = None
    instances: InstancesFile | None = None
    any_of: Annotated[list[Document], Field(min_length=2)] | None = None
    refused_or: Document | None = None
    bind: str | None = None

    @model_validator(mode="after")
    def _check_one_operator(self) -> "PredicateFile":
        known = {*OPERATORS, *WIDER_OPERATORS}
        if len(self.model_fields_set & known) != 1:
            raise ValueError(f"exactly one operator of {', '.join((*OPERATORS, *WIDER_OPERATORS))}")
        for alternative in (*(self.any_of or ()), self.refused_or or {"present": True}):
            parse_path(str(alternative.get("path", "")))
            if not alternative.keys() - {"path"} or alternative.keys() - (known | {"path"}) or "bind" in alternative:
                raise ValueError(f"an alternative has operators and perhaps a path, not {', '.join(alternative)}")
        parse_path(self.path)
        return self


class ExpectFile(Closed):
    outcome: ExpectedOutcomeFile | None = None
    prompt: ExpectedPromptFile | None = None
    wire: list[PredicateFile] = []


class LiveFile(Closed):
    """How the provider of a dialect is brought to show the behaviour, and what shows that it did."""

    family: FamilyName = ""
    prompt: str = ""
    settings: Document = {}
    first: Document | None = None
    shows: Annotated[list[PredicateFile], Field(min_length=1)]


class ScenarioFile(Closed):
    id: Id
    title: Text
    description: Text
    why: Text
    level: Level
    basis: BasisFile
    sources: list[CitedSource] = []
    evidence: list[str] = []
    tags: list[TagName] = []
    requires: list[Capability] = []
    since: Version
    may_refuse: list[str] = []
    modes: Annotated[list[Mode], Field(min_length=1)]
    client: ClientsFile
    upstream: UpstreamFile
    leaves_after: LeavesAfter = 0
    turns: list[TurnFile] = []
    client_models: list[ClientModelName] | Literal["all"] = []
    expect: ExpectFile
    live: dict[WireDialect, LiveFile] = {}

    @model_validator(mode="after")
    def _check_must_is_backed_and_modes_answered(self) -> "ScenarioFile":
        if self.level == "MUST" and self.basis.kind not in STRONG_BASES:
            raise ValueError(f"a MUST rests on one of {', '.join(sorted(STRONG_BASES))}, not on {self.basis.kind}")
        if self.level == "MUST" and self.basis.kind == "documented" and not names_an_authority(self.basis.ref):
            raise ValueError(f"a MUST rests on the API's own documentation or a standard, not on {self.basis.ref}")
        if self.level == "MUST" and self.basis.kind == "documented" and not names_a_section(self.basis.ref):
            raise ValueError(f"a MUST names the section that makes it a duty, {self.basis.ref} is a whole page")
        if self.level == "MUST" and not self.basis.duty.strip():
            raise ValueError(
                "a MUST says in basis.duty what its source demands; where that says nothing it is a SHOULD"
            )
        if self.level == "MUST" and not self.expect.wire:
            raise ValueError("a MUST has at least one literal expectation in expect.wire")
        for mode in self.modes:
            if not any(mode in answers for answers in self.upstream.values()):
                raise ValueError(f"the mode {mode} is listed, but no upstream dialect has an answer in it")
        return self


SetId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\d{4}\.\d+$")]
CheckId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)+$")]
Digest: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class WithdrawnFile(Closed):
    scenario: Text
    check: Text
    reason: Text
    link: Text
    date: Date


class RequirementFile(Closed):
    id: SetId
    frozen: Date
    checks: Annotated[dict[CheckId, Annotated[int, Field(ge=1)]], Field(min_length=1)]
    scenarios: Annotated[dict[Id, Digest], Field(min_length=1)]
    digest: Digest
    withdrawn: list[WithdrawnFile] = Field(default=[])


Slug: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Fingerprint: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{10}$")]
CaseAddress: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[^\s:]+::bridged-\S+$")]


def _check_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or "." not in (parts.hostname or "") or len(text.split()) != 1:
        raise ValueError(f"no URL: {text!r}")
    return text


Url: TypeAlias = Annotated[str, AfterValidator(_check_url)]


class FindingFile(Closed):
    id: Slug
    title: Text
    fingerprints: Annotated[list[Fingerprint], Field(min_length=1)]
    case: CaseAddress
    why: Text
    provoked_by: Provoked
    provoked_source: Text
    witness: Text
    documentation: Text
    status: FindingStatus
    tracker: Url = ""
    answer: Text = ""

    @model_validator(mode="after")
    def _check_source_url_and_status(self) -> "FindingFile":
        if self.provoked_by == "documented":
            _check_url(self.provoked_source.split()[0])
        if self.status == "disputed" and not self.answer:
            expected = "the maintainers' answer, which stands beside what is disputed"
            raise PydanticCustomError("no_answer", expected, {"write": 'answer = "the maintainers\' words"'})
        if self.status in ("confirmed", "fixed") and not (self.answer or self.tracker):
            keys = 'tracker = "https://...", the thread, or answer = "the maintainers\' words"'
            raise PydanticCustomError(
                "no_answer", "a tracker or an answer that says {status}", {"status": self.status, "write": keys}
            )
        return self


def scenario_schema() -> JsonObject:
    """Return the JSON Schema (2020-12) of a scenario file, derived from the classes that check the files. It cannot
    express the few rules that tie several keys together; ``bridgecheck lint`` checks those too."""
    return _with_title("bridgecheck scenario", ScenarioFile.model_json_schema(by_alias=True))


def requirement_schema() -> JsonObject:
    """Return the JSON Schema of a requirement set."""
    return _with_title("bridgecheck requirement set", RequirementFile.model_json_schema(by_alias=True))


def _with_title(title: str, generated: JsonObject) -> JsonObject:
    head: JsonObject = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return head | {key: value for key, value in generated.items() if key != "title"}
