"""Gemini documents -> normal form."""

from bridgecheck.normalise.gemini.fold import fold
from bridgecheck.normalise.gemini.request import prompt
from bridgecheck.normalise.gemini.response import outcome
from bridgecheck.normalise.gemini.write import error_document, text_message, unfold

__all__ = ["error_document", "fold", "outcome", "prompt", "text_message", "unfold"]
