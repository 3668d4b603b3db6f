"""The edge between clients and their providers: answers each request by a recording, by its provider, or by a refusal.

record  every request goes to its provider and is recorded
new     what is recorded is replayed, everything else goes to its provider and is recorded
replay  what is recorded is replayed, everything else is a miss: HTTP 599
live    every request goes to its provider; nothing is written
"""

import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias

from bridgecheck.cassette.match_by_key import RETRYABLE, operation_key
from bridgecheck.cassette.prepare import restore_ids
from bridgecheck.cassette.redact import mask_keys_and_project_ids, mask_request
from bridgecheck.codec.body import decompress_body_if_possible, header_value
from bridgecheck.model.exchange import End, HttpRequest
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.record.assembly import recorded_interaction, reply_of
from bridgecheck.record.canonical import CanonicalRequest, canonical_request
from bridgecheck.record.exchange_log import REFUSED_KEY, ExchangeLog, JournalFile, NoLog
from bridgecheck.record.folder import Claim, Session
from bridgecheck.record.grouping import ConversationGrouper, ConversationKey, Turn
from bridgecheck.record.journal import read_journal
from bridgecheck.record.live_exchange import REFUSED, LiveExchange
from bridgecheck.record.naming import name_conversation
from bridgecheck.record.provider_connection import Unreachable
from bridgecheck.record.providers import BadName, Provider, find_provider, split_conversation_name
from bridgecheck.record.recordings import Recording, Recordings
from bridgecheck.record.writer import CassetteWriter
from bridgecheck.upstream.listener import Reply, Sendable, error_response
from bridgecheck.upstream.wire_response import apply_content_encoding, response_from_recording
from bridgecheck.wire import JsonObject
from bridgecheck.wire.facts import endpoint

RecordMode: TypeAlias = Literal["record", "replay", "new", "live"]
REPLAYING: Final[frozenset[RecordMode]] = frozenset({"replay", "new"})
RECORDING: Final[frozenset[RecordMode]] = frozenset({"record", "new"})

_SDK_HEADER: Final = "user-agent"
_PRODUCT: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*(?:/[A-Za-z]+)?[ /]v?[0-9][A-Za-z0-9.+-]*")
_HARD_WIRED: Final = "clients with hard-wired hosts cannot be recorded here; import a HAR file instead"


