"""Gemini documents -> normal form."""

from bridgecheck.normalise.gemini.fold import fold
from bridgecheck.normalise.gemini.request import prompt
from bridgecheck.normalise.gemini.response import outcome
from bridgecheck.normalise.gemini.unfold import unfold

__all__ = ["fold", "outcome", "prompt", "unfold"]
