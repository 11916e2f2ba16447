"""Rated sentences: suites and their files, runs over them, statistics against people's judgements."""
