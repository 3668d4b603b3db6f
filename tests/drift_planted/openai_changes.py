"""Changes that OpenAI Chat Completions might make."""

import json

from .edits import PlantedChange, change_document, change_events, plant_change, set_body, set_header, swap

PLAIN = "messages/plain-text/openai-chat.unary"
STREAM = "messages/plain-text/openai-chat.stream"
CALL = "tools/single-call/openai-chat.unary"
LOGPROBS = "features/logprobs/openai-chat.unary"
COUNTS = '"usage":{"prompt_tokens":11,"completion_tokens":5,"total_tokens":16}'


def _merge_usage(events: list[str]) -> list[str]:
    """The token counts in the event with the finish reason, none after it."""
    *first, finish, _, end_mark = events
    return [*first, finish.replace('"usage":null', COUNTS), end_mark]


OPENAI_CHANGES: tuple[PlantedChange, ...] = (
    plant_change(
        "content as list of parts",
        PLAIN,
        "breaking",
        "content is printed as a string",
        change_document(
            lambda answer: answer["choices"][0]["message"].update(content=[{"type": "text", "text": "Mariehamn."}])
        ),
    ),
    plant_change(
        "no [DONE]", STREAM, "breaking", "readers wait for the end mark", change_events(lambda events: events[:-1])
    ),
    plant_change(
        "usage in the finish chunk",
        STREAM,
        "breaking",
        "clients take the counts from the chunk without choices",
        change_events(_merge_usage),
    ),
    plant_change(
        "arguments as object",
        CALL,
        "breaking",
        "json.loads of an object raises",
        swap(r'"arguments": "[^\n]*"\n', '"arguments": {"harbour": "Brest", "day": 3}\n'),
    ),
    plant_change(
        "no index of calls in a stream",
        "tools/single-call/openai-chat.stream",
        "breaking",
        "pieces of calls are joined by index",
        swap(r'"tool_calls":\[\{"index":0,', '"tool_calls":[{'),
    ),
    plant_change(
        "date as text",
        PLAIN,
        "breaking",
        "created is a number of seconds",
        swap(r'"created": \d+', '"created": "2026-11-24"'),
    ),
    plant_change(
        "bytes of a token as base64",
        LOGPROBS,
        "breaking",
        "bytes is a list of numbers",
        swap(r'"bytes": \[[^]]*\]', '"bytes": "Q2FwZQ=="'),
    ),
    plant_change(
        "start of a citation renamed",
        "grounding/annotations/openai-chat.unary",
        "breaking",
        "citations are placed by start_index",
        swap('"start_index"', '"start"'),
    ),
    plant_change(
        "new member of the delta",
        STREAM,
        "notable",
        "neither types nor clients know it",
        swap('"delta":{"content":', '"delta":{"mood":"calm","content":'),
    ),
    plant_change(
        "error body flattened",
        "errors/invalid-request/openai-chat.unary",
        "breaking",
        "clients read error.message",
        set_body(json.dumps({"error": "Invalid prompt."})),
    ),
    plant_change(
        "stream as plain text",
        STREAM,
        "breaking",
        "clients choose the reader by type",
        set_header("content-type", "text/plain"),
    ),
    plant_change(
        "reasoning tokens moved",
        "finish/max-tokens-no-parts/openai-chat.unary",
        "breaking",
        "a documented count has another place",
        change_document(
            lambda answer: answer["usage"]["completion_tokens_details"].update(
                reasoning={"tokens": answer["usage"]["completion_tokens_details"].pop("reasoning_tokens")}
            )
        ),
    ),
)
