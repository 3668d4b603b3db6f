"""Errors of the command line in our own words: typer says what is wrong, not what to do."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from typer.exceptions import TyperException

from bridgecheck.errors import RefusedAtStart

_EXPECTED: Final = (
    (re.compile(r"greater than or equal to (\S+)"), r"\1 or more"),
    (re.compile(r"less than or equal to (\S+)"), r"\1 or less"),
    (re.compile(r"valid integer"), "a whole number"),
    (re.compile(r"valid number"), "a number"),
    (re.compile(r".* is not one of (.*?)\.?$"), r"one of \1"),
)
"""What a message of typer says of a value -> what is expected of it."""

_NO_COMMAND: Final = re.compile(r"No such command '(.*?)'\.(?: Did you mean '(.*?)'\?)?")
_EXTRA: Final = re.compile(r"unexpected extra arguments?(?:\(s\))? \((.*)\)")


class BadOption(RefusedAtStart):
    """A command, option or argument that does not exist, is missing, or has a wrong value."""


def describe_usage_error(error: TyperException, group: Any, argv: Sequence[str]) -> str:
    """Return the message for one of typer's errors: our own, or the help where nothing was asked for. ``group``: the
    command line as typer builds it. ``argv``: its arguments, without the program."""
    context: Any = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        return error.message
    command, path = _named_command(group, argv) if context is None else (context.command, context.command_path)
    what, expected = _describe(error, command, argv)
    usage = context.get_usage().removeprefix("Usage: ") if context is not None and not expected else ""
    return str(BadOption(what, path, expected or usage, f"{path} --help"))


def _named_command(group: Any, argv: Sequence[str]) -> tuple[Any, str]:
    """Return the command that the arguments begin with, and how it is called."""
    command, path = group, "bridgecheck"
    for word in argv:
        if word not in getattr(command, "commands", ()):
            break
        command, path = command.commands[word], f"{path} {word}"
    return command, path


def _describe(error: TyperException, command: Any, argv: Sequence[str]) -> tuple[str, str]:
    """Return what is wrong, and what was expected, "" for what the usage says."""
    message, parameter = error.message, getattr(error, "param", None)
    option = getattr(error, "option_name", "")
    if option and "No such option" in message:
        close = " or ".join(sorted(getattr(error, "possibilities", None) or ()))
        return f"there is no option {option}", f"did you mean {close}?" if close else "an option of this command"
    if option:
        metavar = _metavar_of_option(command, option)
        return (f"{option} has no value", f"{option} {metavar}") if "requires" in message else (
            f"{option} takes no value", option)  # fmt: skip
    if found := _NO_COMMAND.search(message):
        return f"there is no command {found[1]!r}", f"did you mean {found[2]}?" if found[2] else "a command of the list"
    if found := _EXTRA.search(message):
        return f"unexpected argument: {found[1]}", ""
    if parameter is None:
        return message, ""
    name = parameter.opts[0] if parameter.param_type_name == "option" else parameter.metavar or parameter.name
    described = getattr(parameter, "help", None) or ""
    if type(error).__name__ == "MissingParameter":
        return f"{name} is missing", described
    value = _last_value(parameter.opts, argv)
    return f"{name} is {value!r}" if value is not None else f"{name} has a wrong value", _expected_value(message)


def _expected_value(message: str) -> str:
    for pattern, expected in _EXPECTED:
        if found := pattern.search(message):
            return found.expand(expected) if "\\" in expected else expected
    return message


def _metavar_of_option(command: Any, option: str) -> str:
    found = [parameter.metavar for parameter in command.params if option in parameter.opts]
    return str(found[0] or "VALUE") if found else "VALUE"


def _last_value(names: Sequence[str], argv: Sequence[str]) -> str | None:
    """Return the value that an option has on the command line, None for an argument."""
    values = [following for option, following in pairwise(argv) if option in names]
    values += [value for option, sign, value in (text.partition("=") for text in argv) if sign and option in names]
    return values[-1] if values else None
