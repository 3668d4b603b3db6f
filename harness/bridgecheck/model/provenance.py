"""What a cassette says of how it was recorded."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recording:
    """``recorded_at``: ISO 8601, as it stands in the cassette; ``api_version``: of the provider; ``origin``: what an
    imported one was made from, ``har session.har``. "": the cassette does not say."""

    recorded_at: str = ""
    model: str = ""
    api_version: str = ""
    origin: str = ""
