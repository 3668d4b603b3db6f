"""Settings that Anthropic refuses beside each other, or of this model: the least meaning gives way, with a loss.

Nothing here looks at a carried document. Sources: anthropic/thinking.py and anthropic/models.py.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.anthropic.models import takes_both_samplers, takes_sampling
from bridgecheck_reference.convert.anthropic.thinking import SMALLEST
from bridgecheck_reference.convert.read import arr, integer, obj, objs
from bridgecheck_reference.loss import Losses

SMALLEST_TOP_P: Final = 0.95
HOTTEST: Final = 1.0
_THINKING_BLOCKS: Final = ("thinking", "redacted_thinking")


def make_compatible(value: JsonObject, model: str, losses: Losses, *, own_limit: bool) -> None:
    """Changes a request of ours in place. ``own_limit``: max_tokens is ours, not the client's, and may grow."""
    _thinking(value, losses, own_limit)
    _temperature(value, losses)
    if obj(value.get("thinking")).get("type") in ("enabled", "adaptive"):
        _beside_thinking(value, losses)
    if not takes_sampling(model):
        for key in ("temperature", "top_p", "top_k"):
            if value.pop(key, None) not in (None, 1, 1.0):
                losses.add(key, "this model takes no sampling settings")
    elif "temperature" in value and "top_p" in value and not takes_both_samplers(model):
        del value["top_p"]
        losses.add("top_p", "this model takes temperature or top_p, not both")


def _thinking(value: JsonObject, losses: Losses, own_limit: bool) -> None:
    """Thinking gives way to a forced tool and to a prefilled answer, and where its budget does not fit."""
    thinking = obj(value.get("thinking"))
    if thinking.get("type") not in ("enabled", "adaptive"):
        return
    reason = _obstacle(value, budgeted=thinking["type"] == "enabled")
    if reason:
        losses.add("reasoning_effort", reason)
        value["thinking"] = {"type": "disabled"}
    elif thinking["type"] == "enabled":
        _budget(value, thinking, losses, own_limit)


def _obstacle(value: JsonObject, *, budgeted: bool) -> str:
    """Why this request cannot think; "" if it can. Adaptive thinking takes a forced tool (pydantic-ai/0246)."""
    if budgeted and obj(value.get("tool_choice")).get("type") in ("any", "tool"):
        return "Anthropic refuses thinking beside a forced tool: not thinking"
    messages = list(objs(value["messages"]))
    if messages[-1]["role"] == "assistant":
        return "Anthropic refuses thinking beside a prefilled answer: not thinking"
    if budgeted and _lost_its_thinking(messages):
        return "the running turn has calls without their thinking, which Anthropic demands: not thinking"
    return ""


def _lost_its_thinking(messages: list[JsonObject]) -> bool:
    """Whether calls are being answered, and none of the assistant's turns since the user's last word has thinking."""
    found = False
    for message in reversed(messages):
        kinds = [block.get("type") for block in _blocks(message)]
        if message["role"] == "assistant":
            found = True
            if any(kind in _THINKING_BLOCKS for kind in kinds):
                return False
        elif "tool_result" not in kinds:
            break
    return found and any(block.get("type") == "tool_result" for block in _blocks(messages[-1]))


def _blocks(message: JsonObject) -> list[JsonObject]:
    return [obj(block) for block in arr(message.get("content"))]


def _budget(value: JsonObject, thinking: JsonObject, losses: Losses, own_limit: bool) -> None:
    budget, limit = integer(thinking["budget_tokens"]) or 0, integer(value.get("max_tokens")) or 0
    if budget < SMALLEST:
        losses.add("reasoning.max_tokens", f"the smallest budget is {SMALLEST}", "info")
        budget = SMALLEST
    if own_limit:
        value["max_tokens"] = limit + budget
    elif budget >= limit:
        budget = max(SMALLEST, limit // 2)
        losses.add("reasoning_effort", "the budget has to be below the token limit: made smaller")
    if budget >= (integer(value["max_tokens"]) or 0):
        losses.add("reasoning_effort", "the token limit leaves no room to think: not thinking")
        value["thinking"] = {"type": "disabled"}
    else:
        value["thinking"] = {**thinking, "budget_tokens": budget}


def _temperature(value: JsonObject, losses: Losses) -> None:
    given = value.get("temperature")
    if isinstance(given, (int, float)) and given > HOTTEST:
        losses.add("temperature", "Anthropic takes at most 1")
        value["temperature"] = 1


def _beside_thinking(value: JsonObject, losses: Losses) -> None:
    if value.get("temperature") not in (None, 1, 1.0):
        losses.add("temperature", "Anthropic takes none but 1 beside thinking")
        del value["temperature"]
    if value.pop("top_k", None) is not None:
        losses.add("top_k", "Anthropic takes none beside thinking")
    top_p = value.get("top_p")
    if isinstance(top_p, (int, float)) and top_p < SMALLEST_TOP_P:
        losses.add("top_p", f"Anthropic takes {SMALLEST_TOP_P} or more beside thinking")
        del value["top_p"]
