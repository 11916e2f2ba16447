"""How acceptable a parse is, why, and what people say: computed after parsing, on the sets P+ and P-."""

__all__ = ["fitting", "generate", "models", "repair", "suites"]
