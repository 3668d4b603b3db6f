"""Every recorded answer becomes a valid one in the other dialect, as the official SDKs read it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from bridgecheck import validate
from bridgecheck.normalise.anthropic.stream import fold
from bridgecheck_reference.conversion_profile import ANTHROPIC_PIVOT
from bridgecheck_reference.convert.anthropic.responses import anthropic_response_to_openai, openai_response_to_anthropic

from .answer_samples import EVENT, Json, finish, from_openai, to_openai

JOINED = {"vercel-ai/0035", "vercel-ai/0042", "vercel-ai/0045", "vercel-ai/0047", "vercel-ai/0048", "vercel-ai/0058"}
"""Streams of several messages, joined by hand by who recorded them: they have several ids."""


def read_recordings(folder: Path, path: str) -> Iterator[tuple[str, Json | None, list[Json]]]:
    """(id, unary answer, events) of every interaction at this path."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            if item["url_path"].split("?")[0].endswith(path) and item["provider"] not in ("gemini", "vertex"):
                body = item.get("response_body")
                events = [event for event in item.get("sse_chunks") or () if isinstance(event, dict)]
                yield item["id"], body if isinstance(body, dict) else None, events


def strip_nulls(document: object) -> object:
    """Remove nulls: readers treat them like absent members."""
    if isinstance(document, dict):
        return {key: strip_nulls(value) for key, value in document.items() if value is not None}
    return [strip_nulls(value) for value in document] if isinstance(document, list) else document


@pytest.mark.traffic
def test_anthropic_answers_to_openai(traffic_folder: Path) -> None:
    count = 0
    for id, body, events in read_recordings(traffic_folder, "/messages"):
        count += 1
        if body is not None:
            result = anthropic_response_to_openai(body)
            assert validate.response("openai-chat", "unary", result.value) == [], id
            assert (result.meta["status"] == 200) == (body["type"] == "message"), id
            assert "error" in result.value or ChatCompletion.model_validate(result.value), id
        if events:
            chunks = to_openai(events)
            assert [wrong for chunk in chunks for wrong in validate.response("openai-chat", "stream", chunk)] == [], id
            assert all(ChatCompletionChunk.model_validate(chunk) for chunk in chunks), id
            assert len(finish(chunks)) == 1, id
    assert count > 480


@pytest.mark.traffic
def test_openai_answers_to_anthropic(traffic_folder: Path) -> None:
    count = 0
    for id, body, events in read_recordings(traffic_folder, "/completions"):
        count += 1
        if body is not None:
            result = openai_response_to_anthropic(body)
            assert validate.response("anthropic", "unary", result.value) == [], id
            assert result.value["type"] == "error" or Message.model_validate(result.value), id
        if events:
            made = from_openai(events)
            assert [wrong for event in made for wrong in validate.response("anthropic", "stream", event)] == [], id
            assert all(event["type"] == "error" or EVENT.validate_python(event) for event in made), id
            assert made[-1]["type"] in ("message_stop", "error"), id
    assert count > 700


@pytest.mark.traffic
def test_anthropic_answers_through_the_pivot_and_back(traffic_folder: Path) -> None:
    for id, body, events in read_recordings(traffic_folder, "/messages"):
        if body is not None and body["type"] == "message":
            there = anthropic_response_to_openai(body, profile=ANTHROPIC_PIVOT).value
            assert strip_nulls(openai_response_to_anthropic(there, profile=ANTHROPIC_PIVOT).value) == strip_nulls(
                body
            ), id
        if events and id not in JOINED:
            chunks = to_openai(events, profile=ANTHROPIC_PIVOT)
            assert strip_nulls(fold(from_openai(chunks, profile=ANTHROPIC_PIVOT))) == strip_nulls(fold(events)), id
