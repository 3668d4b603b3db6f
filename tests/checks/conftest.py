"""Evidence built by hand: prompts and outcomes of the client and of the provider."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bridgecheck.checks import judge
from bridgecheck.model.evidence import CaseTranscript, Evidence
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.outcome import Choice, Finish, Outcome, Usage
from bridgecheck.model.prompt import Prompt, TextPart, Turn
from bridgecheck.model.scenario import Basis, Expectation, Scenario, WireDocumentPredicate
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
    """A builder of evidence: keyword arguments replace parts of a plain case (Gemini upstream, Chat client, "Hello")."""

    def __call__(
        self,
        *,
        client: Dialect = "openai-chat",
        upstream: Dialect = "gemini",
        mode: Mode = "unary",
        pivot: Dialect | None = None,
        upstream_outcome: Outcome | tuple[Outcome, ...] | None = None,
        client_outcome: Outcome | tuple[Outcome, ...] | None = None,
        client_prompt: Prompt | tuple[Prompt, ...] | None = None,
        upstream_prompt: Prompt | tuple[Prompt, ...] | None = None,
        upstream_documents: tuple[object, ...] | None = None,
        client_documents: tuple[object, ...] | None = None,
        client_body: JsonObject | None = None,
        upstream_body: JsonObject | None = None,
        native: tuple[Outcome, ...] | None = None,
        scenario: Scenario | None = None,
        path: str = "bridged",
        layer: Layer = "wire",
        client_sides: tuple[Interaction, ...] = (),
        upstream_sides: tuple[Interaction, ...] = (),
        **transcript: object,
    ) -> Evidence:
        upstream_outcomes = _many(upstream_outcome or self.outcome(dialect=upstream))
        client_outcomes = _many(client_outcome or self.outcome(dialect=client))
        client_prompts = _many(client_prompt or self.prompt(dialect=client))
        upstream_prompts = _many(upstream_prompt or self.prompt(dialect=upstream))
        client_interaction = self.interaction(client, mode, client_body, client_documents)
        upstream_interaction = self.interaction(upstream, mode, upstream_body, upstream_documents)
        played = CaseTranscript(
            client_sides or (client_interaction,) * len(client_outcomes),
            upstream_sides or (upstream_interaction,) * len(upstream_outcomes),
        )
        if "crash" in transcript or "refused" in transcript:
            transcript.setdefault("unanswered", frozenset(range(len(client_outcomes))))
        key = CaseKey("a/b", "native" if path == "native" else "bridged", client, upstream, mode, layer)
        return Evidence(
            key,
            replace(played, **transcript),
            scenario,
            client_prompts,
            upstream_prompts,
            upstream_outcomes,
            client_outcomes,
            pivot,
            native,
            tuple(range(len(client_outcomes))),
        )

    @staticmethod
    def interaction(
        dialect: Dialect, mode: Mode, body: JsonObject | None, documents: tuple[object, ...] | None
    ) -> Interaction:
        found = documents if documents is not None else (DOCUMENTS.get((dialect, mode), {}),)
        return Interaction(Request(dialect, mode, body or BODIES.get(dialect, {}), "m"), Response(dialect, mode, found))

    @staticmethod
    def outcome(
        *, dialect: Dialect = "gemini", usage: Usage | None = None, choices: tuple[Choice, ...] | None = None,
        finish: Finish | None = None, unmapped: tuple[tuple[str, str], ...] = (), **choice: object,
    ) -> Outcome:  # fmt: skip
        """Return an outcome with one choice "Hello", unless the arguments change it."""
        finish_words = {"gemini": "STOP", "openai-chat": "stop", "anthropic": "end_turn", "outcome": "stop"}
        ended = finish or Finish(finish_words[dialect], "stop")
        choice_ = Choice(**{"text": ("Hello",), "order": (("text", 0),), "finish": ended, **choice})
        return Outcome(dialect, (choice_,) if choices is None else choices, usage, other=unmapped)

    @staticmethod
    def prompt(*, dialect: Dialect = "gemini", **fields: object) -> Prompt:
        turns = fields.pop("turns", (Turn("user", (TextPart("Hi"),)),))
        return Prompt(dialect, "m", turns=turns, **fields)

    @staticmethod
    def scenario(
        level: Level = "MUST", outcome: JsonObject | None = None, prompt: JsonObject | None = None,
        wire: tuple[WireDocumentPredicate, ...] = (), may_refuse: tuple[str, ...] = (),
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
    """Return the worst status of one check, "" if it has no verdict. Verdicts of other checks are not looked at."""

    def worst(evidence: Evidence, check: str) -> str:
        order = ("ERROR", "FAIL", "WARN", "INCONCLUSIVE", "REJECTED", "INHERITED", "NOTE", "PASS", "NOT_APPLICABLE")
        found = {verdict.status for verdict in judge(evidence) if verdict.check == check}
        return next((status_ for status_ in order if status_ in found), "")

    return worst


@pytest.fixture
def verdicts() -> Callable[[Evidence, str], list[Verdict]]:
    return lambda evidence, check: [verdict for verdict in judge(evidence) if verdict.check == check]
