"""request.settings, request.thinking and request.response_format: how the model is to answer."""

from collections.abc import Mapping

from bridgecheck.checks.verdicts import result, silent
from bridgecheck.checks.view import RequestView, request_views
from bridgecheck.compare.classes import CAN_BE_SILENCED, WITHOUT_LEVELS, effort, same_effort
from bridgecheck.compare.diff import ABSENT, differences, short
from bridgecheck.compare.limits import as_much_as_fits, excluded_setting, excluded_thinking, narrowed_setting
from bridgecheck.compare.schema import compare_schemas
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.prompt import ResponseFormat, Thinking
from bridgecheck.model.verdict import Difference, Verdict

Settings = Mapping[str, object]


def settings(evidence: Evidence) -> list[Verdict]:
    """Every setting that the provider's dialect can say arrives with its value; an explicit 0 is a value."""
    verdicts: list[Verdict] = []
    for view in request_views(evidence):
        asked, sent = dict(view.expected_canonical[0].settings), dict(view.actual_canonical[0].settings)
        if not asked:
            continue
        wrong, rules = _different(view, asked, sent)
        missing = [name for name in asked if name not in sent or _not_told(view, name, asked, sent)]
        excluded = {
            name: rule
            for name in missing
            if (rule := excluded_setting(view.actual, view.ends.dialects, name, asked[name]))
        }
        losses, unlisted = view.ends.split_losses([f"settings.{name}" for name in missing if name not in excluded])
        gone = silent(unlisted, {f"settings.{name}": short(value) for name, value in asked.items()})
        rules += excluded.values()
        rules += ["alias"] if view.expected.settings != view.actual.settings and not wrong and not gone else []
        verdicts.append(result("request.settings", (*wrong, *gone), rules=rules, losses=losses, turn=view.turn))
    return verdicts


def _different(view: RequestView, asked: Settings, sent: Settings) -> tuple[list[Difference], list[str]]:
    """Settings that arrived with another value, and the rules by which another value is right."""
    rows: list[Difference] = []
    rules: list[str] = []
    for name, value in asked.items():
        if name not in sent or not differences(value, sent[name]) or _not_told(view, name, asked, sent):
            continue
        rule = "" if view.ends.same_dialect else narrowed_setting(view.ends.dialects, name, value, sent[name])
        if rule:
            rules.append(rule)
        else:
            rows.append(Difference(f"settings.{name}", short(value), short(sent[name])))
    return rows, rules


def _not_told(view: RequestView, name: str, asked: Settings, sent: Settings) -> bool:
    """Whether the client's own types have no place for a setting, and what was sent in its place is the adapter's."""
    return f"settings.{name}" in view.ends.inexpressible and bool(differences(asked[name], sent[name]))


def thinking(evidence: Evidence) -> list[Verdict]:
    """Thinking that was turned off stays off, and more effort never becomes less. Exact token numbers are not
    judged."""
    return [
        _thinking(view, view.expected.thinking)
        for view in request_views(evidence)
        if view.expected.thinking is not None
    ]


def response_format(evidence: Evidence) -> list[Verdict]:
    """The form of the answer that the client asked for is asked of the provider, with an equivalent schema."""
    verdicts: list[Verdict] = []
    for view in request_views(evidence):
        asked, sent = view.expected_canonical[0].response_format, view.actual_canonical[0].response_format
        if asked is not None:
            verdicts += _format(view, asked, sent)
    return verdicts


def _thinking(view: RequestView, asked: Thinking | None) -> Verdict:
    sent = view.actual.thinking
    if view.ends.same_dialect or asked == sent:
        return result("request.thinking", differences(asked, sent, "thinking"), turn=view.turn)
    wanted, got, excluded = effort(asked), effort(sent), excluded_thinking(view.actual, view.ends.dialects)
    fits = as_much_as_fits(view.actual, view.ends.dialects, got)
    rows: list[Difference] = []
    gone: list[str] = []
    if (
        wanted == "off"
        and not got
        and CAN_BE_SILENCED.search(view.actual.model)
        and "thinking" not in view.ends.inexpressible
    ):
        rows.append(Difference("thinking", "off", ABSENT, f"{view.actual.model} thinks unless it is told not to"))
    elif wanted and not got and wanted != "dynamic" and (wanted == "off" or not excluded):
        gone.append("thinking.off" if wanted == "off" else "thinking.effort")
    elif got and wanted and not same_effort(wanted, got) and not (excluded if got == "off" else fits):
        rows.append(Difference("thinking", wanted, got))
    if asked is not None and asked.include and not (sent is not None and sent.include):
        gone.append("thinking.include")
    if view.actual.dialect != "anthropic" and sent is not None and sent.budget is not None and sent.level is not None:
        rows.append(Difference("thinking", "a budget or a level", "both"))
    if view.actual.dialect == "gemini" and sent and sent.level and WITHOUT_LEVELS.search(view.actual.model):
        rows.append(Difference("thinking", f"a budget: {view.actual.model} refuses levels", f"level {sent.level}"))
    losses, unlisted = view.ends.split_losses(gone)
    rules = ["effort_bucket" if got and not (excluded and got == "off") else excluded] if wanted else []
    return result("request.thinking", (*rows, *silent(unlisted)), rules=rules, losses=losses, turn=view.turn)


def _format(view: RequestView, asked: ResponseFormat, sent: ResponseFormat | None) -> list[Verdict]:
    check = "request.response_format"
    if view.ends.same_dialect or asked == sent:
        rows = differences(view.expected.response_format, view.actual.response_format, "response_format")
        return [result(check, rows if view.ends.same_dialect else (), turn=view.turn)]
    if sent is None or sent.kind != asked.kind:
        losses, _ = view.ends.split_losses([f"response_format.{asked.kind}"] if sent is None else [])
        other = Difference("response_format", asked.kind, ABSENT if sent is None else sent.kind)
        return [result(check, () if losses else [other], losses=losses, turn=view.turn)]
    closed = "anthropic" in view.ends.dialects
    report = compare_schemas(asked.schema, sent.schema, "response_format.schema", closed=closed)
    gone = ["response_format.name"] if asked.name and asked.name != sent.name else []
    gone += ["response_format.strict"] if asked.strict and not sent.strict else []
    losses, unlisted = view.ends.split_losses(gone)
    found = (*report.narrowed, *silent(unlisted))
    verdicts = [result(check, found, rules=report.rules, losses=losses, turn=view.turn)]
    if report.lost:
        verdicts.append(result(check, report.lost, level="SHOULD", turn=view.turn))
    return verdicts
