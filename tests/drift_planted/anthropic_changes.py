"""Changes that Anthropic might make."""

from .edits import (
    PlantedChange,
    change_document,
    change_events,
    plant_change,
    set_header,
    set_status,
    swap,
    write_at_once,
)

PLAIN = "messages/plain-text/anthropic.unary"
STREAM = "messages/plain-text/anthropic.stream"
LIMIT = "errors/rate-limit/anthropic.unary"
PROGRESS = 'event: content_block_progress\ndata: {"type":"content_block_progress","index":0,"share":0.5}'


def _finish_first(events: list[str]) -> list[str]:
    """message_delta before the last content_block_stop."""
    *first, block_stop, delta, stop = events
    return [*first, delta, block_stop, stop]


ANTHROPIC_CHANGES: tuple[PlantedChange, ...] = (
    plant_change(
        "no message_stop", STREAM, "breaking", "readers wait for it", change_events(lambda events: events[:-1])
    ),
    plant_change(
        "new event type",
        STREAM,
        "notable",
        "the documentation demands that unknown events are left out",
        change_events(lambda events: [*events[:3], PROGRESS, *events[3:]]),
    ),
    plant_change("no event lines", STREAM, "breaking", "the SDK chooses by event:", swap(r"event: \w+\n", "")),
    plant_change(
        "stop reason before the block's end",
        STREAM,
        "breaking",
        "the block is open at the end",
        change_events(_finish_first),
    ),
    plant_change(
        "text of deltas renamed",
        STREAM,
        "breaking",
        "the words are lost",
        swap('"type":"text_delta","text":', '"type":"text_delta","value":'),
    ),
    plant_change(
        "new block type beside text",
        PLAIN,
        "notable",
        "clients leave out blocks that they do not know",
        change_document(lambda answer: answer["content"].append({"type": "insight", "insight": "calm"})),
    ),
    plant_change(
        "count becomes an object",
        "tools/single-call/anthropic.unary",
        "breaking",
        "a sum over counts fails",
        swap('"cache_creation_input_tokens":0', '"cache_creation_input_tokens":{"ephemeral_5m":0}'),
    ),
    plant_change(
        "no signatures of thinking",
        "thinking/around-server-tools/anthropic.stream",
        "breaking",
        "thinking cannot be sent back without",
        change_events(lambda events: [event for event in events if "signature_delta" not in event]),
    ),
)

ANTHROPIC_CHANGES += (
    plant_change("several writes merged", STREAM, "notable", "nothing streams any more", write_at_once),
    plant_change(
        "charset added",
        PLAIN,
        "cosmetic",
        "JSON is UTF-8 anyhow",
        set_header("content-type", "application/json; charset=utf-8"),
    ),
    plant_change("error in a 200", LIMIT, "breaking", "SDKs raise by status", set_status(200, "OK")),
    plant_change(
        "other word for the same error",
        LIMIT,
        "notable",
        "SDKs choose by status; a few clients compare the word",
        swap("rate_limit_error", "throttled_error"),
    ),
)
