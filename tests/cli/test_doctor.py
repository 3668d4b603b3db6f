"""``doctor``: what it reports, what it keeps secret, and which next step it names."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.doctor import machine
from bridgecheck.doctor.fact import Fact, refused_or_broken_exit_code
from bridgecheck.doctor.project import inspect_adapter, inspect_corpus, inspect_report_folder

ROOT = Path(__file__).resolve().parents[2]

SECRET = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
PROXY = "http://user:hunter2@proxy:3128"

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def doctor(cli: Cli) -> Cli:
    def call(*arguments: str, corpus: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
        return cli("doctor", *arguments, corpus=corpus, **{"COLUMNS": "80", **env})

    return call


def _facts(result: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    found = json.loads(result.stdout)
    assert found["exit_code"] == result.returncode, result.stderr
    return {f"{fact['section']}.{fact['name']}": fact for fact in found["facts"]}


def test_the_checkout_has_no_problems(doctor: Cli) -> None:
    result = doctor()
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Nothing here stops a run. Next: bridgecheck smoke" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_installed_components_are_listed(doctor: Cli) -> None:
    facts = _facts(doctor("--json"))
    assert facts["bridgecheck.Python"]["value"].startswith(".".join(map(str, sys.version_info[:3])))
    assert "scenarios" in facts["corpus.holds"]["value"]
    assert facts["corpus.requirements"]["value"] == "none frozen"
    assert "listened on and reached" in facts["machine.loopback"]["value"]
    assert facts["libraries.openai"]["level"] == "ok"
    assert facts["adapter.target"]["value"] == "python:bridgecheck_reference:adapter (the reference)"
    assert facts["adapter.routes"]["value"].startswith("anthropic > anthropic, gemini, openai-chat; gemini > ")


def test_credentials_and_proxies_are_named_without_their_values(doctor: Cli) -> None:
    env = {"OPENAI_API_KEY": SECRET, "HTTPS_PROXY": PROXY, "MY_SECRET": "swordfish"}
    for arguments in ((), ("--json",)):
        result = doctor(*arguments, **env)
        for name in env:
            assert name in result.stdout
        for value in (SECRET, PROXY, "hunter2", "swordfish"):
            assert value not in result.stdout + result.stderr


@pytest.fixture
def adapter_facts(project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Fact]]:
    """Return the facts about an adapter as seen from the project's folder."""
    monkeypatch.chdir(project)
    monkeypatch.setattr(sys, "path", [str(project), *sys.path])
    (project / "of_doctor.py").write_text((project / "adapters.py").read_text("utf-8"), "utf-8")
    (project / "quits.py").write_text("import sys\nsys.exit(4)\n", encoding="utf-8")
    return lambda target: {fact.name: fact for fact in inspect_adapter(target)}


Named = Callable[[str], dict[str, Fact]]


def test_a_loadable_adapter(adapter_facts: Named) -> None:
    facts = adapter_facts("python:of_doctor:bridge")
    assert facts["found"].value == "mine 7"
    assert facts["routes"].value == "openai-chat > gemini"
    assert facts["claims"].value == "none stated: everything is required"
    assert facts["layers"].value.startswith("wire")
    assert refused_or_broken_exit_code(facts.values()) == 0


@pytest.mark.parametrize(
    "target", ["python:of_doctor:nothing", "python:nowhere:x", "python:quits:x", "what:x", "a.toml", "command:no-such"]
)
def test_an_adapter_that_cannot_be_loaded(adapter_facts: Named, target: str) -> None:
    fact = adapter_facts(target)["found"]
    assert (fact.level, fact.exit_code) == ("stop", 2)


def test_what_prevents_a_run_is_reported_with_the_next_step(doctor: Cli) -> None:
    result = doctor("python:nowhere:x")
    assert result.returncode == 2
    assert "A run would not start: 1 problem to solve" in result.stdout
    assert "stop: adapter, found: " in result.stdout
    assert "-c 'import nowhere'" in result.stdout


