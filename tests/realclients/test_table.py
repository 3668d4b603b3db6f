"""docs/real-clients.md lists which client holds how many conversations over which provider, with what is counted here."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from bridgecheck.wire import Dialect

from .conversations import CLI_SESSIONS, CONVERSATIONS, CUT, MODELS, Conversation, expected_requests
from .framework_clients import FRAMEWORKS, KINDS, Framework
from .test_conversations_javascript import CLIENTS as JAVASCRIPT
from .test_conversations_python import CLIENTS as PYTHON
from .test_frameworks import MEASURED, PLAYED

PAGE = Path(__file__).parents[2] / "docs" / "real-clients.md"
SDKS = {"genai": "@google/genai", "openai": "openai (JavaScript)", "anthropic": "@anthropic-ai/sdk"}
Sizes = list[tuple[int, int]]
"""(turns, requests) of each conversation."""


def sizes(conversations: Iterable[Conversation]) -> Sizes:
    return [(len(found.turns), len(expected_requests(found))) for found in conversations]


def framework_sizes(framework: Framework) -> Sizes:
    """Return what test_frameworks plays: the first request, and those that were measured after it."""
    played = [(name, mode) for name in PLAYED if KINDS[name].includes(framework) for mode in KINDS[name].modes]
    measured = MEASURED[framework.name]["measured"]
    requests = ((measured[name].get("both") or measured[name][mode])["requests"] for name, mode in played)
    return [(len(KINDS[name].users), 1 + len(found)) for (name, _), found in zip(played, requests, strict=True)]


def rows() -> Iterator[str]:
    sdk_sizes = sizes([*CONVERSATIONS, *CONVERSATIONS, CUT])  # unary, streamed, cut
    sdks = {name: dialect for name, (_, dialect) in PYTHON.items()}
    sdks |= {SDKS[name]: dialect for name, (dialect, _) in JAVASCRIPT.items()}
    for name, dialect in sdks.items():
        yield row(name, foreign_dialects(dialect), sdk_sizes)
    for name, sessions in CLI_SESSIONS.items():
        yield row(name, sessions.upstreams, list(sessions.sizes))
    for framework in FRAMEWORKS:
        yield row(framework.name, foreign_dialects(framework.dialect), framework_sizes(framework))


def foreign_dialects(dialect: Dialect) -> tuple[Dialect, ...]:
    return tuple(upstream for upstream in MODELS if upstream != dialect)


def row(name: str, upstreams: Iterable[Dialect], played: Sizes) -> str:
    turns, requests = (sum(numbers) for numbers in zip(*played, strict=True))
    return f"| {name} | {', '.join(upstreams)} | {len(played)} | {turns} | {requests} |"


def test_the_page_counts_what_is_played() -> None:
    page = PAGE.read_text(encoding="utf-8").splitlines()
    listed = [line for line in page if line.startswith("| ") and not line.startswith(("| client", "| ---"))]
    assert listed == list(rows())
