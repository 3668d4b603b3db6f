"""Gemini at a base URL of Vertex AI's form, project and location in its path, with an API key."""

import asyncio

import pytest

from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.generator.native import NativeContentGenerator
from bridgecheck_reference.google_wire.http import has_vertex_project_and_location
from bridgecheck_reference.providers.gemini import GeminiProvider

PLACE = "/v1/projects/my-project/locations/europe-west4"
MODEL = f"{PLACE}/publishers/google/models/gemini-2.5-flash"
ANSWER = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "ok"}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
}
PARAMS = {"model": "gemini-2.5-flash", "messages": [{"role": "user", "content": "hi"}]}
REQUEST = {"model": "gemini-2.5-flash", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]}


@pytest.mark.row("S1.33", "S1.59")
@pytest.mark.parametrize("end", ["", "/", "/publishers/google", "/publishers/google/"])
def test_paths_and_key_at_a_project_and_location(lab, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "another-project")

    async def main() -> None:
        script = [lab.json(ANSWER), lab.gemini(ANSWER), lab.json({"totalTokens": 7}), lab.json(ANSWER)]
        async with lab.serving(*script) as server:
            config = ProviderConfig(api_key="k", base_url=f"{server.url}{PLACE}{end}")
            provider, native = GeminiProvider(config), NativeContentGenerator(config)
            answer = await provider.generate(PARAMS)
            assert answer["choices"][0]["message"]["content"] == "ok"
            chunks = await lab.collect(await provider.generate_stream(PARAMS))
            assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
            assert await provider.count_tokens(PARAMS["messages"], "gemini-2.5-flash") == 7
            assert await native.generate_content(REQUEST, "p") == ANSWER
            assert [request_.path for request_ in server.requests] == [
                f"{MODEL}:generateContent",
                f"{MODEL}:streamGenerateContent?alt=sse",
                f"{MODEL}:countTokens",
                f"{MODEL}:generateContent",
            ]
            assert {request_.headers["x-goog-api-key"] for request_ in server.requests} == {"k"}
            assert server.requests[0].body["contents"] == REQUEST["contents"]
            await provider.close()
            await native.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (None, False),
        ("https://generativelanguage.googleapis.com", False),
        ("http://127.0.0.1:8000/projects/of-mine", False),
        (f"https://europe-west4-aiplatform.googleapis.com{PLACE}", True),
        (f"http://127.0.0.1:8000/behind{PLACE}/publishers/google", True),
    ],
)
def test_which_urls_are_of_that_form(url: str | None, expected: bool) -> None:
    assert has_vertex_project_and_location(url) is expected
