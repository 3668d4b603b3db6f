"""What had been said before a whole answer turned out to be none."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import obj, objs, text


def with_partial_text(chunks: list[JsonObject]) -> JsonObject:
    """The error that ends these OpenAI chunks, with the text before it as its ``partial_text``, if there is any."""
    *before, failure = chunks
    choices = (choice for chunk in before for choice in objs(chunk.get("choices")))
    said = "".join(text(obj(choice.get("delta")).get("content")) for choice in choices)
    if said:
        obj(failure["error"])["partial_text"] = said
    return failure
