"""``make docs``: writes reports/README.md anew from the reports and what is published of them."""

from pathlib import Path
from typing import Final

from bridgecheck.report.published_markdown import PAGE, adapters, to_readme

ROOT: Final = Path(__file__).resolve().parents[1] / "reports"


def page() -> str:
    return to_readme(adapters(ROOT))


def main() -> None:
    (ROOT / PAGE).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
