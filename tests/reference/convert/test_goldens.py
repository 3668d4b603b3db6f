"""Six whole examples, from the plainest to thinking, tools and a stream, by default and by the letter.

A golden file: ``input``, the ``kind`` of document it is, and the whole output of each profile.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bridgecheck_reference.config import load_profile
from bridgecheck_reference.conversion_profile import Profile

from .with_habits import gemini_request_to_openai, open_stream, openai_response_to_gemini

ENV = {"GEMINI_TO_OPENAI_LOW_REASONING_THRESHOLD": "4096", "GEMINI_TO_OPENAI_HIGH_REASONING_THRESHOLD": "16384"}


def convert_stream(chunks: list[dict[str, object]], profile: Profile) -> list[dict[str, object]]:
    stream = open_stream("gemini", "openai-chat", profile)
    return [event for item in chunks for event in stream.feed(item)] + stream.close()


CONVERT: dict[str, Callable[..., object]] = {
    "request": lambda document, profile: gemini_request_to_openai(document, model="gpt-4", profile=profile).value,
    "response": lambda document, profile: openai_response_to_gemini(document, profile=profile).value,
    "stream": convert_stream,
}

GOLDENS = [
    pytest.param(golden, marks=pytest.mark.row(golden["row"]), id=path.stem)
    for path in sorted((Path(__file__).parent / "goldens").glob("*.json"))
    for golden in [json.loads(path.read_text(encoding="utf-8"))]
]


@pytest.mark.parametrize("profile", ["native", "letter"])
@pytest.mark.parametrize("golden", GOLDENS)
def test_the_whole_document(golden: dict[str, object], profile: str) -> None:
    assert CONVERT[str(golden["kind"])](golden["input"], load_profile(profile, ENV)) == golden[profile]


def test_there_are_six() -> None:
    assert len(GOLDENS) == 6
