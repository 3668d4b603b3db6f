"""``bridgecheck fuzz``: generated documents are legal, and a fault is found, minimised and written as a script."""

import json
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck import normalise, validate
from bridgecheck.codec.rechunk import cut_at
from bridgecheck.drivers import Driver, resolve
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.files.scenario_file import check_scenario
from bridgecheck.fuzz.conversation import MODEL, cut_positions
from bridgecheck.fuzz.play import DialectBounds
from bridgecheck.fuzz.scenario import WRITERS, documents
from bridgecheck.fuzz.search import MAX_HANGS, Failure, Search
from bridgecheck.model.exchange import Response
from bridgecheck.run.longer_limits import try_again_with_longer_limits
from bridgecheck.wire import DIALECTS, Dialect, JsonObject
from bridgecheck_reference import adapter as reference

from ..machine import measure

EVERYWHERE = DialectBounds(DIALECTS, DIALECTS)

ADAPTER = """
from bridgecheck_reference import adapter as reference


class Forgets:
    name, version, routes, pivots = "forgets", "1", reference.routes, reference.pivots

    def to_upstream(self, body, **rest):
        request = reference.to_upstream(body, **rest)
        if rest["upstream"] == "openai-chat":
            request.pop("stop", None)
        return request

    def from_upstream(self, body, **rest):
        return reference.from_upstream(body, **rest)

    def stream(self, **rest):
        return reference.stream(**rest)


adapter = Forgets()
"""


def find_failures(target: str, examples: int, seed: int) -> list[Failure]:
    driver: Driver = resolve(target)
    return list(Search(driver, EVERYWHERE, examples, seed).failures())


class Hanging:
    name, version, routes = "hanging", "1", (("openai-chat", "gemini"),)

    def to_upstream(self, body: JsonObject, **rest: object) -> JsonObject:
        time.sleep(0.5)
        return {}


@pytest.fixture
def calm_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is never busy, whatever else runs."""

    calm = partial(
        try_again_with_longer_limits,
        measure_load=measure(),
    )
    monkeypatch.setattr("bridgecheck.fuzz.play.try_again_with_longer_limits", calm)


class SlowOnce:
    """The reference, whose first call does not come back."""

    name, version, routes = "slow", "1", (("openai-chat", "gemini"),)
    from_upstream, stream = staticmethod(reference.from_upstream), staticmethod(reference.stream)

    def __init__(self) -> None:
        self.calls = 0

    def to_upstream(self, body: JsonObject, **rest: Any) -> Any:
        self.calls += 1
        while self.calls == 1:
            time.sleep(0.01)
        return reference.to_upstream(body, **rest)


@pytest.mark.usefixtures("calm_machine")
def test_a_limit_that_is_hit_once_is_no_failure() -> None:
    adapter = SlowOnce()
    search = Search(replace(describe_adapter("slow", adapter), timeout=0.3), EVERYWHERE, 3, 1)
    assert [*search.failures()] == []
    assert (search.hangs, adapter.calls > 1) == (0, True)


@pytest.mark.usefixtures("calm_machine")
def test_an_adapter_that_hangs_is_not_tried_for_ever() -> None:
    driver = replace(describe_adapter("hanging", Hanging()), timeout=0.05)
    search = Search(driver, EVERYWHERE, 40, 1)
    (failure,) = search.failures()
    assert "no answer within" in failure.finding.one_line_summary or failure.finding.check == "adapter.completes"
    assert MAX_HANGS <= search.hangs <= MAX_HANGS + len(DIALECTS) ** 2


@given(documents())
def test_generated_documents_are_valid_scenarios(document: JsonObject) -> None:
    assert check_scenario(document, Path("found/unnamed.json"), json.dumps(document)) == document


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
def test_generated_documents_are_valid_in_their_dialect(dialect: Dialect, data: st.DataObject) -> None:
    request = data.draw(WRITERS[dialect].native_requests(MODEL))
    named = request if dialect == "gemini" else {"model": MODEL, **request}
    assert validate.request(dialect, named) == []
    answer = data.draw(WRITERS[dialect].native_answers())
    assert validate.response(dialect, "unary", answer) == []
    for event in normalise.unfold(dialect, answer, cut_at(data.draw(cut_positions()))):
        assert validate.response(dialect, "stream", event) == []


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
def test_a_generated_stream_folds_to_its_document(dialect: Dialect, data: st.DataObject) -> None:
    answer = data.draw(WRITERS[dialect].native_answers())
    events = normalise.unfold(dialect, answer, cut_at(data.draw(cut_positions())))
    folded = normalise.fold(dialect, events)
    streamed, unary = (normalise.response(Response(dialect, "unary", (document,))) for document in (folded, answer))
    assert streamed.choices == unary.choices
    assert streamed.usage == unary.usage


def test_the_reference_has_no_failures() -> None:
    assert find_failures("python:bridgecheck_reference:adapter", 30, 20261121) == []


def test_a_fault_is_found_minimised_and_written_as_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "forgets.py").write_text(ADAPTER, encoding="utf-8")
    command = [sys.executable, "-m", "bridgecheck", "fuzz", "--adapter", "python:forgets:adapter"]
    result = subprocess.run(
        [*command, "--examples", "150", "--seed", "3", "--max-fail", "1", "--upstream", "openai-chat", "--client", "gemini"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 1, result.stdout + result.stderr
    assert "the setting stop is lost" in result.stdout
    assert "--seed 3" in result.stdout
    (written,) = (tmp_path / "reports" / "local" / "fuzz" / "scenarios" / "found").glob("*.json")
    document = json.loads(written.read_text(encoding="utf-8"))
    assert list(document["client"]) == ["gemini"]
    assert len(document["client"]["gemini"]["body"]["contents"]) == 1
    assert document["sources"] == [{"ref": "bridgecheck fuzz --seed 3"}]

    again = next(line for line in result.stdout.splitlines() if line.lstrip().startswith("$"))
    after = result.stdout.splitlines()[result.stdout.splitlines().index(again) + 1]
    shell = " ".join((again.lstrip(" $"), after)).replace("\\", "").replace(
        "bridgecheck run", f"{sys.executable} -m bridgecheck run"
    )  # fmt: skip
    repeated = subprocess.run(shell, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert repeated.returncode == 1, repeated.stdout + repeated.stderr
    assert "the setting stop is lost" in repeated.stdout


@pytest.mark.slow
def test_the_same_seed_finds_the_same_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "forgets.py").write_text(ADAPTER, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    once, twice = (find_failures("python:forgets:adapter", 40, 9) for _ in range(2))
    assert [failure.document for failure in once] == [failure.document for failure in twice]
    assert once
