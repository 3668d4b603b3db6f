"""Comparison of normal forms: class tables, the one table of losses, named rewrites, schemas, differences."""
