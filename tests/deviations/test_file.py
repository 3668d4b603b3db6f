"""deviations.toml: what is read, what is refused with its line, and what writing preserves."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bridgecheck.deviations import AcceptedCases, Deviation, KnownIds, read_deviations, update_deviations
from bridgecheck.errors import BadDeviations

KNOWN = KnownIds(["response.usage", "response.text"], ["usage/cached", "usage/none", "tools/one"])
MARK = "3ef68ad5f7"

TEXT = """\
# known failures of mine

# about usage
[[deviation]]
check = "response.usage"  # everywhere
scenario = "usage/*"
reason = "counts by itself"
# and more about it

# about one thing
[[deviation]]
fingerprint = "3ef68ad5f7"
reason = 'as agreed'
issue = "https://example.org/7"
version = ">=1,<2"
expires = 2027-01-31

# the end
"""


LISTING = Deviation(
    "why",
    fingerprint=MARK,
    check="response.usage",
    direction="gemini-to-openai-chat",
    cases=(
        AcceptedCases(("tools/one",), ("stream",), ("http", "sdk"), frozenset({"1f0c22"})),
        AcceptedCases(("usage/cached", "usage/none"), ("stream", "unary"), ("http",), frozenset({"77aa01", "1f0c22"})),
    ),
)


def _read(tmp_path: Path, source: str) -> tuple[Deviation, ...]:
    path = tmp_path / "deviations.toml"
    path.write_text(source, encoding="utf-8")
    return read_deviations(path, KNOWN)


def test_entries_are_read_in_order(tmp_path: Path) -> None:
    assert _read(tmp_path, TEXT) == (
        Deviation("counts by itself", check="response.usage", scenario="usage/*"),
        Deviation(
            "as agreed",
            fingerprint=MARK,
            issue="https://example.org/7",
            version=">=1,<2",
            expires=date(2027, 1, 31),
        ),
    )
    assert _read(tmp_path, "") == _read(tmp_path, "# nothing known\n") == ()


def test_the_cases_of_an_entry_are_written_and_read(tmp_path: Path) -> None:
    entry = replace(LISTING, cases=(*LISTING.cases, AcceptedCases(('odd "one", 1',), ("unary",), ("wire",), None)))
    text = update_deviations("", [], {entry: "usage"})
    assert '  "usage/{cached,none}::{stream,unary}-http 1f0c22 77aa01",\n' in text
    assert _read(tmp_path, text) == (entry,)


ENTRY_OF_CASES = f'[[deviation]]\nreason = "x"\nfingerprint = "{MARK}"\n'
ENTRY = '[[deviation]]\ncheck = "response.usage"\nreason = "x"\n'


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ('[[deviation]]\ncheck = "response.usage"', 1, "an entry without a reason"),
        (f'{ENTRY}\n[[deviation]]\ncheck = "response.text"\nreason = " "', 5, "an entry without a reason"),
        ('[[deviation]]\nreason = "x"', 1, "neither a fingerprint nor a check"),
        ('[[deviation]]\nreason = "x"\nfingerprint = "3EF"', 1, "no fingerprint: '3EF'"),
        (f'[[deviation]]\nreason = "x"\nfingerprint = "{MARK}"\nscenario = "tools/one"', 1, "a scenario beside"),
        ('[[deviation]]\nreason = "x"\ncheck = "response.usge"', 1, "did you mean response.usage"),
        (f'{ENTRY}scenario = "usage/cachd"', 1, "did you mean usage/cached"),
        (f'{ENTRY}scenario = "nothing/*"', 1, "no such scenario: 'nothing/*'"),
        (f'{ENTRY}expires = "2027-01-31"', 1, "expires is no date"),
        (f"{ENTRY}expires = 2027-01-31T00:00:00", 1, "expires is no date"),
        (f'{ENTRY}version = "newer"', 1, "no version condition: 'newer'"),
        (f"{ENTRY}issue = 7", 1, "issue is no text: 7"),
        (f'{ENTRY}cases = ["usage/cached::unary-wire *"]', 1, "cases beside a check alone"),
        (f"{ENTRY_OF_CASES}cases = 3", 1, "cases is no list: 3"),
        (f"{ENTRY_OF_CASES}cases = [3]", 1, "no cases: 3"),
        (f'{ENTRY_OF_CASES}cases = ["usage/cached::unary-wire"]', 1, "no cases: 'usage/cached::unary-wire'"),
        (
            f'{ENTRY_OF_CASES}cases = ["usage/cached::unary-wire 1f0c2"]',
            1,
            "no cases: 'usage/cached::unary-wire 1f0c2'",
        ),
        (f'{ENTRY_OF_CASES}direction = "here-to-there"', 1, "no direction of its cases: 'here-to-there'"),
        (f'{ENTRY}why = "x"', 1, "unknown key 'why'"),
        (f"{ENTRY}\n{ENTRY}", 5, "response.usage is listed twice"),
        ("[[deviation]\n", 0, "no TOML"),
        ("[general]\n", 0, "unknown key 'general'"),
        ("deviation = 3\n", 0, "deviation is no list of tables"),
        ('deviation = [{ check = "response.usage", reason = "x" }]\n', 0, "deviation is not written as tables"),
    ],
)
def test_invalid_files_are_refused_with_the_line(tmp_path: Path, source: str, line: int, message: str) -> None:
    with pytest.raises(BadDeviations) as wrong:
        _read(tmp_path, source)
    assert message in str(wrong.value)
    path = f"deviations.toml:{line}\n" if line else "deviations.toml\n"
    assert path in f"{wrong.value}\n"


def test_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "deviations.toml"
    path.write_bytes(b"# \xff")
    with pytest.raises(BadDeviations, match="byte 2"):
        read_deviations(path, KNOWN)


def test_an_entry_is_added_and_the_rest_stays(tmp_path: Path) -> None:
    new = Deviation('say "why"\u2028', fingerprint="0" * 10, expires=date(2027, 2, 1))
    text = update_deviations(TEXT, _read(tmp_path, TEXT), {new: "response.text: lost\nand more \x1b[31m"})
    assert text.startswith(TEXT.rstrip("\n"))
    assert "# response.text: lost?and more ?[31m\n[[deviation]]" in text
    assert _read(tmp_path, text)[2:] == (new,)


def test_an_entry_is_removed_with_its_comments(tmp_path: Path) -> None:
    entries = _read(tmp_path, TEXT)
    without_first = update_deviations(TEXT, entries, {}, ["usage/*:response.usage"])
    assert without_first == TEXT.replace(TEXT[TEXT.index("# about usage") : TEXT.index("# about one")], "")
    without_last = update_deviations(TEXT, entries, {}, [MARK])
    assert without_last == TEXT.replace(TEXT[TEXT.index("# about one") : TEXT.index("# the end")], "")


def test_all_entries_may_be_removed_and_added_again(tmp_path: Path) -> None:
    empty = update_deviations(TEXT, _read(tmp_path, TEXT), {}, [MARK, "usage/*:response.usage"])
    assert empty == "# known failures of mine\n\n# the end\n"
    again = update_deviations(empty, (), {Deviation("x", check="response.text"): ""})
    assert again == f'{empty}\n[[deviation]]\ncheck = "response.text"\nreason = "x"\n'


LISTED = """\
# about usage
[[deviation]]
fingerprint = "3ef68ad5f7"  # its name
reason = "why"
example = "tools/one::bridged"
cases = [
  # the oldest
  "tools/one::stream-{http,sdk} 1f0c22",  # since 2.0
  "usage/cached::unary-http 77aa01",
]
issue = "https://example.org/7"

