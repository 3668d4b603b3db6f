"""Thinking: reasoning_effort and thinkingLevel (Gemini 3 and later) or thinkingBudget (2.5), both ways (mapping row
R-24).

Budgets for 2.5 are the numbers in widest use. Source: https://ai.google.dev/gemini-api/docs/thinking:
budget 0 = off, -1 = the model decides, 2.5 Pro cannot be switched off and has a minimum of 128; a level is refused by
2.5. A level that a model does not know is refused with 400. Source:
https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking (stored copy read 2026-11-21); of the
first 3 Pro: https://discuss.ai.google.dev/t/112648.
"""

import re
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.json_values import camel, integer, obj, text
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

_LEVEL_OF_EFFORT: Final[dict[str, str]] = {
    "none": "MINIMAL", "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM", "high": "HIGH", "xhigh": "XHIGH",
    "max": "XHIGH",
}  # fmt: skip
_LADDER: Final = ("MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH")

_LEVELS_OF_MODELS: Final[tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]] = (
    (re.compile(r"gemini-3-pro"), ("LOW", "HIGH")),
    (re.compile(r"gemini-3(\.\d+)?-pro"), ("LOW", "MEDIUM", "HIGH")),
    (re.compile(r"gemini-3\.[78]-flash(?!-lite)"), ("LOW", "MEDIUM", "HIGH")),
    (re.compile(r"gemini-3(\.\d+)?-"), ("MINIMAL", "LOW", "MEDIUM", "HIGH")),
    (re.compile(r"gemini-flash-lite"), ("MINIMAL", "LOW", "MEDIUM", "HIGH")),
    (re.compile(r"gemini-(?!\d)"), ("LOW", "MEDIUM", "HIGH")),
)
"""Part of a model's name -> its levels; the first that fits counts. A name without a version gets those that every
model has which it stood for; any other model is taken to know all. Minimal is refused by 3.7 Flash:
https://github.com/fishjar/kiss-translator/issues/1048 (read 2026-11-23)."""


def choose_thinking_level(effort: str, model: str, losses: Losses) -> str:
    """Return the level of that name, or the next higher one that the model knows, or its highest."""
    requested = _LEVEL_OF_EFFORT[effort]
    known = next((levels for name, levels in _LEVELS_OF_MODELS if name.search(model.lower())), _LADDER)
    higher = [level for level in known if _LADDER.index(level) >= _LADDER.index(requested)]
    level = higher[0] if higher else known[-1]
    if effort == "none":
        losses.add("reasoning_effort", "this model's thinking cannot be switched off: its lowest level")
    elif level.lower() != effort:
        losses.add("reasoning_effort", f"approximated by the level {level.lower()}", "info")
    return level


BUDGETS: Final[dict[str, int]] = {
    "none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 24576, "max": 24576,
}  # fmt: skip
EFFORTS: Final[frozenset[str]] = frozenset(BUDGETS)

MODEL_DECIDES: Final = -1
BUDGET_FIELD: Final = "generationConfig.thinkingConfig.thinkingBudget"

_SMALLEST_PRO: Final = 128

_SILENCED_ALIASES: Final = re.compile(r"gemini-flash(-lite)?-latest")
"""Names that take a budget of 0 and then do not think: maruel-genai/0451 (answered by gemini-3.5-flash) and 0452 (by
gemini-3.1-flash-lite). Their lowest common level may be low, which is not off."""

LOW_VARIABLE: Final = "GEMINI_TO_OPENAI_LOW_REASONING_THRESHOLD"
HIGH_VARIABLE: Final = "GEMINI_TO_OPENAI_HIGH_REASONING_THRESHOLD"
MOST_VARIABLE: Final = "OPENAI_REASONING_MAX_TOKENS"
"""The environment variables that a profile's ``low_budget``, ``high_budget`` and ``reasoning_max_tokens`` come from."""


def supports_thinking_levels(model: str) -> bool:
    """Return whether a model takes thinkingLevel and demands signatures: Gemini 3 and later, by its name."""
    generation = _model_generation(model)
    return generation is not None and generation >= 3


def supports_media_in_results(model: str) -> bool:
    """Return whether a model takes media inside a tool result: Gemini 3 and later, and a name that is not Gemini's.

    Source: https://ai.google.dev/gemini-api/docs/function-calling (multimodal function responses).
    """
    generation = _model_generation(model)
    return generation is None or generation >= 3


def thinking_config_to_reasoning(config: object) -> JsonObject:
    """Return thinkingConfig as the ``reasoning`` of a document that no wire sees; {} for none."""
    thinking = camel(config)
    level = text(thinking.get("thinkingLevel")).lower()
    budget = integer(thinking.get("thinkingBudget"))
    reasoning: JsonObject = {}
    if level and level != "thinking_level_unspecified":
        reasoning["effort"] = level
    if budget is not None and budget >= 0:
        reasoning["max_tokens"] = budget
    elif budget is not None:
        reasoning["enabled"] = True
    if isinstance(thinking.get("includeThoughts"), bool):
        reasoning["exclude"] = not thinking["includeThoughts"]
    return reasoning


