"""request.tools and request.tool_choice: which tools the model may call, and whether it must."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.checks.bases import CALLING, CHAT, GEMINI, READ, SCHEMA
from bridgecheck.checks.check import Check, Result, Rule, silent_losses
from bridgecheck.checks.request_and_response_pairs import RequestPair, request_pairs
from bridgecheck.compare.classes import usable_tools
from bridgecheck.compare.diff import ABSENT, differences, shorten
from bridgecheck.compare.schema import WHOLE_SCHEMA_LOST, compare_schemas
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Request
from bridgecheck.model.jsonvalue import canonical, obj, parse_json, text
from bridgecheck.model.prompt import Tool
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import AppliedLoss, Difference

_CHOICE: Final = Basis("documented", "https://ai.google.dev/gemini-api/docs/function-calling", READ)

SENT_AS: Final = "sent as"
"""How the note begins of a choice of tools that is sent in no word of the provider's dialect."""

NO_CHOICE_SENT: Final = "nothing of the choice is sent"
"""How the note ends where the request has no choice of tools at all."""

RUN_BY_PROVIDER: Final = "a tool that the client's provider runs"
"""The note of a function that the client has as such a tool."""

_TEXT_CHOICES: Final[dict[str, tuple[str, ...]]] = {"openai-chat": ("none", "auto", "required")}
_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "openai-chat": ("function", "custom", "allowed_tools"), "anthropic": ("auto", "any", "tool", "none"),
}  # fmt: skip
"""What ``tool_choice`` may be, as text and by the type of an object: https://platform.openai.com/docs/api-reference/chat/create,
https://docs.claude.com/en/api/messages (both 2026-11-23)."""


def check_tools(evidence: Evidence) -> list[Result]:
    """Every function is declared once, with name, description and a schema that allows all that the client's does."""
    return [result for pair in request_pairs(evidence) for result in _judge_tools(pair)]


TOOLS: Final = Check(
    "request.tools", "tools", "MUST", CALLING,
    "Every function is declared with a schema that allows what the client's allows.", check_tools, "request",
    rules=(
        Rule("tools.all", "MUST", "Every function is declared once, with its description.", CALLING),
        Rule("schema.narrowed", "MUST", "Everything that the client's schema allows, the provider's allows.", SCHEMA),
        Rule("schema.all_lost", "MUST", "Of a schema that declares properties some are left.", SCHEMA),
        Rule("schema.keywords", "SHOULD",
            "Names, descriptions, members of enumerations and required names of a schema are kept.", CALLING),
        Rule("schema.loosened", "MAY", "What the provider's schema allows beyond is listed.", SCHEMA),
        Rule("tools.builtin", "MUST", "A provider's own tool is sent, or its loss is declared.", GEMINI),
    ),
)  # fmt: skip


def _judge_tools(pair: RequestPair) -> list[Result]:
    if pair.expected.tools == pair.actual.tools and pair.expected.tool_choice == pair.actual.tool_choice:
        return [Result(turn=pair.turn)] if pair.expected.tools else []
    if pair.ends.unconverted:
        return [Result(differences(pair.expected.tools, pair.actual.tools, "tools"), turn=pair.turn)]
    expected = usable_tools(pair.expected.tools, pair.expected.tool_choice)[0]
    actual = usable_tools(pair.actual.tools, pair.actual.tool_choice)[0]
    expected_functions = _functions_without_equal_repeats(expected)
    actual_functions = _functions_without_equal_repeats(actual)
    answer_tool = find_answer_tool(pair)
    actual_functions = [tool for tool in actual_functions if tool != answer_tool]
    builtin_names = {fold_name(tool.name) for tool in expected if tool.builtin}
    added = [tool for tool in actual_functions if tool not in expected_functions]
    stand_ins = [tool for tool in added if fold_name(tool.name) in builtin_names]
    by_choice = tools_excluded_by_choice(pair)
    actual_functions = [tool for tool in actual_functions if tool not in stand_ins and tool.name not in by_choice]
    expected_functions = [tool for tool in expected_functions if tool.name not in by_choice]
    losses, rows = _find_lost_builtin_tools(pair, expected, actual, stand_ins)
    names = [tool.name for tool in expected_functions], [tool.name for tool in actual_functions]
    if sorted(names[0]) != sorted(names[1]):
        rows += [_note_tool_of_provider(row, expected) for row in differences(*names, "tools")]
        return [Result(rows, losses=losses, turn=pair.turn)]
    expected_functions.sort(key=lambda tool: tool.name)
    actual_functions.sort(key=lambda tool: tool.name)
    return _compare_declarations(pair, expected_functions, actual_functions, rows, losses)


