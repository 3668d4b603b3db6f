"""The laws, each with a case that holds and one that breaks it."""

from typing import Any

import pytest

from bridgecheck import normalise
from bridgecheck.cassette.traffic import TrafficItem
from bridgecheck.checks import laws
from bridgecheck.drivers.driver import IDENTITY, Driver, describe_adapter
from bridgecheck.errors import BadTraffic
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.outcome import Choice, ErrorInfo, ErrorKind, Finish, Media, Outcome, ToolCall, Usage
from bridgecheck.model.verdict import AppliedLoss, CaseKey, Difference, Verdict
from bridgecheck.run import laws as run_laws
from bridgecheck.run import traffic
from bridgecheck.run.plan import Selection
from bridgecheck.run.turns import minimal_request, minimal_response
from bridgecheck.wire import DIALECTS, MODES, JsonObject


def outcome(text: str, usage: Usage | None = None) -> Outcome:
    return Outcome("openai-chat", (Choice(text=(text,), finish=Finish("stop", "stop")),), usage)


def test_fold() -> None:
    assert laws.judge_harness_fold(outcome("a"), outcome("a")).status == "PASS"
    broken = laws.judge_harness_fold(outcome("a"), outcome("b"))
    assert (broken.status, broken.differences[0].path) == ("ERROR", "choices[0].text[0]")


def test_fold_square() -> None:
    assert laws.judge_fold_square(outcome("a"), outcome("a")).status == "PASS"
    assert laws.judge_fold_square(outcome("a"), outcome("a ")).status == "FAIL"


def test_a_chat_stream_may_omit_its_usage_but_not_change_it() -> None:
    usage = Usage(prompt=3, completion=2)
    assert laws.judge_fold_square(outcome("a"), outcome("a", usage)).status == "PASS"
    assert laws.judge_fold_square(outcome("a", Usage(prompt=9, completion=2)), outcome("a", usage)).status == "FAIL"


def test_request_roundtrip_takes_the_worst_and_keeps_losses() -> None:
    row, loss = Difference("system", '"a"', "(absent)"), AppliedLoss("chat.x", "settings.x", "no word for it")
    correct = Verdict("request.tools", "PASS", losses=(loss,), rules=("system_join",))
    wrong = laws.judge_request_roundtrip([correct, Verdict("request.system", "FAIL", "lost", (row,))])
    assert (wrong.status, wrong.differences, wrong.losses, wrong.rules) == ("FAIL", (row,), (loss,), ("system_join",))
    assert laws.judge_request_roundtrip([correct, Verdict("request.system", "NOT_APPLICABLE")]).status == "PASS"


EVENTS: tuple[JsonObject, ...] = (
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Fo"}]}, "index": 0}]},
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "ur."}]}, "finishReason": "STOP", "index": 0}]},
)
GEMINI_REQUEST = Request("gemini", "stream", {"contents": [{"role": "user", "parts": [{"text": "2+2?"}]}]}, "g")
ITEM = TrafficItem("f/1", "f.jsonl:1", Interaction(GEMINI_REQUEST, Response("gemini", "stream", EVENTS)))


class Bridge:
    """A minimal Gemini-OpenAI adapter for one text answer; ``wrong`` names its fault."""

    name = "bridge"
    routes = (("openai-chat", "gemini"), ("gemini", "openai-chat"))

    def __init__(self, wrong: str = "") -> None:
        self.wrong = wrong

    def to_upstream(self, body: Any, *, client: str, model: str, mode: str, **rest: object) -> JsonObject:
        if client == "gemini":
            text = body["contents"][0]["parts"][0]["text"]
            return {"model": model, "messages": [{"role": "user", "content": text}], "stream": mode == "stream"}
        text = body["messages"][0]["content"] + ("!" if self.wrong == "way back" else "")
        return {"contents": [{"role": "user", "parts": [{"text": text}]}]}

    def from_upstream(self, body: Any, *, status: int, client: str, **rest: object) -> tuple[int, JsonObject]:
        if client == "gemini":
            text = body["choices"][0]["message"]["content"]
            parts = [{"text": text}]
            usage = body["usage"]
            return status, {
                "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": {
                    "promptTokenCount": usage["prompt_tokens"],
                    "candidatesTokenCount": usage["completion_tokens"],
                    "totalTokenCount": usage["total_tokens"],
                },
            }
        text = "".join(part["text"] for part in body["candidates"][0]["content"]["parts"])
        text = text.lower() if self.wrong == "unary" else text.rstrip() if self.wrong == "trims" else text
        message = {"role": "assistant", "content": text}
        base = {"id": "c", "object": "chat.completion", "created": 1, "model": "g"}
        return status, base | {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    def stream(self, *, client: str, **rest: object) -> "Stream":
        return Stream(self, client)


class Stream:
    def __init__(self, bridge: Bridge, client: str) -> None:
        self.bridge, self.client, self.first = bridge, client, True

    def feed(self, event: Any) -> list[JsonObject]:
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "g"}
        if self.client == "gemini":
            choice = (event["choices"] or [{"delta": {}, "finish_reason": "stop"}])[0]
            if choice["finish_reason"] and "usage" not in event:
                return []  # told with the counts: Gemini's chats keep no turn that has an event without a content
            part = {"text": choice["delta"].get("content", "")}
            candidate: JsonObject = {"content": {"role": "model", "parts": [part]}, "index": 0}
            if "usage" not in event:
                return [{"candidates": [candidate]}]
            usage = event["usage"]
            counts = {"promptTokenCount": usage["prompt_tokens"], "candidatesTokenCount": usage["completion_tokens"],
                      "totalTokenCount": usage["total_tokens"]}  # fmt: skip
            return [{"candidates": [candidate | {"finishReason": "STOP"}], "usageMetadata": counts}]
        candidate = event["candidates"][0]
        text = candidate["content"]["parts"][0]["text"]
        if self.bridge.wrong == "stream" and self.first:
            text = ""
        role = {"role": "assistant"} if self.first else {}
        self.first = False
        finish = "stop" if "finishReason" in candidate else None
        return [base | {"choices": [{"index": 0, "delta": {**role, "content": text}, "finish_reason": finish}]}]

    def close(self) -> list[JsonObject]:
        return []


