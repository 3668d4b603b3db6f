"""google-genai as bridgecheck asks it: ``generate_content`` and its stream, as its quick start calls them.

The client's document is what such a user writes by hand: contents as they are, and one config of the generation
settings and of what stands beside them. What comes back is the SDK's own response object, dumped by its own means:
what its types have no place for is not there for its user either. Bytes, which the SDK gives as bytes, are written in
the API's base64.
"""

import base64
from datetime import date
from enum import Enum
from importlib.metadata import version

import httpx2
from google import genai
from google.genai import errors
from pydantic import ValidationError
from shim import CallFailed, serve

OF_THE_SDK = {"sdk_http_response", "parsed", "automatic_function_calling_history"}
VERTEX_ONLY = "parameter is only supported in"


class GoogleGenai:
    name, version = "google-genai", version("google-genai")
    routes = [("gemini", "gemini")]

    def call(self, *, client, upstream, mode, model, base_url, api_key, headers, body):
        sdk = genai.Client(api_key=api_key, http_options={"base_url": base_url})
        asked = {"model": model, "contents": body.get("contents", []), "config": config(body)}
        if mode == "stream":
            return told(lambda **said: sdk.models.generate_content_stream(**said), asked)
        return next(told(lambda **said: [sdk.models.generate_content(**said)], asked))


def config(body):
    beside = {name: value for name, value in body.items() if name not in ("contents", "generationConfig")}
    return {**body.get("generationConfig", {}), **beside}


def told(ask, asked):
    """The documents that it gives. A field that its types do not know, or keep for Vertex AI, is a refusal of the SDK
    before it asks anyone."""
    try:
        for response in ask(**asked):
            yield plain(response.model_dump(by_alias=True, exclude_none=True, exclude=OF_THE_SDK))
    except errors.APIError as error:
        retry_after = getattr(error.response, "headers", {}).get("retry-after", "")
        raise CallFailed(error.code, document(error), float(retry_after) if retry_after.isdigit() else None) from error
    except httpx2.TransportError as error:
        raise CallFailed(None, None) from error
    except ValidationError as error:
        if error.title.startswith("GenerateContentResponse"):
            raise
        fields = ", ".join(".".join(map(str, place["loc"])) for place in error.errors()[:3])
        raise NotImplementedError(f"its types refuse {fields}") from error
    except ValueError as error:
        if VERTEX_ONLY not in str(error):
            raise
        raise NotImplementedError(str(error)) from error


def document(error):
    """The error as its user has it: the provider's own document, or what the exception says."""
    if isinstance(error.details, dict) and "error" in error.details:
        return error.details
    said = {"code": error.code, "message": error.message, "status": error.status}
    return {"error": {name: value for name, value in said.items() if value is not None}}


def plain(value):
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, date) else value


if __name__ == "__main__":
    serve(GoogleGenai())
