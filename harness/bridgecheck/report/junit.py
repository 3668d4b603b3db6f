"""JUnit XML, as CI systems read it: a suite per topic, a testcase per case.

FAIL (with --strict: WARN too) is a failure, ERROR an error; NOT_APPLICABLE, INCONCLUSIVE, REJECTED and what is excused
are skipped with their reason; all else passes. The shape is that of Apache Ant's
JUnit schema, inside one ``testsuites``.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final
from xml.etree import ElementTree

from bridgecheck.model.verdict import EXCUSES, STATUSES, CaseResult, Verdict
from bridgecheck.report import sentences
from bridgecheck.report.model import Report
from bridgecheck.report.table import case_topic

_SKIPPED_STATUSES: Final[frozenset[str]] = frozenset({"NOT_APPLICABLE", "INCONCLUSIVE", "REJECTED", *EXCUSES})
_FORBIDDEN = re.compile("[^\t\n\x20-\x7e\xa0-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot carry, escaped or not, and what moves the cursor or turns the text of a terminal."""


def to_xml(report: Report) -> str:
    root = ElementTree.Element("testsuites", name="bridgecheck", time=f"{report.info.seconds:.3f}")
    ordered = sorted(report.cases, key=lambda case: (case_topic(case), str(case.key)))
    for name, cases in groupby(ordered, key=case_topic):
        root.append(_suite_element(report, name, list(cases)))
    _set_counts(root, list(root.iter("testcase")))
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def escape_for_xml(text: str) -> str:
    """Return the text with what XML cannot carry, and what a terminal would obey, written as an escape."""
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _suite_element(report: Report, name: str, cases: list[CaseResult]) -> ElementTree.Element:
    seconds = sum(case.seconds for case in cases)
    suite = ElementTree.Element("testsuite", name=escape_for_xml(name), time=f"{seconds:.3f}")
    suite.extend(_testcase_element(report, case) for case in cases)
    _set_counts(suite, list(suite))
    return suite


def _set_counts(suite: ElementTree.Element, testcases: list[ElementTree.Element]) -> None:
    suite.set("tests", str(len(testcases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(tag) is not None for case in testcases)))


def _testcase_element(report: Report, case: CaseResult) -> ElementTree.Element:
    topic, name = escape_for_xml(f"bridgecheck.{case_topic(case)}"), escape_for_xml(str(case.key))
    element = ElementTree.Element("testcase", classname=topic, name=name, time=f"{case.seconds:.3f}")
    tag = _outcome_tag(report, case)
    if tag:
        lead = _decisive_verdict(case)
        child = ElementTree.SubElement(element, tag, message=escape_for_xml(_excuse_status_check_and_message(lead)))
        if tag != "skipped":
            child.set("type", lead.check if lead else case.status)
            child.text = escape_for_xml("\n".join(_difference_and_crash_lines(case)))
    return element


def _decisive_verdict(case: CaseResult) -> Verdict | None:
    """Return the verdict that makes the case what it counts as."""
    kind = case.counted_as
    decisive = (item for item in case.verdicts if kind in (item.status, item.excuse and item.excuse.kind))
    return min(decisive, key=lambda verdict: STATUSES.index(verdict.status), default=None)


def _outcome_tag(report: Report, case: CaseResult) -> str:
    counted = case.counted_as
    if counted in _SKIPPED_STATUSES:
        return "skipped"
    if counted == "ERROR":
        return "error"
    return "failure" if counted == "FAIL" or (counted == "WARN" and report.info.strict) else ""


def _excuse_status_check_and_message(verdict: Verdict | None) -> str:
    if verdict is None:
        return "no check applied"
    known = f"{sentences.name_excuse(verdict.excuse)}: " if verdict.excuse else ""
    return f"{known}{verdict.status} {verdict.check}: {verdict.message}".rstrip(": ")


def _difference_and_crash_lines(case: CaseResult) -> Iterator[str]:
    for verdict in (item for item in case.verdicts if item.status in ("FAIL", "ERROR", "WARN")):
        yield _excuse_status_check_and_message(verdict)
        for row in verdict.differences:
            yield f"  {row.path}\n    expected {row.expected}\n    actual   {row.actual}"
    if case.where:
        yield f"at {case.where}"
    if case.crash:
        yield case.crash
