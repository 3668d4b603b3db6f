"""What became of one leaf in one direction, from three runs: the base, the leaf with one value and with the other.

    refused, naming the leaf or its value                    rejected
    crashed, or refused without naming it                    failed
    a check fails that the base passed                       silent: what arrived is something else
    what of the normal form the leaf is, path by path:
        the far side has the same                            kept
        ... the same once canonical rewrites or class
            tables have levelled both, or a check passed it
            by a rule with a name, or it moved (``moves``)   transformed
        the far side is the same whichever value, or has not
            got it, and ``compare/losses`` has a row for it  declared
        no row, and the word itself is found there           transformed: carried
        else                                                 silent
    beside it, something arrived that nothing explains       invented

The worst of the paths is the fate of the leaf. Ids may be replaced: they only have to pair.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.compare.losses import Hop, find_declared_loss
from bridgecheck.documented_leaves import Side
from bridgecheck.ledger.documents import ALPHA
from bridgecheck.ledger.features import (
    CLASS_RULES,
    FREE_PATHS,
    NOT_IN_CANONICAL,
    Features,
    differing_paths,
    rewrite_name_or_default_fill,
)
from bridgecheck.ledger.probes import Probe
from bridgecheck.model.evidence import ReportedLoss
from bridgecheck.model.verdict import Verdict
from bridgecheck.wire import Dialect

REQUIRED_PATHS: Final[dict[tuple[Side, Dialect], frozenset[str]]] = {
    ("request", "anthropic"): frozenset({"settings.max_tokens"}),
    ("request", "openai-chat"): frozenset({"settings.include_usage"}),
    ("response", "openai-chat"): frozenset({"response_id", "other:created"}),
    ("stream", "openai-chat"): frozenset({"response_id", "other:created"}),
    ("response", "anthropic"): frozenset({"response_id"}),
    ("stream", "anthropic"): frozenset({"response_id"}),
}
"""(side, dialect of the far side) -> the paths of the normal form that may arrive without having been sent: that
dialect cannot do without them, so they are no invention."""


@dataclass(frozen=True, slots=True)
class Move:
    """``paths`` of the normal form may arrive under ``to``; both cover what lies below them, list indices and casing as
    in the document."""

    name: str
    paths: tuple[str, ...]
    to: tuple[str, ...]
    why: str


RESPONSE_MOVES: Final[tuple[Move, ...]] = (
    Move("refusal_as_text", ("refusal",), ("text",), "where a dialect has no refusals, its words are the answer"),
    Move("code_as_text", ("code",), ("text",), "where a dialect has no parts for code, it is shown"),
    Move("time_of_answer", ("other:created", "other:createTime"), ("other:created", "other:createTime"),
        "Chat counts seconds, Gemini writes a date"),
    Move("logprobs",
        ("other:choices[].logprobs", "other:candidates[].logprobsResult", "other:candidates[].avgLogprobs"),
        ("other:choices[].logprobs", "other:candidates[].logprobsResult"),
        "the same figures under each dialect's keys; bytes are those of the token"),
    Move("modality_counts", ("other:usageMetadata", "other:usage"), ("other:usageMetadata", "other:usage"),
        "tokens by modality stand under each dialect's keys"),
    Move("error_words", ("error", "other:error", "other:request_id"), ("error", "other:error"),
        "words, codes and details of an error stand under each dialect's keys"),
    Move("carrier", ("signatures", "finish", "citations", "other"),
        ("other:choices[].extra_content", "other:choices[].message", "signatures", "reasoning", "tool_calls.id"),
        "put beside an answer, into a signature or an id, to be read back with the next request"),
    Move("image_list", ("media",), ("other:choices[].message.images",), "Chat hosts list images beside the text"),
)  # fmt: skip

REQUEST_MOVES: Final[tuple[Move, ...]] = (
    Move("refusal_as_text", ("turns.other.refusal",), ("turns.text",), "no other dialect replays refusals as such"),
    Move("code_as_text", ("turns.other.executableCode", "turns.other.codeExecutionResult"), ("turns.text",),
        "where a dialect has no parts for code, it is shown"),
)  # fmt: skip


MOVES: Final[dict[Side, tuple[Move, ...]]] = {
    "request": REQUEST_MOVES,
    "response": RESPONSE_MOVES,
    "stream": RESPONSE_MOVES,
}


def is_under(path: str, starts: tuple[str, ...]) -> bool:
    """Return whether a path is one of these or lies below one."""
    return any(path == start or (path.startswith(start) and path[len(start)] in ".[:") for start in starts)


Fate: TypeAlias = Literal["kept", "transformed", "declared", "rejected", "silent", "invented", "failed"]
FATES: Final[tuple[Fate, ...]] = ("kept", "transformed", "declared", "rejected", "silent", "invented", "failed")
BAD: Final[frozenset[Fate]] = frozenset({"silent", "invented", "failed"})
"""Fates that fail the command."""

_WORD: Final = ALPHA.removeprefix("canary-")


@dataclass(frozen=True, slots=True)
class Run:
    """One document, played. ``received_text``: what arrived, as canonical JSON ("" if nothing did). ``expected`` and
    ``actual``: what was sent and what arrived, as features; ``expected_canonical`` and ``actual_canonical``: both after
    canonical rewrites or in classes. ``sent_text``: what was sent, as JSON. ``refused``: the adapter's words, "" if it
    took the document; ``crash``: its traceback, or "". ``declared_losses``: what it declared lost."""

    expected: Features
    actual: Features
    expected_canonical: Features
    actual_canonical: Features
    sent_text: str
    received_text: str
    verdicts: tuple[Verdict, ...]
    refused: str = ""
    crash: str = ""
    declared_losses: tuple[ReportedLoss, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """``by``: rules of the transformation. ``losses``: rows of the table of losses. ``paths``: what of the normal form
    the leaf is. ``note``: one line, "" where the fate says it all."""

    fate: Fate
    by: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class SideConversion:
    """One side of one direction. ``hops``: the conversions, () where documents pass untouched. ``required``: paths that
    the far side's dialect cannot do without."""

    side: Side
    hops: tuple[Hop, ...]
    required: frozenset[str] = frozenset()

    def find_loss_rule(self, path: str) -> str:
        """Return the rule of the row of the table of losses that covers this path, "" if none does."""
        row = find_declared_loss("request" if self.side == "request" else "response", path, self.hops)
        return row.rule if row is not None else ""


