"""Reasons in deviations.toml of a published adapter: those that name no cause are refused with their line."""

from pathlib import Path

import pytest

from bridgecheck.report.deviation_reasons import lint_reasons

from .test_published import ENTRY

CASES = 'direction = "gemini-to-openai-chat"\ncases = ["tools/parallel-one-body::unary-wire *"]\n'
FIRST, SECOND = "0123456789", "1123456789"
FINDINGS = ENTRY.replace("{mark}", FIRST)


def entry(fingerprint: str, check: str, reason: str) -> str:
    return f'[[deviation]]\nfingerprint = "{fingerprint}"\ncheck = "{check}"\nreason = "{reason}"\n{CASES}\n'


def lint(tmp_path: Path, deviations: str, findings: str | None = FINDINGS) -> list[str]:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "deviations.toml").write_text(deviations, encoding="utf-8")
    if findings is not None:
        (folder / "findings.toml").write_text(findings, encoding="utf-8")
    return lint_reasons(tmp_path)[1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("published: one-index", "same cause as 0123456789"),
        ("published: one-index; the second is lost too", "not traced"),
        ("not traced", "not traced"),
        ("it counts blocks", "same cause as 0123456789; its text"),
        ("it counts blocks", "it counts calls"),
    ],
)
def test_a_cause_a_finding_or_not_traced_is_a_reason(first: str, second: str, tmp_path: Path) -> None:
    written = entry(FIRST, "response.tool_calls", first) + entry(SECOND, "response.text", second)
    assert lint(tmp_path, written) == []


def test_entries_of_one_check_may_share_a_reason(tmp_path: Path) -> None:
    written = entry(FIRST, "response.text", "it trims") + entry(SECOND, "response.text", "it trims")
    assert lint(tmp_path, written) == []


MISTAKES = {
    "no reason": ("", "it trims", ":1", "an entry without a reason"),
    "what a command wrote": (
        "accepted on 2026-11-28 by --update-deviations; say why",
        "it trims",
        ":1",
        "nobody has given its reason yet",
    ),
    "a finding that is not there": ("published: two-index", "it trims", ":1", "no finding 'two-index' is published"),
    "a finding in other words": ("Published in findings.toml: one-index.", "it trims", ":1", "no id of a finding"),
    "a finding of another failure": (
        "it trims",
        "published: one-index",
        ":8",
        "not among the fingerprints of one-index",
    ),
    "a pattern": (
        "Robustness: rare.",
        "Robustness: rare.",
        ":1",
        "the reason of 1123456789, which fails another check",
    ),
    "a cause that is nowhere": ("it trims", "same cause as 9123456789", ":8", "no entry 9123456789 names a cause"),
    "a cause that nobody looked for": ("not traced", "same cause as 0123456789", ":8", "no entry 0123456789 names a"),
    "the cause of itself": ("it trims", "same cause as 1123456789", ":8", "no entry 1123456789 names a cause"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    first, second, line, message = MISTAKES[name]
    problem = lint(tmp_path, entry(FIRST, "response.tool_calls", first) + entry(SECOND, "response.text", second))[0]
    assert problem.startswith("[bad-deviations]")
    assert message in problem
    assert f"deviations.toml{line}\n" in f"{problem}\n"


def test_what_is_not_published_is_its_owner_s(tmp_path: Path) -> None:
    written = entry(FIRST, "response.text", "accepted on 2026-11-28 by bridgecheck init; say why")
    assert lint(tmp_path, written, findings=None) == []
    assert lint_reasons(tmp_path) == ("", [])


def test_the_files_are_counted(tmp_path: Path) -> None:
    lint(tmp_path, entry(FIRST, "response.text", "it trims"))
    assert lint_reasons(tmp_path)[0] == "1 accepted failure"
