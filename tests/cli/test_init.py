"""``init``: afterwards the first run in CI passes, and later regressions fail."""

import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from shutil import copy
from typing import Final

import pytest

from .conftest import ROOT

Cli = Callable[..., subprocess.CompletedProcess[str]]
Refused = Callable[..., str]


def _toml(path: Path) -> dict[str, object]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("folder", "claims"), [((), ["tools"]), pytest.param(("here/mine",), [], marks=pytest.mark.slow)]
)
def test_the_first_run_passes(cli: Cli, project: Path, folder: tuple[str, ...], claims: list[str]) -> None:
    """A claim whose scenario fails today is an accepted failure; without the claim the failure would be hidden."""
    source = (project / "adapters.py").read_text(encoding="utf-8")
    source = source.replace('name, version = "mine", "7"', f'name, version, capabilities = "mine", "7", {claims}')
    (project / "adapters.py").write_text(source, encoding="utf-8")
    started = cli("init", "--adapter", "python:adapters:trims", *folder)
    assert started.returncode == 0, started.stdout + started.stderr
    path = Path(*(folder or ("reports/mine",)))
    assert f"in CI: bridgecheck run --adapter {path / 'adapter.toml'} --stale fail" in started.stdout
    assert _toml(project / path / "adapter.toml") == {"target": "python:adapters:trims", "claims": claims}
    accepted = _toml(project / path / "deviations.toml")["deviation"]
    assert isinstance(accepted, list) and len(accepted) == 1
    assert "(1 accepted finding in 1 entry, one for each fingerprint)" in started.stdout
    assert "0/2 2a" in started.stdout, "what is accepted is not shown as failed"
    assert "a accepted" in started.stdout
    first = cli("run", "--adapter", str(path / "adapter.toml"), "--stale", "fail", "-n", "0")
    assert first.returncode == 0, first.stdout
    source = (project / "adapters.py").read_text(encoding="utf-8")
    (project / "adapters.py").write_text(source.replace('"total_tokens": 9', '"total_tokens": 8'), encoding="utf-8")
    assert cli("run", "--adapter", str(path / "adapter.toml"), "-n", "0").returncode == 1
    fixed = source.replace('.rstrip(".")', "")
    (project / "adapters.py").write_text(fixed, encoding="utf-8")
    assert cli("run", "--adapter", str(path / "adapter.toml"), "--stale", "fail", "-n", "0").returncode == 1


def test_its_entries_speak_of_init(cli: Cli, project: Path) -> None:
    assert cli("init", "--adapter", "python:adapters:trims").returncode == 0
    text = (project / "reports" / "mine" / "deviations.toml").read_text(encoding="utf-8")
    assert "by bridgecheck init; say why" in text
    assert "by --update-deviations" not in text


def test_nothing_is_overwritten(cli: Cli, project: Path) -> None:
    (project / "reports" / "mine").mkdir(parents=True)
    (project / "reports" / "mine" / "adapter.toml").write_text("# mine\n", encoding="utf-8")
    result = cli("init", "--adapter", "python:adapters:bridge")
    assert result.returncode == 2
    assert "adapter.toml is there already" in result.stderr
    assert (project / "reports" / "mine" / "adapter.toml").read_text(encoding="utf-8") == "# mine\n"


def test_a_refused_init_leaves_no_files(cli: Cli, project: Path, own_corpus: Path) -> None:
    (own_corpus / "scenarios" / "messages" / "plain.json").write_text("{}", encoding="utf-8")
    assert cli("init", "--adapter", "python:adapters:bridge", corpus=own_corpus).returncode == 2
    assert not [path for path in (project / "reports").rglob("*") if path.is_file()]


def test_a_recipe_gets_its_claims_and_accepted_failures(cli: Cli, project: Path) -> None:
    recipe = project / "mine" / "adapter.toml"
    recipe.parent.mkdir()
    recipe.write_text('# my own\nname = "mine"\ntarget = "python:adapters:trims"  # this\n', encoding="utf-8")
    assert "next: --adapter mine/adapter.toml" in cli("init", "--adapter", "mine").stderr
    elsewhere = cli("init", "--adapter", "mine/adapter.toml", "other")
    assert elsewhere.returncode == 2 and "the files of a recipe stand beside it" in elsewhere.stderr
    started = cli("init", "--adapter", "mine/adapter.toml")
    assert started.returncode == 0, started.stdout + started.stderr
    text = recipe.read_text(encoding="utf-8")
    assert text.startswith('# my own\nname = "mine"\ntarget = "python:adapters:trims"  # this\nclaims = [')
    assert len(_toml(recipe.with_name("deviations.toml"))["deviation"]) == 1
    assert cli("run", "--adapter", "mine/adapter.toml", "--stale", "fail", "-n", "0").returncode == 0
    again = cli("init", "--adapter", "mine/adapter.toml")
    assert again.returncode == 2 and "deviations.toml is there already" in again.stderr
    assert recipe.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("python:adapters:nothing", "has no 'nothing'"),
        ("http:http://localhost:1", "the port where the gateway calls its provider"),
    ],
)
def test_an_adapter_that_cannot_be_loaded(refusal_of: Refused, target: str, message: str) -> None:
    assert message in refusal_of("init", "--adapter", target)


