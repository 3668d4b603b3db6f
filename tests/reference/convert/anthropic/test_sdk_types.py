"""What is sent to Anthropic is what the SDK's own parameter types take, block by block: its lists are lazy iterables."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from anthropic.types import (
    ContentBlockParam,
    MetadataParam,
    OutputConfigParam,
    TextBlockParam,
    ThinkingConfigParam,
    ToolChoiceParam,
    ToolParam,
)
from pydantic import TypeAdapter

from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
from bridgecheck_reference.convert.gemini_request import gemini_request_to_openai
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.profile import MEMORY

from .dialogue import Json
from .test_request_laws import recorded

BLOCK, SYSTEM, TOOL = TypeAdapter(ContentBlockParam), TypeAdapter(TextBlockParam), TypeAdapter(ToolParam)
MEMBERS: dict[str, TypeAdapter[object]] = {
    "thinking": TypeAdapter(ThinkingConfigParam),
    "tool_choice": TypeAdapter(ToolChoiceParam),
    "output_config": TypeAdapter(OutputConfigParam),
    "metadata": TypeAdapter(MetadataParam),
}
KNOWN = {"model", "max_tokens", "messages", "system", "tools", "stream", "temperature", "top_p", "top_k",
         "stop_sequences", "service_tier", *MEMBERS}  # fmt: skip


def check(made: Json) -> None:
    assert made.keys() <= KNOWN
    for message in made["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else []:
            BLOCK.validate_python(block, strict=True)
            for inner in block.get("content", []) if isinstance(block.get("content"), list) else []:
                BLOCK.validate_python(inner, strict=True)
    for block in made.get("system", []) if isinstance(made.get("system"), list) else []:
        SYSTEM.validate_python(block, strict=True)
    for tool in made.get("tools", []):
        TOOL.validate_python(tool, strict=True)
    for key, adapter in MEMBERS.items():
        if key in made:
            adapter.validate_python(made[key], strict=True)


def gemini(folder: Path) -> Iterator[tuple[str, Json]]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            asks = item["provider"] in ("gemini", "vertex") and "enerateContent" in item["url_path"]
            if asks and isinstance(item["request_body"], dict) and item["status"] == 200:
                yield item["id"], item["request_body"]


@pytest.mark.traffic
def test_what_openai_clients_asked(traffic_folder: Path) -> None:
    count = 0
    for _, body in recorded(traffic_folder, "openai"):
        check(openai_request_to_anthropic({**body, "model": "m"}).value)
        count += 1
    assert count > 500


@pytest.mark.traffic
def test_what_gemini_clients_asked(traffic_folder: Path) -> None:
    count, refused = 0, []
    for id, body in gemini(traffic_folder):
        try:
            there = gemini_request_to_openai(body, model="m", profile=MEMORY).value
            made = openai_request_to_anthropic(there, profile=MEMORY).value
        except ConversionError:
            refused.append(id)
            continue
        check(made)
        count += 1
    assert count > 400
    assert refused == []
