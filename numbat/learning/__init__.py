"""What is learned from examples: `trees`, weights of a linear model over trees."""

__all__ = ["trees"]