# the end
"""


def test_the_cases_of_an_entry_change_and_its_words_stay(tmp_path: Path) -> None:
    text = LISTED.replace("reason", 'direction = "gemini-to-openai-chat"\nreason')
    assert update_deviations(text, _read(tmp_path, text), {}, (), {MARK: LISTING}) == (
        """\
# about usage
[[deviation]]
fingerprint = "3ef68ad5f7"  # its name
check = "response.usage"
direction = "gemini-to-openai-chat"
reason = "why"
issue = "https://example.org/7"
cases = [
  # the oldest
  "tools/one::stream-{http,sdk} 1f0c22",  # since 2.0
  "usage/{cached,none}::{stream,unary}-http 1f0c22 77aa01",
]

# the end
"""
    )


def test_a_file_of_an_older_release_is_read(tmp_path: Path) -> None:
    text = f'{ENTRY_OF_CASES}example = "tools/one::bridged"\nseen = ["tools/one"]\n'
    entries = _read(tmp_path, text)
    assert entries == (Deviation("x", fingerprint=MARK),)
    updated = update_deviations(text, entries, {}, (), {MARK: LISTING})
    assert "seen" not in updated
    assert "example" not in updated
    assert _read(tmp_path, updated) == (replace(LISTING, reason="x"),)


def test_a_new_file_explains_itself() -> None:
    assert update_deviations("", (), {}).startswith("# Failures of this adapter that are known and accepted")


@pytest.mark.parametrize(
    ("version", "condition", "applies"),
    [("1.4", "<2", True), ("2.0", "<2", False), ("", "<2", False), ("odd", "<2", False), ("odd", "", True),
     ("2.0rc1", ">=1", True)],
)  # fmt: skip
def test_the_version_condition(version: str, condition: str, applies: bool) -> None:
    assert Deviation("x", check="response.text", version=condition).applies_to_version(version) is applies


def test_an_entry_holds_through_its_last_day() -> None:
    entry = Deviation("x", check="response.text", expires=date(2027, 1, 31))
    assert not entry.is_expired(date(2027, 1, 31))
    assert entry.is_expired(date(2027, 2, 1))
