"""Moves: what stands in another place at the far side, because the dialect there has no other for it. Each is a named
transformation, and explains what arrives beside a leaf."""

from dataclasses import dataclass
from typing import Final

from bridgecheck.ledger.kinds import Side


@dataclass(frozen=True, slots=True)
class Move:
    """``paths`` of the normal form may arrive under ``to``; both cover what lies below them, list indices and casing as
    in the document."""

    name: str
    paths: tuple[str, ...]
    to: tuple[str, ...]
    why: str


ANSWERS: Final[tuple[Move, ...]] = (
    Move("refusal_as_text", ("refusal",), ("text",), "where a dialect has no refusals, its words are the answer"),
    Move("code_as_text", ("code",), ("text",), "where a dialect has no parts for code, it is shown"),
    Move(
        "time_of_answer",
        ("other:created", "other:createTime"),
        ("other:created", "other:createTime"),
        "Chat counts seconds, Gemini writes a date",
    ),
    Move(
        "logprobs",
        ("other:choices[].logprobs", "other:candidates[].logprobsResult", "other:candidates[].avgLogprobs"),
        ("other:choices[].logprobs", "other:candidates[].logprobsResult"),
        "the same figures under each dialect's keys; bytes are those of the token",
    ),
    Move(
        "modality_counts",
        ("other:usageMetadata", "other:usage"),
        ("other:usageMetadata", "other:usage"),
        "tokens by modality stand under each dialect's keys",
    ),
    Move(
        "error_words",
        ("error", "other:error", "other:request_id"),
        ("error", "other:error"),
        "words, codes and details of an error stand under each dialect's keys",
    ),
    Move(
        "carrier",
        ("signatures", "finish", "citations", "other"),
        ("other:choices[].extra_content", "other:choices[].message", "signatures", "reasoning"),
        "put beside an answer, or into a signature, to be read back with the next request",
    ),
    Move("image_list", ("media",), ("other:choices[].message.images",), "Chat hosts list images beside the text"),
)

REQUESTS: Final[tuple[Move, ...]] = (
    Move("refusal_as_text", ("turns.other.refusal",), ("turns.text",), "no other dialect replays refusals as such"),
    Move(
        "code_as_text",
        ("turns.other.executableCode", "turns.other.codeExecutionResult"),
        ("turns.text",),
        "where a dialect has no parts for code, it is shown",
    ),
)


def moves(side: Side) -> tuple[Move, ...]:
    """Those of a side."""
    return REQUESTS if side == "request" else ANSWERS


def under(path: str, starts: tuple[str, ...]) -> bool:
    """Whether a path is one of these or lies below one."""
    return any(path == start or (path.startswith(start) and path[len(start)] in ".[:") for start in starts)
