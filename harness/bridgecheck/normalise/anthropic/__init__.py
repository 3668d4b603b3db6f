"""Anthropic Messages documents -> normal form."""

from bridgecheck.normalise.anthropic.fold import fold
from bridgecheck.normalise.anthropic.request import prompt
from bridgecheck.normalise.anthropic.response import outcome
from bridgecheck.normalise.anthropic.unfold import unfold

__all__ = ["fold", "outcome", "prompt", "unfold"]
