"""Conversion of recorded streams against the floor: every stream from its first event to its close, as it was recorded.

Most of them are a few events long, so the setting up counts for much. The recordings are read where they lie, and the
figures are left out, with a note, where there are none. ``BRIDGECHECK_TRAFFIC`` names another folder.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from against_floor import stream
from documents import encode_documents
from figures import Figure

FOLDER = Path(os.environ.get("BRIDGECHECK_TRAFFIC") or Path(__file__).resolve().parents[2] / "shared" / "real_traffic")


def measure() -> Iterator[Figure]:
    from bridgecheck_reference import GeminiToOpenAIStream, OpenAIToGeminiStream
    from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream

    if not any(FOLDER.glob("*.jsonl")):
        print(f"no recorded traffic at {FOLDER}: nothing is measured", file=sys.stderr)
        return
    machines = {"gemini": GeminiToOpenAIStream, "openai": OpenAIToGeminiStream, "anthropic": AnthropicToOpenAIStream}
    for provider, machine in machines.items():
        streams = list(_streams(provider))
        events = sum(map(len, streams))
        target = "Gemini" if provider == "openai" else "OpenAI"
        yield stream(f"{len(streams)} recorded {provider} streams > {target}, {events:,} events", machine, streams)


def _streams(provider: str) -> Iterator[list[bytes]]:
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            item: dict[str, Any] = json.loads(line)
            chunks = [chunk for chunk in item.get("sse_chunks") or [] if isinstance(chunk, dict)]
            if chunks and item["provider"] == provider and item["status"] == 200:
                yield encode_documents(chunks)
