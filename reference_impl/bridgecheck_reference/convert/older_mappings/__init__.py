"""Older mappings, to compare with: what they do otherwise, as steps before and after the live converters.

A profile names its habits (``Profile.habits``); ``habits`` has them all as tables, ``around`` puts them around a live
converter, ``profiles`` has the mappings. The live converters know nothing of all this (docs/decisions/0043).
"""
