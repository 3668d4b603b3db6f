"""Prompts for agents that are command-line programs, and what those programs print.

``assemble`` makes one prompt of instructions, a team's task, a conversation and the current message, within a budget of
bytes; ``parse_cli_output`` reads the text of an answer. No IO, and nothing else of this package.
"""

from bridgecheck_reference.context.assemblers import (
    ClaudeContextAssembler,
    CodexContextAssembler,
    GeminiContextAssembler,
)
from bridgecheck_reference.context.assembly import (
    DEFAULT_MAX_BYTES,
    AssemblyInput,
    AssemblyInputError,
    AssemblyResult,
    ContextAssembler,
    ContextMessage,
    SectionName,
    SectionSpan,
)
from bridgecheck_reference.context.cli_output import (
    OUTPUT_FORMATS,
    CliOutput,
    CliOutputError,
    CliOutputReader,
    OutputFormat,
    parse_cli_output,
    require_output_format,
    strip_ansi,
)
from bridgecheck_reference.context.json_lines import JsonLines

__all__ = [
    "DEFAULT_MAX_BYTES",
    "OUTPUT_FORMATS",
    "AssemblyInput",
    "AssemblyInputError",
    "AssemblyResult",
    "ClaudeContextAssembler",
    "CliOutput",
    "CliOutputError",
    "CliOutputReader",
    "CodexContextAssembler",
    "ContextAssembler",
    "ContextMessage",
    "GeminiContextAssembler",
    "JsonLines",
    "OutputFormat",
    "SectionName",
    "SectionSpan",
    "parse_cli_output",
    "require_output_format",
    "strip_ansi",
]
