"""Reports to make pages of: one with something of every kind, one whose adapter is hostile, one that is large."""

import json
from datetime import date

from bridgecheck.deviations import Deviation
from bridgecheck.model.published_finding import Published
from bridgecheck.model.verdict import AppliedLoss, CaseKey, CaseResult, Difference, Verdict
from bridgecheck.report import Report, RunInfo
from bridgecheck.report.gate import Gate
from bridgecheck.report.publication import FindingsAndRecipe

from ..deviation_entries import accept

TODAY = date(2026, 11, 22)
EVIL = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> </pre></textarea> "
    "'\"`>&amp; {{ 7*7 }} {% raw %} nul \x00 red \x1b[31m bell \x07 turned \u202eabc\u202c lone \ud800 sep \u2028 "
    "wide \u00a0 zero \u200b"
)
LOSS = AppliedLoss("chat.created", "created", "Gemini's createTime is optional")


def info(**fields: object) -> RunInfo:
    known: dict[str, object] = {
        "adapter": "sample",
        "version": "1.4.0",
        "target": "python:sample.gateway:adapter",
        "versions": (("bridgecheck", "0.1.0"), ("openai", "3.52.0")),
        "started": "2026-11-22T10:00:00+00:00",
        "seconds": 12.3,
        "planned": 12,
    }
    return RunInfo(**(known | fields))  # type: ignore[arg-type]


def case(scenario: str, *verdicts: Verdict, **fields: object) -> CaseResult:
    """A case that passed two checks, or came to these verdicts; keyword arguments go to the key or the result."""
    key: dict[str, object] = {
        "path": "bridged", "client": "openai-chat", "upstream": "gemini", "mode": "unary", "layer": "wire",
    }  # fmt: skip
    key |= {name: value for name, value in fields.items() if name in key}
    rest = {name: value for name, value in fields.items() if name not in key}
    plain = (
        Verdict("response.text", "PASS", rules=("text.segments",), losses=(LOSS,)),
        Verdict("response.usage", "PASS"),
    )
    return CaseResult(
        key=CaseKey(scenario=scenario, **key),  # type: ignore[arg-type]
        adapter="sample",
        verdicts=verdicts or plain,
        seconds=0.01,
        **{"title": scenario, "topic": scenario.partition("/")[0], **rest},  # type: ignore[arg-type]
    )


def control(scenario: str, *verdicts: Verdict, **fields: object) -> CaseResult:
    return case(scenario, *verdicts, **{"path": "native", "client": "gemini", **fields})


def views(**documents: object) -> dict[str, str]:
    """Return documents as a run stores them: JSON, one value on each line."""
    return {name: json.dumps(value, ensure_ascii=False, indent=1) for name, value in documents.items()}


USAGE = Difference("client_response[0] usage.completion_tokens", "equals 60", "0")
BILLED = views(
    client_request={"model": "m", "messages": [{"role": "user", "content": "Prove it."}]},
    upstream_request={"contents": [{"parts": [{"text": "Prove it."}], "role": "user"}]},
    upstream_response=[{"usageMetadata": {"promptTokenCount": 5, "thoughtsTokenCount": 60}}],
    client_response=[{"choices": [{"index": 0}], "usage": {"prompt_tokens": 5, "completion_tokens": 0}}],
)


def sample() -> Report:
    """Findings of every status, one accepted, one newer than the requirements; passes, losses and what was not judged;
    grounds from the corpus."""
    call = Difference("tool_calls[1]", '{"args":{"city":"Oslo"},"name":"get_weather"}', "(absent)")
    zero = Difference("settings.temperature", "0", "(absent)", "silent loss")
    reasoning = Difference("reasoning", '"Let me see, this is the longer text"', '"Let me see"')
    lost = Verdict("response.tool_calls", "FAIL", "tool_calls[1] is lost", (call,))
    cases = [
        case("usage/thoughts-in-completion", Verdict("expect.wire", "FAIL", "usage.completion_tokens", (USAGE,)),
             Verdict("response.text", "PASS", rules=("text.segments",), losses=(LOSS,)), views=BILLED),
        control("usage/thoughts-in-completion"),
        control("usage/thoughts-in-completion", layer="sdk"),
        case("tools/parallel-one-chunk", lost, mode="stream"),
        case("tools/many", lost, mode="stream"),
        case("tools/many", lost, client="anthropic"),
        case("tools/single-call"),
        case("settings/temperature-zero", Verdict("request.settings", "FAIL", "lost", (zero,))),
        case("thinking/thought-parts-stream", Verdict("response.reasoning", "WARN", "reasoning differs", (reasoning,))),
        case("errors/rate-limit", Verdict("harness.error", "ERROR", "the socket was closed"), client="gemini"),
        case("errors/odd", Verdict("adapter.completes", "FAIL", "KeyError: 'text'"),
             crash='Traceback (most recent call last):\n  File "/a/parts.py", line 4, in convert\nKeyError: \'text\'\n'),
        case("safety/refusal-text", Verdict("response.refusal", "NOTE", "the refusal became text")),
        case("schema/any", Verdict("case.applies", "NOT_APPLICABLE", "sample does not claim json_schema")),
    ]  # fmt: skip
    issue = "https://github.com/a/b/issues/7"
    accepted = accept(cases, "request.settings", reason="not yet mended", issue=issue)
    gate = Gate(accepted, None, "1.4.0", TODAY)
    report = Report.from_results(info(planned=len(cases)), map(gate.excuse_failures, cases), accepted)
    return report.with_failing_scenario_rationales()


