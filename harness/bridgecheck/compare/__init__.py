"""Comparison of normal forms: class tables, projection and its one table of losses, named rewrites, schemas,
differences."""
