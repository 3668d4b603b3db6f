"""Shapes shared by the converters and the providers. Types only."""
