"""The models of clients against the clients themselves, over HTTP: the same answer in, the same next request out.

Each answer is played to the real client, which goes on with a second question, or with the results of its calls; its
request has to hold what the model says."""

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.codec.camel_case import respell_request
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import objs
from bridgecheck.wire import Dialect, JsonObject

from ..client_models.test_anthropic import ANSWERS
from ..client_models.test_anthropic import events_of as anthropic_events
from ..client_models.test_google_genai import STREAMS as GEMINI_STREAMS
from ..client_models.test_openai_chat import RAISING_IN_NODE as RAISING_DELTAS_IN_NODE
from ..client_models.test_openai_chat import STREAMS as CHAT_DELTAS
from ..client_models.test_openai_chat import stream as chat_stream
from .conftest import KEY, NODE_FOLDER, NODE_S
from .conversations import stream_of
from .strict_provider import StrictProvider

pytestmark = pytest.mark.realclients

MODEL: Final = "some-model"
QUESTIONS: Final = ("How high?", "And now?")
Events = Sequence[JsonObject]

GEMINI_EVENTS: Final[dict[str, Events]] = {**GEMINI_STREAMS}
CHAT_EVENTS: Final[dict[str, Events]] = {name: chat_stream(deltas) for name, deltas in CHAT_DELTAS.items()}
ANTHROPIC_EVENTS: Final[dict[str, Events]] = {
    name: [
        *anthropic_events(blocks),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    for name, blocks in ANSWERS.items()
}


@pytest.fixture(scope="module")
def providers() -> Iterator[dict[Dialect, StrictProvider]]:
    """A provider of each dialect that takes what it gets."""
    dialects: tuple[Dialect, ...] = ("gemini", "openai-chat", "anthropic")
    made = {dialect: StrictProvider(dialect, takes_all=True) for dialect in dialects}
    for provider in made.values():
        provider.__enter__()
    yield made
    for provider in made.values():
        provider.__exit__()


def question(dialect: Dialect, text: str) -> JsonObject:
    return {"parts": [{"text": text}], "role": "user"} if dialect == "gemini" else {"role": "user", "content": text}


def predicted_history(name: str, events: Events) -> list[JsonObject]:
    """Return what the model of a client sends with the second question."""
    model = CLIENT_MODELS[name]
    remembered = model.remember(Response(model.dialect, "stream", tuple(events)))
    first = [] if remembered.forgets_question else [question(model.dialect, QUESTIONS[0])]
    return model.resend([*first, *remembered.messages, question(model.dialect, QUESTIONS[1])])


def sent_history(dialect: Dialect, body: JsonObject) -> list[JsonObject]:
    """Return the history of a request, without what openai's helpers add for parsed content, which is empty here."""
    if dialect == "gemini":
        return list(objs(respell_request(body)["contents"]))
    return [without_parsed(message) for message in objs(body["messages"])]


def without_parsed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_parsed(item) for key, item in value.items() if not key.startswith("parsed")}
    return [without_parsed(item) for item in value] if isinstance(value, list) else value


def ask_google(origin: str) -> None:
    with genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=origin)) as client:
        chat = client.chats.create(model=MODEL)
        for text in QUESTIONS:
            for _ in chat.send_message_stream(text):
                pass


def ask_openai(origin: str) -> None:
    messages: list[Any] = []
    with openai.OpenAI(base_url=origin, api_key=KEY) as client:
        for text in QUESTIONS:
            messages.append({"role": "user", "content": text})
            with client.chat.completions.stream(model=MODEL, messages=messages) as stream:
                messages.append(stream.get_final_completion().choices[0].message)


def ask_anthropic(origin: str) -> None:
    messages: list[Any] = []
    with anthropic.Anthropic(base_url=origin, api_key=KEY) as client:
        for text in QUESTIONS:
            messages.append({"role": "user", "content": text})
            with client.messages.stream(model=MODEL, max_tokens=99, messages=messages) as stream:
                messages.append({"role": "assistant", "content": stream.get_final_message().content})


PYTHON_CLIENTS: Final[dict[str, tuple[Callable[[str], None], dict[str, Events]]]] = {
    "google-genai-chats": (ask_google, GEMINI_EVENTS), "openai-python": (ask_openai, CHAT_EVENTS),
    "anthropic-python": (ask_anthropic, ANTHROPIC_EVENTS),
}  # fmt: skip
RAISING: Final = frozenset({"details without index"})
"""Answers that a client raises on: there is no next request. tests/client_models shows that the model says so."""


@pytest.mark.parametrize(
    ("name", "answer_name"),
    [(name, found) for name, (_, answers) in PYTHON_CLIENTS.items() for found in answers if found not in RAISING],
)
def test_a_python_client_sends_what_its_model_says(
    providers: dict[Dialect, StrictProvider], name: str, answer_name: str
) -> None:
    ask, answers = PYTHON_CLIENTS[name]
    dialect = CLIENT_MODELS[name].dialect
    provider = providers[dialect]
    provider.play(stream_of(dialect, answers[answer_name]), stream_of(dialect, answers["text"]))
    ask(provider.base_url)
    assert sent_history(dialect, provider.bodies[1]) == predicted_history(name, answers[answer_name])


RAISING_IN_NODE: Final[dict[str, Events]] = {
    reason: chat_stream(deltas) for deltas, reason in RAISING_DELTAS_IN_NODE
}  # fmt: skip
NODE_CLIENTS: Final[dict[str, tuple[str, dict[str, Events]]]] = {
    "google-genai-js-chats": ("genai", GEMINI_EVENTS), "openai-node": ("openai", CHAT_EVENTS | RAISING_IN_NODE),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", NODE_CLIENTS)
def test_a_javascript_client_sends_what_its_model_says(
    providers: dict[Dialect, StrictProvider], node: str, name: str
) -> None:
    script_name, answers = NODE_CLIENTS[name]
    model = CLIENT_MODELS[name]
    dialect = model.dialect
    provider = providers[dialect]
    provider.play(*[stream_of(dialect, made) for events in answers.values() for made in (events, answers["text"])])
    settings = {"model": MODEL, "streamed": True, "plain": True, "questions": [QUESTIONS] * len(answers)}
    origin = provider.base_url.removesuffix("/v1")
    process = subprocess.run(
        [node, "conversations.mjs", script_name, origin, KEY, json.dumps(settings)], cwd=NODE_FOLDER,
        capture_output=True, text=True, timeout=NODE_S, check=False,
    )  # fmt: skip
    assert process.returncode == 0 and len(provider.bodies) == 2 * len(answers), process.stderr[-2000:]
    sent = {found: sent_history(dialect, body) for found, body in zip(answers, provider.bodies[1::2], strict=True)}
    assert sent == {found: predicted_history(name, events) for found, events in answers.items()}
