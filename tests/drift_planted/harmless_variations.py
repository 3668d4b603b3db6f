"""What differs between two answers of an unchanged provider."""

from .edits import PlantedChange, change_document, change_events, set_header, swap, vary_harmlessly

TEXT_STREAM = "messages/plain-text/anthropic.stream"

HARMLESS_VARIATIONS: tuple[PlantedChange, ...] = (
    vary_harmlessly(
        "other words",
        "messages/plain-text/openai-chat.unary",
        "words vary",
        swap('"content": "[^"]*"', '"content": "Å"'),
    ),
    vary_harmlessly(
        "more chunks",
        "messages/plain-text/openai-chat.stream",
        "servers cut as they like",
        change_events(lambda events: [*events[:2], events[1], events[1], *events[2:]]),
    ),
    vary_harmlessly(
        "one chunk",
        "messages/plain-text/gemini.stream",
        "a short answer fits into one",
        change_events(lambda events: events[1:]),
    ),
    vary_harmlessly(
        "other id and date",
        "messages/plain-text/openai-chat.unary",
        "ids and dates are new each time",
        swap('"chatcmpl-[^"]*"', '"chatcmpl-BBB111"'),
        swap(r'"created": \d+', '"created": 1790000000'),
    ),
    vary_harmlessly(
        "other form of id",
        "messages/plain-text/anthropic.unary",
        "ids are opaque",
        swap('"msg_01[^"]*"', '"6b0d6a3e-15a1-4a5b-9a53-3a2d9f0e1c77"'),
    ),
    vary_harmlessly(
        "optional counts absent once",
        "finish/length/anthropic.unary",
        "cache counts are optional",
        change_document(lambda answer: answer["usage"].pop("cache_read_input_tokens")),
    ),
    vary_harmlessly(
        "other known finish reason",
        "messages/plain-text/gemini.unary",
        "answers get too long",
        swap('"STOP"', '"MAX_TOKENS"'),
    ),
    vary_harmlessly(
        "call instead of text",
        "messages/plain-text/gemini.unary",
        "models choose",
        change_document(
            lambda answer: answer["candidates"][0]["content"].update(
                parts=[{"functionCall": {"name": "get_tide", "args": {"harbour": "Brest"}}}]
            )
        ),
    ),
    vary_harmlessly(
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
    vary_harmlessly(
        "pings",
        TEXT_STREAM,
        "documented anywhere in a stream",
        change_events(lambda events: [*events[:2], 'event: ping\ndata: {"type":"ping"}', *events[2:]]),
    ),
    vary_harmlessly("request id header", TEXT_STREAM, "headers come and go", set_header("request-id", "req_011")),
    vary_harmlessly(
        "other arguments of a call",
        "tools/single-call/gemini.unary",
        "arguments are the model's",
        swap(r'"args": \{.*?\}', '"args": {"place": {"name": "Brest"}, "days": [3]}'),
    ),
)
