"""Sentences that violate one chosen property, made from well-formed ones."""

__all__ = ["generate", "generated", "growing"]