def judge_leaf(probe: Probe, conversion: SideConversion, base: Run, a: Run, b: Run) -> Ruling:
    for run in (a, b):
        if run.crash or run.refused:
            return _rejected_if_leaf_named_else_failed(probe, run)
    paths = differing_paths(a.expected, b.expected)
    known = {(check, path) for check, path, _ in find_check_problems(base)}
    new_problems = [problem for run in (a, b) for problem in find_check_problems(run) if problem[:2] not in known]
    if new_problems:
        check, path, what = new_problems[0]
        return Ruling("silent", (check,), (), paths, f"{check}: {path} {what}")
    found = _judge_paths(conversion, base, a, b, paths)
    added = [] if found.fate in BAD else _unexplained_added_paths(conversion, base, a)
    if added:
        return Ruling("invented", (), (), paths, ", ".join(f"{path} {a.actual[path]}" for path in added))
    return found


def judge_base(conversion: SideConversion, base: Run) -> Ruling:
    """Return the fate of a base by itself: nothing in it is lost, nothing arrives that was not sent."""
    if base.crash or base.refused:
        return Ruling("failed", note=_last_line(base.crash or base.refused))
    known = find_check_problems(base)
    if known:
        return Ruling("silent", note="; ".join(f"{check}: {path} {what}" for check, path, what in known[:2]))
    extra = _unexplained_new_paths(conversion, base, list(base.expected), list(base.actual))
    if extra:
        return Ruling("invented", note=", ".join(f"{path} {base.actual[path]}" for path in extra))
    return Ruling("kept")


def find_check_problems(run: Run) -> list[tuple[str, str, str]]:
    """Return (check, path, message) of everything that the checks found wrong."""
    wrong = [verdict for verdict in run.verdicts if verdict.status in ("FAIL", "WARN", "ERROR")]
    return [
        (verdict.check, row.path, f"expected {row.expected}, got {row.actual}" + (f" ({row.note})" if row.note else ""))
        for verdict in wrong
        for row in verdict.differences
    ] + [(verdict.check, "", verdict.message) for verdict in wrong if not verdict.differences]


def _rejected_if_leaf_named_else_failed(probe: Probe, run: Run) -> Ruling:
    if run.crash:
        return Ruling("failed", note=_last_line(run.crash))
    message = run.refused.replace("_", "").lower()
    names = [step.strip("[]()").replace("_", "").lower() for step in probe.leaf.steps]
    if any(len(name) > 2 and name in message for name in names[-2:]) or _WORD in message:
        return Ruling("rejected", note=_last_line(run.refused))
    return Ruling("failed", note=f"refused without naming it: {_last_line(run.refused)}")


