"""stream.terminates_once: a stream ends once, and says nothing more about a choice after its end."""

from collections.abc import Iterator

from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import AnswerView, answers
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj, objs, text
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import JsonObject


def terminates_once(evidence: Evidence) -> list[Verdict]:
    """Each choice gets one finish reason, and no content after it."""
    return [_terminates(view) for view in answers(evidence) if view.received_raw.mode == "stream"]


def _terminates(view: AnswerView) -> Verdict:
    rows = _faults(view.received_raw)
    if not rows:
        return result("stream.terminates_once", turn=view.turn)
    own = view.said_raw
    if own.dialect == view.received_raw.dialect and own.mode == "stream":
        kinds = {row.note for row in _faults(own)}
        if all(row.note in kinds for row in rows):
            return verdict("stream.terminates_once", "INHERITED", rows, turn=view.turn)
    return result("stream.terminates_once", rows, turn=view.turn)


def _faults(response: Response) -> list[Difference]:
    ended: dict[int, str] = {}
    rows: list[Difference] = []
    for at, document in enumerate(response.documents):
        for index, finish, speaks in _events(response, obj(document)):
            place = f"events[{at}].choice[{index}]"
            if finish and index in ended:
                rows.append(Difference(place, "one finish reason", f"{ended[index]}, then {finish}", "finished twice"))
            elif speaks and index in ended:
                rows.append(Difference(place, f"nothing after {ended[index]}", "content", "content after the end"))
            if finish:
                ended[index] = finish
    return rows


def _events(response: Response, document: JsonObject) -> Iterator[tuple[int, str, bool]]:
    """(choice, finish reason or "", whether it has content) of every choice in one event."""
    if response.dialect == "anthropic":
        yield 0, _anthropic_end(document), document.get("type") == "content_block_delta"
        return
    gemini = response.dialect == "gemini"
    for position, choice in enumerate(objs(document.get("candidates" if gemini else "choices"))):
        index = integer(choice.get("index"))
        native = choice.get("finishReason" if gemini else "finish_reason")
        finish = native if isinstance(native, str) else str(native or "")
        speaks = _gemini_speaks(choice) if gemini else _chat_speaks(choice)
        yield position if index is None else index, finish, speaks


def _anthropic_end(document: JsonObject) -> str:
    return "message_stop" if document.get("type") == "message_stop" else ""


def _gemini_speaks(choice: JsonObject) -> bool:
    parts = list(objs(obj(choice.get("content")).get("parts")))
    return any(set(part) - {"text"} or text(part.get("text")) for part in parts)


def _chat_speaks(choice: JsonObject) -> bool:
    delta = obj(choice.get("delta"))
    return bool(text(delta.get("content")) or delta.get("tool_calls") or text(delta.get("reasoning_content")))
