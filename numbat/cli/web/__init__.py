"""The verb that serves the workbench: `numbat serve`."""

__all__ = ["serving"]
