"""A client of google-genai, made so that it takes nothing from the environment."""

from bridgecheck_reference.config import NO_KEY, ProviderConfig
from bridgecheck_reference.google_wire.calls import GoogleWire
from bridgecheck_reference.google_wire.http import HttpParts


def connect(config: ProviderConfig) -> GoogleWire:
    """The SDK is imported here, when the first client is made. Nothing is asked of the provider yet."""
    from google import genai
    from google.genai.errors import APIError
    from google.genai.types import HttpOptions

    http = HttpParts(config)
    options = HttpOptions.model_validate(http.options)
    client = genai.Client(vertexai=http.vertex, api_key=config.api_key or NO_KEY, http_options=options)
    return GoogleWire(config, http, client.aio.models, APIError)
