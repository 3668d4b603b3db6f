"""What a cassette answers to the requests of one case, and the record of these requests."""

from contextlib import suppress
from threading import Lock
from typing import Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, urlsplit

from bridgecheck import normalise
from bridgecheck.cassette import derive, side_traffic
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction, decode_recorded_request
from bridgecheck.cassette.match_by_key import InteractionIndex, OperationKey, operation_key
from bridgecheck.codec.body import decompress_body_if_possible, encode_document
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.evidence import NO_SUCH_PATH, UNMODELLED
from bridgecheck.model.exchange import Headers, HttpRequest, Interaction
from bridgecheck.model.jsonvalue import parse_json, reason_if_not_plain
from bridgecheck.wire import MODES, Dialect
from bridgecheck.wire.facts import MOST_SPOKEN, RECORDS, endpoint, is_served_path

Kind: TypeAlias = Literal["recorded", "derived", "side", "miss", "unmodelled"]

_GENERATE: Final = "generate"
NO_RETRY: Final[Headers] = (("x-should-retry", "false"),)
"""On what no provider answered: a request that missed is not expected again."""


class CassetteAnswer(NamedTuple):
    """A response to a request. ``kind``: how it came about, for example derived from the other mode; ``number``: of the
    interaction, -1 if none answered; ``repeated``: it had been played before; ``message``: what was missed, "" if
    nothing was."""

    answer: RecordedInteraction
    kind: Kind
    number: int = -1
    repeated: bool = False
    message: str = ""


class CassetteAnswers:
    """A cassette's responses. ``dialect``: the provider's, which paths do not always tell; None: the host does."""

    def __init__(self, cassette: Cassette, dialect: Dialect | None = None) -> None:
        self._recorded = cassette.interactions
        self._index = InteractionIndex(cassette.interactions)
        self._played: set[int] = set()
        self._dialect = dialect

    @property
    def unused(self) -> int:
        """How many interactions were never requested."""
        return len(self._recorded) - len(self._played)

    def answer_request(self, request: HttpRequest, host: str) -> CassetteAnswer:
        """Play the response to a request; an explicit error response if there is none."""
        key = operation_key(request, host)
        if key is not None and key.operation.endswith(_GENERATE) and not self._has_path(request.path, key.dialect):
            return _no_such_path_answer(request, key.dialect, host)
        if key is not None and key.operation.endswith(_GENERATE) and (mistake := _mistake_in_body(request)):
            return _unreadable_request_answer(request, key.dialect, host, mistake)
        match = self._take_recorded_or_derived_answer(request, key) if key is not None else None
        return match or self._side_answer(request, key) or self._miss_answer(request, key, host)

    def _has_path(self, path: str, dialect: Dialect) -> bool:
        """Return whether the API has this path, or a recording went to it: hosts have paths of their own."""
        recorded_paths = (_path_without_model(recorded.request.path) for recorded in self._recorded)
        return is_served_path(dialect, path) or _path_without_model(path) in recorded_paths

    def _take_recorded_or_derived_answer(self, request: HttpRequest, key: OperationKey) -> CassetteAnswer | None:
        source = self._source_key(key)
        match = self._index.peek(source, request.body)
        if match is None:
            return None
        recorded = self._recorded[match.number]
        kind: Kind = "recorded" if source.mode == key.mode else "derived"
        if source.mode != key.mode:
            derived = derive.convert_mode(recorded, key.dialect, key.mode)
            if derived is None:
                message = f"{UNMODELLED} in this mode: {key}, of an answer that breaks or fails"
                return _unmodelled_answer(request, key, message)
            recorded = derived
        if derive.requests_json_array(request.path) and not derive.requests_json_array(recorded.request.path):
            recorded = derive.to_json_array(recorded, key.dialect)
        self._index.take(source, request.body)
        self._played.add(match.number)
        return CassetteAnswer(recorded, kind, match.number, match.repeated)

    def _source_key(self, key: OperationKey) -> OperationKey:
        """Return the key whose interactions answer: its own, or the other mode's where only that was recorded."""
        other_mode = key._replace(mode="unary" if key.mode == "stream" else "stream")
        held_keys = self._index.keys
        return other_mode if key.operation == _GENERATE and key not in held_keys and other_mode in held_keys else key

    def _side_answer(self, request: HttpRequest, key: OperationKey | None) -> CassetteAnswer | None:
        operation = key.operation if key is not None else ""
        stub = side_traffic.side_answer(self._models_dialect(request, key), operation, request, self._model_names())
        if stub is None:
            return None
        headers = (("content-type", stub.media_type), *NO_RETRY)
        return CassetteAnswer(RecordedInteraction(request, 200, headers, (stub.body,)), "side")

    def _models_dialect(self, request: HttpRequest, key: OperationKey | None) -> Dialect:
        """Return whose models ``/v1/models`` lists, which all three have. Anthropic's clients send their own header."""
        if key is not None and key.dialect != MOST_SPOKEN:
            return key.dialect
        names = {name for name, _ in request.headers}
        if self._dialect is not None:
            return self._dialect
        return next((record.name for record in RECORDS.values() if names & dict(record.headers).keys()), MOST_SPOKEN)

    def _model_names(self) -> list[str]:
        """Return the models that the cassette's requests name."""
        names: dict[str, None] = {}
        for recorded in self._recorded:
            with suppress(BridgecheckError):
                names[decode_recorded_request(recorded.request).model] = None
        return [model for model in names if model]

    def _miss_answer(self, request: HttpRequest, key: OperationKey | None, host: str) -> CassetteAnswer:
        location = f"{request.method} {host}{urlsplit(request.path).path}"
        if key is None or key.operation != _GENERATE:
            return _unmodelled_answer(request, key, f"{UNMODELLED}: {location}")
        held_keys = ", ".join(map(str, self._index.keys)) or "nothing"
        message = f"the cassette holds no further answer to {location} ({key}); it holds {held_keys}"
        return CassetteAnswer(_error_recording(request, key.dialect, message), "miss", message=message)


