"""Reasoning returns to its position, and signatures stay with the part that they sign."""

from bridgecheck_reference.convert.gemini.part_order import (
    insert_carried_reasoning,
    reasoning_and_order_fields,
    sign_last_reasoning_or_add_empty,
)
from bridgecheck_reference.convert.gemini.parts_from_openai import MessageTextsAndMedia, reasoning_message_to_parts
from bridgecheck_reference.convert.signatures import prefix_gemini_signature
from bridgecheck_reference.loss import Losses

Json = dict[str, object]
HIDDEN: Json = {"type": "reasoning.encrypted", "data": "D"}
THOUGHT: Json = {"type": "reasoning.text", "text": "hm", "signature": "S"}


def insert_reasoning(layout: list[Json], *blocks: Json) -> list[Json]:
    insert_carried_reasoning(layout, blocks)
    return layout


def test_reasoning_is_put_in_front_of_the_text_that_followed_it() -> None:
    assert insert_reasoning([{"text": 3}], {**THOUGHT, "ahead": 3}) == [{"reasoning": THOUGHT}, {"text": 3}]
    assert insert_reasoning([{"text": 5}], {**THOUGHT, "ahead": 3}) == [
        {"text": 2},
        {"reasoning": THOUGHT},
        {"text": 3},
    ]
    assert insert_reasoning([{"text": 2}, {"text": 1}], {**THOUGHT, "ahead": 3}) == [
        {"reasoning": THOUGHT},
        {"text": 2},
        {"text": 1},
    ]
    assert insert_reasoning([{"text": 5}], THOUGHT) == [{"text": 5}, {"reasoning": THOUGHT}]


def test_reasoning_that_two_parts_carried_is_there_once() -> None:
    assert insert_reasoning([{"reasoning": THOUGHT}, {"text": 3}], {**THOUGHT, "ahead": 3}) == [
        {"reasoning": THOUGHT},
        {"text": 3},
    ]


def test_a_signature_goes_to_reasoning_that_has_none() -> None:
    last: list[Json] = [{"reasoning": {"type": "reasoning.text", "text": "hm"}}]
    sign_last_reasoning_or_add_empty(last, "S")
    assert last == [{"reasoning": THOUGHT}]
    for taken in (HIDDEN, THOUGHT):
        layout: list[Json] = [{"reasoning": dict(taken)}]
        sign_last_reasoning_or_add_empty(layout, "T")
        own = {"type": "reasoning.text", "text": "", "signature": "T"}
        assert layout == [{"reasoning": taken}, {"reasoning": own}]


def test_the_message_fields_of_an_ordered_layout() -> None:
    fields = reasoning_and_order_fields([{"text": 2}, {"reasoning": THOUGHT}])
    assert fields["reasoning_content"] == "hm" and fields["reasoning_details"] == [THOUGHT]
    assert fields["extra_content"] == {"order": [{"text": 2}, {"reasoning": True}]}
    assert "extra_content" not in reasoning_and_order_fields([{"reasoning": THOUGHT}, {"text": 2}])


def test_the_signature_of_a_missing_part_is_a_loss() -> None:
    losses = Losses()
    signed: Json = {"type": "reasoning.text", "text": "", "signature": prefix_gemini_signature("S", "call")}
    parts = reasoning_message_to_parts(
        {"reasoning_details": [signed]}, MessageTextsAndMedia(text="x"), (), "messages[]", losses
    )
    assert parts == [{"text": "x"}]
    assert [loss.path for loss in losses] == ["messages[].reasoning_details"]
