"""Which cases an adapter with types of its own gets, at which layer, and what is reported where it cannot be played."""

from pathlib import Path

import pytest

from bridgecheck.drivers import resolve
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.errors import BadTarget
from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.verdict import CaseResult
from bridgecheck.relations.choice import RelationChoice
from bridgecheck.run import plan
from bridgecheck.secrets import UPSTREAM_KEY

from .faults import Fault, Faulty, change_pieces_of_replies, remove_kinds
from .library import Library
from .library_types import Thought
from .play import make_driver, play_cases, read_scenario
from .test_library import KNOWN_FAULTS


def play_case(
    adapter: object, scenario_id: str, variant: str, relation_choice: RelationChoice | None = None
) -> CaseResult:
    (result,) = play_cases(
        make_driver(adapter), read_scenario(scenario_id), f"bridged-outcome-to-{variant}", relation_choice
    )
    return result


def verdicts(result: CaseResult, check: str) -> list[tuple[str, str]]:
    return [(verdict.status, verdict.message) for verdict in result.verdicts if verdict.check == check]


def test_every_scripted_upstream_and_mode_is_a_case() -> None:
    found = scenarios(scenarios_root(), ["tools/*", "claude-code/*"])
    for scenario in (scenario for scenario in found if not scenario.client_model):
        keys = [
            case.key
            for case in plan.plan(scenario, make_driver(Library()), plan.Selection())
            if case.key.client == "outcome"
        ]
        wire = {(key.upstream, key.mode) for key in keys if key.layer == "wire"}
        assert wire == {(upstream, mode) for upstream, modes in scenario.turns[0].upstream.items() for mode in modes}
        assert {key.upstream for key in keys if key.layer == "sdk"} <= {"gemini", "anthropic"}


def test_an_adapter_of_wire_formats_gets_no_outcome_cases() -> None:
    from bridgecheck_reference import adapter

    found = plan.plan(read_scenario("tools/single-call"), describe_adapter("python:x:y", adapter), plan.Selection())
    assert found and all(case.key.client != "outcome" for case in found)


@pytest.mark.parametrize(
    ("scenario_id", "message"),
    [
        ("features/service-tier", "an outcome document has no word for service_tier"),
        ("builtin-tools/of-gemini-elsewhere", "an outcome document has no word for the tool googleSearch"),
    ],
)
def test_a_feature_that_documents_cannot_express_is_not_applicable(scenario_id: str, message: str) -> None:
    result = next(play_cases(make_driver(Library()), read_scenario(scenario_id), "bridged-outcome-to-*-wire"))
    assert (result.status, result.verdicts[0].message) == ("NOT_APPLICABLE", message)


@pytest.mark.parametrize(
    ("scenario_id", "source"),
    [("messages/plain-text", "openai_chat"), ("signatures/signed-part-stays-apart", "gemini")],
)
def test_the_dialect_of_the_source_request_is_reported(scenario_id: str, source: str) -> None:
    result = play_case(Library(), scenario_id, "gemini-unary-wire")
    (completes,) = [verdict for verdict in result.verdicts if verdict.check == "adapter.completes"]
    assert completes.rules == (f"outcome.from_{source}",)


def test_checks_of_wire_formats_do_not_run() -> None:
    result = play_case(Library(), "tools/parallel-separate-chunks-indices", "gemini-stream-wire")
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
    found = make_driver(Library())
    results = [
        result
        for scenario in scenarios(scenarios_root(), [glob])
        if scenario.id not in KNOWN_FAULTS
        for result in play_cases(found, scenario, f"bridged-outcome-to-{upstream}-{mode}-sdk")
    ]
    wrong = [(str(result.key), result.verdicts) for result in results if result.status in ("FAIL", "WARN", "ERROR")]
    assert not wrong


def test_relations_hold_for_streams_of_documents() -> None:
    for layer in ("wire", "sdk"):
        result = play_case(
            Library(), "tools/parallel-separate-chunks-indices", f"gemini-stream-{layer}", RelationChoice("all")
        )
        found = [verdict for verdict in result.verdicts if verdict.check.startswith(("relation.", "law."))]
        assert len(found) > 5
        assert {verdict.status for verdict in found} == {"PASS"}


def play_broken(fault: Fault, layer: str) -> CaseResult:
    return play_case(Faulty(fault), "tools/single-call", f"gemini-unary-{layer}")


