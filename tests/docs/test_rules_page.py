"""docs/rules.md is current, and the tables do not contradict each other."""

import importlib
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from bridgecheck.checks import CHECKS, RULES, find_contradictions, rules_of
from bridgecheck.checks.duties import DUTIES
from bridgecheck.model.scenario import Basis, names_a_section

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("write_rules")


def test_the_page_is_current(tool):
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(), "run python docs/write_rules.py"


def test_the_tables_do_not_contradict_each_other():
    assert list(find_contradictions()) == []
    assert len(RULES) > 95
    assert [rule.id for rule in rules_of("relay.ids")] == [
        "ids.unique",
        "ids.again",
        "ids.paired",
        "ids.back",
        "ids.made_anew",
    ]


@pytest.mark.parametrize(
    ("rules", "checks", "expected"),
    [
        (RULES, CHECKS[1:], f"enforced by {CHECKS[0].id}, which is no check"),
        ([rule for rule in RULES if rule.check != "relay.ids"], CHECKS, "relay.ids enforces no rule"),
        ((*RULES, RULES[0]), CHECKS, "stands there twice"),
        ((replace(RULES[0], basis=Basis("convention", "x")), *RULES[1:]), CHECKS, "is a MUST and rests on convention"),
        ((replace(RULES[0], basis=Basis("documented", "")), *RULES[1:]), CHECKS, "cites nothing"),
        (
            (replace(RULES[0], basis=Basis("documented", "https://docs.litellm.ai/")), *RULES[1:]),
            CHECKS,
            "which is no documentation",
        ),
        ((*RULES, replace(RULES[0], id="x.new")), CHECKS, "x.new is a MUST, and DUTIES says what makes a MUST one"),
        ((replace(RULES[0], level="SHOULD"), *RULES[1:]), CHECKS, "is a SHOULD, and DUTIES says"),
        (RULES, (*CHECKS[:-1], replace(CHECKS[-1], level="MAY")), f"{CHECKS[-1].id} is MAY, its rules are MUST"),
    ],
)
def test_a_contradiction_is_found(rules, checks, expected):
    assert any(expected in problem for problem in find_contradictions(tuple(rules), tuple(checks)))


def test_every_duty_names_the_section_that_states_it() -> None:
    pages = [page for duty in DUTIES.values() for page in duty.section.split("; ") if page.startswith("https://")]
    assert [page for page in pages if not names_a_section(page)] == []
