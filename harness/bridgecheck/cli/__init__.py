"""The command ``bridgecheck``. Everything heavy is imported by the command that needs it."""

import sys
from pathlib import Path
from typing import Final

REFUSED: Final = 2
BROKEN: Final = 3
ENDED_EARLY: Final = "[interrupted] the command was ended before it had anything to report"
_INTERRUPTED: Final = 130
"""typer's exit code of a command that raised KeyboardInterrupt."""

TRACEBACK_FILE: Final = Path("reports/local/harness-error.txt")


def main() -> None:
    """Run the command line. What is interrupted before it has anything to report is an error as any other."""
    try:
        _run_command_line()
    except KeyboardInterrupt:
        _exit(ENDED_EARLY, BROKEN)
    except SystemExit as ended:
        if ended.code != _INTERRUPTED:
            raise
        _exit(ENDED_EARLY, BROKEN)


def _run_command_line() -> None:
    """Our own errors are printed as they are; anything else is a fault of the harness, whose traceback is written to a
    file."""
    from bridgecheck.cli.interruption import interrupt_on_termination
    from bridgecheck.files.output import mask_standard_streams

    mask_standard_streams()
    interrupt_on_termination()
    from typer.exceptions import TyperException
    from typer.main import get_command

    from bridgecheck.cli.app import app
    from bridgecheck.cli.option_errors import describe_usage_error
    from bridgecheck.errors import BridgecheckError, RefusedAtStart

    command = get_command(app)
    try:
        sys.exit(command(prog_name="bridgecheck", standalone_mode=False) or 0)
    except BridgecheckError as error:
        _exit(str(error), REFUSED if isinstance(error, RefusedAtStart) else BROKEN)
    except TyperException as error:
        _exit(describe_usage_error(error, command, sys.argv[1:]), REFUSED)
    except Exception as error:
        _exit(_report_fault(error), BROKEN)


def _exit(message: str, code: int) -> None:
    sys.stdout.flush()
    sys.stderr.write(f"{message}\n")
    sys.exit(code)


def _report_fault(error: Exception) -> str:
    """Write the traceback beside the reports, or to the temporary folder if that is not possible; return the message
    for the user."""
    import platform
    import tempfile
    import traceback

    from bridgecheck import __version__
    from bridgecheck.files.output import write_text
    from bridgecheck.report.folder import escape_surrogates

    versions = f"bridgecheck {__version__}, Python {platform.python_version()}"
    text = f"{versions}\nbridgecheck {' '.join(sys.argv[1:])}\n\n{''.join(traceback.format_exception(error))}"
    where = "(could not be written)"
    for path in (TRACEBACK_FILE, Path(tempfile.gettempdir()) / f"bridgecheck-{TRACEBACK_FILE.name}"):
        try:
            write_text(path, escape_surrogates(text))
        except OSError:
            continue
        where = str(path)
        break
    return f"[harness] {type(error).__name__}: {error}\n  at: {where}\n  expected: no fault of bridgecheck itself"
