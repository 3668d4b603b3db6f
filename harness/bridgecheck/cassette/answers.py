"""Who answers a request: the cassette, in the mode that is asked for; a stub, for side traffic; or nobody."""

import json
from typing import Final, Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from bridgecheck import normalise
from bridgecheck.cassette import derive, side
from bridgecheck.cassette.indexed import IndexedCassette
from bridgecheck.cassette.match import Key, key_of
from bridgecheck.cassette.recorded import Cassette, Recorded, decoded_request
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.evidence import UNMODELLED
from bridgecheck.model.exchange import Headers, HttpRequest
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import MOST_SPOKEN, RECORDS

Kind: TypeAlias = Literal["recorded", "derived", "side", "miss", "unmodelled"]

_RECORDED: Final[Kind] = "recorded"
_DERIVED: Final[Kind] = "derived"
_GENERATE: Final = "generate"
_NOT_AGAIN: Final[Headers] = (("x-should-retry", "false"),)


class Given(NamedTuple):
    """An answer. ``kind``: derived from what was recorded in the other mode, say; ``number``: of the interaction, -1 if
    none answered; ``repeated``: it had been played before; ``words``: what was missed, "" if nothing was."""

    answer: Recorded
    kind: Kind
    number: int = -1
    repeated: bool = False
    words: str = ""


class Answers:
    """``dialect``: of the provider that is played, which tells apart what paths do not; None: the host does."""

    def __init__(self, cassette: Cassette, dialect: Dialect | None = None) -> None:
        self._cassette = IndexedCassette(cassette)
        self._dialect = dialect

    @property
    def unasked(self) -> int:
        """How many interactions were never asked for."""
        return len(self._cassette) - len(self._cassette.play_counts)

    def to(self, request: HttpRequest, host: str) -> Given:
        """Plays what answers this request; an explicit error response if nothing does."""
        key = key_of(request, host)
        found = self._recorded(request, key) if key is not None else None
        return found or self._beside(request, key) or self._missed(request, key, host)

    def _recorded(self, request: HttpRequest, key: Key) -> Given | None:
        source = self._source(key)
        found = self._cassette.index.peek(source, request.body)
        if found is None:
            return None
        recorded, kind = self._cassette.recorded[found.number], _RECORDED
        if source.mode != key.mode:
            derived = derive.in_mode(recorded, key.dialect, key.mode)
            if derived is None:
                return _unmodelled(request, key, f"{UNMODELLED} in this mode: {key}, of an answer that breaks or fails")
            recorded, kind = derived, _DERIVED
        if derive.asked_for_array(request.path) and not derive.asked_for_array(recorded.request.path):
            recorded = derive.as_array(recorded, key.dialect)
        self._cassette.take(source, request.body)
        return Given(recorded, kind, found.number, found.repeated)

    def _source(self, key: Key) -> Key:
        """The key of the interactions that answer this one: its own, or that of the other mode where nothing was
        recorded in its own."""
        other = key._replace(mode="unary" if key.mode == "stream" else "stream")
        held = self._cassette.index.keys
        return other if key.operation == _GENERATE and key not in held and other in held else key

    def _beside(self, request: HttpRequest, key: Key | None) -> Given | None:
        operation = key.operation if key is not None else ""
        stub = side.answer(self._listed(request, key), operation, request, self._models())
        if stub is None:
            return None
        headers = (("content-type", stub.media_type), *_NOT_AGAIN)
        return Given(Recorded(request, 200, headers, (stub.body,)), "side")

    def _listed(self, request: HttpRequest, key: Key | None) -> Dialect:
        """Whose models are listed at ``/v1/models``, which all three have. Anthropic's clients say who they are."""
        if key is not None and key.dialect != MOST_SPOKEN:
            return key.dialect
        names = {name for name, _ in request.headers}
        if self._dialect is not None:
            return self._dialect
        return next((record.name for record in RECORDS.values() if names & dict(record.headers).keys()), MOST_SPOKEN)

    def _models(self) -> list[str]:
        """Those that the cassette's requests name."""
        named: dict[str, None] = {}
        for recorded in self._cassette.recorded:
            try:
                named[decoded_request(recorded.request).model] = None
            except BridgecheckError:
                continue
        return [model for model in named if model]

    def _missed(self, request: HttpRequest, key: Key | None, host: str) -> Given:
        place = f"{request.method} {host}{urlsplit(request.path).path}"
        if key is None or key.operation != _GENERATE:
            return _unmodelled(request, key, f"{UNMODELLED}: {place}")
        held = ", ".join(str(held) for held in self._cassette.index.keys) or "nothing"
        words = f"the cassette holds no further answer to {place} ({key}); it holds {held}"
        return Given(_error(request, key.dialect, words), "miss", words=words)


def _unmodelled(request: HttpRequest, key: Key | None, words: str) -> Given:
    return Given(_error(request, key.dialect if key else MOST_SPOKEN, words), "unmodelled", words=words)


def _error(request: HttpRequest, dialect: Dialect, message: str) -> Recorded:
    body = json.dumps(normalise.error_document(dialect, 404, message, kind="cassette_miss")).encode()
    return Recorded(request, 404, (("content-type", "application/json"), *_NOT_AGAIN), (body,))
