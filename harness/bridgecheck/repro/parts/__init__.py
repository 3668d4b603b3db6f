"""What reproduction scripts consist of: modules that need nothing but the standard library.

A script holds the definitions that it uses (``source``). A name in capitals that a part imports from ``data`` is data
that the script defines. What went over the wire is a plain object:

    {"requested": [body, ...], "sent": [body, ...], "received": [[document, ...], ...], "status": [200, ...],
     "raised": ""}
"""
