"""What a chat client calls. Everything is a Gemini wire dict, in camelCase or as google-genai spells it.

A *request* is the body of ``generateContent`` with one key more, ``model``. Members of a ``config`` object, the SDK's
way of saying it, are understood too (``requests.wire_request``), among them ``abortSignal`` (a ``CancelToken``).
Failures are ``ProviderError`` in the Gemini dialect.
Source: gemini-cli 0.61.0, packages/core/src/core/contentGenerator.ts (the interface has three arguments today).
"""

from typing import Protocol

from bridgecheck.wire import JsonObject
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
