"""Thinking by the letter of the older mapping: a budget and nothing else (mapping row R-24, ``thinking="letter"``)."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import integer, obj
from bridgecheck_reference.convert.thinking import MOST_VARIABLE, effort_of_budget
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.profile import Profile


def effort_by_letter(config: object, profile: Profile) -> str:
    """thinkingConfig -> reasoning_effort, "" without a budget and for 0. Raises ConversionError where a bound is not
    set."""
    budget = integer(obj(config).get("thinkingBudget"))
    return effort_of_budget(budget, profile) if budget else ""


def require_limit(value: JsonObject) -> None:
    """Raises ConversionError for a thinking request that no limit came with."""
    if "max_completion_tokens" not in value:
        raise ConversionError(
            "For OpenAI reasoning models, max_completion_tokens is required. Give maxOutputTokens or set the "
            f"environment variable {MOST_VARIABLE}.",
            "generationConfig.maxOutputTokens",
        )
