"""Streams of any length in constant memory; everything else in work that grows as its input does."""

from collections.abc import Callable, Iterator

import pytest

from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
from bridgecheck_reference.convert.anthropic.request_to_openai import anthropic_request_to_openai
from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.convert.gemini.schema import to_gemini_schema, to_json_schema
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream
from bridgecheck_reference.convert.json_schema import meets_strict_mode
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.sse import StreamDocuments
from bridgecheck_reference.types.conversion import Machine

from .measure import growth, instructions, measure_memory
from .samples import Json, chunk, event, model, result, tool_call
from .samples import call as gemini_call

FEW, MANY = 10_000, 100_000
FLAT = 16 * 1024
"""Bytes: less than one a hundred events of the 90,000, so nothing is kept of each."""
LINEAR = 4.4
"""Times the work for four times the input."""


def gemini_text(number: int) -> Json:
    return event({"text": f"word {number} "}, usageMetadata={"promptTokenCount": 9, "totalTokenCount": 9 + number})


def gemini_piece(number: int) -> Json:
    piece = {"jsonPath": "$.text", "stringValue": f"{number:010d}", "willContinue": True}
    named = {"name": "write"} if number == 0 else {}
    return event({"functionCall": {**named, "partialArgs": [piece], "willContinue": True}})


def chat_text(number: int) -> Json:
    return chunk({"content": f"word {number} "})


def chat_piece(number: int) -> Json:
    if number == 0:
        return chunk({"tool_calls": [{"index": 0, **tool_call("a", "write", '{"text": "')}]})
    return chunk({"tool_calls": [{"index": 0, "function": {"arguments": f"{number:010d}"}}]})


def block_start(block: Json) -> list[Json]:
    message = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": [], "usage": {}}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
    ]


def anthropic_delta(delta: Json) -> Json:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def anthropic_text(number: int) -> Json:
    return anthropic_delta({"type": "text_delta", "text": f"word {number} "})


def anthropic_piece(number: int) -> Json:
    return anthropic_delta({"type": "input_json_delta", "partial_json": f"{number:010d}"})


TEXTS: list[tuple[Callable[[], Machine], list[Json], Callable[[int], Json]]] = [
    (GeminiToOpenAIStream, [], gemini_text),
    (OpenAIToGeminiStream, [], chat_text),
    (OpenAIToAnthropicStream, [], chat_text),
    (AnthropicToOpenAIStream, block_start({"type": "text", "text": ""}), anthropic_text),
]
PIECES: list[tuple[Callable[[], Machine], list[Json], Callable[[int], Json]]] = [
    (GeminiToOpenAIStream, [], gemini_piece),
    (OpenAIToGeminiStream, [], chat_piece),
    (OpenAIToAnthropicStream, [], chat_piece),
    (
        AnthropicToOpenAIStream,
        block_start({"type": "tool_use", "id": "a", "name": "write", "input": {}}),
        anthropic_piece,
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("machine", "head", "text"), TEXTS)
def test_a_stream_of_100_000_events_holds_no_more_than_one_of_10_000(
    machine: Callable[[], Machine], head: list[Json], text: Callable[[int], Json]
) -> None:
    assert max(memory_growth(machine, head, text, FEW, MANY)) < FLAT


def test_a_stream_of_3_000_events_holds_no_more_than_one_of_300() -> None:
    growing = {
        machine.__name__: growth_of_memory
        for machine, head, text in TEXTS
        if max(growth_of_memory := memory_growth(machine, head, text, 300, 3000)) >= FLAT
    }
    assert not growing


def memory_growth(
    machine: Callable[[], Machine], head: list[Json], text: Callable[[int], Json], few: int, many: int
) -> tuple[int, int]:
    """Bytes that the stream holds, and its peak, beyond those after the first ``few`` of ``many`` events."""
    stream = machine()
    for first in head:
        stream.feed(first)
    return measure_memory(lambda number: stream.feed(text(number)), few, many)


@pytest.mark.parametrize(("machine", "head", "piece"), PIECES)
def test_four_times_the_fragments_of_a_call_are_four_times_the_work(
    machine: Callable[[], Machine], head: list[Json], piece: Callable[[int], Json]
) -> None:
    def run(fragments: int) -> Callable[[], object]:
        events = [*head, *(piece(number) for number in range(fragments))]

        def feed() -> None:
            stream = machine()
            for item in events:
                stream.feed(item)
            stream.close()

        return feed

    assert growth(run(500), run(2000)) < LINEAR


def chat_history(rounds: int) -> list[Json]:
    return [message for number in range(rounds) for message in chat_round(str(number))]


def chat_round(id: str) -> Iterator[Json]:
    yield {"role": "user", "content": "and?"}
    yield {"role": "assistant", "content": None, "tool_calls": [tool_call(id, "f", '{"a": 1}')]}
    yield {"role": "tool", "tool_call_id": id, "content": "1"}
    yield {"role": "assistant", "content": "so."}


def chat_parallel(calls: int) -> list[Json]:
    """One step with many calls, answered from the last to the first."""
    ids = [f"call_{number}" for number in range(calls)]
    results = [{"role": "tool", "tool_call_id": id, "content": "1"} for id in reversed(ids)]
    return [{"role": "user", "content": "go"}, {"role": "assistant", "content": None,
            "tool_calls": [tool_call(id, "f") for id in ids]}, *results]  # fmt: skip


def user(*parts: Json) -> Json:
    return {"role": "user", "parts": list(parts)}


def gemini_history(rounds: int) -> list[Json]:
    call, answer = model(gemini_call("f", {"a": 1})), model({"text": "so."})
    return [user({"text": "and?"}), call, user(result("f", {"b": 1})), answer] * rounds


def gemini_one_id(rounds: int) -> list[Json]:
    return [model(gemini_call("f", {"a": 1}, id="x")), user(result("f", {"b": 1}, id="x"))] * rounds


def gemini_monologue(turns: int) -> list[Json]:
    return [model({"text": "more"})] * turns


def gemini_parallel(calls: int) -> list[Json]:
    """One turn with many calls, answered from the last to the first."""
    ids = [f"call_{number}" for number in range(calls)]
    return [
        model(*(gemini_call("f", {"a": 1}, id=id) for id in ids)),
        user(*(result("f", {"b": 1}, id=id) for id in reversed(ids))),
    ]


def anthropic_history(rounds: int) -> list[Json]:
    return [message for number in range(rounds) for message in anthropic_round(f"toolu_{number}")]


def anthropic_round(id: str) -> Iterator[Json]:
    yield {"role": "user", "content": "and?"}
    yield {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {"a": 1}}]}
    yield {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "1"}]}
    yield {"role": "assistant", "content": "so."}