def _path_without_model(path: str) -> str:
    found = endpoint(path)
    bare = path.partition("?")[0]
    return bare.replace(quote(found.model), "{model}") if found is not None and found.model else bare


def _no_such_path_answer(request: HttpRequest, dialect: Dialect, host: str) -> CassetteAnswer:
    location = f"{request.method} {host}{urlsplit(request.path).path}"
    expected = " or ".join(dict.fromkeys(RECORDS[dialect].full_path_template(mode) for mode in MODES))
    message = f"{NO_SUCH_PATH}: {location} (expected {expected})"
    return CassetteAnswer(_error_recording(request, dialect, message), "miss", message=message)


def _mistake_in_body(request: HttpRequest) -> str:
    """Return what makes a body no JSON object that a provider can read, "" for one that is, or no body at all."""
    body, reason = decompress_body_if_possible(request.body, request.headers), ""
    try:
        if not body.strip() or isinstance(parse_json(body), dict):
            return ""
    except ValueError as error:
        reason = reason_if_not_plain(error)
    return f"is no JSON object ({reason})" if reason else "is no JSON object"


def _unreadable_request_answer(request: HttpRequest, dialect: Dialect, host: str, mistake: str) -> CassetteAnswer:
    location = f"{request.method} {host}{urlsplit(request.path).path}"
    message = f"the provider cannot read the request: the body of {location} {mistake}"
    return CassetteAnswer(_error_recording(request, dialect, message, 400), "miss", message=message)


def _unmodelled_answer(request: HttpRequest, key: OperationKey | None, message: str) -> CassetteAnswer:
    answer = _error_recording(request, key.dialect if key else MOST_SPOKEN, message)
    return CassetteAnswer(answer, "unmodelled", message=message)


def _error_recording(request: HttpRequest, dialect: Dialect, message: str, status: int = 404) -> RecordedInteraction:
    body = encode_document(dialect, normalise.error_document(dialect, status, message, kind="cassette_miss"))
    return RecordedInteraction(request, status, (("content-type", "application/json"), *NO_RETRY), (body,))


