"""The gateway: clients of the three dialects on one side, upstreams of the three on the other, over plain HTTP.

``create_app`` (in ``app``) needs the extra ``gateway``; ``main`` is the command, ``config`` its settings.
"""
