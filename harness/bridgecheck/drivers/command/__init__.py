"""``command:``: an adapter in any language, as a program that speaks JSON lines on its standard input and output.

values, protocol, schema   what is said, as tables
lines                      bytes into lines
shim                       a running child and the requests it has not answered
command                    starts one, and a new one after it broke
converter, session         the two shapes in which the rest of the harness knows adapters
resolve                    "command:..." -> Driver
"""

from bridgecheck.drivers.command.resolve import command, launched, of_recipe
from bridgecheck.drivers.command.running import Launch

__all__ = ["Launch", "command", "launched", "of_recipe"]
