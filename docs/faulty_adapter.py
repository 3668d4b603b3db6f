"""An adapter with faults that are common in the wild, planted in the reference: what the pictures of a report show.

    bridgecheck run --adapter python:faulty_adapter:adapter       (with docs/ on PYTHONPATH)

It serves clients of OpenAI Chat and Gemini over an upstream of the other, documents in and documents out. Each fault is
one function; the scenarios that catch it cite adapters that had it.
"""

from typing import Any, Final

from bridgecheck_reference import adapter as reference

Document = dict[str, Any]


class FaultyAdapter:
    """Converts as the reference does, then damages what comes out."""

    name: Final = "sample-gateway"
    version: Final = "1.4.0"
    routes: Final = (("openai-chat", "gemini"), ("gemini", "openai-chat"))
    pivots: Final[dict[tuple[str, str], str]] = {}
    capabilities: Final = reference.capabilities

    def to_upstream(self, body: Document, **options: Any) -> Document:
        request = reference.to_upstream(body, **options)
        return without_zeros(request)

    def from_upstream(self, body: Document, **options: Any) -> tuple[int, Document]:
        status, response = reference.from_upstream(body, **options)
        return status, without_thoughts_counted(response)

    def stream(self, **options: Any) -> "FaultyStream":
        return FaultyStream(reference.stream(**options))

    def take_losses(self) -> list[Any]:
        return reference.take_losses()


class FaultyStream:
    """Each event as the reference's stream gives it, damaged."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def feed(self, event: Document) -> list[Document]:
        return [with_calls_at_zero(made) for made in self._stream.feed(event)]

    def close(self) -> list[Document]:
        return [ended_well(with_calls_at_zero(made)) for made in self._stream.close()]


def without_zeros(request: Document) -> Document:
    """Settings are tested for truth: a temperature of 0 is not passed on."""
    settings = request.get("generationConfig")
    if isinstance(settings, dict):
        request["generationConfig"] = {name: value for name, value in settings.items() if value or value == []}
    return {name: value for name, value in request.items() if name != "temperature" or value}


def without_thoughts_counted(response: Document) -> Document:
    """Thinking is not billed: it is missing from the tokens of the completion."""
    usage = response.get("usage")
    if isinstance(usage, dict):
        thought = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
        usage["completion_tokens"] -= thought
    return response


def with_calls_at_zero(event: Document) -> Document:
    """Every parallel call has the index 0: clients join them to one."""
    for choice in event.get("choices", ()):
        for call in (choice.get("delta") or {}).get("tool_calls") or ():
            call["index"] = 0
    return event


def ended_well(event: Document) -> Document:
    """A stream that broke off is reported as ended."""
    for choice in event.get("choices", ()):
        choice["finish_reason"] = choice.get("finish_reason") and "stop"
    return event


adapter: Final = FaultyAdapter()
