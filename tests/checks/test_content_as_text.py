"""What a provider has no place for, written as text among the client's texts."""

import base64
import json
from hashlib import sha256

import pytest

from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import CallPart, MediaPart, OtherPart, TextPart, Turn

SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "ferry Ærø"}}
FOUND = {
    "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
    "content": [{"type": "web_search_result", "url": "https://ferry.example/timetable", "title": "Timetable"}],
}  # fmt: skip
LIGHTS = "Light list: Skagen West,\nwhite, every four seconds."
CLIP = "gs://harbour-clips/entrance.mp4"


def turn(role, *parts):
    return Turn(role, tuple(TextPart(part) if isinstance(part, str) else part for part in parts))


def block(value):
    return OtherPart(value["type"], json.dumps(value, sort_keys=True, ensure_ascii=False))


def file(mime, content=""):
    return MediaPart(Media(mime, sha256(content.encode()).hexdigest(), ""))


SEARCHED = (turn("user", "When?"), turn("assistant", "I search.", block(SEARCH), block(FOUND), "At 21.40."))
WRITTEN = json.dumps(SEARCH) + json.dumps(FOUND, ensure_ascii=False)
DOCUMENT = (turn("user", file("text/plain", LIGHTS), "Which light?"),)
PDF = (turn("user", file("application/pdf", LIGHTS), "Which light?"),)
VIDEO = (turn("user", MediaPart(Media("video/mp4", "", CLIP)), "How many gulls?"),)
IN_JSON = json.dumps({"type": "document", "source": {"type": "text", "data": LIGHTS}, "title": "Lights"})
IN_BASE64 = json.dumps({"type": "document", "source": {"data": base64.b64encode(LIGHTS.encode()).decode()}})
OF_VIDEO = json.dumps(
    {"_original": {"fileUri": CLIP, "mimeType": "video/mp4"}, "media": {"fileUri": CLIP}, "n": "x" * 90}
)
AN_CALL = CallPart(ToolCall("web_search", {"query": "ferry Ærø"}, "c1"))


def history(*parts):
    return (turn("user", "When?"), turn("assistant", *parts))


@pytest.mark.parametrize(
    ("client", "upstream", "expected_turns", "turns", "expected"),
    [
        ("anthropic", "gemini", SEARCHED, history("I search.", WRITTEN, "At 21.40."), "WARN"),
        ("anthropic", "openai-chat", SEARCHED, history("I search.\n" + WRITTEN + "\nAt 21.40."), "WARN"),
        ("anthropic", "gemini", SEARCHED, history("I search.", "[Searched: ferry Ærø]", "At 21.40."), "WARN"),
        ("anthropic", "gemini", SEARCHED, history("I search.", "Let me see.", "At 21.40."), "FAIL"),
        ("anthropic", "gemini", SEARCHED, history("I search.", "At 21.40."), "PASS"),
        ("anthropic", "gemini", SEARCHED, history("I search.", WRITTEN), "FAIL"),
        ("anthropic", "gemini", SEARCHED, history("I searched.", WRITTEN, "At 21.40."), "FAIL"),
        ("anthropic", "gemini", SEARCHED, history("At 21.40.", WRITTEN, "I search."), "FAIL"),
        ("anthropic", "gemini", SEARCHED, history("I search.", WRITTEN + "y" * 2000, "At 21.40."), "FAIL"),
        ("anthropic", "gemini", SEARCHED, history("I search.", WRITTEN, AN_CALL, "At 21.40."), "FAIL"),  # no result
        ("anthropic", "openai-chat", DOCUMENT, (turn("user", IN_JSON, "Which light?"),), "WARN"),
        ("anthropic", "openai-chat", DOCUMENT, (turn("user", IN_BASE64, "Which light?"),), "FAIL"),
        ("anthropic", "openai-chat", DOCUMENT, (turn("user", IN_JSON),), "FAIL"),
        ("anthropic", "openai-chat", DOCUMENT, (turn("user", "Which light?"),), "FAIL"),
        ("anthropic", "gemini", DOCUMENT, (turn("user", IN_JSON, "Which light?"),), "FAIL"),  # it takes such files
        ("anthropic", "openai-chat", PDF, (turn("user", IN_JSON, "Which light?"),), "FAIL"),
        ("gemini", "anthropic", VIDEO, (turn("user", OF_VIDEO, "How many gulls?"),), "WARN"),
        ("gemini", "anthropic", VIDEO, (turn("user", OF_VIDEO, "How many?"),), "FAIL"),
        ("gemini", "anthropic", VIDEO, (turn("user", "x" * 300, "How many gulls?"),), "FAIL"),
    ],
)  # fmt: skip
def test_content_without_a_place_may_be_written_out(case, status, client, upstream, expected_turns, turns, expected):
    evidence = case(
        client=client, upstream=upstream, client_prompt=case.prompt(dialect=client, turns=expected_turns),
        upstream_prompt=case.prompt(dialect=upstream, turns=turns),
    )  # fmt: skip
    assert status(evidence, "request.turns") == expected
