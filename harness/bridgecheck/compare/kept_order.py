"""The order of an answer in what a library keeps of it for the next turn, which need not be that of its pieces."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bridgecheck.model.outcome import Channel, Choice
from bridgecheck.model.prompt import CallPart, Part, ReasoningPart, TextPart, Turn


def is_order_kept(expected: Choice, preserved: object) -> bool:
    """Return whether all texts, thoughts and calls of an answer stand in this value in the answer's order."""
    leaves = [leaf if isinstance(leaf, str) else json.dumps(leaf) for leaf in _leaves_of(preserved)]
    position = 0
    for channel, index in expected.order:
        texts = _texts_of_item(expected, channel, index)
        found = [next((at for at in range(position, len(leaves)) if content in leaves[at]), -1) for content in texts]
        if -1 in found or not found:
            return False
        position = max(found) + 1
    return True


def _texts_of_item(choice: Choice, channel: Channel, index: int) -> list[str]:
    """Return what has to stand in a kept item of a channel, [] for a channel that is not looked for."""
    if channel == "text":
        return [choice.text[index].strip()]
    if channel == "reasoning":
        return [choice.reasoning[index].strip()]
    if channel != "call":
        return []
    call = choice.tool_calls[index]
    leaves = _leaves_of(call.args)
    return [call.name, *(leaf if isinstance(leaf, str) else json.dumps(leaf) for leaf in leaves)]


def _leaves_of(value: object) -> Iterator[object]:
    if isinstance(value, dict | list | tuple):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _leaves_of(member)
    else:
        yield value


def restore_kept_order(history: Sequence[Turn], answered: Sequence[Part]) -> tuple[Turn, ...]:
    """Return the history with those turns of the model whose texts, thoughts and calls all stand in the provider's
    earlier answers (``answered``) in the order of these answers."""
    waiting = [(place, _content_of(part)) for place, part in enumerate(answered)]
    turns: list[Turn] = []
    for turn in history:
        rest = list(waiting)
        placed: list[tuple[int, Part]] = []
        parts = [part for part in turn.parts if not isinstance(part, ReasoningPart) or part.text]
        for part in parts if turn.role == "assistant" else ():
            found = next((item for item in rest if item[1] == _content_of(part)), None)
            if found is not None:
                rest.remove(found)
                placed.append((found[0], part))
        if len(placed) == len(parts):
            waiting = rest
            turn = replace(turn, parts=tuple(part for _, part in sorted(placed, key=lambda item: item[0])))
        turns.append(turn)
    return tuple(turns)


def _content_of(part: Part) -> object:
    if isinstance(part, TextPart | ReasoningPart):
        return type(part), part.text
    return (part.call.name, part.call.args) if isinstance(part, CallPart) else part
