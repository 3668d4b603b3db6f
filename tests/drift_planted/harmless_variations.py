"""What differs between two answers of an unchanged provider."""

from .edits import PlantedChange, change_document, change_events, harmless, set_header, swap

TEXT_STREAM = "messages/plain-text/anthropic.stream"

HARMLESS_VARIATIONS: tuple[PlantedChange, ...] = (
    harmless(
        "other words",
        "messages/plain-text/openai-chat.unary",
        "words vary",
        swap('"content": "[^"]*"', '"content": "Å"'),
    ),
    harmless(
        "more chunks",
        "messages/plain-text/openai-chat.stream",
        "servers cut as they like",
        change_events(lambda events: [*events[:2], events[1], events[1], *events[2:]]),
    ),
    harmless(
        "one chunk",
        "messages/plain-text/gemini.stream",
        "a short answer fits into one",
        change_events(lambda events: events[1:]),
    ),
    harmless(
        "other id and date",
        "messages/plain-text/openai-chat.unary",
        "ids and dates are new each time",
        swap('"chatcmpl-[^"]*"', '"chatcmpl-BBB111"'),
        swap(r'"created": \d+', '"created": 1790000000'),
    ),
    harmless(
        "other form of id",
        "messages/plain-text/anthropic.unary",
        "ids are opaque",
        swap('"msg_01[^"]*"', '"6b0d6a3e-15a1-4a5b-9a53-3a2d9f0e1c77"'),
    ),
    harmless(
        "optional counts absent once",
        "finish/length/anthropic.unary",
        "cache counts are optional",
        change_document(lambda answer: answer["usage"].pop("cache_read_input_tokens")),
    ),
    harmless(
        "other known finish reason",
        "messages/plain-text/gemini.unary",
        "answers get too long",
        swap('"STOP"', '"MAX_TOKENS"'),
    ),
    harmless(
        "call instead of text",
        "messages/plain-text/gemini.unary",
        "models choose",
        change_document(
            lambda answer: answer["candidates"][0]["content"].update(
                parts=[{"functionCall": {"name": "get_tide", "args": {"harbour": "Brest"}}}]
            )
        ),
    ),
    harmless(
        "call instead of text from Anthropic",
        "messages/plain-text/anthropic.unary",
        "models choose",
        change_document(
            lambda answer: answer.update(
                stop_reason="tool_use",
                content=[{"type": "tool_use", "id": "toolu_1", "name": "get_tide", "input": {"harbour": "Brest"}}],
            )
        ),
    ),
    harmless(
        "pings",
        TEXT_STREAM,
        "documented anywhere in a stream",
        change_events(lambda events: [*events[:2], 'event: ping\ndata: {"type":"ping"}', *events[2:]]),
    ),
    harmless("request id header", TEXT_STREAM, "headers come and go", set_header("request-id", "req_011")),
    harmless(
        "other arguments of a call",
        "tools/single-call/gemini.unary",
        "arguments are the model's",
        swap(r'"args": \{.*?\}', '"args": {"place": {"name": "Brest"}, "days": [3]}'),
    ),
)
