"""The interface that a chat client calls, and how its requests are read.

Everything is a Gemini wire dict, in camelCase or as google-genai spells it. A *request* is the body of
``generateContent`` with one key more, ``model``. Members of a ``config`` object, as the SDK writes them, are understood
too, among them ``abortSignal`` (a ``CancelToken``).
Failures are ``ProviderError`` in the Gemini dialect.
Source: gemini-cli 0.61.0, packages/core/src/core/contentGenerator.ts (the interface has three arguments today)."""

from collections.abc import Iterator
from typing import Protocol

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken, read_token_or_raise_conversion_error
from bridgecheck_reference.convert.gemini.request_to_openai import move_sdk_config
from bridgecheck_reference.convert.json_values import camel
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.types.conversion import EventStream


class ContentStream(EventStream, Protocol):
    """Events of one answer (``GenerateContentResponse``)."""


class ContentGenerator(Protocol):
    """``user_prompt_id`` names the user's turn, ``role`` what the call is for ("main", "summary"): for logs only."""

    async def generate_content(self, request: JsonObject, user_prompt_id: str, role: str = "main") -> JsonObject:
        """One whole answer."""

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> ContentStream:
        """Returns once the provider has accepted the request: a refusal is raised by the await, where a retry can see
        it, not by the iterator. A stream that breaks or ends without a finish reason raises from the iterator."""

    async def count_tokens(self, request: JsonObject) -> JsonObject:
        """{"totalTokens": int}."""

    async def embed_content(self, request: JsonObject) -> JsonObject:
        """Texts of ``contents`` (or ``content``) in, {"embeddings": [{"values": [...]}]} out, one a text."""

    async def close(self) -> None:
        """Free what the generator holds. May be called again."""


def wire_request(request: JsonObject, default_model: str = "") -> tuple[str, JsonObject]:
    """The model ("models/x" or "x", as given) and the body as it goes over the wire. The request is not changed.

    ``ConversionError`` if no model is named.
    """
    model = request.get("model") or default_model
    if not isinstance(model, str) or not model:
        raise ConversionError("the request names no model", "model")
    return model, move_sdk_config({key: value for key, value in request.items() if key != "model"})


def request_cancel_token(request: JsonObject) -> CancelToken | None:
    """``config.abortSignal``, where google-genai and gemini-cli have it; None without one."""
    return read_token_or_raise_conversion_error(camel(request.get("config")).get("abortSignal"), "config.abortSignal")


def embedded_texts(request: JsonObject) -> list[str]:
    """The text of each content to embed: strings, parts or contents; parts of one content join with nothing."""
    contents = request.get("contents", request.get("content", []))
    return [_content_text(item) for item in (contents if isinstance(contents, list) else [contents])]


def _content_text(content: object) -> str:
    return "".join(value for key, value in all_strings(content) if key in ("", "text"))


def all_strings(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a JSON value with the key it stands under ("" for none), in document order."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for item in value:
            yield from all_strings(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from all_strings(item, str(name))
