"""Sources of an answer: Gemini's groundingMetadata against OpenAI's annotations (mapping row R-50).

Gemini counts the bytes of one part, OpenAI the characters of the whole text, so where a citation stands is known only
beside the whole text: in a unary answer. In a stream, which is passed on and not kept, each source is named once,
without its place (0 to 0). Sources: https://ai.google.dev/api/generate-content#GroundingMetadata, Segment of
google-genai 3.4.0 and https://platform.openai.com/docs/api-reference/chat/object (stored copies read 2026-11-21).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.casing import camel
from bridgecheck_reference.convert.read import arr, integer, obj, objs, text

URL: Final = "url_citation"
_KINDS: Final = ("web", "retrievedContext", "maps", "image")


def annotations_of(grounding: JsonObject, parts: Sequence[object] | None) -> list[JsonObject]:
    """groundingMetadata (in camelCase) -> annotations. ``parts``: those of the whole answer, None in a stream."""
    sources = [_source(chunk) for chunk in objs(grounding.get("groundingChunks"))]
    placed = [] if parts is None else list(_placed(grounding, len(sources), parts))
    cited = {number for number, _, _ in placed}
    rest = [(number, 0, 0) for number in range(len(sources)) if number not in cited]
    return [
        {"type": URL, URL: {"start_index": start, "end_index": end, **sources[number]}}
        for number, start, end in (*placed, *rest)
        if sources[number]
    ]


def grounding_of(annotations: Sequence[JsonObject], words: str | None) -> JsonObject:
    """annotations -> groundingMetadata, {} where no address is cited. ``words``: the whole text, None in a stream."""
    chunks: list[JsonObject] = []
    supports: list[JsonObject] = []
    for annotation in annotations:
        cited = obj(annotation.get(URL))
        if not text(cited.get("url")):
            continue
        web: JsonObject = {"uri": cited["url"]}
        if text(cited.get("title")):
            web["title"] = cited["title"]
        if {"web": web} not in chunks:
            chunks.append({"web": web})
        segment = _segment(cited, words)
        if segment:
            supports.append({"segment": segment, "groundingChunkIndices": [chunks.index({"web": web})]})
    found: JsonObject = {"groundingChunks": chunks} if chunks else {}
    return {**found, "groundingSupports": supports} if supports else found


def _source(chunk: JsonObject) -> JsonObject:
    """url and title of a grounding chunk, {} for one without an address."""
    chunk = camel(chunk)
    for kind in _KINDS:
        said = camel(chunk.get(kind))
        url = text(said.get("uri")) or text(said.get("sourceUri"))
        if url:
            return {"title": text(said.get("title")), "url": url}
    return {}


def _placed(grounding: JsonObject, count: int, parts: Sequence[object]) -> Iterator[tuple[int, int, int]]:
    """(source, start, end) of every citation whose place is known, in characters of the whole text."""
    for raw in objs(grounding.get("groundingSupports")):
        support = camel(raw)
        span = _span(camel(support.get("segment")), parts)
        for number in map(integer, arr(support.get("groundingChunkIndices"))):
            if span is not None and number is not None and 0 <= number < count:
                yield number, *span


def _span(segment: JsonObject, parts: Sequence[object]) -> tuple[int, int] | None:
    """Bytes of a part as characters of the text before and in it; None where the part has no such bytes."""
    place = integer(segment.get("partIndex")) or 0
    start, end = integer(segment.get("startIndex")) or 0, integer(segment.get("endIndex"))
    spoken = [_spoken(part) for part in parts]
    if end is None or not 0 <= place < len(spoken):
        return None
    said = spoken[place].encode("utf-8", "surrogatepass")
    if not 0 <= start <= end <= len(said):
        return None
    before = sum(map(len, spoken[:place]))
    return before + _characters(said[:start]), before + _characters(said[:end])


def _spoken(part: object) -> str:
    said = camel(part)
    return "" if said.get("thought") else text(said.get("text"))


def _characters(raw: bytes) -> int:
    return len(raw.decode("utf-8", "ignore"))


def _segment(cited: JsonObject, words: str | None) -> JsonObject:
    """Characters of the text as bytes; {} without a place in it."""
    start, end = integer(cited.get("start_index")), integer(cited.get("end_index"))
    if words is None or start is None or end is None or not 0 <= start < end <= len(words):
        return {}
    return {"startIndex": _bytes(words[:start]), "endIndex": _bytes(words[:end]), "text": words[start:end]}


def _bytes(words: str) -> int:
    return len(words.encode("utf-8", "surrogatepass"))
