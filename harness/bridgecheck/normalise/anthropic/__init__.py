"""Anthropic Messages documents -> normal form."""

from bridgecheck.normalise.anthropic.fold import fold
from bridgecheck.normalise.anthropic.request import prompt
from bridgecheck.normalise.anthropic.response import outcome
from bridgecheck.normalise.anthropic.write import error_document, text_message, unfold

__all__ = ["error_document", "fold", "outcome", "prompt", "text_message", "unfold"]
