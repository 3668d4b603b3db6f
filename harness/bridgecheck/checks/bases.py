"""Sources that several rules rest on, and groups of checks that explain the failures of other checks."""

from typing import Final

from bridgecheck.model.scenario import Basis

READ: Final = "2026-11-21"
"""When stored copies of the pages were read, or of the definitions that they are made from."""
MEASURED: Final = "2026-11-20"

GEMINI: Final = Basis("documented", "https://ai.google.dev/api/generate-content", READ)
CHAT: Final = Basis("documented", "https://platform.openai.com/docs/api-reference/chat", READ)
CHUNK: Final = Basis("documented", "https://platform.openai.com/docs/api-reference/chat-streaming", READ)
CALLING: Final = Basis("documented", "https://ai.google.dev/api/caching#FunctionDeclaration", READ)
MESSAGES: Final = Basis("documented", "https://docs.anthropic.com/en/api/messages-streaming", READ)
OPTIONS: Final = Basis(
    "documented", "https://platform.openai.com/docs/api-reference/chat/create (stream_options)", READ
)
SCHEMA: Final = Basis("documented", "https://json-schema.org/draft/2020-12/json-schema-validation", READ)
THINKING: Final = Basis("documented", "https://ai.google.dev/gemini-api/docs/thinking", READ)
BREAKS: Final = Basis("client-breaks", "google-genai 3.4.0, openai 3.52.0", MEASURED)
RECORDED: Final = Basis("recorded", "recorded native traffic holds this for every provider", MEASURED)
RECORDED_HOSTS: Final = Basis(
    "recorded", "recorded answers of hosts of Chat hold over 80 members that its reference does not", MEASURED
)
OWN: Final = Basis("recorded", "the basis of the scenario that expects it", MEASURED)

SEAMS: Final = Basis(
    "convention",
    "https://github.com/anthropics/anthropic-sdk-typescript/blob/main/src/lib/MessageStream.ts (finalText "
    "joins with a space), against get_final_text of anthropic 2.11.0 (with nothing)",
    "2026-11-23",
)
"""How texts that were written separately join: the APIs do not say, the provider's own SDKs differ."""

PLAYED: Final = ("relay.expected_calls",)
"""Explains a missing response or request: the adapter did not make the call at all."""
ANSWERED: Final = ("response.error", "response.choices")
"""Explains missing content: the response is an error, or has other choices."""
RESPONSE: Final = (
    "relay.expected_calls", "response.error", "response.choices", "response.text", "response.reasoning",
    "response.order", "response.refusal", "response.tool_calls", "response.number_text", "response.media",
    "response.code", "response.citations", "response.finish", "response.usage", "response.identity", "response.other",
    "client.wire_shape", "stream.terminates_once", "stream.blocks", "stream.calls_contiguous",
    "relay.client_remembers", "client.shows",
)  # fmt: skip
REQUEST: Final = (
    "request.system", "request.turns", "request.tools", "request.tool_choice",
    "request.settings", "request.thinking", "request.response_format", "request.other", "request.added",
    "request.acceptable", "upstream.wire_shape", "relay.signatures", "relay.thinking", "relay.ids",
)  # fmt: skip
"""An expectation, a second reading and a law judge one case by what these checks judge in every case."""
