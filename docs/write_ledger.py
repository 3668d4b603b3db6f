"""``make docs``: writes docs/ledger.md anew: where every documented field ends in the reference, in each direction."""

from pathlib import Path
from typing import Final

from bridgecheck.ledger.command import run_ledger
from bridgecheck.ledger.play import LedgerDialectsAndSide
from bridgecheck.ledger.report import ledger_to_markdown

PAGE: Final = Path(__file__).resolve().parent / "ledger.md"


def current_page() -> str:
    """Return the page as it should be now: runs the ledger, which takes seconds."""
    return ledger_to_markdown(run_ledger("", LedgerDialectsAndSide()))


if __name__ == "__main__":
    PAGE.write_text(current_page(), encoding="utf-8")
