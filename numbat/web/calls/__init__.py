"""What can be asked, by family: functions of a session and of what the call is given, which return values for JSON.

`table` has them all by name. `of_grammars` needs no sentence, `of_sentences` answers for sentences that were typed,
`of_suites` for judged sentences in a file, `of_exercises` for tasks.
"""

__all__ = ["table"]
