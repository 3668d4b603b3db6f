"""What google-genai makes of a response: its replay client compares that with what its file says.

The SDK itself is asked, over the player of cassettes, and only through its public interface.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from bridgecheck.cassette.formats.documents import call_path
from bridgecheck.cassette.formats.item import TrafficItem
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.player import play_cassette
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import JsonObject
from bridgecheck.wire.facts import RECORDS

if TYPE_CHECKING:
    from google import genai
    from google.genai.types import GenerateContentConfigDict, GenerateContentResponse

_ORIGIN: Final = f"https://{RECORDS['gemini'].host}"
_API_VERSION: Final = RECORDS["gemini"].base_path.strip("/") or "v1beta"


def sdk_objects(item: TrafficItem) -> list[JsonObject] | str:
    """Return the SDK's objects as JSON, one a document, or why it makes none of them."""
    request, recorded = item.interaction.request, item.recorded
    if request is None or recorded is None:
        return "no request"
    try:
        with play_cassette(Cassette({}, (_at_own_address(recorded, item),))):
            made = _ask(_client(), request.model, request.mode == "stream", _schema(request.body))
    except Exception as error:  # of any kind: what the SDK does not take is left out
        return f"google-genai does not read the answer ({type(error).__name__})"
    return [_dump(response, dict(recorded.headers)) for response in made]


@cache
def _client() -> "genai.Client":
    """Return the one client: each makes TLS contexts of its own. What it has to say of parts without text is for users
    of the response."""
    from google import genai
    from google.genai.types import HttpOptions

    logging.getLogger("google_genai").setLevel(logging.ERROR)
    options = HttpOptions(base_url=_ORIGIN, api_version=_API_VERSION)
    return genai.Client(api_key="unused", vertexai=False, http_options=options)


def _ask(
    client: "genai.Client", model: str, is_stream: bool, config: "GenerateContentConfigDict"
) -> "list[GenerateContentResponse]":
    if is_stream:
        return list(client.models.generate_content_stream(model=model, contents="-", config=config))
    return [client.models.generate_content(model=model, contents="-", config=config)]


def _at_own_address(recorded: RecordedInteraction, item: TrafficItem) -> RecordedInteraction:
    """Return a recording of Vertex AI, or of another host, as one of the Gemini API; how it broke off is left out."""
    request = item.interaction.request
    path = call_path("gemini", request.mode, request.model) if request else recorded.request.path
    return replace(recorded, request=replace(recorded.request, path=path), origin=_ORIGIN, end="complete")


def _schema(body: JsonObject) -> "GenerateContentConfigDict":
    """Return the schema of the answer, from which the SDK makes ``parsed``."""
    settings = obj(body.get("generationConfig"))
    names = ("responseJsonSchema", "response_json_schema", "responseSchema", "response_schema")
    found = next((settings[name] for name in names if settings.get(name)), None)
    return {"response_mime_type": "application/json", "response_json_schema": found} if found else {}


def _dump(response: "GenerateContentResponse", headers: Mapping[str, str]) -> JsonObject:
    """Return the object as the replay client dumps it: before the SDK adds the history of calls that it made by itself,
    and with the headers of the file, not those of the player."""
    dumped = obj(response.model_dump(mode="json", exclude_none=True, exclude={"automatic_function_calling_history"}))
    return {**dumped, "sdk_http_response": {"headers": dict(headers)}}
