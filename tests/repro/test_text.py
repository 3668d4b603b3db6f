"""What the text says of the case."""

from types import SimpleNamespace
from typing import Any

from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.repro.issue import other_failures


def test_failing_checks_of_the_case_are_named() -> None:
    row, late = Difference("tool_calls[1]", "{}", "(absent)"), Difference("tool_calls[0].id", '"a"', '"b"')
    own = Verdict("response.tool_calls", "FAIL", "lost", (row,))
    outcome, wire = Verdict("expect.outcome", "FAIL", "lost"), Verdict("expect.wire", "FAIL", "lost")
    usage, passed = Verdict("response.usage", "WARN", "lost"), Verdict("response.text", "PASS")

    def lines(*verdicts: Verdict, explained: tuple[Verdict, ...] = ()) -> list[str]:
        result, finding = SimpleNamespace(verdicts=verdicts), SimpleNamespace(differences=(row,))
        replayed: Any = SimpleNamespace(result=result, finding=finding, verdicts=(own, *explained))
        return list(other_failures(replayed))

    assert lines(own, passed) == []
    assert lines(own, outcome, wire, usage, explained=(outcome, wire)) == [
        "* consequences of it: the case fails `expect.outcome`, `expect.wire` too",
        "* for another reason, which is not shown here, the case fails `response.usage` too",
    ]
    both = Verdict("response.tool_calls", "FAIL", "lost", (row, late))
    assert lines(both) == ["* for another reason, which is not shown here, the case fails `response.tool_calls` too"]
