"""Properties of any request: it survives the round trip, conversion is deterministic, and no document makes a converter crash."""

import copy
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgecheck import accept, validate
from bridgecheck_reference.conversion_profile import ANTHROPIC_PIVOT
from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
from bridgecheck_reference.convert.anthropic.request_to_openai import anthropic_request_to_openai
from bridgecheck_reference.errors import ConversionError

from ..with_habits import ALL_PROFILES
from .dialogue import CACHE, Json, assistant, image, request_body, result, text, thinking, tool, use, user

REFUSED = {
    "dd-trace-py/0078": "a result with the id of another call",
    "dd-trace-py/0079": "a result with the id of another call",
}


def read_recordings(folder: Path, provider: str) -> Iterator[tuple[str, Json]]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            chat = "/chat/completions" in item["url_path"] and item["provider"].startswith("openai")
            body = item["request_body"]
            expected = item["provider"] == provider or (chat and provider == "openai")
            if expected and isinstance(body, dict) and "messages" in body and item["status"] == 200:
                yield item["id"], body


def round_trip(request: Json) -> Json:
    there = anthropic_request_to_openai(request, profile=ANTHROPIC_PIVOT).value
    return openai_request_to_anthropic(there, profile=ANTHROPIC_PIVOT).value


def strip_empty_members(request: Json) -> Json:
    """Remove null and empty members at the top level."""
    return {key: value for key, value in request.items() if value not in (None, "")}


@pytest.mark.traffic
def test_every_recorded_request_survives_the_round_trip(traffic_folder: Path) -> None:
    count = 0
    for id, body in read_recordings(traffic_folder, "anthropic"):
        before = copy.deepcopy(body)
        assert round_trip(body) == strip_empty_members(before), id
        assert body == before, id
        count += 1
    assert count > 350


@pytest.mark.traffic
def test_every_recorded_request_reaches_openai(traffic_folder: Path) -> None:
    refusal = set()
    for id, body in read_recordings(traffic_folder, "anthropic"):
        try:
            made = anthropic_request_to_openai(body).value
        except ConversionError:
            refusal.add(id)
            continue
        assert validate.request("openai-chat", made) == [], id
        assert "anthropic" not in json.dumps(made.get("extra_content", {})), id
    assert refusal == set(REFUSED)


@pytest.mark.traffic
def test_every_recorded_openai_request_reaches_anthropic(traffic_folder: Path) -> None:
    count, refusal = 0, {}
    for id, body in read_recordings(traffic_folder, "openai"):
        before = copy.deepcopy(body)
        try:
            made = openai_request_to_anthropic({**body, "model": body.get("model") or "m"}).value
        except ConversionError as error:
            refusal[id] = str(error)
            continue
        assert body == before, id
        assert validate.request("anthropic", made) == [], id
        assert accept.refusals("anthropic", made) == [], id
        count += 1
    assert count > 250
    assert not refusal


TEXTS = st.text(min_size=1, max_size=8).filter(lambda word: bool(word.strip()))
LEAVES: st.SearchStrategy[Json] = st.sampled_from([{}, {"cache_control": CACHE}, {"brand_new": {"a": [1]}}])
CONTENT_BLOCKS = st.one_of(
    st.builds(lambda content, rest: text(content, **rest), TEXTS, LEAVES),
    st.builds(lambda rest: {**image(), **rest}, LEAVES),
    st.builds(
        lambda content, rest: {"type": "document", "title": "t",
                             "source": {"type": "text", "media_type": "text/plain", "data": content}, **rest},
        TEXTS, LEAVES,
    ),
    st.just({"type": "document", "source": {"type": "url", "url": "https://x.test/a"}}),
    st.just({"type": "container_upload", "file_id": "f"}),
)  # fmt: skip
THOUGHT = st.one_of(
    st.builds(thinking, TEXTS, TEXTS), st.builds(lambda data: {"type": "redacted_thinking", "data": data}, TEXTS)
)
VALUES = st.none() | st.booleans() | st.integers() | TEXTS
ARGUMENTS = st.dictionaries(TEXTS, VALUES | st.lists(VALUES, max_size=2), max_size=3)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "system": TEXTS | st.lists(st.builds(text, TEXTS), min_size=1, max_size=2),
        "temperature": st.sampled_from([0, 0.5, 1]),
        "top_k": st.integers(1, 9),
        "stop_sequences": st.lists(TEXTS, min_size=1, max_size=2),
        "metadata": st.sampled_from([{"user_id": "u"}, {"user_id": "u", "new": 1}, {}]),
        "thinking": st.sampled_from([{"type": "disabled"}, {"type": "enabled", "budget_tokens": 1024, "display": "x"}]),
        "output_config": st.sampled_from([{"effort": "max"}, {"format": {"type": "json_schema", "schema": {"a": 1}}}]),
        "tools": st.permutations([tool("f", cache_control=CACHE), {"type": "web_search_20250305", "name": "w"}]),
        "tool_choice": st.sampled_from([{"type": "none"}, {"type": "any", "disable_parallel_tool_use": False}]),
        "mcp_servers": st.just([{"url": "u"}]),
        "stream": st.booleans(),
    },
)  # fmt: skip


