"""The verbs of the command line: a module for each family, whose `COMMANDS` `numbat/cli.py` adds to the program.

A verb reads its arguments, calls a function of `numbat/commands/` and prints what that returns; the libraries of the
rooms below are imported in its body, so that `numbat --help` starts quickly.
"""
