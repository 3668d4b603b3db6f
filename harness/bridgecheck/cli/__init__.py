"""The command ``bridgecheck``. Everything heavy is imported by the command that needs it."""

import sys
from typing import Final

REFUSED: Final = 2
BROKEN: Final = 3


def main() -> None:
    """Entry point. Our own errors are printed as they are; anything else is a fault of the harness, kept in a file."""
    from bridgecheck.cli.app import app
    from bridgecheck.errors import BridgecheckError, RefusedAtStart

    try:
        app()
    except RefusedAtStart as error:
        _say(str(error))
        sys.exit(REFUSED)
    except BridgecheckError as error:
        _say(str(error))
        sys.exit(BROKEN)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(BROKEN)
    except Exception as error:
        from bridgecheck.cli.fault import record

        _say(record(error))
        sys.exit(BROKEN)


def _say(message: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(f"{message}\n")
