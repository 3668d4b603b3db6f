"""Every recorded request and answer goes through every converter, both ways, unharmed and without changing its input."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridgecheck_reference.conversion_profile import CHAT_PIVOT, NATIVE, PIVOT, Profile
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai, openai_response_to_gemini
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream
from bridgecheck_reference.errors import ConversionError

from .samples import Json

REFUSED = {
    "ai-gateway/0010": "no messages at all, refused by the provider too",
    "otel-contrib/0036": "an invalid role on purpose, refused by the provider too",
}


def read_recordings(folder: Path, dialect: str) -> Iterator[Json]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            gemini = item["provider"] in ("gemini", "vertex") and "enerateContent" in item["url_path"]
            chat = "/completions" in item["url_path"] and item["provider"].startswith("openai")
            if (gemini and dialect == "gemini") or (chat and dialect == "openai-chat"):
                yield item


def events_of(item: Json) -> list[Json]:
    body = item.get("response_body")
    found = item.get("sse_chunks") or (body if isinstance(body, list) else [])
    return [event for event in found if isinstance(event, dict)] if isinstance(found, list) else []


def run_stream(machine: GeminiToOpenAIStream | OpenAIToGeminiStream, events: list[Json]) -> list[Json]:
    return [made for event in events for made in machine.feed(event)] + machine.close()


def assert_input_unchanged(convert: Callable[[Json], object], document: Json) -> None:
    before = copy.deepcopy(document)
    convert(document)
    assert document == before


def convert_both_ways(item: Json, dialect: str) -> None:
    body = item["request_body"]
    assert isinstance(body, dict)
    if dialect == "gemini":
        assert_input_unchanged(lambda request: gemini_request_to_openai(request, model="m"), body)
        there = gemini_request_to_openai(body, model="m", profile=PIVOT).value
        assert openai_request_to_gemini(there, profile=PIVOT).value["contents"]
    else:
        assert_input_unchanged(openai_request_to_gemini, body)
        there = openai_request_to_gemini(body, profile=CHAT_PIVOT).value
        assert gemini_request_to_openai(there, model="m", profile=CHAT_PIVOT).value["messages"]


@pytest.mark.traffic
@pytest.mark.parametrize("dialect", ["gemini", "openai-chat"])
def test_requests(traffic_folder: Path, dialect: str) -> None:
    refused = set()
    count = 0
    for item in read_recordings(traffic_folder, dialect):
        if isinstance(item["request_body"], dict):
            count += 1
            try:
                convert_both_ways(item, dialect)
            except ConversionError:
                refused.add(item["id"])
    assert refused <= set(REFUSED)
    assert count > 600


@pytest.mark.traffic
@pytest.mark.parametrize("profile", [NATIVE, PIVOT])
def test_gemini_answers(traffic_folder: Path, profile: Profile) -> None:
    for item in read_recordings(traffic_folder, "gemini"):
        body = item["response_body"]
        if isinstance(body, dict):
            assert_input_unchanged(lambda response: gemini_response_to_openai(response, profile=profile), body)
            there = gemini_response_to_openai(body, profile=profile).value
            assert openai_response_to_gemini(there, profile=profile).value, item["id"]
        if events := events_of(item):
            chunks = run_stream(GeminiToOpenAIStream(profile=profile), events)
            assert well_formed(chunks), item["id"]
            assert run_stream(OpenAIToGeminiStream(profile=profile), chunks), item["id"]


@pytest.mark.traffic
@pytest.mark.parametrize("profile", [NATIVE, CHAT_PIVOT])
def test_openai_answers(traffic_folder: Path, profile: Profile) -> None:
    for item in read_recordings(traffic_folder, "openai-chat"):
        body = item["response_body"]
        if isinstance(body, dict):
            assert_input_unchanged(lambda response: openai_response_to_gemini(response, profile=profile), body)
            there = openai_response_to_gemini(body, profile=profile).value
            assert gemini_response_to_openai(there, profile=profile).value, item["id"]
        if events := events_of(item):
            there = run_stream(OpenAIToGeminiStream(profile=profile), events)
            assert all("error" in event or event.get("candidates") or event.get("usageMetadata") for event in there)
            assert well_formed(run_stream(GeminiToOpenAIStream(profile=profile), there)), item["id"]


def well_formed(chunks: list[Json]) -> bool:
    """One finish a choice and an end, or an error at the end; constant head; role in the first delta only."""
    if "error" in chunks[-1]:
        chunks = chunks[:-1]
        ended = True
    else:
        ended = False
    finishes: dict[object, int] = {}
    roles: dict[object, int] = {}
    for choice in (choice for chunk in chunks for choice in chunk["choices"]):
        finishes[choice["index"]] = finishes.get(choice["index"], 0) + (choice["finish_reason"] is not None)
        roles[choice["index"]] = roles.get(choice["index"], 0) + ("role" in choice["delta"])
    heads = {(chunk["id"], chunk["model"], chunk["created"]) for chunk in chunks}
    once = all(count == 1 for count in finishes.values())
    return len(heads) <= 1 and all(count == 1 for count in roles.values()) and (ended or once)
