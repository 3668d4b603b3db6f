"""Adapters that refuse loudly what they do not have, each in words of its own: none of that is held against them."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.verdict import CaseResult
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Selection, plan
from bridgecheck_reference.default_adapter import ReferenceAdapter

CHAT_TO_GEMINI = {"client": "openai-chat", "upstream": "gemini"}


def has_audio(body: dict[str, Any]) -> bool:
    return "input_audio" in json.dumps(body)


def has_server_tool(body: dict[str, Any]) -> bool:
    return any(
        "input_schema" not in tool and "type" in tool for tool in body.get("tools", []) if "function" not in tool
    )


class UnsupportedFunctionalityError(Exception):
    """As libraries define their own."""


class RefusesAudio(ReferenceAdapter):
    """A converter: NotImplementedError is the word of the protocol."""

    capabilities: ClassVar = ("tools", "media_input")

    def to_upstream(self, body: dict[str, Any], **where: Any) -> dict[str, Any]:
        if has_audio(body):
            raise NotImplementedError("audio input is not supported: send text or images")
        return super().to_upstream(body, **where)


class RefusesServerTools(ReferenceAdapter):
    """A library: it raises an exception of its own, which names the tool."""

    def to_upstream(self, body: dict[str, Any], **where: Any) -> dict[str, Any]:
        for tool in body.get("tools", []):
            if has_server_tool({"tools": [tool]}):
                raise UnsupportedFunctionalityError(
                    f"provider-executed tool '{tool['type']}' functionality not supported"
                )
        return super().to_upstream(body, **where)


class RefusesSeveral(ReferenceAdapter):
    """A library whose function has no such argument."""

    capabilities: ClassVar = None

    def to_upstream(self, body: dict[str, Any], **where: Any) -> dict[str, Any]:
        if body.get("n", 1) > 1:
            raise TypeError("complete() got an unexpected keyword argument 'n'")
        return super().to_upstream(body, **where)


class SlipsOverSeveral(ReferenceAdapter):
    """An adapter that breaks where it meets the same request."""

    def to_upstream(self, body: dict[str, Any], **where: Any) -> dict[str, Any]:
        if body.get("n", 1) > 1:
            raise TypeError("unsupported operand type(s) for +: 'NoneType' and 'str'")
        return super().to_upstream(body, **where)


class RefusesByStatus:
    """A gateway that validates requests as FastAPI does, and answers 422 in no dialect."""

    name, version, routes = "validating", "1", (("openai-chat", "openai-chat"),)

    async def handle(self, request: HttpRequest, upstream: Any) -> Any:
        if b"input_audio" in request.body:
            document = {"detail": [{"loc": ["messages", 0, "content"], "msg": "input_audio is no audio we take"}]}
            return 422, {"content-type": "application/json"}, json.dumps(document).encode()
        return await upstream.send(request)


Play = Callable[[object, str, str], dict[str, CaseResult]]


@pytest.fixture
def play(library: Library) -> Play:
    def play_scenario(adapter: object, scenario: str, variants: str) -> dict[str, CaseResult]:
        driver = replace(describe_adapter("python:x:y", adapter), timeout=20.0)
        found = load_scenario(scenarios_root() / f"{scenario}.json")
        selection = Selection(addresses=(f"{scenario}::{variants}",))
        cases = [case for case in plan(found, driver, selection) if not case.why_not]
        return {case.key.route_mode_layer: run_case(case, found, driver, library) for case in cases}

    return play_scenario


@pytest.mark.parametrize(
    ("adapter", "scenario", "variants", "expected"),
    [
        (RefusesAudio(), "multimodal/audio-input", "bridged-openai-chat-to-gemini-unary-wire", "REJECTED"),
        (RefusesServerTools(), "server-tools/search-of-anthropic", "bridged-anthropic-to-*-unary-wire", "REJECTED"),
        (RefusesSeveral(), "messages/several-candidates", "bridged-openai-chat-to-gemini-unary-wire", "NOT_APPLICABLE"),
        (SlipsOverSeveral(), "messages/several-candidates", "bridged-openai-chat-to-gemini-unary-wire", "FAIL"),
        (
            RefusesByStatus(),
            "multimodal/audio-input",
            "bridged-openai-chat-to-openai-chat-unary-http",
            "NOT_APPLICABLE",
        ),
        (RefusesAudio(), "messages/plain-text", "bridged-openai-chat-to-gemini-unary-wire", "PASS"),
    ],
)
def test_a_loud_refusal_is_no_failure(play: Play, adapter: object, scenario: str, variants: str, expected: str) -> None:
    results = play(adapter, scenario, variants)
    assert results
    for variant, result in results.items():
        found = [verdict for verdict in result.verdicts if verdict.check == "adapter.completes"]
        assert [verdict.status for verdict in found] == [expected], (variant, found)
        if expected != "FAIL":
            assert not [verdict for verdict in result.verdicts if verdict.status in ("FAIL", "WARN")], result.verdicts
