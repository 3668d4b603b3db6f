"""Our converters beside LiteLLM's conversion step, in LiteLLM's own environment: ``make bench-peers``.

Its pins exclude today's SDKs; our converters are pure and need none, so they are put on its path. Both get the same
bytes, take turns, and the best of all rounds counts. The target is for a stream with seven texts to a call, as recorded
ones have, from bytes to bytes on both sides. Told beside it: texts and calls by themselves, the same without their
writing out (``to objects``), and conversion alone on both sides, from document to document (``the step alone``).
Writes reports/local/bench-peers.json; exit code 1 if a target is missed.

LiteLLM's entry points are found by reading the installed package: ``ModelResponseIterator.handle_valid_json_chunk``
(one event of a stream), ``_transform_google_generate_content_to_openai_model_response`` (a whole answer) and
``transform_request_body`` (a request); its proxy writes a chunk with ``model_dump_json(exclude_none=True,
exclude_unset=True)``.
"""

import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
from chat_documents import chat_history
from documents import call_chunk, encode_documents, text_chunk, whole_answer
from peer_figures import PeerFigure, lines
from rounds import best

from bridgecheck_reference import GeminiToOpenAIStream, gemini_response_to_openai, openai_request_to_gemini

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else importing it fetches a price list

from litellm.llms.vertex_ai.gemini import transformation, vertex_and_google_ai_studio_gemini
from litellm.types.utils import ModelResponse

OUTPUT = Path(__file__).resolve().parents[1] / "reports" / "local" / "bench-peers.json"
MODEL = "gemini-2.5-flash"
CHUNKS = 200
MESSAGES = (40, 1000)
TARGET = 25
"""Times faster a streamed chunk has to be (DESIGN)."""

_LOG = SimpleNamespace(optional_params={})


def main() -> int:
    figures = list(measure())
    versions = {name: version(name) for name in ("litellm", "openai", "orjson")}
    versions["python"] = platform.python_version()
    print(*lines(figures), sep="\n")
    print(", ".join(f"{name} {number}" for name, number in versions.items()))
    document = {"versions": versions, "figures": [figure.as_json() for figure in figures]}
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 1 if any(figure.verdict == "missed" for figure in figures) else 0


def measure() -> Iterator[PeerFigure]:
    mixed, texts, calls = (
        [make(number) for number in range(CHUNKS)] for make in (_mixed_chunk, text_chunk, call_chunk)
    )
    yield _stream("streamed chunk, Gemini > OpenAI", encode_documents(mixed), target=TARGET)
    yield _stream("the same, to objects", encode_documents(mixed), written=False)
    yield _step("the same, the step alone", mixed)
    yield _stream("text chunk, Gemini > OpenAI", encode_documents(texts))
    yield _stream("call chunk, Gemini > OpenAI", encode_documents(calls))
    yield _answer("whole answer, Gemini > OpenAI", orjson.dumps(whole_answer()))
    for messages in MESSAGES:
        yield _request(f"{messages:,} messages, OpenAI > Gemini", orjson.dumps(chat_history(messages)))


def _figure(
    name: str, convert: Callable[[], object], convert_by_peer: Callable[[], object], count: int, **rest: Any
) -> PeerFigure:
    times = best({"own": convert, "peer": convert_by_peer}, rounds=25)
    return PeerFigure(name, times["own"] / count, times["peer"] / count, **rest)


def _mixed_chunk(number: int) -> dict[str, Any]:
    return call_chunk(number) if number % 8 == 7 else text_chunk(number)


def _stream(name: str, chunks: list[bytes], *, written: bool = True, target: float | None = None) -> PeerFigure:
    """``written``: theirs are written as their proxy does; ours always are."""
    texts = [chunk.decode() for chunk in chunks]

    def convert() -> None:
        stream = GeminiToOpenAIStream()
        for chunk in chunks:
            for event in stream.feed(orjson.loads(chunk)):
                orjson.dumps(event)

    def to_objects() -> None:
        stream = _their_stream()
        for text in texts:
            stream.handle_valid_json_chunk(text)

    def to_bytes() -> None:
        stream = _their_stream()
        for text in texts:
            stream.handle_valid_json_chunk(text).model_dump_json(exclude_none=True, exclude_unset=True).encode()

    return _figure(name, convert, to_bytes if written else to_objects, len(chunks), target=target)


def _step(name: str, documents: list[dict[str, Any]]) -> PeerFigure:
    """Neither reads nor writes JSON."""

    def convert() -> None:
        stream = GeminiToOpenAIStream()
        for document in documents:
            stream.feed(document)

    def convert_by_peer() -> None:
        stream = _their_stream()
        for document in documents:
            stream.chunk_parser(document)

    return _figure(name, convert, convert_by_peer, len(documents))


def _their_stream() -> Any:
    return vertex_and_google_ai_studio_gemini.ModelResponseIterator(iter(()), sync_stream=True, logging_obj=_LOG)


def _answer(name: str, data: bytes) -> PeerFigure:
    config = vertex_and_google_ai_studio_gemini.VertexGeminiConfig()
    http = SimpleNamespace(headers={})

    def convert_by_peer() -> None:
        config._transform_google_generate_content_to_openai_model_response(
            completion_response=json.loads(data),
            model_response=ModelResponse(),
            model=MODEL,
            logging_obj=_LOG,
            raw_response=http,
        )

    return _figure(name, lambda: orjson.dumps(gemini_response_to_openai(orjson.loads(data)).value), convert_by_peer, 1)


def _request(name: str, data: bytes) -> PeerFigure:
    def convert_by_peer() -> None:
        transformation.transform_request_body(
            messages=json.loads(data)["messages"],
            model=MODEL,
            optional_params={"temperature": 0.2, "max_output_tokens": 1024},
            custom_llm_provider="gemini",
            litellm_params={},
            cached_content=None,
        )

    return _figure(name, lambda: orjson.dumps(openai_request_to_gemini(orjson.loads(data)).value), convert_by_peer, 1)


if __name__ == "__main__":
    sys.exit(main())
