"""What a Claude model accepts, by its name (a name without a version counts as a current model), and how a request is
made acceptable.

Of settings that Anthropic refuses beside each other, or of this model, the one with the least meaning is dropped, with
a loss. Carried documents are never changed.

Sources: https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking (from 3.7),
https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html (adaptive from 4.6, budgets
refused from 4.7), https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-7 (no sampling settings),
the error text "`temperature` and `top_p` cannot both be specified for this model" (from 4.1), and those of
anthropic/thinking.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import arr, integer, obj, objs
from bridgecheck_reference.loss import Losses

THINKS: Final = (3, 7)
ONE_SAMPLER: Final = (4, 1)
ADAPTIVE: Final = (4, 6)
NO_BUDGET: Final = (4, 7)

SMALLEST: Final = 1024
"""Tokens of the smallest thinking budget."""


def version(model: str) -> tuple[int, int] | None:
    """(4, 5) of "claude-sonnet-4-5-20250929", (3, 7) of "claude-3-7-sonnet-latest"; None where the name tells none."""
    _, found, tail = model.lower().rpartition("claude")
    if not found:
        return None
    numbers = [int(word) for word in tail.replace(".", "-").replace("@", "-").split("-") if _counts(word)]
    return (numbers[0], numbers[1] if len(numbers) > 1 else 0) if numbers else None


def _counts(word: str) -> bool:
    """A part of a version; a date has more digits."""
    return len(word) < 3 and word.isascii() and word.isdecimal()


def thinks(model: str) -> bool:
    known = version(model)
    return known is None or known >= THINKS


def adapts(model: str) -> bool:
    """Whether it takes adaptive thinking and an effort."""
    known = version(model)
    return known is None or known >= ADAPTIVE


def takes_budget(model: str) -> bool:
    known = version(model)
    return known is None or known < NO_BUDGET


def takes_xhigh(model: str) -> bool:
    """Whether the effort may be xhigh (a refusal is recorded for 4.6)."""
    known = version(model)
    return known is None or known >= NO_BUDGET


def takes_sampling(model: str) -> bool:
    """Whether temperature, top_p and top_k may be anything but their defaults."""
    known = version(model)
    return known is None or known < NO_BUDGET


def takes_both_samplers(model: str) -> bool:
    """Whether temperature and top_p may stand side by side."""
    known = version(model)
    return known is None or known < ONE_SAMPLER


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
