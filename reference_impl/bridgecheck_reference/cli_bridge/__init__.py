"""gemini-cli as a model: its command line, its files, and what it prints, behind a stream of events."""
