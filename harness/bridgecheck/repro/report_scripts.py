"""Scripts of published findings, made without their adapters: of findings.toml, recipe, report and corpus.

The report holds the documents of a failing case as text; the provider's side is the recording. A finding gets a script
if the check, judged again on these, finds the same differences, and an oracle can be chosen and tried on them. The
adapter itself is not run: ``make repros`` does that."""

import json
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from bridgecheck.checks import CHECKS
from bridgecheck.drivers import Driver, resolve
from bridgecheck.drivers.recipe import HTTP, read_recipe
from bridgecheck.errors import BridgecheckError
from bridgecheck.files import cassettes_root, scenarios, scenarios_root, write_text
from bridgecheck.files.findings_toml import FILE, read_published
from bridgecheck.model.adapter import AdapterInfo
from bridgecheck.model.evidence import FAILED, REFUSED, CaseTranscript
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.model.published_finding import Published
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.report import Report
from bridgecheck.report.folder import escape_surrogates
from bridgecheck.report.publication import RECIPE_FILE
from bridgecheck.repro.case import ScriptCase
from bridgecheck.repro.comparison import judged_again
from bridgecheck.repro.oracle import COMPLETES, JUDGED_ON_DOCUMENTS, OTHER_MEMBERS, NotProven, choose_oracle, to_traffic
from bridgecheck.repro.proof import try_oracle
from bridgecheck.repro.reach import reach_adapter
from bridgecheck.repro.replay import ReplayedCase, SelectedCase, cause_and_explained_verdicts, findings_of_case
from bridgecheck.repro.runtime import is_any_error
from bridgecheck.repro.script import script_text
from bridgecheck.run.library import Library
from bridgecheck.run.record import Turn
from bridgecheck.run.turns import scenario_turns
from bridgecheck.upstream.relay import NothingReceived

FOLDER: Final = "repro"
"""Beside the report: where the scripts are written."""

STATUSES: Final = (200, 400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529)
"""Statuses that an error is tried with, the first that fits."""

_MASK: Final = "REDACTED"


class PublishedScript(NamedTuple):
    """``path``: of the script that was written; None if there is none, and then ``why``."""

    finding: Published
    path: Path | None
    why: str = ""


def write_published_scripts(folder: Path, report: Report, output: Path | None = None) -> Iterator[PublishedScript]:
    """Write the script of each finding that is published of an adapter, to ``output`` or into its folder. ``report``:
    the one in the folder. Where the recipe cannot be read there is none. Raises BadFindings."""
    findings = read_published(folder / FILE) if (folder / FILE).is_file() else ()
    recipe = folder / RECIPE_FILE
    if not findings:
        return
    try:
        driver = driver_of_report(str(recipe), report)
    except BridgecheckError as error:
        yield from (PublishedScript(finding, None, str(error)) for finding in findings)
        return
    cases = {str(case.key): case for case in report.cases}
    for finding in findings:
        path = (output or folder / FOLDER) / f"{finding.id}.py"
        try:
            if finding.case not in cases:
                raise NotProven("the report does not hold the case", finding.case, "a case of the report")
            made = make_published_script(finding, cases[finding.case], driver)
        except BridgecheckError as error:
            yield PublishedScript(finding, None, str(error))
            continue
        write_text(path, escape_surrogates(script_text(made, path.name)))
        yield PublishedScript(finding, path)


def make_published_script(finding: Published, result: CaseResult, driver: Driver) -> ScriptCase:
    """Return the script of a finding. Raises NotProven and other errors that say what the report lacks."""
    replayed = _replay_from_report(finding, result, driver)
    reach = reach_adapter(driver.target, driver.info, replayed.key.layer, driver.gateway)
    found = to_traffic(replayed.transcript)
    chosen = choose_oracle(replayed, found)
    case = ScriptCase(replayed, reach, chosen.oracle, relayed=not replayed.scenario.client_model)
    try_oracle(case, chosen, found)
    return case


def driver_of_report(recipe_path: str, report: Report) -> Driver:
    """Return what the judge has to know of the adapter, without starting it. Raises errors of the recipe."""
    recipe = read_recipe(recipe_path)
    if text(recipe["target"]).startswith(HTTP):
        return resolve(recipe_path, version=report.info.version)
    claims = frozenset(map(text, arr(recipe.get("claims"))))
    info = AdapterInfo(report.info.adapter, report.info.version, frozenset(), claims=claims)
    return Driver(recipe_path, info, judged_on_all="claims" not in recipe)


