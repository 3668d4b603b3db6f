"""Where OpenAI's hosts put the reasoning of a message or delta (types/ir)."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import text


def plain_reasoning(message: JsonObject) -> str:
    """The visible reasoning, in either of the plain fields; "" for none."""
    return text(message.get("reasoning_content")) or text(message.get("reasoning"))


def words_of(detail: JsonObject) -> str:
    """What an entry of ``reasoning_details`` says, or its summary; "" for one that only signs or hides."""
    return text(detail.get("text")) or text(detail.get("summary"))
