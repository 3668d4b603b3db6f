"""The chat layer: whole conversations through an adapter's chat, judged turn by turn, with the flag off and on."""

from collections.abc import AsyncIterator, Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.drivers.driver import Driver, describe_adapter
from bridgecheck.drivers.resolve import DEFAULT_TARGET
from bridgecheck.errors import UnknownScenario
from bridgecheck.files import cassettes_root, corpus, scenarios_root
from bridgecheck.model.verdict import CaseResult
from bridgecheck.repro.replay import SelectedCase, replay_case
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case, Selection, plan
from bridgecheck_reference import adapter as reference

Json = dict[str, Any]
CALL_AND_TEXT = "relay/text-beside-call-kept"
SIGNED = "conversations/signed-call"
THOUGHTS = "interleaved/two-thoughts-around-calls"
PLAIN = "conversations/plain-text"
OVER_CHAT = "bridged-gemini-to-openai-chat-stream-chat"
OVER_ANTHROPIC = "bridged-gemini-to-anthropic-stream-chat"
WITHOUT = "native-gemini-to-gemini-stream-chat"


class Changed:
    """The reference's chat with something changed. ``only_bridged``: with the flag off it is as it was."""

    name, version = "changed", "1"
    routes = (("gemini", "gemini"), ("gemini", "openai-chat"), ("gemini", "anthropic"))

    def __init__(
        self,
        event: Callable[[Json], list[Json]] = lambda event: [event],
        message: Callable[[list[Json]], list[Json]] = lambda message: message,
        history: Callable[[list[Json]], list[Json]] | None = None,
        request: Callable[[Json], Json] = lambda request: request,
        only_bridged: bool = False,
    ) -> None:
        self.event, self.message, self.history, self.request = event, message, history, request
        self.only_bridged = only_bridged

    def converse(self, **options: Any) -> Any:
        if self.only_bridged and not options["bridged"]:
            return reference.converse(**options)
        options["request"] = self.request(options["request"])
        return OwnHistory(self, options) if self.history else ChangedConversation(self, reference.converse(**options))


class ChangedConversation:
    def __init__(self, changed: Changed, conversation: Any) -> None:
        self.changed, self.conversation = changed, conversation

    async def send(self, message: list[Json]) -> AsyncIterator[Json]:
        async for event in self.conversation.send(self.changed.message(deepcopy(message))):
            for shown in self.changed.event(event):
                yield shown

    async def close(self) -> None:
        await self.conversation.close()


class OwnHistory:
    """Holds the contents itself, made from the events, and begins each message anew with what ``history`` makes of
    them. Signatures are not in events, so it has none."""

    def __init__(self, changed: Changed, options: Json) -> None:
        self.changed, self.options, self.contents = changed, options, list(options["history"])

    async def send(self, message: list[Json]) -> AsyncIterator[Json]:
        assert self.changed.history is not None
        earlier = self.changed.history(deepcopy(self.contents))
        conversation = reference.converse(**{**self.options, "history": earlier})
        parts: list[Json] = []
        async for event in conversation.send(message):
            parts += [{"text": event["value"]}] if event["type"] == "content" else []
            if event["type"] == "tool_call_request":
                call = event["value"]
                parts.append({"functionCall": {"id": call["callId"], "name": call["name"], "args": call["args"]}})
            yield event
        await conversation.close()
        self.contents += [{"role": "user", "parts": message}, {"role": "model", "parts": parts}]

    async def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    library = Library(cassettes_root())
    yield library
    library.stop_edge()


def chat_cases(scenario_id: str, driver: Driver) -> dict[str, Case]:
    scenario = corpus.load_scenario(scenarios_root() / f"{scenario_id}.json")
    return {case.key.route_mode_layer: case for case in plan(scenario, driver, Selection(layers=("chat",)))}


def play(adapter: object, library: Library, scenario_id: str, variant: str) -> CaseResult:
    driver = describe_adapter("python:x:y", adapter)
    scenario = corpus.load_scenario(scenarios_root() / f"{scenario_id}.json")
    return run_case(chat_cases(scenario_id, driver)[variant], scenario, driver, library)


