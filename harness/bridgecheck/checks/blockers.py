"""Groups of checks that explain the failure of others (``Check.blocked_by``)."""

from typing import Final

PLAYED: Final = ("relay.expected_calls",)
"""What the adapter did at all: nothing is known of an answer or a request that never was."""
ANSWERED: Final = ("response.error", "response.choices")
"""What an answer holds says nothing where an error came in its place, or another choice."""
RESPONSE: Final = (
    "relay.expected_calls",
    "response.error",
    "response.choices",
    "response.text",
    "response.reasoning",
    "response.order",
    "response.refusal",
    "response.tool_calls",
    "response.number_text",
    "response.media",
    "response.code",
    "response.citations",
    "response.finish",
    "response.usage",
    "response.identity",
    "response.other",
    "client.wire_shape",
    "stream.terminates_once",
    "stream.blocks",
    "stream.calls_contiguous",
)
REQUEST: Final = (
    "relay.expected_calls",
    "request.system",
    "request.turns",
    "request.tools",
    "request.tool_choice",
    "request.settings",
    "request.thinking",
    "request.response_format",
    "request.other",
    "request.added",
    "request.acceptable",
    "upstream.wire_shape",
    "relay.signatures",
    "relay.thinking",
    "relay.ids",
)
"""An expectation, a second reading and a law say again, of one case, what these checks say of all."""
