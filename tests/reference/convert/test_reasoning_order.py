"""Reasoning that is put back where it was, and signatures that stay with what they were said of."""

from bridgecheck_reference.convert.gemini.part_order import (
    insert_carried_reasoning,
    reasoning_and_order_fields,
    sign_last_reasoning,
)
from bridgecheck_reference.convert.gemini.parts_from_openai import MessageContent, reasoning_message_to_parts
from bridgecheck_reference.convert.signatures import wrap_gemini_signature
from bridgecheck_reference.loss import Losses

Json = dict[str, object]
HIDDEN: Json = {"type": "reasoning.encrypted", "data": "D"}
THOUGHT: Json = {"type": "reasoning.text", "text": "hm", "signature": "S"}


def recalled(layout: list[Json], *blocks: Json) -> list[Json]:
    insert_carried_reasoning(layout, blocks)
    return layout


def test_reasoning_is_put_in_front_of_the_text_that_followed_it() -> None:
    assert recalled([{"text": 3}], {**THOUGHT, "ahead": 3}) == [{"reasoning": THOUGHT}, {"text": 3}]
    assert recalled([{"text": 5}], {**THOUGHT, "ahead": 3}) == [{"text": 2}, {"reasoning": THOUGHT}, {"text": 3}]
    assert recalled([{"text": 2}, {"text": 1}], {**THOUGHT, "ahead": 3}) == [
        {"reasoning": THOUGHT},
        {"text": 2},
        {"text": 1},
    ]
    assert recalled([{"text": 5}], THOUGHT) == [{"text": 5}, {"reasoning": THOUGHT}]


def test_reasoning_that_two_parts_carried_is_there_once() -> None:
    assert recalled([{"reasoning": THOUGHT}, {"text": 3}], {**THOUGHT, "ahead": 3}) == [
        {"reasoning": THOUGHT},
        {"text": 3},
    ]


def test_a_signature_goes_to_reasoning_that_has_none() -> None:
    last: list[Json] = [{"reasoning": {"type": "reasoning.text", "text": "hm"}}]
    sign_last_reasoning(last, "S")
    assert last == [{"reasoning": THOUGHT}]
    for taken in (HIDDEN, THOUGHT):
        layout: list[Json] = [{"reasoning": dict(taken)}]
        sign_last_reasoning(layout, "T")
        own = {"type": "reasoning.text", "text": "", "signature": "T"}
        assert layout == [{"reasoning": taken}, {"reasoning": own}]


def test_the_fields_of_what_was_recalled() -> None:
    fields = reasoning_and_order_fields([{"text": 2}, {"reasoning": THOUGHT}])
    assert fields["reasoning_content"] == "hm" and fields["reasoning_details"] == [THOUGHT]
    assert fields["extra_content"] == {"order": [{"text": 2}, {"reasoning": True}]}
    assert "extra_content" not in reasoning_and_order_fields([{"reasoning": THOUGHT}, {"text": 2}])


def test_a_signature_whose_part_is_gone_is_a_loss_and_moves_nowhere() -> None:
    losses = Losses()
    signed: Json = {"type": "reasoning.text", "text": "", "signature": wrap_gemini_signature("S", "call")}
    parts = reasoning_message_to_parts(
        {"reasoning_details": [signed]}, MessageContent(text="x"), (), "messages[]", losses
    )
    assert parts == [{"text": "x"}]
    assert [loss.path for loss in losses] == ["messages[].reasoning_details"]
