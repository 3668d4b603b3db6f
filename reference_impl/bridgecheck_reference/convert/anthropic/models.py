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

FIRST_THINKING: Final = (3, 7)
FIRST_ONE_SAMPLER: Final = (4, 1)
FIRST_ADAPTIVE: Final = (4, 6)
FIRST_WITHOUT_BUDGET: Final = (4, 7)

SMALLEST_BUDGET: Final = 1024
"""Tokens of the smallest thinking budget."""


def model_version(model: str) -> tuple[int, int] | None:
    """Return (4, 5) of "claude-sonnet-4-5-20250929", (3, 7) of "claude-3-7-sonnet-latest"; None where the name has
    none."""
    _, found, tail = model.lower().rpartition("claude")
    if not found:
        return None
    numbers = [int(part) for part in tail.replace(".", "-").replace("@", "-").split("-") if _is_version_number(part)]
    return (numbers[0], numbers[1] if len(numbers) > 1 else 0) if numbers else None


def _is_version_number(part: str) -> bool:
    """Return whether this is a part of a version; a date has more digits."""
    return len(part) < 3 and part.isascii() and part.isdecimal()


def supports_thinking(model: str) -> bool:
    version = model_version(model)
    return version is None or version >= FIRST_THINKING


def supports_adaptive_thinking(model: str) -> bool:
    """Return whether a model takes adaptive thinking and an effort."""
    version = model_version(model)
    return version is None or version >= FIRST_ADAPTIVE


def supports_budget(model: str) -> bool:
    version = model_version(model)
    return version is None or version < FIRST_WITHOUT_BUDGET


def supports_xhigh_effort(model: str) -> bool:
    """Return whether the effort may be xhigh (a refusal is recorded for 4.6)."""
    version = model_version(model)
    return version is None or version >= FIRST_WITHOUT_BUDGET


def supports_sampling_settings(model: str) -> bool:
    """Return whether temperature, top_p and top_k may be anything but their defaults."""
    version = model_version(model)
    return version is None or version < FIRST_WITHOUT_BUDGET


def supports_temperature_with_top_p(model: str) -> bool:
    """Return whether temperature and top_p may stand side by side."""
    version = model_version(model)
    return version is None or version < FIRST_ONE_SAMPLER


SMALLEST_TOP_P: Final = 0.95
HOTTEST: Final = 1.0
_THINKING_BLOCKS: Final = ("thinking", "redacted_thinking")


def make_request_acceptable(value: JsonObject, model: str, losses: Losses, *, own_limit: bool) -> None:
    """Change a request of ours in place. ``own_limit``: max_tokens is ours, not the client's, and may grow."""
    _fit_thinking(value, losses, own_limit)
    _limit_temperature(value, losses)
    if obj(value.get("thinking")).get("type") in ("enabled", "adaptive"):
        _drop_sampling_beside_thinking(value, losses)
    if not supports_sampling_settings(model):
        for key in ("temperature", "top_p", "top_k"):
            if value.pop(key, None) not in (None, 1, 1.0):
                losses.add(key, "this model takes no sampling settings")
    elif "temperature" in value and "top_p" in value and not supports_temperature_with_top_p(model):
        del value["top_p"]
        losses.add("top_p", "this model takes temperature or top_p, not both")


def _fit_thinking(value: JsonObject, losses: Losses, own_limit: bool) -> None:
    """Switch thinking off beside a forced tool or a prefilled answer, and where its budget does not fit."""
    thinking = obj(value.get("thinking"))
    if thinking.get("type") not in ("enabled", "adaptive"):
        return
    reason = _thinking_obstacle(value, budgeted=thinking["type"] == "enabled")
    if reason:
        losses.add("reasoning_effort", reason)
        value["thinking"] = {"type": "disabled"}
    elif thinking["type"] == "enabled":
        _fit_budget(value, thinking, losses, own_limit)


def _thinking_obstacle(value: JsonObject, *, budgeted: bool) -> str:
    """Return why this request cannot think; "" if it can. Adaptive thinking takes a forced tool (pydantic-ai/0246)."""
    if budgeted and obj(value.get("tool_choice")).get("type") in ("any", "tool"):
        return "Anthropic refuses thinking beside a forced tool: not thinking"
    messages = list(objs(value["messages"]))
    if messages[-1]["role"] == "assistant":
        return "Anthropic refuses thinking beside a prefilled answer: not thinking"
    if budgeted and _has_calls_without_thinking(messages):
        return "the running turn has calls without their thinking, which Anthropic demands: not thinking"
    return ""


def _has_calls_without_thinking(messages: list[JsonObject]) -> bool:
    """Return whether calls are being answered, and no assistant turn since the user's last message has thinking."""
    found = False
    for message in reversed(messages):
        kinds = [block.get("type") for block in _content_blocks(message)]
        if message["role"] == "assistant":
            found = True
            if any(kind in _THINKING_BLOCKS for kind in kinds):
                return False
        elif "tool_result" not in kinds:
            break
    return found and any(block.get("type") == "tool_result" for block in _content_blocks(messages[-1]))


def _content_blocks(message: JsonObject) -> list[JsonObject]:
    return [obj(block) for block in arr(message.get("content"))]


def _fit_budget(value: JsonObject, thinking: JsonObject, losses: Losses, own_limit: bool) -> None:
    budget, limit = integer(thinking["budget_tokens"]) or 0, integer(value.get("max_tokens")) or 0
    if budget < SMALLEST_BUDGET:
        losses.add("reasoning.max_tokens", f"the smallest budget is {SMALLEST_BUDGET}", "info")
        budget = SMALLEST_BUDGET
    if own_limit:
        value["max_tokens"] = limit + budget
    elif budget >= limit:
        budget = max(SMALLEST_BUDGET, limit // 2)
        losses.add("reasoning_effort", "the budget has to be below the token limit: made smaller")
    if budget >= (integer(value["max_tokens"]) or 0):
        losses.add("reasoning_effort", "the token limit leaves no room to think: not thinking")
        value["thinking"] = {"type": "disabled"}
    else:
        value["thinking"] = {**thinking, "budget_tokens": budget}


def _limit_temperature(value: JsonObject, losses: Losses) -> None:
    temperature = value.get("temperature")
    if isinstance(temperature, (int, float)) and temperature > HOTTEST:
        losses.add("temperature", "Anthropic takes at most 1")
        value["temperature"] = 1


def _drop_sampling_beside_thinking(value: JsonObject, losses: Losses) -> None:
    if value.get("temperature") not in (None, 1, 1.0):
        losses.add("temperature", "Anthropic takes none but 1 beside thinking")
        del value["temperature"]
    if value.pop("top_k", None) is not None:
        losses.add("top_k", "Anthropic takes none beside thinking")
    top_p = value.get("top_p")
    if isinstance(top_p, (int, float)) and top_p < SMALLEST_TOP_P:
        losses.add("top_p", f"Anthropic takes {SMALLEST_TOP_P} or more beside thinking")
        del value["top_p"]
