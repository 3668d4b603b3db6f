"""What a cassette holds, in memory."""

from dataclasses import dataclass, field

from bridgecheck.cassette.provenance import source_of
from bridgecheck.codec import body as body_codec
from bridgecheck.model.exchange import End, Headers, HttpRequest, Interaction, Request, Response
from bridgecheck.wire import Dialect, JsonObject, Mode


@dataclass(frozen=True, slots=True)
class RecordedInteraction:
    """One HTTP interaction. ``chunks``: the response body as it arrived, still in its content encoding; ``t_ms``: per
    chunk the milliseconds since the request was sent, () if unknown; ``origin``: scheme and host of the request's
    address."""

    request: HttpRequest
    status: int
    headers: Headers
    chunks: tuple[bytes, ...]
    end: End = "complete"
    t_ms: tuple[int, ...] = ()
    origin: str = ""

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    def response(self, dialect: Dialect, mode: Mode) -> Response:
        """The response decoded. A body that does not decode is kept as text."""
        return body_codec.decode_response(dialect, mode, self.status, self.headers, self.chunks, self.end)


@dataclass(frozen=True, slots=True)
class Cassette:
    """``metadata``: the top-level mapping of the file, {} for one that plain vcrpy recorded."""

    metadata: JsonObject
    interactions: tuple[RecordedInteraction, ...]
    where: str = field(default="", compare=False)

    @property
    def source(self) -> str:
        """scripted, live, imported or edited; a cassette that does not say was recorded by someone else: imported."""
        return source_of(self.metadata)

    @property
    def is_elicited(self) -> bool:
        """Whether a provider, or what stands in for one, answered in its own words: not those of a script."""
        return self.source == "live" or "elicited" in self.metadata

    def decode_interactions(self, dialect: Dialect, mode: Mode) -> tuple[Interaction, ...]:
        """Requests and responses as documents, in order. Raises HarnessError for a request that is not understood."""
        return tuple(
            Interaction(decode_recorded_request(recorded.request), recorded.response(dialect, mode))
            for recorded in self.interactions
        )


def decode_recorded_request(request: HttpRequest) -> Request:
    """The request as a document. Raises HarnessError for an endpoint or a body that is not understood."""
    return body_codec.decode_request(request.method, request.path, request.headers, request.body)