def _replay_from_report(finding: Published, result: CaseResult, driver: Driver) -> ReplayedCase:
    key = result.key
    found = findings_of_case(result, SelectedCase(finding.case, "", driver.target, finding.fingerprints))
    if not found:
        raise NotProven("the case shows none of its fingerprints", finding.case, ", ".join(finding.fingerprints))
    verdicts = cause_and_explained_verdicts(result, found[0], finding.fingerprints)
    if verdicts[0].check in OTHER_MEMBERS:
        what = f"the report does not hold what {verdicts[0].check} is about"
        command = shlex.join(("bridgecheck", "repro", finding.case, "--adapter", driver.target))
        raise NotProven(what, finding.case, "a finding in documents", command)
    scenario = next((item for item in scenarios(scenarios_root(), [key.scenario]) if item.id == key.scenario), None)
    if scenario is None:
        raise NotProven(f"the corpus has no scenario {key.scenario}", finding.case, "the scenario of the case")
    cassette = Library(cassettes_root()).load_recorded_cassette(scenario.id, key.upstream, key.mode)
    recorded = [item.response for item in cassette.decode_interactions(key.upstream, key.mode)]
    message = next((item.message for item in verdicts if item.check == COMPLETES), "")
    transcript = _transcript_of_views(result, scenario, recorded, message)
    replayed = ReplayedCase(driver, scenario, cassette, result, transcript, found[0], verdicts)
    return _with_status_of_finding(replayed)


def _transcript_of_views(
    result: CaseResult, scenario: Scenario, recorded: list[Response], message: str
) -> CaseTranscript:
    """Return the traffic that the report holds. ``message``: of the verdict that the adapter did not complete."""
    key = result.key
    requests = _view(result, "client_request")
    bodies = requests if isinstance(requests, list) else [requests]
    sent, received = _view(result, "upstream_request"), _view(result, "client_response")
    answers = received if isinstance(requests, list) and isinstance(received, list) else [received]
    turns = scenario_turns(scenario, key, recorded)
    client: list[Interaction] = []
    for number, (body, answer) in enumerate(zip(bodies, answers, strict=False)):
        request = _stated_request(turns, number, client, key)
        request = replace(request, body=obj(body), model=text(obj(body).get("model")) or request.model)
        documents = tuple(answer) if isinstance(answer, list) else ()
        plain = answer if isinstance(answer, str) else ""
        client.append(Interaction(request, Response(key.client, key.mode, documents, text=plain)))
    calls = [Request(key.upstream, key.mode, obj(body)) for body in (sent if isinstance(sent, list) else [sent])]
    upstream = [Interaction(request, response) for request, response in zip(calls, recorded, strict=False)]
    refused = message.removeprefix(REFUSED) if message.startswith(REFUSED) else ""
    crash = result.crash or (message.removeprefix(FAILED) if message.startswith(FAILED) else "")
    last = client[-1].response if client else None
    is_unanswered = last is not None and not last.documents and bool(crash or refused)
    unanswered = frozenset({len(client) - 1}) if is_unanswered else frozenset[int]()
    return CaseTranscript(tuple(client), tuple(upstream), crash=crash, refused=refused, unanswered=unanswered)


def _view(result: CaseResult, name: str) -> object:
    """Return the documents of a view. Raises NotProven where the report has them masked or cut off."""
    view = result.views.get(name, "")
    if _MASK in view:
        raise NotProven(f"{name} in the report is masked", str(result.key), "documents without credentials")
    try:
        return json.loads(view)
    except ValueError:
        what = f"the report does not hold the whole {name}"
        raise NotProven(what, str(result.key), "documents that are not cut off") from None


def _stated_request(turns: list[Turn], number: int, before: list[Interaction], key: CaseKey) -> Request:
    """Return the client's request of a turn as the scenario states it, with the model and the document in a wire format
    that it was made of."""
    with suppress(NothingReceived):
        return turns[number].make_request([turn.response for turn in before])
    return Request(key.client, key.mode, {})


def _with_status_of_finding(replayed: ReplayedCase) -> ReplayedCase:
    """Return it with the status with which the check finds the same. The report does not hold the status of a
    response."""
    check = next((check for check in CHECKS if check.id == replayed.verdicts[0].check), None)
    for status in STATUSES if check is not None and check.side in JUDGED_ON_DOCUMENTS else ():
        client = tuple(_with_status(turn, status) for turn in replayed.transcript.client)
        tried = replace(replayed, transcript=replace(replayed.transcript, client=client))
        if check is not None and judged_again(check, tried, tried.transcript):
            return tried
    return replayed


def _with_status(turn: Interaction, status: int) -> Interaction:
    """Return it with the status if its response is an error: a document that says so, or a text that is no document."""
    response = turn.response
    is_error = is_any_error([response.documents]) or bool(response.text)
    return replace(turn, response=replace(response, status=status if is_error else 200))
