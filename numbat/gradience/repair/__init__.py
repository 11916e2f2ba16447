"""Small edits of a sentence that make it more acceptable."""

__all__ = ["edits", "repair"]
