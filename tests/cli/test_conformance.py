"""bridgecheck.testing.Conformance: the cases of an adapter in its author's own suite."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import get_args
from xml.etree import ElementTree

import pytest

from bridgecheck.model.verdict import Layer
from bridgecheck.pytest_plugin.conformance_class import METHODS

from ..fakes import alive
from .conftest import FIXED, MARK, MENDED, TEXT_IS_OFF

Cli = Callable[..., subprocess.CompletedProcess[str]]

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
HEAD = "import adapters\nimport pytest\nfrom bridgecheck.testing import Conformance\n\n"
UNARY = "test_mine.py::TestMine::messages/plain[bridged-openai-chat-to-gemini-unary-wire]"
STREAM = "test_mine.py::TestMine::messages/plain[bridged-openai-chat-to-gemini-stream-wire]"
GUARD = "test_mine.py::TestMine::every_standard_case_is_here"


@pytest.fixture
def tests(project: Path) -> Callable[..., None]:
    """``tests('adapter = adapters.bridge')``: a module with a test class of these lines; ``around`` stands before
    it."""

    def write(body: str, around: str = "") -> None:
        lines = "".join(f"    {line}\n" for line in dedent(body).strip().split("\n"))
        (project / "test_mine.py").write_text(f"{HEAD}{around}class TestMine(Conformance):\n{lines}", encoding="utf-8")

    return write


def test_every_case_of_the_adapter_s_routes_is_an_item(suite: Cli, tests: Callable[..., None]) -> None:
    tests("adapter = adapters.bridge")
    result = suite("--collect-only", "-q")
    assert result.stdout.split("\n")[:3] == [UNARY, STREAM, GUARD]
    ran = suite("-rA")
    assert "3 passed" in ran.stdout
    assert ran.returncode == 0


def test_the_native_path_is_not_among_them(suite: Cli, tests: Callable[..., None]) -> None:
    tests("adapter = 'native:'")
    result = suite("--collect-only", "-q")
    assert "bridged-gemini-to-gemini" in result.stdout
    assert "native-" not in result.stdout


@pytest.mark.parametrize(
    "adapter",
    [
        "adapter = adapters.trims",
        "adapter = 'python:adapters:trims'",
        """
        routes = [("openai-chat", "gemini")]

        @pytest.fixture
        def adapter(self):
            return adapters.Trims()
        """,
        """
        routes = [("openai-chat", "gemini")]

        @pytest.fixture(scope="class")
        @classmethod
        def adapter(cls, tmp_path_factory):
            assert tmp_path_factory
            return "python:adapters:trims"
        """,
    ],
)
def test_an_adapter_may_be_an_object_a_name_or_a_fixture(suite: Cli, tests: Callable[..., None], adapter: str) -> None:
    tests(adapter)
    result = suite("-W", "error")
    assert "2 failed, 1 passed" in result.stdout, result.stdout
    assert "response.text" in result.stdout
    assert f"repeat: pytest '{UNARY}'" in result.stdout
    assert (
        f'  fingerprint = "{MARK}"\n' in result.stdout
        and '  "messages/plain::unary-wire 6f36ba 8e7e98",\n' in result.stdout
    )
    assert "Traceback" not in result.stdout


def test_without_an_adapter_the_class_uses_the_project_s(suite: Cli, tests: Callable[..., None], project: Path) -> None:
    tests("pass")
    table = '[tool.bridgecheck]\nadapter = "python:adapters:trims"\ndeviations = "known.toml"\n'
    (project / "pyproject.toml").write_text(table, encoding="utf-8")
    (project / "known.toml").write_text(TEXT_IS_OFF, encoding="utf-8")
    result = suite()
    assert "1 passed, 2 xfailed" in result.stdout, result.stdout
    assert "2 failed" in suite("--bridgecheck-project=", "--bridgecheck-adapter=python:adapters:trims").stdout
    with_option = suite("--bridgecheck-adapter=python:adapters:bridge")
    assert "3 passed" in with_option.stdout


def test_a_class_with_its_own_adapter_ignores_the_project(
    suite: Cli, tests: Callable[..., None], project: Path
) -> None:
    tests("adapter = adapters.Trims()")
    table = '[tool.bridgecheck]\nadapter = "python:adapters:trims"\ndeviations = "known.toml"\n'
    (project / "pyproject.toml").write_text(table, encoding="utf-8")
    (project / "known.toml").write_text(TEXT_IS_OFF, encoding="utf-8")
    assert "2 failed, 1 passed" in suite().stdout


@pytest.mark.parametrize(
    ("arguments", "counts"),
    [
        ((UNARY,), "1 failed"),
        ((UNARY.partition("[")[0],), "2 failed"),
        ((GUARD,), "1 skipped"),
        (("test_mine.py::TestMine",), "2 failed, 2 passed"),
        (("-k", "messages/plain and stream"), "1 failed, 3 deselected"),
        (("-k", "TestMine and not unary"), "1 failed, 1 skipped, 1 passed"),
        (("-k", "own"), "1 passed"),
        (("--deselect", UNARY), "1 failed, 1 passed, 1 skipped"),
        (("-n", "1"), "2 failed, 2 passed"),
        (("--bridgecheck-mode=unary",), "1 failed, 2 passed"),
        (("--bridgecheck-shard=1/2",), "1 failed, 1 passed, 1 skipped"),
    ],
)
def test_a_subset_can_be_selected(
    suite: Cli, tests: Callable[..., None], arguments: tuple[str, ...], counts: str
) -> None:
    tests("adapter = adapters.trims\ndef test_own(self):\n    pass")
    result = suite(*arguments)
    last_line = result.stdout.strip().rpartition("\n")[2]
    assert sorted(counts.split(", ")) == sorted(part for part in _counts(last_line) if part.split(" ")[1] in counts), (
        last_line
    )
    assert "standard cases taken out" not in result.stdout


def _counts(line: str) -> list[str]:
    import re

    return re.findall(r"\d+ [a-z]+", line.partition(" in ")[0])


def test_a_deviation_is_an_expected_failure_named_in_junit(
    suite: Cli, tests: Callable[..., None], project: Path
) -> None:
    tests('adapter = adapters.trims\ndeviations = "known/deviations.toml"')
    (project / "known").mkdir()
    (project / "known/deviations.toml").write_text(TEXT_IS_OFF, encoding="utf-8")
    result = suite("-rx", "--junitxml=junit.xml")
    assert "1 passed, 2 xfailed" in result.stdout, result.stdout
    assert f"XFAIL {UNARY} - accepted deviation {MARK}" in result.stdout
    case = next(iter(ElementTree.parse(project / "junit.xml").iter("testcase")))
    found = {(item.get("name"), item.get("value")) for item in case.iter("property")}
    assert ("bridgecheck.case", "messages/plain::bridged-openai-chat-to-gemini-unary-wire") in found
    assert {("bridgecheck.status", "deviation"), ("bridgecheck.check", "response.text")} <= found
    assert ("bridgecheck.deviation", MARK) in found
    assert any(name == "bridgecheck.fingerprint" for name, _ in found)
    assert case.find("skipped") is not None
    assert "2 failed, 1 passed" in suite("--runxfail").stdout


@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.slow)])
def test_a_listed_deviation_that_passes_is_stale(
    suite: Cli, tests: Callable[..., None], project: Path, workers: str
) -> None:
    tests('adapter = adapters.trims\ndeviations = "known.toml"\nstale = "fail"')
    (project / "known.toml").write_text(TEXT_IS_OFF + FIXED, encoding="utf-8")
    result = suite("-rA", "--junitxml=junit.xml", "-n", workers)
    assert result.returncode == 1
    assert "1 failed, 1 passed, 2 xfailed" in result.stdout, result.stdout
    assert f"FAILED test_mine.py::TestMine::no_deviation_is_stale[{MENDED}]" in result.stdout
    assert "no longer fails (mended since)" in result.stdout
    suites = next(ElementTree.parse(project / "junit.xml").iter("testsuite"))
    assert (suites.get("failures"), suites.get("tests")) == ("1", "4")
    warned = suite("--bridgecheck-stale=warn", "-n", workers)
    assert warned.returncode == 0
    assert f"STALE test_mine.py::TestMine: {MENDED} of" in warned.stdout
    part = suite("-k", "TestMine and stream", "-n", workers)
    assert part.returncode == 0
    assert "stale" not in part.stdout.lower()


OVERRIDES = [
    ("def test_messages_plain(self):\n    pass", "TestMine.test_messages_plain has the name of the standard case"),
    ("messages_plain = None", "TestMine.messages_plain has the name of the standard case messages/plain"),
    ("every_standard_case_is_here = None", "TestMine.every_standard_case_is_here has the name"),
    (f"locals()['{UNARY.rpartition('::')[2]}'] = lambda self: None", "has the name of the standard case"),
]


@pytest.mark.parametrize(("line", "message"), OVERRIDES)
def test_overriding_a_standard_case_fails(suite: Cli, tests: Callable[..., None], line: str, message: str) -> None:
    tests(f"adapter = adapters.bridge\n{line}")
    result = suite()
    assert result.returncode == 1
    assert message in result.stdout
    assert "1 failed" in result.stdout


def test_overrides_in_a_base_class_are_found(suite: Cli, project: Path) -> None:
    between = "class Between(Conformance):\n    def messages_plain(self): ...\n\n\n"
    own = "class TestMine(Between):\n    adapter = adapters.bridge\n"
    (project / "test_mine.py").write_text(HEAD + between + own, encoding="utf-8")
    result = suite()
    assert "1 failed, 2 passed" in result.stdout
    assert "Between.messages_plain has the name of the standard case messages/plain" in result.stdout


CONFTESTS = {
    "items": "def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if 'unary' not in i.name]\n",
    "the guard too": "def pytest_collection_modifyitems(items):\n    items[:] = items[:1]\n",
    "deselected": (
        "def pytest_collection_modifyitems(items, config):\n    config.hook.pytest_deselected(items=[items.pop(0)])\n"
    ),
}


@pytest.mark.parametrize(("trick", "workers"), [*((trick, "0") for trick in CONFTESTS), ("the guard too", "1")])
def test_cases_deselected_by_a_conftest_are_missed(
    suite: Cli, tests: Callable[..., None], project: Path, trick: str, workers: str
) -> None:
    tests("adapter = adapters.bridge")
    (project / "conftest.py").write_text(CONFTESTS[trick], encoding="utf-8")
    result = suite("-n", workers)
    assert result.returncode == 1
    assert "1 of 2 standard cases taken out of the session" in result.stdout
    assert "1 failed, 1 passed" in result.stdout


def test_cases_deselected_by_configuration_are_missed(suite: Cli, tests: Callable[..., None], project: Path) -> None:
    tests("adapter = adapters.bridge")
    (project / "pytest.ini").write_text("[pytest]\naddopts = -k 'not unary'\n", encoding="utf-8")
    result = suite()
    assert result.returncode == 1
    assert "1 of 2 standard cases taken out of the session" in result.stdout


SKIPS = {
    "a mark": "pytestmark = pytest.mark.skip(reason='not now')",
    "an expected failure": "pytestmark = pytest.mark.xfail(reason='not now')",
    "one that does not run": "pytestmark = pytest.mark.xfail(reason='not now', run=False)",
    "a fixture": "@pytest.fixture(autouse=True)\ndef _skip(self):\n    pytest.skip('not now')",
    "the adapter": (
        "routes = [('openai-chat', 'gemini')]\n@pytest.fixture\ndef adapter(self):\n    pytest.skip('not now')"
    ),
}


@pytest.mark.parametrize(("trick", "workers"), [*((trick, "0") for trick in SKIPS), ("an expected failure", "1")])
def test_a_case_cannot_be_skipped_or_xfailed_from_outside(
    suite: Cli, tests: Callable[..., None], trick: str, workers: str
) -> None:
    tests(f"{'' if trick == 'the adapter' else 'adapter = adapters.trims'}\n{SKIPS[trick]}")
    result = suite("-n", workers)
    assert result.returncode == 1
    assert "xfailed" not in result.stdout
    assert " skipped" not in result.stdout.strip().rpartition("\n")[2]
    if trick == "an expected failure":
        assert "2 failed" in result.stdout
        assert "response.text" in result.stdout
    else:
        assert "only deviations.toml excuses" in result.stdout
        assert "not now" in result.stdout


def test_a_class_can_describe_its_adapter(suite: Cli, tests: Callable[..., None]) -> None:
    tests("adapter = adapters.bridge\nscenarios = ['messages/*']\nlayers = ['wire']\nrelations = 'all'")
    assert "3 passed" in suite().stdout


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("adapter = 'python:nowhere:adapter'", "nowhere cannot be imported"),
        ("adapter = adapters.Bridge", "the target is a class, not an object"),
        ("adapter = object()", "object is no adapter"),
        ("pass\n@pytest.fixture\ndef adapter(self): ...", 'routes = [("openai-chat", "gemini")] in the class'),
        ("adapter = adapters.bridge\ncapabilities = ['tols']", "capabilities is ['tols']"),
        ("adapter = adapters.bridge\ncapabilities = 'tools'", "capabilities is 'tools'"),
        ("adapter = adapters.bridge\nlayers = ['wires']", "layers is ['wires']"),
        ("adapter = adapters.bridge\nscenarios = ['tols/*']", "no scenario matches 'tols/*'"),
        ("adapter = adapters.bridge\nrequirements = '1999.1'", "1999.1"),
        ("adapter = adapters.bridge\ndeviations = 'nowhere.toml'", "names no file"),
    ],
)
def test_a_misconfigured_class_is_not_collected(
    suite: Cli, tests: Callable[..., None], body: str, message: str
) -> None:
    tests(body)
    result = suite()
    assert result.returncode == 2
    assert message in result.stdout
    assert "ERROR collecting" in result.stdout or "1 error" in result.stdout
    assert "Traceback" not in result.stdout


def test_a_fixture_with_a_different_adapter_than_the_class_fails(suite: Cli, tests: Callable[..., None]) -> None:
    tests(
        """
        routes = [("openai-chat", "gemini"), ("gemini", "gemini")]

        @pytest.fixture
        def adapter(self):
            return adapters.Bridge()
        """
    )
    result = suite()
    assert result.returncode == 1
    assert "those of the adapter: [('openai-chat', 'gemini')]" in result.stdout
    assert "passed" not in result.stdout


def test_a_fixture_with_more_capabilities_than_the_class_fails(suite: Cli, tests: Callable[..., None]) -> None:
    tests(
        """
        routes = [("openai-chat", "gemini")]

        @pytest.fixture
        def adapter(self):
            made = adapters.Bridge()
            made.connect = lambda **rest: None
            return made
        """
    )
    result = suite("-k", "every_standard or own")
    assert "2 cases of this adapter not collected" in result.stdout, result.stdout


GATEWAY = """
class Gateway:
    name, routes = "gate", [("openai-chat", "gemini")]
    async def handle(self, request, upstream):
        raise RuntimeError("handled")


