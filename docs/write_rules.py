"""``make docs``: writes docs/rules.md anew from the tables of rules and checks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bridgecheck.checks import CHECKS, Check
from bridgecheck.checks.duties import DUTIES

PAGE: Final = Path(__file__).resolve().parent / "rules.md"

_HEAD: Final = """# What is required of an adapter

Every rule, with the check that enforces it, its level and what it rests on. Written by `docs/write_rules.py` from the
tables in `harness/bridgecheck/checks`: `make docs`. `bridgecheck lint` refuses a rule that no check enforces, a check
without a rule, and a MUST that rests on too little or of which nobody can say what makes it a duty.

A MUST that is broken is a FAIL, a SHOULD a WARN, a MAY a NOTE. What a rule rests on: *documented* by the API's own
reference, *recorded* traffic of a provider, a client that *breaks*, a *convention* of several adapters, or a judgement
of this *house*. A check's verdict has the same id whether it passes or fails, and keeps it.
"""
_TABLE: Final = "| Rule | Level | What | What makes it a duty | Basis |\n| --- | --- | --- | --- | --- |\n"


def page() -> str:
    topics = dict.fromkeys(check.topic for check in CHECKS)
    return _HEAD + "".join(_topic(topic) for topic in topics)


def _topic(topic: str) -> str:
    checks = [check for check in CHECKS if check.topic == topic]
    return f"\n## {topic}\n" + "".join(map(_check, checks))


def _check(check: Check) -> str:
    blocked = ", ".join(f"`{blocker}`" for blocker in check.blocked_by)
    explained = f"\nExplained by a failure of {blocked}.\n" if blocked else ""
    head = f"\n### `{check.id}`\n\n{check.requirement} Version {check.version}, {check.side}.\n{explained}\n"
    return head + _TABLE + "".join(_rows(check))


def _rows(check: Check) -> Iterator[str]:
    for rule in check.rules:
        basis = rule.basis
        read = f" ({basis.date})" if basis.date else ""
        duty = DUTIES.get(rule.id)
        stated = f"{duty.text} ({duty.section})" if duty else ""
        yield f"| `{rule.id}` | {rule.level} | {rule.text} | {stated} | {basis.kind}: {basis.ref}{read} |\n"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
