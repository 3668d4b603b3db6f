"""OpenAI Chat documents -> normal form."""

from bridgecheck.normalise.openai_chat.fold import fold
from bridgecheck.normalise.openai_chat.request import prompt
from bridgecheck.normalise.openai_chat.response import outcome
from bridgecheck.normalise.openai_chat.write import error_document, text_message, unfold

__all__ = ["error_document", "fold", "outcome", "prompt", "text_message", "unfold"]
