"""Calls of a model beside the conversation: a whole answer, as text or as JSON, up to five attempts."""

import json
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.documents import visible_text
from bridgecheck_reference.chat.retry import RetrySettings, Surroundings, retry
from bridgecheck_reference.generator.protocol import ContentGenerator

_RETRY: Final = RetrySettings(max_attempts=5)
_FENCE: Final = "```json"


class UtilityCalls:
    """``prompt_id`` names the prompt that a call is for."""

    def __init__(self, generator: ContentGenerator, around: Surroundings) -> None:
        self._generator = generator
        self._around = around

    async def text(self, request: JsonObject, prompt_id: str, role: str, token: CancelToken | None) -> str:
        """Return the text of the answer, never blank. ``ProviderError``, ``RetriesExhausted``, ``CallCancelled``."""
        return visible_text(await self._generate(request, prompt_id, role, token, as_json=False))

    async def json(self, request: JsonObject, prompt_id: str, role: str, token: CancelToken | None) -> JsonObject:
        """Return the JSON object of the answer; ``{}`` for other JSON."""
        found = _read_json(visible_text(await self._generate(request, prompt_id, role, token, as_json=True)))
        return found if isinstance(found, dict) else {}

    async def _generate(
        self, request: JsonObject, prompt_id: str, role: str, token: CancelToken | None, *, as_json: bool
    ) -> JsonObject:
        sent: JsonObject = request if token is None else {**request, "config": {"abortSignal": token}}

        def usable(answer: JsonObject) -> bool:
            text = visible_text(answer).strip()
            return bool(text) and (not as_json or _read_json(text) is not _UNREADABLE)

        return await retry(
            lambda: self._generator.generate_content(sent, prompt_id, role),
            _RETRY, self._around, token=token, usable=usable,
        )  # fmt: skip


_UNREADABLE: Final = object()


def _read_json(text: str) -> object:
    text = text.strip()
    if text.startswith(_FENCE) and text.endswith("```"):
        text = text.removeprefix(_FENCE).removesuffix("```").strip()
    try:
        return json.loads(text)
    except ValueError:
        return _UNREADABLE
