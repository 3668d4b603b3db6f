"""Instructions that stand marked as such in a turn of the user's, as a provider has one place for them and adapters
leave there what came first (token.js 0.7.1, "System: ..."): nothing is lost, and nobody takes them for the user's."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.compare.text import is_same_text
from bridgecheck.model.prompt import Prompt, TextPart, Turn

_MARK: Final = re.compile(
    r"\W{0,4}(?:system|developer)(?:[ _-]?(?:message|prompt|instructions?|reminder|update|note))?\W{1,6}", re.IGNORECASE
)
"""What may stand before an instruction: ``System:``, ``<system>``, ``[System message]``."""
_END: Final = re.compile(r"\W{0,4}(?:(?:end )?(?:system|developer)\w*\W{1,4})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MarkedInstructions:
    """The instructions that stand marked in turns, and both histories with them as plain words of the user."""

    texts: tuple[str, ...]
    expected: tuple[Turn, ...]
    actual: tuple[Turn, ...]


def find_marked_instructions(expected: Prompt, actual: Prompt) -> MarkedInstructions | None:
    """Return the instructions behind those that the provider's place for them holds, if each stands marked and whole in
    a part of its own in the order in which the client wrote them; None where there are none or one does not."""
    before = [piece for piece in expected.system if piece.strip()]
    held = [piece for piece in actual.system if piece.strip()]
    counts = [n for n in range(len(before), 0, -1) if is_same_text(before[:n], held)] if before else [0] * (not held)
    if not counts:
        return None
    ahead = (Turn("user", tuple(map(TextPart, before[counts[0] :]))),) if before[counts[0] :] else ()
    history = (*ahead, *(replace(turn, role="user") if turn.role == "system" else turn for turn in expected.turns))
    middle = (part for turn in expected.turns if turn.role == "system" for part in turn.parts)
    texts = [*before[counts[0] :], *(part.text for part in middle if isinstance(part, TextPart))]
    marked, unmarked = _take_marks_off(texts, actual.turns)
    is_whole = bool(marked) and set(before[counts[0] :]) <= set(marked)
    return MarkedInstructions(marked, history, unmarked) if is_whole else None


def _take_marks_off(texts: Sequence[str], turns: Sequence[Turn]) -> tuple[tuple[str, ...], tuple[Turn, ...]]:
    """Return the texts that stand marked in turns of the user, and the turns without the marks."""
    waiting, marked = list(texts), list[str]()

    def take_off(turn: Turn) -> Turn:
        parts = list(turn.parts)
        for at, part in enumerate(parts):
            if not isinstance(part, TextPart) or turn.role != "user":
                continue
            found = next((text for text in waiting if _is_marked(part.text, text)), None)
            if found is not None:
                waiting.remove(found)
                marked.append(found)
                parts[at] = replace(part, text=found)
        return replace(turn, parts=tuple(parts))

    unmarked = tuple(map(take_off, turns))
    return tuple(marked), unmarked


def _is_marked(sent: str, text: str) -> bool:
    before, found, behind = sent.partition(text)
    return bool(found) and _MARK.fullmatch(before) is not None and _END.fullmatch(behind) is not None
