"""Keeping the surroundings out of a run: what the SDKs read from the environment would send them elsewhere."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SCRUBBED: Final = (
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL",
    "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT",
    "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_API_VERSION", "GOOGLE_GENAI_USE_ENTERPRISE", "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_VERTEX_BASE_URL",
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID",
    "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "http_proxy", "https_proxy",
)  # fmt: skip
"""Read by openai, google-genai, anthropic or their HTTP client when nothing is passed explicitly (SDK sources,
2026-11-20)."""


@contextmanager
def scrubbed() -> Iterator[None]:
    """Without these variables; they come back afterwards."""
    kept = {name: os.environ.pop(name) for name in SCRUBBED if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)
