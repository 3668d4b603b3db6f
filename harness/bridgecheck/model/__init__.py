"""The judge's nouns: frozen dataclasses and tables. No IO, no clock, no third-party library."""