def test_a_gateway_is_not_started(adapter_facts: Named) -> None:
    facts = adapter_facts(str(ROOT / "reports" / "bridgecheck-reference" / "adapter.toml"))
    assert facts["found"].value.startswith("bridgecheck-reference gateway")
    assert facts["layers"].value.startswith("http")
    assert "bridgecheck_reference.gateway.main" in facts["command"].value


def test_a_gateway_with_a_missing_program(adapter_facts: Named, project: Path) -> None:
    recipe = 'target = "http:http://127.0.0.1:{port}"\nroutes = [["gemini", "gemini"]]\n'
    recipe += 'command = ["no-such-gateway", "{port}", "{upstream_url}"]\n'
    (project / "adapter.toml").write_text(recipe, "utf-8")
    fact = adapter_facts("adapter.toml")["command"]
    assert (fact.value, fact.exit_code) == ("no-such-gateway: no such program on PATH", 3)


def test_a_running_gateway(adapter_facts: Named, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGECHECK_UPSTREAM_PORT", "4321")
    with socket.create_server(("127.0.0.1", 0)) as server:
        target = f"http:http://127.0.0.1:{server.getsockname()[1]}"
        assert adapter_facts(target)["address"].value.endswith(
            " listens; it has to call its provider at http://127.0.0.1:4321"
        )
    address = adapter_facts(target)["address"]
    assert address.exit_code == 3
    assert "nothing listens on 127.0.0.1:" in address.value


def test_the_project_configuration(adapter_facts: Named, project: Path) -> None:
    toml = project / "pyproject.toml"
    toml.write_text('[tool.bridgecheck]\nadapter = "python:of_doctor:bridge"\ncapabilities = ["tools"]\n', "utf-8")
    facts = adapter_facts("")
    assert facts["project"].value == "pyproject.toml: adapter = python:of_doctor:bridge, capabilities = tools"
    assert facts["target"].value == "python:of_doctor:bridge"
    assert facts["claims"].value == "tools"
    toml.write_text("[tool.bridgecheck]\nadaptor = 1\n", "utf-8")
    fact = adapter_facts("")["project"]
    assert fact.exit_code == 2
    assert "unknown key 'adaptor'" in fact.value


@pytest.fixture
def corpus_facts(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], dict[str, Fact]]:
    def call(folder: Path) -> dict[str, Fact]:
        monkeypatch.setenv("BRIDGECHECK_CORPUS", str(folder))
        return {fact.name: fact for fact in inspect_corpus()}

    return call


InCorpus = Callable[[Path], dict[str, Fact]]


def test_a_missing_corpus(corpus_facts: InCorpus, tmp_path: Path) -> None:
    fact = corpus_facts(tmp_path / "nothing")["place"]
    assert "no corpus found" in fact.value
    assert fact.exit_code == 2
    assert fact.next_step == "--corpus PATH, with another folder"


def test_an_empty_corpus(corpus_facts: InCorpus, tmp_path: Path) -> None:
    (tmp_path / "empty" / "scenarios").mkdir(parents=True)
    facts = corpus_facts(tmp_path / "empty")
    assert facts["holds"].level == "stop"
    assert facts["smoke"].level == "note"


def test_a_missing_recording(corpus_facts: InCorpus, tmp_path: Path) -> None:
    folder = tmp_path / "corpus" / "scenarios" / "messages"
    folder.mkdir(parents=True)
    (folder / "plain-text.json").write_text((ROOT / "scenarios/messages/plain-text.json").read_text("utf-8"), "utf-8")
    assert corpus_facts(tmp_path / "corpus")["smoke"].next_step == "bridgecheck regenerate messages/plain-text"


def test_an_invalid_scenario_and_requirement_set(corpus_facts: InCorpus, tmp_path: Path) -> None:
    for name in ("messages/plain-text.json", "requirements/2026.1.json"):
        path = tmp_path / "corpus" / "scenarios" / name
        path.parent.mkdir(parents=True)
        path.write_text("{}", "utf-8")
    found = [fact for fact in corpus_facts(tmp_path / "corpus").values() if fact.name in ("smoke", "holds")]
    assert {fact.level for fact in found} == {"stop"}
    assert any(fact.name == "requirements" and fact.level == "stop" for fact in inspect_corpus())


