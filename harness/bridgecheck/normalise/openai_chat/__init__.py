"""OpenAI Chat documents -> normal form."""

from bridgecheck.normalise.openai_chat.fold import fold
from bridgecheck.normalise.openai_chat.request import prompt
from bridgecheck.normalise.openai_chat.response import outcome
from bridgecheck.normalise.openai_chat.unfold import unfold

__all__ = ["fold", "outcome", "prompt", "unfold"]
