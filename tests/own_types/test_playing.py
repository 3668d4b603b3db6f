"""What is played of an adapter with types of its own, at which level, and what is said where it cannot be."""

from pathlib import Path

import pytest

from bridgecheck.compare.secrets import UPSTREAM_KEY
from bridgecheck.drivers import resolve
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.errors import BadTarget
from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.verdict import CaseResult
from bridgecheck.relations.choice import RelationChoice
from bridgecheck.run import plan

from .faults import Fault, Faulty, each, without
from .library import Library
from .played import driver, played, scenario
from .shapes import Thought


def one(adapter: object, scenario_id: str, variant: str, relation_choice: RelationChoice | None = None) -> CaseResult:
    (result,) = played(driver(adapter), scenario(scenario_id), f"bridged-outcome-to-{variant}", relation_choice)
    return result


def verdicts(result: CaseResult, check: str) -> list[tuple[str, str]]:
    return [(verdict.status, verdict.message) for verdict in result.verdicts if verdict.check == check]


def test_every_script_is_a_case_whatever_dialects_the_scenario_states() -> None:
    for what in scenarios(scenarios_root(), ["tools/*", "claude-code/*"]):
        keys = [
            case.key for case in plan.plan(what, driver(Library()), plan.Selection()) if case.key.client == "outcome"
        ]
        wire = {(key.upstream, key.mode) for key in keys if key.layer == "wire"}
        assert wire == {(upstream, mode) for upstream, modes in what.turns[0].upstream.items() for mode in modes}
        assert {key.upstream for key in keys if key.layer == "sdk"} <= {"gemini", "anthropic"}


def test_an_adapter_of_wire_formats_has_no_such_cases() -> None:
    from bridgecheck_reference import adapter

    found = plan.plan(scenario("tools/single-call"), describe_adapter("python:x:y", adapter), plan.Selection())
    assert found and all(case.key.client != "outcome" for case in found)


@pytest.mark.parametrize(
    ("scenario_id", "said"),
    [
        ("features/service-tier", "an outcome document has no word for service_tier"),
        ("builtin-tools/of-gemini-elsewhere", "an outcome document has no word for the tool googleSearch"),
    ],
)
def test_what_a_document_cannot_say_is_not_applicable(scenario_id: str, said: str) -> None:
    result = next(played(driver(Library()), scenario(scenario_id), "bridged-outcome-to-*-wire"))
    assert (result.status, result.verdicts[0].message) == ("NOT_APPLICABLE", said)


@pytest.mark.parametrize(
    ("scenario_id", "source"),
    [("messages/plain-text", "openai_chat"), ("signatures/signed-part-stays-apart", "gemini")],
)
def test_the_dialect_that_was_asked_in_is_counted(scenario_id: str, source: str) -> None:
    result = one(Library(), scenario_id, "gemini-unary-wire")
    (completes,) = [verdict for verdict in result.verdicts if verdict.check == "adapter.completes"]
    assert completes.rules == (f"outcome.from_{source}",)


def test_checks_of_wire_formats_are_left_out() -> None:
    result = one(Library(), "tools/parallel-separate-chunks-indices", "gemini-stream-wire")
    judged = {verdict.check for verdict in result.verdicts}
    assert not judged & {"client.wire_shape", "client.framing", "stream.blocks", "stream.calls_contiguous"}
    assert judged >= {"response.text", "response.tool_calls", "response.finish", "response.usage", "request.turns",
                      "request.acceptable", "upstream.wire_shape", "stream.terminates_once", "adapter.completes"}  # fmt: skip


@pytest.mark.parametrize("upstream", ["gemini", "anthropic"])
@pytest.mark.parametrize("mode", ["unary", "stream"])
@pytest.mark.parametrize(
    "glob", ["tools/single-call", "errors/rate-limit", "thinking/*", "signatures/*", "broken-streams/*", "relay/*"]
)
def test_sessions_are_played_with_real_clients(glob: str, mode: str, upstream: str) -> None:
    found = driver(Library())
    results = [
        result
        for what in scenarios(scenarios_root(), [glob])
        if what.id != "signatures/signed-part-stays-apart"
        for result in played(found, what, f"bridged-outcome-to-{upstream}-{mode}-sdk")
    ]
    wrong = [(str(result.key), result.verdicts) for result in results if result.status in ("FAIL", "WARN", "ERROR")]
    assert not wrong


