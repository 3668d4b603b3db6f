"""Every relative link of a page points to a file, and so does every path it names in code type."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (ROOT, ROOT / "harness" / "bridgecheck", ROOT / "reference_impl" / "bridgecheck_reference", ROOT / "docs")
"""Where paths of the pages begin."""
PATH = re.compile(r"`((?:[a-z0-9_.-]+/)+[a-z0-9_.-]+\.(?:py|json|toml|md|yaml|yml|mjs|svg))`")
"""A path without placeholders (<topic>, NAME, globs)."""
NOT_YET = ("openai_responses", "my-gateway")
"""In paths of files that a reader is to write."""
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


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