def failing(result: CaseResult) -> dict[str, int]:
    """Return the checks that found something, each with the first turn where it did."""
    found: dict[str, int] = {}
    for verdict in result.verdicts:
        if verdict.status in ("FAIL", "WARN", "ERROR"):
            found.setdefault(verdict.check, verdict.turn)
    return found


def kind(name: str, change: Callable[[Json], list[Json]]) -> Callable[[Json], list[Json]]:
    """Change events of one type."""
    return lambda event: change(event) if event["type"] == name else [event]


def change_value(name: str, change: Callable[[Any], Any]) -> Callable[[Json], list[Json]]:
    return kind(name, lambda event: [{**event, "value": change(event["value"])}])


@pytest.mark.parametrize("variant", [WITHOUT, OVER_CHAT, OVER_ANTHROPIC, "bridged-gemini-to-gemini-stream-chat"])
def test_a_conversation_passes_and_is_judged_in_every_turn(library: Library, variant: str) -> None:
    result = play(reference, library, PLAIN, variant)
    assert result.status == "PASS", result.verdicts
    turns = {check: [verdict.turn for verdict in result.verdicts if verdict.check == check] for check in
             ("chat.events", "chat.history", "chat.native_equals_bridged")}  # fmt: skip
    judged_beside_flag_off = [] if variant == WITHOUT else [0, 1, 2]
    assert turns == {
        "chat.events": [0, 1, 2], "chat.history": [0, 1, 2], "chat.native_equals_bridged": judged_beside_flag_off,
    }  # fmt: skip


def test_a_live_conversation_is_played_where_it_calls_what_the_script_calls(library: Library, tmp_path: Path) -> None:
    address = "relay/signed-calls-of-three-turns/gemini.stream.yaml"
    recorded = (cassettes_root() / address).read_text(encoding="utf-8")
    elicited = recorded.replace("  source: scripted\n", "  source: scripted\n  elicited:\n    family: gemini-lite\n")
    live = tmp_path / address
    live.parent.mkdir(parents=True)
    other_function = elicited.replace("sound", "halve")
    for text, status in ((elicited, "PASS"), (other_function, "NOT_APPLICABLE")):
        live.write_text(text, encoding="utf-8")
        overlaid = Library(tmp_path, *library.folders)
        try:
            result = play(reference, overlaid, "relay/signed-calls-of-three-turns", WITHOUT)
        finally:
            overlaid.stop_edge()
        assert result.status == status, result.verdicts
    assert result.verdicts[0].message == "turn 1 of the live conversation calls halve, the script sound"


def says(word: str) -> Callable[[Json], list[Json]]:
    return change_value("content", lambda text: f"{text}{word}")


