"""What a time limit that was hit says: of the adapter, of its first use, or of the machine."""

import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from bridgecheck.cassette.traffic import TrafficItem
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.drivers.recipe import apply_name_and_claims
from bridgecheck.drivers.resolve import DEFAULT_TARGET, load_python_object
from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.model.exchange import Interaction
from bridgecheck.model.verdict import CaseKey, CaseResult, Excuse
from bridgecheck.relations.choice import NO_RELATIONS, RelationChoice
from bridgecheck.run.library import Library
from bridgecheck.run.longer_limits import LONGER_LIMITS
from bridgecheck.run.machine_load import seconds_computed_below
from bridgecheck.run.patience import Patience
from bridgecheck.run.plan import Case
from bridgecheck.run.run_state import MAX_HUNG_SCENARIOS, RunState
from bridgecheck.run.turns import minimal_request, minimal_response

from ..machine import measure

PLAIN = load_scenario(scenarios_root() / "messages" / "plain-text.json")
CASE = Case(CaseKey(PLAIN.id, "bridged", "openai-chat", "gemini", "unary", "wire"))
REFERENCE = load_python_object(DEFAULT_TARGET.partition(":")[2])
LIMIT_S = 0.1


class Slow:
    """The reference, which does not come back from some of its calls; ``calls`` counts the requests it converted."""

    name = "slow"
    routes = (("openai-chat", "gemini"),)

    def __init__(self, hangs: Callable[[int], bool]) -> None:
        self.calls = 0
        self._hangs = hangs
        self.from_upstream = REFERENCE.converter.from_upstream
        self.stream = REFERENCE.converter.stream

    def to_upstream(self, body, **arguments):
        self.calls += 1
        while self._hangs(self.calls):
            time.sleep(0.01)
        return REFERENCE.converter.to_upstream(body, **arguments)


def play(
    library: Library,
    adapter: Slow,
    *,
    is_stalled: bool = False,
    is_busy: bool = False,
    patience: Patience | None = None,
) -> CaseResult:
    driver = replace(describe_adapter("slow", adapter), timeout=LIMIT_S)
    return (patience or make_patience(is_stalled=is_stalled, is_busy=is_busy)).play(CASE, PLAIN, driver, library)


def make_patience(
    state: RunState | None = None, *, is_stalled: bool = False, is_busy: bool = False, is_computing: bool = False
) -> Patience:
    return Patience(state or RunState(), measure(is_stalled=is_stalled, is_busy=is_busy, is_computing=is_computing))


def test_a_slow_first_use_counts_for_nothing(library: Library) -> None:
    started = time.monotonic()
    assert play(library, Slow(lambda call: time.monotonic() < started + 1.5 * LIMIT_S)).status == "PASS"


def test_a_limit_that_is_hit_once_is_no_failure(library: Library) -> None:
    adapter = Slow(lambda call: call == 2)
    assert play(library, adapter).status == "PASS"
    assert adapter.calls > 2


@pytest.mark.parametrize(
    ("is_busy", "first_hang", "tries"), [(False, 3, 1), (True, 3, len(LONGER_LIMITS)), (True, 2, 1)]
)
def test_a_hang_is_a_failure_after_another_try_and_more_on_a_busy_machine(
    library: Library, is_busy: bool, first_hang: int, tries: int
) -> None:
    """The first use converts the request twice; where it hangs in the second, one try more is made."""
    adapter = Slow(lambda call: call >= first_hang)
    assert play(library, adapter, is_busy=is_busy).status == "FAIL"
    assert adapter.calls == 2 + 1 + tries


def test_a_hang_in_a_scenario_that_hung_before_is_tried_once_more(library: Library) -> None:
    patience, adapter = make_patience(is_busy=True), Slow(lambda call: call > 2)
    for plays in (1 + len(LONGER_LIMITS), 1 + 1):
        calls = max(adapter.calls, 2)
        assert play(library, adapter, patience=patience).status == "FAIL"
        assert adapter.calls == calls + plays


def test_a_hang_while_the_machine_stands_still_is_an_error_and_no_failure(library: Library) -> None:
    result = play(library, Slow(lambda call: call > 1), is_stalled=True)
    assert result.status == "ERROR"
    assert "the machine stood still" in result.verdicts[0].message


@pytest.mark.parametrize("is_stalled", [False, True])
def test_a_hang_in_which_the_adapter_computes_all_the_time_is_tried_once_more_and_its_own(
    library: Library, is_stalled: bool
) -> None:
    adapter = Slow(lambda call: call > 2)
    patience = make_patience(is_busy=True, is_stalled=is_stalled, is_computing=True)
    assert play(library, adapter, patience=patience).status == "FAIL"
    assert adapter.calls == 2 + 1 + 1


def test_the_processor_time_of_children_and_theirs_is_counted() -> None:
    compute = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"
    start_child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {compute!r}])"
    before = seconds_computed_below(os.getpid())
    with Popen([sys.executable, "-c", start_child], stdin=PIPE, stdout=PIPE) as process:
        assert process.stdout and process.stdout.readline()
        assert seconds_computed_below(os.getpid()) - before >= 0.25
        process.communicate(b"\n")


