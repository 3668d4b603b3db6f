"""The client's next request after an answer: the history as it was, the answer as received, and what comes then.

Placeholders (``$received``, ``$id:0.1``, ``$name:0.1``) are those of scenario files (model/scenario).
"""

from collections.abc import Callable, Sequence
from typing import Final

from bridgecheck.model.jsonvalue import arr
from bridgecheck.wire import Dialect, JsonObject

_RECEIVED: Final[JsonObject] = {"$received": 0}


def following(dialect: Dialect, body: JsonObject, results: Sequence[str], words: str) -> JsonObject:
    """``results``: of the calls of the answer, in their order; [] for an answer that calls nothing, which ``words``
    answer."""
    turns = "contents" if dialect == "gemini" else "messages"
    said = _RESULTS[dialect](results) if results else [_WORDS[dialect](words)]
    return {**body, turns: [*arr(body[turns]), _RECEIVED, *said]}


def _gemini(results: Sequence[str]) -> list[JsonObject]:
    parts: list[JsonObject] = [
        {"functionResponse": {"id": f"$id:0.{place}", "name": f"$name:0.{place}", "response": {"output": result}}}
        for place, result in enumerate(results)
    ]
    return [{"role": "user", "parts": parts}]


def _openai(results: Sequence[str]) -> list[JsonObject]:
    return [
        {"role": "tool", "tool_call_id": f"$id:0.{place}", "content": result} for place, result in enumerate(results)
    ]


def _anthropic(results: Sequence[str]) -> list[JsonObject]:
    blocks: list[JsonObject] = [
        {"type": "tool_result", "tool_use_id": f"$id:0.{place}", "content": result}
        for place, result in enumerate(results)
    ]
    return [{"role": "user", "content": blocks}]


_RESULTS: Final[dict[Dialect, Callable[[Sequence[str]], list[JsonObject]]]] = {
    "gemini": _gemini,
    "openai-chat": _openai,
    "anthropic": _anthropic,
}
_WORDS: Final[dict[Dialect, Callable[[str], JsonObject]]] = {
    "gemini": lambda words: {"role": "user", "parts": [{"text": words}]},
    "openai-chat": lambda words: {"role": "user", "content": words},
    "anthropic": lambda words: {"role": "user", "content": words},
}
