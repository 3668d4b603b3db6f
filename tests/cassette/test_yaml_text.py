"""Readable YAML that both loaders read back byte for byte."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgecheck.cassette import yaml_text

LOADERS = [yaml.SafeLoader, yaml.CSafeLoader]

# What YAML folds, trims, escapes or takes for something else.
NASTY = " \t\r\n\x85\u2028\u2029\ufeff\x00\x1b\x7f\x9f\ufffe\uffffab:#-'\"\\{}[]&*!|>%@`,?=~é😀"
TEXT = st.one_of(st.text(alphabet=NASTY, max_size=60), st.text(max_size=80))


@settings(max_examples=150, deadline=None)
@given(st.one_of(TEXT, st.binary(max_size=60)), TEXT)
def test_every_value_round_trips(value: str | bytes, key: str) -> None:
    document = {"a": {key: value, "list": [{"x": value, "n": [1, 2]}, value, [value, ["z" * 70]]]}, "end": value}
    text = yaml_text.dump_yaml(document)
    for loader in LOADERS:
        assert yaml.load(text, Loader=loader) == document


@pytest.mark.parametrize(
    "value",
    ["true", "No", "null", "~", "1.5", "1_000", "0x1F", "1e3", "2026-11-20", "12:30", "", "-", "=", "<<", ".inf", "y"],
)
def test_yaml_keywords_stay_text(value: str) -> None:
    for loader in LOADERS:
        assert yaml.load(yaml_text.dump_yaml({"k": value}), Loader=loader) == {"k": value}


def test_scalars_of_other_types() -> None:
    document = {"none": None, "yes": True, "n": 3, "f": 1.5, "empty": {}, "nothing": []}
    assert yaml.safe_load(yaml_text.dump_yaml(document)) == document


def test_json_is_written_as_a_literal_block() -> None:
    assert yaml_text.dump_yaml({"body": '{\n  "a": "é"\n}\n'}) == 'body: |\n  {\n    "a": "é"\n  }\n'


def test_events_with_crlf_are_written_one_per_line() -> None:
    text = yaml_text.dump_yaml({"s": "data: 1\r\n\r\ndata: 2\r\n\r\n"})
    assert text == 's: "\\\n  data: 1\\r\\n\\r\\n\\\n  data: 2\\r\\n\\r\\n"\n'


def test_bytes_that_are_not_text_are_written_as_binary() -> None:
    assert yaml_text.body_as_text_or_bytes(b"\x89PNG\xff") == b"\x89PNG\xff"
    assert yaml_text.body_as_text_or_bytes("é".encode()) == "é"
    assert "!!binary" in yaml_text.dump_yaml({"b": b"\x89PNG\xff"})
