"""A case at wire level: the exchanges that are preserved when the adapter fails midway."""

from typing import Any

import pytest

from bridgecheck.drivers.driver import IDENTITY, Driver, describe_adapter
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run import play_wire
from bridgecheck.run.record import NotPlayable, Turn
from bridgecheck.wire import JsonObject

KEY = CaseKey("a/b", "bridged", "openai-chat", "gemini", "unary", "wire")
REQUEST = Request("openai-chat", "unary", {"model": "m"}, "m")


class Adapter:
    routes = (("openai-chat", "gemini"),)

    def __init__(self, fails_at: int = -1, error: Exception | None = None) -> None:
        self.fails_at, self.error, self.answered = fails_at, error, 0

    def to_upstream(self, body: JsonObject, **rest: Any) -> JsonObject:
        return {"contents": []}

    def from_upstream(self, body: JsonObject, *, status: int, **rest: Any) -> tuple[int, JsonObject]:
        self.answered += 1
        if self.answered - 1 == self.fails_at and self.error:
            raise self.error
        return status, {"client": body}

    def take_losses(self) -> list[object]:
        return [type("Loss", (), {"path": "a", "reason": "b", "severity": "info"})]


def driver(fails_at: int = -1, error: Exception | None = None) -> Driver:
    return describe_adapter("python:x:y", Adapter(fails_at, error))


def turn(*documents: object, text: str = "") -> Turn:
    return Turn(lambda received: REQUEST, (Response("gemini", "unary", documents, text=text),))


def test_turns_follow_one_another() -> None:
    record = play_wire.play(driver(), KEY, [turn({"n": 1}), turn({"n": 2})])
    assert [response.documents for response in record.received] == [({"client": {"n": 1}},), ({"client": {"n": 2}},)]
    assert record.answered_by == [0, 1]
    assert len(record.losses) == 4
    assert record.transcript().losses[0].path == "a"


@pytest.mark.parametrize(("error", "crashed"), [(ValueError("boom"), True), (NotImplementedError("audio"), False)])
def test_a_failure_in_one_answer_hides_no_other_exchange(error: Exception, crashed: bool) -> None:
    record = play_wire.play(driver(1, error), KEY, [turn({"n": 1}), turn({"n": 2}), turn({"n": 3})])
    assert record.answered_by == [0, 1, 2]
    assert record.unanswered == {1}
    assert record.received[1].end == "reset"
    assert [call.request is not None for call in record.upstream] == [True, True, True]
    assert bool(record.crash) is crashed
    assert bool(record.refused) is not crashed


def test_a_body_that_is_not_json_never_reaches_a_converter() -> None:
    with pytest.raises(NotPlayable):
        play_wire.play(driver(), KEY, [turn(text="<html>bad gateway</html>")])
    with pytest.raises(NotPlayable):
        play_wire.play(driver(), KEY, [turn("not an object")])


def test_the_identity_passes_a_body_that_is_not_json() -> None:
    record = play_wire.play(IDENTITY, KEY, [turn(text="<html>")])
    assert record.received[0].text == "<html>"


class HalfAdapter(Adapter):
    """Without one of its methods."""

    def __init__(self, missing: str) -> None:
        super().__init__()
        setattr(self, missing, None)


@pytest.mark.parametrize("missing", ["to_upstream", "from_upstream"])
def test_what_a_half_of_a_converter_has_is_judged(missing: str) -> None:
    record = play_wire.play(describe_adapter("python:x:y", HalfAdapter(missing)), KEY, [turn({"n": 1}), turn({"n": 2})])
    assert record.no_method == f"the adapter has no {missing}()"
    assert (record.crash, record.refused) == ("", "")
    assert [call.request is None for call in record.upstream] == [missing == "to_upstream"] * 2
    assert record.unanswered == ({0, 1} if missing == "from_upstream" else set())


def test_a_refused_request_gets_no_answer() -> None:
    class RefusingAdapter(Adapter):
        def to_upstream(self, body: JsonObject, **rest: Any) -> JsonObject:
            raise NotImplementedError("n")

    record = play_wire.play(describe_adapter("python:x:y", RefusingAdapter()), KEY, [turn({"n": 1})])
    assert (record.refused, record.unanswered) == ("n", {0})
