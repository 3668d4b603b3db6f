"""``python -m bridgecheck``."""

from bridgecheck.cli import main

main()
