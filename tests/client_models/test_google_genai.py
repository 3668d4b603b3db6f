"""The models of Google's clients against ``google.genai.chats`` itself: same answer in, same history out."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Literal

import pytest
from google.genai import types
from google.genai.chats import Chat
from google.genai.models import Models

from bridgecheck.client_models import CLIENT_MODELS, Remembered
from bridgecheck.client_models.gemini import PLACEHOLDER_SIGNATURE, resend_from_gemini_cli
from bridgecheck.model.exchange import Response
from bridgecheck.wire import JsonObject

Event = dict[str, Any]
CALL = {"functionCall": {"id": "c1", "name": "gauge", "args": {"harbour": "Kökar"}}}
SIGNED = {**CALL, "thoughtSignature": "U0lH"}


def event(*parts: JsonObject, finish: str = "", role: str = "model") -> Event:
    content = {"parts": list(parts)} | ({"role": role} if role else {})
    return {"candidates": [{"content": content, "index": 0} | ({"finishReason": finish} if finish else {})]}


LAST = event({"text": ""}, finish="STOP")
WITHOUT_CONTENT = {"candidates": [{"finishReason": "STOP", "index": 0}]}

STREAMS: dict[str, list[Event]] = {
    "text": [event({"text": "Low "}), event({"text": "water."}), LAST],
    "last event without content": [event({"text": "Low water."}), WITHOUT_CONTENT],
    "last event of usage alone": [event({"text": "Low."}, finish="STOP"), {"usageMetadata": {"totalTokenCount": 3}}],
    "content without parts": [event({"text": "Low."}), event(finish="STOP")],
    "empty part": [event({"text": "Low."}, {}), LAST],
    "part of nothing that is known": [event({"text": "Low."}, {"novel": 1}), LAST],
    "signed call": [event(SIGNED), LAST],
    "text beside calls": [event({"text": "One moment."}, CALL, CALL, finish="STOP")],
    "signature on an empty text": [event({"text": "Low."}), event({"text": "", "thoughtSignature": "U0lH"}, finish="STOP")],
    "thought": [event({"text": "Hm.", "thought": True}), event({"text": "Low."}), LAST],
    "no finish reason": [event({"text": "Low."})],
    "no role": [event({"text": "Low."}, finish="STOP", role="")],
    "unknown members": [event({"text": "Low.", "novel": 1}, {"functionCall": {"name": "gauge", "novel": 2}}), LAST],
    "empty text between": [event({"text": "Low"}), event({"text": ""}), event({"text": "."}), LAST],
}  # fmt: skip


class PlayedModels(Models):
    """Gives these events to a chat, as the service would."""

    def __init__(self, events: list[Event]) -> None:
        self.responses = [types.GenerateContentResponse._from_response(response=deepcopy(e), kwargs={}) for e in events]

    def generate_content(self, **_: object) -> types.GenerateContentResponse:
        return self.responses[0]

    def generate_content_stream(self, **_: object) -> Iterator[types.GenerateContentResponse]:
        yield from self.responses


def curated_history(events: list[Event], mode: str) -> list[JsonObject]:
    """Return what a chat of the SDK holds behind a question and this answer."""
    chat = Chat(modules=PlayedModels(events), model="gemini-2.5-flash", history=[])
    if mode == "stream":
        for _ in chat.send_message_stream("How high?"):
            pass
    else:
        chat.send_message("How high?")
    contents = chat.get_history(curated=True)
    return [content.model_dump(mode="json", by_alias=True, exclude_none=True) for content in contents]


def history_of(remembered: Remembered) -> list[JsonObject]:
    question = [] if remembered.forgets_question else [{"parts": [{"text": "How high?"}], "role": "user"}]
    return [*question, *remembered.messages]


@pytest.mark.parametrize("mode", ["stream", "unary"])
@pytest.mark.parametrize("name", STREAMS)
def test_the_model_remembers_what_the_chat_remembers(name: str, mode: Literal["stream", "unary"]) -> None:
    events = STREAMS[name] if mode == "stream" else STREAMS[name][-1:]
    remembered = CLIENT_MODELS["google-genai-chats"].remember(Response("gemini", mode, tuple(events)))
    assert history_of(remembered) == curated_history(events, mode)
    assert bool(remembered.reason) == remembered.forgets_question


@pytest.mark.parametrize("name", STREAMS)
def test_the_model_shows_the_texts_of_the_sdk(name: str) -> None:
    responses = PlayedModels(STREAMS[name]).responses
    shown = "".join(response.text or "" for response in responses)
    assert CLIENT_MODELS["google-genai-chats"].shows(Response("gemini", "stream", tuple(STREAMS[name]))) == shown


def remember(name: str, stream: str) -> Remembered:
    return CLIENT_MODELS[name].remember(Response("gemini", "stream", tuple(STREAMS[stream])))


def test_javascript_chats_forget_a_content_without_a_role() -> None:
    assert remember("google-genai-js-chats", "no role").forgets_question
    assert not remember("google-genai-chats", "no role").forgets_question
    assert not remember("google-genai-js-chats", "text").forgets_question
    assert remember("google-genai-js-chats", "last event without content").reason == "event 2 of 2 has no content"


def test_gemini_cli_joins_texts_and_loses_the_later_signature() -> None:
    (content,) = remember("gemini-cli", "text").messages
    assert content == {"role": "model", "parts": [{"text": "Low water."}]}
    (content,) = remember("gemini-cli", "signature on an empty text").messages
    assert content["parts"] == [{"text": "Low."}]


def test_gemini_cli_passes_over_an_event_with_a_bare_empty_text() -> None:
    remembered = CLIENT_MODELS["gemini-cli"].remember(Response("gemini", "stream", (event(CALL, {"text": ""}), LAST)))
    assert (remembered.messages, remembered.forgets_question) == ((), False)
    assert remembered.reason == "event 1 has an empty text beside them"


def test_gemini_cli_signs_and_names_what_it_sends() -> None:
    question: JsonObject = {"role": "user", "parts": [{"text": "How high?"}]}
    call: JsonObject = {"role": "model", "parts": [{"functionCall": {"name": "gauge", "args": {}}}]}
    result: JsonObject = {
        "role": "user",
        "parts": [{"functionResponse": {"name": "gauge", "response": {"output": "2"}}}],
    }
    _, sent_call, sent_result = resend_from_gemini_cli([question, call, result])
    (part,), (answer,) = sent_call["parts"], sent_result["parts"]  # type: ignore[misc]  # lists of one part each
    assert part["thoughtSignature"] == PLACEHOLDER_SIGNATURE
    assert part["functionCall"]["id"] == answer["functionResponse"]["id"]


def test_a_resumed_gemini_cli_repeats_the_results_of_earlier_turns() -> None:
    result: JsonObject = {
        "role": "user",
        "parts": [{"functionResponse": {"id": "c1", "name": "gauge", "response": {}}}],
    }
    history: list[JsonObject] = [
        {"role": "user", "parts": [{"text": "How high?"}]}, {"role": "model", "parts": [dict(SIGNED)]}, result,
        {"role": "model", "parts": [{"text": "Low."}]}, {"role": "user", "parts": [{"text": "And now?"}]},
    ]  # fmt: skip
    resend = CLIENT_MODELS["gemini-cli-resume"].resend
    assert len(resend(history)[2]["parts"]) == 2  # type: ignore[arg-type]  # a list of parts
    assert len(resend(history[:3])[2]["parts"]) == 1  # type: ignore[arg-type]  # the turn that runs is no earlier one
