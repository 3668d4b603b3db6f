"""RELATIONS: every relation with the providers that are known to send such streams.

Ids are those of recorded public traffic; a host of Chat Completions is one more provider of that dialect. Anthropic's
grammar leaves less room: its finish reason and its calls have events of their own by definition.
"""

from typing import Final

from bridgecheck.relations import calls, deltas, finish, transport, usage
from bridgecheck.relations.relation import Relation
from bridgecheck.wire import DIALECTS, Dialect

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
    Relation(
        "bytes_1",
        "An answer says the same if it arrives byte by byte.",
        "byte by byte",
        _HTTP,
        chunks=transport.rechunk_in_all_dialects("bytes1"),
    ),
    Relation(
        "bytes_7",
        "An answer says the same if it arrives in chunks of seven bytes.",
        "in chunks of seven bytes",
        _HTTP,
        chunks=transport.rechunk_in_all_dialects("bytes7"),
    ),
    Relation(
        "mid_codepoint",
        "An answer says the same if its characters are torn apart between chunks.",
        "cut inside every character of several bytes",
        _HTTP,
        chunks=transport.rechunk_in_all_dialects("mid-codepoint"),
    ),
    Relation(
        "mid_crlf",
        "An answer says the same if its line ends are torn apart between chunks.",
        "cut inside every line end",
        _HTTP,
        chunks=transport.rechunk_in_all_dialects("mid-crlf"),
    ),
    Relation(
        "one_write",
        "An answer says the same if all of it arrives at once.",
        "in one chunk",
        _HTTP,
        chunks=transport.rechunk_in_all_dialects("one"),
    ),
    Relation(
        "crlf",
        "An answer says the same if its lines end in CRLF.",
        "with lines that end in CRLF",
        {"gemini": "braintrust/0045", "openai-chat": "maruel-genai/0712, maruel-genai/0713"},
        chunks=dict.fromkeys(DIALECTS, transport.use_crlf),
    ),
    Relation(
        "heartbeats",
        "An answer says the same with signs of life between its events.",
        "with comments or pings between its events",
        {"openai-chat": "chatlas/0171, chatlas/0172", "anthropic": _PING},
        documents={"anthropic": transport.add_anthropic_pings},
        chunks={"gemini": transport.add_comments, "openai-chat": transport.add_comments},
    ),
    Relation(
        "empty_chunks",
        "An answer says the same with chunks between that say nothing.",
        "with chunks between that say nothing",
        {
            "gemini": "generative-ai-js-mocks/0006",
            "openai-chat": "dd-trace-py/0124, chatlas/0125",
            "anthropic": "chatlas/0001, vercel-ai/0012",
        },
        documents={
            "gemini": transport.add_empty_gemini_chunks,
            "openai-chat": transport.add_empty_chat_chunks,
            "anthropic": transport.add_empty_anthropic_deltas,
        },
    ),
    Relation(
        "finish_alone",
        "An answer says the same if its finish reason has a chunk of its own.",
        "with the finish reason in a chunk of its own",
        {"gemini": "chatlas/0105, mirascope-ts/0144", "openai-chat": "chatlas/0157, ai-gateway/0014"},
        documents={
            "gemini": finish.move_finish_to_own_chunk("candidates"),
            "openai-chat": finish.move_finish_to_own_chunk("choices"),
        },
    ),
    Relation(
        "finish_with_text",
        "An answer says the same if its finish reason comes with the last words.",
        "with the finish reason beside the last words",
        {"gemini": "braintrust/0045, chatlas/0087", "openai-chat": "chatlas/0130, maruel-genai/0538"},
        documents={
            "gemini": finish.move_finish_to_last_text("candidates"),
            "openai-chat": finish.move_finish_to_last_text("choices"),
        },
    ),
    Relation(
        "usage_every",
        "Counts are those of the answer so far, however often they are given.",
        "with the counts in every chunk",
        {"gemini": "braintrust/0045", "openai-chat": "chatlas/0063, chatlas/0066", "anthropic": "chatlas/0001"},
        documents={
            "gemini": usage.put_usage_on_every_chunk("candidates"),
            "openai-chat": usage.put_usage_on_every_chunk("choices"),
            "anthropic": usage.repeat_anthropic_usage,
        },
    ),
    Relation(
        "usage_last",
        "Counts arrive if the last chunk of the answer gives them.",
        "with the counts in the last chunk only",
        {
            "gemini": "firebase-vertexai-sdk-test-data/0045",
            "openai-chat": "chatlas/0055, chatlas/0130",
            "anthropic": "braintrust/0035",
        },
        documents={
            "gemini": usage.put_usage_on_last_chunk("candidates"),
            "openai-chat": usage.put_usage_on_last_chunk("choices"),
            "anthropic": usage.drop_repeated_anthropic_usage,
        },
    ),
    Relation(
        "usage_alone",
        "Counts arrive if they come in a chunk of their own, after the answer.",
        "with the counts in a chunk of their own",
        {"openai-chat": "ai-gateway/0014, braintrust/0016"},
        documents={
            "gemini": usage.put_usage_in_own_chunk("candidates"),
            "openai-chat": usage.put_usage_in_own_chunk("choices"),
        },
    ),
    Relation(
        "deltas_merged",
        "An answer says the same in fewer, larger pieces.",
        "in fewer, larger pieces",
        {"gemini": "braintrust/0045", "openai-chat": "llm/0008, chatlas/0130", "anthropic": _PING},
        documents={
            "gemini": deltas.merge_gemini_text,
            "openai-chat": deltas.merge_chat_deltas,
            "anthropic": deltas.merge_anthropic_deltas,
        },
    ),
    Relation(
        "deltas_split",
        "An answer says the same in smaller pieces.",
        "in smaller pieces",
        {"gemini": "braintrust/0045", "openai-chat": "braintrust/0066", "anthropic": _PING},
        documents={
            "gemini": deltas.split_gemini_text,
            "openai-chat": deltas.split_chat_deltas,
            "anthropic": deltas.split_anthropic_deltas,
        },
    ),
    Relation(
        "calls_together",
        "Parallel calls are the same if one chunk brings all of them.",
        "with parallel calls in one chunk",
        {"gemini": "braintrust/0073", "openai-chat": "maruel-genai/0540"},
        documents={"gemini": calls.join_gemini_calls, "openai-chat": calls.join_chat_calls},
    ),
    Relation(
        "calls_apart",
        "Parallel calls are the same if each has a chunk of its own.",
        "with each parallel call in a chunk of its own",
        {"gemini": "chatlas/0105, js-genai/0073", "openai-chat": "braintrust/0066, chatlas/0157"},
        documents={"gemini": calls.split_gemini_calls, "openai-chat": calls.split_chat_calls},
    ),
    TWO_STREAMS,
)
"""Every relation. Stream against unary is ``law.fold_square``: it converts a document, not a stream."""