"""


@pytest.mark.parametrize(
    "adapter",
    [
        "adapter = Gateway()",
        """
        routes = [("openai-chat", "gemini")]
        layers = ["http"]

        @pytest.fixture
        def adapter(self):
            return Gateway()
        """,
    ],
)
def test_a_gateway_may_be_an_object(suite: Cli, tests: Callable[..., None], adapter: str) -> None:
    tests(adapter, around=GATEWAY)
    result = suite()
    assert "2 failed, 1 passed" in result.stdout, result.stdout
    assert "openai-chat-to-gemini-stream-http" in result.stdout
    assert "RuntimeError: handled" in result.stdout


def test_a_fixture_can_provide_an_adapter_of_any_layer() -> None:
    assert set(METHODS) == set(get_args(Layer))


COMMAND = """
import os, sys
sys.path.insert(0, {shims!r})
sys.path.insert(0, {folder!r})
from shim import serve
import adapters
open(os.path.join({folder!r}, f"pid-{{os.getpid()}}"), "w").close()
serve(adapters.bridge)
"""


@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.slow)])
@pytest.mark.parametrize("fixture", ["class", "fixture"])
def test_processes_of_an_adapter_end_with_the_session(
    suite: Cli, tests: Callable[..., None], project: Path, workers: str, fixture: str
) -> None:
    text = COMMAND.format(shims=str(EXAMPLES / "command_python"), folder=str(project))
    (project / "serve.py").write_text(text, encoding="utf-8")
    target = f"command:{sys.executable} {project / 'serve.py'}"
    routes = 'routes = [("openai-chat", "gemini")]\n@pytest.fixture\ndef adapter(self):\n    return '
    tests(f"adapter = {target!r}" if fixture == "class" else f"{routes}''.join({list(target)!r})")
    result = suite("-n", workers)
    started = [int(file.name.partition("-")[2]) for file in project.glob("pid-*")]
    assert "3 passed" in result.stdout, result.stdout
    assert 1 <= len(started) <= 2 * max(1, int(workers)), "once to ask what it is, once to be driven"
    assert not [pid for pid in started if alive(pid)]


def test_an_adapter_that_ends_its_process_fails_its_cases_and_no_others(suite: Cli, tests: Callable[..., None]) -> None:
    tests("adapter = adapters.dies\ndef test_own(self):\n    pass")
    result = suite("-n", "1")
    assert result.returncode == 1
    assert "2 failed, 2 passed" in result.stdout, result.stdout
    assert f"crashed while running '{UNARY}'" in result.stdout


def test_corpus_items_are_guarded_against_deselection(suite: Cli, project: Path) -> None:
    options = ("--bridgecheck", "--bridgecheck-adapter=python:adapters:bridge")
    whole = suite(*options, "-rA")
    assert "PASSED bridgecheck::every_standard_case_is_here" in whole.stdout, whole.stdout
    (project / "conftest.py").write_text(CONFTESTS["items"], encoding="utf-8")
    less = suite(*options)
    assert less.returncode == 1
    assert "standard cases taken out of the session" in less.stdout
    assert "every_standard" not in suite(*options, "-k", "stream", "-rA").stdout


def test_stale_deviations_of_the_corpus(suite: Cli, project: Path) -> None:
    (project / "known.toml").write_text(TEXT_IS_OFF + FIXED, encoding="utf-8")
    options = ("--bridgecheck", "--bridgecheck-adapter=python:adapters:trims", "--bridgecheck-deviations=known.toml")
    assert f"STALE bridgecheck: {MENDED}" in suite(*options, "-n", "1").stdout
    failed = suite(*options, "--bridgecheck-stale=fail")
    assert failed.returncode == 1
    assert f"bridgecheck::no_deviation_is_stale[{MENDED}]" in failed.stdout


def test_an_adapter_that_often_ends_its_process_loses_no_case(suite: Cli, project: Path) -> None:
    result = suite("--bridgecheck", "--bridgecheck-adapter=python:adapters:dies", "-k", "bridged")
    assert "2 failed" in result.stdout
    assert "the process of the adapter exited with code 9" in result.stdout