@pytest.mark.parametrize("layer", ["wire", "sdk"])
@pytest.mark.parametrize(
    ("change_document", "message"),
    [
        (lambda document: document.update(finish="STOP"), "finish: expected one of stop, tool_calls"),
        (lambda document: document.update(tokens=3), "tokens: no member of an answer; it has parts, refusal"),
        (lambda document: document["parts"].append("x"), "parts[1]: expected an answer part, got the text 'x'"),
    ],
)
def test_an_invalid_document_fails_with_its_path_and_nothing_else_fails(
    layer: str, change_document: object, message: str
) -> None:
    result = play_broken(Fault("", "", change_document=change_document), layer)
    failed = [verdict for verdict in result.verdicts if verdict.status == "FAIL"]
    assert [verdict.check for verdict in failed] == ["adapter.completes"]
    assert failed[0].message.startswith("the adapter failed: the adapter's answer is no outcome document: ")
    assert message in failed[0].message


def test_an_invalid_document_ends_the_conversation() -> None:
    fault = Fault("", "", change_document=lambda document: document.update(finish=3))
    result = play_case(Faulty(fault), "signatures/call-roundtrip", "gemini-unary-wire")
    assert [verdict.check for verdict in result.verdicts if verdict.status == "FAIL"] == ["adapter.completes"]


def test_an_error_may_show_the_caller_the_callers_own_key() -> None:
    fault = Fault(
        "", "", change_document=lambda document: document.get("error", {}).update(message=f"bad key {UPSTREAM_KEY}")
    )
    result = play_case(Faulty(fault), "errors/key-not-echoed", "gemini-unary-sdk")
    assert result.status == "PASS"
    assert verdicts(result, "client.no_secret") == []


class Bytes(Library):
    """Returns the bytes of a body where events belong."""

    def connect(self, **where: object) -> "Bytes":
        return self

    async def generate(self, body: object, *, model: str) -> dict[str, object]:
        return {}

    async def stream(self, body: object, *, model: str) -> object:
        yield b"data: {}\n\n"

    async def close(self) -> None: ...


def test_bytes_in_place_of_events_fail() -> None:
    result = play_case(Bytes(), "messages/plain-text", "gemini-stream-sdk")
    assert verdicts(result, "adapter.completes") == [
        ("FAIL", "the adapter failed: stream() gave bytes, expected events of docs/outcome.md")
    ]


class Silent(Library):
    """Claims little and cannot express some features."""

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


LOSES_STOP_AND_CACHE = Fault(
    "",
    "",
    change_prompt=lambda prompt: prompt.settings.pop("stop", None),
    change_replies=lambda replies: setattr(replies.usage, "from_cache", None) if replies.usage else None,
)


class Lossy(Faulty, Silent):
    """Loses only what it declares that it cannot express."""

    def __init__(self) -> None:
        super().__init__(LOSES_STOP_AND_CACHE)


@pytest.mark.parametrize(
    ("scenario_id", "variant", "check", "loss", "demanded_status"),
    [
        ("settings/stop-sequence", "gemini-unary-wire", "request.settings", "types.settings.stop", "FAIL"),
        ("usage/cached-input", "gemini-unary-wire", "response.usage", "types.usage.cached", "WARN"),
    ],
)
def test_a_loss_is_declared_where_the_types_cannot_express_it(
    scenario_id: str, variant: str, check: str, loss: str, demanded_status: str
) -> None:
    lost = play_case(Lossy(), scenario_id, variant)
    assert lost.status == "PASS"
    found = [loss for verdict in lost.verdicts if verdict.check == check for loss in verdict.losses]
    assert [(item.rule, item.reason) for item in found if item.rule == loss] == [
        (loss, "the adapter says that its own types have no place for it")
    ]
    demanded = play_case(Faulty(LOSES_STOP_AND_CACHE), scenario_id, variant)
    assert (demanded_status, check) in [(verdict.status, verdict.check) for verdict in demanded.verdicts]


class Uncounted(Faulty):
    """Claims thinking, and has no count of it."""

    cannot_say = (*Library.cannot_say, "usage.reasoning")

    def __init__(self) -> None:
        super().__init__(LOSES_REASONING_COUNT)


