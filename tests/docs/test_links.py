"""Every relative link of a page points to a file, and to a heading of it, and so does every path it names in code type."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (ROOT, ROOT / "harness" / "bridgecheck", ROOT / "reference_impl" / "bridgecheck_reference", ROOT / "docs")
"""Where paths of the pages begin."""
PATH = re.compile(r"`((?:[a-z0-9_.-]+/)+[a-z0-9_.-]+\.(?:py|json|toml|md|yaml|yml|mjs|svg))`")
"""A path without placeholders (<topic>, NAME, globs)."""
NOT_YET = ("openai_responses", "my-gateway")
"""In paths of files that a reader is to write."""
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
ANCHOR_LINK = re.compile(r"\]\(([^)#\s]*)#([^)\s]+)\)")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
HEADING = re.compile(r"^ {0,3}#{1,6} +(.+?)(?: +#+)? *$", re.MULTILINE)


def pages() -> list[Path]:
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "reports" / "README.md"]


def test_every_link_points_to_a_file() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages()
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if "://" not in target and not target.startswith("mailto:") and not (page.parent / target).exists()
    ]
    assert not broken, "\n".join(broken)
    assert len(pages()) > 40


def anchors(markdown: str) -> Iterator[str]:
    """Yield the anchors that GitHub gives the headings: lower case, without punctuation, hyphens for spaces, and a
    number behind one that was there before; then those that the page sets itself."""
    taken: set[str] = set()
    for heading in HEADING.findall(FENCED.sub("", markdown)):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        numbered = (f"{slug}-{number}" for number in range(1, len(taken) + 2))
        anchor = slug if slug not in taken else next(name for name in numbered if name not in taken)
        taken.add(anchor)
        yield anchor
    yield from NAMED.findall(markdown)


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        ("# A gate: accepted failures", ["a-gate-accepted-failures"]),
        ("## `bridgecheck compare OLD NEW`", ["bridgecheck-compare-old-new"]),
        ("## [Keys](keys.md), and more ##", ["keys-and-more"]),
        ("## made_from & co.", ["made_from--co"]),
        ("## Same\n\n## Same\n\n## Same 1", ["same", "same-1", "same-1-1"]),
        ("```\n# a comment\n```\n# One", ["one"]),
        ('<a id="here"></a>\n\n# One', ["one", "here"]),
    ],
)
def test_anchors_are_those_of_github(headings: str, expected: list[str]) -> None:
    assert list(anchors(headings)) == expected


def test_every_anchor_is_a_heading() -> None:
    links = [
        (page, (page.parent / target).resolve() if target else page, anchor)
        for page in pages()
        for target, anchor in ANCHOR_LINK.findall(page.read_text(encoding="utf-8"))
        if "://" not in target and (not target or target.endswith(".md"))
    ]
    broken = [
        f"{page.relative_to(ROOT)}: {target.relative_to(ROOT)}#{anchor}"
        for page, target, anchor in links
        if target.exists() and anchor not in set(anchors(target.read_text(encoding="utf-8")))
    ]
    assert not broken, "\n".join(broken)
    assert len(links) > 10


def test_every_path_in_code_type_is_a_file() -> None:
    missing = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in pages()
        for path in PATH.findall(page.read_text(encoding="utf-8"))
        if not any(name in path for name in NOT_YET)
        and not any((folder / path).exists() for folder in (*FOLDERS, page.parent))
    ]
    assert not missing, "\n".join(missing)


def test_every_page_is_in_the_index() -> None:
    index = set(LINK.findall((ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    names = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md", "outcome.head.md"}
    assert names <= index, sorted(names - index)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
