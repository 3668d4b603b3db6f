"""Scenarios recorded from live providers: the plan, its limits, the player and what it reports. docs/live.md."""
