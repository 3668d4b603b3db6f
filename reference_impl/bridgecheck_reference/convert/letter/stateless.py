"""One OpenAI chunk -> one Gemini event, without memory of the chunks before it (mapping row R-03)."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.openai_stream import OpenAIToGeminiStream
from bridgecheck_reference.convert.read import obj, objs
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.profile import NATIVE, Profile


def stateless_chunk(chunk: JsonObject, *, profile: Profile = NATIVE) -> JsonObject | None:
    """The event for the text of a chunk, None for a chunk without any. Raises ConversionError for a tool call: its
    pieces stand in several chunks, so ``OpenAIToGeminiStream`` has to see them all."""
    for choice in objs(chunk.get("choices")):
        delta = obj(choice.get("delta"))
        if delta.get("tool_calls") or delta.get("function_call"):
            raise ConversionError(
                "choices[].delta.tool_calls: a piece of a call cannot be converted alone; feed the whole stream to "
                "OpenAIToGeminiStream",
                "choices[].delta.tool_calls",
            )
    events = OpenAIToGeminiStream(profile=profile).feed(chunk)
    return events[0] if events else None
