"""OpenAI Chat documents -> normal form, and back."""

from bridgecheck.normalise.openai_chat.request import read_request
from bridgecheck.normalise.openai_chat.response import read_response
from bridgecheck.normalise.openai_chat.stream import fold
from bridgecheck.normalise.openai_chat.unfold_and_errors import error_document, text_message, unfold

__all__ = ["error_document", "fold", "read_request", "read_response", "text_message", "unfold"]
