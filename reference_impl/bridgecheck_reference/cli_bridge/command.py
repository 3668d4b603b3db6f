"""The command line of gemini-cli 0.61.0."""

from collections.abc import Sequence
from pathlib import Path

from bridgecheck_reference.context import require_output_format


def build_command(
    command: Sequence[str],
    *,
    output_format: str = "stream-json",
    model: str | None = None,
    session_file: Path | None = None,
) -> list[str]:
    """Return the command with its options. Prompts go to its standard input, so no text of a prompt is an option.

    ``model``: None leaves the choice to the program. ``session_file``: the history. ``CliOutputError`` for an output
    format that the program does not have. ``--resume`` takes no path, so it is not used; options and values are one
    word each, so that a value with a leading dash is none.
    """
    found = [*command, f"--output-format={require_output_format(output_format)}", "--skip-trust"]
    if model is not None:
        found.append(f"--model={model}")
    if session_file is not None:
        found.append(f"--session-file={session_file}")
    return found
