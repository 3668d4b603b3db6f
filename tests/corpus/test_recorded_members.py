"""A script of a provider holds what models of its family are known to send: in a recording, or in the documentation.

A scenario whose script holds anything else is a NOTE (level MAY), for an adapter that stumbles over it never meets it.
The members are read from the recorded traffic where it lies; without it these tests are skipped and say so.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.corpus.conftest import raw

from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.wire import DIALECTS, Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

DOCUMENTED: dict[Dialect, dict[str, str]] = {
    "gemini": {
        ".candidates[].content.parts[].inlineData": "https://ai.google.dev/gemini-api/docs/image-generation",
        ".candidates[].content.parts[].partMetadata": "https://ai.google.dev/api/caching#Part",
        ".candidates[].continuationToken": "google-genai 3.4.0, types.Candidate.continuation_token",
        ".candidates[].safetyRatings": "https://ai.google.dev/api/generate-content#SafetyRating",
        ".promptFeedback": "https://ai.google.dev/api/generate-content#PromptFeedback",
    },
    "openai-chat": {
        ".choices[].delta.extra_content": "https://ai.google.dev/gemini-api/docs/thought-signatures",
        ".choices[].delta.tool_calls[].extra_content": "https://ai.google.dev/gemini-api/docs/thought-signatures",
        ".choices[].message.extra_content": "https://ai.google.dev/gemini-api/docs/thought-signatures",
        ".choices[].message.tool_calls[].extra_content": "https://ai.google.dev/gemini-api/docs/thought-signatures",
        ".choices[].delta.function_call": "https://platform.openai.com/docs/api-reference/chat/streaming",
    },
    "anthropic": {
        ".delta.citation": "https://docs.anthropic.com/en/docs/build-with-claude/citations",
        ".content[].citations": "https://docs.anthropic.com/en/docs/build-with-claude/citations",
        ".wind": "https://docs.anthropic.com/en/api/messages-streaming, Other events: unknown types are to be expected",
    },
}
"""Members (and all below them) that no recording has and the documentation of the API does."""

INPUTS = (".args", ".input", ".response")
"""What the developer of a tool names, not the API."""

KINDS = {type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", list: "array"}


class Family(NamedTuple):
    """Models whose responses have the same members."""

    dialect: Dialect
    name: str
    mode: str


def family_of(dialect: Dialect, mode: str, documents: list[JsonObject], requested: str) -> Family:
    """Return the family of a response. Gemini's responses have the same form in both modes, and its generations differ;
    any host may answer Chat Completions."""
    if dialect != "gemini":
        return Family(dialect, "", mode)
    reported = next((text(document.get("modelVersion")) for document in documents if "modelVersion" in document), "")
    generation = re.search(r"gemini-(3|\d\.\d)", reported or requested)
    return Family(dialect, generation[1] if generation else "", "")


def members(value: object, path: str = "") -> Iterator[str]:
    """Yield the path and kind of everything in a document, ``.choices[].delta null``, and calls without an index."""
    yield f"{path} {KINDS.get(type(value), 'object')}"
    if isinstance(value, dict) and not path.endswith(INPUTS):
        for key, member in value.items():
            yield from members(member, f"{path}.{key}")
        if path == ".choices[].delta.tool_calls[]" and "index" not in value:
            yield f"{path}.index absent"
    elif isinstance(value, list):
        for item in value:
            yield from members(item, f"{path}[]")


@pytest.fixture(scope="module")
def recorded_members(traffic_folder: Path) -> dict[Family, set[str]]:
    """What responses of each family hold."""
    dialects = {label: record.name for record in RECORDS.values() for label in record.recording_labels}
    found: dict[Family, set[str]] = defaultdict(set)
    for path in sorted(traffic_folder.glob("*.jsonl")):
        for line in path.open(encoding="utf-8"):
            row = obj(json.loads(line))
            body = row.get("response_body")
            documents = list(objs(row.get("sse_chunks"))) or list(objs(body)) or [obj(body)]
            if row.get("synthetic_suspect"):
                continue
            mode = "stream" if row.get("stream") else "unary"
            family = family_of(dialects[text(row.get("provider"))], mode, documents, text(row.get("model")))
            found[family].update(member for document in documents for member in members(document))
            if row.get("status") != 200:  # an error may also come within a stream
                found[family._replace(mode="stream" if family.mode else "")].update(*map(members, documents))
    return found


def scripted_responses(scenario: JsonObject) -> Iterator[tuple[Family, list[JsonObject]]]:
    for turn in [scenario, *objs(scenario.get("turns"))]:
        for dialect in DIALECTS:
            requested = text(obj(obj(turn.get("client")).get(dialect)).get("model"))
            for mode, answers in obj(obj(turn.get("upstream")).get(dialect)).items():
                for answer in objs(answers):
                    documents = list(objs(answer.get("events"))) or [obj(answer.get("body"))]
                    if answer.get("status", 200) == 200:
                        yield family_of(dialect, mode, documents, requested), documents


def unknown_members(scenario: JsonObject, recorded_members: dict[Family, set[str]]) -> Iterator[str]:
    for family, documents in scripted_responses(scenario):
        for member in {member for document in documents for member in members(document)} - recorded_members[family]:
            if not member.startswith(tuple(DOCUMENTED[family.dialect])) and recorded_members[family]:
                yield f"{family.dialect} {family.name} {family.mode}: {member}"


def test_scripts_hold_what_their_family_of_models_sends(recorded_members: dict[Family, set[str]]) -> None:
    unknown = {
        name: sorted(unknown_members(scenario, recorded_members))
        for name, scenario in raw().items()
        if scenario["level"] != "MAY"
    }
    assert {name: found for name, found in unknown.items() if found} == {}, (
        "change the model, drop the member, name the page that documents it in DOCUMENTED, or make the scenario a NOTE"
    )


def test_ids_of_calls_came_with_gemini_3(recorded_members: dict[Family, set[str]]) -> None:
    member = ".candidates[].content.parts[].functionCall.id string"
    assert [name for name in ("2.0", "2.5", "3") if member in recorded_members[Family("gemini", name, "")]] == ["3"]


@pytest.mark.parametrize(
    ("dialect", "mode", "event"),
    [
        ("gemini", "unary", {"modelVersion": "gemini-2.5-pro", "candidates": [{"content": {"parts": [{"functionCall": {"id": "c"}}]}}]}),
        ("openai-chat", "stream", {"choices": None}),
        ("openai-chat", "stream", {"choices": [{"delta": {"tool_calls": [{"id": "c"}]}}]}),
        ("anthropic", "unary", {"content": [{"type": "text", "text": "x", "mood": "good"}]}),
    ],
)  # fmt: skip
def test_what_nobody_sends_is_noticed(
    dialect: str, mode: str, event: JsonObject, recorded_members: dict[Family, set[str]]
) -> None:
    answer = {"events": [event]} if mode == "stream" else {"body": event}
    assert list(unknown_members({"upstream": {dialect: {mode: [answer]}}}, recorded_members))
