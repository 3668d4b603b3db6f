"""``bridgecheck smoke``: whether an adapter is wired correctly, in seconds; what it could claim; what is wrong if not.

command          the command: starts the worker process, reads its messages, prints the result
worker           the process that plays the cases, which an adapter may end, block or write into
trials           which cases are played, in which order, and when to stop
observation      what one case showed: calls, responses, errors
symptoms         the table of symptoms, each with its cause and next step
diagnosis        the first symptom that applies, as a diagnosis
result           the result of the whole command, its faults and exit code
json_format      the result as JSON
terminal_report  the result as text and tables on the terminal
"""
