"""Adapters in Python in a process of their own: the same verdicts as in this one, and none of our credentials."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.drivers import AdapterSelection, Driver, inprocess, resolve
from bridgecheck.drivers import python_frames as frames
from bridgecheck.drivers.environment import DUMMY_KEY
from bridgecheck.drivers.foreign_code import Crashed
from bridgecheck.drivers.python_process import PythonProcess
from bridgecheck.drivers.resolve import load_python_object
from bridgecheck.errors import BadTarget
from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.model.case_json import case_to_dict
from bridgecheck.model.exchange import Request
from bridgecheck.relations.choice import RelationChoice
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Selection, plan
from bridgecheck.wire import JsonObject

REFERENCE = "bridgecheck_reference:adapter"
GATEWAY, SOCKET, TELLS = (f"tests.drivers.python_adapters:{name}" for name in ("gateway", "socket", "tells"))
REQUEST = Request("openai-chat", "unary", {"model": "m", "messages": []}, "m")


@pytest.fixture
def own_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Driver]]:
    """Target -> its driver; closed afterwards."""
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[2])
    drivers: dict[str, Driver] = {}
    yield drivers
    for driver in drivers.values():
        driver.close()


def judge_all(scenario_id: str, driver: Driver, library: Library) -> list[JsonObject]:
    """Return the results of a scenario's bridged cases, without how long they took."""
    scenario = load_scenario(scenarios_root() / f"{scenario_id}.json")
    results = [
        run_case(case, scenario, driver, library, RelationChoice("fast"))
        for case in plan(scenario, driver, Selection(paths=("bridged",)))
    ]
    return [case_to_dict(replace(result, seconds=0)) for result in results]


@pytest.mark.parametrize(
    ("target", "scenario_id"),
    [
        (REFERENCE, "tools/single-call"), (REFERENCE, "signatures/call-roundtrip"), (REFERENCE, "errors/rate-limit"),
        (GATEWAY, "tools/single-call"), (GATEWAY, "errors/rate-limit"), (GATEWAY, "broken-streams/reset"),
        (SOCKET, "signatures/call-roundtrip"), (SOCKET, "messages/plain-text"),
    ],
)  # fmt: skip
def test_the_verdicts_are_those_of_the_same_adapter_in_this_process(
    own_process: dict[str, Driver], library: Library, target: str, scenario_id: str
) -> None:
    own_process[target] = resolve(f"python:{target}")
    here, there = (
        judge_all(scenario_id, driver, library) for driver in (load_python_object(target), own_process[target])
    )
    assert here and here == there


def test_the_reference_alone_is_in_this_process(own_process: dict[str, Driver]) -> None:
    assert AdapterSelection().driver().process is None
    own_process[REFERENCE] = AdapterSelection(f"python:{REFERENCE}").driver()
    assert own_process[REFERENCE].process is not None
    assert own_process[REFERENCE].info == AdapterSelection().driver().info


def test_credentials_are_dummies(own_process: dict[str, Driver], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "MY_TOKEN", "AZURE_OPENAI_API_KEY"):
        monkeypatch.setenv(name, "of the parent")
    monkeypatch.setenv("PLAIN", "sk-" + "a1" * 20)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    monkeypatch.setenv("OF_THE_ADAPTER", "its setting")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    driver = own_process[TELLS] = resolve(f"python:{TELLS}")
    body = inprocess.convert_request(driver, REQUEST, "gemini").request.body
    assert body["pid"] != os.getpid()
    assert body["folder"] == str(Path.cwd())
    names = ("OPENAI_API_KEY", "MY_TOKEN", "AZURE_OPENAI_API_KEY", "PLAIN", "ANTHROPIC_API_KEY")
    assert [body["variables"][name] for name in names] == [DUMMY_KEY] * 5
    assert "HTTPS_PROXY" not in body["variables"]
    assert body["variables"]["OF_THE_ADAPTER"] == "its setting"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("import os; os._exit(0)", "exited with code 0"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
        ("adapter = None", "NoneType is no adapter"),
    ],
)
def test_an_adapter_that_cannot_be_imported_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, expected: str
) -> None:
    (tmp_path / "never.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadTarget, match=expected):
        resolve("python:never:adapter")


SENDS = """
import os, struct, time
class Adapter:
    name, version, routes = "sends", "1", (("openai-chat", "gemini"),)
    def to_upstream(self, body, **context):
        pipe = max(int(number) for number in os.listdir("/proc/self/fd") if is_pipe_to_write(int(number)))
        os.write(pipe, {data})
        time.sleep(30)
def is_pipe_to_write(number):
    import fcntl
    try:
        return os.readlink(f"/proc/self/fd/{{number}}").startswith("pipe:") and fcntl.fcntl(number, fcntl.F_GETFL) & 1
    except OSError:
        return False
adapter = Adapter()
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds the pipe in /proc")
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("struct.pack('>Q', 2**62)", "longer than"),
        ("struct.pack('>Q', 3) + b'abc'", "no JSON"),
        ("struct.pack('>Q', 2) + b'[]'", "no JSON object"),
        ("struct.pack('>Q', 200000) + b'[' * 200000", "no JSON"),
        ("struct.pack('>Q', 12) + b'{\"turn\": 99}'", "turn 99"),
    ],
)
def test_what_the_protocol_does_not_know_ends_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: str, expected: str
) -> None:
    (tmp_path / "sends.py").write_text(SENDS.format(data=data), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    process = PythonProcess("sends:adapter")
    process.describe()
    try:
        with pytest.raises(Crashed, match=expected):
            process.convert_request(REQUEST, "gemini", 1.0)
    finally:
        process.close()


def test_a_message_that_nests_too_deeply_is_not_sent() -> None:
    value: object = 1
    for _ in range(100_000):
        value = [value]
    with pytest.raises(frames.BadFrame, match="no JSON"):
        frames.encode_message({"result": value})
