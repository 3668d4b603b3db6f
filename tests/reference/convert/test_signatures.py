"""Signatures of one provider in the words of another."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.convert import signatures


@given(st.text(), st.sampled_from(sorted(signatures.SIGNED_PART_KINDS)))
def test_a_signature_of_gemini_comes_back_with_its_part(signature: str, part: str) -> None:
    assert signatures.split_gemini_signature_prefix(signatures.prefix_gemini_signature(signature, part)) == (
        part,
        signature,
    )


@pytest.mark.parametrize(
    "foreign", ["", "EqQBCkYIBxgCKkA=", "gemini", "gemini.call", "gemini.limb.UzE=", "claude.call.S"]
)
def test_a_signature_of_another_is_none_of_gemini(foreign: str) -> None:
    assert signatures.split_gemini_signature_prefix(foreign) is None


@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.integers(), max_size=3), max_size=3))
def test_a_carrier_is_base64_in_either_alphabet(blocks: list[dict[str, object]]) -> None:
    made = signatures.encode_reasoning_carrier(blocks)
    assert base64.b64decode(made, validate=True)
    assert signatures.decode_reasoning_carrier(made) == blocks
    assert signatures.decode_reasoning_carrier(made.replace("+", "-").replace("/", "_").rstrip("=")) == blocks


@pytest.mark.parametrize(
    "own",
    ["", "UzE=", "skip_thought_signature_validator", signatures._CARRIER_START, signatures._CARRIER_START + "!!!!"],
)
def test_a_signature_of_gemini_carries_nothing(own: str) -> None:
    assert signatures.decode_reasoning_carrier(own) is None
