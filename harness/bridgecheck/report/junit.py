"""JUnit XML, as CI systems read it: a suite per topic, a testcase per case.

FAIL (with --strict: WARN too) is a failure, ERROR an error; NOT_APPLICABLE, INCONCLUSIVE, REJECTED and what is excused
are skipped with their reason; all else passes. The shape is that of Apache Ant's
JUnit schema, inside one ``testsuites``.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final
from xml.etree import ElementTree

from bridgecheck.model.verdict import EXCUSES, STATUSES, CaseResult, Verdict
from bridgecheck.report import words
from bridgecheck.report.model import Report
from bridgecheck.report.table import topic

_SKIPPED: Final[frozenset[str]] = frozenset({"NOT_APPLICABLE", "INCONCLUSIVE", "REJECTED", *EXCUSES})
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot carry, escaped or not."""


def to_xml(report: Report) -> str:
    """The document as text."""
    root = ElementTree.Element("testsuites", name="bridgecheck", time=f"{report.info.seconds:.3f}")
    ordered = sorted(report.cases, key=lambda case: (topic(case), str(case.key)))
    for name, cases in groupby(ordered, key=topic):
        root.append(_suite(report, name, list(cases)))
    _count(root, list(root.iter("testcase")))
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def clean(text: str) -> str:
    """The text with what XML cannot carry written as an escape."""
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _suite(report: Report, name: str, cases: list[CaseResult]) -> ElementTree.Element:
    seconds = sum(case.seconds for case in cases)
    suite = ElementTree.Element("testsuite", name=clean(name), time=f"{seconds:.3f}")
    suite.extend(_testcase(report, case) for case in cases)
    _count(suite, list(suite))
    return suite


def _count(suite: ElementTree.Element, testcases: list[ElementTree.Element]) -> None:
    suite.set("tests", str(len(testcases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(tag) is not None for case in testcases)))


def _testcase(report: Report, case: CaseResult) -> ElementTree.Element:
    element = ElementTree.Element(
        "testcase",
        classname=clean(f"bridgecheck.{topic(case)}"),
        name=clean(str(case.key)),
        time=f"{case.seconds:.3f}",
    )
    tag = _tag(report, case)
    if tag:
        lead = _lead(case)
        child = ElementTree.SubElement(element, tag, message=clean(_headline(lead)))
        if tag != "skipped":
            child.set("type", lead.check if lead else case.status)
            child.text = clean("\n".join(_details(case)))
    return element


def _lead(case: CaseResult) -> Verdict | None:
    """The verdict that makes the case what it counts as."""
    wanted = [one for one in case.verdicts if case.counted in (one.status, one.excuse and one.excuse.kind)]
    return next(iter(sorted(wanted, key=lambda one: STATUSES.index(one.status))), None)


def _tag(report: Report, case: CaseResult) -> str:
    counted = case.counted
    if counted in _SKIPPED:
        return "skipped"
    if counted == "ERROR":
        return "error"
    return "failure" if counted == "FAIL" or (counted == "WARN" and report.info.strict) else ""


def _headline(verdict: Verdict | None) -> str:
    if verdict is None:
        return "no check applied"
    known = f"{words.excused(verdict.excuse)}: " if verdict.excuse else ""
    return f"{known}{verdict.status} {verdict.check}: {verdict.message}".rstrip(": ")


def _details(case: CaseResult) -> Iterator[str]:
    for verdict in _complaints(case.verdicts):
        yield _headline(verdict)
        for row in verdict.differences:
            yield f"  {row.path}\n    expected {row.expected}\n    got      {row.actual}"
    if case.where:
        yield f"at {case.where}"
    if case.crash:
        yield case.crash


def _complaints(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.status in ("FAIL", "ERROR", "WARN")]
