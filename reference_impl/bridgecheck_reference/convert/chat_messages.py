"""Fields of Chat Completions messages and chunks, some of which only hosts write and the reference does not list.

Order: Chat Completions has one text, and calls beside it; Gemini and Anthropic have a list.
``extra_content.order`` keeps the list in a document that no wire sees (types/openai_ir): the order of the message's
reasoning, text, images and calls where it is not the usual one. The message stays the source of every value: an order
that does not fit it is ignored.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import NOTHING, obj, objs, text, unknown_keys

CALL_TYPES: Final = ("function", None, "")
"""Types of a function call; None also for an absent one."""

TERMINATOR: Final = "[DONE]"
"""Some hosts end a stream with it inside the arguments of a call; such a call is dropped."""

PADDING: Final = frozenset({"obfuscation", "p"})
"""Members of a chunk against traffic analysis: they mean nothing."""

READ_EACH_TIME: Final = frozenset({"error", "extra_content", "x_groq"})
"""Members of a chunk that say something new whenever they come; any other unknown one is recorded once."""

_CONTINUATION_KEYS: Final = frozenset({"index", "delta", "finish_reason", "logprobs"})


def plain_delta(choice: JsonObject) -> tuple[int, JsonObject] | None:
    """Return the index and the one-member delta of a choice that goes on, as most do; None for any other choice."""
    delta, index = choice.get("delta"), choice.get("index")
    if type(delta) is not dict or len(delta) != 1 or type(index) is not int:
        return None
    if choice.get("finish_reason") is not None or choice.get("logprobs") is not None:
        return None
    return (index, delta) if _CONTINUATION_KEYS.issuperset(choice) else None


CONVERTED_MESSAGE_KEYS: Final = frozenset({
    "role", "content", "tool_calls", "tool_call_id", "function_call", "reasoning_content", "reasoning",
    "reasoning_details", "refusal", "images", "extra_content",
})  # fmt: skip
"""Members of a message that converters read."""


CONVERTED_PART_KEYS: Final = frozenset({"type", "text", "image_url", "input_audio", "file", "refusal", "extra_content"})
"""Members of a content part that converters read."""


def inexpressible_message_keys(message: JsonObject) -> list[str]:
    """Return further members of a message that are not empty, except the name of a tool message."""
    result = message.get("role") in ("tool", "function")
    return [
        key
        for key in unknown_keys(message, CONVERTED_MESSAGE_KEYS)
        if message[key] not in (None, False, []) and not (key == "name" and result)
    ]


def plain_reasoning_text(message: JsonObject) -> str:
    """Return the visible reasoning, in either of the plain fields; "" for none."""
    return text(message.get("reasoning_content")) or text(message.get("reasoning"))


def reasoning_detail_text(detail: JsonObject) -> str:
    """Return the text of an entry of ``reasoning_details``, or its summary; "" for one that only signs or hides."""
    return text(detail.get("text")) or text(detail.get("summary"))


_RANK: Final[tuple[str, ...]] = ("reasoning", "text", "image", "call")
_RANK_OF: Final = {kind: rank for rank, kind in enumerate(_RANK)}


def is_usual_order(order: Sequence[JsonObject]) -> bool:
    """Return whether a message without an order would be read in this one."""
    last = 0
    for entry in order:
        kind = next(iter(entry))
        rank = _RANK_OF.get(kind, -1)
        if rank < last or "rest" in entry or (kind == "text" and (rank == last or not entry["text"])):
            return False
        last = rank
    return True


def restore_order(
    order: object, content: str, items: Mapping[str, Sequence[JsonObject]]
) -> list[tuple[str, JsonObject, JsonObject]] | None:
    """Return (kind, item, further leaves) in their old order; None where order and message do not fit.

    Kind is ``text`` (item: ``{"text": ...}``), ``block`` (the block) or a key of ``items``: reasoning, image, call.
    """
    remaining = {kind: list(reversed(values)) for kind, values in items.items()}
    ordered: list[tuple[str, JsonObject, JsonObject]] = []
    for entry in objs(order):
        kind = next((kind for kind in ("block", *_RANK) if kind in entry), "")
        if kind == "block":
            item: JsonObject | None = obj(entry["block"])
        elif kind == "text":
            length = entry["text"]
            fits = isinstance(length, int) and 0 <= length <= len(content)
            item = {"text": content[:length]} if fits and isinstance(length, int) else None
            content = content[length:] if fits and isinstance(length, int) else content
        else:
            item = remaining[kind].pop() if remaining.get(kind) else None
        if item is None:
            return None
        ordered.append((kind, item, obj(entry.get("rest"))))
    return ordered if not content and not any(remaining.values()) else None


def order_of_message(message: JsonObject) -> object:
    """Return ``extra_content.order``, None if there is none."""
    extra = message.get("extra_content")
    return obj(extra or NOTHING).get("order")


def failure_with_partial_text(chunks: list[JsonObject]) -> JsonObject:
    """Return the error that ends these OpenAI chunks, with the text before it as its ``partial_text``, if there is
    any."""
    *before, failure = chunks
    choices = (choice for chunk in before for choice in objs(chunk.get("choices")))
    partial_text = "".join(text(obj(choice.get("delta")).get("content")) for choice in choices)
    if partial_text:
        obj(failure["error"])["partial_text"] = partial_text
    return failure
