"""Models that learn from rated sentences what a violation costs."""
