"""Environment variables: those that SDKs read or that hold credentials are replaced or removed for a run; one names a
running gateway's upstream port."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from bridgecheck.errors import BadTarget
from bridgecheck.secrets import may_hold_credential

SCRUBBED_VARIABLES: Final = (
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT",
    "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_API_VERSION", "GOOGLE_GENAI_USE_ENTERPRISE",
    "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_VERTEX_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID", "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "http_proxy", "https_proxy",
)  # fmt: skip
"""What openai, google-genai, anthropic or their HTTP client read by themselves (SDK sources, 2026-11-20)."""


DUMMY_KEY: Final = "dummy-key-of-bridgecheck"
_ALWAYS_SET: Final = dict.fromkeys(("ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"), DUMMY_KEY)
"""What the process of an adapter finds in place of keys, also where none is set: some SDKs raise without one when they
are imported."""


def scrub_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for the process of an adapter: a dummy in place of everything that may hold a credential,
    and nothing else of what SDKs read by themselves."""
    scrubbed = {
        name: DUMMY_KEY if may_hold_credential(name, value) else value
        for name, value in variables.items()
        if name not in SCRUBBED_VARIABLES or name.endswith("_API_KEY")
    }
    return scrubbed | _ALWAYS_SET


@contextmanager
def scrubbed_environment() -> Iterator[None]:
    """Remove the variables that SDKs read while the block runs, but not dummies, and restore them afterwards."""
    set_names = [name for name in SCRUBBED_VARIABLES if os.environ.get(name, DUMMY_KEY) != DUMMY_KEY]
    saved = {name: os.environ.pop(name) for name in set_names}
    try:
        yield
    finally:
        os.environ.update(saved)


UPSTREAM_PORT_VARIABLE: Final = "BRIDGECHECK_UPSTREAM_PORT"
"""The environment variable of commands that have no option for it."""


def upstream_port_from_option_or_environment(option: int, target: str) -> int:
    """Return ``option``, or for 0 the port in the environment. Raises BadTarget if neither is a port."""
    value = str(option) if option else os.environ.get(UPSTREAM_PORT_VARIABLE, "")
    if value.isdecimal() and 0 < int(value) < 65536:
        return int(value)
    unset = "the port where the gateway calls its provider is not set"
    problem = f"{UPSTREAM_PORT_VARIABLE} is no port: {value!r}" if value else unset
    options = f"--upstream-port N or {UPSTREAM_PORT_VARIABLE}=N"
    expected = f"{options}, with the gateway configured to call http://127.0.0.1:N"
    raise BadTarget(problem, target, expected, "or write a recipe with routes and upstream_port: docs/recipes.md")