def thinking_config_to_effort(config: object, profile: Profile, losses: Losses) -> str:
    """Convert thinkingConfig to reasoning_effort, "" for none."""
    thinking = camel(config)
    level = text(thinking.get("thinkingLevel")).lower()
    budget = integer(thinking.get("thinkingBudget"))
    if "includeThoughts" in thinking and not profile.carries_gemini:
        losses.add(
            "generationConfig.thinkingConfig.includeThoughts", "Chat Completions cannot ask for thoughts", "info"
        )
    if level and level != "thinking_level_unspecified":
        return level
    if budget is None:
        return ""
    if budget == 0:
        return "none"
    return budget_to_effort(budget, profile)


def budget_to_effort(budget: int, profile: Profile, field: str = BUDGET_FIELD) -> str:
    """Return the effort of a budget above 0, or of -1, which leaves it to the model.

    Raises ConversionError, naming ``field``, where a bound is not set.
    """
    low, high = (
        _require_bound(profile.low_budget, LOW_VARIABLE, field),
        _require_bound(profile.high_budget, HIGH_VARIABLE, field),
    )
    if budget < 0 or budget > high:
        return "high"
    return "low" if budget <= low else "medium"


def request_to_thinking_config(request: JsonObject, model: str, losses: Losses) -> JsonObject | None:
    """Return what an OpenAI request holds on thinking, in any host's spelling, as thinkingConfig; None for nothing."""
    effort = text(request.get("reasoning_effort")).lower()
    budget: int | None = None
    reasoning = obj(request.get("reasoning"))
    if reasoning:
        effort = effort or text(reasoning.get("effort")).lower()
        budget = integer(reasoning.get("max_tokens"))
    switch = obj(request.get("thinking"))
    if switch.get("type") == "disabled" or request.get("enable_thinking") is False:
        effort = effort or "none"
    elif budget is None:
        budget = integer(switch.get("budget_tokens"))
    made = _effort_to_thinking_config(effort, budget, model, losses) if effort or budget is not None else None
    if made is None and reasoning.get("enabled") is True and not effort:
        made = {} if supports_thinking_levels(model) else {"thinkingBudget": MODEL_DECIDES}
    if isinstance(reasoning.get("exclude"), bool) and effort != "none":
        made = {**(made or {}), "includeThoughts": not reasoning["exclude"]}
    return made or None


def _effort_to_thinking_config(effort: str, budget: int | None, model: str, losses: Losses) -> JsonObject | None:
    generation = _model_generation(model)
    if generation is not None and generation < 2.5:
        losses.add("reasoning_effort", "this model does not think")
        return None
    if budget is not None and not effort:
        return {"thinkingBudget": budget}
    if effort not in EFFORTS:
        losses.add("reasoning_effort", "unknown effort, left to the model")
        return None
    if effort == "none" and _SILENCED_ALIASES.search(model.lower()):
        return {"thinkingBudget": BUDGETS[effort]}
    if supports_thinking_levels(model):
        return {"thinkingLevel": choose_thinking_level(effort, model, losses)}
    if effort in ("xhigh", "max"):
        losses.add("reasoning_effort", "approximated by the highest setting", "info")
    if effort == "none" and "gemini-2.5-pro" in model:
        losses.add("reasoning_effort", "this model's thinking cannot be switched off: its smallest budget")
        return {"thinkingBudget": _SMALLEST_PRO}
    return {"thinkingBudget": BUDGETS[effort]}


def _require_bound(bound: int | None, variable: str, field: str) -> int:
    if bound is None:
        raise ConversionError(f"{variable} environment variable is required to convert a thinking budget", field)
    return bound


_VERSION: Final = re.compile(r"gemini-(?:live-)?(\d+(?:\.\d+)?)?")
NEWEST_GENERATION: Final = 3.8
"""The newest family of Gemini on 2026-11-23, which a name without a version is taken for.

========================== ============ ============================ ===========================================
alias                      since        stands for                   known from
========================== ============ ============================ ===========================================
gemini-pro-latest          2026-01-21   3 Pro, then 3.1 Pro Preview  changelog; maruel-genai/0409
gemini-flash-latest        2026-01-21   3 Flash, then 3.5, 3.6 Flash changelog; maruel-genai/0298, llm-gemini/0001
gemini-flash-lite-latest   (recorded)   3.1 Flash-Lite               maruel-genai/0443
========================== ============ ============================ ===========================================

Changelog: https://ai.google.dev/gemini-api/docs/changelog (stored copy read 2026-11-23). All of them demand signatures;
a level is refused by 2.5 alone.
"""


def _model_generation(model: str) -> float | None:
    """Return 3.1 of "gemini-3.1-pro", the newest of "gemini-pro-latest", None of a name that is not Gemini's."""
    found = _VERSION.search(model.lower())
    if found is None:
        return None
    return float(found[1]) if found[1] else NEWEST_GENERATION
