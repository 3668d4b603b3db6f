"""Gemini documents -> normal form, and back."""

from bridgecheck.normalise.gemini.request import read_request
from bridgecheck.normalise.gemini.response import read_response
from bridgecheck.normalise.gemini.stream import fold
from bridgecheck.normalise.gemini.unfold_and_errors import error_document, text_message, unfold

__all__ = ["error_document", "fold", "read_request", "read_response", "text_message", "unfold"]
