"""Scenario: one behaviour an adapter must keep, as data (scenarios/<topic>/<slug>.json, id == path).

    {
      "id": "usage/thoughts-in-completion",
      "title": "...", "description": "one sentence of behaviour", "why": "what breaks when it is lost",
      "level": "MUST", "basis": {"kind": "documented", "ref": "URL#section or traffic id or client+version",
                                 "date": "...", "duty": "what that demands, in our own words"},
      "sources": [{"ref": "owner/repo#1", "url": "https://..."}], "evidence": ["pydantic-ai/0346"],
      "tags": ["usage", "thinking"], "requires": ["thinking"], "since": "0.1.0",
      "modes": ["unary", "stream"],
      "client":   {"gemini": {"model": "gemini-2.5-flash", "body": {...}}, "openai-chat": {"body": {...}}},
      "upstream": {"gemini": {"unary": [{"body": {...}}], "stream": [{"events": [{...}, {...}]}]}},
      "turns": [{"client": {...}, "upstream": {...}}],
      "expect": {"outcome": {...}, "prompt": {...}, "wire": [{...}]}
    }

``upstream.<dialect>.<mode>`` is a list of scripted answers, one per upstream call in order. An answer has exactly one
of ``body`` (JSON document), ``events`` (list of JSON documents, framed as the dialect frames them: Gemini SSE
``data: {json}`` CRLF CRLF, Chat SSE with ``data: [DONE]`` unless ``done`` is false, Anthropic ``event:`` + ``data:``),
or ``raw`` (list of writes: strings, or ``{"base64": "..."}``). Beside it: ``status`` (200), ``headers``, ``end``
(complete), ``split`` (policy name from codec/rechunk or list of byte offsets: where the writes are cut; absent = one
write per event).

In ``turns`` (turn 2 on) a body may hold ``{"$received": N}`` in its messages or contents list: the assistant message
of turn N (0-based) exactly as the client received it, or with ``"fields": "known"`` beside it only what is documented
of it, as typed clients send it back; and the strings ``"$id:N.K"`` and ``"$name:N.K"``: id and
function name of call K of turn N as received. ``client_models``, at the top, names models of real clients
(``bridgecheck.client_models``; ``"all"``: every one). For each the same conversation is played once more, under the id
with ``@`` and the model's name behind it, as this client goes on with it: the member that holds ``$received`` becomes
what the client remembers of that answer, and the whole history what it sends. ``leaves_after``, beside ``client`` and
in ``turns`` each its own: after so many events of a stream the client goes away, which shows at sdk level only.
``live``: how a provider is brought to show the behaviour, per dialect (``model/live``).
``modes`` lists the client modes; every one needs an answer in at least one upstream dialect.

``expect.outcome`` and ``expect.prompt`` are partial (see ``OutcomeExpectation``); a literal ``wire`` predicate goes
through no normaliser: ``{"on": "upstream_request[0]" | "client_response" | "client_events", "turn": 0, "dialect":
"gemini", "mode": "stream", "path": "contents[0].parts[0].text", <one operator>}``. docs/expectations.md has the paths
and operators. ``dialect`` is that of the document judged; without ``mode`` it holds in both."""

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from bridgecheck.model.exchange import End
from bridgecheck.model.live import Elicitation
from bridgecheck.model.scenario_predicate import WireDocumentPredicate
from bridgecheck.model.verdict import Level
from bridgecheck.wire import Dialect, JsonObject, Mode

BasisKind: TypeAlias = Literal["documented", "recorded", "client-breaks", "convention", "house"]

STRONG_BASES: frozenset[BasisKind] = frozenset({"documented", "recorded", "client-breaks"})
"""The bases a MUST may rest on."""

AUTHORITIES: tuple[str, ...] = (
    "ai.google.dev", "cloud.google.com", "docs.cloud.google.com", "platform.openai.com", "developers.openai.com",
    "docs.anthropic.com", "docs.claude.com", "platform.claude.com", "www.rfc-editor.org", "datatracker.ietf.org",
    "html.spec.whatwg.org", "json-schema.org", "www.unicode.org", "protobuf.dev",
)  # fmt: skip
"""Whose pages make a duty: the APIs' own and standards that they name. A library's page tells what that does."""


