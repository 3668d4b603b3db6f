"""Whatever runs in somebody's CI from here is named by its content: actions by their commit, packages and images by hash.

Each rule is tried on a fault first. Source: https://docs.github.com/en/actions/reference/security/secure-use, "Using
third-party actions" (read 2026-11-28).
"""

import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = ("action.yml", "docs/ci.md", ".github/workflows/live.yml")
OWN = "OWNER/bridgecheck@COMMIT"
"""How the page writes this repository's own action, whose address and commit it cannot know."""
USES = re.compile(r"^\s*(?:- )?uses:\s*(\S+)[ \t]*(.*)$", re.M)
PINNED = re.compile(r"[\w-]+/[\w./-]+@[0-9a-f]{40}")
INSTALL = re.compile(r"\bpip install\b(.*)$", re.M)
PIN = re.compile(r"^(\S+==\S+.*?)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.M)


def unpinned_actions(text: str) -> list[str]:
    """Return the actions that are not named by a full commit with the version as a comment."""
    found = [(action, comment) for action, comment in USES.findall(text) if action != OWN]
    return [
        action
        for action, comment in found
        if not (PINNED.fullmatch(action) and re.fullmatch(r"# v\d+\.\d+\.\d+", comment))
    ]


def unhashed_installs(text: str) -> list[str]:
    """Return the arguments of each ``pip install`` that may bring a package whose hash nobody wrote down."""
    no_dependency = {"--no-deps", "--no-build-isolation"}
    return [
        arguments.strip()
        for arguments in INSTALL.findall(text.replace("\\\n", " "))
        if not (
            re.search(r"--require-hashes -r \S*requirements(\.run)?\.lock", arguments)
            or no_dependency <= set(arguments.split())
        )
    ]


def pins_of(text: str) -> dict[str, str]:
    """Return the hashes of each requirement of a lock; lines that are no hashed requirement are keys without hashes."""
    rest = [line for line in PIN.sub("", text).splitlines() if line.strip()]
    return dict(PIN.findall(text)) | dict.fromkeys(rest, "")


def package_of(requirement: str) -> str:
    """Return ``name==version`` without extras and markers."""
    return re.sub(r"\[.*?\]| .*", "", requirement)


def distribution_of(name: str) -> Distribution | None:
    """Return what is installed under a name; None for what is for another system."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def by_package(pins: dict[str, str]) -> dict[str, str]:
    return {package_of(line): hashes for line, hashes in pins.items()}


@pytest.mark.parametrize("file", WORKFLOWS)
def test_actions_are_named_by_their_commit(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert len(USES.findall(text)) == text.count("uses: ")
    assert unpinned_actions(text) == []
    assert unpinned_actions(re.sub(r"@[0-9a-f]{40} # v(\d+)\S*", r"@v\1", text)) != []


@pytest.mark.parametrize(
    "planted",
    [
        "actions/checkout@v6", "actions/checkout@main", "actions/checkout@de0fac2 # v6.0.2",
        f"actions/checkout@{'a' * 40}", f"actions/checkout@{'a' * 40} # latest", "docker://python:3.12",
    ],
)  # fmt: skip
def test_an_action_that_could_change_is_found(planted: str) -> None:
    assert unpinned_actions(f"    steps:\n      - uses: {planted}\n") == [planted.partition(" ")[0]]
    assert unpinned_actions(f"    steps:\n      - id: x\n        uses: {planted}\n") == [planted.partition(" ")[0]]


def test_one_action_has_one_commit() -> None:
    pins = {pair for file in WORKFLOWS for pair in USES.findall((ROOT / file).read_text(encoding="utf-8"))}
    names = [action.partition("@")[0] for action, _ in pins]
    assert sorted(names) == sorted(set(names))


def test_what_the_action_and_the_images_install_is_hashed() -> None:
    for file in ("action.yml", "Dockerfile"):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert len(INSTALL.findall(text)) == 2
        assert unhashed_installs(text) == []
        for planted in ("pip install bridgecheck", 'pip install "$GITHUB_ACTION_PATH"', "pip install --no-deps ."):
            assert unhashed_installs(f"{text}\n{planted}\n") == [planted.removeprefix("pip install ")]
        assert len(unhashed_installs(text.replace("--require-hashes ", ""))) == 1


def test_the_lock_for_runs_is_a_part_of_the_whole() -> None:
    whole, part = (
        pins_of((ROOT / name).read_text(encoding="utf-8")) for name in ("requirements.lock", "requirements.run.lock")
    )
    assert all(whole.values()) and all(part.values())
    assert pins_of("orjson==3.13.0\n") == {"orjson==3.13.0": ""}
    assert [line for line, found in part.items() if by_package(whole).get(package_of(line)) != found] == []
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["dependency-groups"]["build"] == project["build-system"]["requires"]
    needed = project["project"]["dependencies"] + project["build-system"]["requires"]
    names = {package_of(line).partition("==")[0] for line in part}
    assert {re.split(r"[>=<]", text)[0] for text in needed} <= names
    assert "anthropic" in names, "without it half of an Anthropic gateway is not played"
    assert names.isdisjoint({"mypy", "ruff", "selenium", "uv", "starlette"})


@pytest.mark.parametrize("name", ["requirements.lock", "requirements.run.lock"])
def test_a_lock_pins_what_is_required_with_extras_with_these_extras(name: str) -> None:
    """pip 23.2 takes ``google-auth[requests]`` for unpinned where the lock says ``google-auth==2.62.2``."""
    pins = pins_of((ROOT / name).read_text(encoding="utf-8"))
    extras = {line.partition("==")[0] for line in pins if "[" in line}
    assert "google-auth[requests]" in extras
    required = {
        re.split(r"[ ;<>=!~(]", text)[0].lower()
        for line in pins
        if (distribution := distribution_of(package_of(line).partition("==")[0]))
        for text in distribution.requires or []
        if "[" in text.partition(";")[0] and "extra ==" not in text
    }
    assert required and required <= extras


def test_images_stand_on_a_digest() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"^ARG PYTHON=3\.\d+-slim@sha256:[0-9a-f]{64}$", text, re.M)
    bases = set(re.findall(r"^FROM (\S+)", text, re.M))
    assert bases == {"python:${PYTHON}", "base"}


def test_hooks_of_pre_commit_bring_no_code_of_others() -> None:
    own = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert {repo["repo"] for repo in own["repos"]} == {"local"}
    hooks = [hook for repo in own["repos"] for hook in repo["hooks"]]
    hooks += yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {hook["language"] for hook in hooks} == {"system"}
    assert not any("additional_dependencies" in hook for hook in hooks)