class SlowRelations(Slow):
    """The reference, which answers the case itself; ``calls`` counts the streams that it converted once more."""

    def __init__(self, hangs: Callable[[int], bool]) -> None:
        super().__init__(hangs)
        self.to_upstream = self._note_case
        self.stream = self._make_stream
        self._is_case = False

    def _note_case(self, body, **arguments):
        self._is_case = True
        return REFERENCE.converter.to_upstream(body, **arguments)

    def _make_stream(self, **arguments):
        self.calls += not self._is_case
        while not self._is_case and self._hangs(self.calls):
            time.sleep(0.01)
        self._is_case = False
        return REFERENCE.converter.stream(**arguments)


def play_relations(library: Library, adapter: Slow, state: RunState | None = None) -> CaseResult:
    driver = replace(describe_adapter("slow", adapter), timeout=LIMIT_S)
    case = Case(replace(CASE.key, mode="stream"))
    return make_patience(state).play(case, PLAIN, driver, library, RelationChoice("fast"))


def note_hangs_but_one(state: RunState) -> None:
    for number in range(MAX_HUNG_SCENARIOS - 1):
        state.note_hang(f"topic/scenario-{number}")


def test_a_hang_in_a_relation_is_tried_again_too(library: Library) -> None:
    adapter = SlowRelations(lambda call: call == 1)
    assert play_relations(library, adapter).status == "PASS"
    assert adapter.calls > 2


def test_a_hang_in_every_relation_is_a_failure_that_counts(library: Library, tmp_path: Path) -> None:
    state = RunState(tmp_path)
    note_hangs_but_one(state)
    result = play_relations(library, SlowRelations(lambda call: True), state)
    assert {verdict.check.partition(".")[0] for verdict in result.verdicts if verdict.status == "FAIL"} == {"relation"}
    assert state.has_hung_too_often()


def test_a_hang_that_is_accepted_does_not_keep_the_rest_from_being_judged(library: Library, tmp_path: Path) -> None:
    state = RunState(tmp_path)
    note_hangs_but_one(state)

    def accept(result: CaseResult) -> CaseResult:
        excuse = Excuse("deviation", "known")
        return replace(result, verdicts=tuple(replace(verdict, excuse=excuse) for verdict in result.verdicts))

    driver = replace(describe_adapter("slow", Slow(lambda call: True)), timeout=LIMIT_S)
    result = make_patience(state).play(CASE, PLAIN, driver, library, NO_RELATIONS, accept)
    assert (result.status, result.counted_as) == ("FAIL", "deviation")
    assert not state.has_hung_too_often()


@pytest.mark.parametrize(("hangs", "status"), [(lambda call: call == 1, "PASS"), (lambda call: True, "FAIL")])
def test_recorded_traffic_is_tried_again_too(hangs: Callable[[int], bool], status: str) -> None:
    key = replace(CASE.key, scenario="recorded/1")
    sent = Interaction(minimal_request("openai-chat", "unary", "m"), minimal_response("openai-chat", "unary"))
    item = TrafficItem("recorded/1", "recorded.jsonl:1", sent)
    adapter = Slow(hangs)
    driver = replace(describe_adapter("slow", adapter), timeout=LIMIT_S)
    assert make_patience().play_traffic(Case(key), item, driver).status == status
    assert adapter.calls > 1


def test_what_a_running_gateway_may_send_late_for_a_try_is_awaited_before_the_next(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, slept = [0.0, 3.0], []
    monkeypatch.setattr("bridgecheck.run.patience.seconds_until_free", lambda *arguments: waits.pop(0))
    patience = make_patience()
    patience.sleep = slept.append
    assert play(library, Slow(lambda call: call == 3), patience=patience).status == "PASS"
    assert (waits, slept) == ([], [3.0])


def test_after_hangs_in_ten_scenarios_the_rest_is_not_asked(library: Library, tmp_path: Path) -> None:
    for number in range(MAX_HUNG_SCENARIOS - 1):
        RunState(tmp_path).note_hang(f"topic/scenario-{number}")
        RunState(tmp_path).note_hang("topic/scenario-0")
    adapter = Slow(lambda call: True)
    assert play(library, adapter, patience=make_patience(RunState(tmp_path))).status == "FAIL"
    calls = adapter.calls
    result = play(library, adapter, patience=make_patience(RunState(tmp_path)))
    assert (result.status, adapter.calls) == ("INCONCLUSIVE", calls)
    assert "not asked" in result.verdicts[0].message


def test_who_plays_alone_waits_for_the_others_and_they_for_him(tmp_path: Path) -> None:
    events: list[str] = []
    state, is_playing = RunState(tmp_path), threading.Event()

    def play_alone() -> None:
        is_playing.wait(5)
        with RunState(tmp_path).play_alone():
            events.append("alone")

    thread = threading.Thread(target=play_alone)
    thread.start()
    with state.play_beside_others(), RunState(tmp_path).play_beside_others():
        is_playing.set()
        events.append("beside")
    thread.join(5)
    assert events == ["beside", "alone"]


@pytest.mark.parametrize("target", ["python:package:object", "command:program", "http:http://127.0.0.1:1"])
def test_every_kind_of_recipe_states_a_time_limit(target: str) -> None:
    recipe = {"target": target, "timeout": 33, "version": "1"}
    assert apply_name_and_claims(REFERENCE, recipe, "adapter.toml").timeout == 33
