"""Arguments as text: what counts as an object."""

import pytest

from bridgecheck_reference.convert.arguments import parse_arguments, result_object


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"a":1}', {"a": 1}),
        (' {"a":1}', {"a": 1}),
        ('\r\n\t{"a":1}\n', {"a": 1}),
        ("", {}),
        (" ", {}),
        ("null", {}),
        (" null ", {}),
        (None, {}),
        ({"a": 1}, {"a": 1}),
        ("[1]", None),
        ("3", None),
        ('{"a":1}x', None),
        ('{"a":NaN}', None),
        ('\u00a0{"a":1}', None),
    ],
)
def test_parse_arguments(raw: object, expected: object) -> None:
    assert parse_arguments(raw) == expected


@pytest.mark.parametrize(
    "result",
    ['{"schema": {"$ref": "#/$defs/Mark"}}', '[{"a": [{"$ref": 1}]}]', '{"\\u0024ref": "x"}'],
)
def test_a_result_with_a_reference_stays_text(result: str) -> None:
    assert result_object(result) == {"output": result}
    assert result_object(result, carried=True) != {"output": result}


def test_a_result_that_only_mentions_references_is_an_object() -> None:
    assert result_object('{"note": "write \\"$ref\\"", "$refs": 1}') == {"note": 'write "$ref"', "$refs": 1}
