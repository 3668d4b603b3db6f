"""stream.terminates_once: a stream ends once, and says nothing more about a choice after its end."""

from collections.abc import Iterator

from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import ResponseView, response_views
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj, objs, text
from bridgecheck.model.verdict import Difference, Level, Verdict
from bridgecheck.wire import JsonObject


def terminates_once(evidence: Evidence) -> list[Verdict]:
    """Each choice gets one finish reason, and no content after it; a Chat stream's usage chunk comes last."""
    verdicts: list[Verdict] = []
    for view in response_views(evidence):
        if view.client_response.mode == "stream":
            verdicts.append(_judged(view, _faults(view.client_response), _faults(view.upstream_response), "MUST"))
            early = _early_usage(view.client_response)
            if early:
                verdicts.append(_judged(view, early, _early_usage(view.upstream_response), "SHOULD"))
    return verdicts


def _judged(view: ResponseView, rows: list[Difference], own: list[Difference], level: Level) -> Verdict:
    """INHERITED where the provider's stream, in the same dialect, has the same kinds of faults."""
    if (
        rows
        and view.upstream_response.dialect == view.client_response.dialect
        and view.upstream_response.mode == "stream"
    ):
        kinds = {row.note for row in own}
        if all(row.note in kinds for row in rows):
            return verdict("stream.terminates_once", "INHERITED", rows, turn=view.turn)
    return result("stream.terminates_once", rows, level=level, turn=view.turn)


def _early_usage(response: Response) -> list[Difference]:
    """A usage chunk that a choice's end still follows. Clients take it for the last one, as the reference describes it
    (https://platform.openai.com/docs/api-reference/chat/create, stream_options); most go on reading."""
    if response.dialect != "openai-chat":
        return []
    documents = [obj(document) for document in response.documents]
    ends = [
        at
        for at, one in enumerate(documents)
        if any(choice.get("finish_reason") for choice in objs(one.get("choices")))
    ]
    return [
        Difference(f"events[{at}]", "usage after the finish reason", "usage before it", "usage before the end")
        for at, one in enumerate(documents)
        if one.get("usage") and not one.get("choices") and ends and at < ends[-1]
    ]


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
    if response.dialect == "outcome":
        finish = text(document.get("finish"))
        yield (
            integer(document.get("choice")) or 0,
            "" if finish == "incomplete" else finish,
            bool(document.get("parts")),
        )
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
