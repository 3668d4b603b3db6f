"""Faults of a chat that keeps its own history; see mutants.py for what an entry is."""

from typing import Final

from mutants import Mutant

_REFERENCE: Final = "bridgecheck_reference"


def _fault(
    name: str, file: str, old: str, new: str, checks: tuple[str, ...], scenarios: tuple[str, ...], source: str
) -> Mutant:
    return Mutant(name, ((f"{_REFERENCE}/{file}.py", old, new),), frozenset(checks), scenarios, source)


CHATS: Final[tuple[Mutant, ...]] = (
    _fault(
        "text-shown-twice-by-a-chat",
        "chat/turn",
        "            yield Content(text, trace_id)\n",
        "            yield Content(text, trace_id)\n            yield Content(text, trace_id)\n",
        ("chat.events",),
        ("conversations/plain-text::*-stream-chat",),
        "https://github.com/xiaoyu-work/claw-os/issues/13",
    ),
    _fault(
        "answers-not-in-the-history-of-a-chat",
        "chat/chat",
        "self._history.append(deepcopy(content))",
        "deepcopy(content)",
        ("chat.history",),
        ("conversations/plain-text::*-stream-chat",),
        "https://github.com/googleapis/go-genai/issues/795",
    ),
    _fault(
        "history-of-a-chat-twice-behind-a-result",
        "chat/chat",
        "        self._history.append(user)\n",
        "        self._history += [*self._history, user] if has_result(user) else [user]\n",
        ("chat.history",),
        ("relay/text-beside-call-kept::*-stream-chat",),
        "https://github.com/googleapis/python-genai/issues/437",
    ),
    _fault(
        "signatures-not-in-the-history-of-a-chat",
        "chat/answer",
        "self._parts.append(dict(part))",
        'self._parts.append({key: value for key, value in part.items() if key != "thoughtSignature"})',
        ("chat.history",),
        ("conversations/signed-call::*-stream-chat",),
        "https://github.com/lbjlaq/Antigravity-Manager/issues/3202",
    ),
    _fault(
        "bridge-sends-the-last-message-alone",
        "generator/bridge",
        "return await self._caller.open_stream(model, body, request_cancel_token(request))",
        'body = {**body, "contents": body["contents"][-1:]}\n'
        "        return await self._caller.open_stream(model, body, request_cancel_token(request))",
        ("chat.history", "chat.native_equals_bridged"),
        ("conversations/plain-text::*-stream-chat",),
        "https://github.com/simonw/llm-gemini/issues/135",
    ),
)