def test_streams_sent_in_other_ways_say_the_same() -> None:
    for layer in ("wire", "sdk"):
        result = one(
            Library(), "tools/parallel-separate-chunks-indices", f"gemini-stream-{layer}", RelationChoice("all")
        )
        found = [verdict for verdict in result.verdicts if verdict.check.startswith(("relation.", "law."))]
        assert len(found) > 5
        assert {verdict.status for verdict in found} == {"PASS"}


def broken(fault: Fault, layer: str) -> CaseResult:
    return one(Faulty(fault), "tools/single-call", f"gemini-unary-{layer}")


@pytest.mark.parametrize("layer", ["wire", "sdk"])
@pytest.mark.parametrize(
    ("writing", "said"),
    [
        (lambda made: made.update(finish="STOP"), "finish: expected one of stop, tool_calls"),
        (lambda made: made.update(tokens=3), "tokens: no member of an answer; it has parts, refusal"),
        (lambda made: made["parts"].append("x"), "parts[1]: expected an answer part, got the text 'x'"),
    ],
)
def test_nonsense_fails_with_its_place_and_is_all_that_fails(layer: str, writing: object, said: str) -> None:
    result = broken(Fault("", "", writing=writing), layer)
    failed = [verdict for verdict in result.verdicts if verdict.status == "FAIL"]
    assert [verdict.check for verdict in failed] == ["adapter.completes"]
    assert failed[0].message.startswith("the adapter failed: the adapter's answer is no outcome document: ")
    assert said in failed[0].message


def test_a_conversation_ends_with_nonsense() -> None:
    fault = Fault("", "", writing=lambda made: made.update(finish=3))
    result = one(Faulty(fault), "signatures/call-roundtrip", "gemini-unary-wire")
    assert [verdict.check for verdict in result.verdicts if verdict.status == "FAIL"] == ["adapter.completes"]


def test_the_caller_of_a_library_may_be_shown_his_own_key() -> None:
    fault = Fault("", "", writing=lambda made: made.get("error", {}).update(message=f"bad key {UPSTREAM_KEY}"))
    result = one(Faulty(fault), "errors/key-not-echoed", "gemini-unary-sdk")
    assert result.status == "PASS"
    assert verdicts(result, "client.no_secret") == []


class Bytes(Library):
    """Gives the bytes of a body where events belong."""

    def connect(self, **where: object) -> "Bytes":
        return self

    async def generate(self, body: object, *, model: str) -> dict[str, object]:
        return {}

    async def stream(self, body: object, *, model: str) -> object:
        yield b"data: {}\n\n"

    async def close(self) -> None: ...


def test_bytes_are_no_events() -> None:
    result = one(Bytes(), "messages/plain-text", "gemini-stream-sdk")
    assert verdicts(result, "adapter.completes") == [
        ("FAIL", "the adapter failed: stream() gave bytes, expected events of docs/outcome.md")
    ]


class Silent(Library):
    """Types with little room. ``capabilities``: what it claims."""

    capabilities = ("tools", "parallel_tools", "relay")
    cannot_say = (
        "order",
        "text.segments",
        "refusal",
        "usage.cached",
        "settings.stop",
        "error.retry_after",
        *Library.cannot_say,
    )


FAST_COUNT = Fault(
    "",
    "",
    asking=lambda asked: asked.knobs.pop("stop", None),
    replying=lambda given: setattr(given.cost, "from_cache", None) if given.cost else None,
)


class Few(Faulty, Silent):
    """Loses what it says it cannot say."""

    def __init__(self) -> None:
        super().__init__(FAST_COUNT)


