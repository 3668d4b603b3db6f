"""The words of a message, without what differs from case to case: what two crashes or error answers of one cause share.

Ids, numbers, addresses, times, names of models and quoted values are masked. A quoted name that stands in the
documentation of a dialect stays: that ``top_logprobs`` is refused is another fault than that ``functions`` is. Of an
error document the words of its message stay, whatever the client's dialect wraps them in.
"""

import re
from functools import cache
from typing import Final

from bridgecheck.wire import anthropic_documents, gemini_documents, openai_chat_documents

_MAX_LENGTH: Final = 300
_MAX_READ: Final = 4000
"""Characters read of a message: it may hold a document."""
_MESSAGE_MEMBER: Final = re.compile(
    r"""(["'])(?:message|detail)\1\s*:\s*(["'])((?:\\.|(?!\2)[^\\])*)(?:\2|$)""", re.DOTALL
)
_ANSWERED: Final = re.compile(r"^(.*?\banswered \d{3}\b)", re.DOTALL)
_REST_OF_TRACE: Final = re.compile(r"\s*Traceback \(most recent call last\).*", re.DOTALL)
_INPUT_VALUE: Final = re.compile(r"input_value=.*?(?=, input_type|\]|$)")
_BRACES: Final = re.compile(r"\{[^{}]*(?:\}|$)")
_QUOTED: Final = re.compile(r"""(?<!\w)(?:'([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`)(?!\w)""")
_ADDRESS: Final = re.compile(r"\b\w+://[^\s'\"`<>)\]]+|\b[\w.+-]+@[\w-]+\.\w+|\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b")
_MODEL: Final = re.compile(r"\bmodel(\s*[=:]\s*|\s+)(?:models/)?[\w./:-]*\d[\w./:-]*")
_ID: Final = re.compile(r"\b(?=[\w-]*\d)(?:[\w-]{8,}|[A-Za-z]+[_-][\w-]+)\b")
_HEX: Final = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*")


@cache
def documented_names() -> frozenset[str]:
    """Return the names of all members that the documents of the dialects have."""
    documents = (anthropic_documents, gemini_documents, openai_chat_documents)
    types = (item for module in documents for item in vars(module).values() if isinstance(item, type))
    return frozenset(name for item in types for name in vars(item).get("__annotations__", {}))


def message_shape(message: str) -> str:
    """Return the message's own words."""
    message = message[:_MAX_READ]
    found = _MESSAGE_MEMBER.search(message)
    if found is None:
        return _mask_values(_REST_OF_TRACE.sub("", message))
    status = _ANSWERED.match(message[: found.start()])
    before = status[1] if status else _mask_values(message[: found.start()].partition("{")[0])
    own_words = found[3].replace("\\n", "\n").replace('\\"', '"').replace("\\'", "'")
    return f"{before}: {message_shape(own_words)}"[:_MAX_LENGTH]


def _mask_values(text: str) -> str:
    plain = _MODEL.sub("model M", _ADDRESS.sub("U", _INPUT_VALUE.sub("input_value=_", text)))
    while (shorter := _BRACES.sub("_", plain)) != plain:
        plain = shorter
    plain = _QUOTED.sub(_mask_unless_documented, plain)
    plain = _NUMBER.sub("N", _ID.sub("I", _HEX.sub("H", plain)))
    return " ".join(plain.split())[:_MAX_LENGTH]


def _mask_unless_documented(quoted: re.Match[str]) -> str:
    value = next((group for group in quoted.groups() if group is not None), "")
    return f"'{value}'" if value in documented_names() else "'_'"
