"""adapter.completes: the adapter answers every request that it should take."""

from bridgecheck.accept import refusals
from bridgecheck.checks.verdicts import verdict
from bridgecheck.checks.view import case_ends
from bridgecheck.compare.project import Ends
from bridgecheck.compare.turns import KINDS, of_kind
from bridgecheck.model.evidence import Evidence, exception_line
from bridgecheck.model.prompt import Prompt
from bridgecheck.model.verdict import Verdict

CHECK = "adapter.completes"


def completes(evidence: Evidence) -> list[Verdict]:
    """The adapter neither raises nor hangs nor answers nonsense. It may refuse, naming the field, what the scenario
    lets it refuse, what the provider's dialect cannot say and what the client's own provider would refuse."""
    seen = evidence.transcript
    if seen.crash:
        return [verdict(CHECK, "FAIL", message=f"the adapter failed: {exception_line(seen.crash)}")]
    if not seen.refused:
        return [verdict(CHECK, "PASS", rules=_made_from(evidence))]
    if _may_refuse(evidence):
        return [verdict(CHECK, "REJECTED", message=seen.refused)]
    return [verdict(CHECK, "FAIL", message=f"refused what it should take: {seen.refused}")]


def _made_from(evidence: Evidence) -> list[str]:
    """Of a client with types of its own: the dialect that its requests were made from."""
    asked = [turn.request for turn in evidence.transcript.client if turn.request is not None]
    sources = dict.fromkeys(one.made_from.dialect for one in asked if one.made_from is not None)
    return [f"outcome.from_{dialect.replace('-', '_')}" for dialect in sources]


def _may_refuse(evidence: Evidence) -> bool:
    words = evidence.transcript.refused.lower()
    scenario = evidence.scenario
    if scenario is not None and any(field.lower() in words or field == "*" for field in scenario.may_refuse):
        return True
    ends = case_ends(evidence, "request")
    if any(_names(words, path) for asked in evidence.client_prompts if asked for path in _unsayable(asked, ends)):
        return True
    if any(_names(words, feature) for feature in evidence.inexpressible):
        return True
    stated = [turn.request.stated for turn in evidence.transcript.client if turn.request is not None]
    return any(_names(words, one.path) for asked in stated for one in refusals(asked.dialect, asked.body))


def _unsayable(asked: Prompt, ends: Ends) -> list[str]:
    """Paths in the request that the table of losses has a row for."""
    paths = [path for kind in KINDS for path, _ in of_kind(asked.turns, kind)]
    paths += [f"settings.{name}" for name, _ in asked.settings]
    paths += [f"other:{path}" for path, _ in asked.other]
    paths += [f"tools.builtin.{tool.name}" for tool in asked.tools or () if tool.builtin]
    return [path for path in paths if ends.split_losses([path])[0]]


def _names(words: str, path: str) -> bool:
    """Whether a refusal names the last telling key of a path."""
    keys = [
        key for key in path.lower().replace("[]", "").replace(":", ".").replace("/", ".").split(".") if len(key) > 2
    ]
    return any(key.replace("_", "") in words.replace("_", "") for key in keys[1:] or keys)
