"""Anthropic Messages documents -> normal form, and back."""

from bridgecheck.normalise.anthropic.request import read_request
from bridgecheck.normalise.anthropic.response import read_response
from bridgecheck.normalise.anthropic.stream import fold
from bridgecheck.normalise.anthropic.unfold_and_errors import error_document, text_message, unfold

__all__ = ["error_document", "fold", "read_request", "read_response", "text_message", "unfold"]
