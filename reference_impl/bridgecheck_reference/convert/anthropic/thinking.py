"""Thinking: ``thinking`` and ``output_config.effort``, and reasoning_effort, both ways (mapping row R-48).

Anthropic demands a budget of 1024 or more, below max_tokens; with thinking it refuses a forced tool, a prefilled
answer, any temperature but 1, top_k and a top_p under 0.95 (anthropic/models). Sources:
https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking#feature-compatibility,
https://docs.anthropic.com/en/docs/build-with-claude/effort.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.anthropic.models import (
    supports_adaptive_thinking,
    supports_budget,
    supports_thinking,
    supports_xhigh_effort,
)
from bridgecheck_reference.convert.gemini.thinking import budget_to_effort
from bridgecheck_reference.convert.json_values import integer, obj, text
from bridgecheck_reference.loss import Losses

BUDGETS: Final[dict[str, int]] = {
    "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 24576, "max": 24576,
}  # fmt: skip
"""Effort -> budget of a model that takes no effort; Gemini 2.5's numbers (R-24), except for the minimum."""

EFFORTS: Final[dict[str, str]] = {
    "minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "max",
}  # fmt: skip
"""reasoning_effort -> output_config.effort."""

TO_OPENAI: Final[dict[str, str]] = {**EFFORTS, "max": "xhigh"}

DISPLAYS: Final[dict[str, bool]] = {"summarized": False, "omitted": True}
"""thinking.display -> reasoning.exclude."""


def is_thinking_requested(request: JsonObject | None) -> bool:
    """Return whether a client's Anthropic request asks for thinking, and so expects its blocks."""
    return text(obj((request or {}).get("thinking")).get("type")) not in ("", "disabled")


def thinking_to_openai(request: JsonObject, profile: Profile, losses: Losses) -> JsonObject:
    """Return reasoning_effort, and ``reasoning`` in a document between Gemini and Anthropic; {} for neither."""
    thinking = obj(request.get("thinking"))
    kind, budget = text(thinking.get("type")), integer(thinking.get("budget_tokens"))
    effort_value = text(obj(request.get("output_config")).get("effort"))
    hidden = DISPLAYS.get(text(thinking.get("display")))
    if kind == "disabled":
        return {"reasoning_effort": "none"}
    if profile.extended:
        hidden = False if hidden is None and kind in ("enabled", "adaptive") else hidden
        known = (
            ("effort", effort_value or None),
            ("max_tokens", budget if kind == "enabled" else None),
            ("exclude", hidden),
        )
        reasoning: JsonObject = {key: value for key, value in known if value is not None}
        if kind == "adaptive":
            reasoning["enabled"] = True
        return {"reasoning": reasoning} if reasoning else {}
    if hidden is not None and not profile.carries_anthropic:
        losses.add("thinking.display", "Chat Completions cannot ask for thoughts", "info")
    effort = TO_OPENAI.get(effort_value, "") or _budget_effort(kind, budget, profile)
    if effort_value == "max":
        losses.add("output_config.effort", "approximated by xhigh", "info")
    elif effort_value and effort_value not in TO_OPENAI:
        losses.add("output_config.effort", "unknown effort, left to the model")
    return {"reasoning_effort": effort} if effort else {}


def _budget_effort(kind: str, budget: int | None, profile: Profile) -> str:
    """Return the effort of a budget. Adaptive thinking without an effort is Anthropic's default, high."""
    if kind == "adaptive":
        return "high"
    if kind != "enabled" or budget is None:
        return ""
    return budget_to_effort(budget, profile, "thinking.budget_tokens")


def thinking_to_anthropic(request: JsonObject, model: str, losses: Losses) -> tuple[JsonObject, str]:
    """Return (``thinking``, {} for none; output_config.effort, "" for none), from any spelling of OpenAI's hosts."""
    reasoning, switch = obj(request.get("reasoning")), obj(request.get("thinking"))
    effort = (text(request.get("reasoning_effort")) or text(reasoning.get("effort"))).lower()
    budget = integer(reasoning.get("max_tokens"))
    budget = integer(switch.get("budget_tokens")) if budget is None else budget
    off = switch.get("type") == "disabled" or False in (request.get("enable_thinking"), reasoning.get("enabled"))
    on = switch.get("type") in ("enabled", "adaptive") or reasoning.get("enabled") is True
    if not supports_thinking(model):
        if (effort and effort != "none") or budget or on:
            losses.add("reasoning_effort", "this model does not think")
        return {}, ""
    if off or effort == "none" or (budget == 0 and not effort):
        return {"type": "disabled"}, ""
    if effort and effort not in EFFORTS:
        losses.add("reasoning_effort", "unknown effort, left to the model")
        effort = ""
    if not (effort or on) and budget is None:
        if reasoning.get("exclude") is False:
            losses.add("reasoning.exclude", "thoughts are shown only where thinking is requested", "info")
        return {}, ""
    thinking, level = _thinking_and_effort(effort, budget, model, losses)
    return _add_display(thinking, reasoning), level


def _thinking_and_effort(effort: str, budget: int | None, model: str, losses: Losses) -> tuple[JsonObject, str]:
    if effort == "minimal":
        losses.add("reasoning_effort", "approximated by low", "info")
    level = EFFORTS.get(effort, "") if supports_adaptive_thinking(model) else ""
    if level == "xhigh" and not supports_xhigh_effort(model):
        losses.add("reasoning_effort", "approximated by high", "info")
        level = "high"
    if budget is not None and budget > 0 and supports_budget(model):
        return {"type": "enabled", "budget_tokens": budget}, level
    if not supports_adaptive_thinking(model):
        chosen = BUDGETS[effort or "medium"]
        losses.add("reasoning_effort", "sent as a budget of tokens", "info")
        return {"type": "enabled", "budget_tokens": chosen}, ""
    if budget is not None and budget > 0:
        losses.add("reasoning.max_tokens", "this model takes no budget: it decides")
    return {"type": "adaptive"}, level


def _add_display(thinking: JsonObject, reasoning: JsonObject) -> JsonObject:
    """Add whether thoughts are to be shown, where the request has that."""
    exclude = reasoning.get("exclude")
    if not isinstance(exclude, bool):
        return thinking
    return {**thinking, "display": "omitted" if exclude else "summarized"}