def _note_tool_of_provider(row: Difference, expected: Sequence[Tool]) -> Difference:
    """Return the row of an added function, noted where the client has it as a tool that its own provider runs."""
    own_names = {canonical(obj(parse_json(tool.builtin)).get("name")) for tool in expected if tool.builtin}
    return replace(row, note=RUN_BY_PROVIDER) if row.expected == ABSENT and row.actual in own_names else row


def tools_excluded_by_choice(pair: RequestPair) -> frozenset[str]:
    """Return the names of tools that both requests declare and that the tool choice of one of them alone excludes: its
    loss is one of the choice."""
    declared = [{tool.name for tool in prompt.tools or ()} for prompt in (pair.expected, pair.actual)]
    usable = [
        {tool.name for tool in usable_tools(prompt.tools, prompt.tool_choice)[0]}
        for prompt in (pair.expected, pair.actual)
    ]
    return frozenset((usable[0] ^ usable[1]) & declared[0] & declared[1])


def find_answer_tool(pair: RequestPair) -> Tool | None:
    """Return the function of the adapter's own by which it requests the JSON answer that the client requested: the
    model has to call it or one of the client's, and its arguments are what the client's schema allows. None if there
    is none. Anthropic's models before 4.5 have no response format, and its cookbook requests JSON in that form:
    https://github.com/anthropics/claude-cookbooks/blob/main/tool_use/extracting_structured_json.ipynb (2026-11-23)."""
    requested, sent = pair.expected_canonical[0].response_format, pair.actual_canonical[0].response_format
    is_schema_lost = requested is not None and requested.kind == "json_schema" and sent is None
    if requested is None or not is_schema_lost or pair.ends.unconverted or pair.actual.dialect != "anthropic":
        return None
    tools, choice = usable_tools(pair.expected.tools, pair.expected.tool_choice)
    names = {tool.name for tool in tools}
    added = [tool for tool in pair.actual.tools or () if not tool.builtin and tool.name not in names]
    sent_choice = pair.actual.tool_choice
    is_forced = sent_choice.mode == "required" or (sent_choice.mode == "named" and not names)
    if len(added) != 1 or not is_forced or choice.mode not in ("absent", "auto"):
        return None
    report = compare_schemas(requested.schema, added[0].schema, "response_format.schema", may_close_objects=True)
    return None if report.narrowed or report.lost or report.loosened else added[0]


def _functions_without_equal_repeats(tools: tuple[Tool, ...]) -> list[Tool]:
    """Return the functions among the tools. An equal second declaration counts as none."""
    functions = [tool for tool in tools if not tool.builtin]
    return [tool for at, tool in enumerate(functions) if tool not in functions[:at]]


def fold_name(name: str) -> str:
    """Return a tool's name without case and underscores, which differ between dialects."""
    return name.replace("_", "").lower()


def _find_lost_builtin_tools(
    pair: RequestPair, expected: tuple[Tool, ...], actual: tuple[Tool, ...], stand_ins: list[Tool]
) -> tuple[list[AppliedLoss], list[Difference]]:
    """Return the declared losses of built-in tools, and a row for each silent one. They may arrive as such, or as a
    function of the same name that the caller has to run (``stand_ins``)."""
    arrived = {fold_name(tool.name) for tool in (*(tool for tool in actual if tool.builtin), *stand_ins)}
    missing = [tool.name for tool in expected if tool.builtin and fold_name(tool.name) not in arrived]
    losses, unlisted = pair.ends.split_losses([f"tools.builtin.{name}" for name in missing])
    return list(losses), list(silent_losses(unlisted))


def _compare_declarations(
    pair: RequestPair, expected: list[Tool], actual: list[Tool], rows: list[Difference], losses: list[AppliedLoss]
) -> list[Result]:
    """Compare functions of the same names; ``rows`` and ``losses``: what built-in tools lost."""
    lost: list[Difference] = []
    loosened: list[Difference] = []
    rules: list[str] = []
    missing: list[str] = []
    for client_tool, sent_tool in zip(expected, actual, strict=True):
        path = f"tools.{client_tool.name}"
        descriptions = client_tool.description, sent_tool.description
        if descriptions[0].strip() != descriptions[1].strip():
            rows.append(Difference(f"{path}.description", shorten(descriptions[0]), shorten(descriptions[1]) or ABSENT))
        report = compare_schemas(client_tool.schema, sent_tool.schema, f"{path}.schema", is_of_tool=True)
        rows += (_without_tool_name(row) for row in report.narrowed)
        lost += report.lost
        loosened += report.loosened
        rules += report.rules
        missing += ["tools.strict"] if client_tool.strict and not sent_tool.strict else []
    declared, unlisted = pair.ends.split_losses(missing)
    rows += silent_losses(unlisted)
    results = [Result(rows, rules=rules, losses=(*losses, *declared), turn=pair.turn)]
    if lost:
        results.append(Result(lost, level="SHOULD", turn=pair.turn))
    if loosened:
        results.append(Result(loosened, "NOTE", rules=["schema.loosened"], turn=pair.turn))
    return results


