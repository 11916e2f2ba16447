"""Sentences that violate one chosen property, made from well-formed ones."""
