"""request.tools and request.tool_choice: what the model may call, and what it must."""

from bridgecheck.checks.verdicts import result, silent, verdict
from bridgecheck.checks.view import RequestView, request_views
from bridgecheck.compare.classes import usable
from bridgecheck.compare.diff import ABSENT, differences, short
from bridgecheck.compare.schema import compare_schemas
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.prompt import Tool
from bridgecheck.model.verdict import AppliedLoss, Difference, Verdict


def tools(evidence: Evidence) -> list[Verdict]:
    """Every function is declared once, in order, with its name, its description and a schema that allows all that the
    client's allows."""
    return [found for view in request_views(evidence) for found in _tools(view)]


def tool_choice(evidence: Evidence) -> list[Verdict]:
    """What the client said about calling tools holds for the provider, in whatever words."""
    return [_choice(view) for view in request_views(evidence) if view.expected.tools or view.actual.tools]


def _tools(view: RequestView) -> list[Verdict]:
    if view.expected.tools == view.actual.tools and view.expected.tool_choice == view.actual.tool_choice:
        return [result("request.tools", turn=view.turn)] if view.expected.tools else []
    ours = usable(view.expected.tools, view.expected.tool_choice)[0]
    theirs = usable(view.actual.tools, view.actual.tool_choice)[0]
    if view.ends.same_dialect:
        return [result("request.tools", differences(view.expected.tools, view.actual.tools, "tools"), turn=view.turn)]
    mine, sent = _functions(ours), _functions(theirs)
    stand_ins = {_folded(tool.name) for tool in ours if tool.builtin}
    extra = [tool for tool in sent if _folded(tool.name) in stand_ins and tool not in mine]
    sent = [tool for tool in sent if tool not in extra]
    losses, rows = _builtin(view, ours, theirs, extra)
    if [tool.name for tool in mine] != [tool.name for tool in sent]:
        rows += differences([tool.name for tool in mine], [tool.name for tool in sent], "tools")
        return [result("request.tools", rows, losses=losses, turn=view.turn)]
    return _declarations(view, mine, sent, rows, losses)


def _functions(found: tuple[Tool, ...]) -> list[Tool]:
    """Declaring a function again in the same words says nothing more."""
    functions = [tool for tool in found if not tool.builtin]
    return [tool for at, tool in enumerate(functions) if tool not in functions[:at]]


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def _builtin(
    view: RequestView, ours: tuple[Tool, ...], theirs: tuple[Tool, ...], extra: list[Tool]
) -> tuple[list[AppliedLoss], list[Difference]]:
    """Built-in tools arrive as such, as a function of the same name that the caller has to run, or as a declared
    loss."""
    arrived = {_folded(tool.name) for tool in theirs if tool.builtin} | {_folded(tool.name) for tool in extra}
    gone = [tool.name for tool in ours if tool.builtin and _folded(tool.name) not in arrived]
    losses, unlisted = view.ends.split_losses([f"tools.builtin.{name}" for name in gone])
    return list(losses), list(silent(unlisted))


def _declarations(
    view: RequestView, mine: list[Tool], sent: list[Tool], rows: list[Difference], losses: list[AppliedLoss]
) -> list[Verdict]:
    lost: list[Difference] = []
    loosened: list[Difference] = []
    rules: list[str] = []
    gone: list[str] = []
    for one, other in zip(mine, sent, strict=True):
        place = f"tools.{one.name}"
        if one.description.strip() != other.description.strip():
            rows.append(Difference(f"{place}.description", short(one.description), short(other.description) or ABSENT))
        report = compare_schemas(one.schema, other.schema, f"{place}.schema")
        rows += report.narrowed
        lost += report.lost
        loosened += report.loosened
        rules += report.rules
        gone += ["tools.strict"] if one.strict and not other.strict else []
    found, unlisted = view.ends.split_losses(gone)
    rows += silent(unlisted)
    verdicts = [result("request.tools", rows, rules=rules, losses=(*losses, *found), turn=view.turn)]
    if lost:
        verdicts.append(result("request.tools", lost, level="SHOULD", turn=view.turn))
    if loosened:
        verdicts.append(verdict("request.tools", "NOTE", loosened, rules=["schema.loosened"], turn=view.turn))
    return verdicts


def _choice(view: RequestView) -> Verdict:
    ours, theirs = view.expected.tool_choice, view.actual.tool_choice
    if view.ends.same_dialect or ours == theirs:
        return result("request.tool_choice", differences(ours, theirs, "tool_choice"), turn=view.turn)
    asked_tools, asked = usable(view.expected.tools, ours)
    sent_tools, sent = usable(view.actual.tools, theirs)
    paths = ["tool_choice.validated"] if ours.mode == "validated" and theirs.mode != "validated" else []
    if asked.parallel is False and sent.parallel is not False:
        paths.append("tool_choice.parallel")
    losses, unlisted = view.ends.split_losses(paths)
    rows = [*silent(unlisted)]
    names = {tool.name for tool in asked_tools}, {tool.name for tool in sent_tools}
    if (asked.mode, asked.names) != (sent.mode, sent.names) and (names[0] == names[1] or asked.mode != "auto"):
        rows += _choice_rows(view, losses_for_allowed=ours.mode == "allowed")
    rules = [] if ours.mode == theirs.mode else ["tool_choice_class"]
    return result("request.tool_choice", rows, rules=rules, losses=losses, turn=view.turn)


def _choice_rows(view: RequestView, losses_for_allowed: bool) -> tuple[Difference, ...]:
    """A restriction to some names is a declared loss where the provider's dialect knows only one or any."""
    if (
        losses_for_allowed
        and view.actual.tool_choice.mode == "required"
        and view.ends.split_losses(["tool_choice.allowed"])[0]
    ):
        return ()
    return differences(view.expected.tool_choice, view.actual.tool_choice, "tool_choice")
