"""Capabilities: the closed vocabulary an adapter may claim, each tied to the scenario that detects it.

A claimed capability makes the scenarios that require it mandatory; unclaimed, they are NOT_APPLICABLE.
"""

from typing import Final

CAPABILITIES: Final[dict[str, str]] = {
    "tools": "tools/single-call",
    "parallel_tools": "tools/parallel-separate-chunks-indices",
    "thinking": "thinking/thought-text-kept",
    "signatures": "signatures/call-roundtrip",
    "media_input": "multimodal/image-input",
    "media_output": "multimodal/image-output",
    "json_schema": "schema/response-json-schema",
    "multiple_choices": "messages/several-candidates",
    "relay": "signatures/call-roundtrip",
}
"""capability -> id of the scenario that detects it."""