def sample_published_finding(**fields: object) -> Published:
    """Return a finding that may be published."""
    known: dict[str, object] = {
        "id": "parallel-calls",
        "title": "Two calls of one chunk reach the client as one",
        "fingerprints": ("944f8b74e2", "0123456789"),
        "case": "tools/many::bridged-openai-chat-to-gemini-stream-wire",
        "why": "Gemini sends two parts, and the control keeps both.",
        "provoked_by": "documented",
        "provoked_source": "https://ai.google.dev/gemini-api/docs/function-calling",
        "witness": "the openai SDK 3.54.0 gives one tool call",
        "documentation": "https://example.org/docs says that parallel calls are kept.",
        "status": "observed",
        "tracker": "https://github.com/a/b/issues/7",
    }
    return Published(**(known | fields))  # type: ignore[arg-type]


def findings_and_recipe(**fields: object) -> FindingsAndRecipe:
    """Return two findings, one of them a disputed warning, and a recipe."""
    disputed = sample_published_finding(
        id="numbers", title="Numbers become text", status="disputed", answer="That is meant.", **fields
    )
    return FindingsAndRecipe(
        (sample_published_finding(**fields), disputed),
        'target = "python:sample.gateway:adapter"\n',
        frozenset({"numbers"}),
        frozenset({"numbers", "parallel-calls"}),
    )


def clean() -> Report:
    return Report.from_results(info(planned=2), [case("tools/single-call"), control("tools/single-call")])


def partial() -> Report:
    """Return a run that was cut off after a failure and a pass."""
    seed = Difference("settings.seed", "7", "(absent)", "silent loss")
    cases = [case("settings/seed", Verdict("request.settings", "FAIL", "lost", (seed,))), case("tools/single-call")]
    return Report.from_results(info(planned=400, partial=True), cases)


def nothing_judged() -> Report:
    """Return a run in which no case came to a verdict, for two reasons."""
    reasons = ("sample does not claim images",) * 3 + ("sample does not claim json_schema",) * 2
    cases = [case(f"a/n{n}", Verdict("case.applies", "NOT_APPLICABLE", reason)) for n, reason in enumerate(reasons)]
    return Report.from_results(info(planned=len(cases)), cases)


def hostile() -> Report:
    """Return a report in which every text is hostile markup."""
    evil = Verdict("response.text", "FAIL", EVIL, (Difference(EVIL, EVIL, EVIL + "!", EVIL),), rules=(EVIL,))
    loss = Verdict("response.other", "PASS", losses=(AppliedLoss(EVIL, EVIL, EVIL),))
    crash = Verdict("adapter.completes", "FAIL", EVIL)
    texts = {"crash": f"{EVIL}\n{EVIL}", "where": EVIL, "title": EVIL}
    shown = {name: json.dumps([{EVIL: EVIL}], ensure_ascii=False, indent=1) for name in BILLED}
    cases = [
        case(f"unicode/{EVIL}", evil, loss, views=shown, **texts),
        case("unicode/odd", crash, **{**texts, "topic": EVIL}),
        case("unicode/noted", Verdict(EVIL, "NOTE", EVIL)),
        case("unicode/not", Verdict("case.applies", "NOT_APPLICABLE", EVIL)),
    ]
    entries = (Deviation(EVIL, check=EVIL, issue="javascript:alert(1)"),)
    run = info(adapter=EVIL, version=EVIL, target=EVIL, planned=4, selection=((EVIL, EVIL),), versions=((EVIL, EVIL),))
    return Report.from_results(run, cases, entries)


def large() -> Report:
    """Return a report of the whole corpus, half of it failing, with documents of the maximum stored length."""
    text = {name: json.dumps([{"text": "word " * 10}] * 250, indent=1)[:20_000] for name in BILLED}
    cases = [case(f"topic{n % 30}/scenario-{n % 420}", layer=layer, mode=mode, client=client)
             for n in range(420) for layer in ("wire", "sdk") for mode in ("unary", "stream")
             for client in ("gemini", "openai-chat")]  # fmt: skip
    for n in range(420):
        path = f"place{n % 40}[0].{'abcdefghij'[n % 10]}.{'klmnopqrst'[n // 10 % 10]}"
        wrong = Verdict(f"response.{n % 20}", "FAIL", "it differs", (Difference(path, '"' + "a" * 3000 + '"', '"b"'),))
        cases.append(case(f"topic{n % 30}/scenario-{n}", wrong, client="anthropic", views=text))
    return Report.from_results(info(planned=len(cases)), cases)