HISTORIES: dict[str, Callable[[int], object]] = {
    "gemini-openai": lambda size: gemini_request_to_openai({"model": "m", "contents": gemini_history(size)}),
    "gemini-one-id": lambda size: gemini_request_to_openai({"model": "m", "contents": gemini_one_id(size)}),
    "gemini-monologue": lambda size: gemini_request_to_openai({"model": "m", "contents": gemini_monologue(size)}),
    "gemini-parallel": lambda size: gemini_request_to_openai({"model": "m", "contents": gemini_parallel(size)}),
    "openai-gemini": lambda size: openai_request_to_gemini({"model": "m", "messages": chat_history(size)}),
    "openai-parallel": lambda size: openai_request_to_gemini({"model": "m", "messages": chat_parallel(size)}),
    "openai-anthropic": lambda size: openai_request_to_anthropic({"model": "m", "messages": chat_history(size)}),
    "anthropic-parallel": lambda size: openai_request_to_anthropic({"model": "m", "messages": chat_parallel(size)}),
    "anthropic-openai": lambda size: anthropic_request_to_openai(
        {"model": "m", "max_tokens": 9, "messages": anthropic_history(size)}
    ),
}


@pytest.mark.parametrize("convert", HISTORIES.values(), ids=HISTORIES.keys())
def test_four_times_the_history_is_four_times_the_work(convert: Callable[[int], object]) -> None:
    assert growth(lambda: convert(100), lambda: convert(400)) < LINEAR


def test_four_times_the_pieces_of_an_event_are_four_times_the_work() -> None:
    def run(pieces: int) -> Callable[[], object]:
        def feed() -> object:
            documents = StreamDocuments()
            documents.feed(b'data: {"text": "')
            for _ in range(pieces):
                documents.feed(b"0123456789")
            return documents.feed(b'"}\n\n')

        return feed

    assert growth(run(1000), run(4000)) < LINEAR


def nested_schema(levels: int) -> Json:
    """A schema that many levels deep, with a list, a choice and a recursive reference on each of them."""
    node: Json = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "value": {"type": "integer"}}}
    inner: Json = {"$ref": "#/$defs/node"}
    for level in range(levels):
        choice: Json = {"anyOf": [{"type": "string"}, {"type": "null"}]}
        inner = {"type": "object", "properties": {f"level{level}": inner, "list": {"type": "array", "items": choice}}}
    return {**inner, "$defs": {"node": node}}


def shared_definitions(levels: int) -> Json:
    """Definitions of which each names the next one twice: put in place they come to 2 ** levels."""
    defs: Json = {
        f"d{level}": {"type": "object", "properties": {key: {"$ref": f"#/$defs/d{level + 1}"} for key in "ab"}}
        for level in range(levels)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**defs, f"d{levels}": {"type": "string"}}}


def all_with_all(definitions: int) -> Json:
    """Definitions that all name all others: put in place they come to more than the factorial of their number."""
    names = [f"d{number}" for number in range(definitions)]
    properties = {name: {"$ref": f"#/$defs/{name}"} for name in names}
    defs = {name: {"type": "object", "properties": properties} for name in names}
    return {"$ref": "#/$defs/d0", "$defs": defs}


SCHEMAS: dict[str, Callable[[Json], object]] = {
    "to-openapi": lambda schema: to_gemini_schema(schema, Losses()),
    "to-json": to_json_schema,
    "strict": meets_strict_mode,
}


@pytest.mark.parametrize("convert", SCHEMAS.values(), ids=SCHEMAS.keys())
def test_twice_the_depth_of_a_schema_is_twice_the_work(convert: Callable[[Json], object]) -> None:
    shallow, deep = nested_schema(20), nested_schema(40)
    assert growth(lambda: convert(shallow), lambda: convert(deep)) < LINEAR / 2


@pytest.mark.parametrize("schema", [shared_definitions(40), all_with_all(12)], ids=["shared", "all-with-all"])
def test_shared_definitions_do_not_grow_without_bound(schema: Json) -> None:
    losses = Losses()
    made = to_gemini_schema(schema, losses)
    assert made["type"] == "OBJECT"
    assert ("parameters.$ref", "references that come to too much, cut to plain objects") in [
        (loss.path, loss.reason) for loss in losses
    ]
    assert instructions(lambda: to_gemini_schema(schema, Losses())) < 5_000_000


def test_a_few_shared_definitions_are_inlined() -> None:
    losses = Losses()
    made = to_gemini_schema(shared_definitions(8), losses)
    for _ in range(8):
        made = made["properties"]["b"]
    assert (made, list(losses)) == ({"type": "STRING"}, [])
