"""Bytes of an answer as the documents they hold."""

import json
import re
from typing import Any


def documents_in(body: bytes) -> list[Any]:
    """The events of a stream (server-sent ones, or a JSON array), or the one document of a body."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff")
    if re.match(r"\s*(data|event|id|retry)?:", text):
        events = re.split(r"(?:\r\n|\n|\r){2,}", text)
        payloads = ["\n".join(re.findall(r"^data: ?(.*?)\r?$", event, re.MULTILINE)) for event in events]
        return [json.loads(payload) for payload in payloads if payload.strip() not in ("", "[DONE]")]
    try:
        found = json.loads(text)
    except ValueError:
        return [text] if text else []
    return found if isinstance(found, list) else [found]
