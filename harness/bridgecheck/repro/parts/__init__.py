"""What reproduction scripts are put together from: modules that need nothing but the standard library.

A script holds their source (``script``), so they read as a script should: short, and with names that speak. A name in
capitals that a part does not define is data that the script defines. What came out of the adapter is a plain object:

    {"asked": [body, ...], "sent": [body, ...], "received": [[document, ...], ...], "status": [200, ...], "raised": ""}
"""
