"""The chat beside the core of gemini-cli 0.61.0: the events of the same conversations, the requests as received, the
waits before them, and the history that is left."""

import asyncio
import json
import re
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pytest

from bridgecheck.codec.camel_case import respell_request
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.client import ChatClient
from bridgecheck_reference.chat.events import Event
from bridgecheck_reference.chat.retry import RetrySettings, Surroundings
from bridgecheck_reference.chat.settings import ChatSettings
from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.generator.bridge import ProviderBridge
from bridgecheck_reference.generator.native import NativeContentGenerator
from bridgecheck_reference.providers.gemini import GeminiProvider

from ..reference.scripted_upstream import Answer, json_answer, stream_answer, upstream
from .chat_conversations import CONVERSATIONS
from .conftest import require

pytestmark = [pytest.mark.realclients, pytest.mark.slow]

FOLDER: Final = Path(__file__).parent / "gemini_core"
_ALL_S: Final = 500
GENERATORS: Final = {"native": NativeContentGenerator, "bridged": lambda config: ProviderBridge(GeminiProvider(config))}

_TEN_ATTEMPTS: Final = (
    "the core has a policy for the model that it asks, ten attempts; the chat has five for every model"
)
_TWO_ANSWERS: Final = (
    "a bridge joins contents of the model that follow each other, as in the second request for a summary"
)
DIFFERENT: Final = {
    "native/next-is-unclear": _TEN_ATTEMPTS,
    "bridged/next-is-unclear": _TEN_ATTEMPTS,
    "bridged/empty-text-beside-text": "a bridge leaves out the empty text, for which the core drops the text beside it",
    "bridged/compression": _TWO_ANSWERS,
    "bridged/compression-without-a-longer-history": _TWO_ANSWERS,
}
"""generator/conversation -> why it differs."""

_OWN_WORDS: Final = (
    r"\n?\[System: You previously .*\]", r"\n?\[Your last answer .*\]", r"\[Tool execution completed\.\]",
    r"\[The tools are done\.\]", r"Analyze \*only\* .*", r"Look at your last message alone.*",
    r"System: Potential loop detected\..*", r"\[You seem to repeat yourself.*\]", r"Understood\.",
    r"Got it\. Thanks for the additional context!", r"Critically evaluate the <state_snapshot>.*",
    r"Compare your <state_snapshot> .*", r"Generate a new <state_snapshot> .*", r"Write the <state_snapshot> .*",
)  # fmt: skip
"""What each tells a model in words of its own; compared as the same thing."""
_MADE_ID: Final = re.compile(r"_\d{4,}_\d+")
_SUGGESTED: Final = re.compile(r"\nSuggested retry after .*")


@pytest.fixture(scope="module")
def core(node: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the core said to every conversation, by name."""
    require((FOLDER / "node_modules").is_dir(), "@google/gemini-cli-core", "run `make gemini_core`")
    script = tmp_path_factory.mktemp("core") / "conversations.json"
    script.write_text(json.dumps(CONVERSATIONS))
    process = subprocess.run(
        [node, "conversations.mjs", str(script)],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=_ALL_S,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-2000:]
    found = [json.loads(line) for line in process.stdout.split("\n") if line]
    return {document["id"]: document for document in found}


def test_there_are_enough_conversations() -> None:
    assert len({conversation["id"] for conversation in CONVERSATIONS}) == len(CONVERSATIONS) >= 40


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda conversation: str(conversation["id"]))
def test_events_requests_waits_and_history(conversation: dict[str, Any], generator: str, core: dict[str, Any]) -> None:
    expected = core[conversation["id"]]
    assert "failed" not in expected, expected
    actual = asyncio.run(play(conversation, generator, expected["preamble"]))
    same = actual == read_core(expected)
    reason = DIFFERENT.get(f"{generator}/{conversation['id']}")
    if reason:
        assert not same, f"no longer different: {reason}"
    else:
        assert actual == read_core(expected)


async def play(conversation: dict[str, Any], generator: str, preamble: list[dict[str, object]]) -> dict[str, object]:
    """Return what the chat makes of the conversation over HTTP."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    settings = ChatSettings(
        retry=RetrySettings(max_attempts=conversation.get("max_attempts", 10)),
        max_session_turns=conversation.get("max_session_turns", 0),
        next_speaker_check=conversation.get("next_speaker", False),
        next_speaker_model="gemini-3-flash-preview",
    )

    async def stop(failed: str, target: str, failure: object) -> Any:
        return "stop"

    async with upstream(*map(answer, conversation["responses"])) as server:
        target: Any = GENERATORS[generator](ProviderConfig(api_key="k", base_url=server.url))
        around = Surroundings(sleep, lambda: 1_700_000_000_000, lambda: 0.5)
        client = ChatClient(
            target, conversation["model"], preamble=preamble, settings=settings, around=around, notify=stop
        )
        steps = []
        for step in conversation["steps"]:
            token, events = CancelToken(), []
            async for event in client.send(step["message"], token, prompt_id=step["prompt"]):
                events.append(event)
                if len(events) == step.get("cancel_at"):
                    token.cancel()
            steps.append([show_event(event) for event in events])
        await target.close()
        requests = [(request.path, request.body) for request in server.requests]
    found = {
        "steps": steps, "requests": [show_request(path, body) for path, body in requests], "waits": waits,
        "history": client.chat.history(),
    }  # fmt: skip
    return mask(found)


