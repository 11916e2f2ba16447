"""Exercises: a task, a grammar to begin with, hints, and judged sentences by which the work is marked.

`exercise` has the records, `reading` makes them of a file and tells every mistake in it; `checks` adds doubts, and
knows the exercises that come with Numbat.
"""

__all__ = ["checks", "exercise", "reading"]
