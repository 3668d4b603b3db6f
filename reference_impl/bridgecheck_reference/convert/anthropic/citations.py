"""Anthropic's citations as OpenAI's annotations, as far as these go: a page that was found, and the words it backs.

Sources: https://docs.anthropic.com/en/docs/build-with-claude/citations (stored copy read 2026-11-21); openai 3.52.0
``types.chat.chat_completion_message.Annotation``.
"""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import text


def annotation_of(citation: JsonObject, start: int, end: int) -> JsonObject | None:
    """A ``url_citation`` of content[start:end]; None for a citation of a document, which has no URL."""
    url = text(citation.get("url"))
    if not url:
        return None
    cited: JsonObject = {"start_index": start, "end_index": end, "title": text(citation.get("title")), "url": url}
    return {"type": "url_citation", "url_citation": cited}