def answer(response: dict[str, Any]) -> Answer:
    if "events" in response:
        return stream_answer(*response["events"], ends="\r\n\r\n")
    return json_answer(response["body"], status=response.get("status", 200))


def read_core(document: dict[str, Any]) -> dict[str, object]:
    """Return what the core said, in the chat's terms."""
    steps = [[show_core_event(event) for event in events] for events in document["steps"]]
    requests = [show_request(request["path"], request["body"]) for request in document["requests"]]
    return mask({"steps": steps, "requests": requests, "waits": document["waits"], "history": document["history"]})


def show_event(event: Event) -> tuple[str, object]:
    values = asdict(event)
    values.pop("trace_id", None)
    match event.type:
        case "content" | "citation":
            return str(event.type), values["text"]
        case "thought":
            return "thought", values["thought"]
        case "tool_call_request":
            return "tool_call_request", (values["call_id"], values["name"], values["args"])
        case "invalid_stream":
            return "invalid_stream", values["reason"]
        case "error":
            return "error", (values["message"], values["status"])
        case "model_info":
            return "model_info", values["model"]
        case _:
            return str(event.type), tuple(values.values())


def show_core_event(event: dict[str, Any]) -> tuple[str, object]:
    value = event.get("value")
    match event["type"]:
        case "tool_call_request":
            return event["type"], (value["callId"], value["name"], value["args"])
        case "finished":
            return event["type"], (value["reason"], value.get("usageMetadata"))
        case "invalid_stream":
            return event["type"], value["type"]
        case "error":
            return event["type"], (inner_message(value["error"]["message"]), value["error"].get("status"))
        case "chat_compressed":
            return event["type"], (value["originalTokenCount"], value["newTokenCount"])
        case "context_window_will_overflow":
            return event["type"], tuple(value.values())
        case _:
            return event["type"], () if value is None else value


def inner_message(message: str) -> str:
    """The provider's own text, where the core gives the whole document, or adds to it."""
    message = _SUGGESTED.sub("", message)
    if message.startswith("You have exhausted your daily quota"):
        return "slow"
    try:
        return str(json.loads(message[message.index("{") :])["error"]["message"])
    except ValueError:
        return message


def show_request(path: str, body: object) -> tuple[str, object]:
    """Operation with model, and contents: settings and instructions are the caller's."""
    operation = path.partition("/models/")[2].partition("?")[0]
    assert isinstance(body, dict)
    return operation, respell_request(body).get("contents")


def mask(document: dict[str, Any]) -> dict[str, object]:
    """Both alike: words of their own, made ids, fractions of seconds, and counts that rest on those words."""
    text = json.dumps(document, ensure_ascii=False)
    text = _MADE_ID.sub("_MADE", text)
    found: dict[str, Any] = mask_value(json.loads(text))
    found["waits"] = [round(wait, 3) for wait in found["waits"]]
    for events in found["steps"]:
        for event in events:
            if event[0] == "chat_compressed":
                event[1] = event[1][:1]
    return found


def mask_value(value: Any) -> Any:
    if isinstance(value, str):
        for pattern in _OWN_WORDS:
            value = re.sub(pattern, "OWN WORDS", value, flags=re.DOTALL)
        return value
    if isinstance(value, list):
        return [mask_value(item) for item in value]
    return {key: mask_value(item) for key, item in value.items()} if isinstance(value, dict) else value
