"""The verbs of the workbench: `numbat serve` and `numbat site`."""

__all__ = ["serving", "writing"]
