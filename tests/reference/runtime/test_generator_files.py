"""Recording and replaying in gemini-cli's file format, and the decorators' own manners."""

import asyncio
import json
import logging
from pathlib import Path

import pytest

from bridgecheck_reference.errors import MockResponseError, ProviderError
from bridgecheck_reference.generator.decorators import LoggingContentGenerator, RecordingContentGenerator
from bridgecheck_reference.generator.fake import FakeContentGenerator, MockResponse, read_mock_file

REQUEST = {"model": "m", "contents": [{"role": "user", "parts": [{"text": "secret words"}]}]}
EVENTS = [
    {"candidates": [{"content": {"parts": [{"text": "a\u2028b 北京"}]}}]},
    {"usageMetadata": {"totalTokenCount": 3}},
]
FAILURE = {
    "message": "overloaded",
    "status": 503,
    "code": "UNAVAILABLE",
    "retry_after": 2.0,
    "body": {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}},
}


def stream(events: list[object], **more: object) -> MockResponse:
    return MockResponse("generateContentStream", events, **more)


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_recordings_play_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.jsonl"
    source = [
        MockResponse("generateContent", EVENTS[0]),
        stream(EVENTS),
        MockResponse("countTokens", {"totalTokens": 2}),
    ]
    source += [MockResponse("embedContent", {"embeddings": []})]

    async def run(generator) -> list[object]:
        return [
            await generator.generate_content(REQUEST, "p"),
            [event async for event in await generator.generate_content_stream(REQUEST, "p")],
            await generator.count_tokens(REQUEST),
            await generator.embed_content(REQUEST),
        ]

    first = asyncio.run(run(RecordingContentGenerator(FakeContentGenerator(source), str(path))))
    assert first == [EVENTS[0], EVENTS, {"totalTokens": 2}, {"embeddings": []}]
    assert rows(path) == [{"method": item.method, "response": item.response} for item in source]
    assert asyncio.run(run(FakeContentGenerator.from_file(str(path)))) == first


def test_an_event_is_recorded_as_it_arrived(tmp_path: Path) -> None:
    async def main() -> None:
        recording = RecordingContentGenerator(FakeContentGenerator([stream(EVENTS)]), str(tmp_path / "f"))
        async for event in await recording.generate_content_stream(REQUEST, "p"):
            event.clear()

    asyncio.run(main())
    assert rows(tmp_path / "f") == [{"method": "generateContentStream", "response": EVENTS}]


def test_failures_and_partial_streams_are_recorded_as_such(tmp_path: Path) -> None:
    path = tmp_path / "f"
    script = [
        MockResponse("generateContent", None, FAILURE),
        stream([], error=FAILURE),
        stream(EVENTS, error=FAILURE),
        stream(EVENTS),
    ]

    async def main(generator) -> list[object]:
        received: list[object] = []
        with pytest.raises(ProviderError) as caught:
            await generator.generate_content(REQUEST, "p")
        received.append((caught.value.status, caught.value.retry_after, caught.value.body))
        with pytest.raises(ProviderError):
            await generator.generate_content_stream(REQUEST, "p")
        broken = await generator.generate_content_stream(REQUEST, "p")
        with pytest.raises(ProviderError):
            async for event in broken:
                received.append(event)
        left = await generator.generate_content_stream(REQUEST, "p")
        received.append(await anext(left))
        await left.aclose()
        await left.aclose()
        return received

    first = asyncio.run(main(RecordingContentGenerator(FakeContentGenerator(script), str(path))))
    assert first == [(503, 2.0, FAILURE["body"]), *EVENTS, EVENTS[0]]
    failed = {**FAILURE, "type": "ProviderError"}
    assert rows(path) == [
        {"method": "generateContent", "response": None, "error": failed},
        {"method": "generateContentStream", "response": [], "error": failed},
        {"method": "generateContentStream", "response": EVENTS, "error": failed},
        {"method": "generateContentStream", "response": EVENTS[:1], "end": "abandoned"},
    ]
    assert asyncio.run(main(FakeContentGenerator.from_file(str(path)))) == first


def test_strict_wants_the_recorded_order() -> None:
    async def main() -> None:
        responses = [MockResponse("countTokens", {"totalTokens": 1}), stream(EVENTS)]
        strict = FakeContentGenerator(responses)
        with pytest.raises(MockResponseError, match="is for countTokens, not generateContentStream"):
            await strict.generate_content_stream(REQUEST, "p")
        loose = FakeContentGenerator(responses, recorded_order=False)
        assert [event async for event in await loose.generate_content_stream(REQUEST, "p")] == EVENTS
        assert await loose.count_tokens(REQUEST) == {"totalTokens": 1}
        for generator in (loose, FakeContentGenerator([])):
            with pytest.raises(MockResponseError, match="No more mock responses for countTokens"):
                await generator.count_tokens(REQUEST)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", ":1: not JSON"),
        ('\n{"method": "other", "response": {}}', ":2: expected an object with response and method"),
        (
            '{"method": "generateContentStream", "response": {}}',
            ":1: response of generateContentStream: expected a list",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MockResponseError) as caught:
        read_mock_file(str(path))
    assert f"{path}{message}" in str(caught.value)
    with pytest.raises(MockResponseError, match="cannot be read"):
        read_mock_file(str(tmp_path / "absent"))


@pytest.mark.row("S4.25")
def test_logging_reports_how_each_call_ended_without_its_content(caplog: pytest.LogCaptureFixture) -> None:
    script = [
        MockResponse("generateContent", EVENTS[0]),
        stream(EVENTS),
        stream(EVENTS, error=FAILURE),
        stream(EVENTS),
        MockResponse("generateContent", None, FAILURE),
    ]

    async def main() -> None:
        logged = LoggingContentGenerator(FakeContentGenerator(script))
        await logged.generate_content(REQUEST, "prompt-1", "summary")
        assert [event async for event in await logged.generate_content_stream(REQUEST, "p")] == EVENTS
        with pytest.raises(ProviderError):
            _ = [event async for event in await logged.generate_content_stream(REQUEST, "p")]
        left = await logged.generate_content_stream(REQUEST, "p")
        await anext(left)
        await left.aclose()
        with pytest.raises(ProviderError):
            await logged.generate_content(REQUEST, "p")

    with caplog.at_level(logging.INFO, "bridgecheck_reference.generator"):
        asyncio.run(main())
    records = [
        (record.levelname, record.method, record.outcome, record.status, record.events) for record in caplog.records
    ]
    assert records == [
        ("INFO", "generateContent", "ok", None, None),
        ("INFO", "generateContentStream", "ok", None, 2),
        ("WARNING", "generateContentStream", "UNAVAILABLE", 503, 2),
        ("INFO", "generateContentStream", "abandoned", None, 1),
        ("WARNING", "generateContent", "UNAVAILABLE", 503, None),
    ]
    assert (caplog.records[0].model, caplog.records[0].user_prompt_id, caplog.records[0].role) == (
        "m",
        "prompt-1",
        "summary",
    )
    assert "secret words" not in "".join(str(vars(record)) for record in caplog.records)