def test_the_last_report(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A complete current report, one of another version, and an interrupted one."""
    monkeypatch.chdir(project)
    assert [fact.value for fact in inspect_report_folder()] == ["no report yet"]
    assert cli("run", "--adapter", "python:adapters:bridge").returncode == 0
    (fact,) = inspect_report_folder()
    assert fact.level == "ok"
    assert fact.value.startswith("mine, ")
    with monkeypatch.context() as patched:
        patched.setattr("bridgecheck.doctor.project.__version__", "99")
        (fact,) = inspect_report_folder()
        assert (fact.level, fact.next_step) == ("note", "bridgecheck run")
    path = project / "reports" / "local" / "report.json"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole[: len(whole) // 2], encoding="utf-8")
    (fact,) = inspect_report_folder()
    assert fact.level == "note"
    assert "cut off" in fact.value


def test_a_report_folder_that_is_a_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    (project / "taken").write_text("", "utf-8")
    (fact,) = inspect_report_folder(Path("taken"))
    assert (fact.level, fact.exit_code) == ("stop", 2)


def test_no_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **adapter_facts: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(socket, "create_server", refuse)
    fact = machine.check_loopback()
    assert (fact.level, fact.exit_code) == ("stop", 3)
    assert "Operation not permitted" in fact.value
    assert fact.next_step


def test_no_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.tempfile, "tempdir", "/nowhere/at/all")
    assert machine.check_temporary_folder().exit_code == 3


@pytest.mark.parametrize(
    ("missing", "level", "next_step"),
    [
        ("anthropic", "note", "-m pip install 'bridgecheck[anthropic]'"),
        ("openai", "stop", "-m pip install 'bridgecheck'"),
        ("deepdiff", "stop", "-m pip install 'bridgecheck'"),
    ],
)
def test_a_missing_library(monkeypatch: pytest.MonkeyPatch, missing: str, level: str, next_step: str) -> None:
    found = machine._installed_version_or_empty
    monkeypatch.setattr(machine, "_installed_version_or_empty", lambda name: "" if name == missing else found(name))
    monkeypatch.setattr(machine, "requires", lambda name: ["deepdiff>=9", "openai>=3.52"])
    (fact,) = [fact for fact in machine.inspect_installation() if fact.name == missing]
    assert fact.level == level
    assert fact.next_step.endswith(next_step)
    assert fact.exit_code == (3 if level == "stop" else 0)


def test_the_python_that_is_named_is_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an environment that is not activated the name alone is another Python's."""
    monkeypatch.setattr(machine.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert machine._pip_command("x") == f"{sys.executable} -m pip install 'x'"
    monkeypatch.setattr(machine.shutil, "which", lambda name: sys.executable)
    assert machine._pip_command("x") == f"{Path(sys.executable).name} -m pip install 'x'"


def test_an_outdated_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "requires", lambda name: ["openai>=999", 'deepdiff>=999; extra == "dev"'])
    (fact,) = [fact for fact in machine.inspect_installation() if fact.level == "stop"]
    assert "too old or too new: openai>=999" in fact.value
    assert fact.next_step.endswith("pip install 'openai>=999'")


def test_missing_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.shutil, "which", lambda name: None)
    values = {fact.name: fact.value for fact in machine.inspect_installation() if fact.section == "programs"}
    assert values["node"].startswith("not found")


def test_exit_codes() -> None:
    def facts(*codes: int) -> Iterator[Fact]:
        return (Fact("s", "n", "v", exit_code=code) for code in codes)

    assert [refused_or_broken_exit_code(facts(*codes)) for codes in [(), (0,), (3, 0), (3, 2)]] == [0, 0, 3, 2]
