"""Every relative link of a page points to a file."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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


def test_every_page_is_in_the_index() -> None:
    index = set(LINK.findall((ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    names = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md", "outcome.head.md"}
    assert names <= index, sorted(names - index)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
