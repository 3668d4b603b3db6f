"""The names of the formats, as ``--format`` takes them."""

from typing import Literal, TypeAlias

WritableName: TypeAlias = Literal["vcrpy", "gemini-cli", "google-genai", "har"]
FormatName: TypeAlias = Literal[WritableName, "cassetter", "aimock", "jsonl"]
