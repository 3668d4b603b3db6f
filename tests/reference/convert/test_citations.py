"""Sources of an answer, both ways, and where in the text they stand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.convert.citations import annotations_of, grounding_of
from bridgecheck_reference.convert.gemini_response import gemini_response_to_openai
from bridgecheck_reference.convert.gemini_stream import GeminiToOpenAIStream
from bridgecheck_reference.convert.openai_response import openai_response_to_gemini
from bridgecheck_reference.convert.openai_stream import OpenAIToGeminiStream
from bridgecheck_reference.profile import PIVOT

from .samples import Json, chunk, event, paths


def web(uri: str, title: str = "T") -> Json:
    return {"web": {"uri": uri, "title": title}}


def support(start: int | None, end: int, *chunks: int, part: int | None = None) -> Json:
    segment: Json = {"endIndex": end}
    if start is not None:
        segment["startIndex"] = start
    if part is not None:
        segment["partIndex"] = part
    return {"segment": segment, "groundingChunkIndices": list(chunks)}


def cited(url: str, start: int = 0, end: int = 0, title: str = "T") -> Json:
    return {
        "type": "url_citation",
        "url_citation": {"start_index": start, "end_index": end, "title": title, "url": url},
    }


def grounded(*parts: Json, chunks: list[Json], supports: list[Json], finish: str | None = "STOP") -> Json:
    told = event(*parts, finish=finish)
    told["candidates"][0]["groundingMetadata"] = {
        "groundingChunks": chunks,
        "groundingSupports": supports,
        "webSearchQueries": ["q"],
    }
    return told


@pytest.mark.parametrize(
    ("parts", "supports", "expected"),
    [
        ([{"text": "Rom ist alt."}], [support(None, 3, 0)], [cited("a", 0, 3), cited("b")]),
        ([{"text": "Über Köln."}], [support(6, 11, 0, 1)], [cited("a", 5, 9), cited("b", 5, 9)]),
        (
            [{"text": "hm", "thought": True}, {"text": "yes"}],
            [support(0, 3, 1, part=1)],
            [cited("b", 0, 3), cited("a")],
        ),
        ([{"text": "one "}, {"text": "two"}], [support(0, 3, 0, part=1)], [cited("a", 4, 7), cited("b")]),
        ([{"text": "x"}], [support(0, 99, 0), support(0, 1, 7)], [cited("a"), cited("b")]),
    ],
)
def test_bytes_of_a_part_become_characters_of_the_text(
    parts: list[Json], supports: list[Json], expected: list[Json]
) -> None:
    answer = grounded(*parts, chunks=[web("a"), web("b")], supports=supports)
    told = gemini_response_to_openai(answer)
    assert told.value["choices"][0]["message"]["annotations"] == expected
    assert "candidates[].groundingMetadata" in paths(told.losses)


def test_a_stream_names_each_source_once_without_its_place() -> None:
    stream = GeminiToOpenAIStream()
    chunks = stream.feed(event({"text": "Über "}))
    for finish in (None, "STOP"):
        chunks += stream.feed(
            grounded({"text": "Köln"}, chunks=[web("a"), web("b")], supports=[support(0, 5, 0)], finish=finish)
        )
    chunks += stream.close()
    found = [one for told in chunks for choice in told["choices"] for one in choice["delta"].get("annotations", [])]
    assert found == [cited("a"), cited("b")]


def test_carried_documents_keep_their_own_grounding() -> None:
    answer = grounded({"text": "x"}, chunks=[web("a")], supports=[])
    told = gemini_response_to_openai(answer, profile=PIVOT).value
    assert "annotations" not in told["choices"][0]["message"]
    back = openai_response_to_gemini(told, profile=PIVOT).value
    assert back["candidates"][0]["groundingMetadata"] == answer["candidates"][0]["groundingMetadata"]


def test_annotations_become_grounding() -> None:
    message = {"content": "Über Köln.", "annotations": [cited("a", 5, 9), cited("b"), cited("a", 0, 4)]}
    told = openai_response_to_gemini({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert told.value["candidates"][0]["groundingMetadata"] == {
        "groundingChunks": [web("a"), web("b")],
        "groundingSupports": [
            {"segment": {"startIndex": 6, "endIndex": 11, "text": "Köln"}, "groundingChunkIndices": [0]},
            {"segment": {"startIndex": 0, "endIndex": 5, "text": "Über"}, "groundingChunkIndices": [0]},
        ],
    }
    assert told.losses == ()


def test_annotations_of_a_stream_come_with_its_end() -> None:
    stream = OpenAIToGeminiStream()
    events = stream.feed(chunk({"content": "Köln"})) + stream.feed(chunk({"annotations": [cited("a", 0, 4)]}))
    events += stream.feed(chunk({}, "stop")) + stream.close()
    assert events[-1]["candidates"][0]["groundingMetadata"] == {"groundingChunks": [web("a")]}


@pytest.mark.parametrize("annotations", [[{"type": "file_citation", "file_citation": {"file_id": "f"}}], [{}]])
def test_annotations_other_than_addresses_are_recorded(annotations: list[Json]) -> None:
    message = {"content": "x", "annotations": annotations}
    told = openai_response_to_gemini({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert "groundingMetadata" not in told.value["candidates"][0]
    assert "choices[].delta.annotations" in paths(told.losses)


@pytest.mark.parametrize("nonsense", [None, [], {}, "x", [None], [{"url_citation": 1}]])
def test_nonsense_is_no_annotation(nonsense: object) -> None:
    message = {"content": "x", "annotations": nonsense}
    told = openai_response_to_gemini({"choices": [{"message": message, "finish_reason": "stop"}]}).value
    assert "groundingMetadata" not in told["candidates"][0]
    assert annotations_of({"groundingChunks": nonsense, "groundingSupports": nonsense}, [nonsense]) == []


@given(st.text(min_size=1, max_size=30), st.lists(st.integers(0, 30), min_size=2, max_size=6))
def test_places_come_back(words: str, cuts: list[int]) -> None:
    spans = [(start, end) for start, end in pairwise(sorted(min(cut, len(words)) for cut in cuts)) if start < end]
    annotations = [cited(f"u{number}", *span) for number, span in enumerate(spans)]
    grounding = grounding_of(annotations, words)
    assert annotations_of(grounding, [{"text": words}]) == annotations
