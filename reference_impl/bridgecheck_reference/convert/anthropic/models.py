"""What a Claude model takes, by its name; a name that tells no version is taken for a model of today.

Sources: https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking (from 3.7),
https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html (adaptive from 4.6, budgets
refused from 4.7), https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-7 (no sampling settings),
the error text "`temperature` and `top_p` cannot both be specified for this model" (from 4.1).
"""

from typing import Final

THINKS: Final = (3, 7)
ONE_SAMPLER: Final = (4, 1)
ADAPTIVE: Final = (4, 6)
NO_BUDGET: Final = (4, 7)


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
