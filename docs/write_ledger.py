"""``make docs``: writes docs/ledger.md anew: where every documented field ends in the reference, in each direction."""

from pathlib import Path
from typing import Final

from bridgecheck.cli.ledger_command import run
from bridgecheck.report.ledger import to_markdown
from bridgecheck.run.ledger import Wanted

PAGE: Final = Path(__file__).resolve().parent / "ledger.md"


def current() -> str:
    """The page as it should be now: runs the ledger, which takes seconds."""
    return to_markdown(run("", Wanted()))


if __name__ == "__main__":
    PAGE.write_text(current(), encoding="utf-8")
