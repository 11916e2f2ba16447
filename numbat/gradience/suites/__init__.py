"""Rated sentences: suites and their files, runs over them, statistics against people's judgements."""

__all__ = ["comparison", "files", "judgement_marks", "regression", "scored_items", "statistics", "suite", "summary"]