def _judge_paths(conversion: SideConversion, base: Run, a: Run, b: Run, paths: tuple[str, ...]) -> Ruling:
    """Return how each path arrived. A path that is free to change counts only where there is no further one."""
    arrives = a.received_text != b.received_text
    rules = (_rules_in_verdicts(a) | _rules_in_verdicts(b)) - _rules_in_verdicts(base)
    by: list[str] = []
    losses: list[str] = []
    lost: list[str] = []
    for path in [path for path in paths if path not in FREE_PATHS] or paths:
        if arrives and all(run.expected.get(path) == run.actual.get(path) for run in (a, b)):
            continue
        found = _transformation_rules(conversion, a, b, path, rules)
        loss = conversion.find_loss_rule(path)
        if found:
            by += found
        elif loss:
            losses.append(loss)
        elif arrives and _WORD in a.received_text:
            by.append("carried")
        else:
            lost.append(path)
    fate: Fate = "silent" if lost else "transformed" if by else "declared" if losses else "kept"
    change = "arrives as something else" if arrives else "lost"
    note = f"{change}: {', '.join(lost)}" if lost else ""
    return Ruling(fate, tuple(dict.fromkeys(by)), tuple(dict.fromkeys(losses)), paths, note)


def _transformation_rules(conversion: SideConversion, a: Run, b: Run, path: str, rules: set[str]) -> list[str]:
    """Return the rules by which this path arrived in another form, [] if it did not."""
    if path in FREE_PATHS:
        return ["id_bijection"] if path in a.actual or path in b.actual else []
    if path in CLASS_RULES:
        return [CLASS_RULES[path]]
    if _equal_when_canonical(a, b, path):
        return [rewrite_name_or_default_fill(path)]
    if a.received_text == b.received_text:
        return []
    if rules:
        return sorted(rules)
    arrived = differing_paths(a.actual, b.actual)
    moves = [move for move in MOVES[conversion.side] if is_under(path, move.paths)]
    return [move.name for move in moves if any(is_under(arrived_path, move.to) for arrived_path in arrived)][:1]


def _equal_when_canonical(a: Run, b: Run, path: str) -> bool:
    """Whether both runs arrived the same once both sides were levelled. Levelling may bring a path under another of its
    channel (what came with a result stands behind it); a signature it leaves out, so that it says nothing of one."""
    if path in NOT_IN_CANONICAL:
        return False
    found = [path] if path in {*a.expected_canonical, *b.expected_canonical} else _paths_moved_by_rewrites(a, b, path)
    return bool(found) and all(
        run.expected_canonical.get(name) == run.actual_canonical.get(name) for run in (a, b) for name in found
    )


def _paths_moved_by_rewrites(a: Run, b: Run, path: str) -> list[str]:
    found = differing_paths(a.expected_canonical, b.expected_canonical)
    return [moved for moved in found if _setting_path_or_first_step(moved) == _setting_path_or_first_step(path)]


def _unexplained_added_paths(conversion: SideConversion, base: Run, a: Run) -> list[str]:
    """Return the paths of what the leaf added in channels in which nothing was sent, without anything of it."""
    if base.crash or base.refused:
        return []
    sent = list(differing_paths(base.expected, a.expected))
    new = [path for path in differing_paths(base.actual, a.actual) if path in a.actual and path not in base.actual]
    return _unexplained_new_paths(conversion, a, sent, new)


def _unexplained_new_paths(
    conversion: SideConversion, run: Run, sent_paths: list[str], new_paths: list[str]
) -> list[str]:
    """Return the new paths that nothing sent explains: not the channel, no move, no word of the document."""
    channels = {_setting_path_or_first_step(path) for path in sent_paths}
    open_to = [move.to for move in MOVES[conversion.side] if any(is_under(path, move.paths) for path in sent_paths)]
    left = [path for path in new_paths if _setting_path_or_first_step(path) not in channels]
    left = [path for path in left if not any(is_under(path, starts) for starts in open_to)]
    return [path for path in left if path not in conversion.required and not _repeats_sent_words(run, path)]


def _repeats_sent_words(run: Run, path: str) -> bool:
    """Return whether all words under a path stand in the document that was sent."""
    found = re.findall(r"[A-Za-z0-9_./:-]{3,}", run.actual[path])
    return bool(found) and all(word in run.sent_text for word in found)


def _setting_path_or_first_step(path: str) -> str:
    """Return the path itself for settings and leaves unknown to the normal form, the first word for the rest."""
    return path if path.startswith(("settings.", "other:")) else path.split(".")[0]


def _rules_in_verdicts(run: Run) -> set[str]:
    return {rule for verdict in run.verdicts for rule in verdict.rules if verdict.status != "INHERITED"}


def _last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