@pytest.mark.parametrize(
    ("scenario_id", "variant", "check", "loss"),
    [
        ("settings/stop-sequence", "gemini-unary-wire", "request.settings", "types.settings.stop"),
        ("usage/cached-input", "gemini-unary-wire", "response.usage", "types.usage.cached"),
    ],
)
def test_what_types_have_no_place_for_is_a_declared_loss(scenario_id: str, variant: str, check: str, loss: str) -> None:
    lost = one(Few(), scenario_id, variant)
    assert lost.status == "PASS"
    found = [loss for verdict in lost.verdicts if verdict.check == check for loss in verdict.losses]
    assert [(one.rule, one.reason) for one in found if one.rule == loss] == [
        (loss, "the adapter says that its own types have no place for it")
    ]
    demanded = one(Faulty(FAST_COUNT), scenario_id, variant)
    assert ("FAIL", check) in [(verdict.status, verdict.check) for verdict in demanded.verdicts]


def test_what_is_not_claimed_is_not_said() -> None:
    unsaid = driver(Silent()).inexpressible_features
    assert {"reasoning", "thinking", "turns.media", "media", "response_format", "choices", "signatures"} <= unsaid
    assert "citations" not in unsaid
    assert driver(Library()).inexpressible_features == frozenset(Library.cannot_say)


class Unclaimed(Library):
    """Claims nothing about thinking."""

    capabilities = ("tools", "parallel_tools", "relay")


def test_what_is_not_claimed_and_lost_does_not_count_as_working() -> None:
    (works,) = played(
        driver(Unclaimed()), scenario("thinking/thought-text-kept"), "bridged-outcome-to-gemini-unary-wire"
    )
    assert works.status == "NOTE"
    lost = Faulty(Fault("", "", replying=each(without(Thought))))
    lost.capabilities = Unclaimed.capabilities
    (result,) = played(driver(lost), scenario("thinking/thought-text-kept"), "bridged-outcome-to-gemini-unary-wire")
    assert result.status == "NOT_APPLICABLE"


def test_claims_of_a_recipe_say_what_can_be_said(tmp_path: Path) -> None:
    recipe = tmp_path / "adapter.toml"
    recipe.write_text('target = "python:tests.own_types.library:adapter"\nclaims = ["tools", "thinking"]\n')
    found = resolve(str(recipe))
    assert "media" in found.inexpressible_features and "reasoning" not in found.inexpressible_features
    assert frozenset(Library.cannot_say) < found.inexpressible_features


class Refuses(Library):
    """Refuses what it cannot say, or what it can."""

    def __init__(self, words: str, *cannot_say: str) -> None:
        super().__init__()
        self.words = words
        self.cannot_say = (*Library.cannot_say, *cannot_say)

    def asked(self, body: dict[str, object], *, stream: bool) -> dict[str, object]:
        raise NotImplementedError(self.words)


def test_what_cannot_be_said_may_be_refused() -> None:
    assert (
        one(Refuses("stop is not supported", "settings.stop"), "settings/stop-sequence", "gemini-unary-wire").status
        == "REJECTED"
    )
    assert one(Refuses("stop is not supported"), "settings/stop-sequence", "gemini-unary-wire").status == "FAIL"


@pytest.mark.parametrize(
    ("names", "what", "expected"),
    [
        (("finish",), "cannot_say names 'finish'", "among citations, code"),
        (("usage.prompt",), "cannot_say names 'usage.prompt'", "among citations"),
        (("reasoning",), "cannot_say names 'reasoning'", "claim thinking or not"),
    ],
)
def test_what_cannot_be_given_up(names: tuple[str, ...], what: str, expected: str) -> None:
    adapter = Library()
    adapter.cannot_say = names
    with pytest.raises(BadTarget) as refused:
        driver(adapter)
    assert what in refused.value.what and refused.value.expected.startswith(expected)


def test_nobody_can_ask_a_provider_so() -> None:
    adapter = Library()
    adapter.routes = (("gemini", "outcome"),)
    with pytest.raises(BadTarget, match="no route is") as refused:
        driver(adapter)
    assert "client also outcome" in refused.value.expected
