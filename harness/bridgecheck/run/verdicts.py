"""From what happened to a CaseResult: normalise both sides, let the checks judge, keep what a report shows."""

import json
from typing import Final

from bridgecheck import normalise
from bridgecheck.drivers import Driver
from bridgecheck.model.adapter import AdapterInfo
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Interaction
from bridgecheck.model.outcome import Outcome
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.transcript import Transcript
from bridgecheck.model.verdict import CaseKey, Status, Verdict
from bridgecheck.run.record import Record
from bridgecheck.wire import Dialect

VIEW_LIMIT: Final = 20_000
"""Characters kept of one document shown in a report."""

UNREMARKABLE: Final[frozenset[Status]] = frozenset({"PASS", "NOT_APPLICABLE"})
"""A case with no other verdict needs no documents in the report."""


def evidence(
    key: CaseKey,
    record: Record,
    scenario: Scenario | None,
    driver: Driver,
    native: tuple[Outcome, ...] | None = None,
) -> Evidence:
    """Everything a check may look at, decoded and normalised."""
    transcript = record.transcript()
    return Evidence(
        key=key,
        transcript=transcript,
        scenario=scenario,
        client_prompts=tuple(normalise.request(turn.request) if turn.request else None for turn in transcript.client),
        upstream_prompts=tuple(
            normalise.request(call.request) if call.request else None for call in transcript.upstream
        ),
        upstream_outcomes=tuple(normalise.response(call.response) for call in transcript.upstream),
        client_outcomes=tuple(normalise.response(turn.response) for turn in transcript.client),
        pivot=pivot_of(key, driver.info),
        native_outcomes=native,
        answered_by=tuple(record.answered_by),
        inexpressible=driver.unsaid if key.client == "outcome" else frozenset(),
        through_sdk=key.layer == "sdk" and (key.path == "native" or driver.gateway is not None),
    )


def pivot_of(key: CaseKey, info: AdapterInfo) -> Dialect | None:
    """What a bridged same-dialect case goes through; None elsewhere."""
    return info.pivot((key.client, key.upstream)) if key.path == "bridged" else None


def views(transcript: Transcript, verdicts: tuple[Verdict, ...]) -> dict[str, str]:
    """Documents as JSON text, clipped; {} where every verdict is unremarkable."""
    if all(verdict.status in UNREMARKABLE for verdict in verdicts):
        return {}
    return {
        "client_request": _requests(transcript.client),
        "upstream_request": _requests(transcript.upstream),
        "upstream_response": _responses(transcript.upstream),
        "client_response": _responses(transcript.client),
    }


def _requests(side: tuple[Interaction, ...]) -> str:
    return _shown([turn.request.body if turn.request else None for turn in side])


def _responses(side: tuple[Interaction, ...]) -> str:
    return _shown([list(turn.response.documents) or turn.response.text for turn in side])


def _shown(documents: list[object]) -> str:
    """One document a turn; the only one stands for itself."""
    value = documents[0] if len(documents) == 1 else documents
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    return text if len(text) <= VIEW_LIMIT else f"{text[:VIEW_LIMIT]}… ({len(text)} characters)"