def judge_item(wrong: str = "", item: TrafficItem = ITEM) -> dict[str, dict[str, str]]:
    """Return variant -> check -> status."""
    driver = describe_adapter("python:x:y", Bridge(wrong))
    results = [traffic.run_case(case, item, driver) for case in traffic.plan(item, driver, Selection())]
    return {
        result.key.route_mode_layer: {verdict.check: verdict.status for verdict in result.verdicts}
        for result in results
    }


NATIVE = "native-gemini-to-gemini-stream-wire"
ANSWER = "bridged-openai-chat-to-gemini-stream-wire"
REQUEST = "bridged-gemini-to-openai-chat-stream-wire"


def test_each_interaction_becomes_its_possible_cases() -> None:
    found = judge_item()
    assert list(found) == [NATIVE, "bridged-gemini-to-gemini-stream-wire", ANSWER, REQUEST]
    assert found["bridged-gemini-to-gemini-stream-wire"] == {"case.applies": "NOT_APPLICABLE"}
    assert found[NATIVE][laws.FOLD] == "PASS"
    assert found[ANSWER][laws.FOLD_SQUARE] == "PASS"
    assert found[REQUEST][laws.REQUEST_ROUNDTRIP] == "PASS"
    assert not {status for checks in found.values() for status in checks.values()} & {"FAIL", "ERROR"}


def test_a_stream_with_less_than_the_unary_form_breaks_the_square() -> None:
    assert judge_item("stream")[ANSWER][laws.FOLD_SQUARE] == "FAIL"
    assert judge_item("stream")[ANSWER]["response.text"] == "FAIL"


def test_a_wrong_unary_conversion_breaks_only_the_square() -> None:
    checks = judge_item("unary")[ANSWER]
    assert checks[laws.FOLD_SQUARE] == "FAIL"
    assert checks["response.text"] == "PASS"


@pytest.mark.parametrize(("end", "expected"), [("\n", "WARN"), ("  ", "FAIL")])
def test_a_text_that_a_whole_answer_may_lose_is_a_warning_of_the_square(end: str, expected: str) -> None:
    last: JsonObject = {"candidates": [{"content": {"parts": [{"text": f"ur.{end}"}]}, "finishReason": "STOP"}]}
    item = TrafficItem("f/5", "f.jsonl:5", Interaction(GEMINI_REQUEST, Response("gemini", "stream", (EVENTS[0], last))))
    assert judge_item("trims", item)[ANSWER][laws.FOLD_SQUARE] == expected


def test_a_wrong_reverse_conversion_breaks_only_the_roundtrip() -> None:
    checks = judge_item("way back")[REQUEST]
    assert checks[laws.REQUEST_ROUNDTRIP] == "FAIL"
    assert {status for check, status in checks.items() if check.startswith("request.")} <= {"PASS"}


def test_traffic_without_its_request_is_judged_on_its_answer() -> None:
    found = judge_item(item=TrafficItem("f/2", "f.jsonl:2", Interaction(None, Response("gemini", "stream", EVENTS))))
    assert REQUEST not in found
    assert found[NATIVE]["response.text"] == "PASS"
    assert found[ANSWER]["response.text"] == "PASS"


def test_a_refused_request_is_not_converted() -> None:
    error: JsonObject = {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}
    refused = Response("gemini", "stream", (error,), 400)
    found = judge_item(item=TrafficItem("f/3", "f.jsonl:3", Interaction(GEMINI_REQUEST, refused)))
    assert REQUEST not in found
    assert found[NATIVE]["response.error"] == "PASS"


def test_other_endpoints_are_skipped_and_counted() -> None:
    counted = Response("gemini", "unary", ({"totalTokens": 4},))
    found = judge_item(
        item=TrafficItem("f/4", "f.jsonl:4", Interaction(GEMINI_REQUEST, counted), operation="count_tokens")
    )
    assert list(found) == ["native-gemini-to-gemini-unary-wire", "bridged-gemini-to-gemini-unary-wire"]
    assert found["bridged-gemini-to-gemini-unary-wire"] == {"case.applies": "NOT_APPLICABLE"}


