"""docs/real-clients.md lists which client holds how many conversations over which provider, with what is counted here."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from .conversations import CLI_SESSIONS, CONVERSATIONS, CUT, MODELS, Conversation, expected_requests
from .test_conversations_javascript import CLIENTS as JAVASCRIPT
from .test_conversations_python import CLIENTS as PYTHON

PAGE = Path(__file__).parents[2] / "docs" / "real-clients.md"
SDKS = {"genai": "@google/genai", "openai": "openai (JavaScript)", "anthropic": "@anthropic-ai/sdk"}
CLI_DIALECTS = {"gemini-cli": "gemini", "Claude Code": "anthropic"}


def sizes(conversations: Iterable[Conversation]) -> list[tuple[int, int]]:
    return [(len(found.turns), len(expected_requests(found))) for found in conversations]


def rows() -> Iterator[str]:
    sdk_sizes = sizes([*CONVERSATIONS, *CONVERSATIONS, CUT])  # unary, streamed, cut
    found = {name: (dialect, sdk_sizes) for name, (_, dialect) in PYTHON.items()}
    found |= {SDKS[name]: (dialect, sdk_sizes) for name, (dialect, _) in JAVASCRIPT.items()}
    found |= {name: (CLI_DIALECTS[name], list(played)) for name, played in CLI_SESSIONS.items()}  # type: ignore[misc]
    for name, (dialect, played) in found.items():
        upstreams = ", ".join(upstream for upstream in MODELS if upstream != dialect)
        turns, requests = (sum(numbers) for numbers in zip(*played, strict=True))
        yield f"| {name} | {upstreams} | {len(played)} | {turns} | {requests} |"


def test_the_page_counts_what_is_played() -> None:
    page = PAGE.read_text(encoding="utf-8").splitlines()
    listed = [line for line in page if line.startswith("| ") and not line.startswith(("| client", "| ---"))]
    assert listed == list(rows())