EVENT_FAULTS: dict[str, tuple[str, Callable[[Json], list[Json]]]] = {
    "text-lost": (CALL_AND_TEXT, kind("content", lambda event: [])),
    "text-twice": (CALL_AND_TEXT, kind("content", lambda event: [event, event])),
    "text-added": (CALL_AND_TEXT, says(" Anything else?")),
    "call-lost": (CALL_AND_TEXT, kind("tool_call_request", lambda event: [])),
    "call-twice": (CALL_AND_TEXT, kind("tool_call_request", lambda event: [event, event])),
    "arguments-lost": (CALL_AND_TEXT, change_value("tool_call_request", lambda call: {**call, "args": {}})),
    "thoughts-as-text": (
        THOUGHTS, kind("thought", lambda event: [{"type": "content", "value": event["value"]["description"]}]),
    ),
    "thoughts-shortened": (
        THOUGHTS, change_value("thought", lambda thought: {**thought, "description": thought["description"][:3]}),
    ),
    "cut-off-by-a-limit": (PLAIN, change_value("finished", lambda end: {**end, "reason": "MAX_TOKENS"})),
    "no-end": (PLAIN, kind("finished", lambda event: [])),
    "error-in-place-of-the-end": (
        PLAIN, kind("finished", lambda event: [{"type": "error", "value": {"error": {"message": "no", "status": 500}}}]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", EVENT_FAULTS)
def test_what_is_shown_wrongly_is_found(library: Library, fault: str) -> None:
    scenario, event = EVENT_FAULTS[fault]
    found = failing(play(Changed(event, only_bridged=True), library, scenario, OVER_ANTHROPIC))
    assert {"chat.events": found.get("chat.events"), "flag": "chat.native_equals_bridged" in found} == {
        "chat.events": 0, "flag": True,
    }  # fmt: skip


def test_what_is_shown_wrongly_with_the_flag_off_is_found_there(library: Library) -> None:
    silent = Changed(kind("content", lambda event: []))
    assert failing(play(silent, library, CALL_AND_TEXT, WITHOUT))["chat.events"] == 0
    over_both = failing(play(silent, library, CALL_AND_TEXT, OVER_CHAT))
    assert "chat.native_equals_bridged" not in over_both


MESSAGE_FAULTS: dict[str, Callable[[list[Json]], list[Json]]] = {
    "message-twice": lambda message: [*message, *message],
    "word-added": lambda message: [*message, {"text": "Please."}],
    "message-lost": lambda message: [{"text": "?"}],
}


@pytest.mark.parametrize("fault", MESSAGE_FAULTS)
def test_a_message_that_is_sent_wrongly_is_found(library: Library, fault: str) -> None:
    found = failing(play(Changed(message=MESSAGE_FAULTS[fault], only_bridged=True), library, PLAIN, OVER_CHAT))
    assert (found.get("chat.history"), "chat.native_equals_bridged" in found) == (0, True)


HISTORY_FAULTS: dict[str, tuple[str, Callable[[list[Json]], list[Json]]]] = {
    "answers-forgotten": (PLAIN, lambda contents: [item for item in contents if item["role"] == "user"]),
    "all-forgotten": (PLAIN, lambda contents: []),
    "beginning-forgotten": (PLAIN, lambda contents: contents[2:]),
    "question-added": (
        PLAIN, lambda contents: contents and [{"role": "user", "parts": [{"text": "Hello"}]}, *contents],
    ),
    "answer-twice": (PLAIN, lambda contents: [*contents, *contents[-1:]]),
    "text-beside-a-call-forgotten": (
        CALL_AND_TEXT,
        lambda contents: [
            {**item, "parts": [part for part in item["parts"] if "text" not in part]} if item["role"] == "model" else item
            for item in contents
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", HISTORY_FAULTS)
def test_a_history_that_is_wrong_is_found(library: Library, fault: str) -> None:
    scenario, history = HISTORY_FAULTS[fault]
    found = failing(play(Changed(history=history, only_bridged=True), library, scenario, OVER_CHAT))
    assert (found.get("chat.history"), "chat.native_equals_bridged" in found) == (1, True)


def test_turns_in_another_order_are_found(library: Library) -> None:
    swapped = Changed(history=lambda contents: [*contents[2:], *contents[:2]])
    assert failing(play(swapped, library, PLAIN, WITHOUT)) == {"chat.history": 2}


def test_a_signature_that_is_lost_is_found(library: Library) -> None:
    without_signatures = Changed(history=lambda contents: contents)
    assert failing(play(without_signatures, library, SIGNED, WITHOUT)) == {"chat.history": 1}


def test_a_system_instruction_and_tools_that_are_lost_are_found(library: Library) -> None:
    without_tools = Changed(request=lambda request: {key: request[key] for key in request if key != "tools"})
    assert failing(play(without_tools, library, CALL_AND_TEXT, WITHOUT))["chat.history"] == 0
    system = {"systemInstruction": {"parts": [{"text": "Be brief."}]}}
    with_instruction = Changed(request=lambda request: {**request, **system}, only_bridged=True)
    assert failing(play(with_instruction, library, PLAIN, OVER_CHAT)) == {}  # another matter: request.added


def test_a_chat_that_raises_is_found(library: Library) -> None:
    def fail(event: Json) -> list[Json]:
        raise KeyError("text")

    found = failing(play(Changed(fail, only_bridged=True), library, PLAIN, OVER_CHAT))
    assert found["adapter.completes"] == 0


def letters(event: Json) -> list[Json]:
    return [{**event, "value": letter} for letter in event["value"]]


DIFFERENTLY_RIGHT: dict[str, tuple[Changed, str]] = {
    "letter-by-letter": (Changed(kind("content", letters)), CALL_AND_TEXT),
    "thoughts-without-a-subject": (
        Changed(change_value("thought", lambda thought: {
            "subject": "", "description": f"**{thought['subject']}** {thought['description']}".removeprefix("**** "),
        })),
        THOUGHTS,
    ),
    "no-counts": (Changed(change_value("finished", lambda end: {"reason": end["reason"]})), PLAIN),
    "further-events": (Changed(lambda event: [{"type": "model_info", "value": "m"}, event]), CALL_AND_TEXT),
    "answer-begun-again": (
        Changed(kind("model_info", lambda event: [{"type": "content", "value": "It i"}, {"type": "retry"}, event])),
        PLAIN,
    ),
    "history-of-its-own": (Changed(history=lambda contents: contents), CALL_AND_TEXT),
    "texts-of-a-message-apart": (
        Changed(message=lambda message: [
            {"text": piece} for part in message for piece in (part["text"][:3], part["text"][3:])
        ] if "text" in message[0] else message),
        PLAIN,
    ),
}  # fmt: skip


@pytest.mark.parametrize("variant", [OVER_CHAT, OVER_ANTHROPIC])
@pytest.mark.parametrize("liberty", DIFFERENTLY_RIGHT)
def test_a_chat_that_is_right_in_another_way_passes(library: Library, liberty: str, variant: str) -> None:
    adapter, scenario = DIFFERENTLY_RIGHT[liberty]
    if variant not in chat_cases(scenario, describe_adapter("python:x:y", adapter)):
        variant = OVER_ANTHROPIC
    result = play(adapter, library, scenario, variant)
    assert (result.status, failing(result)) == ("PASS", {})


class Synchronous(Changed):
    """Its methods are no coroutines and its events a list: all that is asked of them is to be gone through."""

    def converse(self, **options: Any) -> Any:
        import asyncio

        class Conversation:
            def __init__(self) -> None:
                self.conversation = reference.converse(**options)

            async def send(self, message: list[Json]) -> list[Json]:
                return [event async for event in self.conversation.send(message)]

            def close(self) -> Any:
                return asyncio.ensure_future(self.conversation.close())

        return Conversation()


def test_events_may_come_as_a_list(library: Library) -> None:
    assert play(Synchronous(), library, CALL_AND_TEXT, OVER_CHAT).status == "PASS"


class Nonsense(Changed):
    def converse(self, **options: Any) -> Any:
        class Conversation:
            async def send(self, message: list[Json]) -> str:
                return "Hello"

            async def close(self) -> None:
                pass

        return Conversation()


def test_events_that_are_none_are_a_crash(library: Library) -> None:
    result = play(Nonsense(), library, PLAIN, OVER_CHAT)
    assert "send() gave str, expected an iterator, async or not" in result.crash


def test_an_answer_that_a_chat_asks_for_again_is_not_played(library: Library) -> None:
    result = play(reference, library, "conversations/thoughts-alone-then-a-question", OVER_ANTHROPIC)
    assert result.status == "NOT_APPLICABLE"
    assert "turn 1 has an answer without text or calls" in result.verdicts[0].message


def test_only_conversations_that_one_chat_can_hold_are_planned() -> None:
    driver = describe_adapter("python:x:y", reference)
    assert len(chat_cases(PLAIN, driver)) == 4
    unplanned = (
        "messages/plain-question", "relay/next-after-a-disconnect", "conversations/from-flash-to-pro-inside-a-turn",
        "conversations/parallel-calls-in-two-contents",
    )  # fmt: skip
    known = [scenario for scenario in unplanned if (scenarios_root() / f"{scenario}.json").is_file()]
    assert len(known) >= 3
    assert [chat_cases(scenario, driver) for scenario in known] == [{}] * len(known)
    without_chat = describe_adapter("python:x:y", type("A", (), {"routes": Changed.routes, "connect": print})())
    assert chat_cases(PLAIN, without_chat) == {}


def test_a_conversation_has_no_script_of_single_documents() -> None:
    address = f"{PLAIN}::{OVER_CHAT}"
    with pytest.raises(UnknownScenario, match="cannot be repeated without it"):
        replay_case(SelectedCase(address, "", DEFAULT_TARGET))
