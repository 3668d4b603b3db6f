"""The field-fate ledger, ``bridgecheck ledger``: every documented leaf of a dialect, one at a time, and where it ended.

``documented_leaves`` finds them in the wire TypedDicts. One table for each dialect and side has minimal documents,
the two values of a leaf, and the leaves that are left out. ``probes`` puts these together, ``play`` sends them through
the adapter, ``fate`` judges what it made of one probe, ``matrix`` counts, ``report`` and ``command`` show it.
"""
