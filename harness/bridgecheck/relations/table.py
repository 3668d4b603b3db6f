"""RELATIONS: every relation with the providers that are known to send such streams.

Ids are those of recorded public traffic; a host of Chat Completions is one more provider of that dialect. Anthropic's
grammar leaves less room: its finish reason and its calls have events of their own by definition."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.relations import deltas, finish_and_usage, parallel_calls, transport
from bridgecheck.relations.chunk import ChoicesKey, Documents, Recut, Vary
from bridgecheck.wire import DIALECTS, Dialect


@dataclass(frozen=True, slots=True)
class Relation:
    """Another form of a recorded stream, which has to mean the same to the client. ``rule``: what holds, one sentence.
    ``variation``: how the stream was varied, for a message. ``realistic``: upstream dialect -> who sends such streams
    (ids of recorded traffic, or a URL); in any other dialect a failure is a NOTE. ``documents`` and ``chunks``: how an
    upstream dialect is varied, one or the other; a relation with neither varies how the stream is played."""

    id: str
    rule: str
    variation: str
    realistic: Mapping[Dialect, str]
    documents: Mapping[Dialect, Vary] = field(default_factory=dict)
    chunks: Mapping[Dialect, Recut] = field(default_factory=dict)

    @property
    def check(self) -> str:
        """The id of the check that it gives verdicts of."""
        return f"relation.{self.id}"


def _vary_chunks(vary: Callable[[Documents, ChoicesKey], Documents]) -> dict[Dialect, Vary]:
    """Return a variation for the chunks of Gemini and of Chat."""
    return {
        "gemini": lambda documents: vary(documents, "candidates"),
        "openai-chat": lambda documents: vary(documents, "choices"),
    }


_HTTP: Final[dict[Dialect, str]] = dict.fromkeys(DIALECTS, "https://www.rfc-editor.org/rfc/rfc9112#section-7.1")
"""Any intermediary may cut a chunked body anew."""

_PING: Final = "https://docs.anthropic.com/en/api/messages-streaming"

TWO_STREAMS: Final = Relation(
    "two_streams",
    "Two streams that pass through one adapter at the same time do not mix.",
    "beside another stream through the same adapter",
    dict.fromkeys(DIALECTS, "https://github.com/askalf/dario/pull/646"),
)

RELATIONS: Final[tuple[Relation, ...]] = (
    Relation("bytes_1", "A response means the same if it arrives byte by byte.", "byte by byte", _HTTP,
        chunks=transport.rechunk_in_all_dialects("bytes1")),
    Relation("bytes_7", "A response means the same if it arrives in chunks of seven bytes.", "in chunks of seven bytes",
        _HTTP, chunks=transport.rechunk_in_all_dialects("bytes7")),
    Relation("mid_codepoint", "A response means the same if its characters are split between chunks.",
        "cut inside every character of several bytes", _HTTP,
        chunks=transport.rechunk_in_all_dialects("mid-codepoint")),
    Relation("mid_crlf", "A response means the same if its line ends are split between chunks.",
        "cut inside every line end", _HTTP, chunks=transport.rechunk_in_all_dialects("mid-crlf")),
    Relation("one_write", "A response means the same if all of it arrives at once.", "in one chunk", _HTTP,
        chunks=transport.rechunk_in_all_dialects("one")),
    Relation("crlf", "A response means the same if its lines end in CRLF.", "with lines that end in CRLF",
        {"gemini": "braintrust/0045", "openai-chat": "maruel-genai/0712, maruel-genai/0713"},
        chunks=dict.fromkeys(DIALECTS, transport.use_crlf)),
    Relation("heartbeats", "A response means the same with comments or pings between its events.",
        "with comments or pings between its events",
        {"openai-chat": "chatlas/0171, chatlas/0172", "anthropic": _PING},
        documents={"anthropic": transport.add_anthropic_pings},
        chunks={"gemini": transport.add_comments, "openai-chat": transport.add_comments}),
    Relation("empty_chunks", "A response means the same with chunks without content between.",
        "with chunks without content between",
        {"gemini": "generative-ai-js-mocks/0006", "openai-chat": "dd-trace-py/0124, chatlas/0125",
         "anthropic": "chatlas/0001, vercel-ai/0012"},
        documents={"gemini": transport.add_empty_gemini_chunks, "openai-chat": transport.add_empty_chat_chunks,
                   "anthropic": transport.add_empty_anthropic_call_thinking_deltas}),
    Relation("finish_alone", "A response means the same if its finish reason has a chunk of its own.",
        "with the finish reason in a chunk of its own",
        {"gemini": "chatlas/0105, mirascope-ts/0144", "openai-chat": "chatlas/0157, ai-gateway/0014"},
        documents=_vary_chunks(finish_and_usage.move_finish_to_own_chunk)),
    Relation("finish_with_text", "A response means the same if its finish reason comes with the last text.",
        "with the finish reason beside the last text",
        {"gemini": "braintrust/0045, chatlas/0087", "openai-chat": "chatlas/0130, maruel-genai/0538"},
        documents=_vary_chunks(finish_and_usage.move_finish_to_last_text)),
    Relation("usage_every", "Counts are those of the response so far, however often they are sent.",
        "with the counts in every chunk",
        {"gemini": "braintrust/0045", "openai-chat": "chatlas/0063, chatlas/0066", "anthropic": "chatlas/0001"},
        documents={**_vary_chunks(finish_and_usage.put_usage_on_every_chunk),
                   "anthropic": finish_and_usage.repeat_anthropic_usage}),
    Relation("usage_last", "Counts arrive if only the last chunk of the response holds them.",
        "with the counts in the last chunk only",
        {"gemini": "firebase-vertexai-sdk-test-data/0045", "openai-chat": "chatlas/0055, chatlas/0130",
         "anthropic": "braintrust/0035"},
        documents={**_vary_chunks(finish_and_usage.put_usage_on_last_chunk),
                   "anthropic": finish_and_usage.drop_repeated_anthropic_usage}),
    Relation("usage_alone", "Counts arrive if they come in a chunk of their own, after the response.",
        "with the counts in a chunk of their own", {"openai-chat": "ai-gateway/0014, braintrust/0016"},
        documents=_vary_chunks(finish_and_usage.put_usage_in_own_chunk)),
    Relation("deltas_merged", "A response means the same in fewer, larger pieces.", "in fewer, larger pieces",
        {"gemini": "braintrust/0045", "openai-chat": "llm/0008, chatlas/0130", "anthropic": _PING},
        documents={"gemini": deltas.merge_gemini_text, "openai-chat": deltas.merge_chat_deltas,
                   "anthropic": deltas.merge_anthropic_deltas}),
    Relation("deltas_split", "A response means the same in smaller pieces.", "in smaller pieces",
        {"gemini": "braintrust/0045", "openai-chat": "braintrust/0066", "anthropic": _PING},
        documents={"gemini": deltas.split_gemini_text, "openai-chat": deltas.split_chat_deltas,
                   "anthropic": deltas.split_anthropic_deltas}),
    Relation("calls_together", "Parallel calls are the same if one chunk holds all of them.",
        "with parallel calls in one chunk", {"gemini": "braintrust/0073", "openai-chat": "maruel-genai/0540"},
        documents={"gemini": parallel_calls.join_gemini_calls, "openai-chat": parallel_calls.join_chat_call_pieces}),
    Relation("calls_apart", "Parallel calls are the same if each has a chunk of its own.",
        "with each parallel call in a chunk of its own",
        {"gemini": "chatlas/0105, js-genai/0073", "openai-chat": "braintrust/0066, chatlas/0157"},
        documents={"gemini": parallel_calls.split_gemini_calls, "openai-chat": parallel_calls.split_chat_calls}),
    TWO_STREAMS,
)  # fmt: skip
"""Every relation. Stream against unary is ``law.fold_square``: it converts a document, not a stream."""