def names_an_authority(ref: str) -> bool:
    """Return whether the first address in a reference is one of AUTHORITIES."""
    host = ref.partition("://")[2].partition("/")[0]
    return host in AUTHORITIES


def names_a_section(ref: str) -> bool:
    """Return whether a reference to a page says where on it: an anchor, or a heading or member behind a comma."""
    return "#" in ref or ", " in ref


@dataclass(frozen=True, slots=True)
class Basis:
    """What a rule rests on. ``ref``: URL, traffic id, or client and version.

    ``date`` (ISO): when it was seen, "" for a page that is cited and was not read. Of a documented rule it is the day
    the rule was found in a stored copy of the page or of the definitions the page is made from (googleapis, and the
    reference text within google-genai 3.4.0, openai 3.52.0 and anthropic 2.11.0). ``duty``: what it demands, in our own
    words; every scenario that is a MUST says so here, every rule in ``checks/duties``."""

    kind: BasisKind
    ref: str
    date: str = ""
    duty: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    ref: str
    url: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """The request in one client dialect. ``model`` is empty where the body names it."""

    body: JsonObject
    model: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """One upstream answer. Exactly one of ``body``, ``events``, ``raw`` is not None. ``terminator``: whether a stream
    ends with that of its dialect (the key ``done``). ``split``: "" = one write per event."""

    body: object | None = None
    events: tuple[object, ...] | None = None
    raw: tuple[bytes, ...] | None = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    end: End = "complete"
    terminator: bool = True
    split: str | tuple[int, ...] = ""


Script: TypeAlias = tuple[ScriptedAnswer, ...]


@dataclass(frozen=True, slots=True)
class TurnRequestsAndScripts:
    """One turn: the request per client dialect, the script per upstream dialect and mode. ``leaves_after``: events of
    a streamed answer after which the client goes away, 0: it stays."""

    client: dict[Dialect, ClientRequest]
    upstream: dict[Dialect, dict[Mode, Script]]
    leaves_after: int = 0


@dataclass(frozen=True, slots=True)
class Expectation:
    """``outcome``: keys text, reasoning, tool_calls ([[name, args], ...]), ids_unique, finish, finish_in, finish_not,
    native_finish, usage {..}, choices, refusal, media ([[mime, sha256]]), signatures, error {kind, status,
    retry_after}, code; of choice 0 of the last turn unless ``"turn"`` says otherwise. ``prompt``: keys system, turns
    ([{role, text, calls, results, media}]), tools ([names]), tool_choice, settings {..}. Only the keys given are
    judged."""

    outcome: JsonObject = field(default_factory=dict)
    prompt: JsonObject = field(default_factory=dict)
    wire: tuple[WireDocumentPredicate, ...] = ()


MODEL_MARK: Final = "@"
"""Stands in an id before the client model whose conversation it is."""


def file_id(scenario_id: str) -> str:
    """Return the id of the file in which a scenario stands: the id without a client model."""
    return scenario_id.partition(MODEL_MARK)[0]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario. ``client_models``: for which clients it is played as well; ``client_model``: the one that this is
    played for, "" where the history is what the client received; ``live``: {} where no provider is asked."""

    id: str
    title: str
    description: str
    why: str
    level: Level
    basis: Basis
    modes: tuple[Mode, ...]
    turns: tuple[TurnRequestsAndScripts, ...]
    expect: Expectation
    sources: tuple[Source, ...] = ()
    evidence: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    since: str = "0.1.0"
    may_refuse: tuple[str, ...] = ()
    client_models: tuple[str, ...] = ()
    client_model: str = ""
    live: dict[Dialect, Elicitation] = field(default_factory=dict)

    @property
    def file_id(self) -> str:
        """The id without the client model: that of its file and its recordings."""
        return file_id(self.id)

    @property
    def topic(self) -> str:
        return self.id.split("/", 1)[0]

    @property
    def slug(self) -> str:
        return self.id.split("/", 1)[1]
