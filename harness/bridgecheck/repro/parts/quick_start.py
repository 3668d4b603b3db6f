"""The adapter as its own documentation says to use it."""

import asyncio
from typing import Any

from bridgecheck.repro.parts.data import MODE, UPSTREAM


class QuickStart:
    """``text``: Python that asks what BODY says and leaves the answer in ``answer``: one document, or a list of events.
    {upstream_url}, {upstream}, {model}, {stream} and {body} are filled in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.url = ""

    def connect(self, *, base_url: str, **rest: str) -> "QuickStart":
        self.url = base_url
        return self

    async def exchange(self, body: Any, turn: dict[str, Any]) -> tuple[int, list[Any]]:
        named = {"upstream_url": self.url, "upstream": UPSTREAM, "model": turn["model"], "body": "BODY"}
        named["stream"] = str(MODE == "stream")
        text = self.text
        for name, value in named.items():
            text = text.replace(f"{{{name}}}", value)
        found: dict[str, Any] = {"BODY": body}
        # In a thread of its own: libraries refuse to be called where a loop runs, or start one themselves.
        await asyncio.to_thread(exec, compile(text, "the quick start", "exec"), found)
        answer = found["answer"]
        return 200, answer if isinstance(answer, list) else [answer]

    def close(self) -> None:
        """There is nothing to end."""
