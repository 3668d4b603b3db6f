"""Fates: each change of a leaf by a toy adapter is classified correctly."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from bridgecheck.documented_leaves import Side
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import IDENTITY, describe_adapter
from bridgecheck.ledger import play
from bridgecheck.ledger.matrix import (
    Entry,
    count_by_client_upstream_and_side,
    count_without_good_bases,
    find_unneeded_loss_rows,
)
from bridgecheck.ledger.play import LedgerDialectsAndSide, play_ledger
from bridgecheck.ledger.probes import LeafWithoutBaseOrValues, Probe, make_probes
from bridgecheck.run.longer_limits import LONGER_LIMITS
from bridgecheck.wire import Dialect

from ..machine import measure
from .toy_adapter import Doc, ToyAdapter, make_toy


def run(driver: Driver, side: Side) -> list[Entry]:
    return [entry for entry in play_ledger(driver, LedgerDialectsAndSide(side=side)) if isinstance(entry, Entry)]


@contextmanager
def probes_of_one_leaf(path: str) -> Iterator[None]:
    def make_some_probes(dialect: Dialect, side: Side) -> Iterator[Probe | LeafWithoutBaseOrValues]:
        return (probe for probe in make_probes(dialect, side) if probe.leaf.path == path)

    with patch.object(play, "make_probes", make_some_probes):
        yield


def fate(driver: Driver, path: str, side: Side = "request") -> Entry:
    """Play the probes of one leaf only."""
    with probes_of_one_leaf(path):
        found = [entry for entry in run(driver, side) if entry.path == path]
    assert len(found) == 1
    return found[0]


def without(*keys: str):
    return lambda body: {key: value for key, value in body.items() if key not in keys}


@pytest.mark.parametrize(
    ("hangs", "is_stalled", "tries", "fates"),
    [(1, False, 4, ["kept", "kept"]), (99, False, 6, ["failed", "failed"]), (99, True, 1 + len(LONGER_LIMITS), [])],
)
def test_a_limit_that_is_hit_is_tried_again(hangs: int, is_stalled: bool, tries: int, fates: list[str]) -> None:
    calls = []

    def hang(body: Doc) -> Doc:
        calls.append(body)
        while len(calls) <= hangs:
            time.sleep(0.01)
        return body

    driver = replace(make_toy(hang), timeout=0.1)
    with probes_of_one_leaf("temperature"):
        selection = LedgerDialectsAndSide(side="request")
        entries = [*play_ledger(driver, selection, measure(is_stalled=is_stalled))]
    assert len(calls) == tries
    assert [entry.ruling.fate for entry in entries if isinstance(entry, Entry)] == fates
    assert fates or "the machine stood still" in str(entries)


def test_the_identity_preserves_every_leaf() -> None:
    found = [entry for entry in play_ledger(IDENTITY, LedgerDialectsAndSide()) if isinstance(entry, Entry)]
    assert {entry.ruling.fate for entry in found} == {"kept"}
    assert len(count_by_client_upstream_and_side(found)) == 9


def test_a_bridge_that_changes_nothing_preserves_every_leaf() -> None:
    assert {entry.ruling.fate for side in ("request", "response", "stream") for entry in run(make_toy(), side)} == {
        "kept"
    }


def test_a_dropped_setting_is_a_silent_loss() -> None:
    found = fate(make_toy(without("temperature")), "temperature")
    assert found.ruling.fate == "silent"


def test_what_an_adapter_declares_lost_excuses_nothing() -> None:
    adapter = ToyAdapter(without("temperature"))
    adapter.losses = [SimpleNamespace(path="temperature", reason="nobody needs it", severity="minor")]
    found = fate(describe_adapter("python:toy:adapter", adapter), "temperature")
    assert (found.ruling.fate, found.declared_losses[0].path) == ("silent", "temperature")
    assert "settings.temperature" in found.ruling.note
    assert fate(make_toy(without("temperature")), "top_p").ruling.fate == "kept"


def test_a_dropped_setting_in_the_loss_table_is_a_declared_loss() -> None:
    found = fate(make_toy(without("user")), "user")
    assert (found.ruling.fate, found.ruling.losses) == ("declared", ("chat.user",))


def test_a_value_that_becomes_another_is_a_silent_loss() -> None:
    def halve(body: Doc) -> Doc:
        return body | ({"temperature": body["temperature"] / 2} if "temperature" in body else {})

    found = fate(make_toy(halve), "temperature")
    assert found.ruling.fate == "silent"
    assert "expected 0.25, got 0.125" in found.ruling.note


def test_a_constant_in_place_of_a_value_is_a_silent_loss() -> None:
    """The key is present for every request: only two runs show the fault."""
    constant = make_toy(lambda body: body | ({"logprobs": True} if "logprobs" in body else {}))
    assert fate(constant, "logprobs").ruling.fate == "silent"


def test_a_renamed_setting_is_preserved() -> None:
    def rename(body: Doc) -> Doc:
        body = dict(body)
        if "max_tokens" in body:
            body["max_completion_tokens"] = body.pop("max_tokens")
        return body

    assert fate(make_toy(rename), "max_tokens").ruling.fate == "kept"


def test_a_leaf_changed_by_a_rewrite_is_transformed_with_its_name() -> None:
    def split(body: Doc) -> Doc:
        system, *rest = body["messages"]
        if system["role"] == "system" and isinstance(system["content"], str):
            halves = [{"type": "text", "text": half} for half in (system["content"][:3], system["content"][3:])]
            return body | {"messages": [{"role": "system", "content": halves}, *rest]}
        return body

    found = fate(make_toy(split), "messages[system].content")
    assert (found.ruling.fate, found.ruling.by) == ("transformed", ("system_join",))


def test_a_changed_finish_class_is_a_silent_loss_and_a_synonym_is_not() -> None:
    def end_with(word: str):
        def change(body: Doc) -> Doc:
            for choice in body.get("choices", ()):
                choice["finish_reason"] = word if choice.get("finish_reason") == "length" else choice["finish_reason"]
            return body

        return change

    lost = fate(make_toy(change_response=end_with("stop")), "choices[].finish_reason", "response")
    assert lost.ruling.fate == "silent"
    cut = fate(make_toy(change_response=end_with("max_tokens")), "choices[].finish_reason", "response")
    assert (cut.ruling.fate, cut.ruling.by) == ("transformed", ("finish.class",))


def test_ids_may_be_replaced_if_they_pair() -> None:
    def replace_ids(body: Doc) -> Doc:
        return json.loads(json.dumps(body).replace("canary-alpha", "call_1").replace("canary-beta", "call_1"))

    path = "messages[assistant].tool_calls[function].id"
    found = fate(make_toy(replace_ids), path)
    assert (found.ruling.fate, found.ruling.by) == ("transformed", ("id_bijection",))


def test_a_refusal_that_names_the_field_is_rejected_and_any_other_is_failed() -> None:
    def refuse_with(message: str):
        def change(body: Doc) -> Doc:
            if "seed" in body:
                raise NotImplementedError(message)
            return body

        return change

    assert fate(make_toy(refuse_with("seed is not supported")), "seed").ruling.fate == "rejected"
    assert fate(make_toy(refuse_with("cannot do that")), "seed").ruling.fate == "failed"


def test_a_crash_is_failed() -> None:
    found = fate(make_toy(lambda body: {**body, "n": body["n"] / 0} if "n" in body else body), "n")
    assert found.ruling.fate == "failed"
    assert "ZeroDivisionError" in found.ruling.note


def test_a_value_added_with_a_leaf_is_invented() -> None:
    def add_temperature(body: Doc) -> Doc:
        return body | ({"top_p": 0.9} if "seed" in body else {})

    found = fate(make_toy(add_temperature), "seed")
    assert found.ruling.fate in ("invented", "silent")
    assert "top_p" in found.ruling.note


def test_a_value_added_to_every_response_is_reported_for_the_base() -> None:
    priced = make_toy(change_response=lambda body: body | {"price": 7})
    bases = [entry for entry in run(priced, "response") if not entry.path]
    assert bases and {entry.ruling.fate for entry in bases} == {"invented"}
    assert "other:price" in bases[0].ruling.note


@pytest.mark.parametrize("side", ["response", "stream"])
def test_a_lost_number_of_a_response_is_a_silent_loss(side: Side) -> None:
    def drop_usage_details(body: Doc) -> Doc:
        if body.get("usage"):
            body["usage"] = {**body["usage"], "prompt_tokens_details": None}
        return body

    start = "[]." if side == "stream" else ""
    found = fate(
        make_toy(change_response=drop_usage_details), f"{start}usage.prompt_tokens_details.cached_tokens", side
    )
    assert found.ruling.fate == "silent"


class ConstantRequest(ToyAdapter):
    """Converts from Gemini to Chat and always sends the same request, except for top_k."""

    routes = (("gemini", "openai-chat"),)
    pivots = {}  # noqa: RUF012

    def to_upstream(self, body: Doc, **rest: object) -> Doc:
        settings = body.get("generationConfig", {})
        top_k = {"top_k": settings["topK"]} if "topK" in settings else {}
        return {"model": "m", "messages": [{"role": "user", "content": "Hello"}], **top_k}


def test_a_declared_loss_that_does_not_happen_is_stale() -> None:
    found = run(describe_adapter("python:toy:straight", ConstantRequest()), "request")
    assert [(entry.row, entry.target) for entry in find_unneeded_loss_rows(found)] == [("gemini.top_k", "openai-chat")]
    assert find_unneeded_loss_rows(found)[0].leaves == ("generationConfig.topK",)


def test_counts_exclude_entries_without_a_path() -> None:
    found = run(make_toy(), "stream")
    assert sum(count_without_good_bases(found)) == sum(1 for entry in found if entry.path)
