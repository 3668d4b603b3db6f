"""``bridgecheck doctor``: what a run would find here, and what would stop it.

command   the command: prints the facts, or writes them as JSON
fact      one line of it
machine   Python, bridgecheck and the libraries it needs; cores, loopback, temporary folder, environment variables
project   the corpus, the last report, the project's table, and how the adapter describes itself
"""
