"""How a chat behaves, with gemini-cli's defaults."""

import asyncio
import random
import time
from dataclasses import dataclass, field
from typing import Final

from bridgecheck_reference.chat.retry import RetrySettings, Surroundings

MAX_TURNS: Final = 100
"""How often a model may go on by itself after one message."""


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """``max_session_turns``: turns of a session, 0 for no limit. ``next_speaker_check``: ask a model whether the model
    goes on; ``next_speaker_model``: "" for the one in use. ``compression_threshold``: share of the window at which the
    history is summarised, 0 for never. ``detect_loops``. ``usage_event``: give ``UsageMetadata`` too (older design).
    ``raise_unauthorized``: raise ``Unauthorized`` for HTTP 401, as the CLI does behind a login with Google; else it is
    an ``Error`` like others, as behind an API key. ``stream_attempts``: how often a stream that broke or cannot be used
    is opened, after 1, 2 and 4 s."""

    retry: RetrySettings = field(default_factory=RetrySettings)
    stream_attempts: int = 4
    first_stream_wait_s: float = 1
    max_session_turns: int = 0
    next_speaker_check: bool = False
    next_speaker_model: str = ""
    compression_threshold: float = 0.5
    detect_loops: bool = True
    usage_event: bool = False
    raise_unauthorized: bool = False


def real_surroundings() -> Surroundings:
    """Return the loop's sleep, the wall clock and a real source of random numbers."""
    return Surroundings(asyncio.sleep, lambda: time.time() * 1000, random.random)