LOSES_REASONING_COUNT = Fault(
    "", "", change_replies=lambda replies: setattr(replies.usage, "reasoning", None) if replies.usage else None
)


def test_a_library_that_tells_thoughts_may_have_no_count_of_them() -> None:
    uncounted = play_case(Uncounted(), "thinking/thought-text-kept", "gemini-unary-wire")
    assert uncounted.status == "PASS"
    assert [loss.rule for verdict in uncounted.verdicts for loss in verdict.losses] == ["types.usage.reasoning"]
    demanded = play_case(Faulty(LOSES_REASONING_COUNT), "thinking/thought-text-kept", "gemini-unary-wire")
    assert ("WARN", "response.usage") in [(verdict.status, verdict.check) for verdict in demanded.verdicts]


def test_unclaimed_capabilities_make_their_features_inexpressible() -> None:
    inexpressible = make_driver(Silent()).inexpressible_or_unclaimed_features
    assert {
        "reasoning",
        "thinking",
        "turns.media",
        "media",
        "response_format",
        "choices",
        "signatures",
    } <= inexpressible
    assert "citations" not in inexpressible
    assert make_driver(Library()).inexpressible_or_unclaimed_features == frozenset(Library.cannot_say)


class Unclaimed(Library):
    """Claims nothing about thinking."""

    capabilities = ("tools", "parallel_tools", "relay")


def test_an_unclaimed_feature_never_counts_as_pass() -> None:
    (works,) = play_cases(
        make_driver(Unclaimed()), read_scenario("thinking/thought-text-kept"), "bridged-outcome-to-gemini-unary-wire"
    )
    assert works.status == "NOTE"
    lost = Faulty(Fault("", "", change_replies=change_pieces_of_replies(remove_kinds(Thought))))
    lost.capabilities = Unclaimed.capabilities
    (result,) = play_cases(
        make_driver(lost), read_scenario("thinking/thought-text-kept"), "bridged-outcome-to-gemini-unary-wire"
    )
    assert result.status == "NOT_APPLICABLE"


def test_claims_of_a_recipe_decide_what_is_expressible(tmp_path: Path) -> None:
    recipe = tmp_path / "adapter.toml"
    recipe.write_text('target = "python:tests.own_types.library:adapter"\nclaims = ["tools", "thinking"]\n')
    found = resolve(str(recipe))
    assert (
        "media" in found.inexpressible_or_unclaimed_features
        and "reasoning" not in found.inexpressible_or_unclaimed_features
    )
    assert frozenset(Library.cannot_say) < found.inexpressible_or_unclaimed_features


class Refusing(Library):
    """Refuses every request."""

    def __init__(self, message: str, *cannot_say: str) -> None:
        super().__init__()
        self.message = message
        self.cannot_say = (*Library.cannot_say, *cannot_say)

    def chat_request(self, body: dict[str, object], *, stream: bool) -> dict[str, object]:
        raise NotImplementedError(self.message)


def test_what_a_claimed_capability_covers_may_not_be_refused() -> None:
    declared = Refusing("stop is not supported", "settings.stop")
    assert play_case(declared, "settings/stop-sequence", "gemini-unary-wire").status == "REJECTED"
    assert (
        play_case(Refusing("stop is not supported"), "settings/stop-sequence", "gemini-unary-wire").status == "REJECTED"
    )
    assert play_case(Refusing("tools are not supported"), "tools/single-call", "gemini-unary-wire").status == "FAIL"


@pytest.mark.parametrize(
    ("names", "message", "expected"),
    [
        (("error",), "cannot_say names 'error'", "among citations, code"),
        (("usage.prompt",), "cannot_say names 'usage.prompt'", "among citations"),
        (("reasoning",), "cannot_say names 'reasoning'", "claim thinking or not"),
    ],
)
def test_a_required_feature_cannot_be_declared_inexpressible(
    names: tuple[str, ...], message: str, expected: str
) -> None:
    adapter = Library()
    adapter.cannot_say = names
    with pytest.raises(BadTarget) as refused:
        make_driver(adapter)
    assert message in refused.value.what and refused.value.expected.startswith(expected)


def test_outcome_is_no_upstream_dialect() -> None:
    adapter = Library()
    adapter.routes = (("gemini", "outcome"),)
    with pytest.raises(BadTarget, match="no route is") as refused:
        make_driver(adapter)
    assert "client also outcome" in refused.value.expected
