"""Bytes <-> wire documents, without IO: SSE and JSON-array streams, bodies, and how a body is cut into chunks.

Modules: ``sse``, ``body``, ``rechunk``, ``camel_case``. Nothing here knows what a document means.
"""
