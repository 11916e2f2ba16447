"""The verbs below `numbat learn`: a module each, but for penalties, which stand with the verb `decode`."""

__all__ = ["structure", "weights"]