def test_a_response_that_is_not_json_is_not_converted() -> None:
    page = Response("gemini", "unary", (), 502, text="<html>")
    found = judge_item(item=TrafficItem("f/5", "f.jsonl:5", Interaction(None, page)))
    assert found["bridged-openai-chat-to-gemini-unary-wire"] == {"case.applies": "NOT_APPLICABLE"}


def test_an_unreadable_line_is_an_error_with_its_location() -> None:
    result = traffic.unreadable_case(BadTraffic("no JSON", "/x/some-file.jsonl:12", "one object a line"), "mine")
    assert (result.status, result.topic, result.where) == ("ERROR", "some-file", "/x/some-file.jsonl:12")
    assert "no JSON" in result.verdicts[0].message


def test_a_fault_of_the_judge_is_an_error_of_the_case(monkeypatch: Any) -> None:
    def fails(found: object) -> object:
        raise RuntimeError("the judge tripped")

    monkeypatch.setattr(normalise, "response", fails)
    driver: Driver = IDENTITY
    case = traffic.plan(ITEM, driver, Selection())[0]
    result = traffic.run_case(case, ITEM, driver)
    assert result.status == "ERROR"
    assert "the judge tripped" in result.verdicts[0].message


def test_the_minimal_requests_and_answers_are_clean_in_every_dialect() -> None:
    for dialect in DIALECTS:
        for mode in MODES:
            request, answer = minimal_request(dialect, mode, "m"), minimal_response(dialect, mode)
            item = TrafficItem("canned", "canned:1", Interaction(request, answer))
            results = [traffic.run_case(c, item, IDENTITY) for c in traffic.plan(item, IDENTITY, Selection())]
            assert {result.status for result in results} == {"PASS"}, (dialect, mode, results)
            outcome = normalise.response(answer)
            assert (outcome.first.text, outcome.first.finish.kind) == (("Hi.",), "stop")
            assert outcome.usage is not None and outcome.usage.prompt == 3 and outcome.usage.completion == 2
            assert normalise.request(request).turns[0].role == "user"


def test_the_address_of_a_case_is_stable() -> None:
    case = traffic.plan(ITEM, IDENTITY, Selection())[0]
    assert case.key == CaseKey("f/1", "native", "gemini", "gemini", "stream", "wire")
    assert str(case.key) == "f/1::native-gemini-to-gemini-stream-wire"


def make_error_outcome(kind: ErrorKind, *choices: Choice) -> Outcome:
    return Outcome("openai-chat", choices, error=ErrorInfo(kind))


def test_fold_square_of_an_error_compares_its_kind() -> None:
    """A stream has content before its error; the error document of a unary answer has none."""
    partial = Choice(reasoning=("hm",))
    assert laws.judge_fold_square(make_error_outcome("server", partial), make_error_outcome("server")).status == "PASS"
    assert laws.judge_fold_square(make_error_outcome("invalid", partial), make_error_outcome("server")).status == "FAIL"


def test_truncated_arguments_have_a_unary_form_only_in_chat() -> None:
    broken = Choice(tool_calls=(ToolCall("f", {}, "1", '{"a'),), finish=Finish("x", "tool_calls"))
    assert not run_laws.has_unary_counterpart(Outcome("anthropic", (broken,)), "openai-chat")
    assert run_laws.has_unary_counterpart(Outcome("openai-chat", (broken,)), "openai-chat")
    assert not run_laws.has_unary_counterpart(Outcome("openai-chat", (broken,)), "anthropic")


def test_streamed_audio_has_no_unary_form() -> None:
    sound, stop = Media("audio/l16", "1"), Finish("STOP", "stop")
    assert run_laws.has_unary_counterpart(Outcome("gemini", (Choice(media=(sound,), finish=stop),)), "openai-chat")
    assert not run_laws.has_unary_counterpart(
        Outcome("gemini", (Choice(media=(sound, sound), finish=stop),)), "openai-chat"
    )


def test_a_stream_of_one_unary_message_is_no_stream() -> None:
    message: JsonObject = {"type": "message", "content": [{"type": "text", "text": "Hi."}], "stop_reason": "end_turn"}
    found = judge_item(
        item=TrafficItem("f/7", "f.jsonl:7", Interaction(None, Response("anthropic", "stream", (message,))))
    )
    assert laws.FOLD not in found["native-anthropic-to-anthropic-stream-wire"]


def test_text_that_chat_joins_is_compared_joined() -> None:
    split = Outcome("gemini", (Choice(text=("a", "b"), finish=Finish("STOP", "stop")),))
    whole = Outcome("gemini", (Choice(text=("ab",), finish=Finish("STOP", "stop")),))
    assert laws.judge_fold_square(split, whole).status == "FAIL"
    assert laws.judge_fold_square(split, whole, through_chat=True).status == "PASS"


def test_surrogate_halves_are_joined() -> None:
    assert laws.judge_harness_fold(outcome("\ud83d\ude00"), outcome("😀")).status == "PASS"
    assert laws.judge_harness_fold(outcome("\ud83d"), outcome("😀")).status == "ERROR"
