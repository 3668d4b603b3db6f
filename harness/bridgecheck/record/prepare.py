"""What is done to a cassette before it is written, and to a request before it is looked up: the same, so that what was
masked in a recording is masked in the request that asks for it."""

from dataclasses import replace

from bridgecheck.cassette import redact
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.model.exchange import HttpRequest


def prepare_for_writing(cassette: Cassette, where: str) -> Cassette:
    """Return the cassette without what never reaches a file. Raises SecretFound for what cannot be taken out."""
    prepared = replace(cassette, interactions=tuple(map(_mask_interaction, cassette.interactions)))
    redact.refuse_secrets(prepared, where)
    return prepared


def prepare_for_lookup(request: HttpRequest) -> HttpRequest:
    """Return a request as it would stand in a cassette."""
    return replace(
        request,
        path=redact.mask_keys_and_project_ids(request.path),
        headers=redact.allowed_request_headers(request.headers),
    )


def _mask_interaction(recorded: RecordedInteraction) -> RecordedInteraction:
    return replace(
        recorded,
        request=prepare_for_lookup(recorded.request),
        headers=redact.allowed_response_headers(recorded.headers),
    )
