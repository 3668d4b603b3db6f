"""Chat Completions requests -> Prompt: OpenAI's own fields and those that its many hosts add.

Source: https://platform.openai.com/docs/api-reference/chat/create (stored copy read 2026-11-21).
"""

from bridgecheck.model.exchange import Request
from bridgecheck.model.jsonvalue import text
from bridgecheck.model.prompt import Prompt, TextPart, Turn
from bridgecheck.normalise.openai_chat.config import choice, response_format, sampling, thinking, tools
from bridgecheck.normalise.openai_chat.turn import turn
from bridgecheck.normalise.settings import feature_headers
from bridgecheck.normalise.tree import Fields, other_leaves, without_empty
from bridgecheck.wire import JsonObject


def prompt(request: Request) -> Prompt:
    """Never raises: what cannot be read stands in ``other``."""
    notes: set[str] = set()
    top = Fields(request.body)
    top.drop_expected("stream", True, False)
    system, turns = _messages(top, notes)
    model = text(top.rest.get("model"))
    top.drop_expected("model", model)
    return Prompt(
        dialect="openai-chat",
        model=request.model or model,
        system=system,
        turns=turns,
        tools=tools(top, notes),
        tool_choice=choice(top),
        settings=sampling(top),
        thinking=thinking(top),
        response_format=response_format(top),
        features=feature_headers(request.headers),
        other=other_leaves(top.rest),
        notes=tuple(sorted(notes)),
    )


def _messages(top: Fields, notes: set[str]) -> tuple[tuple[str, ...], tuple[Turn, ...]]:
    """System and developer messages at the head are the system; later ones are turns where they stand."""
    system: list[str] = []
    turns: list[Turn] = []
    rests: list[JsonObject] = []
    for raw in top.take_items("messages"):
        message = Fields(raw)
        made = turn(message, notes)
        rests.append(message.rest if isinstance(raw, dict) else {"unread": raw})
        if made.role == "system" and not turns and all(isinstance(part, TextPart) for part in made.parts):
            system += [part.text for part in made.parts if isinstance(part, TextPart)]
            if made.name:
                rests[-1]["name"] = made.name
        else:
            turns.append(made)
    top.put_back("messages", without_empty(rests))
    return tuple(system), tuple(turns)
