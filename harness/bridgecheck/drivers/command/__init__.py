"""``command:``: an adapter in any language, as a program that speaks JSON lines on its standard input and output.

protocol   the requests and answers, as tables, and their JSON schema
shim       a running child process and the requests it has not answered
running    starts one, and a new one after it broke
adapter    the shapes in which the rest of the harness knows adapters, and "command:..." -> Driver
"""

from bridgecheck.drivers.command.adapter import driver_of_command, driver_of_command_recipe, driver_of_launch
from bridgecheck.drivers.command.running import Launch

__all__ = ["Launch", "driver_of_command", "driver_of_command_recipe", "driver_of_launch"]
