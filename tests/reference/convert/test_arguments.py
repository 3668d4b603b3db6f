"""Arguments as text: what counts as an object."""

import pytest

from bridgecheck_reference.convert.arguments import parse_arguments


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
