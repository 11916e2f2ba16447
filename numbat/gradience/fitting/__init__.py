"""Models that learn from rated sentences what a violation costs."""

__all__ = ["about", "fitted", "terms"]
