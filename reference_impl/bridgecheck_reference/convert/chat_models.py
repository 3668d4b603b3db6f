"""What depends on OpenAI's model names."""

import re
from typing import Final

_REASONING: Final = re.compile(r"(?:openai/)?(?:o\d|gpt-5)")


def refuses_max_tokens(model: str) -> bool:
    """Return whether OpenAI's model takes its limit as ``max_completion_tokens`` alone: those that reason do, whatever
    effort is requested. Recorded: ``Unsupported parameter: 'max_tokens' is not supported with this model``."""
    return _REASONING.match(model) is not None
