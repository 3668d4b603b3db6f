"""``make docs``: writes reports/README.md anew from the reports and what is published of them."""

from pathlib import Path
from typing import Final

from bridgecheck.report.published_readme import README_FILE, read_published_adapters, to_readme

ROOT: Final = Path(__file__).resolve().parents[1] / "reports"


def page() -> str:
    return to_readme(read_published_adapters(ROOT))


def main() -> None:
    (ROOT / README_FILE).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