@st.composite
def requests(draw: st.DrawFn) -> Json:
    """Requests in Anthropic's form, as mixed as it allows: thinking, texts and calls in any order."""
    messages: list[Json] = [user("hello")]
    number = 0
    for _ in range(draw(st.integers(1, 3))):
        messages.append(user(*draw(st.lists(CONTENT_BLOCKS, min_size=1, max_size=3) | TEXTS.map(lambda word: [word]))))
        blocks: list[Json] = []
        calls: list[str] = []
        for kind in draw(st.lists(st.sampled_from(["text", "think", "call", "server"]), max_size=5)):
            if kind == "call":
                calls.append(f"toolu_{(number := number + 1)}")
                blocks.append(use(calls[-1], draw(st.sampled_from(["f", "g"])), draw(ARGUMENTS), **draw(LEAVES)))
            elif kind == "server":
                blocks.append({"type": "server_tool_use", "id": "s", "name": "w", "input": {}})
            else:
                blocks.append(draw(THOUGHT) if kind == "think" else text(draw(TEXTS), **draw(LEAVES)))
        if blocks:
            messages.append(assistant(*blocks))
        if calls:
            contents = TEXTS | st.lists(CONTENT_BLOCKS, max_size=2) | st.just("")
            errors: st.SearchStrategy[Json] = st.sampled_from([{}, {"is_error": True}, {"is_error": False}])
            found = [result(id, draw(contents), **draw(errors), **draw(LEAVES)) for id in draw(st.permutations(calls))]
            messages.append(user(*found, *draw(st.lists(CONTENT_BLOCKS, max_size=2))))
    return request_body(*messages, **draw(SETTINGS))


@settings(deadline=None)
@given(requests())
def test_any_request_survives_the_round_trip(request: Json) -> None:
    before = copy.deepcopy(request)
    assert round_trip(request) == before
    assert request == before


@settings(deadline=None)
@given(requests())
def test_any_request_reaches_openai_and_is_taken_back(request: Json) -> None:
    before = copy.deepcopy(request)
    made = anthropic_request_to_openai(request)
    assert request == before
    assert json.dumps(anthropic_request_to_openai(before).value) == json.dumps(made.value)
    assert validate.request("openai-chat", made.value) == []
    back = openai_request_to_anthropic(made.value).value
    assert validate.request("anthropic", back) == []
    assert accept.refusals("anthropic", back) == []


KEYS = st.sampled_from([
    "role", "content", "type", "text", "source", "data", "media_type", "title", "thinking", "signature", "id", "name",
    "input", "tool_use_id", "is_error", "cache_control", "tool_calls", "tool_call_id", "function", "arguments", "extra_content",
    "anthropic", "order", "rest", "block", "tools", "input_schema", "parameters", "budget_tokens", "reasoning_details",
    "image_url", "url", "file", "file_data", "filename", "call", "reasoning", "image", "joined", "output_config", "format",
    "schema", "max_tokens", "system", "request", "at", "tool", "effort",
])  # fmt: skip
SCALARS = VALUES | st.sampled_from(
    ["user", "assistant", "system", "tool", "thinking", "tool_use", "tool_result", "data:,x"]
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)
OBJECTS = st.dictionaries(KEYS, ANYTHING, max_size=6)
DIALOGUES = st.lists(
    st.builds(
        lambda role, content, rest: {**rest, "role": role, "content": content},
        st.sampled_from(["user", "assistant", "system", "tool"]), ANYTHING | st.lists(OBJECTS, max_size=3), OBJECTS,
    ),
    max_size=4,
)  # fmt: skip


@settings(max_examples=max(60, settings.default.max_examples), deadline=None)
@given(OBJECTS, DIALOGUES, st.sampled_from(sorted(ALL_PROFILES)))
def test_no_document_makes_a_converter_crash(rest: Json, messages: list[Json], name: str) -> None:
    document = {**rest, "messages": messages}
    before = copy.deepcopy(document)
    for convert in (anthropic_request_to_openai, openai_request_to_anthropic):
        assert fails_only_with_a_field(partial(convert, document, profile=ALL_PROFILES[name]))
        assert document == before


def fails_only_with_a_field(convert: Callable[[], object]) -> bool:
    """Run a conversion, and return whether a refusal names its field (True without one). Other exceptions pass."""
    try:
        convert()
    except ConversionError as refusal:
        return bool(refusal.field)
    return True