class PlayedExchange(NamedTuple):
    """A request as really sent, its response, and the number of the interaction that answered it: -1 if none did.
    ``host``: to which it was sent."""

    request: HttpRequest
    answer: RecordedInteraction
    number: int
    host: str = ""


class Playback:
    """One cassette being played.

    ``exchanges``: all but side traffic, in order; ``misses``: in words, what the cassette did not hold; ``unmodelled``:
    those of the misses that asked for what bridgecheck knows nothing of (the Responses API, Vertex AI, the other mode
    of a stream that breaks off); ``side_requests``: requests answered from the stub table; ``derived``: numbers of the
    interactions that were played in the mode they were not recorded in; ``repeats``: how often an error was played
    again; ``arrivals``: letters of ``CaseTranscript.arrivals`` for what passed here, and "q" for a connection that was
    let go; whoever plays takes them out. ``dialect``: of the provider that is played, which tells apart what paths do
    not; None: the host does. Header and body bytes are as the client sent them, credentials included: never write them
    to a file.
    """

    def __init__(self, cassette: Cassette, dialect: Dialect | None = None) -> None:
        self.exchanges: list[PlayedExchange] = []
        self.misses: list[str] = []
        self.unmodelled: list[str] = []
        self.side_requests: list[HttpRequest] = []
        self.derived: list[int] = []
        self.repeats = 0
        self.arrivals: list[str] = []
        self._answers = CassetteAnswers(cassette, dialect)
        self._lock = Lock()

    @property
    def requests_without_side_traffic(self) -> list[HttpRequest]:
        """The requests as really sent, side traffic left out."""
        return [exchange.request for exchange in self.exchanges]

    @property
    def interaction_numbers(self) -> tuple[int, ...]:
        """Per request the number of the interaction that answered it, -1 if none did."""
        return tuple(exchange.number for exchange in self.exchanges)

    def last_exchange_index_since(self, before: int) -> int:
        """Return the index of the last exchange, where there were ``before``; -1 if there was none since."""
        count = len(self.exchanges)
        return count - 1 if count > before else -1

    @property
    def unused(self) -> int:
        """How many recorded interactions were never requested."""
        return self._answers.unused

    def interactions(self) -> tuple[Interaction, ...]:
        """Return the exchanges decoded; of a request that is not understood, None and the response undecoded."""
        return tuple(_decode_exchange(exchange) for exchange in self.exchanges)

    def answer(self, request: HttpRequest, url: str) -> RecordedInteraction:
        """Return the response to a request; an explicit error response for a miss."""
        return self.answer_host(request, urlsplit(url).netloc)

    def answer_host(self, request: HttpRequest, host: str) -> RecordedInteraction:
        """Return the response to a request that was sent to this host."""
        with self._lock:
            played = self._answers.answer_request(request, host)
            self._record_exchange_or_side_request(request, played, host)
            return played.answer

    def begin_turn(self, client_leaves: bool) -> None:
        """Forget what passed before this turn. ``client_leaves``: the client will leave the answer before its end."""
        self.arrivals.clear()

    def note(self, letter: str) -> None:
        self.arrivals.append(letter)

    def _record_exchange_or_side_request(self, request: HttpRequest, played: CassetteAnswer, host: str) -> None:
        if played.kind == "side":
            self.side_requests.append(request)
            return
        self.note("r")
        self.exchanges.append(PlayedExchange(request, played.answer, played.number, host))
        self.repeats += played.repeated
        self.misses += [played.message] if played.message else []
        self.unmodelled += [played.message] if played.kind == "unmodelled" else []
        self.derived += [played.number] if played.kind == "derived" else []


def _decode_exchange(exchange: PlayedExchange) -> Interaction:
    try:
        request = decode_recorded_request(exchange.request)
    except BridgecheckError:
        return Interaction(None, exchange.answer.response(MOST_SPOKEN, "unary"))
    return Interaction(request, exchange.answer.response(request.dialect, request.mode))
