"""A sample run: every status, several topics and paths, findings of each kind, losses, traffic."""

from collections.abc import Callable

import pytest

from bridgecheck.model.verdict import AppliedLoss, CaseKey, CaseResult, Difference, Verdict
from bridgecheck.report import Report, RunInfo

LOSS = AppliedLoss("gemini.safetyRatings", "candidates[0].safetyRatings", "OpenAI Chat has no place for safety ratings")
CRASH = """Traceback (most recent call last):
  File "/somewhere/adapter/parts.py", line 41, in convert
    return part["text"]
KeyError: 'text'
"""


@pytest.fixture
def passing() -> Callable[..., CaseResult]:
    """Make a case that passed two checks; keyword arguments go to the key or the result."""
    return _case


@pytest.fixture
def report() -> Report:
    return Report.from_results(_info(), _cases())


@pytest.fixture
def clean_report() -> Report:
    return Report.from_results(_info(), [_case("tools/single-call"), _case("usage/cached", mode="stream")])


def _info() -> RunInfo:
    return RunInfo(
        adapter="reference",
        version="0.1.0",
        target="python:some.package:adapter",
        versions=(("bridgecheck", "0.1.0"), ("openai", "3.52.0")),
        started="2026-11-20T10:00:00Z",
        seconds=12.34,
        planned=12,
        selection=(("--tag", "tools"),),
        argv=("run", "--tag", "tools"),
    )


def _case(scenario: str, *verdicts: Verdict, **fields: object) -> CaseResult:
    key = {"path": "bridged", "client": "gemini", "upstream": "openai-chat", "mode": "unary", "layer": "wire"}
    key |= {name: value for name, value in fields.items() if name in key}
    rest = {name: value for name, value in fields.items() if name not in key}
    plain = (Verdict("response.text", "PASS", rules=("text.segments",)), Verdict("response.usage", "PASS"))
    return CaseResult(
        key=CaseKey(scenario=scenario, **key),
        adapter="reference",
        verdicts=verdicts or plain,
        topic=scenario.split("/", 1)[0],
        seconds=0.01,
        **rest,
    )


def _cases() -> list[CaseResult]:
    index = Difference("choices[0].tool_calls[1].index", "1", "0")
    arguments = Difference(
        "choices[0].tool_calls[0].args",
        '{"city":"Zürich","days":[1,2,3],"options":{"units":"metric","wind":true},"note":"a\u2028b"}',
        '{"city":"Zürich","days":[1,2,3],"options":{"units":"imperial","wind":true},"note":"a b"}',
        "decoded",
    )
    text = Difference("choices[0].text[0]", '"' + "The weather in the north is " * 6 + 'fine."', '"…"')
    return [
        _case("tools/single-call"),
        _case("tools/single-call", path="native", client="openai-chat"),
        _case("tools/single-call", path="native", client="openai-chat", layer="sdk"),
        _case(
            "tools/parallel",
            Verdict("response.tool_calls", "FAIL", "call 1 has the index 0 of call 0", (index, arguments)),
            Verdict("response.finish", "PASS", losses=(LOSS, LOSS)),
            mode="stream",
            title="Parallel calls keep their order",
            views={"client_request": "{}"},
        ),
        _case(
            "tools/three-calls",
            Verdict("response.tool_calls", "FAIL", "call 2 has the index 0 of call 0", (index,)),
            layer="sdk",
        ),
        _case("errors/odd", Verdict("adapter.completes", "FAIL", "KeyError: 'text'", turn=1), crash=CRASH),
        _case("errors/odd", Verdict("harness.error", "ERROR", "cannot read [bold]it[/bold]"), mode="stream"),
        _case("thinking/dropped", Verdict("response.reasoning", "WARN", "reasoning is lost", (text,))),
        _case("schema/deep", Verdict("adapter.completes", "REJECTED", "tools[0].parameters is too deep")),
        _case("schema/any", Verdict("response.text", "NOT_APPLICABLE", "no anthropic route"), client="anthropic"),
        _case("unicode/nul", Verdict("response.text", "NOTE", "U+0000 became a space"), views={"a": "b"}),
        _case(
            "vendor/0007",
            Verdict("response.other", "FAIL", "lost without a word", (Difference("citations[]", "[1]", "(absent)"),)),
            Verdict("response.usage", "PASS", losses=(LOSS,)),
            source="traffic",
            where="traffic/vendor.jsonl:7",
        ),
    ]