@dataclass(slots=True)
class EdgeCounts:
    """What the edge did and what went wrong, for the summary. ``misses``, ``refused``: of requests, in words;
    ``problems``: what could not be recorded -> why; ``failed``: conversations whose last answer is a failure of the
    provider, with it, and ``broken``: whose last answer broke off."""

    replayed: int = 0
    passed: int = 0
    recorded: int = 0
    misses: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)
    failed: dict[ConversationKey, str] = field(default_factory=dict)
    broken: dict[ConversationKey, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EdgeSettings:
    """``seconds``: how long a provider may say nothing; ``pace``: a factor on recorded times, 0: at once; ``record``:
    the command that records what is missed."""

    mode: RecordMode
    providers: Sequence[Provider]
    tls: ssl.SSLContext
    seconds: float = 600
    pace: float = 0
    record: str = ""


class TrafficEdge:
    """``answer`` gives a listener what a request gets. ``session`` and ``writer``: None where nothing is recorded."""

    def __init__(
        self,
        settings: EdgeSettings,
        recordings: Recordings,
        session: Session | None = None,
        writer: CassetteWriter | None = None,
    ) -> None:
        self.counts = EdgeCounts()
        self.is_stopping = False
        self.recordings = recordings
        self.settings = settings
        self._session = session
        self._writer = writer
        self._replayed_names: set[str] = {recording.conversation.name for recording in recordings.unplayed}
        self._claims: dict[ConversationKey, Claim] = {}
        self._grouper = ConversationGrouper(self._name_new_conversation)

    def answer(self, request: HttpRequest, raw: bytes) -> Sendable:
        """Return what a request gets."""
        if request.method == "CONNECT" or not request.path.startswith("/"):
            return self._refuse(request, f"this is the address of a provider and no proxy: {_HARD_WIRED}")
        if header_value(request.headers, "upgrade"):
            return self._refuse(request, "WebSockets are not recorded; import a HAR file instead")
        try:
            name, request = split_conversation_name(request)
        except BadName as error:
            return self._refuse(request, str(error))
        provider = find_provider(self.settings.providers, request)
        if provider is None:
            served = ", ".join(provider.dialect for provider in self.settings.providers)
            return self._refuse(
                request, f"its path is of no dialect that is served ({served}); add --serve DIALECT=URL"
            )
        return self._answer_for(provider, request, name)

    def _answer_for(self, provider: Provider, request: HttpRequest, name: str) -> Sendable:
        outgoing = provider.outgoing_request(request)
        looked_up = mask_request(_decompress_body(outgoing))
        canonical = canonical_request(looked_up, self.recordings.volatile)
        if self.settings.mode in REPLAYING:
            recording = self.recordings.take(canonical, name)
            if recording is not None:
                return self._replay(recording, request)
            if self.settings.mode == "replay":
                return self._miss(canonical, provider, name)
        self.counts.passed += 1
        if self.settings.mode == "live":
            return self._pass_on(provider, request, NoLog(partial(self._note_live_end, provider)))
        return self._record(provider, request, looked_up, canonical, name)

    def _replay(self, recording: Recording, request: HttpRequest) -> Sendable:
        self.counts.replayed += 1
        interaction = restore_ids(recording.interaction, self.recordings.pairs(recording.conversation))
        if self.settings.mode == "new":
            turn = self._grouper.place_in(recording.conversation, recording.request)
            self._grouper.finish(turn, _is_failure(interaction.status, interaction.end), lambda: reply_of(interaction))
        response = response_from_recording(interaction, self.settings.pace)
        return Reply(apply_content_encoding(response, request))

    def _miss(self, request: CanonicalRequest, provider: Provider, name: str) -> Sendable:
        why = self.recordings.describe_miss(request, name)
        of_conversation = f" of conversation {name}" if name else ""
        message = (
            f"no recording{of_conversation} answers {request.address} ({provider.dialect}): {why}; "
            f"record it: {self.settings.record}"
        )
        self.counts.misses.append(message)
        return Reply(error_response(REFUSED, message))

    def _refuse(self, request: HttpRequest, why: str) -> Sendable:
        path = mask_keys_and_project_ids(request.path).partition("?")[0]
        message = f"{request.method} {path} is refused: {why}"
        self.counts.refused.append(message)
        return Reply(error_response(REFUSED, message))

    def _pass_on(self, provider: Provider, request: HttpRequest, log: ExchangeLog) -> LiveExchange:
        settings = self.settings
        return LiveExchange(
            provider, request, settings.tls, settings.seconds, log, lambda: self.is_stopping, self._note_unreachable
        )

    def _record(
        self, provider: Provider, request: HttpRequest, prepared: HttpRequest, canonical: CanonicalRequest, name: str
    ) -> Sendable:
        turn = self._grouper.place(canonical, provider.dialect, name)
        claim = self._claim(turn.conversation)
        if claim is None:
            why = "another recorder writes its cassette; give the conversation another name"
            self.counts.problems[f"conversation {turn.conversation.name} is not recorded"] = why
            return self._pass_on(provider, request, NoLog(partial(self._note_live_end, provider)))
        path = claim.new_journal()

        def note_end(status: int, end: End | None, why: str, is_whole: bool) -> None:
            is_failure = end is None or _is_failure(status, end)
            self._grouper.finish(turn, is_failure, lambda: _read_reply(path))
            self._note_end(provider, turn, claim, status, end, why, is_whole)

        def note_problem(error: OSError) -> None:
            where = f"an exchange of conversation {turn.conversation.name} is not recorded"
            self.counts.problems[where] = f"{path}: {error.strerror or error}; free some space and record again"

        facts = _facts(provider, request, canonical, turn.attempt)
        if known := self.recordings.pairs(turn.conversation).recorded_of:
            facts["stand_ins"] = {**known}
        log = JournalFile(path, prepared, provider.origin, facts, note_end, note_problem)
        return self._pass_on(provider, request, log)

    def _claim(self, key: ConversationKey) -> Claim | None:
        if self._session is not None and key not in self._claims:
            claim = self._session.claim(key)
            if claim is not None:
                self._claims[key] = claim
        return self._claims.get(key)

    def _name_new_conversation(self, request: CanonicalRequest, dialect: str) -> str:
        """Return the name of what the request asks; with a number where that is taken, here or by another recorder."""
        provider_dialect = next(row.dialect for row in self.settings.providers if row.dialect == dialect)
        base = name_conversation(request, provider_dialect)
        number = 1
        while True:
            name = base if number == 1 else f"{base}-{number}"
            key = ConversationKey(name, provider_dialect)
            if key not in self._claims and name not in self._replayed_names and self._claim(key) is not None:
                return name
            number += 1

    def _note_end(
        self, provider: Provider, turn: Turn, claim: Claim, status: int, end: End | None, why: str, is_whole: bool
    ) -> None:
        key = turn.conversation
        self.counts.failed.pop(key, None)
        self.counts.broken.pop(key, None)
        if end is None or status in REFUSED_KEY or _is_failure(status, "complete"):
            self.counts.failed[key] = _describe_failure(provider, status, end, why)
        elif end in ("cut", "reset", "timeout"):
            self.counts.broken[key] = f"the answer of {provider.url} broke off ({end}): {why}"
        if is_whole and self._writer is not None:
            self.counts.recorded += 1
            self._writer.schedule(claim)

    def _note_live_end(self, provider: Provider, status: int, end: End | None, why: str) -> None:
        if status in REFUSED_KEY:
            self.counts.problems[f"{provider.url} refused the key"] = f"HTTP {status}"

    def _note_unreachable(self, error: Unreachable) -> None:
        self.counts.problems[str(error)] = error.next_step


def _decompress_body(request: HttpRequest) -> HttpRequest:
    body = decompress_body_if_possible(request.body, request.headers)
    return HttpRequest(request.method, request.path, request.headers, body)


def _facts(provider: Provider, request: HttpRequest, canonical: CanonicalRequest, attempt: int) -> JsonObject:
    key, found = operation_key(request), endpoint(request.path)
    version = header_value(request.headers, "anthropic-version") or request.path.strip("/").partition("/")[0]
    return {
        "attempt": attempt, "mode": key.mode if key and found and found.operation == "generate" else "",
        "recorded_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "endpoint": provider.url,
        "api_version": version, "model": text(obj(canonical.document).get("model")) or (found.model if found else ""),
        "sdk": _sdk_of(header_value(request.headers, _SDK_HEADER)),
    }  # fmt: skip


def _sdk_of(user_agent: str) -> str:
    """Return the product and version that a client begins its user agent with, "" for another form."""
    product = _PRODUCT.match(user_agent)
    return product[0] if product else ""


def _is_failure(status: int, end: End) -> bool:
    """Whether clients send the same request again after such an answer."""
    return status in RETRYABLE or status >= 500 or end != "complete"


def _describe_failure(provider: Provider, status: int, end: End | None, why: str) -> str:
    if status in REFUSED_KEY:
        return f"{provider.url} refused the key: HTTP {status}; check it, and that it may use this model"
    if end is None:
        return f"{provider.url} did not answer: {why}"
    return f"{provider.url} answered HTTP {status}, and no further attempt succeeded; record again later"


def _read_reply(path: Path) -> tuple[str, ...]:
    exchange = read_journal(path.read_bytes()) if path.is_file() else None
    return reply_of(recorded_interaction(exchange)) if exchange is not None else ()