CALLS: Final = '''

class Calls(Bridge):
    """Takes a text as ``Bridge`` does, and calls in a stream, of which it gives every one the index 0."""

    def to_upstream(self, body, *, client, upstream, mode, model):
        declared = [tool["function"] for tool in body.get("tools", ())]
        tools = {"tools": [{"functionDeclarations": declared}]} if declared else {}
        return super().to_upstream(body) | tools

    def stream(self, **rest):
        return CallStream(self)


class CallStream(Stream):
    def feed(self, event):
        part = event["candidates"][0]["content"]["parts"][0]
        if "functionCall" not in part:
            return super().feed(event)
        call = part["functionCall"]
        function = {"name": call["name"], "arguments": json.dumps(call["args"])}
        found = {"index": 0, "id": call["id"], "type": "function", "function": function}
        choice = {"index": 0, "delta": {"tool_calls": [found]}, "finish_reason": event["candidates"][0].get("finishReason") and "tool_calls"}
        return [{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gemini-2.5-flash", "choices": [choice]}]


class Refuses(Calls):
    def to_upstream(self, body, **rest):
        if "tools" in body:
            raise NotImplementedError("tools: this bridge has none")
        return super().to_upstream(body, **rest)


class Thoughtless(Bridge):
    def to_upstream(self, body, **rest):
        if "reasoning_effort" in body:
            raise NotImplementedError("reasoning_effort is not supported")
        return super().to_upstream(body, **rest)


class Declares(Calls):
    capabilities = ()


calls, refuses, declares, thoughtless = Calls(), Refuses(), Declares(), Thoughtless()
'''
PARALLEL: Final = "tools/parallel-separate-chunks-indices"
WITH_EFFORT: Final = "chunks/explicit-null-finish"
"""Its requests ask for thinking, and it requires no capability."""


@pytest.fixture
def init_with_parallel_calls(cli: Cli, project: Path, own_corpus: Path) -> Callable[[str], tuple[str, str, list[str]]]:
    """``init_with_parallel_calls("calls")``: what init printed of that adapter and of what a run with its recipe printed
    then, in a corpus with the scenario that detects parallel calls; and the claims."""

    def call(adapter: str) -> tuple[str, str, list[str]]:
        with (project / "adapters.py").open("a", encoding="utf-8") as module:
            module.write("import json\n" + CALLS)
        for scenario in (PARALLEL, WITH_EFFORT):
            folder = (own_corpus / "scenarios" / scenario).parent
            folder.mkdir()
            copy(ROOT / "scenarios" / f"{scenario}.json", folder)
        assert cli("regenerate", corpus=own_corpus).returncode == 0
        started = cli("init", "--adapter", f"python:adapters:{adapter}", corpus=own_corpus)
        assert started.returncode == 0, started.stdout + started.stderr
        recipe = Path("reports/mine/adapter.toml")
        claims = _toml(project / recipe)["claims"]
        assert isinstance(claims, list)
        again = cli("run", "--adapter", str(recipe), "--stale", "fail", corpus=own_corpus)
        assert again.returncode == 0, again.stdout
        return started.stdout, again.stdout, claims

    return call


def test_what_is_answered_wrongly_is_claimed_and_its_failure_accepted(
    init_with_parallel_calls: Callable[[str], tuple[str, str, list[str]]], project: Path
) -> None:
    """Left unclaimed, nothing of it would be judged, and the fault would show nowhere."""
    printed, again, claims = init_with_parallel_calls("calls")
    assert claims == ["tools", "parallel_tools"], "the scenario needs both to be judged"
    assert "Claimed though answered wrongly, its failures accepted: parallel_tools, tools\n" in printed
    accepted = (project / "reports" / "mine" / "deviations.toml").read_text(encoding="utf-8")
    assert f"{PARALLEL}::stream-wire" in accepted and 'check = "stream.calls_contiguous"' in accepted
    assert "KNOWN FAILURES" in again


NOT_JUDGED: Final = "Not claimed, so not judged: parallel_tools, tools (1 case)\n"


def test_what_is_refused_is_not_claimed_and_every_run_says_so(
    init_with_parallel_calls: Callable[[str], tuple[str, str, list[str]]], project: Path
) -> None:
    printed, again, claims = init_with_parallel_calls("refuses")
    assert claims == []
    assert "parallel_tools (refused: tools: this bridge has none), relay (not played)" in printed
    assert "; to claim more: claims in reports/mine/adapter.toml\n" in printed
    assert "Claimed though" not in printed
    assert NOT_JUDGED in printed and NOT_JUDGED in again


def test_an_adapter_that_says_what_it_claims_gets_no_wrong_claims(
    init_with_parallel_calls: Callable[[str], tuple[str, str, list[str]]],
) -> None:
    printed, again, claims = init_with_parallel_calls("declares")
    assert claims == []
    assert "parallel_tools (answered wrongly)" in printed
    assert NOT_JUDGED in again


def test_what_init_counts_is_what_the_next_run_counts(
    init_with_parallel_calls: Callable[[str], tuple[str, str, list[str]]], project: Path
) -> None:
    """Whether a refusal is a failure depends on the claims, which are decided after everything was played."""
    printed, again, claims = init_with_parallel_calls("thoughtless")
    assert "thinking" not in claims
    counts = [[line for line in text.split("\n") if line.startswith(COUNTED)] for text in (printed, again)]
    assert counts[0] == counts[1] and len(counts[0]) == len(COUNTED)
    accepted = (project / "reports" / "mine" / "deviations.toml").read_text(encoding="utf-8")
    assert "reasoning_effort" not in accepted


COUNTED: Final = ("Cases: ", "Findings: ", "Deviations: ")
