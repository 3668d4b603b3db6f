"""Evidence built by hand: what a provider said and a client received, what a client asked and a provider was sent."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bridgecheck.checks import judge
from bridgecheck.model.evidence import Evidence, Transcript
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.outcome import Choice, Finish, Outcome, Usage
from bridgecheck.model.prompt import Prompt, TextPart, Turn
from bridgecheck.model.scenario import Basis, Expectation, Scenario, WirePredicate
from bridgecheck.model.verdict import CaseKey, Layer, Level, Verdict
from bridgecheck.wire import Dialect, JsonObject, Mode

BODIES: dict[Dialect, JsonObject] = {
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    "openai-chat": {"model": "m", "messages": [{"role": "user", "content": "Hi"}]},
    "anthropic": {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]},
}
DOCUMENTS: dict[tuple[Dialect, Mode], JsonObject] = {
    ("gemini", "unary"): {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hello"}]}, "finishReason": "STOP", "index": 0}]
    },
    ("openai-chat", "unary"): {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
    },
    ("gemini", "stream"): {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hello"}]}, "finishReason": "STOP", "index": 0}]
    },
    ("openai-chat", "stream"): {
        "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
    },
    ("anthropic", "unary"): {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "Hello"}], "usage": {"input_tokens": 1, "output_tokens": 1},
    },
    ("anthropic", "stream"): {
        "type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": None, "content": [],
            "usage": {"input_tokens": 1, "output_tokens": 1},
        },
    },
}  # fmt: skip


class Case:
    """A builder: keyword arguments replace parts of a plain case (Gemini upstream, Chat client, "Hello")."""

    def __call__(
        self,
        *,
        client: Dialect = "openai-chat",
        upstream: Dialect = "gemini",
        mode: Mode = "unary",
        pivot: Dialect | None = None,
        said: Outcome | tuple[Outcome, ...] | None = None,
        received: Outcome | tuple[Outcome, ...] | None = None,
        asked: Prompt | tuple[Prompt, ...] | None = None,
        sent: Prompt | tuple[Prompt, ...] | None = None,
        said_documents: tuple[object, ...] | None = None,
        received_documents: tuple[object, ...] | None = None,
        asked_body: JsonObject | None = None,
        sent_body: JsonObject | None = None,
        native: tuple[Outcome, ...] | None = None,
        scenario: Scenario | None = None,
        path: str = "bridged",
        layer: Layer = "wire",
        client_sides: tuple[Interaction, ...] = (),
        upstream_sides: tuple[Interaction, ...] = (),
        **transcript: object,
    ) -> Evidence:
        saids = _many(said or self.outcome(dialect=upstream))
        receiveds = _many(received or self.outcome(dialect=client))
        askeds = _many(asked or self.prompt(dialect=client))
        sents = _many(sent or self.prompt(dialect=upstream))
        mine = self.interaction(client, mode, asked_body, received_documents)
        theirs = self.interaction(upstream, mode, sent_body, said_documents)
        seen = Transcript(client_sides or (mine,) * len(receiveds), upstream_sides or (theirs,) * len(saids))
        key = CaseKey("a/b", "native" if path == "native" else "bridged", client, upstream, mode, layer)
        return Evidence(
            key,
            replace(seen, **transcript),
            scenario,
            askeds,
            sents,
            saids,
            receiveds,
            pivot,
            native,
            tuple(range(len(receiveds))),
        )

    @staticmethod
    def interaction(
        dialect: Dialect, mode: Mode, body: JsonObject | None, documents: tuple[object, ...] | None
    ) -> Interaction:
        found = documents if documents is not None else (DOCUMENTS[dialect, mode],)
        return Interaction(Request(dialect, mode, body or BODIES[dialect], "m"), Response(dialect, mode, found))

    @staticmethod
    def outcome(
        *, dialect: Dialect = "gemini", usage: Usage | None = None, choices: tuple[Choice, ...] | None = None,
        finish: Finish | None = None, other: tuple[tuple[str, str], ...] = (), **choice: object,
    ) -> Outcome:  # fmt: skip
        """One choice saying Hello, unless something else is given."""
        words = {"gemini": "STOP", "openai-chat": "stop", "anthropic": "end_turn"}
        ended = finish or Finish(words[dialect], "stop")
        one = Choice(**{"text": ("Hello",), "order": (("text", 0),), "finish": ended, **choice})
        return Outcome(dialect, (one,) if choices is None else choices, usage, other=other)

    @staticmethod
    def prompt(*, dialect: Dialect = "gemini", **fields: object) -> Prompt:
        turns = fields.pop("turns", (Turn("user", (TextPart("Hi"),)),))
        return Prompt(dialect, "m", turns=turns, **fields)

    @staticmethod
    def scenario(
        level: Level = "MUST", outcome: JsonObject | None = None, prompt: JsonObject | None = None,
        wire: tuple[WirePredicate, ...] = (), may_refuse: tuple[str, ...] = (),
    ) -> Scenario:  # fmt: skip
        return Scenario(
            "a/b",
            "t",
            "d",
            "w",
            level,
            Basis("documented", "u"),
            ("unary",),
            (),
            Expectation(outcome or {}, prompt or {}, wire),
            may_refuse=may_refuse,
        )


def _many(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)


@pytest.fixture
def case() -> Case:
    return Case()


@pytest.fixture
def status() -> Callable[[Evidence, str], str]:
    """The worst status of one check, "" if it has nothing to say; any other FAIL or ERROR than that check's is an
    error of the test."""

    def worst(evidence: Evidence, check: str) -> str:
        order = ("ERROR", "FAIL", "WARN", "INCONCLUSIVE", "REJECTED", "INHERITED", "NOTE", "PASS", "NOT_APPLICABLE")
        found = {verdict.status for verdict in judge(evidence) if verdict.check == check}
        return next((one for one in order if one in found), "")

    return worst


@pytest.fixture
def verdicts() -> Callable[[Evidence, str], list[Verdict]]:
    return lambda evidence, check: [verdict for verdict in judge(evidence) if verdict.check == check]
