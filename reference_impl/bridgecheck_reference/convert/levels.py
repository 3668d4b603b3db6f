"""reasoning_effort -> the thinkingLevel that a Gemini model knows (mapping row R-24).

A level that a model does not know is refused with 400. Source:
https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking (stored copy read 2026-11-21); of the
first 3 Pro: https://discuss.ai.google.dev/t/112648.
"""

import re
from typing import Final

from bridgecheck_reference.loss import Losses

_WORDS: Final[dict[str, str]] = {
    "none": "MINIMAL", "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM", "high": "HIGH", "xhigh": "XHIGH",
    "max": "XHIGH",
}  # fmt: skip
_LADDER: Final = ("MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH")

_KNOWN: Final[tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]] = (
    (re.compile(r"gemini-3-pro"), ("LOW", "HIGH")),
    (re.compile(r"gemini-3(\.\d+)?-pro"), ("LOW", "MEDIUM", "HIGH")),
    (re.compile(r"gemini-3\.[78]-flash(?!-lite)"), ("LOW", "MEDIUM", "HIGH")),
    (re.compile(r"gemini-3(\.\d+)?-"), ("MINIMAL", "LOW", "MEDIUM", "HIGH")),
)
"""Part of a model's name -> its levels; the first that fits counts. Any other model is taken to know all."""


def level_of(effort: str, model: str, losses: Losses) -> str:
    """The level of that name, or the next higher one that the model knows, or its highest."""
    wanted = _WORDS[effort]
    known = next((levels for name, levels in _KNOWN if name.search(model.lower())), _LADDER)
    higher = [level for level in known if _LADDER.index(level) >= _LADDER.index(wanted)]
    level = higher[0] if higher else known[-1]
    if effort == "none":
        losses.add("reasoning_effort", "this model's thinking cannot be switched off: its lowest level")
    elif level.lower() != effort:
        losses.add("reasoning_effort", f"approximated by the level {level.lower()}", "info")
    return level
