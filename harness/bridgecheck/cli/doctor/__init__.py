"""``bridgecheck doctor``: what a run would find here, and what would stop it.

fact        one line of it
installed   Python, bridgecheck, the libraries it needs, programs beside it
machine     cores, loopback, temporary folder, variables of the environment
corpus      scenarios, cassettes, requirement sets, the last report
adapter     the project's table, and what is said of an adapter without running it
"""
