"""The provider's side over a real socket.

script   a scripted answer -> status, headers and exact writes
server   the edge server: plays answers, keeps every request
relay    turn 2 on: what a client sends back of what it received
"""