def _without_tool_name(row: Difference) -> Difference:
    """Return the same difference for whichever tool, where its whole schema is lost: one cause loses those of all."""
    return replace(row, path="tools.schema") if row.note == WHOLE_SCHEMA_LOST else row


def check_tool_choice(evidence: Evidence) -> list[Result]:
    """Whether and what the model must call is the same for the provider, in whatever encoding."""
    return [_judge_choice(pair) for pair in request_pairs(evidence) if pair.expected.tools or pair.actual.tools]


TOOL_CHOICE: Final = Check(
    "request.tool_choice", "tools", "MUST", CALLING, "The client's choice of which tools the model may and must call "
    "holds.", check_tool_choice, "request", ("request.tools",),
    rules=(
        Rule("choice.class", "MUST", "Whether and what the model must call holds.", _CHOICE),
        Rule("choice.parallel", "MUST", "One call at a time stays so, or its loss is declared.", CHAT),
    ),
)  # fmt: skip


def _judge_choice(pair: RequestPair) -> Result:
    expected, actual = pair.expected.tool_choice, pair.actual.tool_choice
    if find_answer_tool(pair) is not None:
        return Result(rules=["tools.answer"], turn=pair.turn)
    if pair.ends.unconverted or expected == actual:
        return Result(differences(expected, actual, "tool_choice"), turn=pair.turn)
    expected_tools, expected_class = usable_tools(pair.expected.tools, expected)
    actual_tools, actual_class = usable_tools(pair.actual.tools, actual)
    paths = ["tool_choice.validated"] if expected.mode == "validated" and actual.mode != "validated" else []
    if expected_class.parallel is False and actual_class.parallel is not False:
        paths.append("tool_choice.parallel")
    losses, unlisted = pair.ends.split_losses(paths)
    rows = [*silent_losses(unlisted)]
    same_tools = {tool.name for tool in expected_tools} == {tool.name for tool in actual_tools}
    differs = (expected_class.mode, expected_class.names) != (actual_class.mode, actual_class.names)
    differs = differs and not {expected.mode, actual.mode} <= {"absent", "auto"}
    is_new_class = differs and (same_tools or expected_class.mode != "auto")
    if tools_excluded_by_choice(pair) or (is_new_class and not _is_allowed_to_required_declared(pair)):
        rows += differences(replace(expected, parallel=actual.parallel), actual, "tool_choice")
    if rows and (note := note_how_sent(pair.upstream_request)):
        at = next((at for at, row in enumerate(rows) if row.path == "tool_choice.mode"), 0)
        rows[at] = replace(rows[at], note=note)
    rules = [] if expected.mode == actual.mode else ["tool_choice_class"]
    return Result(rows, rules=rules, losses=losses, turn=pair.turn)


def note_how_sent(request: Request) -> str:
    """Return that no choice is sent, or in what form that the dialect does not have; "" for any other."""
    members = ("toolConfig", "tool_config") if request.dialect == "gemini" else ("tool_choice",)
    value = next((request.body[key] for key in members if request.body.get(key) is not None), None)
    if value is None:
        is_elsewhere = any(key in request.body for key in ("parallel_tool_calls", "function_call"))
        return "" if is_elsewhere else f"silent loss: {NO_CHOICE_SENT}"
    if request.dialect == "gemini":
        return ""
    is_text = isinstance(value, str)
    known = _TEXT_CHOICES if is_text else _CHOICES
    name = value if is_text else text(obj(value).get("type"))
    is_known = name in known.get(request.dialect, ())
    return "" if is_known else f"{SENT_AS} {shorten(value)}, which is no value of this dialect"


def _is_allowed_to_required_declared(pair: RequestPair) -> bool:
    """Return whether a restriction to some names became "any tool" where the provider knows only one or any."""
    if pair.expected.tool_choice.mode != "allowed" or pair.actual.tool_choice.mode != "required":
        return False
    return bool(pair.ends.split_losses(["tool_choice.allowed"])[0])
