"""The field-fate ledger: every documented leaf of a dialect, one at a time, and where it ended at the far side.

``shapes`` walks the wire TypedDicts for the leaves, ``bases*`` and ``values*`` say in which minimal valid document a
leaf stands and with which two values it is told apart, ``left_out`` names the leaves that are not run, ``probes`` puts
these together, ``fate`` judges what the adapter made of one probe, ``matrix`` counts.
"""
