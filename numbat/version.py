"""The version of the distribution, the one place that holds it."""

__version__ = "0.31.0"
